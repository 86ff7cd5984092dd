// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols of loops that the device runs, carried where it reads them: see Passes.td.

#include "Plan/Passes.h"
#include "Plan/Repetition.h"

#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Prog/IR/ExtentKernel.h"
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
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  auto constant = [&](int64_t value) { return ExtentAttr::constant(loop.getContext(), value); };
  SmallVector<ExtentAttr> first = addNumber(constant(0), loop.getInitExtents().getValue());
  auto type = SymTensorType::get({constant(static_cast<int64_t>(first.size()))},
                                 builder.getI64Type(), Side::Device);
  SmallVector<Value> inits{storeExtents(builder, location, first, type)};
  llvm::append_range(inits, loop.getInits());
  auto carrying =
      LoopOp::create(builder, location, TypeRange(ValueRange(inits)), loop.getTripCount(),
                     loop.getCondition(), inits, loop.getIv(), loop.getTripAttr(),
                     loop.getCountAttr(), loop.getSymbolsAttr(), loop.getInitExtentsAttr());
  setRepeated(carrying, true);
  for (auto [fresh, old] : llvm::zip_equal(carrying->getResults().drop_front(), loop->getResults()))
    fresh.setType(old.getType());
  carrying.getBody().takeBody(loop.getBody());
  loop->replaceAllUsesWith(carrying->getResults().drop_front());
  loop.erase();

  Block &body = carrying.getBody().front();
  body.insertArgument(0U, type, location);
  Operation *yield = body.getTerminator();
  builder.setInsertionPoint(yield);
  ExtentAttr done = carrying.getIv().getExtent() + 1;
  SmallVector<ExtentAttr> next = addNumber(done, carrying.getNextExtents());
  yield->insertOperands(1, storeExtents(builder, location, next, type));
  return carrying;
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
