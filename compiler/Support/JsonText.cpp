// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/JsonText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cameo;

std::string cameo::escapeNonAscii(std::string printed) {
  if (llvm::all_of(printed, [](char c) { return llvm::isASCII(c); }))
    return printed;
  llvm::SmallVector<llvm::UTF16> units;
  bool isUtf8 = llvm::convertUTF8ToUTF16String(printed, units);
  assert(isUtf8 && "all text went through fixUTF8");
  (void)isUtf8;
  std::string escaped;
  llvm::raw_string_ostream os(escaped);
  for (llvm::UTF16 unit : units) {
    if (unit < 0x80)
      os << static_cast<char>(unit);
    else
      os << "\\u" << llvm::format_hex_no_prefix(unit, 4);
  }
  return escaped;
}

std::string cameo::formatJson(llvm::json::Value value) {
  return escapeNonAscii(llvm::formatv("{0:2}\n", value).str());
}
