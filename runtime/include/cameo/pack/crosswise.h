// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements are turned by tiles where they lie crosswise. For kernels, and for the compiler,
// which chooses them.
#pragma once

#include "cameo/config.h"

namespace cameo {

/// Fewer points than these along a side are not worth a tile.
constexpr int64_t fewest_crossed = 16;

} // namespace cameo
