// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// for_each and for_rows: a grid-stride loop, one thread per point, last index fastest. copy: bytes.
#pragma once

#include "cameo/common/coordinates.h"
#include "cameo/cuda/device.h"
#include "cameo/cuda/exec.h"

namespace cameo::cuda {

/// Threads of a block that works on independent elements.
constexpr int element_threads = 256;

/// Blocks for `count` independent pieces of work, `per_block` at a time: enough to fill any device,
/// the rest by striding.
inline dim3 grid_for(int64_t count, int64_t per_block) {
  constexpr int64_t most = 16384;
  const int64_t blocks = (count + per_block - 1) / per_block;
  return dim3(static_cast<unsigned>(blocks < most ? blocks : most));
}

/// Point number `flat` of a space of n points; 32-bit divisions where they do.
template <int R>
CAMEO_DEVICE_ONLY index<R> point_of(int64_t flat, int64_t n, const index<R> &extents) {
  if (n > INT32_MAX)
    return unflatten(flat, extents);
  index<R> r{};
  if constexpr (R > 0) {
    auto rest = static_cast<uint32_t>(flat);
    for (int d = R - 1; d > 0; --d) {
      const auto extent = static_cast<uint32_t>(extents[d]);
      r[d] = rest % extent;
      rest /= extent;
    }
    r[0] = rest;
  }
  return r;
}

template <int R, class BODY>
CAMEO_KERNEL void for_each_kernel(index<R> extents, int64_t n, BODY body) {
  for (int64_t i = grid_thread(); i < n; i += grid_threads())
    body(point_of(i, n, extents));
}

template <int R, class BODY> void for_each(exec &e, const index<R> &extents, BODY body) {
  const int64_t n = volume(extents);
  if (n > 0)
    e.launch(&for_each_kernel<R, BODY>, grid_for(n, element_threads), dim3(element_threads), 0,
             extents, n, body);
}

template <int RO, int RI, class BODY>
CAMEO_KERNEL void for_rows_kernel(index<RO> outer, index<RI> inner, int64_t n, BODY body) {
  for (int64_t i = grid_thread(); i < n; i += grid_threads()) {
    const index<RO + RI> at = point_of(i, n, join(outer, inner));
    body(slice<0, RO>(at))(slice<RO, RI>(at));
  }
}

/// body(index<RO>) returns what is called with the inner index.
template <int RO, int RI, class BODY>
void for_rows(exec &e, const index<RO> &outer, const index<RI> &inner, BODY body) {
  const int64_t n = volume(outer) * volume(inner);
  if (n > 0)
    e.launch(&for_rows_kernel<RO, RI, BODY>, grid_for(n, element_threads), dim3(element_threads), 0,
             outer, inner, n, body);
}

inline void copy(exec &e, void *dst, const void *src, int64_t bytes) { e.copy(dst, src, bytes); }

} // namespace cameo::cuda
