// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols of loops that the device runs, carried where it reads them: see Passes.td.

#include "Plan/CarriedLists.h"
#include "Plan/Passes.h"
#include "Plan/Repetition.h"

#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Prog/IR/OutsideKernels.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_REPEATONDEVICEPASS
#include "Plan/Passes.h.inc"
} // namespace cameo

/// The number of iterations that are done, then the carried symbols.
static SmallVector<ExtentAttr> addNumber(ExtentAttr number, ArrayRef<Attribute> symbols) {
  SmallVector<ExtentAttr> list{number};
  llvm::append_range(list, llvm::map_range(symbols, llvm::CastTo<ExtentAttr>));
  return list;
}

/// The same loop, which carries the values of its symbols first.
static LoopOp carrySymbols(LoopOp loop) {
  ExtentAttr zero = ExtentAttr::constant(loop.getContext(), 0);
  return carryList(loop, addNumber(zero, loop.getInitExtents().getValue()),
                   addNumber(loop.getIv().getExtent() + 1, loop.getNextExtents()));
}

namespace {

struct RepeatOnDevicePass : cameo::impl::RepeatOnDevicePassBase<RepeatOnDevicePass> {
  using RepeatOnDevicePassBase::RepeatOnDevicePassBase;

  void runOnOperation() override {
    SmallVector<LoopOp> loops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      walkOutsideKernels(function, [&](LoopOp loop) {
        if (isRepeated(loop))
          loops.push_back(loop);
      });
    for (LoopOp loop : loops)
      findEnd(carrySymbols(loop)).setChooses(true);
    numRepeated += loops.size();
  }
};

} // namespace
