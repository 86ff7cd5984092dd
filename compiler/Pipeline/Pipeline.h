// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a model file to the files of a generated library: every stage, in the order that DESIGN
// gives, in one function. The answer to any model is a result or one diagnostic.

#ifndef CAMEO_PIPELINE_PIPELINE_H
#define CAMEO_PIPELINE_PIPELINE_H

#include "Emit/FileContent.h"
#include "Import/UnsupportedNode.h"
#include "Pipeline/Options.h"
#include "Support/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo {

/// The states of a module that `--emit ir:NAME` shows and tools look into.
enum class Stage { Import, Shape, Simplify, Place, Structure, Fuse, Select, Plan, Prepare, Finish };

/// `import`, `shape`, ...
llvm::StringRef getStageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);

struct PipelineResult {
  /// Why it failed; none on success and when an observer ended it.
  std::optional<Diagnostic> diagnostic;
  /// The nodes at fault, when it failed because Cameo does not have their operators or cannot lower
  /// them.
  std::vector<UnsupportedNode> unsupported;
  /// As ImportResult has it.
  std::string declarations;
  /// Each one line, without "warning:".
  std::vector<std::string> warnings;
  /// Contents by path; empty unless the pipeline ran to its end.
  EmittedFiles files;
};

/// Sees the module behind each stage; false ends the pipeline there. Stages behind Import come
/// again where operators fall back to the host.
using StageObserver = llvm::function_ref<bool(Stage, mlir::ModuleOp)>;

/// Compiles the model at `path` ("-" for standard input). `options.emit.name` may be empty: it is
/// then made of the path, see makeLibraryName().
PipelineResult compileModel(
    llvm::StringRef path, const Options &options,
    StageObserver observer = [](Stage, mlir::ModuleOp) { return true; });

/// The name of a library when the user gives none: the file's, cleaned. Never text of the model
/// itself.
std::string makeLibraryName(llvm::StringRef path);

/// The options' facts of values and sides, behind those of a given plan that fit the imported
/// model; a warning for each kind of entry that does not.
PlacementPlan getSteering(const Options &options, mlir::ModuleOp imported,
                          std::vector<std::string> &warnings);

} // namespace cameo

#endif // CAMEO_PIPELINE_PIPELINE_H
