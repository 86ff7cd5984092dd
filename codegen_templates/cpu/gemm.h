// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm: packs both operands into the panels of multiply.h, converting them to the accumulator's
// type, small integers to lanes of several; b is used in place where that costs nothing, which
// gemm_blocked's always is. A few rows times a transposed b (a layer of a small net) are dot
// products, with nothing packed.
#pragma once

#include "cameo/common/params.h"
#include "cameo/common/types.h"
#include "cameo/cpu/bytes.h"
#include "cameo/cpu/multiply.h"
#include "cameo/cpu/store_bytes.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Offset of a batch in an operand with these strides.
template <int R> CAMEO_INLINE int64_t batch_offset(const index<R> &batch, const index<R> &stride) {
  int64_t offset = 0;
  if constexpr (R > 0)
    for (int d = 0; d < R; ++d)
      offset += batch[d] * stride[d];
  else {
    (void)batch;
    (void)stride;
  }
  return offset;
}

#if defined(CAMEO_SHUFFLES)
/// Up to a vector's lanes of columns, of which memory has a vector in each line, become rows;
/// returns how many of the steps were taken, whole vectors of them.
template <class T>
CAMEO_INLINE int64_t turn_columns(const T *from, int64_t ld, int64_t columns, int64_t steps, T *to,
                                  int64_t to_ld) {
  constexpr int lanes = vec<T>::lanes;
  int64_t t = 0;
  for (; t + lanes <= steps; t += lanes) {
    typename vec<T>::type v[array_size(lanes)];
    CAMEO_UNROLL_ALL
    for (int i = 0; i < lanes; ++i)
      v[i] = load_vector(from + (t + i) * ld);
    transpose_vectors<T>(v);
    CAMEO_UNROLL_ALL
    for (int i = 0; i < lanes; ++i)
      if (i < columns)
        store_vector(to + i * to_ld + t, v[i]);
  }
  return t;
}
#endif

/// The left operand: rows of `ld` elements, or (TRANS) columns of them; of lanes of several numbers
/// each. A row has `depth` numbers, memory of TRANS `room` elements from any `data + t * ld` on.
template <class T, class A, bool TRANS, int R> struct gemm_a {
  const A *data;
  int64_t ld, depth, room;
  index<R> batch, stride;

  CAMEO_INLINE left_rows<T> rows(int64_t number, int64_t row, int64_t k0) const {
    if constexpr (std::is_same_v<T, A> && !TRANS)
      if (lie_in_many_sets(ld * static_cast<int64_t>(sizeof(T))))
        return {data + batch_offset(unflatten(number, batch), stride) + row * ld + k0, ld};
    return {nullptr, 0};
  }
  CAMEO_INLINE void pack(int64_t number, int64_t row, int64_t k0, int64_t steps, T *to) const {
    const A *from =
        data + batch_offset(unflatten(number, batch), stride) + (TRANS ? row : row * ld);
    if constexpr (numbers_in < T >> 1) {
      pack_lanes(from, TRANS ? ld : 1, depth, k0, steps, to);
    } else {
      from += TRANS ? k0 * ld : k0;
      CAMEO_INDEPENDENT
      for (int64_t t = 0; t < steps; ++t)
        to[t] = static_cast<T>(cast<T>(TRANS ? from[t * ld] : from[t]));
    }
  }
  /// `height` rows, to_ld apart.
  CAMEO_INLINE void pack_rows(int64_t number, int64_t row, int64_t height, int64_t k0,
                              int64_t steps, T *to, int64_t to_ld) const {
    constexpr int64_t lanes = vec<T>::lanes;
    for (int64_t r = 0; r < height; r += TRANS ? lanes : 1) {
      const int64_t left = height - r;
      int64_t t = 0;
#if defined(CAMEO_SHUFFLES)
      if constexpr (TRANS && std::is_same_v<T, A>)
        if (row + r + lanes <= room)
          t = turn_columns(data + batch_offset(unflatten(number, batch), stride) + row + r +
                               k0 * ld,
                           ld, left < lanes ? left : lanes, steps, to + r * to_ld, to_ld);
#endif
      for (int64_t i = 0; i < left && i < (TRANS ? lanes : 1); ++i)
        pack(number, row + r + i, k0 + t, steps - t, to + (r + i) * to_ld + t);
    }
  }
};

