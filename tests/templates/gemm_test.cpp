// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm against the definition: odd sizes around every tile edge, transposes, batches with
// broadcast, element types, empty extents, a fused store; and the same bits for any number of
// threads.
#include "products.h"

#include CAMEO_TEMPLATE(gemm.h)
#if !defined(CAMEO_TEST_CUDA)
#include "cameo/cpu/gemm_bytes.h"
#include "cameo/cpu/gemm_codes.h"
#endif

namespace cameo::test {
namespace {

struct static_gemm {
  static constexpr int batch_rank = 1;
  static constexpr bool trans_a = true, trans_b = false;
  static constexpr int64_t m = 30, n = 17, k = 5;
  static constexpr int64_t batch[1] = {3}, a_batch_stride[1] = {150}, b_batch_stride[1] = {0};
};

template <bool TA, bool TB, class A, class B>
void check_plain(int64_t m, int64_t n, int64_t k, double error) {
  using C = product_t<A, B>;
  INFO("m " << m << " n " << n << " k " << k << " trans " << TA << TB);
  random_values random(static_cast<uint64_t>(m * 31 + n * 7 + k));
  const std::vector<A> a = random.vector<A>(m * k);
  const std::vector<B> b = random.vector<B>(k * n);
  std::vector<C> first;
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<A> x(mach, a);
    array<B> y(mach, b);
    array<C> c(mach, m * n);
    mach.run([&](exec &e) {
      gemm(e, plain_product<TA, TB>{m, n, k}, x.data(), y.data(),
           dense_sums<C, 2>{c, index<2>{{m, n}}});
    });
    const std::vector<C> got = c.values();
    CHECK(worst_error(got, expected_product<C>(a, b, 0, 0, m, n, k, TA, TB)) <= error);
    if (first.empty())
      first = got;
    CHECK(got == first);
  }
}

TEST_CASE("gemm at tile edges") {
  for (int64_t m : {1, 2, 3, 4, 5, 13, 14, 15, 29})
    for (int64_t n : {1, 16, 31, 33, 65})
      check_plain<false, false, float, float>(m, n, 19, 1e-6);
  for (int64_t m : {1, 2, 3, 4, 7, 15})
    for (int64_t n : {1, 5, 33}) {
      check_plain<false, true, float, float>(m, n, 37, 1e-6);
      check_plain<true, false, float, float>(m, n, 12, 1e-6);
      check_plain<true, true, float, float>(m, n, 12, 1e-6);
    }
}

TEST_CASE("gemm of a few rows or columns, wherever the other operand lies") {
  for (int64_t few : {1, 2, 3, 4, 5})
    for (int64_t length : {5, 15, 16, 17, 32, 63, 64, 65, 128, 700, 2100})
      for (int64_t k : {1, 3, 15, 16, 29, 64}) {
        check_plain<false, false, float, float>(few, length, k, 2e-6);
        check_plain<true, false, float, float>(few, length, k, 2e-6);
        check_plain<false, true, float, float>(few, length, k, 2e-6);
        check_plain<false, false, float, float>(length, few, k, 2e-6);
        check_plain<true, false, float, float>(length, few, k, 2e-6);
        check_plain<false, true, float, float>(length, few, k, 2e-6);
        check_plain<true, true, float, float>(length, few, k, 2e-6);
      }
  for (int64_t length : {7, 8, 40, 1200})
    for (int64_t few : {1, 2, 3, 4}) {
      check_plain<false, false, double, double>(few, length, 37, 1e-14);
      check_plain<false, false, double, double>(length, few, 37, 1e-14);
      check_plain<true, true, double, double>(length, few, 37, 1e-14);
    }
  check_plain<false, false, float, float>(3, 5000, 33, 2e-6);
  check_plain<false, false, half, half>(3, 300, 33, 1e-6);
  check_plain<false, false, int32_t, int32_t>(3, 300, 33, 0);
  for (int64_t few : {1, 2, 4}) {
    check_plain<false, false, float, float>(few, 300, 0, 0);
    check_plain<true, false, float, float>(300, few, 0, 0);
    check_plain<false, false, float, float>(300, few, 0, 0);
    check_plain<false, false, float, float>(few, 0, 20, 0);
    check_plain<false, false, float, float>(0, few, 20, 0);
  }
}

TEST_CASE("gemm reads numbers that are not finite where they are, and no others") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  // The last of 19 steps are filled up, and the last of 70 columns read twice.
  for (const index<2> &size : {index<2>{{1, 70}}, {{3, 70}}, {{70, 1}}, {{70, 3}}, {{70, 18}}}) {
    const int64_t m = size[0], n = size[1], k = 19;
    std::vector<float> a(static_cast<size_t>(m * k), -0.0f), b(static_cast<size_t>(k * n), 1.0f);
    a[static_cast<size_t>((m - 1) * k + 17)] = nan;
    b[static_cast<size_t>(18 * n + n - 1)] = infinity;
    machine mach;
    array<float> x(mach, a), y(mach, b), c(mach, m * n);
    mach.run([&](exec &e) {
      gemm(e, plain_product<false, false>{m, n, k}, x.data(), y.data(),
           dense_sums<float, 2>{c, index<2>{{m, n}}});
    });
    const std::vector<float> got = c.values();
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const bool is_nan = i == m - 1 || j == n - 1;
        INFO("m " << m << " n " << n << " at " << i << ", " << j);
        CHECK(std::isnan(got[static_cast<size_t>(i * n + j)]) == is_nan);
      }
  }
}

