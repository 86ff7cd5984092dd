// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rewrites of the Simplify stage, by what they are for.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_PATTERNS_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_PATTERNS_H

#include "Dialect/Prog/IR/ChannelBlocks.h"
#include "mlir/IR/PatternMatch.h"

namespace cameo {

/// The limits of folding.
struct FoldBudget {
  /// By how many bytes a result may be larger than the constants that it replaces.
  int64_t maxGrowth;
  /// The same for what a run would compute into memory: weights of products in another form.
  int64_t maxWeightGrowth;
  /// The most elements of the results of one operator.
  int64_t maxElements;
  /// Whether the memory of constants is freed that nothing of the module reads any more.
  bool freesConstants;
};

void populateFoldPatterns(mlir::RewritePatternSet &patterns, FoldBudget budget);
/// Operators that undo, repeat or do nothing, where that is exact for every input.
void populateAlgebraPatterns(mlir::RewritePatternSet &patterns);
/// A Gather in front of what makes its table of constants.
void populateTablePatterns(mlir::RewritePatternSet &patterns);
/// Matrices of few bits as products read them.
void populateCodePatterns(mlir::RewritePatternSet &patterns);
/// Products of one operand that are taken apart into heads, as one product; for a device.
void populateProjectionPatterns(mlir::RewritePatternSet &patterns);
/// Chains of sums and products with constants as one of each, rounded otherwise than they are.
void populateAffinePatterns(mlir::RewritePatternSet &patterns);
/// QLinearConv and QLinearMatMul as DequantizeLinear, the operator of floats and QuantizeLinear.
void populateQuantExpansions(mlir::RewritePatternSet &patterns);
/// Normalisations by constants into the weights before them.
void populateNormalizationPatterns(mlir::RewritePatternSet &patterns);
/// Operators in place of the subgraphs that exporters spell out.
void populateIdiomPatterns(mlir::RewritePatternSet &patterns);
/// Convolutions without outer taps that read nothing but padding.
void populateTapPatterns(mlir::RewritePatternSet &patterns);
/// Channels in another order, for convolutions over blocks of channels, which read them by a list.
void populateShufflePatterns(mlir::RewritePatternSet &patterns);
/// Convolutions as those of images in blocks of channels, where that is their cheapest variant;
/// behind all that knows them as they are.
void populateImagePatterns(mlir::RewritePatternSet &patterns, const FoldBudget &budget);

// Operators that ONNX defines by others and that have no lowering of their own, by family; and
// elementwise ones of more operands than a kernel takes. Convolutions of bytes stay what they are
// where the target has kernels for them.
void populateDecompositions(mlir::RewritePatternSet &patterns, const ChannelBlocks &target);
void populateAttentionDecompositions(mlir::RewritePatternSet &patterns);
void populateElementwiseDecompositions(mlir::RewritePatternSet &patterns);
void populateLinearDecompositions(mlir::RewritePatternSet &patterns);
void populateLossDecompositions(mlir::RewritePatternSet &patterns);
void populateMlDecompositions(mlir::RewritePatternSet &patterns);
void populateMovementDecompositions(mlir::RewritePatternSet &patterns);
void populateNormalizationDecompositions(mlir::RewritePatternSet &patterns);
void populateQuantDecompositions(mlir::RewritePatternSet &patterns, const ChannelBlocks &target);
void populateRandomDecompositions(mlir::RewritePatternSet &patterns);
void populateSignalDecompositions(mlir::RewritePatternSet &patterns);
void populateTextDecompositions(mlir::RewritePatternSet &patterns);
void populateVisionDecompositions(mlir::RewritePatternSet &patterns);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_PATTERNS_H
