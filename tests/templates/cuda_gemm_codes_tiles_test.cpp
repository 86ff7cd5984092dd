// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm_codes_tiles has the bits of gemm_tiles by what the codes stand for: every tile, bits and
// type, sizes around their edges, zero points of groups and of all, groups that end in a step,
// operands of any alignment.
#include "factors.h"
#include "products.h"

#include "cameo/cuda/gemm_codes_tiles.h"

#include <limits>

namespace cameo::test {
namespace {

/// As of a constant matrix, and as of rows that are a constant too where M is not negative.
template <int BITS, int64_t N, int64_t K, int64_t GROUP, int64_t ZERO> struct constant_codes {
  static constexpr int bits = BITS;
  static constexpr int64_t n = N, k = K, group = GROUP, zero_point = ZERO;
  int64_t m;
};
template <class BASE, int64_t M> struct constant_rows : BASE { static constexpr int64_t m = M; };

template <class T, class P>
std::vector<float> run_codes(const P &p, const std::vector<T> &a, const coded_columns<T> &b,
                             bool areOwn, int64_t skip = 0) {
  const int64_t m = p.m, n = p.n;
  std::vector<T> behind(static_cast<size_t>(skip), cast<T>(std::numeric_limits<float>::infinity()));
  behind.insert(behind.end(), a.begin(), a.end());
  machine mach;
  array<T> x(mach, behind), scales(mach, b.scales);
  array<uint32_t> codes(mach, b.codes), zero_points(mach, b.zero_points);
  array<float> c(mach, m * n);
  mach.run([&](target::exec &e) {
    target::gemm_codes_tiles(e, p, static_cast<const T *>(x.data()) + skip,
                             static_cast<const uint32_t *>(codes.data()),
                             static_cast<const T *>(scales.data()),
                             areOwn ? static_cast<const uint32_t *>(zero_points.data()) : nullptr,
                             dense_sums<float, 2>{c, index<2>{{m, n}}});
  });
  return c.values();
}

template <factor_type FACTORS = factor_type::parts, class T>
std::vector<float> run_floats(int64_t m, int64_t n, int64_t k, const std::vector<T> &a,
                              const coded_columns<T> &b) {
  const with_factors<plain_product<false, false>, FACTORS> p({m, n, k});
  machine mach;
  array<T> x(mach, a), y(mach, b.floats);
  array<float> c(mach, m * n);
  mach.run([&](target::exec &e) {
    target::gemm_tiles(e, p, static_cast<const T *>(x.data()), static_cast<const T *>(y.data()),
                       dense_sums<float, 2>{c, index<2>{{m, n}}});
  });
  return c.values();
}

/// `common`: the zero point of all; negative: each group has its own.
template <class T, int BITS>
void check(int64_t m, int64_t n, int64_t k, int64_t group, int64_t common) {
  INFO("m " << m << " n " << n << " k " << k << " group " << group << " bits " << BITS);
  const coded_columns<T> b(n, k, group, BITS, common);
  random_values random(static_cast<uint64_t>(m * 43 + n * 5 + k));
  const std::vector<T> a = random.vector<T>(m * k);
  const coded_product<BITS> p{m, n, k, group, common};
  CHECK(run_codes<T>(p, a, b, common < 0) == run_floats(m, n, k, a, b));
}

template <class T> void check_edges() {
  for (int64_t m : {1, 16, 17, 33})
    for (int64_t n : {1, 16, 17, 65}) {
      check<T, 4>(m, n, 64, 32, -1);
      check<T, 4>(m, n, 51, 16, -1);
    }
  for (int64_t m : {3, 20}) {
    check<T, 2>(m, 40, 70, 32, -1);
    check<T, 8>(m, 40, 70, 16, -1);
    check<T, 8>(m, 40, 37, 4, 128);
    check<T, 4>(m, 40, 37, 37, 8);   // one group
    check<T, 4>(m, 40, 300, 16, -1); // zero points of several numbers
    check<T, 4>(m, 3, 1, 16, -1);
  }
  check<T, 4>(0, 16, 32, 32, -1);
  check<T, 4>(3, 0, 32, 32, -1);
  check<T, 4>(3, 4, 0, 32, -1);
}
TEST_CASE("codes beside half at their edges") { check_edges<half>(); }
TEST_CASE("codes beside bfloat16 at their edges") { check_edges<bfloat16>(); }
TEST_CASE("codes beside floats at their edges") { check_edges<float>(); }

template <factor_type FACTORS> void check_rounded(int64_t m, int64_t n, int64_t k) {
  const coded_columns<float> b(n, k, 16, 4, -1);
  const std::vector<float> a = random_values(7).vector<float>(m * k);
  const with_factors<coded_product<4>, FACTORS> p({m, n, k, 16, -1});
  const std::vector<float> got = run_codes<float>(p, a, b, true);
  CHECK(got == run_floats<FACTORS>(m, n, k, a, b));
  CHECK(got != run_floats(m, n, k, a, b));
}
TEST_CASE("codes beside floats that are rounded") {
  for (int64_t k : {64, 51}) {
    check_rounded<factor_type::tf32>(17, 65, k);
    check_rounded<factor_type::bf16>(17, 65, k);
    check_rounded<factor_type::fp16>(17, 65, k);
  }
}

/// The constant product's tile, which may be sliced: slices have an order of their own.
template <class T, int BITS, int64_t M, int64_t N, int64_t K> void check_constant(bool isSliced) {
  INFO("m " << M << " n " << N << " k " << K << " bits " << BITS);
  using product = constant_codes<BITS, N, K, 32, 0>;
  const coded_columns<T> b(N, K, 32, BITS, -1);
  random_values random(static_cast<uint64_t>(M * 43 + N * 5 + K));
  const std::vector<T> a = random.vector<T>(M * K);
  const std::vector<float> got = run_codes<T>(constant_rows<product, M>{}, a, b, true);
  const std::vector<float> open = run_codes<T>(product{M}, a, b, true);
  CHECK(run_codes<T>(product{M}, a, b, true, 1) == open);
  const std::vector<double> want =
      expected_product<double>(a, b.floats, 0, 0, M, N, K, false, false);
  // Sums of k products as gemm_tiles' test has them, of elements up to 2^BITS.
  CHECK(worst_error(got, want) <= 1e-6);
  CHECK(worst_error(open, want) <= 1e-6);
  if (!isSliced)
    CHECK(got == run_floats(M, N, K, a, b));
}
template <class T> void check_constants() {
  check_constant<T, 4, 1, 64, 544>(true);
  check_constant<T, 4, 16, 96, 128>(false);
  check_constant<T, 8, 16, 48, 272>(true);
  check_constant<T, 2, 5, 32, 320>(true);
  check_constant<T, 4, 40, 80, 96>(false);
  // Tiles have these depths in slices: whole steps and tiles, and others; narrow ones and not.
  check_constant<T, 4, 1, 64, 1024>(true);
  check_constant<T, 8, 16, 48, 1024>(true);
  check_constant<T, 2, 3, 48, 1056>(true);
  check_constant<T, 4, 1, 40, 576>(true);
  check_constant<T, 4, 2, 4096, 512>(true);
  check_constant<T, 8, 1, 4112, 544>(true);
}
TEST_CASE("constant products by codes beside half") { check_constants<half>(); }
TEST_CASE("constant products by codes beside bfloat16") { check_constants<bfloat16>(); }
TEST_CASE("constant products by codes beside floats") { check_constants<float>(); }

TEST_CASE("codes by tiles that fill a device") { check<float, 4>(640, 832, 64, 32, -1); }

TEST_CASE("an infinite scale meets its own columns only") {
  coded_columns<float> b(20, 40, 8, 4, 0);
  const column_blocks places{20, 5, 16, 1};
  b.scales[static_cast<size_t>(places.number(7, 4))] = std::numeric_limits<float>::infinity();
  const std::vector<float> a(3 * 40, 1);
  const std::vector<float> got = run_codes<float>(coded_product<4>{3, 20, 40, 8, 0}, a, b, false);
  for (size_t i = 0; i < got.size(); ++i)
    CHECK((i % 20 == 7) == !(got[i] - got[i] == 0));
}

} // namespace
} // namespace cameo::test
