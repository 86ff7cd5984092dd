// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ text that may be printed. A `Code` is made from literals of this compiler, integers,
// identifiers and other `Code` only; there is no way to make one from a string that came out of a
// model. Model text enters through three doors: `CppNames` (identifiers), `str()` and `comment()`.

#ifndef CAMEO_EMIT_CPPCODE_H
#define CAMEO_EMIT_CPPCODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace cameo {

class Code {
public:
  Code() = default;
  /// Text of this compiler.
  template <size_t Length>
  /*implicit*/ Code(const char (&literal)[Length]) : text(literal, Length - 1) {}
  /*implicit*/ Code(llvm::StringLiteral literal) : text(literal.str()) {}
  /// The lowest has no literal: it would be the negation of what does not fit.
  /*implicit*/ Code(int64_t value)
      : text(value == INT64_MIN ? "INT64_MIN" : std::to_string(value)) {}

  Code &operator+=(const Code &other) {
    text += other.text;
    return *this;
  }
  friend Code operator+(Code lhs, const Code &rhs) { return std::move(lhs += rhs); }

  llvm::StringRef ref() const { return text; }
  const std::string &str() const { return text; }
  size_t size() const { return text.size(); }
  bool empty() const { return text.empty(); }
  bool operator==(const Code &other) const { return text == other.text; }
  bool operator<(const Code &other) const { return text < other.text; }

private:
  friend Code str(llvm::StringRef);
  friend Code comment(llvm::StringRef);
  friend class CppNames;
  friend class CppScope;
  friend class TrustedCode;
  explicit Code(std::string text) : text(std::move(text)) {}

  std::string text;
};

/// Text that this compiler computed without looking at names: numbers, extents over identifiers,
/// words out of the attributes of its own ops. Every use is a place to review.
class TrustedCode {
public:
  static Code make(std::string text) { return Code(std::move(text)); }
};

/// A string literal, quotes included, of exactly these bytes. Bytes that are not printable ASCII,
/// and
/// `"`, `\`, `?`, `%`, are written in octal: unlike \x it ends after three digits.
Code str(llvm::StringRef text);

/// Model text for a `//` comment: printable ASCII; other bytes, `\`, `"`, `?`, `%` and slashes that
/// are not between words, are written as \xNN. Cut to 200 bytes.
Code comment(llvm::StringRef text);

/// Calls `visit` with each word of a line of code: identifiers, keywords, numbers.
void forEachWord(const Code &line, llvm::function_ref<void(llvm::StringRef)> visit);

/// Whether an identifier occurs in a line of code.
bool mentions(const Code &line, const Code &identifier);

/// `a, b, c`.
Code joinCode(llvm::ArrayRef<Code> items, const Code &separator = ", ");

} // namespace cameo

#endif // CAMEO_EMIT_CPPCODE_H
