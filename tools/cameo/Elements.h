// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of less than a byte, as ONNX packs them and one in each byte, as NumPy and programs have
// them. Both forms have the same bytes for other types.

#ifndef CAMEO_TOOLS_ELEMENTS_H
#define CAMEO_TOOLS_ELEMENTS_H

#include <cstdint>
#include <vector>

namespace cameo::cli {

std::vector<char> packElements(int32_t elementType, std::vector<char> elements);
std::vector<char> unpackElements(int32_t elementType, std::vector<char> packed, int64_t count);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_ELEMENTS_H
