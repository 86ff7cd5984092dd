// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ifs whose condition would be read back for them alone: both branches are computed, and the device
// chooses.

#include "Dialect/ONNX/Analysis/Selects.h"
#include "Dialect/ONNX/Analysis/SideAnalysis.h"
#include "Placement/Passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace cameo {
#define GEN_PASS_DEF_SELECTBRANCHESPASS
#include "Placement/Passes.h.inc"
} // namespace cameo

/// Everything in the branches in front of the If, and a Where for each of its results.
static void selectBetween(IfOp branch) {
  OpBuilder builder(branch);
  for (Region &region : branch->getRegions())
    for (Operation &op : llvm::make_early_inc_range(region.front().without_terminator()))
      op.moveBefore(branch);
  Operation *then = branch.getThenBranch().front().getTerminator();
  Operation *other = branch.getElseBranch().front().getTerminator();
  for (auto [number, result] : llvm::enumerate(branch->getResults()))
    result.replaceAllUsesWith(WhereOp::create(builder, branch.getLoc(), result.getType(),
                                              branch.getCond(), then->getOperand(number),
                                              other->getOperand(number)));
  branch.erase();
}

namespace {

struct SelectBranchesPass : cameo::impl::SelectBranchesPassBase<SelectBranchesPass> {
  using SelectBranchesPassBase::SelectBranchesPassBase;

  void runOnOperation() override {
    TargetAttr target = TargetAttr::lookup(getOperation());
    if (!target || !target.getDevice())
      return;
    bool changes = false;
    for (auto function : getOperation().getOps<func::FuncOp>())
      // A chosen If may be all that another branch does.
      while (selectIn(function)) {
        changes = true;
        getAnalysisManager().nest(function).invalidate({});
      }
    // A function's last analysis is of what it is now.
    changes ? markAnalysesPreserved<SideAnalysis>() : markAllAnalysesPreserved();
  }

private:
  bool selectIn(func::FuncOp function) {
    SmallVector<IfOp> branches;
    function.walk([&](IfOp branch) { branches.push_back(branch); });
    if (branches.empty())
      return false;
    auto &analysis = getChildAnalysis<SideAnalysis>(function);
    llvm::erase_if(branches, [&](IfOp branch) { return !analysis.isSelected(branch); });
    for (IfOp branch : branches) {
      // An error is raised inside, so the branch keeps its border until kernels know of it.
      if (findSelection(branch)->mayRaise)
        branch.setSelectsAttr(UnitAttr::get(&getContext()));
      else
        selectBetween(branch);
    }
    numSelected += branches.size();
    return !branches.empty();
  }
};

} // namespace
