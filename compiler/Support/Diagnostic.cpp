// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Diagnostic.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace cameo;

std::string cameo::escapeText(StringRef text, size_t maxBytes) {
  static constexpr StringLiteral kCut = "...";
  std::string escaped;
  for (unsigned char byte : text) {
    bool printable = isPrint(static_cast<char>(byte));
    if (escaped.size() + (printable ? 1 : 4) > maxBytes)
      return escaped + kCut.str();
    if (printable) {
      escaped += static_cast<char>(byte);
      continue;
    }
    escaped += "\\x";
    escaped += hexdigit(byte >> 4);
    escaped += hexdigit(byte & 15);
  }
  return escaped;
}

std::string cameo::quoteText(StringRef text, size_t maxBytes) {
  return "'" + escapeText(text, maxBytes) + "'";
}

std::string Diagnostic::str() const {
  std::string line = escapeText(file, 1024);
  for (StringRef part : {StringRef(where), StringRef(problem)})
    if (!part.empty())
      line += ": " + part.str();
  if (!hint.empty())
    line += "; " + hint;
  // The line is one line and printable, whatever its parts hold.
  return escapeText(line, kMaxDiagnosticBytes - 8);
}
