// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/CppCode.h"

#include "llvm/ADT/StringExtras.h"

using namespace cameo;
using llvm::StringRef;

namespace {

bool isPlain(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?' && c != '%';
}

/// Exporters name nodes by paths. A slash that starts or joins words cannot open, close or continue
/// anything.
bool isPathSlash(StringRef text, size_t at) {
  bool before = at == 0 || llvm::isAlnum(text[at - 1]) || text[at - 1] == '_';
  bool after = at + 1 < text.size() && (llvm::isAlnum(text[at + 1]) || text[at + 1] == '_');
  return before && after;
}

} // namespace

Code cameo::str(StringRef text) {
  std::string literal = "\"";
  for (char c : text) {
    if (isPlain(c)) {
      literal += c;
      continue;
    }
    auto byte = static_cast<unsigned char>(c);
    literal += '\\';
    literal += static_cast<char>('0' + (byte >> 6));
    literal += static_cast<char>('0' + ((byte >> 3) & 7));
    literal += static_cast<char>('0' + (byte & 7));
  }
  return Code(literal + "\"");
}

Code cameo::comment(StringRef text) {
  constexpr size_t longest = 200;
  bool cut = text.size() > longest;
  text = text.take_front(longest);
  std::string escaped;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '/' ? isPathSlash(text, at) : isPlain(c)) {
      escaped += c;
      continue;
    }
    auto byte = static_cast<unsigned char>(c);
    escaped += "\\x";
    escaped += llvm::hexdigit(byte >> 4, /*LowerCase=*/true);
    escaped += llvm::hexdigit(byte & 15, /*LowerCase=*/true);
  }
  return Code(cut ? escaped + "..." : escaped);
}

Code cameo::joinCode(llvm::ArrayRef<Code> items, const Code &separator) {
  Code joined;
  for (const Code &item : items) {
    if (&item != items.data())
      joined += separator;
    joined += item;
  }
  return joined;
}

static bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_'; }

void cameo::forEachWord(const Code &line, llvm::function_ref<void(StringRef)> visit) {
  for (StringRef rest = line.ref(); !rest.empty();) {
    rest = rest.drop_until(isWordPart);
    StringRef word = rest.take_while(isWordPart);
    rest = rest.drop_front(word.size());
    if (!word.empty())
      visit(word);
  }
}

bool cameo::mentions(const Code &line, const Code &identifier) {
  bool isFound = false;
  forEachWord(line, [&](StringRef word) { isFound |= word == identifier.ref(); });
  return isFound;
}
