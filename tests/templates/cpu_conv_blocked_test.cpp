// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// conv_blocked in its three forms against the definition on plain tensors: partial channel
// blocks, halos wider than needed, strides and kernels static and not. CPU only.
#include "machine.h"

#include <cameo/cpu/conv_blocked_depthwise.h>
#include <cameo/cpu/patches.h>

namespace cameo::test {
namespace {

struct geometry {
  int64_t batch, in_channels, out_channels;
  int64_t rows, cols, top, left; // of the stored planes
  int64_t kernel[2], output[2], stride[2], dilation[2];
  int64_t groups = 1;
};
/// The same with the strides known to the compiler.
template <int64_t STRIDE> struct strided_geometry {
  int64_t batch, in_channels, out_channels, rows, cols, top, left;
  int64_t kernel[2], output[2], dilation[2];
  static constexpr int64_t groups = 1;
  static constexpr int64_t stride[2] = {STRIDE, STRIDE};

  explicit strided_geometry(const geometry &g)
      : batch(g.batch), in_channels(g.in_channels), out_channels(g.out_channels), rows(g.rows),
        cols(g.cols), top(g.top), left(g.left), kernel{g.kernel[0], g.kernel[1]},
        output{g.output[0], g.output[1]}, dilation{g.dilation[0], g.dilation[1]} {}
};

/// The same with the taps of a row known too.
template <int64_t STRIDE, int64_t ROWS, int64_t COLUMNS> struct static_geometry {
  int64_t batch, in_channels, rows, cols, top, left;
  int64_t output[2];
  static constexpr int64_t groups = 1, out_channels = 0;
  static constexpr int64_t stride[2] = {STRIDE, STRIDE}, kernel[2] = {ROWS, COLUMNS},
                           dilation[2] = {1, 1};
};

/// All of it known: TAPS x TAPS over planes with a halo of HALO more columns than are read.
template <int64_t HEIGHT, int64_t WIDTH, int64_t TAPS, int64_t STRIDE, int64_t HALO, int64_t OUT>
struct fixed_geometry {
  static constexpr int64_t batch = 2, in_channels = 20, out_channels = OUT, groups = 1;
  static constexpr int64_t rows = (HEIGHT - 1) * STRIDE + TAPS, top = 0,
                           cols = (WIDTH - 1) * STRIDE + TAPS + HALO, left = HALO;
  static constexpr int64_t kernel[2] = {TAPS, TAPS}, output[2] = {HEIGHT, WIDTH},
                           stride[2] = {STRIDE, STRIDE}, dilation[2] = {1, 1};
};

/// Rows and columns at each side of x are zeros, whose taps are left out.
struct halo_geometry : geometry {
  int64_t halo[2];
};

enum class form { blocks, planes, depthwise };

int64_t blocks(int64_t channels) { return (channels + 15) / 16; }

template <form FORM, class P> void check(const P &p) {
  constexpr bool DEPTHWISE = FORM == form::depthwise, PLANES = FORM == form::planes;
  const int64_t in = p.in_channels, out = DEPTHWISE ? in : p.out_channels;
  const int64_t groups = DEPTHWISE ? in : p.groups;
  const int64_t lanes = PLANES ? 1 : 16; // of a pixel of x
  const int64_t taps = p.kernel[0] * p.kernel[1], depth = in / groups;
  random_values random(19);
  // Padding lanes of x hold anything; those of the weights are zero.
  auto x = random.vector<float>(p.batch * (PLANES ? in : blocks(in)) * p.rows * p.cols * lanes);
  if constexpr (has_halo<P>::value)
    for (size_t i = 0; i < x.size(); ++i) {
      const int64_t pixel = static_cast<int64_t>(i) / lanes;
      const int64_t col = pixel % p.cols, row = pixel / p.cols % p.rows;
      if (row < p.halo[0] || row >= p.rows - p.halo[0] || col < p.halo[1] ||
          col >= p.cols - p.halo[1])
        x[i] = 0;
    }
  const auto plain = random.vector<float>(out * depth * taps);
  // Planes and depthwise convolutions take a row of 16 outputs for each weight of one.
  const bool is_row = DEPTHWISE || PLANES;
  std::vector<float> w(
      static_cast<size_t>(blocks(out) * taps * (is_row ? depth * 16 : blocks(depth) * 256)));
  for (int64_t o = 0; o < out; ++o)
    for (int64_t i = 0; i < depth; ++i)
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t at =
            is_row ? ((o / 16 * depth + i) * taps + t) * 16 + o % 16
                   : (((o / 16 * blocks(depth) + i / 16) * taps + t) * 16 + i % 16) * 16 + o % 16;
        w[static_cast<size_t>(at)] = plain[static_cast<size_t>((o * depth + i) * taps + t)];
      }
  const index<5> y_dims = {{p.batch, blocks(out), p.output[0], p.output[1], 16}};
  std::vector<double> want(static_cast<size_t>(volume(y_dims)));
  for (int64_t n = 0; n < p.batch; ++n)
    for (int64_t o = 0; o < out; ++o)
      for (int64_t oy = 0; oy < p.output[0]; ++oy)
        for (int64_t ox = 0; ox < p.output[1]; ++ox) {
          double sum = 0;
          for (int64_t i = 0; i < depth; ++i)
            for (int64_t t = 0; t < taps; ++t) {
              const int64_t c = o / (out / groups) * depth + i;
              const int64_t row = p.top + oy * p.stride[0] + t / p.kernel[1] * p.dilation[0];
              const int64_t col = p.left + ox * p.stride[1] + t % p.kernel[1] * p.dilation[1];
              sum += static_cast<double>(plain[static_cast<size_t>((o * depth + i) * taps + t)]) *
                     static_cast<double>(x[static_cast<size_t>(
                         PLANES ? ((n * in + c) * p.rows + row) * p.cols + col
                                : (((n * blocks(in) + c / 16) * p.rows + row) * p.cols + col) * 16 +
                                      c % 16)]);
            }
          want[static_cast<size_t>(flatten(index<5>{{n, o / 16, oy, ox, o % 16}}, y_dims))] = sum;
        }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> input(mach, x), weights(mach, w), y(mach, volume(y_dims));
    mach.run([&](exec &e) {
      const dense_store<float, 5> store = {y, y_dims};
      if constexpr (DEPTHWISE)
        conv_blocked_depthwise(e, p, input.data(), weights.data(), store);
      else if constexpr (PLANES)
        conv_blocked_planes(e, p, input.data(), weights.data(), store);
      else
        conv_blocked(e, p, input.data(), weights.data(), store);
    });
    std::vector<float> got = y.values();
    for (size_t i = 0; i < got.size() && DEPTHWISE; ++i) // the padding lanes of a depthwise result
      if (static_cast<int64_t>(i) / 16 / p.output[1] / p.output[0] % blocks(out) * 16 +
              static_cast<int64_t>(i % 16) >=
          out)
        got[i] = 0;
    CHECK(worst_error(got, want) <= 2e-6);
  }
}

