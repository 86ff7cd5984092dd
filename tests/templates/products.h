// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices as tests ask for them, and by a plain loop.
#pragma once

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