TEST_CASE("gemm over several blocks of k and of rows") {
  check_plain<false, false, float, float>(33, 40, 3300, 3e-6);
  check_plain<false, true, float, float>(250, 35, 64, 2e-6);
}

TEST_CASE("gemm in other types") {
  check_plain<false, false, double, double>(9, 21, 18, 1e-14);
  check_plain<false, true, double, double>(2, 21, 18, 1e-14);
  check_plain<false, true, half, half>(3, 18, 20, 1e-6);
  check_plain<false, false, bfloat16, float>(3, 18, 20, 1e-6);
  check_plain<false, false, int8_t, uint8_t>(7, 18, 300, 0);
  check_plain<true, true, int32_t, int32_t>(7, 18, 9, 0);
  check_plain<false, false, uint32_t, uint32_t>(1, 18, 9, 0);
  check_plain<false, false, int64_t, int64_t>(5, 3, 9, 0);
}

TEST_CASE("gemm of small integers, several to a lane") {
  for (int64_t m : {1, 2, 6, 7})
    for (int64_t n : {1, 31, 33, 130})
      for (int64_t k : {1, 2, 3, 4, 5, 8, 37}) {
        check_plain<false, false, uint8_t, int8_t>(m, n, k, 0);
        check_plain<false, false, uint8_t, uint8_t>(m, n, k, 0);
      }
  check_plain<true, false, uint8_t, int8_t>(1, 70, 19, 0);
  check_plain<true, true, uint8_t, int8_t>(9, 35, 21, 0);
  check_plain<false, true, int8_t, int8_t>(3, 35, 21, 0);
  check_plain<false, false, int16_t, int16_t>(5, 20, 7, 0);
  check_plain<false, false, uint16_t, int8_t>(5, 20, 7, 0);
  check_plain<false, false, uint8_t, int8_t>(1, 4100, 30, 0);
  check_plain<false, false, uint8_t, int8_t>(13, 40, 3300, 0);
}

TEST_CASE("gemm with empty extents") {
  check_plain<false, false, uint8_t, int8_t>(1, 4, 0, 0);
  check_plain<false, false, uint8_t, int8_t>(1, 0, 4, 0);
  check_plain<false, false, float, float>(0, 4, 4, 0);
  check_plain<false, false, float, float>(4, 0, 4, 0);
  check_plain<false, false, float, float>(3, 4, 0, 0);
  check_plain<false, true, float, float>(1, 4, 0, 0);
}

template <bool TB> void check_batched(int64_t m, int64_t n, int64_t k) {
  random_values random(5);
  const std::vector<float> a = random.vector<float>(2 * m * k), b = random.vector<float>(3 * k * n);
  std::vector<double> want;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j)
      for (double v : expected_product<float>(a, b, i * m * k, j * k * n, m, n, k, false, TB))
        want.push_back(v);
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> x(mach, a), y(mach, b), c(mach, 6 * m * n);
    mach.run([&](exec &e) {
      gemm(e, batched_product<TB>{m, n, k, {2, 3}, {m * k, 0}, {0, k * n}}, x.data(), y.data(),
           dense_sums<float, 4>{c, index<4>{{2, 3, m, n}}});
    });
    CHECK(worst_error(c.values(), want) <= 1e-6);
  }
}

TEST_CASE("gemm broadcasts batches of stride 0") {
  check_batched<false>(19, 34, 11);
  check_batched<true>(2, 9, 11);
  for (int64_t few : {1, 3}) {
    check_batched<false>(few, 150, 21);
    check_batched<false>(150, few, 21);
    check_batched<true>(150, few, 21);
  }
}

