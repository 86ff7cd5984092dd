// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values in another layout: constants by the compiler, what lies in the same order by a view, and
// others by a call.

#ifndef CAMEO_SELECT_REPACKS_H
#define CAMEO_SELECT_REPACKS_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// The value in a layout, null for dense; one of both is dense.
mlir::Value repack(mlir::OpBuilder &builder, mlir::Value value, mlir::Attribute layout);
/// Fills the halo of a value, if it has one, behind its definition: whoever read it reads the
/// result.
mlir::Value clearHalo(mlir::OpBuilder &builder, mlir::Value value);
/// Whether an operand is what a kernel or call writes in part.
bool isDestination(mlir::OpOperand &operand);

} // namespace cameo

#endif // CAMEO_SELECT_REPACKS_H
