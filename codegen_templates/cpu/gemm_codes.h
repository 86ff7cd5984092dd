// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm_codes: gemm by a matrix whose elements are codes of few bits. A few rows take each code from
// memory to a product in registers; more of them share panels of floats that each thread makes.
#pragma once

#include "cameo/cpu/gemm.h"
#include "cameo/pack/columns.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

static_assert(column_block == column_lanes, "packed columns are those of a register tile");

using code_vector = vec<int32_t>::type;
using weight_vector = vec<float>::type;

CAMEO_INLINE code_vector load_codes(const uint32_t *from) {
  return load_vector(reinterpret_cast<const int32_t *>(from));
}
CAMEO_INLINE weight_vector convert_codes(code_vector v) {
#if CAMEO_VECTOR_BYTES > 0
  return __builtin_convertvector(v, weight_vector);
#else
  return static_cast<float>(v);
#endif
}

/// The right operand: column_blocks of codes, of scales and of zero points, of which the steps are
/// the groups.
template <class P> struct coded_matrix {
  static constexpr int together = 32 / P::bits, lanes = vec<float>::lanes;
  /// Vectors of a block, and of what a panel has of it.
  static constexpr int vectors = column_block / lanes;
  static constexpr int panel_vectors =
      tile_shape::vectors < vectors ? tile_shape::vectors : vectors;
  const P &p;
  const uint32_t *codes;
  const float *scales;
  const uint32_t *zero_points; // null: all are p.zero_point

  /// Hands each of `steps` rows from k0 on, which begins a number, to use(row, values): those of
  /// VECTORS vectors from `column` on, and of as many in each of BLOCKS blocks.
  template <int BLOCKS, int VECTORS, class USE>
  CAMEO_INLINE void walk(int64_t column, int64_t k0, int64_t steps, USE &&use) const {
    const column_blocks places = {p.n, p.k, column_block, together};
    const int64_t end = k0 + steps, distance = places.rows() * column_block;
    for (int64_t k = k0; k < end;) {
      const int64_t group = k / p.group, last = (group + 1) * p.group;
      const group_of<BLOCKS, VECTORS> numbers(*this, column, group);
      const int64_t stop = last < end ? last : end;
      const uint32_t *from = codes + places.number(column, k);
      for (; k + together <= stop; k += together, from += column_block)
        numbers.take(from, distance, k, together, use);
      if (k < stop) {
        numbers.take(from, distance, k, static_cast<int>(stop - k), use);
        k = stop;
      }
    }
  }

  CAMEO_INLINE panel_rows<float> panel(int64_t, int64_t column, int64_t columns, int64_t k0,
                                       int64_t steps, float *buffer, int64_t width) const {
    const int64_t row = width < column_block ? width : column_block;
    for (int64_t b = 0; b < width; b += panel_vectors * lanes) {
      float *const to = buffer + b / column_block * steps * column_block + b % column_block;
      if (b < columns)
        walk<1, panel_vectors>(column + b, k0, steps, [&](int64_t k, const auto &values) {
          for (int v = 0; v < panel_vectors; ++v)
            store_vector(to + (k - k0) * row + v * lanes, values[0][v]);
        });
      else
        for (int64_t t = 0; t < steps; ++t)
          for (int v = 0; v < panel_vectors; ++v)
            store_vector(to + t * row + v * lanes, weight_vector{});
    }
    return {buffer, row, steps * column_block};
  }
  CAMEO_INLINE panel_rows<float> ahead(int64_t, int64_t) const { return {nullptr, 0, 0}; }

  /// Number `i` of those that lie in each lane.
  static CAMEO_INLINE code_vector extract(code_vector v, int64_t i) {
    return v >> static_cast<int32_t>(i * P::bits) & ((1 << P::bits) - 1);
  }

  /// The scales and zero points that a group of rows has in common.
  template <int BLOCKS, int VECTORS> struct group_of {
    weight_vector scale[array_size(BLOCKS)][array_size(VECTORS)];
    code_vector zero[array_size(BLOCKS)][array_size(VECTORS)];

    CAMEO_INLINE group_of(const coded_matrix &m, int64_t column, int64_t group) {
      const int64_t groups = ceil_div(m.p.k, m.p.group);
      const column_blocks scale_places = {m.p.n, groups, column_block, 1};
      const column_blocks zero_places = {m.p.n, groups, column_block, together};
      CAMEO_UNROLL_ALL
      for (int b = 0; b < BLOCKS; ++b)
        CAMEO_UNROLL_ALL
      for (int v = 0; v < VECTORS; ++v) {
        const int64_t at = column + b * column_block + v * lanes;
        scale[b][v] = load_vector(m.scales + scale_places.number(at, group));
        zero[b][v] = static_cast<int32_t>(m.p.zero_point) - code_vector{};
        if (m.zero_points != nullptr)
          zero[b][v] = extract(load_codes(m.zero_points + zero_places.number(at, group)),
                               zero_places.part(group));
      }
    }

    /// The first `count` steps of a row of numbers.
    template <class USE>
    CAMEO_INLINE void take(const uint32_t *from, int64_t distance, int64_t k, int count,
                           USE &use) const {
      code_vector numbers[array_size(BLOCKS)][array_size(VECTORS)];
      CAMEO_UNROLL_ALL
      for (int b = 0; b < BLOCKS; ++b)
        CAMEO_UNROLL_ALL
      for (int v = 0; v < VECTORS; ++v)
        numbers[b][v] = load_codes(from + b * distance + v * lanes);
      CAMEO_UNROLL_ALL
      for (int i = 0; i < together; ++i) {
        if (i >= count)
          return;
        weight_vector values[array_size(BLOCKS)][array_size(VECTORS)];
        CAMEO_UNROLL_ALL
        for (int b = 0; b < BLOCKS; ++b)
          CAMEO_UNROLL_ALL
        for (int v = 0; v < VECTORS; ++v)
          values[b][v] = convert_codes(extract(numbers[b][v], i) - zero[b][v]) * scale[b][v];
        use(k + i, values);
      }
    }
  };
};

