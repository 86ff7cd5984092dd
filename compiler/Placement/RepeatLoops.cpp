// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that end when the device says so, left to the device.

#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/ONNX/Analysis/Repetition.h"
#include "Placement/Passes.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace cameo {
#define GEN_PASS_DEF_REPEATLOOPSPASS
#include "Placement/Passes.h.inc"
} // namespace cameo

namespace {

struct RepeatLoopsPass : cameo::impl::RepeatLoopsPassBase<RepeatLoopsPass> {
  using RepeatLoopsPassBase::RepeatLoopsPassBase;

  void runOnOperation() override {
    TargetAttr target = TargetAttr::lookup(getOperation());
    if (!target || !target.getDevice())
      return;
    bool changes = false;
    for (auto function : getOperation().getOps<func::FuncOp>())
      changes |= repeatIn(function);
    if (!changes)
      markAllAnalysesPreserved();
  }

private:
  /// Whether a loop of `function` is left to the device.
  bool repeatIn(func::FuncOp function) {
    SmallVector<LoopOp> loops;
    function.walk([&](LoopOp loop) { loops.push_back(loop); });
    if (loops.empty())
      return false;
    auto &sides = getChildAnalysis<SideAnalysis>(function);
    llvm::erase_if(loops, [&](LoopOp loop) { return !canRepeatOnDevice(loop, sides); });
    for (LoopOp loop : loops)
      setRepeated(loop, true);
    numRepeated += loops.size();
    return !loops.empty();
  }
};

} // namespace
