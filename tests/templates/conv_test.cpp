// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// conv and conv_transpose against the definition (the latter as a scatter): strides, dilations,
// asymmetric pads, groups, depthwise, one to three spatial dimensions, element types.
#include "convolutions.h"

#include CAMEO_TEMPLATE(conv.h)
#include CAMEO_TEMPLATE(conv_transpose.h)

namespace cameo::test {
namespace {

template <bool TRANSPOSED, class X, class W, int S> void check(const conv_case<S> &c) {
  using Y = product_t<X, W>;
  random_values random(3);
  const std::vector<X> x = random.vector<X>(volume(c.x_dims()));
  std::vector<W> w = random.vector<W>(volume(TRANSPOSED ? c.transposed_w_dims() : c.conv_w_dims()));
  const std::vector<double> want = expected<TRANSPOSED>(c, x, w);
  std::vector<Y> first;
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<X> input(mach, x);
    array<W> weights(mach, w);
    array<Y> y(mach, volume(c.y_dims()));
    mach.run([&](exec &e) {
      const dense_store<Y, S + 2> store = {y, c.y_dims()};
      if constexpr (TRANSPOSED)
        conv_transpose(e, c, input.data(), weights.data(), store);
      else
        conv(e, c, input.data(), weights.data(), store);
    });
    const std::vector<Y> got = y.values();
    CHECK(worst_error(got, want) <= tolerance<Y>());
    if (first.empty())
      first = got;
    CHECK(got == first);
  }
}

TEST_CASE("conv in two dimensions") {
  SECTION("3x3, padded")
  check<false, float, float>(
      conv_case<2>{2, 1, 5, 7, {9, 11}, {3, 3}, {9, 11}, {1, 1}, {1, 1}, {1, 1}});
  SECTION("pointwise, wide enough to be read in place")
  check<false, float, float>(
      conv_case<2>{2, 1, 9, 33, {8, 9}, {1, 1}, {8, 9}, {1, 1}, {1, 1}, {0, 0}});
  SECTION("stride 2, asymmetric pads")
  check<false, float, float>(
      conv_case<2>{1, 1, 3, 16, {13, 10}, {5, 4}, {7, 5}, {2, 2}, {1, 1}, {2, 1}});
  SECTION("dilated, stride 3")
  check<false, float, float>(
      conv_case<2>{1, 1, 2, 6, {17, 19}, {3, 2}, {5, 6}, {3, 3}, {2, 3}, {1, 2}});
  SECTION("pads larger than the input")
  check<false, float, float>(
      conv_case<2>{1, 1, 2, 5, {2, 3}, {3, 3}, {8, 9}, {1, 1}, {1, 1}, {4, 4}});
  SECTION("four groups")
  check<false, float, float>(
      conv_case<2>{2, 4, 8, 24, {7, 6}, {3, 3}, {7, 6}, {1, 1}, {1, 1}, {1, 1}});
  SECTION("few output channels")
  check<false, float, float>(
      conv_case<2>{1, 2, 6, 6, {7, 40}, {3, 3}, {4, 20}, {2, 2}, {1, 1}, {1, 1}});
  SECTION("depth over several blocks of k")
  check<false, float, float>(
      conv_case<2>{1, 1, 180, 20, {5, 5}, {3, 3}, {5, 5}, {1, 1}, {1, 1}, {1, 1}});
}

TEST_CASE("conv, depthwise") {
  SECTION("stride 1")
  check<false, float, float>(
      conv_case<2>{2, 5, 5, 5, {9, 70}, {3, 3}, {9, 70}, {1, 1}, {1, 1}, {1, 1}});
  SECTION("rows that fill tiles, the last ones overlapping") {
    const conv_case<2> c = {2, 3, 3, 3, {7, 61}, {3, 3}, {7, 61}, {1, 1}, {1, 1}, {1, 1}};
    check<false, float, float>(c);
    check<false, double, double>(c);
    check<false, half, half>(c);
    check<false, uint8_t, int8_t>(c);
    check<true, float, float>(c);
    check<false, float, float>(
        conv_case<2>{1, 3, 3, 3, {6, 30}, {3, 3}, {4, 31}, {1, 1}, {1, 1}, {0, 2}});
    check<false, float, float>(
        conv_case<2>{1, 2, 2, 2, {9, 32}, {3, 3}, {5, 30}, {1, 1}, {2, 1}, {0, 0}});
  }
  SECTION("larger squares of taps, rows of one vector and of several") {
    check<false, float, float>(
        conv_case<2>{1, 2, 2, 2, {9, 33}, {5, 5}, {9, 33}, {1, 1}, {1, 1}, {2, 2}});
    check<false, float, float>(
        conv_case<2>{2, 2, 2, 2, {14, 14}, {5, 5}, {14, 14}, {1, 1}, {1, 1}, {2, 2}});
    check<false, float, float>(
        conv_case<2>{1, 2, 2, 2, {8, 62}, {7, 7}, {8, 62}, {1, 1}, {1, 1}, {3, 3}});
    check<false, double, double>(
        conv_case<2>{1, 2, 2, 2, {11, 16}, {7, 7}, {5, 10}, {1, 1}, {1, 1}, {0, 0}});
  }
  SECTION("stride 2, dilation 2, multiplier 2")
  check<false, float, float>(
      conv_case<2>{1, 3, 3, 6, {12, 15}, {3, 3}, {5, 7}, {2, 2}, {2, 2}, {1, 1}});
  SECTION("stride 3, kernel 2")
  check<false, float, float>(
      conv_case<2>{1, 3, 3, 3, {12, 31}, {2, 2}, {4, 10}, {3, 3}, {1, 1}, {0, 0}});
}

TEST_CASE("conv in one and three dimensions") {
  check<false, float, float>(conv_case<1>{2, 1, 4, 8, {37}, {5}, {19}, {2}, {1}, {2}});
  check<false, float, float>(conv_case<1>{1, 4, 4, 4, {37}, {3}, {37}, {1}, {1}, {1}});
  check<false, float, float>(
      conv_case<3>{1, 1, 2, 6, {4, 5, 6}, {2, 3, 2}, {3, 5, 5}, {1, 1, 1}, {1, 1, 1}, {0, 1, 0}});
  check<false, float, float>(
      conv_case<3>{1, 2, 2, 2, {4, 5, 6}, {2, 3, 2}, {3, 5, 5}, {1, 1, 1}, {1, 1, 1}, {0, 1, 0}});
}

TEST_CASE("conv of more images than are made ready at a time") {
  check<false, float, float>(
      conv_case<2>{3, 1, 16, 6, {80, 80}, {3, 3}, {80, 80}, {1, 1}, {1, 1}, {1, 1}});
  check<false, half, half>(
      conv_case<2>{5, 2, 16, 12, {70, 9}, {2, 3}, {35, 5}, {2, 2}, {1, 1}, {1, 1}});
}

TEST_CASE("conv in other types") {
  const conv_case<2> c = {1, 1, 3, 8, {6, 7}, {3, 3}, {6, 7}, {1, 1}, {1, 1}, {1, 1}};
  check<false, double, double>(c);
  check<false, half, half>(c);
  check<false, uint8_t, int8_t>(c);
  conv_case<2> depthwise = c;
  depthwise.groups = 3;
  depthwise.out_channels = 3;
  check<false, half, half>(depthwise);
}

TEST_CASE("conv without output, without channels") {
  check<false, float, float>(
      conv_case<2>{1, 1, 2, 6, {3, 3}, {3, 3}, {0, 1}, {1, 1}, {1, 1}, {0, 0}});
  check<false, float, float>(
      conv_case<2>{0, 1, 2, 6, {3, 3}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}});
  check<false, float, float>(
      conv_case<2>{1, 1, 0, 6, {3, 3}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}});
}

