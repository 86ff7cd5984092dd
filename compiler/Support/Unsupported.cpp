// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Unsupported.h"

using namespace mlir;
using namespace cameo;

static constexpr StringLiteral kMark = "cameo.unsupported";

InFlightDiagnostic cameo::emitUnsupported(Operation *op) {
  InFlightDiagnostic diagnostic = op->emitOpError();
  diagnostic.getUnderlyingDiagnostic()->getMetadata().push_back(DiagnosticArgument(kMark));
  return diagnostic;
}

bool cameo::isUnsupported(mlir::Diagnostic &diagnostic) {
  return llvm::any_of(diagnostic.getMetadata(), [](const DiagnosticArgument &argument) {
    return argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::String &&
           argument.getAsString() == kMark;
  });
}
