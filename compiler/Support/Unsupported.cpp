// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Unsupported.h"

using namespace mlir;
using namespace cameo;

namespace {

constexpr StringLiteral kUnsupported = "cameo.unsupported", kLimit = "cameo.limit",
                        kUsage = "cameo.usage", kRefusal = "cameo.refusal";

InFlightDiagnostic withMark(InFlightDiagnostic diagnostic, StringRef mark) {
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

InFlightDiagnostic cameo::emitUnsupported(Operation *op) {
  return withMark(op->emitOpError(), kUnsupported);
}

bool cameo::isUnsupported(mlir::Diagnostic &diagnostic) {
  return isMarked(diagnostic, kUnsupported);
}

InFlightDiagnostic cameo::emitLimit(Operation *op) { return withMark(op->emitOpError(), kLimit); }

bool cameo::isLimit(mlir::Diagnostic &diagnostic) { return isMarked(diagnostic, kLimit); }

InFlightDiagnostic cameo::emitUsage(Operation *op) { return withMark(op->emitError(), kUsage); }

bool cameo::isUsage(mlir::Diagnostic &diagnostic) { return isMarked(diagnostic, kUsage); }

InFlightDiagnostic cameo::emitRefusal(Operation *op) { return withMark(op->emitError(), kRefusal); }

bool cameo::isRefusal(mlir::Diagnostic &diagnostic) { return isMarked(diagnostic, kRefusal); }
