// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiled matrix product behind gemm, conv and conv_transpose. A block forms a 64 x 64 tile of
// the output, 16 steps of k at a time through shared memory, 4 x 4 accumulators a thread. Sources
// give single elements in the accumulator's type (0 outside), a sink takes single results. Every
// output is one chain over ascending k.
#pragma once

#include "cameo/common/types.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

/// a * b + c, contracted on the device.
template <class T> CAMEO_DEVICE_ONLY T multiply_add(T a, T b, T c) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>)
    return fmaf(a, b, c);
  else if constexpr (std::is_same_v<T, double>)
    return ::fma(a, b, c);
  else
    return a * b + c;
#else
  return a * b + c;
#endif
}

struct multiply_tile {
  static constexpr int rows = 64, columns = 64, depth = 16, threads = 256;
  static constexpr int thread_rows = 4, thread_columns = 4;
  static constexpr int pitch = 68; // of a row in shared memory: keeps banks apart
  static constexpr int loads = rows * depth / threads;
};

/// Which product of how many, and its size.
struct multiply_shape {
  int64_t batches, m, n, k;

  CAMEO_DEVICE int64_t row_tiles() const {
    return (m + multiply_tile::rows - 1) / multiply_tile::rows;
  }
  CAMEO_DEVICE int64_t column_tiles() const {
    return (n + multiply_tile::columns - 1) / multiply_tile::columns;
  }
  CAMEO_DEVICE int64_t tiles() const { return batches * row_tiles() * column_tiles(); }
};

/// Where a thread's load number i of a tile of `lines` rows or columns goes: along k first, or
/// along the line first, whichever is adjacent in memory.
template <bool K_FIRST> CAMEO_DEVICE_ONLY int load_line(int i) {
  const int at = static_cast<int>(thread()) + i * multiply_tile::threads;
  return K_FIRST ? at / multiply_tile::depth : at % multiply_tile::rows;
}
template <bool K_FIRST> CAMEO_DEVICE_ONLY int load_step(int i) {
  const int at = static_cast<int>(thread()) + i * multiply_tile::threads;
  return K_FIRST ? at % multiply_tile::depth : at / multiply_tile::rows;
}

/// A and B: `line(batch, index)` prepares a row of a or a column of b, `at(line, k)` is an element,
/// `k_first` tells whether consecutive k are adjacent. SINK: (batch, row, column, value).
template <class T, class A, class B, class SINK>
CAMEO_DEVICE_ONLY void multiply_one(const multiply_shape &s, int64_t tile, const A &a, const B &b,
                                    const SINK &sink) {
  using geometry = multiply_tile;
  static_assert(geometry::rows == geometry::columns);
  T *const shared_a = shared<T>();
  T *const shared_b = shared_a + geometry::depth * geometry::pitch;
  const int64_t batch = tile / (s.row_tiles() * s.column_tiles());
  const int64_t row0 = tile / s.column_tiles() % s.row_tiles() * geometry::rows;
  const int64_t column0 = tile % s.column_tiles() * geometry::columns;
  const int ty = static_cast<int>(thread()) / 16 * geometry::thread_rows;
  const int tx = static_cast<int>(thread()) % 16 * geometry::thread_columns;
  T acc[geometry::thread_rows][geometry::thread_columns] = {};
  for (int64_t k0 = 0; k0 < s.k; k0 += geometry::depth) {
    barrier(); // the step before has been read
    for (int i = 0; i < geometry::loads; ++i) {
      const int row = load_line<A::k_first>(i), step = load_step<A::k_first>(i);
      const bool inside = row0 + row < s.m && k0 + step < s.k;
      shared_a[step * geometry::pitch + row] =
          inside ? a.at(a.line(batch, row0 + row), k0 + step) : T{};
    }
    for (int i = 0; i < geometry::loads; ++i) {
      const int column = load_line<B::k_first>(i), step = load_step<B::k_first>(i);
      const bool inside = column0 + column < s.n && k0 + step < s.k;
      shared_b[step * geometry::pitch + column] =
          inside ? b.at(b.line(batch, column0 + column), k0 + step) : T{};
    }
    barrier();
    // Steps beyond k hold zeros of both operands and are left out, so that inf * 0 cannot arise.
    const int steps = s.k - k0 < geometry::depth ? static_cast<int>(s.k - k0) : geometry::depth;
    for (int step = 0; step < steps; ++step) {
      T left[geometry::thread_rows], right[geometry::thread_columns];
      CAMEO_UNROLL
      for (int r = 0; r < geometry::thread_rows; ++r)
        left[r] = shared_a[step * geometry::pitch + ty + r];
      CAMEO_UNROLL
      for (int c = 0; c < geometry::thread_columns; ++c)
        right[c] = shared_b[step * geometry::pitch + tx + c];
      CAMEO_UNROLL
      for (int r = 0; r < geometry::thread_rows; ++r)
        CAMEO_UNROLL
      for (int c = 0; c < geometry::thread_columns; ++c)
        acc[r][c] = multiply_add(left[r], right[c], acc[r][c]);
    }
  }
  CAMEO_UNROLL
  for (int r = 0; r < geometry::thread_rows; ++r)
    CAMEO_UNROLL
  for (int c = 0; c < geometry::thread_columns; ++c)
    if (row0 + ty + r < s.m && column0 + tx + c < s.n)
      sink(batch, row0 + ty + r, column0 + tx + c, acc[r][c]);
}

template <class T, class CALL> CAMEO_KERNEL void multiply_kernel(CALL call) {
  call.load_counts();
  const multiply_shape s = call.shape();
  const auto &a = call.left();
  const auto &b = call.right();
  const auto &sink = call.sink();
  for (int64_t tile = block_index().x; tile < s.tiles(); tile += grid_extent().x)
    multiply_one<T>(s, tile, a, b, sink);
}

/// The product call.left() * call.right() of call.shape(), into call.sink().
template <class T, class CALL> void multiply_call(exec &e, const CALL &call) {
  const multiply_shape s = call.shape();
  const int64_t tiles = s.tiles();
  if (tiles <= 0)
    return;
  CAMEO_OPERATIONS(2 * s.batches * s.m * s.n * s.k);
  CAMEO_DEPTH(s.k);
  constexpr size_t bytes = 2 * multiply_tile::depth * multiply_tile::pitch * sizeof(T);
  e.launch(&multiply_kernel<T, CALL>, grid_for(tiles, 1), dim3(multiply_tile::threads), bytes,
           call);
}

} // namespace cameo::cuda
