// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/JsonLimits.h"

using namespace cameo;
using llvm::StringRef;

/// By its brackets and commas outside strings.
std::string cameo::checkJsonSize(StringRef text, unsigned maxDepth) {
  constexpr size_t kMaxValues = 1u << 24;
  unsigned depth = 0;
  size_t values = 1;
  bool isString = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (isString && c == '\\')
      ++at;
    else if (c == '"')
      isString = !isString;
    else if (isString)
      continue;
    else if (c == '[' || c == '{')
      ++depth, ++values;
    else if ((c == ']' || c == '}') && depth > 0)
      --depth;
    else if (c == ',')
      ++values;
    if (depth > maxDepth)
      return "nests deeper than " + std::to_string(maxDepth);
    if (values > kMaxValues)
      return "has more than " + std::to_string(kMaxValues) + " values";
  }
  return "";
}
