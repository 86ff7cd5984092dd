// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Taking coordinates apart and putting them together.
#pragma once

#include "cameo/index.h"

namespace cameo {

/// Coordinates [FROM, FROM + N) of i.
template <int FROM, int N, int R> CAMEO_DEVICE constexpr index<N> slice(const index<R> &i) {
  static_assert(FROM + N <= R);
  index<N> r{};
  if constexpr (N > 0)
    for (int d = 0; d < N; ++d)
      r[d] = i[FROM + d];
  else
    (void)i;
  return r;
}

/// (i..., j).
template <int R> CAMEO_DEVICE constexpr index<R + 1> append(const index<R> &i, int64_t j) {
  return join(i, index<1>{{j}});
}

} // namespace cameo
