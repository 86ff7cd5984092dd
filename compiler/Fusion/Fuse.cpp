// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass of the Fuse stage: kernels first, so that each is as large as it gets when calls take
// them in; calls with calls last.

#include "Fusion/AttentionFusion.h"
#include "Fusion/FunctorFusion.h"
#include "Fusion/JoinBounds.h"
#include "Fusion/KernelFusion.h"
#include "Fusion/MarkNumbers.h"
#include "Fusion/Passes.h"
#include "Fusion/SinkGrowth.h"
#include "Fusion/TransposeFusion.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_FUSEPASS
#include "Fusion/Passes.h.inc"
} // namespace cameo

namespace {

struct FusePass : cameo::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() override {
    TargetAttr target = TargetAttr::lookup(getOperation());
    if (!target) {
      getOperation().emitError("has no target, by which fusing is decided (cameo-set-target)");
      return signalPassFailure();
    }
    FusionLimits limits = getLimits(target.getComputing().getMachine());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SymbolAnalysis symbols(function);
      const ExtentFacts &facts = symbols.getFacts();
      numBefore += countKernels(function);
      for (Block *block : collectBlocks(function)) {
        fuseKernels(*block, facts, limits);
        fuseFunctors(*block, facts, limits);
        numTurned += turnOperands(*block);
        // Kernels that were left for attention to read may still follow a call.
        if (unsigned attentions = fuseAttention(*block, symbols)) {
          numAttentions += attentions;
          fuseFunctors(*block, facts, limits);
        }
        numTransposes += fuseTransposes(*block, facts);
        numSunk += sinkGrowth(*block, facts);
      }
      joinBounds(function);
      markNumbers(function);
      numAfter += countKernels(function);
    }
  }

private:
  void fuseFunctors(Block &block, const ExtentFacts &facts, const FusionLimits &limits) {
    FunctorCounts counts = cameo::fuseFunctors(block, facts, limits);
    numEpilogues += counts.epilogues;
    numPrologues += counts.prologues;
  }

  FusionLimits getLimits(MachineAttr machine) const {
    auto getFact = [&](StringRef name) { return static_cast<unsigned>(machine.getFact(name)); };
    return {maxOps, maxOperands, std::min<unsigned>(maxOps, getFact("fusion_ops")),
            getFact("recompute"), getFact("strided_read")};
  }

  static unsigned countKernels(func::FuncOp function) {
    unsigned count = 0;
    function.walk([&](Operation *op) { count += isa<KernelOp, CallOp>(op); });
    return count;
  }

  /// The blocks that run as programs: the function's, branches and bodies of loops.
  static SmallVector<Block *> collectBlocks(func::FuncOp function) {
    SmallVector<Block *> blocks;
    function.walk<WalkOrder::PreOrder>([&](Block *block) {
      if (isa<KernelOp, CallOp>(block->getParentOp()))
        return WalkResult::skip();
      blocks.push_back(block);
      return WalkResult::advance();
    });
    return blocks;
  }
};

} // namespace
