// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products read a right operand where it lay before it was transposed, or as a kernel makes it
// along what that reads.

#ifndef CAMEO_FUSION_TRANSPOSEFUSION_H
#define CAMEO_FUSION_TRANSPOSEFUSION_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// Has kernels on a device that read across make such operands of a block's products by columns:
/// threads next to each other read what lies together, and there is no other cost. Returns how
/// many.
unsigned turnOperands(mlir::Block &block);
/// Turns such operands of a block's products around; returns how many there were.
unsigned fuseTransposes(mlir::Block &block, const core::ExtentFacts &facts);

} // namespace cameo

#endif // CAMEO_FUSION_TRANSPOSEFUSION_H
