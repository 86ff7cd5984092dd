// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few rows times a matrix that lies in rows and is read once: some of its rows at a time, from
// their first element to their last, whose products are added to sums in the nearest cache. Panels
// of columns would read a few lines of each row, far apart. Every sum is one chain over ascending
// k.
#pragma once

#include "cameo/cpu/parallel.h"
#include "cameo/cpu/tile.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Element t of row i of the few is data[i * row + t * step].
template <class T> struct few_rows {
  const T *data;
  int64_t row, step;
};

/// The most rows that are few.
constexpr int most_few = 4;

/// Rows of the matrix that are read at once: their factors are in registers.
template <int MR> constexpr int stream_depth() {
  constexpr int registers = tile_shape::rows * tile_shape::vectors;
  constexpr int depth = (registers > 16 ? 16 : 6) / MR;
  return depth < 8 ? depth : 8;
}

/// Sums of a thread are in the nearest cache, of MR rows a multiple of so many columns.
constexpr int64_t stream_unit = has_small_stack ? 16 : 64;
template <class T, int MR>
constexpr int64_t stream_room = (has_small_stack ? 512 : 8192) /
                                static_cast<int64_t>(sizeof(T)) / MR / stream_unit *stream_unit;

/// sums[MR][ld] are products of KR steps, added to what they were where they `continue`. Columns
/// are whole vectors; the last of them, where some are left, is also the last vector of sums.
template <class T, int MR, int KR>
CAMEO_CONTRACT void stream_tile(const few_rows<T> &few, const T *b, int64_t ldb, int64_t columns,
                                T *sums, int64_t ld, bool continues) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<T>::lanes;
  using V = typename vec<T>::type;
  V factor[array_size(MR)][array_size(KR)];
  CAMEO_UNROLL_ALL
  for (int i = 0; i < MR; ++i)
    CAMEO_UNROLL_ALL
  for (int t = 0; t < KR; ++t) {
    factor[i][t] = few.data[i * few.row + t * few.step] - V{}; // a vector of them
    CAMEO_HOLD(factor[i][t]);
  }
  const auto step = [&](const T *from, T *to) CAMEO_INLINE_BODY {
    CAMEO_CONTRACT_BODY;
    V sum[array_size(MR)] = {};
    if (continues) {
      CAMEO_UNROLL_ALL
      for (int i = 0; i < MR; ++i)
        sum[i] = load_vector(to + i * ld);
    }
    CAMEO_UNROLL_ALL
    for (int t = 0; t < KR; ++t) {
      V row = load_vector(from + t * ldb);
      if constexpr (MR > 1)
        CAMEO_HOLD(row);
      CAMEO_UNROLL_ALL
      for (int i = 0; i < MR; ++i)
        sum[i] += factor[i][t] * row;
    }
    CAMEO_UNROLL_ALL
    for (int i = 0; i < MR; ++i)
      store_vector(to + i * ld, sum[i]);
  };
  int64_t j = 0;
  for (; j + lanes <= columns; j += lanes)
    step(b + j, sums + j);
  if (j < columns)
    step(b + columns - lanes, sums + j);
}

/// All k steps. Columns are at least a vector's lanes.
template <class T, int MR>
CAMEO_INLINE void stream(few_rows<T> few, int64_t k, const T *b, int64_t ldb, int64_t columns,
                         T *sums, int64_t ld) {
  constexpr int depth = stream_depth<MR>();
  bool continues = false;
  if (k <= 0)
    for (int64_t j = 0; j < MR * ld; ++j)
      sums[j] = T{};
  const auto take = [&](auto tile, int64_t steps) {
    tile(few, b, ldb, columns, sums, ld, continues);
    few.data += steps * few.step;
    b += steps * ldb;
    continues = true;
  };
  for (; k >= depth; k -= depth)
    take(stream_tile<T, MR, depth>, depth);
  if constexpr (constexpr int half = depth / 2; half > 1)
    if (k >= half) {
      take(stream_tile<T, MR, half>, half);
      k -= half;
    }
  for (; k > 0; --k)
    take(stream_tile<T, MR, 1>, 1);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
