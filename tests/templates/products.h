// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices as tests ask for them, and by a plain loop.
#pragma once

#include "cameo/pack/columns.h"
#include "machine.h"

namespace cameo::test {

template <bool TRANS_A, bool TRANS_B> struct plain_product {
  static constexpr int batch_rank = 0;
  static constexpr bool trans_a = TRANS_A, trans_b = TRANS_B;
  int64_t m, n, k;
};
template <bool TRANS_B> struct batched_product {
  static constexpr int batch_rank = 2;
  static constexpr bool trans_a = false, trans_b = TRANS_B;
  int64_t m, n, k;
  int64_t batch[2], a_batch_stride[2], b_batch_stride[2];
};
template <bool TRANS_A, bool TRANS_B, int64_t M, int64_t N, int64_t K> struct constant_product {
  static constexpr int batch_rank = 0;
  static constexpr bool trans_a = TRANS_A, trans_b = TRANS_B;
  static constexpr int64_t m = M, n = N, k = K;
};

template <int BITS> struct coded_product {
  static constexpr int bits = BITS;
  int64_t m, n, k, group, zero_point;
};

/// A matrix of codes as products read it, and the same matrix of T, [k][n].
template <class T> struct coded_columns {
  std::vector<uint32_t> codes, zero_points;
  std::vector<T> scales, floats;

  /// `common`: the zero point of all; negative: each group has its own.
  coded_columns(int64_t n, int64_t k, int64_t group, int bits, int64_t common) {
    const int64_t together = 32 / bits, groups = (k + group - 1) / group;
    const column_blocks code{n, k, 16, together}, zero{n, groups, 16, together},
        scale{n, groups, 16, 1};
    random_values random(static_cast<uint64_t>(n * 13 + k * 3 + bits));
    const auto size = [](const column_blocks &b) {
      return static_cast<size_t>(b.blocks() * b.rows() * b.lanes);
    };
    const auto draw = [&] {
      return static_cast<uint32_t>(random.vector<uint8_t>(1)[0]) % (1u << bits);
    };
    codes.resize(size(code));
    zero_points.resize(size(zero));
    scales.resize(size(scale));
    floats.resize(static_cast<size_t>(n * k));
    for (int64_t j = 0; j < n; ++j)
      for (int64_t g = 0; g < groups; ++g) {
        const uint32_t own = draw(), taken = common < 0 ? own : static_cast<uint32_t>(common);
        const T by = random.vector<T>(1)[0];
        zero_points[static_cast<size_t>(zero.number(j, g))] |=
            own << bits * static_cast<int>(zero.part(g));
        scales[static_cast<size_t>(scale.number(j, g))] = by;
        for (int64_t t = g * group; t < k && t < (g + 1) * group; ++t) {
          const uint32_t drawn = draw();
          codes[static_cast<size_t>(code.number(j, t))] |= drawn
                                                           << bits * static_cast<int>(code.part(t));
          floats[static_cast<size_t>(t * n + j)] =
              cast<T>((static_cast<float>(drawn) - static_cast<float>(taken)) * cast<float>(by));
        }
      }
  }
};

/// Row-major output, batch dims first.
template <class C, int R> struct dense_sums {
  C *c;
  index<R> extents;
  CAMEO_DEVICE void operator()(const index<R> &i, C v) const { c[flatten(i, extents)] = v; }
};

/// The same of two dims, by neighbours where the columns are multiples of them.
template <class C, int WIDEST> struct wide_sums {
  C *c;
  int64_t columns;
  static constexpr int widest = WIDEST;
  CAMEO_DEVICE bool is_aligned() const {
    return reinterpret_cast<uintptr_t>(c) % 16 == 0 && columns % WIDEST == 0;
  }
  CAMEO_DEVICE void operator()(const index<2> &i, float v) const {
    c[i[0] * columns + i[1]] = cast<C>(v);
  }
  template <int N, class SUMS> CAMEO_DEVICE void wide(const index<2> &i, const SUMS &sums) const {
    for (int j = 0; j < N; ++j)
      c[i[0] * columns + i[1] + j] = cast<C>(sums.item[j]);
  }
};

/// In the order of the outputs, of matrices that begin at elements `a0` and `b0`.
template <class C, class A, class B>
std::vector<double> expected_product(const std::vector<A> &a, const std::vector<B> &b, int64_t a0,
                                     int64_t b0, int64_t m, int64_t n, int64_t k, bool ta,
                                     bool tb) {
  std::vector<double> c;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      using sum_type = std::conditional_t<std::is_integral_v<C>, uint64_t, double>;
      sum_type sum = 0;
      for (int64_t t = 0; t < k; ++t)
        sum += static_cast<sum_type>(
                   cast<C>(a[static_cast<size_t>(a0 + (ta ? t * m + i : i * k + t))])) *
               static_cast<sum_type>(
                   cast<C>(b[static_cast<size_t>(b0 + (tb ? j * k + t : t * n + j))]));
      c.push_back(static_cast<double>(static_cast<C>(sum)));
    }
  return c;
}

} // namespace cameo::test