/// The right operand: rows of n elements, or (TRANS) of k elements with the columns as rows; of
/// lanes of several numbers each, `depth` numbers in a column.
template <class T, class B, bool TRANS, int R> struct gemm_b {
  const B *data;
  int64_t ld, depth;
  bool in_place; // row panels are so few that packing would not pay
  index<R> batch, stride;

  CAMEO_INLINE panel_rows<T> panel(int64_t number, int64_t column, int64_t columns, int64_t k0,
                                   int64_t steps, T *buffer, int64_t width) const {
    const B *const from =
        data + batch_offset(unflatten(number, batch), stride) + (TRANS ? column * ld : column);
    if constexpr (numbers_in < T >> 1) {
      const index<2> distance = TRANS ? index<2>{{1, ld}} : index<2>{{ld, 1}};
      for (int64_t t = 0; t < steps; ++t)
        pack_row(from, distance, (k0 + t) * numbers_in<T>, columns, buffer + t * width, width);
      return {buffer, width, column_block};
    } else if constexpr (TRANS) {
      return pack_columns(from + k0, ld, columns, steps, buffer, width);
    } else {
      if constexpr (std::is_same_v<T, B>)
        if (in_place && columns == width)
          return {from + k0 * ld, ld, column_block};
      return pack_rows(from + k0 * ld, ld, columns, steps, buffer, width);
    }
  }
  CAMEO_INLINE panel_rows<T> ahead(int64_t, int64_t) const { return {nullptr, 0, 0}; }

private:
  /// The lanes whose first number is in row k, of columns; zeros in missing ones.
  CAMEO_INLINE void pack_row(const B *from, const index<2> &distance, int64_t k, int64_t columns,
                             T *to, int64_t width) const {
    const B *const at = from + k * distance[0];
    const int64_t rows = depth - k < numbers_in<T> ? depth - k : numbers_in<T>;
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < columns; ++j)
      to[j] = make_lane<T>(
          [&](int i) { return i < rows ? at[i * distance[0] + j * distance[1]] : B{}; });
    for (int64_t j = columns; j < width; ++j)
      to[j] = T{};
  }
};

/// The right operand in blocks of columns, [batch][n / 16][k][16], which are whole: read where it
/// lies. A last panel that lacks blocks is packed, or, of one block, reads that in place of the
/// others.
struct gemm_blocks {
  const float *data;
  int64_t k, n;  // n: true columns
  int64_t apart; // elements from one batch to the next

  CAMEO_INLINE panel_rows<float> panel(int64_t number, int64_t column, int64_t columns, int64_t k0,
                                       int64_t steps, float *buffer, int64_t width) const {
    const int64_t block = k * column_block;
    const float *from = data + number * apart + column / column_block * block + k0 * column_block +
                        column % column_block;
    if (columns > width - column_block)
      return {from, column_block, block};
    if (columns <= column_block)
      return {from, column_block, 0};
    constexpr size_t bytes = column_block * sizeof(float);
    for (int64_t b = 0; b < width; b += column_block, from += block)
      for (int64_t t = 0; t < steps; ++t)
        if (float *const to = buffer + t * width + b; b < columns)
          __builtin_memcpy(to, from + t * column_block, bytes);
        else
          __builtin_memset(to, 0, bytes);
    return {buffer, width, column_block};
  }
  /// Matrices come from memory.
  CAMEO_INLINE panel_rows<float> ahead(int64_t column, int64_t k0) const {
    if (column >= n)
      return {nullptr, 0, 0};
    const int64_t block = k * column_block;
    return {data + column / column_block * block + k0 * column_block, column_block, block};
  }
};

/// Row panels up to which packing a panel of b costs more than reading its rows far apart.
constexpr int64_t in_place_panels = 10;

/// Rows times rows: up to four rows of a at once against four, two or one of b, until there are
/// dot_columns results of a row to store.
constexpr int64_t dot_rows = 4, dot_columns = has_small_stack ? 4 : 16;

