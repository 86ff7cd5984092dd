// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several neighbouring rows at once, a lane of a vector for each: where rows are short, so that a
// call for each would take longer than its elements, and where neighbouring rows are adjacent in
// memory. Each row still sees the order of lanes.h.
#pragma once

#include "cameo/common/combine.h"
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

/// Whether a lane's position has room for those of n elements, which memory of 32 bits says itself.
CAMEO_INLINE bool are_positions_short(int64_t n) { return sizeof(void *) == 4 || n <= INT32_MAX; }

/// The greatest of a row's numbers. NaN need not win: its exponential makes the sum NaN, and so all
/// results.
template <class A> struct greatest_number {
  using type = A;
  CAMEO_INLINE static A identity() { return lowest_value<A>(); }
  CAMEO_INLINE static A apply(A a, A b) { return a > b ? a : b; }
};

template <class COMBINE, class T = typename COMBINE::type> constexpr bool is_arithmetic() {
  return std::is_same_v<COMBINE, combine::sum<T>> || std::is_same_v<COMBINE, combine::prod<T>>;
}

/// Whether COMBINE is written for vectors too: of the extremes of floats g++ makes branches, lane
/// by lane, where loops are short.
template <class COMBINE, class T = typename COMBINE::type> constexpr bool combines_vectors() {
  const bool is_number = std::is_same_v<T, float> || std::is_same_v<T, double>;
  const bool is_extreme = std::is_same_v<COMBINE, combine::max<T>> ||
                          std::is_same_v<COMBINE, combine::min<T>> ||
                          std::is_same_v<COMBINE, greatest_number<T>>;
  return CAMEO_VECTOR_BYTES > 0 && is_number && (is_extreme || is_arithmetic<COMBINE>());
}

/// COMBINE of two vectors, lane by lane.
template <class COMBINE, class V> CAMEO_INLINE V combine_vectors(V a, V b) {
  using T = typename COMBINE::type;
  static_assert(combines_vectors<COMBINE>());
  if constexpr (std::is_same_v<COMBINE, combine::sum<T>>)
    return a + b;
  else if constexpr (std::is_same_v<COMBINE, combine::prod<T>>)
    return a * b;
  else if constexpr (std::is_same_v<COMBINE, greatest_number<T>>)
    return a > b ? a : b;
  else if constexpr (std::is_same_v<COMBINE, combine::max<T>>)
    return ((a < b) | (b != b)) ? b : a;
  else
    return ((a > b) | (b != b)) ? b : a;
}

/// The same where b has no NaN, which `nans` gathers: one instruction of the chain in place of
/// four.
template <class COMBINE, class V, class N>
CAMEO_INLINE V combine_numbers(V a, V b, [[maybe_unused]] N &nans) {
  using T = typename COMBINE::type;
  if constexpr (std::is_same_v<COMBINE, combine::max<T>>) {
    nans |= b != b;
    return b > a ? b : a;
  } else if constexpr (std::is_same_v<COMBINE, combine::min<T>>) {
    nans |= b != b;
    return b < a ? b : a;
  } else {
    return combine_vectors<COMBINE>(a, b);
  }
}

/// COMBINE of its identity and a vector.
template <class COMBINE, class V> CAMEO_INLINE V combine_first(V a) {
  using T = typename COMBINE::type;
  if constexpr (std::is_same_v<COMBINE, combine::sum<T>>)
    return T{0} + a; // of -0 that is 0
  return a;
}

/// Whether a group of W rows is combined in vectors: with a small stack it may have fewer rows than
/// a vector has lanes.
template <class COMBINE, int W> constexpr bool combines_whole_vectors() {
  if constexpr (combines_vectors<COMBINE>())
    return W % vec<typename COMBINE::type>::lanes == 0;
  return false;
}

/// to[w] = COMBINE of a[w] and b[w], for all rows of a group.
template <class COMBINE, int W, class T>
CAMEO_INLINE void combine_group(T *to, const T *a, const T *b) {
  if constexpr (combines_whole_vectors<COMBINE, W>()) {
    constexpr int lanes = vec<T>::lanes;
    CAMEO_UNROLL_ALL
    for (int w = 0; w < W; w += lanes)
      store_vector(to + w, combine_vectors<COMBINE>(load_vector(a + w), load_vector(b + w)));
  } else {
    CAMEO_INDEPENDENT
    for (int w = 0; w < W; ++w)
      to[w] = COMBINE::apply(a[w], b[w]);
  }
}

