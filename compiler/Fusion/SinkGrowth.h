// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels and calls whose results are larger than all that they read stand in front of their
// first reader: memory is taken when it is needed, in whatever order the model has its nodes.

#ifndef CAMEO_FUSION_SINKGROWTH_H
#define CAMEO_FUSION_SINKGROWTH_H

#include "Dialect/Core/IR/ExtentFacts.h"
#include "mlir/IR/Block.h"

namespace cameo {

/// Moves such ops of `block` down, with the views of their results, past kernels, calls and what
/// has no effect; never past a wait, a check or control flow. Returns how many.
unsigned sinkGrowth(mlir::Block &block, const core::ExtentFacts &facts);

} // namespace cameo

#endif // CAMEO_FUSION_SINKGROWTH_H
