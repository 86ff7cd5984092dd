// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts that branches and loops of the host decide, carried where kernels read them: see
// Passes.td.

#include "Plan/CarriedLists.h"
#include "Plan/Passes.h"

#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Prog/IR/OutsideKernels.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_CARRYCOUNTSPASS
#include "Plan/Passes.h.inc"
} // namespace cameo

namespace {

struct CarryCountsPass : cameo::impl::CarryCountsPassBase<CarryCountsPass> {
  using CarryCountsPassBase::CarryCountsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> deciding;
    for (auto function : getOperation().getOps<func::FuncOp>())
      walkOutsideKernels(function, [&](Operation *op) {
        if (!getCountedSymbols(op).empty())
          deciding.push_back(op);
      });
    for (Operation *op : deciding)
      carry(op);
    numCarried += deciding.size();
  }

private:
  static void carry(Operation *op) {
    auto take = [&](ArrayRef<Attribute> extents) {
      return llvm::map_to_vector(getCountedSymbols(op),
                                 [&](int64_t number) { return cast<ExtentAttr>(extents[number]); });
    };
    if (auto loop = dyn_cast<LoopOp>(op))
      carryList(loop, take(loop.getInitExtents().getValue()), take(loop.getNextExtents()));
    else if (auto branch = dyn_cast<IfOp>(op))
      yieldList(branch, take(branch.getThenExtents()), take(branch.getElseExtents()));
  }
};

} // namespace
