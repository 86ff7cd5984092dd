// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns what passes report through MLIR into the one line that a user gets.

#ifndef CAMEO_PIPELINE_DIAGNOSTICCOLLECTOR_H
#define CAMEO_PIPELINE_DIAGNOSTICCOLLECTOR_H

#include "Support/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <string>
#include <vector>

namespace cameo {

/// Takes the errors of `context` while it lives; nothing is printed.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  bool isEmpty() const { return entries.empty(); }
  /// Whether an error was made by emitUnsupported.
  bool hasUnsupported() const;
  /// All errors as one diagnostic: those that say the same of several nodes as one problem.
  Diagnostic merge(ExitClass exitClass, llvm::StringRef file, mlir::ModuleOp module) const;

  struct Entry {
    /// The node at fault, escaped; empty when the error has no node.
    std::string node;
    std::string problem;
    /// Whether Cameo lacks something, not that the model is wrong.
    bool isUnsupported;
  };
  llvm::ArrayRef<Entry> getEntries() const { return entries; }

private:
  std::vector<Entry> entries;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace cameo

#endif // CAMEO_PIPELINE_DIAGNOSTICCOLLECTOR_H
