// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiled matrix product behind gemm, conv and conv_transpose. A block forms a 64 x 64 tile of
// the output, 16 steps of k at a time through shared memory, 4 x 4 accumulators a thread. Sources
// give single elements in the accumulator's type (0 outside), a sink takes single results. Every
// output is one chain over ascending k.
#pragma once

#include <utility>

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

/// An operand's element in the accumulator's type, which may be one whose integers wrap.
template <class T, class E> CAMEO_DEVICE_ONLY T widen(E element) {
  return static_cast<T>(cast<T>(element));
}

struct multiply_tile {
  static constexpr int rows = 64, columns = 64, depth = 16, threads = 256;
  static constexpr int thread_rows = 4, thread_columns = 4;
  static constexpr int pitch = 68; // of a row in shared memory: keeps banks apart
  static constexpr int loads = rows * depth / threads;
  static constexpr int warps_a_line = rows / warp_threads;
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
/// along the line first, whichever is adjacent in memory. A thread has one step of the former and
/// two of the latter, whose place in memory is found once.
template <bool K_FIRST> CAMEO_DEVICE_ONLY int load_line(int i) {
  const int t = static_cast<int>(thread());
  if (K_FIRST)
    return (t + i * multiply_tile::threads) / multiply_tile::depth;
  return t % warp_threads + i % multiply_tile::warps_a_line * warp_threads;
}
template <bool K_FIRST> CAMEO_DEVICE_ONLY int load_step(int i) {
  const int t = static_cast<int>(thread());
  if (K_FIRST)
    return t % multiply_tile::depth;
  return t / warp_threads +
         i / multiply_tile::warps_a_line * (multiply_tile::threads / warp_threads);
}

/// A thread's elements of a tile of a or b, as they are in memory. They are loaded all at once and
/// converted later, so that they come while others are computed with.
template <class SOURCE> class tile_share {
public:
  /// Takes lines `first` to `lines` of a batch.
  CAMEO_DEVICE_ONLY tile_share(const SOURCE &source, int64_t batch, int64_t first, int64_t lines)
      : source_(source) {
    CAMEO_UNROLL
    for (int i = 0; i < multiply_tile::loads; ++i) {
      const int64_t line = first + load_line<SOURCE::k_first>(i);
      lines_[i] = source.line(batch, line);
      exists_[i] = line < lines;
    }
  }
  /// Loads steps `k0` to `k`, and 0 beyond.
  CAMEO_DEVICE_ONLY void load(int64_t k0, int64_t k) {
    CAMEO_UNROLL
    for (int i = 0; i < multiply_tile::loads; ++i) {
      const int64_t step = k0 + load_step<SOURCE::k_first>(i);
      const auto place = source_.step(step);
      elements_[i] = exists_[i] && step < k ? source_.at(lines_[i], place) : element{};
    }
  }
  template <class T> CAMEO_DEVICE_ONLY void store(T *shared_tile) const {
    CAMEO_UNROLL
    for (int i = 0; i < multiply_tile::loads; ++i)
      shared_tile[load_step<SOURCE::k_first>(i) * multiply_tile::pitch +
                  load_line<SOURCE::k_first>(i)] = widen<T>(elements_[i]);
  }

private:
  using element = typename SOURCE::element;
  using line = decltype(std::declval<const SOURCE &>().line(0, 0));

  const SOURCE &source_;
  line lines_[multiply_tile::loads];
  bool exists_[multiply_tile::loads];
  element elements_[multiply_tile::loads];
};

/// Adds one step of k to a thread's results; `left` and `right` are its first row and column.
template <class T>
CAMEO_DEVICE_ONLY void
multiply_step(const T *left, const T *right,
              T (&acc)[multiply_tile::thread_rows][multiply_tile::thread_columns]) {
  CAMEO_UNROLL
  for (int r = 0; r < multiply_tile::thread_rows; ++r)
    CAMEO_UNROLL
  for (int c = 0; c < multiply_tile::thread_columns; ++c)
    acc[r][c] = multiply_add(left[r], right[c], acc[r][c]);
}

/// A and B: `line(batch, index)` is where a row of a or a column of b lies, even beyond the last
/// one, `step(k)` where the k-th element of each does, `at(line, step)` that `element`; `k_first`
/// tells whether consecutive k are adjacent. SINK: (batch, row, column, value).
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
  tile_share<A> of_a(a, batch, row0, s.m);
  tile_share<B> of_b(b, batch, column0, s.n);
  if (s.k > 0) {
    of_a.load(0, s.k);
    of_b.load(0, s.k);
  }
  for (int64_t k0 = 0; k0 < s.k; k0 += geometry::depth) {
    barrier(); // the step before has been read
    of_a.store(shared_a);
    of_b.store(shared_b);
    barrier();
    const int64_t next = k0 + geometry::depth;
    if (next < s.k) {
      of_a.load(next, s.k);
      of_b.load(next, s.k);
    }
    const T *const left = shared_a + ty, *const right = shared_b + tx;
    if (next <= s.k)
      CAMEO_UNROLL
    for (int step = 0; step < geometry::depth; ++step)
      multiply_step(left + step * geometry::pitch, right + step * geometry::pitch, acc);
    else
        // Steps beyond k hold zeros of both operands and are left out, so that inf * 0 cannot
        // arise.
        for (int step = 0; step < static_cast<int>(s.k - k0); ++step)
            multiply_step(left + step * geometry::pitch, right + step * geometry::pitch, acc);
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
