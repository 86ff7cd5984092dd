// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functors over dense arrays that move neighbours by one access, as generated code has them.
#pragma once

#include "cameo/cuda/wide.h"

namespace cameo::test {

using cuda::neighbours;

/// How many neighbours of rows of LENGTH elements are always aligned.
template <class T> constexpr int widest_for(int64_t length) {
  int widest = cuda::access_bytes / static_cast<int>(sizeof(T));
  while (length % widest != 0)
    widest /= 2;
  return widest;
}

/// x(row, element) of rows of LENGTH elements; IS_KNOWN: of memory that is known to be aligned.
template <class T, int64_t LENGTH, bool IS_KNOWN = false> struct wide_load {
  const T *x;
  static constexpr int widest = widest_for<T>(LENGTH);
  CAMEO_DEVICE bool is_aligned() const { return IS_KNOWN || cuda::are_aligned(x); }
  CAMEO_DEVICE T operator()(const index<2> &i) const { return x[i[0] * LENGTH + i[1]]; }
  template <int N> CAMEO_DEVICE_ONLY neighbours<T, N> wide(const index<2> &i) const {
    return cuda::load_wide<N>(x + (i[0] * LENGTH + i[1]));
  }
};

template <class T, int64_t LENGTH, bool IS_KNOWN = false> struct wide_store {
  T *y;
  static constexpr int widest = widest_for<T>(LENGTH);
  CAMEO_DEVICE bool is_aligned() const { return IS_KNOWN || cuda::are_aligned(y); }
  template <class A> CAMEO_DEVICE void operator()(const index<2> &i, A value) const {
    y[i[0] * LENGTH + i[1]] = cast<T>(value);
  }
  template <int N, class A>
  CAMEO_DEVICE_ONLY void wide(const index<2> &i, const neighbours<A, N> &value) const {
    neighbours<T, N> all;
    CAMEO_UNROLL
    for (int j = 0; j < N; ++j)
      all.item[j] = cast<T>(value.item[j]);
    cuda::store_wide<N>(y + (i[0] * LENGTH + i[1]), all);
  }
};

} // namespace cameo::test
