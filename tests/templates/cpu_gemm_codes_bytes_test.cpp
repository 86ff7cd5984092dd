// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm_codes_bytes against a plain loop over rounded rows, and within what rounding may do of the
// product of floats: bits, ragged groups, empty extents, infinities, NaN, zeros, tiny and large
// numbers; the same bits for any number of threads. Without vectors nothing is rounded.
#include "products.h"

#include "cameo/cpu/gemm_codes_bytes.h"

namespace cameo::test {
namespace {

/// A row as its bytes say it, a group at a time, with the sums of what rounding changes.
struct rounded_rows {
  std::vector<double> values;
  std::vector<double> steps; // half a step of each number's group

  rounded_rows(const std::vector<float> &a, int64_t k, int64_t group) {
    const auto count = static_cast<int64_t>(a.size());
    for (int64_t row = 0; row < count; row += k)
      for (int64_t begin = 0; begin < k; begin += group) {
        const float *const from = a.data() + row + begin;
        const int64_t length = std::min(group, k - begin);
        float most = 0;
        for (int64_t i = 0; i < length; ++i)
          most = std::isnan(from[i]) ? from[i] : std::max(most, std::fabs(from[i]));
        for (int64_t i = 0; i < length; ++i) {
          const float byte = std::nearbyint(from[i] * (127 / most));
          values.push_back(!rounds_rows || most == 0 ? static_cast<double>(from[i])
                                                     : static_cast<double>(byte * (most / 127)));
          steps.push_back(static_cast<double>(most) / 254);
        }
      }
  }
};

template <int BITS>
std::vector<float> multiply(const coded_columns<float> &b, const std::vector<float> &a,
                            const coded_product<BITS> &p, int threads) {
  machine mach(threads);
  array<float> x(mach, a), scales(mach, b.scales);
  array<uint32_t> codes(mach, b.codes), zero_points(mach, b.zero_points);
  array<float> c(mach, p.m * p.n);
  mach.run([&](exec &e) {
    gemm_codes_bytes(e, p, x.data(), codes.data(), scales.data(),
                     p.zero_point < 0 ? zero_points.data() : nullptr,
                     dense_sums<float, 2>{c, index<2>{{p.m, p.n}}});
  });
  return c.values();
}

/// Sums of floats round by a few of the last bits; the bytes are the same.
template <int BITS>
void check_bytes(int64_t m, int64_t n, int64_t k, int64_t group, int64_t common = -1,
                 double error = 2e-6) {
  INFO("m " << m << " n " << n << " k " << k << " group " << group << " bits " << BITS);
  const coded_columns<float> b(n, k, group, BITS, common);
  random_values random(static_cast<uint64_t>(m * 43 + n * 5 + k));
  const std::vector<float> a = random.vector<float>(m * k);
  const rounded_rows rounded(a, k, group);
  std::vector<double> want;
  bool is_near = true;
  const std::vector<float> got = multiply(b, a, coded_product<BITS>{m, n, k, group, common}, 1);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0, exact = 0, room = 1e-4;
      for (int64_t t = 0; t < k; ++t) {
        const auto at = static_cast<size_t>(i * k + t);
        const auto weight = static_cast<double>(b.floats[static_cast<size_t>(t * n + j)]);
        sum += rounded.values[at] * weight;
        exact += static_cast<double>(a[at]) * weight;
        room += 1.001 * rounded.steps[at] * std::fabs(weight);
      }
      want.push_back(sum);
      is_near = is_near && std::fabs(static_cast<double>(got[want.size() - 1]) - exact) <= room;
    }
  CHECK(worst_error(got, want) <= error);
  CHECK(is_near);
  for (int threads : team_sizes())
    CHECK(multiply(b, a, coded_product<BITS>{m, n, k, group, common}, threads) == got);
}

TEST_CASE("gemm by codes with rows of bytes") {
  for (int64_t m : {1, 2, 3, 4, 5, 8, 9, 17})
    for (int64_t n : {1, 16, 17, 33, 65}) {
      check_bytes<4>(m, n, 64, 32);
      check_bytes<4>(m, n, 51, 16);
    }
  for (int64_t m : {1, 3, 9}) {
    check_bytes<2>(m, 40, 70, 32);
    check_bytes<2>(m, 40, 1000, 256);
    check_bytes<8>(m, 40, 70, 16);
    check_bytes<8>(m, 40, 37, 4, 128);
    check_bytes<8>(m, 40, 700, 256);
    check_bytes<4>(m, 40, 37, 37, 8); // one group
    check_bytes<4>(m, 40, 1000, 128);
    check_bytes<4>(m, 40, 300, 16); // zero points of several numbers
    check_bytes<4>(m, 3, 1, 16);
    check_bytes<4>(m, 1, 15, 15);
  }
  check_bytes<4>(300, 80, 3300, 32);             // more rows than lie in memory at a time
  check_bytes<4>(3, 20, 60000, 60000, -1, 1e-5); // 60000 sums of floats, without vectors
  check_bytes<4>(0, 16, 32, 32);
  check_bytes<4>(3, 0, 32, 32);
  check_bytes<4>(3, 4, 0, 32);
}

/// Codes and bytes at their ends, where sums of few bits would saturate.
template <int BITS> void check_ends(int64_t group) {
  const int64_t n = 17, k = 2 * group;
  coded_columns<float> b(n, k, group, BITS, 0);
  for (uint32_t &codes : b.codes)
    codes = ~uint32_t{0};
  for (float &scale : b.scales)
    scale = 1;
  for (float sign : {1.0f, -1.0f}) {
    const std::vector<float> a(static_cast<size_t>(2 * k), sign * 127);
    const float want = sign * 127 * ((1 << BITS) - 1) * static_cast<float>(k);
    for (float got : multiply(b, a, coded_product<BITS>{2, n, k, group, 0}, 1))
      CHECK(got == want);
  }
}

TEST_CASE("gemm by codes with rows of bytes: no sum saturates") {
  for (int64_t group : {16, 32, 64, 256}) {
    check_ends<2>(group);
    check_ends<4>(group);
    check_ends<8>(group);
  }
}

TEST_CASE("gemm by codes with rows of bytes: what is not finite, and zeros") {
  const int64_t n = 20, k = 96, group = 32;
  coded_columns<float> b(n, k, group, 4, 0);
  for (uint32_t &codes : b.codes)
    codes |= 0x11111111; // no code is 0
  for (float &scale : b.scales)
    scale = 0.5f;
  const coded_product<4> p{6, n, k, group, 0};
  std::vector<float> a(static_cast<size_t>(p.m * k), 0.25f);
  const auto row = [&](int64_t i) { return a.data() + i * k; };
  row(0)[40] = INFINITY;
  row(1)[95] = -INFINITY;
  row(2)[3] = NAN;
  std::fill(row(3), row(4), 0.0f);
  for (int64_t i = 0; i < k; ++i)
    row(4)[i] = i < group ? 1e-40f : i % 2 == 0 ? -1.0f : 1e-41f;
  row(5)[0] = 1e30f;
  const std::vector<float> got = multiply(b, a, p, 1);
  const auto result = [&](int64_t i, int64_t j) { return got[static_cast<size_t>(i * n + j)]; };
  for (int64_t j = 0; j < n; ++j) {
    CHECK(result(0, j) == INFINITY);
    CHECK(result(1, j) == -INFINITY);
    CHECK(std::isnan(result(2, j)));
    CHECK(result(3, j) == 0);
    CHECK(std::isfinite(result(4, j)));
    CHECK(result(4, j) < 0);
    CHECK(std::isfinite(result(5, j)));
    CHECK(result(5, j) > 4e29f);
  }
}

} // namespace
} // namespace cameo::test
