// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that make every value plannable: after this, a destination that is written in place is
// nobody else's, and what a region or the program yields is a value of its own.

#ifndef CAMEO_PLAN_INSERTCOPIES_H
#define CAMEO_PLAN_INSERTCOPIES_H

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// Returns how many copies it inserted.
unsigned insertCopies(mlir::func::FuncOp function, const core::SymbolAnalysis &symbols);

} // namespace cameo

#endif // CAMEO_PLAN_INSERTCOPIES_H
