// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sum_channels against the definition, bit by bit: partial blocks, windows that are even, longer
// than a block, longer than all channels, none at all; several images and threads. CPU only.
#include "machine.h"

#include <cameo/cpu/sum_channels.h>

#include <limits>

namespace cameo::test {
namespace {

struct sum_params {
  int64_t batch, channels, rows, cols, before, after;

  index<5> blocked() const { return {{batch, (channels + 15) / 16, rows, cols, 16}}; }
};
bool is_channel(const sum_params &p, const index<5> &i) { return i[1] * 16 + i[4] < p.channels; }

/// x at a channel of the pixel of i.
template <class T>
T at_channel(const sum_params &p, const std::vector<T> &x, const index<5> &i, int64_t channel) {
  const index<5> at = {{i[0], channel / 16, i[2], i[3], channel % 16}};
  return x[static_cast<size_t>(flatten(at, p.blocked()))];
}

template <class T>
accumulator_t<T> sum_around(const sum_params &p, const std::vector<T> &x, const index<5> &i) {
  using A = accumulator_t<T>;
  const int64_t channel = i[1] * 16 + i[4];
  A sum{};
  for (int64_t c = channel - p.before; c <= channel + p.after; ++c)
    if (c >= 0 && c < p.channels)
      sum = add(sum, cast<A>(at_channel(p, x, i, c)));
  return sum;
}

template <class T> void check(const sum_params &p) {
  using A = accumulator_t<T>;
  const int64_t elements = volume(p.blocked());
  std::vector<T> x = random_values(7).vector<T>(elements);
  for (int64_t i = 0; i < elements; ++i)
    if (!is_channel(p, unflatten(i, p.blocked())))
      x[static_cast<size_t>(i)] = cast<T>(std::numeric_limits<float>::quiet_NaN());
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> in(mach, x);
    array<A> out(mach, elements);
    mach.run([&](exec &e) {
      sum_channels(e, p, dense_load<T, 5>{in.data(), p.blocked()},
                   dense_store<A, 5>{out.data(), p.blocked()});
    });
    const std::vector<A> got = out.values();
    for (int64_t i = 0; i < elements; ++i) {
      const index<5> at = unflatten(i, p.blocked());
      if (is_channel(p, at))
        CHECK(same(got[static_cast<size_t>(i)], sum_around(p, x, at)));
    }
  }
}

TEST_CASE("sum_channels") {
  check<float>({2, 40, 5, 13, 2, 2});
  check<float>({1, 64, 3, 8, 1, 2});
  check<float>({2, 20, 3, 5, 17, 18});
  check<float>({1, 19, 2, 9, 40, 100});
  check<float>({3, 33, 1, 1, 0, 0});
  check<float>({1, 1, 4, 4, 2, 2});
  check<float>({1, 48, 40, 40, 3, 0}); // work for several threads
  check<double>({1, 37, 4, 11, 2, 2});
  check<half>({2, 21, 3, 9, 2, 2});
  check<float>({0, 16, 4, 4, 2, 2});
  check<float>({1, 16, 0, 4, 2, 2});
}

TEST_CASE("sum_channels of infinities and NaN") {
  const sum_params p = {1, 32, 1, 2, 1, 1};
  std::vector<float> x(64, 1.0f);
  x[15] = std::numeric_limits<float>::infinity();      // channel 15 of pixel 0
  x[16 + 3] = std::numeric_limits<float>::quiet_NaN(); // channel 3 of pixel 1
  machine mach;
  array<float> in(mach, x), out(mach, 64);
  mach.run([&](exec &e) {
    sum_channels(e, p, dense_load<float, 5>{in.data(), p.blocked()},
                 dense_store<float, 5>{out.data(), p.blocked()});
  });
  for (int64_t i = 0; i < 64; ++i)
    CHECK(same(out[i], sum_around(p, x, unflatten(i, p.blocked()))));
}

} // namespace
} // namespace cameo::test