/// result[w] = what the first n of COMBINE's lanes of row w come to; others hold its identity.
template <class COMBINE, int W, class T>
CAMEO_INLINE void fold_group(T (*lane)[array_size(W)], int64_t n, T *result) {
  for (int64_t half = lane_count / 2; half > 0; half /= 2)
    for (int64_t l = 0; l < half && l + half < n; ++l) {
      T *const a = lane[l];
      combine_group<COMBINE, W>(a, a, lane[l + half]);
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
      if constexpr (combines_vectors<COMBINE>() && !is_arithmetic<COMBINE>()) {
        alignas(64) type x[array_size(W)] = {};
        for_group<W>(count, [&](int64_t w) { x[w] = value(k, w); });
        combine_group<COMBINE, W>(acc, acc, x);
      } else {
        for_group<W>(count, [&](int64_t w) { acc[w] = COMBINE::apply(acc[w], value(k, w)); });
      }
    });
    if (from == 0) {
      fold_group<COMBINE, W>(lane, used, result);
    } else {
      alignas(64) type part[array_size(W)];
      fold_group<COMBINE, W>(lane, used, part);
      combine_group<COMBINE, W>(result, result, part);
    }
  }
}

/// Rows that are folded together, a vector's lanes of them; 0: none.
template <class COMBINE> constexpr int folded_rows() {
#if defined(CAMEO_SHUFFLES)
  if constexpr (combines_vectors<COMBINE>() && !has_small_stack)
    return vec<typename COMBINE::type>::lanes;
#endif
  return 0;
}

/// Elements for several rows, each of whole lanes.
constexpr int64_t rows_room = CAMEO_VECTOR_BYTES > 32 ? 4096 : 2048;
CAMEO_INLINE int64_t in_lanes(int64_t n) { return ceil_div(n, lane_count) * lane_count; }

/// Rows of which the fold takes as long as a good part of their values.
constexpr int64_t folded_length = 512;
/// Whether rows of n values, of which there is one, are worth folding together: a group has enough.
template <class COMBINE, class P> CAMEO_INLINE bool are_rows_folded(const P &p, int64_t n) {
  if constexpr (P::outer_rank == 0 || folded_rows<COMBINE>() == 0) {
    (void)p;
    (void)n;
    return false;
  } else {
    const int64_t neighbours = outer_of<P::outer_rank>(p)[P::outer_rank - 1];
    return n > 0 && n <= folded_length && 2 * neighbours >= folded_rows<COMBINE>();
  }
}

#if defined(CAMEO_SHUFFLES)
/// The type of a comparison of vectors of T.
template <class T> using vector_mask = decltype(typename vec<T>::type{} != typename vec<T>::type{});

/// Whether a lane of a mask is set.
template <class M> CAMEO_INLINE bool has_lane(const M &mask) {
  constexpr size_t words = sizeof(M) / sizeof(uint64_t);
  uint64_t word[words], any = 0;
  __builtin_memcpy(word, &mask, sizeof mask);
  for (size_t i = 0; i < words; ++i)
    any |= word[i];
  return any != 0;
}

/// The lanes of n values, folded to one vector by `combine`; x has identities up to a multiple of
/// lane_count.
template <class COMBINE, class T, class F>
CAMEO_INLINE typename vec<T>::type fold_vectors_by(const T *x, int64_t n, const F &combine) {
  constexpr int lanes = vec<T>::lanes, vectors = lane_count / lanes;
  typename vec<T>::type acc[array_size(vectors)];
  CAMEO_UNROLL_ALL
  for (int v = 0; v < vectors; ++v)
    acc[v] = combine_first<COMBINE>(load_vector(x + v * lanes));
  for (int64_t t = lane_count; t < n; t += lane_count)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < vectors; ++v)
    acc[v] = combine(acc[v], load_vector(x + t + v * lanes));
  CAMEO_UNROLL_ALL
  for (int half = vectors / 2; half > 0; half /= 2)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < half; ++v)
    acc[v] = combine_vectors<COMBINE>(acc[v], acc[v + half]);
  return acc[0];
}
template <class COMBINE, class T>
CAMEO_INLINE typename vec<T>::type fold_to_vector(const T *x, int64_t n) {
  using V = typename vec<T>::type;
  return fold_vectors_by<COMBINE>(
      x, n, [](V a, V b) CAMEO_INLINE_BODY { return combine_vectors<COMBINE>(a, b); });
}

