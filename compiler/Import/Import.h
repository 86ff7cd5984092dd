// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX file in, verified `onnx` module out, or one diagnostic. Nothing of a model can make this
// crash, assert, recurse without bound or allocate without proportion to the bytes read
// (docs/reliability.md).

#ifndef CAMEO_IMPORT_IMPORT_H
#define CAMEO_IMPORT_IMPORT_H

#include "Import/ImportOptions.h"
#include "Import/UnsupportedNode.h"
#include "Support/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo {

struct ImportResult {
  /// Null when the import failed.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// SHA-256 of the file's bytes in hexadecimal, without what is in files beside it; empty unless
  /// it was asked for.
  std::string fileHash;
  /// Why it failed.
  std::optional<Diagnostic> diagnostic;
  /// With ExitClass::Unsupported: every node at fault, where nodes are.
  std::vector<UnsupportedNode> unsupported;
  /// A file for --external that declares those whose remedy that is, as far as the model tells:
  /// JSON, in which `?` is left to the user; empty where there is none.
  std::string declarations;
  /// Each one line, without "warning:".
  std::vector<std::string> warnings;
};

/// Imports the model at `path`, or from standard input when it is "-". The module holds `func.func
/// @main`; README.md in this folder says how.
ImportResult importModel(llvm::StringRef path, const ImportOptions &options,
                         mlir::MLIRContext &context);

/// Imports a model from memory; it may not refer to external data. `name` stands for the file.
ImportResult importModelFromBytes(llvm::StringRef bytes, llvm::StringRef name,
                                  const ImportOptions &options, mlir::MLIRContext &context);

} // namespace cameo

#endif // CAMEO_IMPORT_IMPORT_H
