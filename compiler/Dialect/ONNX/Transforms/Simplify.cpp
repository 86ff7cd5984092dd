// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass of the Simplify stage: all of its rewrites to a fixpoint, since each makes room for
// others.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Passes.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace cameo {
#define GEN_PASS_DEF_SIMPLIFYPASS
#include "Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace cameo

namespace {

struct SimplifyPass : cameo::impl::SimplifyPassBase<SimplifyPass> {
  using SimplifyPassBase::SimplifyPassBase;

  void runOnOperation() override {
    FrozenRewritePatternSet patterns = getPatterns(), images = getImagePatterns();
    GreedyRewriteConfig config;
    // Branches and bodies keep their form: the Shape stage has named what they define.
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // Every rewrite leaves less to do, or an operator that none rewrites again.
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      {
        SymbolFactsScope facts(function);
        if (failed(applyRewrites(function, patterns, config)) ||
            failed(applyRewrites(function, images, config)))
          return signalPassFailure();
      }
      // A value that nothing names any more need not be read back for it.
      eraseUnusedSymbols(function);
    }
  }

private:
  FoldBudget getBudget() const { return {maxGrowth, maxWeightGrowth, maxElements, freesConstants}; }
  /// For targets with blocks of channels; none for others.
  FrozenRewritePatternSet getImagePatterns() {
    RewritePatternSet set(&getContext());
    if (ChannelBlocks::lookup(getOperation()).block == 0)
      return std::move(set);
    populateFoldPatterns(set, getBudget());
    populateAlgebraPatterns(set);
    populateImagePatterns(set, getBudget());
    return std::move(set);
  }
  FrozenRewritePatternSet getPatterns() {
    ChannelBlocks blocks = ChannelBlocks::lookup(getOperation());
    RewritePatternSet set(&getContext());
    populateFoldPatterns(set, getBudget());
    populateAlgebraPatterns(set);
    populateTablePatterns(set);
    populateCodePatterns(set);
    populateTapPatterns(set);
    if (TargetAttr target = TargetAttr::lookup(getOperation()); target && target.getDevice())
      populateProjectionPatterns(set);
    // Chains that are joined are rounded otherwise.
    if (PrecisionAttr::lookup(getOperation()) <= Precision::Fast)
      populateAffinePatterns(set);
    if (blocks.block > 0)
      populateShufflePatterns(set);
    populateIdiomPatterns(set);
    populateNormalizationPatterns(set);
    populateDecompositions(set, blocks);
    return std::move(set);
  }
};

} // namespace

void cameo::populateDecompositions(RewritePatternSet &patterns, const ChannelBlocks &target) {
  populateAttentionDecompositions(patterns);
  populateElementwiseDecompositions(patterns);
  populateLinearDecompositions(patterns);
  populateLossDecompositions(patterns);
  populateMlDecompositions(patterns);
  populateMovementDecompositions(patterns);
  populateNormalizationDecompositions(patterns);
  populateQuantDecompositions(patterns, target);
  populateRandomDecompositions(patterns);
  populateSignalDecompositions(patterns);
  populateTextDecompositions(patterns);
  populateVisionDecompositions(patterns);
}
