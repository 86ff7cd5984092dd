// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm_codes_bytes: gemm_codes with each group of a row of a rounded to bytes by a scale of its
// own. Products are of integers, whose sum becomes a float once a group. Bytes lie as codes do in
// their numbers: a shift and a mask of a vector of numbers give four codes of each of its columns,
// for four neighbours of the row.
#pragma once

#include "cameo/cpu/gemm_codes.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Whether rows are rounded: without vectors, sums of bytes take longer than those of floats, which
/// compilers make vectors of where a machine has them all the same.
constexpr bool rounds_rows = CAMEO_VECTOR_BYTES > 0;

/// Sums of products of quads of codes with quads of signed bytes, in each lane; `most`: quads that
/// one has room for.
template <int BITS> struct code_sums {
  static constexpr int64_t most = 1 << 14;
  quad_sums all = {};

  CAMEO_INLINE void add(quad_bytes codes, uint32_t x) {
#if defined(CAMEO_DOTS_OF_BYTES) || defined(CAMEO_PAIRS_OF_SHORTS)
    all = add_products(all, quad_inputs(codes), quad_weights(x - quad_bytes{}));
#else
    auto sums = __builtin_bit_cast(quad_bytes, all);
    CAMEO_UNROLL_ALL
    for (uint32_t i = 0; i < quad; ++i) {
      const auto byte = static_cast<int8_t>(x >> 8 * i);
      sums += (codes >> 8 * i & 0xff) * static_cast<uint32_t>(static_cast<int32_t>(byte));
    }
    all = __builtin_bit_cast(quad_sums, sums);
#endif
  }
  CAMEO_INLINE quad_sums total() const { return all; }
};

#if defined(CAMEO_PAIRS_OF_BYTES)
/// Sums of 16 bits, where products are small.
template <int BITS> struct short_code_sums {
  static constexpr int64_t most = 32767 / (2 * 127 * ((1 << BITS) - 1));
  quad_shorts all = {};

  CAMEO_INLINE void add(quad_bytes codes, uint32_t x) {
    all += sum_byte_pairs(codes, x - quad_bytes{});
  }
  CAMEO_INLINE quad_sums total() const { return sum_pairs(all, quad_shorts{} + 1); }
};
template <> struct code_sums<2> : short_code_sums<2> {};
template <> struct code_sums<4> : short_code_sums<4> {};
#endif

/// Rows of a tile, and up to how many take two vectors of columns together.
constexpr int rounded_tile_rows = CAMEO_VECTOR_BYTES == 64 ? 8 : 4;
constexpr int wide_rounded_rows = CAMEO_VECTOR_BYTES == 64 ? 2 : 1;

/// Rows of a tile as bytes: quads[number][part][row], scales[group][row], and the negative sums of
/// groups, for the zero points.
struct rows_of_bytes {
  uint32_t *quads;
  float *scales;
  int32_t *sums;
};

/// How rows lie, some panels of them at a time.
template <class P> struct rounded_plan : row_panels {
  static constexpr int together = 32 / P::bits, parts = 8 / P::bits;
  int64_t numbers, groups, numbers_in_group;
  int64_t at_once; // panels

  CAMEO_INLINE explicit rounded_plan(const P &p) : row_panels{} {
    constexpr int64_t budget = 384 << 10; // bytes in the second-level cache
    cut(p.m, rounded_tile_rows);
    numbers = ceil_div(p.k, together);
    groups = ceil_div(p.k, p.group);
    numbers_in_group = groups > 1 ? p.group / together : numbers;
    const int64_t fitting = budget / (height * bytes_of_row() + 1);
    at_once = fitting < 1 ? 1 : fitting < panels ? fitting : panels;
  }
  CAMEO_INLINE int64_t bytes_of_row() const {
    return 4 * numbers * parts + static_cast<int64_t>(sizeof(float) + sizeof(int32_t)) * groups;
  }
  /// Never 0, for which there is no memory.
  int64_t bytes() const { return at_once * height * bytes_of_row() + 4; }
  /// Row number `row` of those in memory, which begins a panel.
  CAMEO_INLINE rows_of_bytes rows(uint32_t *memory, int64_t row) const {
    const int64_t most = at_once * height;
    uint32_t *const scales = memory + most * numbers * parts, *const sums = scales + most * groups;
    return {memory + row * numbers * parts, reinterpret_cast<float *>(scales) + row * groups,
            reinterpret_cast<int32_t *>(sums) + row * groups};
  }
};

/// Bits of |x|, which order as the numbers do, with NaN last.
CAMEO_INLINE int32_t magnitude(float x) { return __builtin_bit_cast(int32_t, x) & 0x7fffffff; }

/// Rounds some numbers of a group to bytes.
CAMEO_INLINE void round_bytes(const float *x, int64_t count, int32_t most, float inverse,
                              int32_t *to) {
  constexpr int32_t infinity = 0x7f800000;
  if (most >= infinity) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = magnitude(x[i]) != infinity ? 0 : x[i] > 0 ? 1 : -1;
    return;
  }
  // 1.5 * 2^23, beyond which floats are integers, and what its bits begin at.
  constexpr float whole = 12582912.0f;
  constexpr int32_t first = 0x4b400000;
  CAMEO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i)
    to[i] = __builtin_bit_cast(int32_t, x[i] * inverse + whole) - first;
}