TEST_CASE("conv_transpose") {
  SECTION("stride 1")
  check<true, float, float>(
      conv_case<2>{2, 1, 5, 7, {6, 7}, {3, 3}, {6, 7}, {1, 1}, {1, 1}, {1, 1}});
  SECTION("stride 2, kernel 3, output padding")
  check<true, float, float>(
      conv_case<2>{1, 1, 4, 9, {5, 6}, {3, 3}, {10, 12}, {2, 2}, {1, 1}, {1, 1}});
  SECTION("stride larger than the kernel leaves gaps")
  check<true, float, float>(
      conv_case<2>{1, 1, 3, 8, {3, 4}, {2, 2}, {11, 14}, {4, 4}, {1, 1}, {0, 0}});
  SECTION("stride and dilation share a factor")
  check<true, float, float>(
      conv_case<2>{1, 1, 3, 6, {4, 5}, {3, 2}, {12, 24}, {2, 6}, {2, 4}, {0, 1}});
  SECTION("groups, few channels, three dimensions, one")
  check<true, float, float>(
      conv_case<2>{2, 2, 4, 6, {5, 5}, {4, 3}, {10, 9}, {2, 2}, {1, 1}, {1, 1}});
  check<true, float, float>(
      conv_case<3>{1, 1, 2, 3, {3, 2, 3}, {2, 2, 3}, {6, 4, 7}, {2, 2, 2}, {1, 1, 1}, {0, 0, 0}});
  check<true, double, double>(conv_case<1>{1, 1, 3, 8, {7}, {4}, {15}, {2}, {1}, {1}});
}

