// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// conv_winograd against the definition in double: all tiles and taps, planes that its tiles do not
// divide, halos wider than needed, partial channel blocks, groups of channels, several images and
// threads. CPU only.
#include "machine.h"

#include <cameo/cpu/conv_winograd.h>

namespace cameo::test {
namespace {

template <int TILE, int TAPS> struct geometry {
  static constexpr int tile = TILE, taps = TAPS, area = TAPS * TAPS;
  int64_t groups, batch, in_channels, out_channels, rows, cols, top, left;
  int64_t output[2];

  /// Channels of a group.
  int64_t inputs() const { return in_channels / groups; }
  int64_t outputs() const { return out_channels / groups; }
};

size_t at(int64_t i) { return static_cast<size_t>(i); }
int64_t blocks(int64_t channels) { return (channels + 15) / 16; }

template <class P>
std::vector<double> convolve(const P &p, const std::vector<float> &x, const std::vector<float> &w) {
  const index<5> y_dims = {{p.batch, blocks(p.out_channels), p.output[0], p.output[1], 16}};
  std::vector<double> y(at(volume(y_dims)));
  for (int64_t n = 0; n < p.batch; ++n)
    for (int64_t o = 0; o < p.out_channels; ++o)
      for (int64_t oy = 0; oy < p.output[0]; ++oy)
        for (int64_t ox = 0; ox < p.output[1]; ++ox) {
          double sum = 0;
          for (int64_t i = 0; i < p.inputs(); ++i)
            for (int64_t t = 0; t < P::area; ++t) {
              const int64_t row = p.top + oy + t / P::taps, col = p.left + ox + t % P::taps;
              const int64_t channel = o / p.outputs() * p.inputs() + i;
              const int64_t image = n * blocks(p.in_channels) + channel / 16;
              sum += static_cast<double>(w[at((o * p.inputs() + i) * P::area + t)]) *
                     static_cast<double>(
                         x[at(((image * p.rows + row) * p.cols + col) * 16 + channel % 16)]);
            }
          y[at(flatten(index<5>{{n, o / 16, oy, ox, o % 16}}, y_dims))] = sum;
        }
  return y;
}

/// Weights as conv_blocked has them.
template <class P> std::vector<float> pack(const P &p, const std::vector<float> &w) {
  std::vector<float> packed(at(blocks(p.out_channels) * blocks(p.inputs()) * P::area * 256));
  for (int64_t o = 0; o < p.out_channels; ++o)
    for (int64_t i = 0; i < p.inputs(); ++i)
      for (int64_t t = 0; t < P::area; ++t)
        packed[at((((o / 16 * blocks(p.inputs()) + i / 16) * P::area + t) * 16 + i % 16) * 16 +
                  o % 16)] = w[at((o * p.inputs() + i) * P::area + t)];
  return packed;
}

/// `limit` of the largest output, which is what the tile costs in precision.
template <int TILE, int TAPS> void check(const geometry<TILE, TAPS> &p, double limit) {
  random_values random(23);
  auto x = random.vector<float>(p.batch * blocks(p.in_channels) * p.rows * p.cols * 16);
  for (size_t lane = 0; lane < x.size(); ++lane) // what is beyond the last channel
    if (static_cast<int64_t>(lane) / 16 / p.cols / p.rows % blocks(p.in_channels) * 16 +
            static_cast<int64_t>(lane % 16) >=
        p.in_channels)
      x[lane] = std::numeric_limits<float>::quiet_NaN();
  const auto plain = random.vector<float>(p.out_channels * p.inputs() * p.area);
  const auto w = pack(p, plain);
  const std::vector<double> want = convolve(p, x, plain);
  double largest = 0;
  for (double value : want)
    largest = std::max(largest, std::abs(value));
  std::vector<float> first;
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> input(mach, x), weights(mach, w), y(mach, static_cast<int64_t>(want.size()));
    constexpr int size = TILE + TAPS - 1;
    array<float> transformed(mach, static_cast<int64_t>(w.size()) / p.area * size * size);
    geometry<TILE, TAPS> of_group = p;
    of_group.in_channels = p.inputs();
    mach.run([&](exec &e) { winograd_weights(e, of_group, weights.data(), transformed.data()); });
    mach.run([&](exec &e) {
      const index<5> y_dims = {{p.batch, blocks(p.out_channels), p.output[0], p.output[1], 16}};
      conv_winograd(e, p, input.data(), transformed.data(), dense_store<float, 5>{y, y_dims});
    });
    const std::vector<float> got = y.values();
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(got[i]) - want[i]));
    INFO("threads " << threads << ", largest " << largest);
    CHECK(worst <= limit * largest);
    if (first.empty())
      first = got;
    CHECK(first == got); // bit for bit, whatever the number of threads
  }
}

template <int TILE, int TAPS = 3>
geometry<TILE, TAPS> padded(int64_t batch, int64_t in, int64_t out, int64_t height, int64_t width,
                            int64_t groups = 1) {
  constexpr int64_t more = TAPS - 1;
  return {groups, batch, in, out, height + more, width + more, 0, 0, {height, width}};
}

template <int TILE, int TAPS> void check_all(double limit) {
  check(padded<TILE, TAPS>(1, 16, 32, 8, 8), limit);
  check(padded<TILE, TAPS>(2, 19, 40, 5, 31), limit);
  check(padded<TILE, TAPS>(1, 3, 5, 1, 1), limit);
  check(padded<TILE, TAPS>(3, 33, 17, 13, 6), limit);
  check(geometry<TILE, TAPS>{1, 1, 16, 16, 17, 21, 2, 3, {9, 11}}, limit);
  check(padded<TILE, TAPS>(1, 70, 48, 30, 29), limit);
  // Few tiles and much to read: threads share output channels, more threads tiles besides.
  check(padded<TILE, TAPS>(1, 100, 150, 7, 6), limit);
  check(padded<TILE, TAPS>(1, 240, 20, 7, 6), limit);
  check(padded<TILE, TAPS>(2, 96, 144, 7, 9, /*groups=*/3), limit);
  check(padded<TILE, TAPS>(1, 192, 320, 5, 6, /*groups=*/2), limit);
}

TEST_CASE("conv_winograd of 2 x 2 tiles") { check_all<2, 3>(1e-6); }
TEST_CASE("conv_winograd of 4 x 4 tiles") { check_all<4, 3>(2e-5); }
TEST_CASE("conv_winograd of 5 x 5 taps") { check_all<2, 5>(2e-5); }
TEST_CASE("conv_winograd of 4 x 4 taps") { check_all<3, 4>(2e-5); }
TEST_CASE("conv_winograd of 2 x 2 taps") {
  check_all<3, 2>(1e-6);
  check_all<5, 2>(2e-5);
}

TEST_CASE("conv_winograd without outputs") {
  check(padded<4>(1, 16, 16, 1, 0), 0);
  check(padded<4>(0, 16, 16, 4, 4), 0);
}

TEST_CASE("conv_winograd takes most scratch for most tiles") {
  for (const int threads : {1, 3})
    for (const int64_t channels : {8, 40, 300}) {
      int64_t least = 0;
      for (int64_t batch = 0; batch < 40; ++batch) {
        const int64_t bytes =
            conv_winograd_scratch(padded<4>(batch, channels, channels, 7, 9), threads);
        CHECK(bytes >= least);
        least = bytes;
      }
    }
}

} // namespace
} // namespace cameo::test
