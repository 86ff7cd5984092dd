// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass of the Select stage: layouts first, since they decide which calls stay dense.

#include "Dialect/Prog/IR/Convolutions.h"
#include "Select/DenseForms.h"
#include "Select/ImageForms.h"
#include "Select/JoinRows.h"
#include "Select/Layouts.h"
#include "Select/MarkRows.h"
#include "Select/Passes.h"
#include "Select/ReplaceTemplates.h"
#include "Select/Templates.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_SELECTPASS
#include "Select/Passes.h.inc"
} // namespace cameo

namespace {

struct SelectPass : cameo::impl::SelectPassBase<SelectPass> {
  using SelectPassBase::SelectPassBase;

  void runOnOperation() override {
    int64_t block = ChannelBlocks::lookup(getOperation()).block;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (block > 0 && failed(assignLayouts(function)))
        return signalPassFailure();
      selectDense(function, block);
      joinRows(function);
      markRows(function);
      numReplaced += replaceTemplates(function);
      function.walk([](CallOp call) { call->removeDiscardableAttr(kPadEnd); });
    }
  }

private:
  LogicalResult assignLayouts(func::FuncOp function) {
    FailureOr<LayoutCounts> counts = cameo::assignLayouts(function, weightsBudget);
    if (failed(counts))
      return failure();
    numBlocked += counts->blocked;
    numRepacks += counts->repacks;
    return success();
  }

  void selectDense(func::FuncOp function, int64_t block) {
    SmallVector<CallOp> calls;
    function.walk([&](CallOp call) { calls.push_back(call); });
    for (CallOp call : calls) {
      if (call.getCallee() == kConv)
        numProducts += multiplyPlanes(call);
      else if (call.getCallee() == kSumNeighbours)
        poolChannels(call);
      else if (block > 0)
        packColumns(call, block);
    }
  }
};

} // namespace
