// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index values of gather and scatter. FLAG is the target's error_flag; raise() is found by it.
#pragma once

#include "cameo/abi.h"
#include "cameo/common/coordinates.h"

namespace cameo {

/// The position that the index value `given` names on an axis, negative values counting from its
/// end; -1, with the error raised, when there is none.
template <class I, class FLAG>
CAMEO_DEVICE int64_t resolve_index(I given, int64_t extent, const FLAG &flag) {
  const int64_t at = given < 0 ? static_cast<int64_t>(given) + extent : static_cast<int64_t>(given);
  if (at >= 0 && at < extent)
    return at;
  raise(flag, CAMEO_OUT_OF_RANGE, static_cast<int64_t>(given), extent);
  return -1;
}

/// The flat position that a tuple of N index values names in a space; -1 when one is out of range.
template <int N, class I, class FLAG>
CAMEO_DEVICE int64_t resolve_tuple(const I *tuple, const index<N> &extents, const FLAG &flag) {
  int64_t flat = 0;
  bool inside = true;
  if constexpr (N > 0)
    for (int d = 0; d < N; ++d) {
      const int64_t at = resolve_index(tuple[d], extents[d], flag);
      inside = inside && at >= 0;
      flat = flat * extents[d] + at;
    }
  else {
    (void)tuple;
    (void)extents;
    (void)flag;
  }
  return inside ? flat : -1;
}

} // namespace cameo
