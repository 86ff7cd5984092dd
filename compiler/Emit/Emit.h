// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last stage: a planned `prog` module to the files of a generated library. Emit changes no IR,
// reads and writes no file, and rejects with a diagnostic what it cannot print. The same module and
// options give the same bytes on any machine. README.md says what it expects of Plan.

#ifndef CAMEO_EMIT_EMIT_H
#define CAMEO_EMIT_EMIT_H

#include "Emit/EmitOptions.h"
#include "Emit/FileContent.h"
#include "Support/Provenance.h"
#include "mlir/IR/BuiltinOps.h"

namespace cameo {

/// Prints `@main` of `module`, which was made of the nodes of `provenance`. On failure a diagnostic
/// was emitted at the op that is at fault. The files have taken the memory of its large constants.
mlir::FailureOr<EmittedFiles> emitProgram(mlir::ModuleOp module, const EmitOptions &options,
                                          const Provenance &provenance = {});

} // namespace cameo

#endif // CAMEO_EMIT_EMIT_H