TEST_CASE("gemm with everything static") {
  random_values random(9);
  const std::vector<float> a = random.vector<float>(3 * 150), b = random.vector<float>(5 * 17);
  std::vector<double> want;
  for (int64_t i = 0; i < 3; ++i)
    for (double v : expected_product<float>(a, b, i * 150, 0, 30, 17, 5, true, false))
      want.push_back(v);
  machine mach;
  array<float> x(mach, a), y(mach, b), c(mach, 3 * 30 * 17);
  mach.run([&](exec &e) {
    gemm(e, static_gemm{}, x.data(), y.data(), dense_sums<float, 3>{c, index<3>{{3, 30, 17}}});
  });
  CHECK(worst_error(c.values(), want) <= 1e-6);
}

/// Bias, Relu, and a transposed output: what a fused epilogue may do.
struct fused_store {
  const float *bias;
  float *out;
  int64_t m;
  CAMEO_DEVICE void operator()(const index<2> &i, float v) const {
    out[i[1] * m + i[0]] = max(add(v, bias[i[1]]), 0.0f);
  }
};

TEST_CASE("gemm with a fused store") {
  const int64_t m = 20, n = 40, k = 8;
  random_values random(11);
  const std::vector<float> a = random.vector<float>(m * k), b = random.vector<float>(k * n),
                           bias = random.vector<float>(n);
  const std::vector<double> product = expected_product<float>(a, b, 0, 0, m, n, k, false, false);
  std::vector<double> want(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      want[static_cast<size_t>(j * m + i)] =
          std::max(product[static_cast<size_t>(i * n + j)] +
                       static_cast<double>(bias[static_cast<size_t>(j)]),
                   0.0);
  machine mach;
  array<float> x(mach, a), y(mach, b), z(mach, bias), c(mach, m * n);
  mach.run([&](exec &e) {
    gemm(e, plain_product<false, false>{m, n, k}, x.data(), y.data(), fused_store{z, c, m});
  });
  CHECK(worst_error(c.values(), want) <= 1e-6);
}

#if !defined(CAMEO_TEST_CUDA)
template <bool TRANS_A> struct blocked_gemm {
  static constexpr bool trans_a = TRANS_A;
  int64_t m, n, k;
};

template <bool TA> void check_blocked(int64_t m, int64_t n, int64_t k, double error) {
  INFO("m " << m << " n " << n << " k " << k << " trans " << TA);
  random_values random(static_cast<uint64_t>(m * 37 + n * 5 + k));
  const std::vector<float> a = random.vector<float>(m * k), b = random.vector<float>(k * n);
  std::vector<float> blocks(static_cast<size_t>((n + 15) / 16 * k * 16));
  for (int64_t t = 0; t < k; ++t)
    for (int64_t j = 0; j < n; ++j)
      blocks[static_cast<size_t>((j / 16 * k + t) * 16 + j % 16)] =
          b[static_cast<size_t>(t * n + j)];
  const std::vector<double> want = expected_product<float>(a, b, 0, 0, m, n, k, TA, false);
  std::vector<float> first;
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> x(mach, a), y(mach, blocks), c(mach, m * n);
    mach.run([&](exec &e) {
      gemm_blocked(e, blocked_gemm<TA>{m, n, k}, x.data(), y.data(),
                   dense_sums<float, 2>{c, index<2>{{m, n}}});
    });
    const std::vector<float> got = c.values();
    CHECK(worst_error(got, want) <= error);
    if (first.empty())
      first = got;
    CHECK(got == first);
  }
}

TEST_CASE("gemm with blocks of columns") {
  for (int64_t m : {1, 2, 5, 7, 13, 14, 15, 29})
    for (int64_t n : {1, 15, 16, 17, 32, 48, 64, 65})
      check_blocked<false>(m, n, 19, 1e-6);
  check_blocked<true>(15, 40, 12, 1e-6);
  check_blocked<false>(33, 80, 3300, 3e-6);
  check_blocked<false>(180, 700, 3100, 3e-6);
  check_blocked<false>(250, 35, 64, 2e-6);
  check_blocked<false>(0, 16, 4, 0);
  check_blocked<false>(3, 0, 4, 0);
  check_blocked<false>(3, 4, 0, 0);
}