/// Numbers of which a group is rounded at a time.
constexpr int rounded_at_once = 64;

/// The outcome of rounding a group: its scale, and the sum of its bytes.
struct rounded_group {
  float scale;
  int32_t sum;
};

/// Rounds a group of a row of `height`: `count` numbers, whose quads begin at `quads`.
template <int PARTS>
CAMEO_INLINE rounded_group round_group(const float *x, int64_t count, int64_t height,
                                       uint32_t *quads) {
  constexpr int together = quad * PARTS;
  constexpr int32_t least = 0x04000000; // 1.5e-36: 127 by anything smaller may be infinite
  int32_t most = 0, sum = 0;
  CAMEO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    const int32_t bits = magnitude(x[i]);
    most = bits > most ? bits : most;
  }
  const auto largest = __builtin_bit_cast(float, most);
  const float inverse = most < least ? 0 : 127 / largest;
  for (int64_t begin = 0; begin < count; begin += rounded_at_once) {
    const int64_t left = count - begin, here = left < rounded_at_once ? left : rounded_at_once;
    int32_t whole[rounded_at_once] = {};
    round_bytes(x + begin, here, most, inverse, whole);
    CAMEO_INDEPENDENT
    for (int i = 0; i < rounded_at_once; ++i)
      sum += whole[i];
    for (int64_t i = 0; i < here; i += together)
      CAMEO_UNROLL_ALL
    for (int part = 0; part < PARTS; ++part, quads += height) {
      const int32_t *const from = whole + i + part;
      const auto byte = [&](int j) { return static_cast<uint32_t>(from[j * PARTS] & 0xff); };
      *quads = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
    }
  }
  return {most < least ? 0 : most < 0x7f800000 ? largest / 127 : largest, sum};
}

/// Rounds the rows of a panel.
template <class P>
CAMEO_INLINE void round_panel(const P &p, const rounded_plan<P> &plan, const float *a,
                              int64_t panel, const rows_of_bytes &to) {
  const int64_t first = plan.panel_row(panel), height = plan.panel_height(panel);
  for (int64_t r = 0; r < height; ++r)
    for (int64_t g = 0; g < plan.groups; ++g) {
      const int64_t k = g * p.group, left = p.k - k, count = left < p.group ? left : p.group;
      const rounded_group group = round_group<rounded_plan<P>::parts>(
          a + (first + r) * p.k + k, count, height,
          to.quads + g * plan.numbers_in_group * plan.parts * height + r);
      to.scales[g * height + r] = group.scale;
      to.sums[g * height + r] = -group.sum;
    }
}

/// MR rows by VECTORS vectors of BLOCKS blocks of columns, from `column` on.
template <int MR, int BLOCKS, int VECTORS, class P>
CAMEO_CONTRACT void multiply_bytes(const rounded_plan<P> &plan, const rows_of_bytes &rows,
                                   const coded_matrix<P> &b, int64_t column, float *out) {
  CAMEO_CONTRACT_BODY;
  using sums_type = code_sums<P::bits>;
  constexpr int lanes = vec<float>::lanes, parts = rounded_plan<P>::parts, NV = BLOCKS * VECTORS;
  constexpr uint32_t mask = 0xffffffff / 255 * ((1 << P::bits) - 1);
  constexpr int64_t most = sums_type::most / parts;
  const column_blocks places = {b.p.n, b.p.k, column_block, plan.together};
  const int64_t distance = plan.numbers * column_block;
  const uint32_t *from = b.codes + places.number(column, 0), *x = rows.quads;
  weight_vector result[array_size(MR)][array_size(NV)] = {};
  for (int64_t g = 0; g < plan.groups; ++g) {
    const typename coded_matrix<P>::template group_of<BLOCKS, VECTORS> numbers(b, column, g);
    quad_sums totals[array_size(MR)][array_size(NV)];
    CAMEO_UNROLL_ALL
    for (int i = 0; i < MR * NV; ++i)
      totals[i / NV][i % NV] =
          numbers.zero[i % NV / VECTORS][i % VECTORS] * rows.sums[g * MR + i / NV];
    const int64_t rest = plan.numbers - g * plan.numbers_in_group;
    for (int64_t left = rest < plan.numbers_in_group ? rest : plan.numbers_in_group; left > 0;) {
      sums_type sums[array_size(MR)][array_size(NV)];
      const int64_t here = left < most ? left : most;
      for (int64_t n = 0; n < here; ++n, from += column_block, x += parts * MR) {
        quad_bytes codes[array_size(NV)];
        CAMEO_UNROLL_ALL
        for (int v = 0; v < NV; ++v)
          codes[v] = load_vector(from + v / VECTORS * distance + v % VECTORS * lanes);
        CAMEO_UNROLL_ALL
        for (int part = 0; part < parts; ++part)
          CAMEO_UNROLL_ALL
        for (int v = 0; v < NV; ++v) {
          const quad_bytes own = codes[v] >> static_cast<uint32_t>(part * P::bits) & mask;
          CAMEO_UNROLL_ALL
          for (int r = 0; r < MR; ++r)
            sums[r][v].add(own, x[part * MR + r]);
        }
      }
      CAMEO_UNROLL_ALL
      for (int i = 0; i < MR * NV; ++i)
        totals[i / NV][i % NV] += sums[i / NV][i % NV].total();
      left -= here;
    }
    CAMEO_UNROLL_ALL
    for (int i = 0; i < MR * NV; ++i)
      result[i / NV][i % NV] +=
          convert_codes(totals[i / NV][i % NV]) *
          (numbers.scale[i % NV / VECTORS][i % VECTORS] * rows.scales[g * MR + i / NV]);
  }
  CAMEO_UNROLL_ALL
  for (int i = 0; i < MR * NV; ++i)
    store_vector(out + i / NV * coded_blocks * column_block + i % NV / VECTORS * column_block +
                     i % VECTORS * lanes,
                 result[i / NV][i % NV]);
}