/// result[w] = what the lanes of part[w] come to.
template <class COMBINE, int W, class T>
CAMEO_INLINE void fold_parts(typename vec<T>::type (&part)[array_size(W)], T *result) {
  transpose_vectors<T>(part);
  CAMEO_UNROLL_ALL
  for (int half = W / 2; half > 0; half /= 2)
    CAMEO_UNROLL_ALL
  for (int l = 0; l < half; ++l)
    part[l] = combine_vectors<COMBINE>(part[l], part[l + half]);
  store_vector(result, part[0]);
}

/// result[w] = what the n values of each of `count` rows of x come to, ld apart, which have room
/// for in_lanes(n); of the other rows anything.
template <class COMBINE, int W, class T>
CAMEO_INLINE void fold_filled_rows(T *x, int64_t ld, int64_t n, int64_t count, T *result) {
  for (int64_t w = 0; w < count; ++w)
    for (int64_t t = n; t < in_lanes(n); ++t)
      x[w * ld + t] = COMBINE::identity();
  typename vec<T>::type part[array_size(W)];
  for (int64_t w = 0; w < W; ++w)
    part[w] = fold_to_vector<COMBINE>(x + (w < count ? w : 0) * ld, n);
  fold_parts<COMBINE, W>(part, result);
}

/// result[w] = what the n values value(w, index<R2>) of each row of a group combine to, by
/// `combine`, for rows of up to folded_length. Results of rows that a group lacks are anything. x:
/// rows `ld` apart, or 0, with identities behind their values.
template <class COMBINE, int W, int R2, class T, class V, class F>
CAMEO_INLINE void fold_rows_by(const index<R2> &reduced, int64_t n, int64_t count, T *x, int64_t ld,
                               const V &value, T *result, const F &combine) {
  typename vec<T>::type part[array_size(W)];
  const auto fill = [&](int64_t w) {
    fill_row(reduced, 0, n, x + w * ld, [&](const index<R2> &k) { return value(k, w); });
  };
  // A vector whose last elements were just stored one by one waits for them.
  for (int64_t w = 0; w < count && ld > 0; ++w)
    fill(w);
  for (int64_t w = 0; w < W; ++w) {
    if (ld == 0 && w < count)
      fill(w);
    part[w] = fold_vectors_by<COMBINE>(x + w * ld, n, combine);
  }
  fold_parts<COMBINE, W>(part, result);
}

/// The same by COMBINE, whatever the values are.
template <class COMBINE, int W, int R2, class T, class V>
CAMEO_INLINE void fold_rows(const index<R2> &reduced, int64_t n, int64_t count, T *x, int64_t ld,
                            const V &value, T *result) {
  using vector = typename vec<T>::type;
  fold_rows_by<COMBINE, W>(reduced, n, count, x, ld, value, result,
                           [](vector a, vector b)
                               CAMEO_INLINE_BODY { return combine_vectors<COMBINE>(a, b); });
}
template <class COMBINE, int W, int R2, class T, class V>
CAMEO_NOINLINE void fold_rows_with_nans(const index<R2> &reduced, int64_t n, int64_t count, T *x,
                                        int64_t ld, const V &value, T *result) {
  fold_rows<COMBINE, W>(reduced, n, count, x, ld, value, result);
}
/// The same of extremes, taken as numbers until there is a NaN.
template <class COMBINE, int W, int R2, class T, class V>
CAMEO_INLINE void fold_extremes(const index<R2> &reduced, int64_t n, int64_t count, T *x,
                                int64_t ld, const V &value, T *result) {
  using vector = typename vec<T>::type;
  vector_mask<T> nans = {};
  fold_rows_by<COMBINE, W>(reduced, n, count, x, ld, value, result,
                           [&](vector a, vector b)
                               CAMEO_INLINE_BODY { return combine_numbers<COMBINE>(a, b, nans); });
  if (has_lane(nans))
    fold_rows_with_nans<COMBINE, W>(reduced, n, count, x, ld, value, result);
}
#endif

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

/// reduce_group of values x[t][W], which it may change.
template <class COMBINE, int W, class T>
CAMEO_INLINE void reduce_filled_group(int64_t n, T *x, T *result) {
  if (n > lane_count)
    return reduce_group<COMBINE, W>(
        index<1>{{n}}, n, W, [&](const index<1> &t, int64_t w) { return x[t[0] * W + w]; }, result);
  // A lane has one value at most.
  alignas(64) T none[array_size(W)];
  for (int w = 0; w < W; ++w)
    none[w] = COMBINE::identity();
  for (int64_t t = 0; t < n; ++t)
    combine_group<COMBINE, W>(x + t * W, none, x + t * W);
  fold_group<COMBINE, W>(reinterpret_cast<T(*)[array_size(W)]>(x), n, result);
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
