// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last stage: a planned `prog` module to the files of a generated library. Emit changes no IR,
// reads and writes no file, and rejects with a diagnostic what it cannot print. The same module and
// options give the same bytes on any machine. README.md says what it expects of Plan.

#ifndef CAMEO_EMIT_EMIT_H
#define CAMEO_EMIT_EMIT_H

#include "Emit/FileContent.h"
#include "Support/Provenance.h"
#include "Target/Target.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace cameo {

struct EmitOptions {
  /// Where the weights are: in the program, in a file beside it, or wherever the caller says.
  enum class Weights { Embed, File, Extern };
  enum class Heap { None, Runtime };

  /// Of the library, its files, its C symbols; see isLibraryName().
  std::string name;
  const Target *target = &getDefaultTarget();
  Weights weights = Weights::Embed;
  Heap heap = Heap::Runtime;
  /// Compiles threads away (--threads 0).
  bool threads = true;
  /// Whether the runtime and the templates that the program uses come with it.
  bool runtimeSources = true;
  /// Of the compiler, for the first line of each file.
  std::string version;
  /// The command that asked for it, as the user may read it there; without paths of one machine.
  std::string command;
};

/// Contents by path, relative to the folder of the library.
using EmittedFiles = std::map<std::string, FileContent>;

/// Prints `@main` of `module`, which was made of the nodes of `provenance`. On failure a diagnostic
/// was emitted at the op that is at fault. The files have taken the memory of its large constants.
mlir::FailureOr<EmittedFiles> emitProgram(mlir::ModuleOp module, const EmitOptions &options,
                                          const Provenance &provenance = {});

} // namespace cameo

#endif // CAMEO_EMIT_EMIT_H
