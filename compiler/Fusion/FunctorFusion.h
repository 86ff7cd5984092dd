// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels into the functors of calls: epilogues into what stores a result, prologues into what
// reads an operand.

#ifndef CAMEO_FUSION_FUNCTORFUSION_H
#define CAMEO_FUSION_FUNCTORFUSION_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "Fusion/Cost.h"

namespace cameo {

struct FunctorCounts {
  unsigned epilogues = 0, prologues = 0;
};

/// Fuses the kernels of a block, not those of regions inside, with its calls.
FunctorCounts fuseFunctors(mlir::Block &block, const core::ExtentFacts &facts,
                           const FusionLimits &limits);

} // namespace cameo

#endif // CAMEO_FUSION_FUNCTORFUSION_H
