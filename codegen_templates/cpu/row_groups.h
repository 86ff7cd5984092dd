// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several neighbouring rows at once, a lane of a vector for each: where rows are short, so that a
// call for each would take longer than its elements, and where neighbouring rows are adjacent in
// memory. Each row still sees the order of lanes.h.
#pragma once

#include "cameo/common/params.h"
#include "cameo/cpu/lanes.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Rows of a group: vectors of the values and of what they combine to are whole.
template <class T> constexpr int group_rows() {
  constexpr int most = 512 / (lane_count * static_cast<int>(sizeof(T)));
  if (has_small_stack && most < 16)
    return most;
  return sizeof(T) > 4 ? 8 : 16;
}

/// Neighbours along the last outer axis, which are `count`.
template <int R1> struct row_group {
  index<R1> first;
  int64_t count;

  CAMEO_INLINE index<R1> row(int64_t number) const {
    index<R1> i = first;
    i[R1 - 1] += number;
    return i;
  }
};

/// Calls f(w) for the rows of a group, vectorised; a whole one has a constant trip count.
template <int W, class F> CAMEO_INLINE void for_group(int64_t count, const F &f) {
  if (count == W) {
    CAMEO_INDEPENDENT
    for (int w = 0; w < W; ++w)
      f(w);
  } else {
    for (int64_t w = 0; w < count; ++w)
      f(w);
  }
}

/// Whether rows of n values, short ones being of up to `most`, are worth taking together: a group
/// has enough of them.
template <class T, class P>
CAMEO_INLINE bool are_rows_together(const P &p, int64_t n, int64_t most = lane_count / 2) {
  if constexpr (P::outer_rank == 0) {
    (void)p;
    (void)n;
    (void)most;
    return false;
  } else {
    const int64_t neighbours = outer_of<P::outer_rank>(p)[P::outer_rank - 1];
    return (across_rows_or(p, false) || n <= most) && 2 * neighbours >= group_rows<T>();
  }
}

/// Calls f(row_group) for groups of up to W of the rows [begin, end).
template <int W, int R1, class F>
CAMEO_INLINE void for_row_groups(const index<R1> &outer, int64_t begin, int64_t end, const F &f) {
  for (int64_t row = begin; row < end;) {
    row_group<R1> group = {unflatten(row, outer), 0};
    const int64_t left = outer[R1 - 1] - group.first[R1 - 1];
    group.count = left < end - row ? left : end - row;
    group.count = group.count < W ? group.count : W;
    f(group);
    row += group.count;
  }
}

/// result[w] = what the first n of COMBINE's lanes of row w come to; others hold its identity.
template <class COMBINE, int W, class T>
CAMEO_INLINE void fold_group(T (*lane)[array_size(W)], int64_t n, T *result) {
  for (int64_t half = lane_count / 2; half > 0; half /= 2)
    for (int64_t l = 0; l < half && l + half < n; ++l) {
      T *const a = lane[l];
      const T *const b = lane[l + half];
      CAMEO_INDEPENDENT
      for (int w = 0; w < W; ++w)
        a[w] = COMBINE::apply(a[w], b[w]);
    }
  for (int w = 0; w < W; ++w)
    result[w] = n > 0 ? lane[0][w] : COMBINE::identity();
}

/// result[w] = what the values value(index<R2>, w) of each row combine to. Results of rows that
/// a group lacks are anything.
template <class COMBINE, int W, int R2, class V>
CAMEO_INLINE void reduce_group(const index<R2> &reduced, int64_t n, int64_t count, const V &value,
                               typename COMBINE::type *result) {
  using type = typename COMBINE::type;
  alignas(64) type lane[lane_count][array_size(W)];
  for (int64_t from = 0; from < n || from == 0; from += reduce_block) {
    const int64_t to = n - from < reduce_block ? n : from + reduce_block;
    const int64_t used = to - from < lane_count ? to - from : lane_count;
    for (int64_t l = 0; l < used; ++l)
      for (int w = 0; w < W; ++w)
        lane[l][w] = COMBINE::identity();
    int64_t t = from;
    walk(reduced, from, to, [&](const index<R2> &k) {
      type *acc = lane[t++ % lane_count];
      for_group<W>(count, [&](int64_t w) { acc[w] = COMBINE::apply(acc[w], value(k, w)); });
    });
    if (from == 0) {
      fold_group<COMBINE, W>(lane, used, result);
    } else {
      alignas(64) type part[array_size(W)];
      fold_group<COMBINE, W>(lane, used, part);
      for (int w = 0; w < W; ++w)
        result[w] = COMBINE::apply(result[w], part[w]);
    }
  }
}

/// The values of a group's rows, one after the other, of all of them: x[t][W]. Rows that a group
/// lacks have zeros.
template <int W, int R2, class A, class V>
CAMEO_INLINE void fill_group(const index<R2> &reduced, int64_t n, int64_t count, const V &value,
                             A *x) {
  walk(reduced, 0, n, [&](const index<R2> &k) {
    for_group<W>(count, [&](int64_t w) { x[w] = value(k, w); });
    for (int64_t w = count; w < W; ++w)
      x[w] = A{};
    x += W;
  });
}

/// Calls put(index<R2> k, t, w) for the values of a group's rows.
template <int W, int R2, class F>
CAMEO_INLINE void store_group(const index<R2> &reduced, int64_t n, int64_t count, const F &put) {
  int64_t t = 0;
  walk(reduced, 0, n, [&](const index<R2> &k) {
    for_group<W>(count, [&](int64_t w) { put(k, t, w); });
    ++t;
  });
}

/// Values of a row that a group keeps: none on a small stack.
constexpr int64_t group_buffer = 128;

/// Whether a group of rows of n values keeps them.
CAMEO_INLINE bool fits_group(int64_t n) { return !has_small_stack && n <= group_buffer; }
/// Elements for the values that a group of W rows keeps.
template <int W> constexpr size_t group_room = has_small_stack ? 1 : array_size(group_buffer *W);

} // namespace CAMEO_ISA
} // namespace cameo::cpu
