// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits of what a record measures: numbers, or how much more than an earlier record has.

#ifndef CAMEO_TOOLS_BUDGETS_H
#define CAMEO_TOOLS_BUDGETS_H

#include "Record.h"

namespace cameo::cli {

struct Budget {
  const MeasureInfo *measure = nullptr;
  /// As the user wrote it: `4096`, `+5%`, `+0`.
  std::string limit;
  /// Whether `number` is added to what the earlier record has, and whether as a share of it.
  bool isGrowth = false, isShare = false;
  double number = 0;
};

/// On failure says what is wrong (exit 2), beginning with `what`: the flag or the key.
std::optional<Diagnostic> readBudget(const std::string &what, llvm::StringRef name,
                                     llvm::StringRef limit, Budget &budget);

struct Verdict {
  bool passed = false;
  /// Why it could not be judged; all below is nothing then.
  std::string problem;
  double value = 0, limit = 0;

  /// `arena_bytes is 2048, at most 1024 (+0%)`.
  std::string str(const Budget &budget) const;
  llvm::json::Object toJson(const Budget &budget) const;
};

/// `before` is null where there is no earlier record.
Verdict judge(const Budget &budget, const Record &record, const Record *before);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_BUDGETS_H
