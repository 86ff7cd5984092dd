// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// conv_blocked_bytes against the definition: every byte, partial blocks of channels, images of a
// few channels, groups, strides static and not, dilations, sums beyond 16 and beyond 32 bits. CPU
// only, once for every way in which a machine multiplies bytes.
#include "machine.h"

#include <cameo/cpu/conv_bytes.h>

namespace cameo::test {
namespace {

template <int64_t LANES> struct byte_geometry {
  static constexpr int64_t lanes = LANES;
  int64_t batch, in_channels, out_channels;
  int64_t rows, cols, top, left; // of the stored planes
  int64_t kernel[2], output[2], stride[2], dilation[2];
  int64_t groups = 1;
};
/// The same with the strides known to the compiler.
template <int64_t STRIDE, int64_t LANES> struct strided_bytes {
  static constexpr int64_t lanes = LANES, groups = 1;
  static constexpr int64_t stride[2] = {STRIDE, STRIDE};
  int64_t batch, in_channels, out_channels, rows, cols, top, left;
  int64_t kernel[2], output[2], dilation[2];
};

int64_t blocks(int64_t channels, int64_t size) { return (channels + size - 1) / size; }

/// `fill_x` and `fill_w`: what all elements are, or below 0 random ones.
template <class P> void check(const P &p, int fill_x = -1, int fill_w = -1) {
  constexpr int64_t lanes = P::lanes;
  const int64_t in = p.in_channels, out = p.out_channels, depth = in / p.groups;
  const int64_t taps = p.kernel[0] * p.kernel[1], quads = blocks(depth, 4);
  random_values random(23);
  // Lanes beyond the channels hold anything; the weights there are zero.
  auto x = random.vector<uint8_t>(p.batch * blocks(in, lanes) * p.rows * p.cols * lanes);
  auto plain = random.vector<int8_t>(out * depth * taps);
  if (fill_x >= 0)
    std::fill(x.begin(), x.end(), static_cast<uint8_t>(fill_x));
  if (fill_w >= 0)
    std::fill(plain.begin(), plain.end(), static_cast<int8_t>(fill_w));
  std::vector<int8_t> w(static_cast<size_t>(blocks(out, 16) * quads * taps * 64));
  for (int64_t o = 0; o < out; ++o)
    for (int64_t i = 0; i < depth; ++i)
      for (int64_t t = 0; t < taps; ++t)
        w[static_cast<size_t>((((o / 16 * quads + i / 4) * taps + t) * 16 + o % 16) * 4 + i % 4)] =
            plain[static_cast<size_t>((o * depth + i) * taps + t)];
  const index<5> y_dims = {{p.batch, blocks(out, 16), p.output[0], p.output[1], 16}};
  std::vector<int32_t> want(static_cast<size_t>(volume(y_dims)));
  for (int64_t n = 0; n < p.batch; ++n)
    for (int64_t o = 0; o < out; ++o)
      for (int64_t oy = 0; oy < p.output[0]; ++oy)
        for (int64_t ox = 0; ox < p.output[1]; ++ox) {
          uint32_t sum = 0;
          for (int64_t i = 0; i < depth; ++i)
            for (int64_t t = 0; t < taps; ++t) {
              const int64_t c = o / (out / p.groups) * depth + i;
              const int64_t row = p.top + oy * p.stride[0] + t / p.kernel[1] * p.dilation[0];
              const int64_t col = p.left + ox * p.stride[1] + t % p.kernel[1] * p.dilation[1];
              const int64_t plane = n * blocks(in, lanes) + c / lanes;
              const int64_t at = ((plane * p.rows + row) * p.cols + col) * lanes + c % lanes;
              sum += static_cast<uint32_t>(x[static_cast<size_t>(at)] *
                                           plain[static_cast<size_t>((o * depth + i) * taps + t)]);
            }
          want[static_cast<size_t>(flatten(index<5>{{n, o / 16, oy, ox, o % 16}}, y_dims))] =
              static_cast<int32_t>(sum);
        }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<uint8_t> input(mach, x);
    array<int8_t> weights(mach, w);
    array<int32_t> y(mach, volume(y_dims));
    mach.run([&](exec &e) {
      conv_blocked_bytes(e, p, static_cast<const uint8_t *>(input.data()),
                         static_cast<const int8_t *>(weights.data()),
                         dense_store<int32_t, 5>{y, y_dims});
    });
    CHECK(y.values() == want);
  }
}

template <int64_t LANES = 16>
byte_geometry<LANES> padded_3x3(int64_t in, int64_t out, int64_t height, int64_t width) {
  return {2, in, out, height + 4, width + 3, 1, 1, {3, 3}, {height, width}, {1, 1}, {1, 1}};
}

TEST_CASE("conv_blocked_bytes") {
  check(padded_3x3(16, 32, 3, 14));
  check(padded_3x3(19, 40, 5, 31));
  check(padded_3x3(5, 17, 2, 1));
  check(byte_geometry<16>{2, 33, 17, 6, 30, 0, 0, {1, 1}, {6, 30}, {1, 1}, {1, 1}});
  check(byte_geometry<16>{1, 70, 48, 9, 12, 1, 2, {1, 1}, {4, 5}, {2, 2}, {1, 1}});
  check(byte_geometry<16>{1, 16, 16, 17, 21, 0, 1, {3, 2}, {4, 5}, {4, 3}, {2, 5}});
}

TEST_CASE("conv_blocked_bytes of short rows") {
  for (int64_t width : {1, 2, 3, 5, 7}) {
    check(padded_3x3(20, 40, 5, width));
    check(padded_3x3(20, 40, 6, width));
  }
  check(byte_geometry<16>{2, 33, 17, 14, 14, 0, 1, {1, 1}, {7, 6}, {2, 2}, {1, 1}});
}

TEST_CASE("conv_blocked_bytes of many channels") {
  for (int64_t channels : {64, 68, 80, 130, 192}) {
    check(padded_3x3(channels, 48, 5, 35));
    check(byte_geometry<16>{2, channels, 32, 9, 12, 1, 2, {1, 1}, {4, 5}, {2, 2}, {1, 1}});
  }
  check(strided_bytes<1, 16>{2, 128, 40, 14, 14, 0, 0, {1, 1}, {14, 14}, {1, 1}});
}

TEST_CASE("conv_blocked_bytes of extreme bytes") {
  for (int byte : {127, 128}) // the least as an int8_t
    check(byte_geometry<16>{1, 300, 16, 5, 5, 0, 0, {3, 3}, {3, 3}, {1, 1}, {1, 1}}, 255, byte);
  // 7^2 * 1400 * 255 * 128 is beyond 2^31.
  check(byte_geometry<16>{1, 1400, 3, 7, 7, 0, 0, {7, 7}, {1, 1}, {1, 1}, {1, 1}}, 255, 128);
}

TEST_CASE("conv_blocked_bytes of groups") {
  check(byte_geometry<16>{2, 48, 144, 9, 13, 0, 1, {3, 3}, {7, 10}, {1, 1}, {1, 1}, 3});
  check(byte_geometry<16>{1, 64, 32, 5, 7, 0, 0, {1, 1}, {5, 7}, {1, 1}, {1, 1}, 2});
}

TEST_CASE("conv_blocked_bytes with a static stride") {
  check(strided_bytes<1, 16>{2, 20, 48, 8, 32, 1, 1, {3, 3}, {4, 29}, {1, 1}});
  check(strided_bytes<2, 16>{1, 20, 33, 12, 42, 0, 0, {3, 3}, {5, 20}, {1, 1}});
  check(strided_bytes<3, 16>{1, 20, 33, 12, 42, 0, 0, {3, 3}, {3, 13}, {1, 1}});
}

TEST_CASE("conv_blocked_bytes of a few channels") {
  check(padded_3x3<4>(3, 40, 4, 31));
  check(padded_3x3<4>(1, 17, 2, 1));
  check(byte_geometry<4>{1, 4, 16, 17, 21, 0, 1, {3, 2}, {4, 5}, {4, 3}, {2, 5}});
  check(strided_bytes<2, 4>{2, 3, 64, 13, 43, 0, 0, {7, 7}, {4, 19}, {1, 1}});
  check(strided_bytes<1, 4>{2, 3, 40, 9, 22, 0, 0, {3, 5}, {7, 18}, {1, 1}});
  check(byte_geometry<4>{1, 3, 16, 30, 70, 0, 0, {4, 16}, {9, 18}, {3, 3}, {1, 1}});
}

#if CAMEO_BYTE_TILES
TEST_CASE("tiles of bytes read no image beyond its end") {
  for (int64_t cols : {4, 9, 30, 70})
    for (int64_t stride : {1, 2, 4})
      for (int64_t rows : {5, 12}) {
        const byte_geometry<4> p = {1,
                                    3,
                                    16,
                                    rows,
                                    cols,
                                    1,
                                    0,
                                    {3, 3},
                                    {(rows - 4) / stride + 1, (cols - 3) / stride + 1},
                                    {stride, stride},
                                    {1, 1}};
        const int64_t safe = rows_for_tiles(p);
        CHECK(safe <= p.output[0]);
        if (safe > 0) {
          const int64_t last =
              (p.top + (safe - 1) * stride + 2) * cols + (p.output[1] - 1 + 15) * stride + 3;
          CHECK(last <= rows * cols);
        }
        if (p.output[1] > 0)
          check(p);
      }
}
#endif

TEST_CASE("conv_blocked_bytes without outputs") {
  check(byte_geometry<16>{1, 16, 16, 3, 3, 0, 0, {3, 3}, {1, 0}, {1, 1}, {1, 1}});
  check(byte_geometry<16>{0, 16, 16, 3, 3, 0, 0, {3, 3}, {1, 1}, {1, 1}, {1, 1}});
}

} // namespace
} // namespace cameo::test
