// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/CppWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

using namespace cameo;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

void CppWriter::put(size_t column, const Code &code) {
  text.append(column, ' ');
  text += code.ref();
  text += '\n';
}

void CppWriter::line(const Code &code) {
  put(indent, code);
  atScopeBegin = false;
}

void CppWriter::blank() {
  if (!atScopeBegin)
    text += '\n';
  atScopeBegin = true;
}

void CppWriter::comment(const Code &code, const Code &marker) {
  size_t width = kColumns - indent - marker.size();
  llvm::StringRef rest = code.ref();
  do {
    size_t length = rest.size();
    if (length > width) {
      length = rest.take_front(width + 1).rfind(' ');
      if (length == llvm::StringRef::npos)
        length = std::min(rest.find(' '), rest.size());
    }
    line(marker + TrustedCode::make(rest.take_front(length).rtrim().str()));
    rest = rest.drop_front(length).ltrim();
  } while (!rest.empty());
}

//===----------------------------------------------------------------------===//
// Lists in parentheses
//===----------------------------------------------------------------------===//

bool CppWriter::fill(ArrayRef<Code> items, size_t column, size_t indent, size_t tail,
                     SmallVectorImpl<size_t> &breaks) {
  bool lineBegins = true;
  for (size_t number = 0; number < items.size(); ++number) {
    // The item's line ends with a comma, or with all that ends the statement.
    size_t length = items[number].size() + (number + 1 == items.size() ? tail : 1);
    if (!lineBegins && column + 1 + length > kColumns) {
      breaks.push_back(number);
      column = indent;
      lineBegins = true;
    }
    column += length + (lineBegins ? 0 : 1);
    lineBegins = false;
    if (column > kColumns)
      return false;
  }
  return true;
}

// clang-format's penalties: 21 for a break at a comma, 39 behind the parenthesis of a call, 70
// behind that of a declaration.
void CppWriter::list(const Code &head, ArrayRef<Code> items, const Code &tail) {
  list(head, items, tail, 39);
}
void CppWriter::declaration(const Code &head, ArrayRef<Code> parameters, const Code &tail) {
  list(head, parameters, tail, 70);
}
void CppWriter::declarators(const Code &head, ArrayRef<Code> items) {
  constexpr size_t never = kColumns * kColumns;
  list(head, items, ";", never);
}

void CppWriter::list(const Code &head, ArrayRef<Code> items, const Code &tail,
                     size_t behindParenthesis) {
  constexpr size_t atComma = 21;
  size_t aligned = indent + head.size(), continued = indent + 4;
  SmallVector<size_t> alignedBreaks, continuedBreaks;
  bool alignedFits = fill(items, aligned, aligned, tail.size(), alignedBreaks);
  bool continuedFits = fill(items, continued, continued, tail.size(), continuedBreaks);
  bool behind = !items.empty() && continuedFits &&
                (!alignedFits || continuedBreaks.size() * atComma + behindParenthesis <
                                     alignedBreaks.size() * atComma);
  ArrayRef<size_t> breaks = behind ? continuedBreaks : alignedBreaks;
  size_t column = behind ? continued : aligned;

  std::string laidOut = std::string(indent, ' ') + head.str();
  if (behind)
    laidOut += "\n" + std::string(column, ' ');
  for (size_t number = 0; number < items.size(); ++number) {
    if (llvm::is_contained(breaks, number))
      laidOut += "\n" + std::string(column, ' ');
    else if (number != 0)
      laidOut += ' ';
    laidOut += items[number].str();
    if (number + 1 != items.size())
      laidOut += ',';
  }
  text += laidOut + tail.str() + "\n";
  atScopeBegin = false;
}

//===----------------------------------------------------------------------===//
// Tables in braces
//===----------------------------------------------------------------------===//

namespace {

struct Columns {
  SmallVector<size_t> widths;
  size_t lines = 0;
  size_t total = 0;
};

/// How `rows`, a comma behind each, lie in `count` columns.
Columns measure(ArrayRef<Code> rows, size_t count) {
  Columns columns;
  columns.widths.resize(count);
  for (auto [number, row] : llvm::enumerate(rows))
    columns.widths[number % count] = std::max(columns.widths[number % count], row.size() + 1);
  columns.lines = (rows.size() + count - 1) / count;
  columns.total = count - 1;
  for (size_t width : columns.widths)
    columns.total += width;
  return columns;
}

/// clang-format refuses columns whose entries differ by more than 10 characters.
bool isEven(ArrayRef<Code> rows, const Columns &columns) {
  size_t count = columns.widths.size();
  for (auto [number, row] : llvm::enumerate(rows))
    if (number % count + 1 != count && columns.widths[number % count] > row.size() + 1 + 10)
      return false;
  return true;
}

} // namespace