/// The products of MR rows, lda apart, with `columns` rows of b; `after` is what will be read next.
template <class T, int MR>
CAMEO_INLINE void dot_block(int64_t k, int64_t columns, const T *a, int64_t lda, const T *b,
                            int64_t ldb, const T *after,
                            T (&out)[array_size(MR)][array_size(dot_columns)]) {
  constexpr int few = MR % 2 == 0 ? 2 : 1; // rows at once where the sums of four have no room
  constexpr int rows = has_small_stack ? few : MR, NJ = has_small_stack ? 1 : 4 / MR;
  constexpr int groups = dot_groups<T>(MR * NJ);
  int64_t j = 0;
  const auto take = [&](auto at_once, auto times) {
    constexpr int64_t here = at_once * times;
    for (; j + here <= columns; j += here, b += here * ldb)
      for (int r = 0; r < MR; r += rows)
        dot_tile<T, rows, at_once, times>(k, a + r * lda, lda, b, ldb,
                                          j + here + NJ <= columns ? b + here * ldb : after,
                                          &out[r][j], dot_columns);
  };
  using one = std::integral_constant<int, 1>;
  using some = std::integral_constant<int, NJ>;
  if constexpr (groups > 1)
    take(some(), std::integral_constant<int, groups>());
  take(some(), one());
  if constexpr (NJ > 1)
    take(one(), one());
}

/// A row of what a store gets.
template <class STORE, int R> struct stored_row {
  const STORE &store;
  index<R> row;
  template <class V> CAMEO_INLINE void operator()(int64_t j, V v) const {
    store(append(row, j), v);
  }
};

/// Stores the elements of a row: by the object that the store makes of the row, once, where it has
/// `row`.
template <class STORE, int R>
CAMEO_INLINE auto row_of(const STORE &store, const index<R> &row, int) -> decltype(store.row(row)) {
  return store.row(row);
}
template <class STORE, int R>
CAMEO_INLINE stored_row<STORE, R> row_of(const STORE &store, const index<R> &row, ...) {
  return {store, row};
}

/// These blocks of columns of one product, in order or from the last of them to the first.
template <class T, int MR, int R, class STORE>
CAMEO_INLINE void dot_blocks(int64_t n, int64_t k, span blocks, bool backwards, const T *a,
                             const T *b, const index<R> &batch, const STORE &store) {
  const int64_t step = backwards ? -dot_columns : dot_columns;
  int64_t first = dot_columns * (backwards ? blocks.end - 1 : blocks.begin);
  for (int64_t left = blocks.end - blocks.begin; left > 0; --left, first += step) {
    const int64_t columns = n - first < dot_columns ? n - first : dot_columns;
    const T *const rows = b + first * k;
    T out[array_size(MR)][array_size(dot_columns)];
    dot_block<T, MR>(k, columns, a, k, rows, k, left > 1 ? rows + step * k : rows, out);
    for (int64_t r = 0; r < MR; ++r) {
      const auto row = row_of(store, append(batch, r), 0);
      for_columns<dot_columns>(columns, [&](int64_t c) { row(first + c, out[r][c]); });
    }
  }
}

/// MR rows of a by n of b. `backwards`: from the last block of columns to the first, which changes
/// no result.
template <class T, int MR, int R, class STORE>
CAMEO_INLINE void gemm_dots(exec &e, int64_t n, int64_t k, const index<R> &batch,
                            const index<R> &a_stride, const index<R> &b_stride, const T *a,
                            const T *b, const STORE &store, bool backwards) {
  const int64_t blocks = ceil_div(n, dot_columns), work = MR * dot_columns * k / 8 + 1;
  parallel_range(e, volume(batch) * blocks, work, [&](int64_t begin, int64_t end) {
    const int64_t first = begin / blocks, last = (end - 1) / blocks;
    for (int64_t i = first; i <= last; ++i) {
      const int64_t number = backwards ? first + last - i : i;
      const index<R> at = unflatten(number, batch);
      const span part = {number == first ? begin - first * blocks : 0,
                         number == last ? end - last * blocks : blocks};
      dot_blocks<T, MR>(n, k, part, backwards, a + batch_offset(at, a_stride),
                        b + batch_offset(at, b_stride), at, store);
    }
  });
}

