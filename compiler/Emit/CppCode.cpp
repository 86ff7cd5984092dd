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

bool cameo::mentions(const Code &line, const Code &identifier) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  StringRef text = line.ref(), name = identifier.ref();
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    StringRef behind = text.drop_front(at + name.size());
    if ((at == 0 || !isPart(text[at - 1])) && (behind.empty() || !isPart(behind.front())))
      return true;
  }
  return false;
}
