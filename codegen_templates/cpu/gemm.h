// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm: packs both operands into the panels of multiply.h, converting them to the accumulator's
// type, small integers to lanes of several; b is used in place where that costs nothing, which
// gemm_blocked's always is. Products of a few rows or columns are of gemm_few.h.
#pragma once

#include "cameo/common/params.h"
#include "cameo/common/types.h"
#include "cameo/cpu/bytes.h"
#include "cameo/cpu/gemm_few.h"
#include "cameo/cpu/multiply.h"
#include "cameo/cpu/store_bytes.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

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

/// The type in which products are computed.
template <class A, class B>
using gemm_element =
    std::conditional_t<std::is_same_v<typename product_lane<A, B>::type, void>,
                       wrapping_t<product_t<A, B>>, typename product_lane<A, B>::type>;

/// Bytes that gemm takes from e.scratch for operands of types A and B.
template <class A, class B, class P> int64_t gemm_scratch(const P &p, int threads) {
  using T = gemm_element<A, B>;
  const int64_t batches = volume(batch_of<P::batch_rank>(p));
  if (batches <= 0 || p.m <= 0 || p.n <= 0)
    return 0;
  if (const few_form form = few_form_of<A, B>(p); form != few_form::none)
    return gemm_few_scratch<T>(form, p, threads);
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
CAMEO_NOINLINE void gemm_packed(exec &e, const P &p, const A *a, const B *b, const STORE &store) {
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
  if constexpr (has_few<A, B>) {
    const few_form form = few_form_of<A, B>(p);
    if (are_few_rows(form))
      return gemm_few_rows(e, p, a, b, store, backwards);
    if (form != few_form::none)
      return gemm_few_columns(e, form, p, a, b, store, backwards);
  }
  (void)backwards;
  gemm_packed<P::trans_a, P::trans_b>(e, p, a, b, store);
}

template <class P, class A, class B, class STORE>
void gemm(exec &e, const P &p, const A *a, const B *b, STORE store) {
  gemm_from(e, p, a, b, store, /*backwards=*/false);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
