// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of the symbols of a function, kept in its attribute `cameo.symbols` between stages.

#ifndef CAMEO_SHAPE_SYMBOLFACTS_H
#define CAMEO_SHAPE_SYMBOLFACTS_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "mlir/IR/Operation.h"

namespace cameo {

/// Reads `cameo.symbols` of a function: a dictionary from symbol to [min, max, divisor].
core::ExtentFacts readSymbolFacts(mlir::Operation *function);
/// Writes the facts about `symbols` there.
void writeSymbolFacts(mlir::Operation *function, const core::ExtentFacts &facts,
                      llvm::ArrayRef<llvm::StringRef> symbols);

} // namespace cameo

#endif // CAMEO_SHAPE_SYMBOLFACTS_H