/// The bits of a product by the floats.
template <int BITS>
void check_codes(int64_t m, int64_t n, int64_t k, int64_t group, int64_t common = -1) {
  INFO("m " << m << " n " << n << " k " << k << " group " << group << " bits " << BITS);
  const coded_columns<float> b(n, k, group, BITS, common);
  random_values random(static_cast<uint64_t>(m * 43 + n * 5 + k));
  const std::vector<float> a = random.vector<float>(m * k);
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> x(mach, a), floats(mach, b.floats), scales(mach, b.scales);
    array<uint32_t> codes(mach, b.codes), zero_points(mach, b.zero_points);
    array<float> c(mach, m * n), want(mach, m * n);
    mach.run([&](exec &e) {
      gemm_codes(e, coded_product<BITS>{m, n, k, group, common}, x.data(), codes.data(),
                 scales.data(), common < 0 ? zero_points.data() : nullptr,
                 dense_sums<float, 2>{c, index<2>{{m, n}}});
    });
    mach.run([&](exec &e) {
      gemm(e, plain_product<false, false>{m, n, k}, x.data(), floats.data(),
           dense_sums<float, 2>{want, index<2>{{m, n}}});
    });
    CHECK(c.values() == want.values());
  }
}

TEST_CASE("gemm by codes has the bits of gemm by what they stand for") {
  for (int64_t m : {1, 2, 3, 4, 5, 13, 15})
    for (int64_t n : {5, 16, 17, 33, 65}) {
      check_codes<4>(m, n, 64, 32);
      check_codes<4>(m, n, 51, 16);
    }
  for (int64_t m : {1, 3, 9}) {
    check_codes<2>(m, 40, 70, 32);
    check_codes<8>(m, 40, 70, 16);
    check_codes<8>(m, 40, 37, 4, 128);
    check_codes<4>(m, 40, 37, 37, 8); // one group
    check_codes<4>(m, 40, 300, 16);   // zero points of several numbers
    check_codes<4>(m, 3, 1, 16);
    check_codes<4>(m, 1, 15, 15); // of columns longer than that gemm has another order
    check_codes<4>(m, 3, 15, 15);
  }
  check_codes<4>(33, 80, 3300, 32); // blocks of k
  check_codes<2>(20, 17, 1601, 16);
  check_codes<8>(180, 300, 1700, 64);
  check_codes<4>(0, 16, 32, 32);
  check_codes<4>(3, 0, 32, 32);
  check_codes<4>(3, 4, 0, 32);
  check_codes<4>(7, 4, 0, 32);
}

void check_blocked_bytes(int64_t m, int64_t n, int64_t k) {
  INFO("m " << m << " n " << n << " k " << k);
  random_values random(static_cast<uint64_t>(m * 41 + n * 5 + k));
  const std::vector<uint8_t> a = random.vector<uint8_t>(m * k);
  const std::vector<int8_t> b = random.vector<int8_t>(k * n);
  const int64_t blocks = (n + 15) / 16;
  std::vector<int8_t> quads(static_cast<size_t>((k + 3) / 4 * blocks * 64));
  for (int64_t t = 0; t < k; ++t)
    for (int64_t j = 0; j < n; ++j)
      quads[static_cast<size_t>((t / 4 * blocks + j / 16) * 64 + j % 16 * 4 + t % 4)] =
          b[static_cast<size_t>(t * n + j)];
  const std::vector<double> want = expected_product<int32_t>(a, b, 0, 0, m, n, k, false, false);
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<uint8_t> x(mach, a);
    array<int8_t> y(mach, quads);
    array<int32_t> c(mach, m * n);
    mach.run([&](exec &e) {
      gemm_blocked_bytes(e, plain_product<false, false>{m, n, k}, x.data(), y.data(),
                         dense_sums<int32_t, 2>{c, index<2>{{m, n}}});
    });
    CHECK(as_double(c.values()) == want);
  }
}

TEST_CASE("gemm of bytes with quads of rows in blocks of columns") {
  for (int64_t m : {1, 2, 6, 7, 15})
    for (int64_t n : {1, 16, 17, 48, 130})
      for (int64_t k : {1, 4, 7, 19, 64})
        check_blocked_bytes(m, n, k);
  check_blocked_bytes(1, 4100, 30);
  check_blocked_bytes(13, 40, 6161);
  check_blocked_bytes(0, 16, 4);
  check_blocked_bytes(3, 0, 4);
  check_blocked_bytes(1, 4, 0);
  check_blocked_bytes(3, 4, 0);
}
#endif

} // namespace
} // namespace cameo::test
