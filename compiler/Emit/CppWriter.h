// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out C++ as clang-format would with this project's style (LLVM, 100 columns): lines,
// comments, argument lists, tables, scopes. Knows no IR; takes `Code` only.

#ifndef CAMEO_EMIT_CPPWRITER_H
#define CAMEO_EMIT_CPPWRITER_H

#include "Emit/CppCode.h"

#include <string>

namespace cameo {

class CppWriter {
public:
  static constexpr size_t kColumns = 100;

  explicit CppWriter(unsigned indent = 0) : indent(indent) {}

  std::string take() { return std::move(text); }
  llvm::StringRef ref() const { return text; }

  /// Whether a line of this code fits at the current indentation.
  bool fits(const Code &code) const { return indent + code.size() <= kColumns; }
  void line(const Code &code);
  /// An empty line, except where a scope or the file begins.
  void blank();
  /// `// text`, in as many lines as it takes.
  void comment(const Code &code, const Code &marker = "// ");
  /// A call `head(items...)tail`, broken between items where it must be; `head` ends with the
  /// parenthesis.
  void list(const Code &head, llvm::ArrayRef<Code> items, const Code &tail);
  /// The same for the parameters of a function.
  void declaration(const Code &head, llvm::ArrayRef<Code> parameters, const Code &tail);
  /// `head a = 1, b = 2;`: declarators of one declaration.
  void declarators(const Code &head, llvm::ArrayRef<Code> items);
  /// `head items...)` as a row of a table, with line breaks where it must have them; `head` ends
  /// with the parenthesis.
  Code getRow(const Code &head, llvm::ArrayRef<Code> items) const;
  /// `head {` rows `};`, rows in columns when they are short and many.
  void table(const Code &head, llvm::ArrayRef<Code> rows);
  /// `head(items..., {last...});` with the braces' items in rows of their own where it must be.
  void nested(const Code &head, llvm::ArrayRef<Code> items, llvm::ArrayRef<Code> last,
              const Code &tail);
  /// Text that was laid out by another writer at this indentation.
  void append(llvm::StringRef laidOut) {
    text += laidOut;
    atScopeBegin &= laidOut.empty();
  }

  /// `header {`, until the object dies; then `trailer`.
  class Block {
  public:
    Block(CppWriter &writer, Code trailer) : writer(writer), trailer(std::move(trailer)) {
      writer.indent += 2;
      writer.atScopeBegin = true;
    }
    Block(const Block &) = delete;
    Block &operator=(const Block &) = delete;
    ~Block() {
      writer.indent -= 2;
      writer.line(trailer);
    }

  private:
    CppWriter &writer;
    Code trailer;
  };
  [[nodiscard]] Block block(const Code &header, const Code &trailer = "}");
  /// As block(), after a declaration(): `head(parameters...) {`.
  [[nodiscard]] Block function(const Code &head, llvm::ArrayRef<Code> parameters,
                               const Code &tail = ") {");

  /// A function whose body was laid out by another writer, at two more columns of indentation; on
  /// one line if it fits.
  void wholeFunction(const Code &head, llvm::ArrayRef<Code> parameters, const Code &tail,
                     llvm::StringRef body);

private:
  void put(size_t column, const Code &code);
  void list(const Code &head, llvm::ArrayRef<Code> items, const Code &tail,
            size_t behindParenthesis);
  /// Breaks `items` into lines from `column` on; the number of breaks, or none when one does not
  /// fit.
  static bool fill(llvm::ArrayRef<Code> items, size_t column, size_t indent, size_t tail,
                   llvm::SmallVectorImpl<size_t> &breaks);
  void rows(llvm::ArrayRef<Code> rows, size_t column, bool inColumns);

  std::string text;
  unsigned indent;
  bool atScopeBegin = true;
};

} // namespace cameo

#endif // CAMEO_EMIT_CPPWRITER_H
