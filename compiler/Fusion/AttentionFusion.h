// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product, a softmax of its rows and a product with these become one call of the template with
// that role.

#ifndef CAMEO_FUSION_ATTENTIONFUSION_H
#define CAMEO_FUSION_ATTENTIONFUSION_H

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// Fuses such calls of a block, those of regions inside not; returns how many there were.
unsigned fuseAttention(mlir::Block &block, const core::SymbolAnalysis &symbols);

} // namespace cameo

#endif // CAMEO_FUSION_ATTENTIONFUSION_H