/// A panel by `columns` columns, which are up to coded_blocks blocks.
template <int MR, class P, class STORE>
CAMEO_INLINE void multiply_panel(const rounded_plan<P> &plan, const rows_of_bytes &rows,
                                 int64_t row, const coded_matrix<P> &b, int64_t column,
                                 int64_t columns, const STORE &store) {
  constexpr int64_t width = coded_blocks * column_block;
  constexpr int lanes = vec<float>::lanes;
  constexpr bool is_wide = MR <= wide_rounded_rows;
  constexpr int vectors = is_wide && lanes < column_block ? 2 : 1;
  float out[array_size(MR)][width];
  for (int64_t block = 0; block < columns; block += column_block) {
    if constexpr (is_wide && coded_blocks == 2)
      if (columns > column_block) {
        multiply_bytes<MR, 2, 1>(plan, rows, b, column, out[0]);
        break;
      }
    for (int64_t v = block; v < block + column_block; v += vectors * lanes)
      multiply_bytes<MR, 1, vectors>(plan, rows, b, column + v, out[0] + v);
  }
  for (int64_t r = 0; r < MR; ++r) {
    const auto to = row_of(store, index<1>{{row + r}}, 0);
    for_columns<width>(columns, [&](int64_t c) { to(column + c, out[r][c]); });
  }
}

/// Bytes that gemm_codes_bytes takes from e.scratch.
template <class P> int64_t gemm_codes_bytes_scratch(const P &p, [[maybe_unused]] int threads) {
  if constexpr (!rounds_rows)
    return gemm_codes_scratch(p, threads);
  else
    return p.m <= 0 || p.n <= 0 ? 0 : rounded_plan<P>(p).bytes();
}

template <class P, class STORE>
CAMEO_INLINE void multiply_rounded(exec &e, const P &p, const float *a,
                                   const coded_matrix<P> &right, const STORE &store) {
  CAMEO_OPERATIONS(2 * p.m * p.n * p.k);
  constexpr int64_t width = coded_blocks * column_block;
  const rounded_plan<P> plan(p);
  auto *const memory = static_cast<uint32_t *>(e.scratch(static_cast<size_t>(plan.bytes())));
  if (memory == nullptr)
    return;
  for (int64_t first = 0; first < plan.panels; first += plan.at_once) {
    const int64_t left = plan.panels - first, count = left < plan.at_once ? left : plan.at_once;
    const auto rows_of = [&](int64_t i) {
      return plan.rows(memory, plan.panel_row(first + i) - plan.panel_row(first));
    };
    parallel_range(e, count, plan.height * p.k, [&](int64_t i, int64_t end) {
      for (; i < end; ++i)
        round_panel(p, plan, a, first + i, rows_of(i));
    });
    const int64_t rows = count * plan.height;
    parallel_range(e, ceil_div(p.n, width), rows * width * p.k / 16 + 1,
                   [&](int64_t unit, int64_t end) {
                     for (; unit < end; ++unit) {
                       const int64_t column = unit * width, rest = p.n - column;
                       for (int64_t i = 0; i < count; ++i)
                         pick<numbers_to(rounded_tile_rows)>(
                             plan.panel_height(first + i),
                             [](auto n) { return &multiply_panel<decltype(n)::value, P, STORE>; })(
                             plan, rows_of(i), plan.panel_row(first + i), right, column,
                             rest < width ? rest : width, store);
                     }
                   });
  }
}

template <class P, class STORE>
void gemm_codes_bytes(exec &e, const P &p, const float *a, const uint32_t *codes,
                      const float *scales, const uint32_t *zero_points, STORE store) {
  if constexpr (!rounds_rows)
    gemm_codes(e, p, a, codes, scales, zero_points, store);
  else if (p.m > 0 && p.n > 0)
    multiply_rounded(e, p, a, coded_matrix<P>{p, codes, scales, zero_points}, store);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
