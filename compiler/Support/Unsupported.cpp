// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Unsupported.h"

using namespace mlir;
using namespace cameo;

namespace {

constexpr StringLiteral kUnsupported = "cameo.unsupported", kLimit = "cameo.limit";

InFlightDiagnostic emitMarked(Operation *op, StringRef mark) {
  InFlightDiagnostic diagnostic = op->emitOpError();
  diagnostic.getUnderlyingDiagnostic()->getMetadata().push_back(DiagnosticArgument(mark));
  return diagnostic;
}

bool isMarked(mlir::Diagnostic &diagnostic, StringRef mark) {
  return llvm::any_of(diagnostic.getMetadata(), [&](const DiagnosticArgument &argument) {
    return argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::String &&
           argument.getAsString() == mark;
  });
}

} // namespace

InFlightDiagnostic cameo::emitUnsupported(Operation *op) { return emitMarked(op, kUnsupported); }

bool cameo::isUnsupported(mlir::Diagnostic &diagnostic) {
  return isMarked(diagnostic, kUnsupported);
}

InFlightDiagnostic cameo::emitLimit(Operation *op) { return emitMarked(op, kLimit); }

bool cameo::isLimit(mlir::Diagnostic &diagnostic) { return isMarked(diagnostic, kLimit); }
