// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowering patterns, by operator family.

#ifndef CAMEO_CONVERSION_ONNXTOPROG_PATTERNS_H
#define CAMEO_CONVERSION_ONNXTOPROG_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace cameo {

/// All of them.
void populateOnnxToProgPatterns(mlir::RewritePatternSet &patterns);

void populateControlPatterns(mlir::RewritePatternSet &patterns);
void populateConvPatterns(mlir::RewritePatternSet &patterns);
void populateCountedPatterns(mlir::RewritePatternSet &patterns);
void populateElementwisePatterns(mlir::RewritePatternSet &patterns);
void populateExternalPatterns(mlir::RewritePatternSet &patterns);
void populateIndexingPatterns(mlir::RewritePatternSet &patterns);
void populateLinearPatterns(mlir::RewritePatternSet &patterns);
void populateMovementPatterns(mlir::RewritePatternSet &patterns);
void populateNnPatterns(mlir::RewritePatternSet &patterns);
void populatePackedElementPatterns(mlir::RewritePatternSet &patterns);
void populateQuantPatterns(mlir::RewritePatternSet &patterns);
void populateRandomPatterns(mlir::RewritePatternSet &patterns);
void populateRecurrentPatterns(mlir::RewritePatternSet &patterns);
void populateReducePatterns(mlir::RewritePatternSet &patterns);
void populateShapePatterns(mlir::RewritePatternSet &patterns);
void populateSignalPatterns(mlir::RewritePatternSet &patterns);
void populateTreePatterns(mlir::RewritePatternSet &patterns);
void populateVisionPatterns(mlir::RewritePatternSet &patterns);

} // namespace cameo

#endif // CAMEO_CONVERSION_ONNXTOPROG_PATTERNS_H