/// The same for as many rows as p has, up to dot_rows.
template <class T, class P, class STORE>
CAMEO_INLINE void gemm_rows(exec &e, const P &p, const T *a, const T *b, const STORE &store,
                            bool backwards) {
  constexpr int R = P::batch_rank;
  const index<R> batch = batch_of<R>(p);
  const index<R> a_stride = a_batch_stride_of<R>(p), b_stride = b_batch_stride_of<R>(p);
  const int64_t m = p.m;
  if (m == 1)
    gemm_dots<T, 1>(e, p.n, p.k, batch, a_stride, b_stride, a, b, store, backwards);
  else if (m == 2)
    gemm_dots<T, 2>(e, p.n, p.k, batch, a_stride, b_stride, a, b, store, backwards);
  else if (m == 3)
    gemm_dots<T, 3>(e, p.n, p.k, batch, a_stride, b_stride, a, b, store, backwards);
  else
    gemm_dots<T, 4>(e, p.n, p.k, batch, a_stride, b_stride, a, b, store, backwards);
}

/// A store of the transposed product.
template <class STORE> struct turned_store {
  const STORE &store;
  template <int R, class V> CAMEO_INLINE void operator()(index<R> i, V v) const {
    const int64_t row = i[R - 1];
    i[R - 1] = i[R - 2];
    i[R - 2] = row;
    store(i, v);
  }
};

/// The rows of a by the only column of b: that is a row by rows.
template <class T, class P, class STORE>
CAMEO_INLINE void gemm_column(exec &e, const P &p, const T *a, const T *b, const STORE &store,
                              bool backwards) {
  constexpr int R = P::batch_rank;
  gemm_dots<T, 1>(e, p.m, p.k, batch_of<R>(p), b_batch_stride_of<R>(p), a_batch_stride_of<R>(p), b,
                  a, turned_store<STORE>{store}, backwards);
}

/// The type in which products are computed.
template <class A, class B>
using gemm_element =
    std::conditional_t<std::is_same_v<typename product_lane<A, B>::type, void>,
                       wrapping_t<product_t<A, B>>, typename product_lane<A, B>::type>;

/// Are products of these types dot products?
template <class A, class B>
constexpr bool has_dots = std::is_floating_point_v<A> &&std::is_same_v<A, B>;
/// Rows of fewer elements are not worth folding for a column.
constexpr int64_t fewest_dotted = 16;
/// Is b a column, and do rows of a lie as dot products want them?
template <class A, class B, class P> CAMEO_INLINE bool gemm_has_column(const P &p) {
  return has_dots<A, B> && !P::trans_a && p.n == 1 && p.k >= fewest_dotted;
}
/// Do rows of a and b, or of a alone?
template <class A, class B, class P> CAMEO_INLINE bool gemm_uses_dots(const P &p) {
  const bool has_rows = P::trans_b && p.m <= dot_rows && (p.m == 1 || !P::trans_a);
  return has_dots<A, B> && (has_rows || gemm_has_column<A, B>(p));
}

/// Bytes that gemm takes from e.scratch for operands of types A and B.
template <class A, class B, class P> int64_t gemm_scratch(const P &p, int threads) {
  using T = gemm_element<A, B>;
  const int64_t batches = volume(batch_of<P::batch_rank>(p));
  if (batches <= 0 || p.m <= 0 || p.n <= 0 || gemm_uses_dots<A, B>(p))
    return 0;
  return plan_multiply<T>(batches, p.m, p.n, ceil_div(p.k, numbers_in<T>)).elements(threads) *
         static_cast<int64_t>(sizeof(T));
}

/// The product of operands as multiply wants them, whose elements are stored as RESULT.
template <class T, class RESULT, int R, class LEFT, class RIGHT, class STORE>
CAMEO_INLINE void gemm_panels(exec &e, const multiply_plan &plan, const index<R> &batch,
                              const LEFT &left, const RIGHT &right, const STORE &store) {
  auto *memory =
      static_cast<T *>(e.scratch(static_cast<size_t>(plan.elements(e.threads())) * sizeof(T)));
  if (memory == nullptr)
    return;
  multiply<T>(
      e, plan, memory, left, right,
      [&](int64_t number, int64_t row, int64_t column, int64_t count, const T *values) {
        const index<R> at = unflatten(number, batch);
        const STORE own = store;
        const auto index_at = [&](int64_t j) { return join(at, index<2>{{row, column + j}}); };
        const auto value = [&](int64_t j) { return static_cast<RESULT>(number_of(values[j])); };
        if constexpr (computes_bytes<STORE>::value)
          store_range(0, count, own, index_at, value);
        else
          for_columns<tile_limits<T>::vectors * vec<T>::lanes>(
              count, [&](int64_t j) { own(index_at(j), value(j)); });
      });
}