geometry padded_3x3(int64_t in, int64_t out, int64_t height, int64_t width) {
  return {2, in, out, height + 4, width + 3, 1, 1, {3, 3}, {height, width}, {1, 1}, {1, 1}};
}

TEST_CASE("conv_blocked") {
  check<form::blocks>(padded_3x3(16, 32, 3, 14));
  check<form::blocks>(padded_3x3(19, 40, 5, 31));
  check<form::blocks>(padded_3x3(3, 5, 2, 1));
  check<form::blocks>(geometry{1, 33, 17, 6, 30, 0, 0, {1, 1}, {6, 30}, {1, 1}, {1, 1}});
  check<form::blocks>(geometry{1, 16, 16, 17, 21, 0, 1, {3, 2}, {4, 5}, {4, 3}, {2, 5}});
}

TEST_CASE("conv_blocked leaves out taps in the halo") {
  const auto far = [](int64_t rows, int64_t cols, int64_t dilation, int64_t stride, int64_t spare) {
    const int64_t halo = dilation + spare;
    geometry g{2,
               19,
               40,
               rows + 2 * halo,
               cols + 2 * halo,
               spare,
               spare,
               {3, 3},
               {(rows - 1) / stride + 1, (cols - 1) / stride + 1},
               {stride, stride},
               {dilation, dilation}};
    check<form::blocks>(halo_geometry{g, {halo, halo}});
  };
  far(5, 31, 4, 1, 0);
  far(16, 16, 12, 1, 0);
  far(7, 9, 12, 2, 3); // of which some see the centre alone, and the halo is wider than its taps
  far(1, 1, 36, 1, 0);
  // Two even taps, of which some outputs have none; rows that are no halo.
  check<form::blocks>(
      halo_geometry{{1, 16, 16, 17, 33, 0, 0, {2, 2}, {11, 21}, {1, 1}, {6, 12}}, {6, 12}});
  check<form::blocks>(
      halo_geometry{{1, 33, 17, 1, 45, 0, 0, {1, 5}, {1, 13}, {1, 1}, {1, 8}}, {0, 16}});
  check<form::blocks>(
      halo_geometry{{1, 64, 32, 15, 15, 0, 0, {3, 3}, {5, 5}, {1, 1}, {5, 5}, 2}, {5, 5}});
}

