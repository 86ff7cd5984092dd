// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm_blocked_bytes: the product of bytes with a constant matrix, whose rows lie in quads. Several
// rows go through the panels of multiply.h, for which quads are read in place or become lanes of
// this machine; a single one takes rows of quads as they lie, and its sums are in the nearest
// cache.
#pragma once

#include "cameo/cpu/gemm.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Bytes of a quad of rows and a block of columns.
constexpr int64_t quad_block = column_block * quad;

/// The sums of a product of bytes: `parts_of_quad` lanes of a quad, all first ones of a row
/// in front of all second ones.
using byte_lane = gemm_element<uint8_t, int8_t>;
constexpr int parts_of_quad = quad / numbers_in<byte_lane>;

/// A part of a quad of inputs, whose bytes lie as they do in memory.
template <int PART, class LANE = byte_lane> CAMEO_INLINE LANE part_of_inputs(const uint8_t *x) {
  if constexpr (numbers_in<LANE> == 1)
    return x[PART];
  else if constexpr (numbers_in<LANE> == quad)
    return {load_quad(x)};
  else
    return {load_quad(x) >> (8 * PART) & 0xff00ff};
}

/// The same of quads of weights, of as many columns as a vector has.
template <int PART> CAMEO_INLINE quad_bytes part_of_weights(const int8_t *w) {
  const quad_bytes all = load_quads(w);
#if defined(CAMEO_DOTS_OF_BYTES)
  return all;
#elif defined(CAMEO_PAIRS_OF_SHORTS)
  const auto shorts = __builtin_bit_cast(vec<uint16_t>::type, all) << (PART == 0 ? 8 : 0);
  return __builtin_bit_cast(quad_bytes, __builtin_bit_cast(quad_shorts, shorts) >> 8);
#else
  const auto first = __builtin_bit_cast(quad_sums, all << static_cast<uint32_t>(24 - 8 * PART));
  return __builtin_bit_cast(quad_bytes, first >> 24);
#endif
}

/// Calls f(nth<PART>(), begin, end) for the quads [begin, end) of a row whose parts are the lanes
/// number [first, first + steps), in order.
template <class F, int... PART>
CAMEO_INLINE void for_parts(int64_t quads, int64_t first, int64_t steps, const F &f,
                            std::integer_sequence<int, PART...>) {
  const auto call = [&](auto part) {
    const int64_t from = first - decltype(part)::value * quads, to = from + steps;
    const int64_t begin = from > 0 ? from : 0, end = to < quads ? to : quads;
    if (begin < end)
      f(part, begin, end);
  };
  (call(nth<PART>()), ...);
}
template <class F>
CAMEO_INLINE void for_parts(int64_t quads, int64_t first, int64_t steps, const F &f) {
  for_parts(quads, first, steps, f, std::make_integer_sequence<int, parts_of_quad>());
}

/// The left operand: rows of k bytes.
struct byte_rows_of {
  const uint8_t *data;
  int64_t k;

  CAMEO_INLINE left_rows<byte_lane> rows(int64_t, int64_t, int64_t) const { return {nullptr, 0}; }
  CAMEO_INLINE void pack(int64_t, int64_t row, int64_t first, int64_t steps, byte_lane *to) const {
    const uint8_t *const from = data + row * k;
    for_parts(ceil_div(k, quad), first, steps, [&](auto part, int64_t begin, int64_t end) {
      constexpr int PART = decltype(part)::value;
      const int64_t whole = end * quad <= k ? end : end - 1;
      CAMEO_INDEPENDENT
      for (int64_t q = begin; q < whole; ++q)
        to[q - begin] = part_of_inputs<PART>(from + q * quad);
      to += end - begin;
      if (whole < end) {
        uint8_t last[quad] = {};
        for (int64_t i = whole * quad; i < k; ++i)
          last[i % quad] = from[i];
        to[-1] = part_of_inputs<PART>(last);
      }
    });
  }
};

/// The right operand.
struct byte_blocks {
  const int8_t *data;
  int64_t quads, blocks; // of rows, of columns

