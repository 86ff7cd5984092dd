// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Cameo says when it refuses: an exit class and one line of at most 4 KiB in which no byte of
// the user's files can act on a terminal or a log.

#ifndef CAMEO_SUPPORT_DIAGNOSTIC_H
#define CAMEO_SUPPORT_DIAGNOSTIC_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace cameo {

/// The program's exit codes (docs/cli.md).
enum class ExitClass {
  Success = 0,
  /// A bug of ours, always.
  Internal = 1,
  Usage = 2,
  Io = 3,
  Malformed = 4,
  Unsupported = 5,
  Limit = 6,
  Policy = 7,
  CheckFailed = 8,
};

inline constexpr size_t kMaxDiagnosticBytes = 4096;

struct Diagnostic {
  ExitClass exitClass = ExitClass::Internal;
  std::string file;
  /// The place in the file, as `graph/node`; may be empty.
  std::string where;
  /// The problem, with what was found and what was needed.
  std::string problem;
  /// The remedy in the user's hands; may be empty.
  std::string hint;

  /// `file: graph/node: problem; hint`, on one line.
  std::string str() const;
};

/// `text` with every byte that is not printable ASCII as `\xNN`, cut to about `maxBytes`.
std::string escapeText(llvm::StringRef text, size_t maxBytes = 120);
/// As escapeText, in single quotes.
std::string quoteText(llvm::StringRef text, size_t maxBytes = 120);

} // namespace cameo

#endif // CAMEO_SUPPORT_DIAGNOSTIC_H