void CppWriter::rows(ArrayRef<Code> rows, size_t column, bool inColumns) {
  Columns best = measure(rows, 1);
  if (inColumns) {
    bool found = false;
    for (size_t count = std::min(rows.size(), kColumns / 3); count > 1; --count) {
      Columns candidate = measure(rows, count);
      if (candidate.total > kColumns - column || !isEven(rows, candidate))
        continue;
      if (found && candidate.lines > best.lines)
        break;
      best = std::move(candidate);
      found = true;
    }
  }
  size_t count = best.widths.size();
  for (size_t begin = 0; begin < rows.size(); begin += count) {
    std::string laidOut;
    for (size_t number = begin; number < std::min(begin + count, rows.size()); ++number) {
      laidOut += rows[number].str() + ",";
      if (number + 1 < std::min(begin + count, rows.size()))
        laidOut.append(best.widths[number - begin] - rows[number].size(), ' ');
    }
    put(column, TrustedCode::make(std::move(laidOut)));
  }
}

Code CppWriter::getRow(const Code &head, ArrayRef<Code> items) const {
  size_t column = indent + 4 + head.size();
  SmallVector<size_t> breaks;
  // Behind the parenthesis stands the comma of the table.
  fill(items, column, column, 2, breaks);
  std::string row = head.str();
  for (size_t number = 0; number < items.size(); ++number) {
    if (llvm::is_contained(breaks, number))
      row += "\n" + std::string(column, ' ');
    else if (number != 0)
      row += ' ';
    row += items[number].str();
    row += number + 1 == items.size() ? ')' : ',';
  }
  return TrustedCode::make(std::move(row));
}

void CppWriter::table(const Code &head, ArrayRef<Code> items) {
  line(head);
  rows(items, indent + 4, items.size() > 4);
  line("};");
}

void CppWriter::nested(const Code &head, ArrayRef<Code> items, ArrayRef<Code> last,
                       const Code &tail) {
  Code braces = "{" + joinCode(last) + "}";
  Code flat = head + joinCode(items) + ", " + braces + tail;
  size_t aligned = indent + head.size();
  if (fits(flat))
    return line(flat);
  size_t longest =
      std::max(aligned + joinCode(items).size() + 1, aligned + braces.size() + tail.size());
  if (longest <= kColumns) {
    line(head + joinCode(items) + ",");
    return put(aligned, braces + tail);
  }
  size_t continued = indent + 4;
  if (continued + braces.size() + tail.size() <= kColumns) {
    line(head);
    put(continued, joinCode(items) + ",");
    return put(continued, braces + tail);
  }
  auto tooLong = [&](const Code &row) { return aligned + 4 + row.size() + 1 > kColumns; };
  bool behind = aligned + joinCode(items).size() + 1 > kColumns || llvm::any_of(last, tooLong);
  size_t column = behind ? continued : aligned;
  line(behind ? head : head + joinCode(items) + ",");
  if (behind)
    put(column, joinCode(items) + ",");
  put(column, "{");
  rows(last, column + 4, last.size() > 19);
  put(column, "}" + tail);
}

CppWriter::Block CppWriter::block(const Code &header, const Code &trailer) {
  line(header + " {");
  return Block(*this, trailer);
}

CppWriter::Block CppWriter::function(const Code &head, ArrayRef<Code> parameters,
                                     const Code &tail) {
  declaration(head, parameters, tail);
  return Block(*this, "}");
}

void CppWriter::wholeFunction(const Code &head, ArrayRef<Code> parameters, const Code &tail,
                              llvm::StringRef body) {
  Code start = head + joinCode(parameters) + tail;
  llvm::StringRef statement = body.trim();
  if (!statement.contains('\n')) {
    Code rest =
        statement.empty() ? Code(" {}") : TrustedCode::make((" { " + statement + " }").str());
    if (fits(start + rest))
      return line(start + rest);
  }
  Block scope = function(head, parameters, tail + " {");
  append(body);
}
