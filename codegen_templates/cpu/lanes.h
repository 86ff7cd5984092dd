// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixed order in which one row of values is combined on the CPU, whatever the vector width:
// value t goes to lane t % 32, lanes are folded by halves, and every 65536 values form a block of
// their own. Loops over the lanes have a constant trip count, which g++ and clang turn into vector
// accumulators held in registers.
#pragma once

#include "cameo/cpu/parallel.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

constexpr int lane_count = 32;
constexpr int64_t reduce_block = 65536;

template <class COMBINE> struct lanes {
  using type = typename COMBINE::type;
  alignas(64) type lane[lane_count];

  CAMEO_INLINE lanes() {
    for (int l = 0; l < lane_count; ++l)
      lane[l] = COMBINE::identity();
  }

  /// Takes the values number t .. t + count - 1; value(j) gives number t + j.
  template <class V> CAMEO_INLINE void take(int64_t t, int64_t count, const V &value) {
    int64_t j = 0;
    if (const int64_t first = t % lane_count; first != 0) {
      j = lane_count - first < count ? lane_count - first : count;
      put(first, j, value);
    }
    for (; j + lane_count <= count; j += lane_count) {
      CAMEO_INDEPENDENT
      for (int l = 0; l < lane_count; ++l)
        lane[l] = COMBINE::apply(lane[l], value(j + l));
    }
    if (j < count)
      put(0, count - j, [&](int64_t l) CAMEO_INLINE_BODY { return value(j + l); });
  }

  /// take(), whose values become x[0], x[1], ... in the same pass.
  template <class V> CAMEO_INLINE void fill(type *x, int64_t t, int64_t count, const V &value) {
    const int64_t whole = t % lane_count == 0 ? count / lane_count * lane_count : 0;
    take(t, whole, [&](int64_t j) CAMEO_INLINE_BODY { return x[j] = value(j); });
    CAMEO_INDEPENDENT
    for (int64_t j = whole; j < count; ++j)
      x[j] = value(j);
    take(t + whole, count - whole, [&](int64_t j) CAMEO_INLINE_BODY { return x[whole + j]; });
  }

  /// Folds until the first LEFT lanes have all.
  template <int LEFT, int HALF = lane_count / 2> CAMEO_INLINE void fold_to() {
    if constexpr (HALF >= LEFT) {
      CAMEO_INDEPENDENT
      for (int l = 0; l < HALF; ++l)
        lane[l] = COMBINE::apply(lane[l], lane[l + HALF]);
      fold_to<LEFT, HALF / 2>();
    }
  }
  CAMEO_INLINE type fold() {
    fold_to<1>();
    return lane[0];
  }

private:
  /// Takes `count` values in the lanes from `first` on.
  template <class V> CAMEO_INLINE void put(int64_t first, int64_t count, const V &value) {
    CAMEO_INDEPENDENT
    for (int64_t l = 0; l < count; ++l)
      lane[first + l] = COMBINE::apply(lane[first + l], value(l));
  }
};

/// Calls f(index<R2 - 1>, t, begin, end) for the runs of the last dimension that make up the values
/// [from, to) of a row; t is the number of the first value of the run.
template <int R2, class F>
CAMEO_INLINE void for_runs(const index<R2> &reduced, int64_t from, int64_t to, const F &f) {
  static_assert(R2 > 0);
  if (from >= to)
    return;
  const int64_t length = reduced[R2 - 1];
  const index<R2 - 1> outer = slice<0, R2 - 1>(reduced);
  walk(outer, from / length, ceil_div(to, length), [&](const index<R2 - 1> &i) {
    const int64_t start = flatten(i, outer) * length;
    const int64_t begin = from > start ? from - start : 0;
    const int64_t end = to < start + length ? to - start : length;
    f(i, start + begin, begin, end);
  });
}

/// Copies the values [from, to) of a row, converted, to `buffer`.
template <class A, int R2, class V>
CAMEO_INLINE void fill_row(const index<R2> &reduced, int64_t from, int64_t to, A *buffer,
                           const V &value) {
  for_runs(reduced, from, to, [&](const index<R2 - 1> &k, int64_t t, int64_t begin, int64_t end) {
    CAMEO_INDEPENDENT
    for (int64_t j = begin; j < end; ++j)
      buffer[t - from + j - begin] = value(append(k, j));
  });
}

/// Values that are brought together before they are combined, where runs are short.
constexpr int64_t lane_buffer = has_small_stack ? lane_count : 16 * lane_count;

/// Takes the values [from, to) of one row, at most one block; value(index<R2>).
template <class COMBINE, int R2, class V>
CAMEO_INLINE void take_part(lanes<COMBINE> &acc, const index<R2> &reduced, int64_t from, int64_t to,
                            const V &value) {
  if constexpr (R2 > 1)
    if (reduced[R2 - 1] % lane_count != 0) {
      alignas(64) typename COMBINE::type x[lane_buffer];
      for (int64_t t = from; t < to; t += lane_buffer) {
        const int64_t end = to - t < lane_buffer ? to : t + lane_buffer;
        fill_row(reduced, t, end, x, value);
        acc.take(t, end - t, [&](int64_t j) CAMEO_INLINE_BODY { return x[j]; });
      }
      return;
    }
  for_runs(reduced, from, to, [&](const index<R2 - 1> &i, int64_t t, int64_t begin, int64_t end) {
    acc.take(t, end - begin,
             [&](int64_t j) CAMEO_INLINE_BODY { return value(append(i, begin + j)); });
  });
}

/// The result of combining them.
template <class COMBINE, int R2, class V>
CAMEO_INLINE typename COMBINE::type reduce_part(const index<R2> &reduced, int64_t from, int64_t to,
                                                const V &value) {
  lanes<COMBINE> acc;
  take_part(acc, reduced, from, to, value);
  return acc.fold();
}

/// Combines a whole row of n values.
template <class COMBINE, int R2, class V>
CAMEO_INLINE typename COMBINE::type reduce_row(const index<R2> &reduced, int64_t n,
                                               const V &value) {
  typename COMBINE::type result =
      reduce_part<COMBINE>(reduced, 0, n < reduce_block ? n : reduce_block, value);
  for (int64_t from = reduce_block; from < n; from += reduce_block)
    result = COMBINE::apply(
        result, reduce_part<COMBINE>(reduced, from,
                                     n - from < reduce_block ? n : from + reduce_block, value));
  return result;
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