/// The packed product; which operand is transposed is part of the type, so that packing loops are
/// straight.
template <bool TRANS_A, bool TRANS_B, class P, class A, class B, class STORE>
CAMEO_INLINE void gemm_packed(exec &e, const P &p, const A *a, const B *b, const STORE &store) {
  using T = gemm_element<A, B>;
  constexpr int R = P::batch_rank;
  const index<R> batch = batch_of<R>(p);
  const multiply_plan plan =
      plan_multiply<T>(volume(batch), p.m, p.n, ceil_div(p.k, numbers_in<T>));
  const gemm_a<T, A, TRANS_A, R> left = {a,     TRANS_A ? p.m : p.k,    p.k, p.m,
                                         batch, a_batch_stride_of<R>(p)};
  const gemm_b<T, B, TRANS_B, R> right = {
      b, TRANS_B ? p.k : p.n, p.k, plan.panels <= in_place_panels, batch, b_batch_stride_of<R>(p)};
  gemm_panels<T, product_t<A, B>>(e, plan, batch, left, right, store);
}

/// Bytes that gemm_blocked takes from e.scratch.
template <class P> int64_t gemm_blocked_scratch(const P &p, int threads) {
  if (p.m <= 0 || p.n <= 0)
    return 0;
  return plan_multiply<float>(1, p.m, p.n, p.k).elements(threads) *
         static_cast<int64_t>(sizeof(float));
}

/// Elements of b[n / 16][k][16].
template <class P> CAMEO_INLINE int64_t elements_of_blocks(const P &p) {
  return ceil_div(p.n, column_block) * column_block * p.k;
}

/// gemm_blocked of batches whose operands are so far apart.
template <int R, class P, class STORE>
CAMEO_INLINE void gemm_blocked_batches(exec &e, const P &p, const index<R> &batch,
                                       const index<R> &a_stride, int64_t b_stride, const float *a,
                                       const float *b, const STORE &store) {
  if (volume(batch) <= 0 || p.m <= 0 || p.n <= 0)
    return;
  CAMEO_OPERATIONS(2 * volume(batch) * p.m * p.n * p.k);
  const gemm_a<float, float, P::trans_a, R> left = {
      a, P::trans_a ? p.m : p.k, p.k, p.m, batch, a_stride};
  gemm_panels<float, float>(e, plan_multiply<float>(volume(batch), p.m, p.n, p.k), batch, left,
                            gemm_blocks{b, p.k, p.n, b_stride}, store);
}

template <class P, class STORE>
void gemm_blocked(exec &e, const P &p, const float *a, const float *b, STORE store) {
  gemm_blocked_batches(e, p, index<0>{}, index<0>{}, elements_of_blocks(p), a, b, store);
}

/// gemm, from the first row of a transposed b to the last or, where that is as well, `backwards`.
template <class P, class A, class B, class STORE>
CAMEO_INLINE void gemm_from(exec &e, const P &p, const A *a, const B *b, const STORE &store,
                            bool backwards) {
  constexpr int R = P::batch_rank;
  if (volume(batch_of<R>(p)) <= 0 || p.m <= 0 || p.n <= 0)
    return;
  CAMEO_OPERATIONS(2 * volume(batch_of<R>(p)) * p.m * p.n * p.k);
  if constexpr (has_dots<A, B> && !P::trans_a)
    if (gemm_has_column<A, B>(p))
      return gemm_column(e, p, a, b, store, backwards);
  if constexpr (has_dots<A, B> && P::trans_b)
    if (gemm_uses_dots<A, B>(p))
      return gemm_rows(e, p, a, b, store, backwards);
  (void)backwards;
  gemm_packed<P::trans_a, P::trans_b>(e, p, a, b, store);
}

template <class P, class A, class B, class STORE>
void gemm(exec &e, const P &p, const A *a, const B *b, STORE store) {
  gemm_from(e, p, a, b, store, /*backwards=*/false);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
