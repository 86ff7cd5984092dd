// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a tensor in blocks lie. For kernels, and for the compiler, which packs
// constants.
#pragma once

#include "cameo/config.h"

namespace cameo {

/// An axis in blocks of `length`, the last of which is a whole one, with `halo` of them on either
/// side. Its place in memory is a step along the axis and a lane, which lies innermost.
struct blocked_axis {
  int64_t extent, length, halo;

  CAMEO_DEVICE constexpr int64_t blocks() const { return extent / length + (extent % length != 0); }
  /// Steps along the axis, of `length` elements each.
  CAMEO_DEVICE constexpr int64_t steps() const { return blocks() + 2 * halo; }
  CAMEO_DEVICE constexpr int64_t step(int64_t element) const { return element / length + halo; }
  CAMEO_DEVICE constexpr int64_t lane(int64_t element) const { return element % length; }
  /// Which element lies at lane 0 of step 0: none, in a halo.
  CAMEO_DEVICE constexpr int64_t first() const { return -halo * length; }
};

} // namespace cameo