TEST_CASE("conv_transpose of many channels") {
  SECTION("by taps: twos, gaps, dilation, an output beyond the inputs, groups")
  check<true, float, float>(
      conv_case<2>{2, 1, 17, 5, {6, 20}, {2, 2}, {12, 40}, {2, 2}, {1, 1}, {0, 0}});
  check<true, float, float>(
      conv_case<2>{1, 1, 16, 9, {5, 6}, {3, 3}, {10, 12}, {2, 2}, {1, 1}, {1, 1}});
  check<true, float, float>(
      conv_case<2>{1, 1, 16, 3, {3, 4}, {2, 2}, {11, 15}, {4, 4}, {1, 1}, {0, 0}});
  check<true, float, float>(
      conv_case<2>{1, 1, 18, 2, {4, 5}, {3, 2}, {12, 24}, {2, 6}, {2, 4}, {0, 1}});
  check<true, half, half>(
      conv_case<2>{1, 2, 36, 6, {5, 5}, {4, 3}, {10, 9}, {2, 2}, {1, 1}, {1, 1}});
  check<true, uint8_t, int8_t>(
      conv_case<2>{1, 1, 16, 4, {4, 4}, {4, 4}, {8, 8}, {2, 2}, {1, 1}, {1, 1}});
  check<true, double, double>(
      conv_case<3>{1, 1, 20, 3, {3, 2, 3}, {2, 2, 3}, {6, 4, 7}, {2, 2, 2}, {1, 1, 1}, {0, 0, 0}});
  SECTION("by inputs: the taps of one axis, more than inputs and fewer")
  check<true, float, float>(conv_case<1>{2, 1, 16, 3, {9}, {32}, {96}, {8}, {1}, {0}});
  check<true, float, float>(conv_case<1>{1, 2, 32, 2, {70}, {16}, {560}, {8}, {1}, {4}});
  check<true, float, float>(conv_case<1>{1, 1, 17, 2, {12}, {9}, {40}, {3}, {2}, {5}});
  SECTION("several blocks of channels and of outputs")
  check<true, float, float>(
      conv_case<2>{1, 1, 16, 40, {24, 140}, {4, 4}, {48, 280}, {2, 2}, {1, 1}, {1, 1}});
  check<true, float, float>(conv_case<1>{1, 1, 16, 1, {600}, {512}, {76800}, {128}, {1}, {200}});
  SECTION("no input")
  check<true, float, float>(
      conv_case<2>{1, 1, 16, 2, {0, 4}, {3, 2}, {2, 8}, {2, 2}, {1, 1}, {0, 0}});
}

} // namespace
} // namespace cameo::test
