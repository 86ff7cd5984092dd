// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX file in, verified `onnx` module out, or one diagnostic. Nothing of a model can make this
// crash, assert, recurse without bound or allocate without proportion to the bytes read
// (docs/reliability.md).

#ifndef CAMEO_IMPORT_IMPORT_H
#define CAMEO_IMPORT_IMPORT_H

#include "Import/ExternalOperator.h"
#include "Support/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cameo {

/// The newest files that are understood.
inline constexpr int64_t kMaxIrVersion = 14;
inline constexpr int64_t kMaxOpset = 28;
/// Ranks beyond are refused.
inline constexpr int64_t kMaxRank = 64;

/// A model's nodes cost time whether they are in the file or made of a few functions that double;
/// those of the first kind are in proportion to the file, those of the second must be held to
/// something that is.
inline constexpr int64_t kMaxNodes = 2'000'000;
inline constexpr int64_t kMaxInlinedNodes = 16'384;

struct ImportOptions {
  /// Whether initializers that are also graph inputs are constants (--freeze-initializers,
  /// --no-freeze-initializers). By default where all are inputs, as old exporters list them.
  std::optional<bool> freezeInitializers;
  /// By name: the rank of an input whose shape the model does not say (--rank).
  std::map<std::string, int64_t> ranks;
  /// Refuses a model that there is something to warn of (--reject-warnings).
  bool rejectWarnings = false;
  /// Refuses an output that is a sequence of maps (--zipmap refuse). It is otherwise the tensor of
  /// the maps' values.
  bool refusesMaps = false;
  /// Operators of the user's own (--external); they go before those that Cameo has.
  std::vector<ExternalOperator> externals;
  /// Whether the result has the file's hash.
  bool hashesFile = false;

  /// Nodes after inlining functions (--max-nodes); by default kMaxNodes, of which inlining may make
  /// kMaxInlinedNodes for each MiB of weights, and once more.
  std::optional<int64_t> maxNodes;
  /// Bytes of weights, in the file and outside it (--max-weight-bytes).
  int64_t maxWeightBytes = int64_t(64) << 30;
  /// Bytes of a value whose extents are constants (--max-tensor-bytes).
  int64_t maxTensorBytes = int64_t(256) << 30;
  /// What decoding may take beyond three times the file and 2 KiB a node (--max-structure-bytes).
  int64_t maxStructureBytes = int64_t(128) << 20;
};

/// The ways to compile a model whose operator Cameo does not have.
enum class RemedyKind {
  /// Nobody has looked.
  Unknown,
  /// A declaration and a function of the user's (--external).
  External,
  /// Another export, or a part of the model in the caller.
  Export,
  /// Nothing yet.
  None
};

/// A node whose operator Cameo does not have.
struct UnsupportedNode {
  /// As in diagnostics: `graph/node`.
  std::string where;
  std::string domain;
  std::string opType;
  /// The version of the domain that the model imports.
  int64_t version = 0;
  RemedyKind remedy = RemedyKind::Unknown;
  /// How, or what is in the way.
  std::string advice;
};

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

/// Whether the importer builds other operators in place of this one (`onnx.ms.Gelu`).
bool isExpandedOnImport(llvm::StringRef operation);

} // namespace cameo

#endif // CAMEO_IMPORT_IMPORT_H
