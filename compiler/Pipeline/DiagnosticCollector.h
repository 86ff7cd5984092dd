// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns what passes report through MLIR into the one line that a user gets.

#ifndef CAMEO_PIPELINE_DIAGNOSTICCOLLECTOR_H
#define CAMEO_PIPELINE_DIAGNOSTICCOLLECTOR_H

#include "Support/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo {

/// Takes the errors of `context` while it lives; nothing is printed.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  bool isEmpty() const { return entries.empty(); }
  /// Forgets what a first try has met.
  void clear() { entries.clear(); }
  /// The class of the failure where a stage's errors mean `otherwise`, unless they say themselves
  /// that Cameo lacks something or that it is beyond a limit.
  ExitClass classify(ExitClass otherwise) const;
  /// All errors as one diagnostic: those that say the same of several nodes as one problem.
  Diagnostic merge(ExitClass exitClass, llvm::StringRef file, mlir::ModuleOp module) const;

  struct Entry {
    /// The node at fault, escaped; empty when the error has no node.
    std::string node;
    std::string problem;
    /// The remedy of its note; may be empty.
    std::string hint;
    /// Where it says so itself.
    std::optional<ExitClass> exitClass;
  };
  llvm::ArrayRef<Entry> getEntries() const { return entries; }

private:
  std::vector<Entry> entries;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace cameo

#endif // CAMEO_PIPELINE_DIAGNOSTICCOLLECTOR_H