  CAMEO_INLINE panel_rows<byte_lane> panel(int64_t, int64_t column, int64_t columns, int64_t first,
                                           int64_t steps, byte_lane *buffer, int64_t width) const {
    const int64_t row = blocks * quad_block;
    const int8_t *const from =
        data + column / column_block * quad_block + column % column_block * quad;
    if constexpr (parts_of_quad == 1) {
      const auto *const lanes = reinterpret_cast<const byte_lane *>(from + first * row);
      if (columns > width - column_block)
        return {lanes, row / quad, column_block};
      if (columns <= column_block)
        return {lanes, row / quad, 0};
    }
    constexpr int64_t vector = vec<byte_lane>::lanes;
    byte_lane *to = buffer;
    for_parts(quads, first, steps, [&](auto part, int64_t begin, int64_t end) {
      for (int64_t q = begin; q < end; ++q, to += width) {
        CAMEO_PREFETCH(from + q * row + width * quad); // of the next panel
        for (int64_t j = 0; j < width; j += vector)
          store_vector(to + j, j < columns ? part_of_weights<decltype(part)::value>(from + q * row +
                                                                                    j * quad)
                                           : quad_bytes{});
      }
    });
    return {buffer, width, column_block};
  }
  CAMEO_INLINE panel_rows<byte_lane> ahead(int64_t, int64_t) const { return {nullptr, 0, 0}; }
};

/// Quads of rows that a single row of inputs takes at a time, and columns whose sums it keeps.
constexpr int quads_together = 4;
constexpr int64_t byte_row_columns = has_small_stack ? 128 : 2048;

/// sums[column] += the products of up to quads_together quads of inputs with rows of quads, which
/// are `row` apart; `columns` are whole blocks.
inline CAMEO_NOINLINE void add_quad_rows(const uint8_t *x, int64_t bytes, const int8_t *w,
                                         int64_t row, int64_t columns, int32_t *sums) {
  uint8_t own[quads_together * quad] = {};
  const int8_t *from[quads_together];
  for (int64_t i = 0; i < quads_together * quad && i < bytes; ++i)
    own[i] = x[i];
  for (int64_t q = 0; q < quads_together; ++q)
    from[q] = w + (q * quad < bytes ? q : 0) * row;
  const quad_inputs inputs[quads_together] = {quad_inputs(own), quad_inputs(own + quad),
                                              quad_inputs(own + 2 * quad),
                                              quad_inputs(own + 3 * quad)};
  for (int64_t j = 0; j < columns; j += vec<int32_t>::lanes) {
    quad_sums acc = load_vector(sums + j);
    CAMEO_UNROLL_ALL
    for (int q = 0; q < quads_together; ++q)
      acc = add_products(acc, inputs[q], quad_weights(from[q] + j * quad));
    store_vector(sums + j, acc);
  }
}

/// A single row of k bytes.
template <class STORE>
CAMEO_INLINE void multiply_byte_row(exec &e, int64_t n, int64_t k, const uint8_t *x,
                                    const int8_t *b, const STORE &store) {
  const int64_t blocks = ceil_div(n, column_block), row = blocks * quad_block;
  constexpr int64_t together = quads_together * quad, most = byte_row_columns / column_block;
  parallel_range(e, blocks, k * 2 + 1, [&](int64_t begin, int64_t end) {
    const STORE own = store;
    for (int64_t first = begin; first < end; first += most) {
      const int64_t columns = (end - first < most ? end - first : most) * column_block;
      alignas(64) int32_t sums[byte_row_columns];
      for (int64_t j = 0; j < columns; ++j)
        sums[j] = 0;
      for (int64_t t = 0; t < k; t += together)
        add_quad_rows(x + t, k - t, b + t / quad * row + first * quad_block, row, columns, sums);
      const int64_t from = first * column_block, stored = columns < n - from ? columns : n - from;
      store_range(
          0, stored, own,
          [&](int64_t j) {
            return index<2>{{0, from + j}};
          },
          [&](int64_t j) { return sums[j]; });
    }
  });
}

template <class P> CAMEO_INLINE multiply_plan plan_bytes(const P &p) {
  return plan_multiply<byte_lane>(1, p.m, p.n, ceil_div(p.k, quad) * parts_of_quad);
}

/// Bytes that gemm_blocked_bytes takes from e.scratch.
template <class P> int64_t gemm_blocked_bytes_scratch(const P &p, int threads) {
  if (p.m <= 1 || p.n <= 0)
    return 0;
  return plan_bytes(p).elements(threads) * static_cast<int64_t>(sizeof(byte_lane));
}

template <class P, class STORE>
void gemm_blocked_bytes(exec &e, const P &p, const uint8_t *a, const int8_t *b, STORE store) {
  if (p.m <= 0 || p.n <= 0)
    return;
  CAMEO_OPERATIONS(2 * p.m * p.n * p.k);
  if (p.m == 1)
    multiply_byte_row(e, p.n, p.k, a, b, store);
  else
    gemm_panels<byte_lane, int32_t>(
        e, plan_bytes(p), index<0>{}, byte_rows_of{a, p.k},
        byte_blocks{b, ceil_div(p.k, quad), ceil_div(p.n, column_block)}, store);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