TEST_CASE("conv_blocked of groups") {
  check<form::blocks>(geometry{2, 48, 144, 9, 13, 0, 1, {3, 3}, {7, 10}, {1, 1}, {1, 1}, 3});
  check<form::blocks>(geometry{1, 64, 32, 5, 7, 0, 0, {1, 1}, {5, 7}, {1, 1}, {1, 1}, 2});
  check<form::blocks>(geometry{1, 1088, 64, 5, 7, 0, 0, {1, 1}, {5, 7}, {1, 1}, {1, 1}, 2});
}

TEST_CASE("conv_blocked of one tap and many channels") {
  const int64_t in = 600; // several chunks, the last block in part
  check<form::blocks>(geometry{2, in, 40, 15, 7, 1, 0, {1, 1}, {13, 7}, {1, 1}, {1, 1}});
  check<form::blocks>(geometry{1, in, 17, 9, 12, 1, 2, {1, 1}, {7, 9}, {1, 1}, {1, 1}});
  check<form::blocks>(geometry{1, in, 33, 9, 11, 0, 0, {1, 1}, {5, 6}, {2, 2}, {1, 1}});
  check<form::planes>(geometry{1, in, 16, 5, 9, 0, 0, {1, 1}, {5, 9}, {1, 1}, {1, 1}});
}

/// The same bits as without patches: the order of products is the same.
void check_patches(const geometry &p) {
  random_values random(29);
  const int64_t taps = p.kernel[0] * p.kernel[1];
  auto x = random.vector<float>(p.batch * blocks(p.in_channels) * p.rows * p.cols * 16);
  for (size_t i = 0; i < x.size(); ++i) // lanes beyond the channels
    if (static_cast<int64_t>(i) / 16 / p.cols / p.rows % blocks(p.in_channels) * 16 +
            static_cast<int64_t>(i % 16) >=
        p.in_channels)
      x[i] = std::numeric_limits<float>::quiet_NaN();
  const auto w = random.vector<float>(blocks(p.out_channels) * blocks(p.in_channels) * taps * 256);
  const int64_t channels = blocks(p.in_channels) * 16 * taps;
  const index<5> dims = {{p.batch, blocks(p.out_channels), p.output[0], p.output[1], 16}};
  const geometry pointwise = {p.batch,     channels,    p.out_channels,
                              p.output[0], p.output[1], 0,
                              0,           {1, 1},      {p.output[0], p.output[1]},
                              {1, 1},      {1, 1}};
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> input(mach, x), weights(mach, w), want(mach, volume(dims)),
        got(mach, volume(dims)), patches(mach, p.batch * channels * p.output[0] * p.output[1]);
    mach.run([&](exec &e) {
      conv_blocked(e, p, input.data(), weights.data(), dense_store<float, 5>{want, dims});
      pack_patches(e, p, static_cast<const float *>(input.data()), patches.data());
      conv_blocked(e, pointwise, patches.data(), weights.data(), dense_store<float, 5>{got, dims});
    });
    CHECK(got.values() == want.values());
  }
}

TEST_CASE("conv_blocked over patches") {
  check_patches({2, 19, 40, 15, 15, 0, 0, {3, 3}, {7, 7}, {2, 2}, {1, 1}});
  check_patches({1, 32, 16, 9, 12, 1, 2, {1, 1}, {4, 5}, {2, 2}, {1, 1}});
  check_patches({1, 3, 17, 17, 21, 0, 1, {3, 2}, {4, 5}, {4, 3}, {2, 5}});
  check_patches({0, 16, 16, 9, 9, 0, 0, {3, 3}, {4, 4}, {2, 2}, {1, 1}});
}

TEST_CASE("conv_blocked with a static stride") {
  check<form::blocks>(strided_geometry<1>(padded_3x3(20, 48, 4, 29)));
  check<form::blocks>(strided_geometry<2>({1, 20, 33, 12, 42, 0, 0, {3, 3}, {5, 20}, {}, {1, 1}}));
  check<form::blocks>(strided_geometry<3>({1, 20, 33, 12, 42, 0, 0, {3, 3}, {3, 13}, {}, {1, 1}}));
}

TEST_CASE("conv_blocked with all static") {
  check<form::blocks>(fixed_geometry<7, 7, 1, 1, 0, 32>{}); // rows joined
  check<form::blocks>(fixed_geometry<7, 7, 1, 1, 1, 33>{});
  check<form::blocks>(fixed_geometry<5, 13, 3, 1, 0, 32>{});
  check<form::blocks>(fixed_geometry<3, 29, 3, 2, 0, 33>{});
  check<form::planes>(fixed_geometry<5, 17, 3, 2, 0, 33>{});
  check<form::depthwise>(fixed_geometry<5, 17, 3, 2, 0, 0>{});
}

