// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// for_each visits every point once, whatever the rank and the extents; copy copies.
#include "machine.h"

#include CAMEO_TEMPLATE(for_each.h)

namespace cameo::test {
namespace {

/// Counts visits per point and writes its number.
template <int R> struct visit {
  int64_t *number;
  int32_t *visits;
  index<R> extents;
  CAMEO_DEVICE void operator()(const index<R> &i) const {
    const int64_t at = flatten(i, extents);
    number[at] = at;
    ++visits[at];
  }
};

/// SPACE: what the template is called with, an index<R> or a static_index.
template <int R, class SPACE> void check_space(const SPACE &space) {
  const index<R> extents = space;
  const int64_t n = volume(extents);
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<int64_t> number(mach, n);
    array<int32_t> visits(mach, std::vector<int32_t>(static_cast<size_t>(n)));
    mach.run([&](exec &e) { for_each(e, space, visit<R>{number, visits, extents}); });
    const std::vector<int64_t> got = number.values();
    const std::vector<int32_t> count = visits.values();
    bool right = true;
    for (size_t i = 0; i < got.size(); ++i)
      right = right && got[i] == static_cast<int64_t>(i) && count[i] == 1;
    CHECK(right);
  }
}

template <int R> void check(const index<R> &extents) { check_space<R>(extents); }
template <int64_t... N> void check_static() { check_space<sizeof...(N)>(static_index<N...>{}); }

#if !defined(CAMEO_TEST_CUDA)
static_assert(ceil_div(0, 5) == 0 && ceil_div(5, 5) == 1 && ceil_div(6, 5) == 2 &&
              ceil_div(INT64_MAX, 2) == int64_t{1} << 62);
#endif

TEST_CASE("for_each visits every point once") {
  check(index<0>{});
  check(index<1>{{1}});
  check(index<1>{{40007}});
  check(index<2>{{2, 20001}});
  check(index<2>{{20001, 3}});
  check(index<3>{{5, 7, 11}});
  check(index<4>{{3, 1, 4, 1}});
  check(index<8>{{2, 1, 2, 3, 1, 2, 2, 3}});
}

#if defined(CAMEO_TEST_CUDA)
TEST_CASE("divisors give quotients") {
  constexpr int64_t most = INT32_MAX;
  std::vector<int64_t> numbers;
  for (int bit = 0; bit <= 31; ++bit)
    for (int64_t near = -3; near <= 3; ++near)
      for (const int64_t n : {(int64_t{1} << bit) + near, most / 3 * 2 + near, 1000003 * near})
        if (n >= 1 && n <= most)
          numbers.push_back(n);
  for (const int64_t by : numbers) {
    const cameo::cuda::divisor divides(by);
    bool right = divides.quotient(0) == 0;
    for (const int64_t n : numbers)
      for (const int64_t dividend : {n, n / by * by, n / by * by - 1, most - n})
        right = right && (dividend < 0 ||
                          divides.quotient(static_cast<uint32_t>(dividend)) == dividend / by);
    CHECK(right);
  }
}
#endif

TEST_CASE("for_each over a static space") {
  check_static<1>();
  check_static<40007>();
  check_static<2, 20001>();
  check_static<20001, 3>();
  check_static<3, 1, 4, 1>();
  check_static<300, 7, 16>();
  check_static<5, 0, 11>();
  check_static<6, 33, 2>(); // short last axes
  check_static<5, 9, 4>();
  check_static<3, 0, 2>();
}

TEST_CASE("for_each over nothing") {
  check(index<1>{{0}});
  check(index<3>{{5, 0, 11}});
  check(index<2>{{0, 3}});
}

struct fused_add {
  const half *a;
  const float *b;
  float *c;
  CAMEO_DEVICE void operator()(const index<2> &i) const {
    const float t0 = add(cast<float>(a[i[0] * 9 + i[1]]), b[i[1]]);
    c[i[1] * 5 + i[0]] = max(t0, 0.0f);
  }
};

TEST_CASE("for_each broadcasts, converts and transposes in its body") {
  random_values random(1);
  const std::vector<half> a = random.vector<half>(45);
  const std::vector<float> b = random.vector<float>(9);
  machine mach;
  array<half> x(mach, a);
  array<float> y(mach, b), z(mach, 45);
  mach.run([&](exec &e) { for_each(e, index<2>{{5, 9}}, fused_add{x, y, z}); });
  const std::vector<float> got = z.values();
  for (size_t i = 0; i < 5; ++i)
    for (size_t j = 0; j < 9; ++j)
      CHECK(got[j * 5 + i] == std::max(cast<float>(a[i * 9 + j]) + b[j], 0.0f));
}

TEST_CASE("copy") {
  random_values random(2);
  for (int64_t n : {0, 1, 4095, 100003}) {
    const std::vector<uint8_t> bytes = random.vector<uint8_t>(n);
    for (int threads : team_sizes()) {
      machine mach(threads);
      array<uint8_t> from(mach, bytes), to(mach, n);
      mach.run([&](exec &e) { copy(e, to.data(), from.data(), n); });
      CHECK(to.values() == bytes);
    }
  }
}

} // namespace
} // namespace cameo::test
