// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products read a right operand where it lay before it was transposed.

#ifndef CAMEO_FUSION_TRANSPOSEFUSION_H
#define CAMEO_FUSION_TRANSPOSEFUSION_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// Turns such operands of a block's products around; returns how many there were.
unsigned fuseTransposes(mlir::Block &block, const core::ExtentFacts &facts);

} // namespace cameo

#endif // CAMEO_FUSION_TRANSPOSEFUSION_H
