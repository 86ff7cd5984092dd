// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits behind which nothing but work of the host is left: see Passes.td.

#include "Plan/Passes.h"

#include "Dialect/Prog/IR/FinishedWaits.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_LEAVETOFINISHPASS
#include "Plan/Passes.h.inc"
} // namespace cameo

/// Whether the host can do it when the run is over: nothing that it defines sizes memory, and
/// nothing is enqueued.
static bool isWorkOfHost(Operation &op) {
  auto isOfHost = [](Type type) {
    auto tensor = dyn_cast<SymTensorType>(type);
    return !tensor || tensor.isHost();
  };
  if (auto await = dyn_cast<AwaitOp>(op))
    return !await.getChooses();
  if (isa<WeightOp, NullOp, ViewOp>(op))
    return true;
  return isa<KernelOp, CallOp, ElementOp, FromElementsOp, EmptyOp, SConstantOp, SExtentOp,
             ScalarOpInterface>(op) &&
         llvm::all_of(op.getOperandTypes(), isOfHost) &&
         llvm::all_of(op.getResultTypes(), isOfHost);
}

namespace {

struct LeaveToFinishPass : cameo::impl::LeaveToFinishPassBase<LeaveToFinishPass> {
  using LeaveToFinishPassBase::LeaveToFinishPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Operation &op : llvm::reverse(function.getBody().front().without_terminator())) {
        if (!isWorkOfHost(op))
          break;
        if (auto await = dyn_cast<AwaitOp>(op)) {
          setFinished(await);
          ++numLeft;
        }
      }
  }
};

} // namespace