/// The lengths of all runs, whichever rows are asked for.
template <int LONGEST, class P> uint64_t all_lengths(const P &p) {
  uint64_t lengths = 0;
  for (int64_t begin = 0; begin < p.output[0]; ++begin)
    for (int64_t end = begin + 1; end <= p.output[0]; ++end) {
      cpu::blocked_runs runs(begin, end - begin, p.output[1], cpu::are_rows_joined(p), LONGEST);
      while (runs.left() > 0)
        lengths |= cpu::number_set(runs.take().pixels);
    }
  return lengths;
}
template <int LONGEST, class P> void check_lengths() {
  STATIC_REQUIRE(cpu::run_lengths<P, LONGEST>() != 0);
  CHECK(cpu::run_lengths<P, LONGEST>() == all_lengths<LONGEST>(P{}));
}
template <int LONGEST> void check_lengths_to() {
  check_lengths<LONGEST, fixed_geometry<7, 7, 1, 1, 0, 16>>();
  check_lengths<LONGEST, fixed_geometry<7, 7, 1, 1, 1, 16>>();
  check_lengths<LONGEST, fixed_geometry<56, 56, 1, 1, 0, 16>>();
  check_lengths<LONGEST, fixed_geometry<250, 1, 1, 1, 0, 16>>();
  check_lengths<LONGEST, fixed_geometry<40, 15, 1, 1, 0, 16>>();
  check_lengths<LONGEST, fixed_geometry<28, 28, 3, 1, 0, 16>>();
  check_lengths<LONGEST, fixed_geometry<14, 29, 3, 2, 0, 16>>();
}

TEST_CASE("register tiles are made for the lengths that runs have") {
  check_lengths_to<14>();
  check_lengths_to<6>();
  check_lengths_to<2>();
  // Where `left` is known at run time only, rows may be joined; without extents runs have any
  // length.
  struct any_rows : fixed_geometry<7, 7, 1, 1, 1, 16> {
    int64_t left;
  };
  CHECK(cpu::run_lengths<any_rows, 14>() ==
        cpu::run_lengths<fixed_geometry<7, 7, 1, 1, 0, 16>, 14>());
  CHECK(cpu::run_lengths<geometry, 14>() == (1 << 14) - 1);
}

TEST_CASE("conv_blocked_planes") {
  check<form::planes>(padded_3x3(3, 40, 4, 31));
  check<form::planes>(padded_3x3(18, 5, 2, 1));
  check<form::planes>(strided_geometry<1>(padded_3x3(1, 17, 4, 29)));
  check<form::planes>(strided_geometry<2>({1, 3, 64, 13, 43, 0, 0, {7, 7}, {4, 19}, {}, {1, 1}}));
}

TEST_CASE("conv_blocked_depthwise") {
  check<form::depthwise>(padded_3x3(16, 0, 3, 14));
  check<form::depthwise>(padded_3x3(35, 0, 6, 29));
  check<form::depthwise>(strided_geometry<1>(padded_3x3(20, 0, 4, 29)));
  check<form::depthwise>(
      strided_geometry<2>({1, 20, 0, 12, 42, 0, 0, {5, 3}, {4, 20}, {}, {1, 1}}));
  check<form::depthwise>(static_geometry<1, 3, 3>{2, 35, 8, 33, 1, 1, {5, 30}});
  check<form::depthwise>(static_geometry<2, 3, 3>{1, 20, 9, 60, 0, 1, {4, 29}});
  check<form::depthwise>(static_geometry<1, 2, 7>{1, 16, 6, 22, 1, 0, {4, 16}});
  check<form::depthwise>(
      static_geometry<2, 5, 1>{1, 16, 9, 31, 0, 0, {3, 15}}); // no tap reads every other one
  check<form::depthwise>(static_geometry<3, 3, 3>{1, 16, 9, 31, 0, 0, {3, 9}});
  check<form::depthwise>(static_geometry<1, 1, 9>{1, 16, 2, 30, 0, 0, {2, 22}}); // one by one
}

TEST_CASE("conv_blocked without outputs") {
  check<form::blocks>(geometry{1, 16, 16, 3, 3, 0, 0, {3, 3}, {1, 0}, {1, 1}, {1, 1}});
  check<form::blocks>(geometry{0, 16, 16, 3, 3, 0, 0, {3, 3}, {1, 1}, {1, 1}, {1, 1}});
}

} // namespace
} // namespace cameo::test
