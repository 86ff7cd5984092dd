// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// conv_blocked_groups and pick_channels against the definition: groups that share blocks, channels
// in any order, halos. CPU only.
#include "machine.h"

#include <cameo/cpu/conv_blocked_groups.h>

#include <limits>
#include <numeric>

namespace cameo::test {
namespace {

struct geometry {
  int64_t groups, batch, in_channels, out_channels;
  int64_t rows, cols, top, left; // of the stored planes
  int64_t kernel[2], output[2], stride[2], dilation[2];
};
/// The same with a stride that the compiler knows.
struct unit_geometry {
  int64_t groups, batch, in_channels, out_channels, rows, cols, top, left;
  int64_t kernel[2], output[2];
  static constexpr int64_t stride[2] = {1, 1}, dilation[2] = {1, 1};

  explicit unit_geometry(const geometry &g)
      : groups(g.groups), batch(g.batch), in_channels(g.in_channels), out_channels(g.out_channels),
        rows(g.rows), cols(g.cols), top(g.top),
        left(g.left), kernel{g.kernel[0], g.kernel[1]}, output{g.output[0], g.output[1]} {}
};

size_t at(int64_t i) { return static_cast<size_t>(i); }
int64_t blocks(int64_t channels) { return (channels + 15) / 16; }

/// Every number below `count` once, neighbours far apart.
std::vector<int32_t> shuffled(int64_t count) {
  std::vector<int32_t> list;
  for (int64_t first = 0; first < 5; ++first)
    for (int64_t c = first; c < count; c += 5)
      list.push_back(static_cast<int32_t>(c));
  return list;
}

/// Where an element of x lies.
template <class P>
int64_t offset(const P &p, int64_t n, int64_t channel, int64_t row, int64_t col) {
  const int64_t block = n * blocks(p.in_channels) + channel / 16;
  return ((block * p.rows + row) * p.cols + col) * 16 + channel % 16;
}

template <class P> void check(const P &p) {
  const int64_t depth = p.in_channels / p.groups, width = p.out_channels / p.groups;
  const int64_t taps = p.kernel[0] * p.kernel[1];
  random_values random(41);
  const auto x = random.vector<float>(p.batch * blocks(p.in_channels) * p.rows * p.cols * 16);
  const auto plain = random.vector<float>(p.out_channels * depth * taps);
  const std::vector<int32_t> channels = shuffled(p.in_channels);
  std::vector<float> w(at(blocks(p.out_channels) * blocks(depth) * taps * 256));
  const index<5> dims = {{p.batch, blocks(p.out_channels), p.output[0], p.output[1], 16}};
  std::vector<double> want(at(volume(dims)));
  for (int64_t o = 0; o < p.out_channels; ++o)
    for (int64_t i = 0; i < depth; ++i)
      for (int64_t t = 0; t < taps; ++t) {
        const float weight = plain[at((o * depth + i) * taps + t)];
        const int64_t block = (o / 16 * blocks(depth) + i / 16) * taps + t;
        w[at((block * 16 + i % 16) * 16 + o % 16)] = weight;
        const int64_t c = channels[at(o / width * depth + i)];
        for (int64_t n = 0; n < p.batch; ++n)
          for (int64_t oy = 0; oy < p.output[0]; ++oy)
            for (int64_t ox = 0; ox < p.output[1]; ++ox) {
              const int64_t row = p.top + oy * p.stride[0] + t / p.kernel[1] * p.dilation[0];
              const int64_t col = p.left + ox * p.stride[1] + t % p.kernel[1] * p.dilation[1];
              want[at(flatten(index<5>{{n, o / 16, oy, ox, o % 16}}, dims))] +=
                  static_cast<double>(weight) *
                  static_cast<double>(x[at(offset(p, n, c, row, col))]);
            }
      }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> input(mach, x), weights(mach, w), y(mach, volume(dims));
    array<int32_t> list(mach, channels);
    mach.run([&](exec &e) {
      conv_blocked_groups(e, p, static_cast<const float *>(input.data()),
                          static_cast<const float *>(weights.data()),
                          static_cast<const int32_t *>(list.data()),
                          dense_store<float, 5>{y, dims});
    });
    CHECK(worst_error(y.values(), want) <= 2e-6);
  }
}

geometry pointwise(int64_t groups, int64_t in, int64_t out, int64_t height, int64_t width) {
  return {groups, 2, in, out, height, width, 0, 0, {1, 1}, {height, width}, {1, 1}, {1, 1}};
}

TEST_CASE("conv_blocked_groups") {
  check(pointwise(4, 272, 68, 7, 9));  // several groups in a block
  check(pointwise(4, 68, 272, 5, 31)); // the last block of a group shared
  check(pointwise(8, 24, 24, 6, 5));   // five groups in a block
  check(pointwise(1, 33, 47, 6, 5));
  check(pointwise(2, 1200, 34, 3, 4)); // inputs in several chunks
  check(unit_geometry(pointwise(3, 51, 96, 14, 14)));
  check(geometry{2, 1, 40, 36, 9, 12, 1, 2, {3, 2}, {3, 4}, {2, 2}, {1, 2}});
  check(unit_geometry({3, 2, 30, 45, 8, 9, 0, 1, {3, 3}, {6, 6}, {1, 1}, {1, 1}}));
}

TEST_CASE("conv_blocked_groups without outputs") {
  check(geometry{2, 1, 20, 20, 3, 3, 0, 0, {1, 1}, {3, 0}, {1, 1}, {1, 1}});
  check(geometry{2, 0, 20, 20, 3, 3, 0, 0, {1, 1}, {3, 3}, {1, 1}, {1, 1}});
}

TEST_CASE("what is no number stays in its group") {
  const geometry p = pointwise(4, 40, 40, 3, 5);
  random_values random(43);
  auto x = random.vector<float>(p.batch * blocks(p.in_channels) * p.rows * p.cols * 16);
  const auto w = random.vector<float>(blocks(p.out_channels) * 256);
  for (int64_t c = 10; c < 20; ++c)
    for (int64_t row = 0; row < p.rows; ++row)
      for (int64_t col = 0; col < p.cols; ++col)
        x[at(offset(p, 0, c, row, col))] = std::numeric_limits<float>::quiet_NaN();
  std::vector<int32_t> channels(at(p.in_channels));
  std::iota(channels.begin(), channels.end(), 0);
  const index<5> dims = {{p.batch, blocks(p.out_channels), p.rows, p.cols, 16}};
  machine mach(1);
  array<float> input(mach, x), weights(mach, w), y(mach, volume(dims));
  array<int32_t> list(mach, channels);
  mach.run([&](exec &e) {
    conv_blocked_groups(e, p, static_cast<const float *>(input.data()),
                        static_cast<const float *>(weights.data()),
                        static_cast<const int32_t *>(list.data()), dense_store<float, 5>{y, dims});
  });
  const std::vector<float> got = y.values();
  for (int64_t c = 0; c < p.out_channels; ++c) {
    const float value = got[at(flatten(index<5>{{0, c / 16, 1, 2, c % 16}}, dims))];
    CHECK((value != value) == (c >= 10 && c < 20));
  }
}

TEST_CASE("pick_channels") {
  // Some of the channels, one twice, out of a halo.
  const geometry p = {1, 2, 37, 21, 6, 9, 1, 2, {1, 1}, {4, 5}, {1, 1}, {1, 1}};
  const std::vector<float> x =
      random_values(47).vector<float>(p.batch * blocks(p.in_channels) * p.rows * p.cols * 16);
  std::vector<int32_t> channels = shuffled(p.in_channels);
  channels.resize(at(p.out_channels));
  channels[3] = channels[0];
  const index<5> dims = {{p.batch, blocks(p.out_channels), p.output[0], p.output[1], 16}};
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> input(mach, x), y(mach, volume(dims));
    array<int32_t> list(mach, channels);
    mach.run([&](exec &e) {
      pick_channels(e, p, static_cast<const float *>(input.data()),
                    static_cast<const int32_t *>(list.data()), dense_store<float, 5>{y, dims});
    });
    const std::vector<float> got = y.values();
    bool is_right = true;
    for (int64_t n = 0; n < p.batch; ++n)
      for (int64_t c = 0; c < p.out_channels; ++c)
        for (int64_t row = 0; row < p.output[0]; ++row)
          for (int64_t col = 0; col < p.output[1]; ++col)
            is_right &= got[at(flatten(index<5>{{n, c / 16, row, col, c % 16}}, dims))] ==
                        x[at(offset(p, n, channels[at(c)], p.top + row, p.left + col))];
    CHECK(is_right);
  }
}

} // namespace
} // namespace cameo::test
