// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pack_patches and pack_plane_patches against their definition: partial blocks, taps and outputs
// that lie behind the image. CPU only.
#include "machine.h"

#include <cameo/cpu/patches.h>

namespace cameo::test {
namespace {

struct geometry {
  int64_t batch, in_channels, rows, cols, top, left;
  int64_t kernel[2], output[2], stride[2], dilation[2];

  int64_t taps() const { return kernel[0] * kernel[1]; }
};

int64_t blocks(int64_t channels) { return (channels + 15) / 16; }
size_t at(int64_t i) { return static_cast<size_t>(i); }

/// x as a function of where its elements are; what lanes beyond the channels hold is not read.
float element(const geometry &p, int64_t n, int64_t c, int64_t row, int64_t col) {
  return static_cast<float>(((n * p.in_channels + c) * p.rows + row) * p.cols + col + 1);
}

std::vector<float> make_image(const geometry &p, bool planes) {
  const int64_t lanes = planes ? 1 : 16, groups = planes ? p.in_channels : blocks(p.in_channels);
  std::vector<float> x(at(p.batch * groups * p.rows * p.cols * lanes),
                       std::numeric_limits<float>::quiet_NaN());
  for (int64_t n = 0; n < p.batch; ++n)
    for (int64_t c = 0; c < p.in_channels; ++c)
      for (int64_t row = 0; row < p.rows; ++row)
        for (int64_t col = 0; col < p.cols; ++col)
          x[at((((n * groups + c / lanes) * p.rows + row) * p.cols + col) * lanes + c % lanes)] =
              element(p, n, c, row, col);
  return x;
}

/// The element that tap `tap` of channel `c` reads for an output, where `c` is one.
float tap_of(const geometry &p, int64_t n, int64_t c, int64_t tap, int64_t oy, int64_t ox) {
  const int64_t row = p.top + oy * p.stride[0] + tap / p.kernel[1] * p.dilation[0];
  const int64_t col = p.left + ox * p.stride[1] + tap % p.kernel[1] * p.dilation[1];
  return c < p.in_channels && row < p.rows && col < p.cols ? element(p, n, c, row, col) : 0.0f;
}

template <bool PLANES> void check(const geometry &p) {
  const int64_t channels = PLANES ? p.in_channels * p.taps() : p.in_channels;
  const index<6> dims = {
      {p.batch, blocks(channels), PLANES ? 1 : p.taps(), p.output[0], p.output[1], 16}};
  std::vector<float> want;
  walk(dims, 0, volume(dims), [&](const index<6> &i) {
    const int64_t channel = i[1] * 16 + i[5];
    want.push_back(PLANES ? tap_of(p, i[0], channel / p.taps(), channel % p.taps(), i[3], i[4])
                          : tap_of(p, i[0], channel, i[2], i[3], i[4]));
  });
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> x(mach, make_image(p, PLANES)), y(mach, volume(dims));
    mach.run([&](exec &e) {
      if constexpr (PLANES)
        pack_plane_patches(e, p, static_cast<const float *>(x.data()), y.data());
      else
        pack_patches(e, p, static_cast<const float *>(x.data()), y.data());
    });
    CHECK(y.values() == want);
  }
}

template <bool PLANES> void check_all() {
  check<PLANES>({2, 19, 15, 15, 0, 0, {3, 3}, {7, 7}, {2, 2}, {1, 1}});
  check<PLANES>({1, 3, 21, 23, 1, 2, {2, 2}, {10, 9}, {2, 2}, {1, 1}});
  check<PLANES>({1, 1, 17, 21, 0, 1, {3, 2}, {4, 5}, {4, 3}, {2, 5}});
  // Phases of an image that their taps do not divide: one row, or many columns, too few.
  check<PLANES>({2, 3, 21, 15, 0, 0, {2, 2}, {11, 11}, {2, 2}, {1, 1}});
  check<PLANES>({1, 33, 9, 7, 2, 1, {4, 4}, {3, 4}, {4, 4}, {1, 1}});
  check<PLANES>({0, 3, 9, 9, 0, 0, {3, 3}, {4, 4}, {2, 2}, {1, 1}});
}

TEST_CASE("pack_patches") { check_all<false>(); }
TEST_CASE("pack_plane_patches") { check_all<true>(); }

} // namespace
} // namespace cameo::test
