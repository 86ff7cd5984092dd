// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels into the kernels that read them.

#ifndef CAMEO_FUSION_KERNELFUSION_H
#define CAMEO_FUSION_KERNELFUSION_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "Fusion/Cost.h"

namespace cameo {

/// Fuses the kernels of a block, not those of regions inside.
void fuseKernels(mlir::Block &block, const core::ExtentFacts &facts, const FusionLimits &limits);

} // namespace cameo

#endif // CAMEO_FUSION_KERNELFUSION_H