/// Rows of a that take each code together, and blocks of columns.
constexpr int coded_rows = vec<float>::lanes >= 8 ? 4 : 1;
constexpr int coded_blocks = vec<float>::lanes == column_block ? 2 : 1;

/// Adds the products of a row of values with that element of each row of a.
template <int MR, int BLOCKS, int VECTORS> struct coded_sums {
  const float *a;
  int64_t depth;
  weight_vector sums[array_size(MR)][array_size(BLOCKS)][array_size(VECTORS)];

  CAMEO_INLINE void
  operator()(int64_t k, const weight_vector (&values)[array_size(BLOCKS)][array_size(VECTORS)]) {
    CAMEO_CONTRACT_BODY;
    CAMEO_UNROLL_ALL
    for (int r = 0; r < MR; ++r)
      CAMEO_UNROLL_ALL
    for (int c = 0; c < BLOCKS; ++c)
      CAMEO_UNROLL_ALL
    for (int v = 0; v < VECTORS; ++v)
      add_product(sums[r][c][v], a[r * depth + k], values[c][v]);
  }
};

template <int MR, int BLOCKS, class P>
CAMEO_CONTRACT void multiply_codes(const float *a, const coded_matrix<P> &b, int64_t column,
                                   float (&out)[array_size(MR)][coded_blocks * column_block]) {
  CAMEO_CONTRACT_BODY;
  constexpr int vectors = coded_matrix<P>::vectors, lanes = vec<float>::lanes;
  coded_sums<MR, BLOCKS, vectors> all = {a, b.p.k, {}};
  b.template walk<BLOCKS, vectors>(column, 0, b.p.k, all);
  CAMEO_UNROLL_ALL
  for (int r = 0; r < MR; ++r)
    CAMEO_UNROLL_ALL
  for (int c = 0; c < BLOCKS; ++c)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < vectors; ++v)
    store_vector(&out[r][c * column_block + v * lanes], all.sums[r][c][v]);
}

/// The product of MR rows, coded_blocks blocks of columns at a time.
template <int MR, class P, class STORE>
CAMEO_INLINE void multiply_few(exec &e, const float *a, const coded_matrix<P> &b,
                               const STORE &store) {
  constexpr int64_t width = coded_blocks * column_block;
  const int64_t n = b.p.n;
  parallel_range(e, ceil_div(n, width), MR * width * b.p.k / 8 + 1, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      const int64_t column = i * width, columns = n - column < width ? n - column : width;
      float out[array_size(MR)][width];
      if (columns > width - column_block)
        multiply_codes<MR, coded_blocks>(a, b, column, out);
      else
        multiply_codes<MR, 1>(a, b, column, out);
      for (int64_t r = 0; r < MR; ++r) {
        const auto row = row_of(store, index<1>{{r}}, 0);
        for_columns<width>(columns, [&](int64_t c) { row(column + c, out[r][c]); });
      }
    }
  });
}

template <class P> CAMEO_INLINE multiply_plan plan_codes(const P &p) {
  return plan_multiply<float>(1, p.m, p.n, p.k, 32 / P::bits);
}

/// Bytes that gemm_codes takes from e.scratch.
template <class P> int64_t gemm_codes_scratch(const P &p, int threads) {
  if (p.m <= coded_rows || p.n <= 0)
    return 0;
  return plan_codes(p).elements(threads) * static_cast<int64_t>(sizeof(float));
}

template <class P, class STORE>
void gemm_codes(exec &e, const P &p, const float *a, const uint32_t *codes, const float *scales,
                const uint32_t *zero_points, STORE store) {
  if (p.m <= 0 || p.n <= 0)
    return;
  CAMEO_OPERATIONS(2 * p.m * p.n * p.k);
  const coded_matrix<P> right = {p, codes, scales, zero_points};
  if (p.m <= coded_rows) {
    pick<numbers_to(coded_rows)>(p.m, [](auto n) {
      return &multiply_few<decltype(n)::value, P, STORE>;
    })(e, a, right, store);
    return;
  }
  const gemm_a<float, float, false, 0> left = {a, p.k, p.k, p.m, {}, {}};
  gemm_panels<float, float>(e, plan_codes(p), index<0>{}, left, right, store);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
