// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two records side by side: what is other in the later one, and whether that keeps its budgets.

#ifndef CAMEO_TOOLS_RECORDDIFF_H
#define CAMEO_TOOLS_RECORDDIFF_H

#include "Budgets.h"

namespace cameo::cli {

struct OutputChange {
  enum class State {
    Same,  ///< the same bits
    Close, ///< within the tolerance of its type
    Differs,
    Unknown ///< there is nothing to compare
  };
  std::string name;
  State state = State::Unknown;
  /// How far it is off, or why nothing is known.
  std::string text = {};
};

class RecordDiff {
public:
  /// Compares the records, and their data where these are kept. Sets `differing_outputs` of the
  /// later one. On failure says which data cannot be read.
  std::optional<Diagnostic> compare(Record before, Record after);
  /// Holds the later record against these, by the earlier one.
  void judgeAll(llvm::ArrayRef<Budget> budgets);

  const Record &getAfter() const { return after; }
  llvm::ArrayRef<std::pair<Budget, Verdict>> getVerdicts() const { return verdicts; }
  bool hasPassed() const;
  std::string toText() const;
  /// A table, for a pull request.
  std::string toMarkdown() const;
  llvm::json::Object toJson() const;

private:
  /// A measure that is another one, and by how much.
  struct Change {
    const MeasureInfo *measure;
    std::string before, after, growth;
  };
  std::vector<Change> listChanges() const;
  std::vector<std::string> listSame() const;
  std::optional<Diagnostic> compareOutputs();

  Record before, after;
  std::vector<std::string> gone, added;
  std::vector<OutputChange> outputs;
  std::vector<std::pair<Budget, Verdict>> verdicts;
};

} // namespace cameo::cli

#endif // CAMEO_TOOLS_RECORDDIFF_H
