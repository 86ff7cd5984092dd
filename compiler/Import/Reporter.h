// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects what is wrong with a model while it is imported. The first error is told; the operators
// that Cameo does not have are gathered and reported together.

#ifndef CAMEO_IMPORT_REPORTER_H
#define CAMEO_IMPORT_REPORTER_H

#include "Import/UnsupportedNode.h"
#include "Support/Diagnostic.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"

namespace cameo::importer {

/// A place in the model, linked to what encloses it; lives on the stack of who looks at that place.
struct Where {
  const Where *outer = nullptr;
  /// The name of a graph, function, node, attribute or tensor.
  llvm::StringRef label;
  /// The word in place of an empty label, with the position in its list.
  llvm::StringRef kind = {};
  int64_t index = -1;

  std::string str() const;
};

class Reporter {
public:
  explicit Reporter(llvm::StringRef file) : file(file) {}

  llvm::LogicalResult fail(ExitClass exitClass, const Where *where, const llvm::Twine &problem,
                           const llvm::Twine &hint = "");
  /// Reports an earlier failure after all.
  llvm::LogicalResult fail(const Diagnostic &said) {
    diagnostic = said;
    return llvm::failure();
  }
  llvm::LogicalResult malformed(const Where *where, const llvm::Twine &problem,
                                const llvm::Twine &hint = "") {
    return fail(ExitClass::Malformed, where, problem, hint);
  }
  llvm::LogicalResult unsupported(const Where *where, const llvm::Twine &problem,
                                  const llvm::Twine &hint = "") {
    return fail(ExitClass::Unsupported, where, problem, hint);
  }
  /// `flag` raises the limit; empty for one that is fixed.
  llvm::LogicalResult limit(const Where *where, const llvm::Twine &problem, llvm::StringRef flag);

  void warn(const Where *where, const llvm::Twine &problem);
  /// Fails when there has been a warning, with the first of them (--reject-warnings).
  llvm::LogicalResult rejectWarnings();

  void addUnsupported(UnsupportedNode node) { unsupportedNodes.push_back(std::move(node)); }
  void setDeclarations(std::string text) { declarations = std::move(text); }
  std::string takeDeclarations() { return std::move(declarations); }
  /// Fails when there is an unsupported node, naming all of them.
  llvm::LogicalResult reportUnsupported();

  /// Takes back the error: what is wrong where nothing gets to is none.
  std::optional<Diagnostic> takeDiagnostic() { return std::exchange(diagnostic, std::nullopt); }

  bool hasFailed() const { return diagnostic.has_value(); }
  const std::optional<Diagnostic> &getDiagnostic() const { return diagnostic; }
  /// Each one line; only the first few of many, and how many more there are.
  std::vector<std::string> getWarnings() const;
  std::vector<UnsupportedNode> takeUnsupported() { return std::move(unsupportedNodes); }

private:
  std::string file;
  std::optional<Diagnostic> diagnostic;
  std::vector<Diagnostic> warnings;
  size_t numWarnings = 0;
  std::vector<UnsupportedNode> unsupportedNodes;
  std::string declarations;
};

} // namespace cameo::importer

#endif // CAMEO_IMPORT_REPORTER_H
