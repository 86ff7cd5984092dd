// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of passes that are no mistake of the model: what ONNX allows and Cameo does not do, or not
// to that extent. A stage whose errors otherwise mean a malformed model tells them apart by a mark.

#ifndef CAMEO_SUPPORT_UNSUPPORTED_H
#define CAMEO_SUPPORT_UNSUPPORTED_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace cameo {

/// As `op->emitOpError()`, with the mark.
mlir::InFlightDiagnostic emitUnsupported(mlir::Operation *op);
/// Whether an error has it.
bool isUnsupported(mlir::Diagnostic &diagnostic);
/// The same for what is more than a limit allows; a note of it says which flag raises that.
mlir::InFlightDiagnostic emitLimit(mlir::Operation *op);
bool isLimit(mlir::Diagnostic &diagnostic);
/// And for what the user says of a model: a flag that names what the model does not have, and one
/// that asks for what cannot be.
mlir::InFlightDiagnostic emitUsage(mlir::Operation *op);
bool isUsage(mlir::Diagnostic &diagnostic);
mlir::InFlightDiagnostic emitRefusal(mlir::Operation *op);
bool isRefusal(mlir::Diagnostic &diagnostic);

} // namespace cameo

#endif // CAMEO_SUPPORT_UNSUPPORTED_H
