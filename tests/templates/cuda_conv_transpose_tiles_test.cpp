// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// conv_transpose_tiles against the definition: channels and pixels around the edges of tiles,
// strides, taps that some residues have and others have not, dilations, pads, groups, one to three
// dimensions, constants, counted extents, infinities, nothing to compute.
#include "convolutions.h"
#include "factors.h"

#include "cameo/cuda/conv_transpose_tiles.h"

#include <limits>

namespace cameo::test {
namespace {

/// For sums of products of numbers up to 1, by the largest sum: sums are floats, whose roundings
/// are 6e-8 each; products of 16-bit floats are exact, those of floats are to 2^-22.
constexpr double tolerance = 1e-6;

template <class E, class P, int R>
std::vector<float> run(const P &p, const index<R> &dims, const std::vector<E> &x,
                       const std::vector<E> &w) {
  machine mach;
  array<E> images(mach, x), weights(mach, w);
  array<float> y(mach, volume(dims));
  mach.run([&](target::exec &e) {
    target::conv_transpose_tiles(e, p, static_cast<const E *>(images.data()),
                                 static_cast<const E *>(weights.data()),
                                 dense_store<float, R>{y, dims});
  });
  return y.values();
}

template <class E, class P, int S> void check(const P &p, const conv_case<S> &c) {
  INFO("channels " << c.in_channels << " to " << c.out_channels << ", groups " << c.groups);
  random_values random(static_cast<uint64_t>(c.in_channels * 31 + c.out_channels));
  const std::vector<E> x = random.vector<E>(volume(c.x_dims())),
                       w = random.vector<E>(volume(c.transposed_w_dims()));
  CHECK(worst_error(run<E>(p, c.y_dims(), x, w), expected<true>(c, x, w)) <= tolerance);
}
template <class E, int S> void check(const conv_case<S> &c) { check<E>(c, c); }

template <class E> void check_all() {
  SECTION("channels and pixels around the edges of tiles")
  for (int64_t out : {5, 16, 17, 33, 70})
    for (int64_t width : {1, 7, 12})
      for (int64_t in : {1, 8, 11})
        check<E>(conv_case<2>{
            2, 1, in, out, {3, width}, {4, 4}, {6, 2 * width}, {2, 2}, {1, 1}, {1, 1}});
  SECTION("deeper than all stages")
  check<E>(conv_case<2>{1, 1, 150, 20, {5, 5}, {4, 4}, {10, 10}, {2, 2}, {1, 1}, {1, 1}});
  SECTION("stride 1")
  check<E>(conv_case<2>{2, 1, 5, 7, {6, 7}, {3, 3}, {6, 7}, {1, 1}, {1, 1}, {1, 1}});
  SECTION("stride 2, kernel 3, output padding")
  check<E>(conv_case<2>{1, 1, 4, 9, {5, 6}, {3, 3}, {10, 12}, {2, 2}, {1, 1}, {1, 1}});
  SECTION("stride larger than the kernel leaves gaps")
  check<E>(conv_case<2>{1, 1, 3, 8, {3, 4}, {2, 2}, {11, 14}, {4, 4}, {1, 1}, {0, 0}});
  SECTION("stride and dilation share a factor")
  check<E>(conv_case<2>{1, 1, 3, 6, {4, 5}, {3, 2}, {12, 24}, {2, 6}, {2, 4}, {0, 1}});
  SECTION("pads that cut more than a tap, and none that reach an input")
  check<E>(conv_case<2>{1, 1, 3, 6, {6, 7}, {4, 4}, {6, 8}, {2, 2}, {1, 1}, {4, 4}});
  check<E>(conv_case<1>{1, 1, 3, 6, {2}, {3}, {5}, {2}, {1}, {9}});
  SECTION("groups, of few channels too, and depthwise")
  check<E>(conv_case<2>{2, 4, 8, 24, {5, 5}, {4, 3}, {10, 9}, {2, 2}, {1, 1}, {1, 1}});
  check<E>(conv_case<2>{1, 3, 6, 9, {5, 5}, {4, 3}, {10, 9}, {2, 2}, {1, 1}, {1, 1}});
  check<E>(conv_case<2>{1, 5, 5, 5, {5, 5}, {2, 2}, {10, 10}, {2, 2}, {1, 1}, {0, 0}});
  SECTION("one dimension and three")
  check<E>(conv_case<1>{2, 1, 16, 8, {9}, {32}, {96}, {8}, {1}, {0}});
  check<E>(conv_case<1>{1, 2, 32, 12, {70}, {16}, {560}, {8}, {1}, {4}});
  check<E>(
      conv_case<3>{1, 1, 2, 6, {3, 2, 3}, {2, 2, 3}, {6, 4, 7}, {2, 2, 2}, {1, 1, 1}, {0, 0, 0}});
  SECTION("no output, no input, no channels, no image")
  check<E>(conv_case<2>{1, 1, 2, 6, {3, 3}, {2, 2}, {0, 6}, {2, 2}, {1, 1}, {0, 0}});
  check<E>(conv_case<2>{1, 1, 2, 6, {0, 3}, {3, 2}, {1, 6}, {2, 2}, {1, 1}, {0, 0}});
  check<E>(conv_case<2>{1, 1, 0, 6, {3, 3}, {2, 2}, {6, 6}, {2, 2}, {1, 1}, {0, 0}});
  check<E>(conv_case<2>{0, 1, 2, 6, {3, 3}, {2, 2}, {6, 6}, {2, 2}, {1, 1}, {0, 0}});
}
TEST_CASE("transposed convolutions of half by tiles") { check_all<half>(); }
TEST_CASE("transposed convolutions of bfloat16 by tiles") { check_all<bfloat16>(); }
TEST_CASE("transposed convolutions of float by tiles") { check_all<float>(); }

/// 4 x 4 taps at steps of two, all of it constant but the number of images.
template <int64_t GROUPS, int64_t IN, int64_t OUT> struct doubled {
  static constexpr int spatial_rank = 2;
  int64_t batch;
  static constexpr int64_t groups = GROUPS, in_channels = IN, out_channels = OUT;
  static constexpr int64_t input[2] = {5, 7}, kernel[2] = {4, 4}, output[2] = {10, 14};
  static constexpr int64_t stride[2] = {2, 2}, dilation[2] = {1, 1}, pad[2] = {1, 1};
  conv_case<2> as_case() const {
    return {batch, GROUPS, IN, OUT, {5, 7}, {4, 4}, {10, 14}, {2, 2}, {1, 1}, {1, 1}};
  }
};
template <class E, class P> void check_constant() {
  for (int64_t batch : {0, 1, 3})
    check<E>(P{batch}, P{batch}.as_case());
}
TEST_CASE("transposed convolutions of constant images") {
  check_constant<half, doubled<1, 24, 64>>();
  check_constant<bfloat16, doubled<2, 12, 80>>();
  check_constant<float, doubled<1, 6, 14>>();
  CHECK(target::is_plain_transposed_always<doubled<1, 40, 3>>());
  check_constant<half, doubled<1, 40, 3>>();
}

template <factor_type FACTORS, class P, int S>
void check_rounded(const P &p, const conv_case<S> &c) {
  INFO("channels " << c.in_channels << " to " << c.out_channels << ", groups " << c.groups);
  random_values random(static_cast<uint64_t>(c.in_channels * 31 + c.out_channels));
  const std::vector<float> x = random.vector<float>(volume(c.x_dims())),
                           w = random.vector<float>(volume(c.transposed_w_dims()));
  check_sums<FACTORS>(run<float>(with_factors<P, FACTORS>(p), c.y_dims(), x, w), x, w,
                      volume(c.transposed_w_dims()) / c.out_channels,
                      [&](const auto &a, const auto &b) { return expected<true>(c, a, b); });
}
template <factor_type FACTORS> void check_all_rounded() {
  for (int64_t out : {5, 17, 70})
    for (int64_t in : {1, 8, 11}) {
      const conv_case<2> c{2, 1, in, out, {3, 7}, {4, 4}, {6, 14}, {2, 2}, {1, 1}, {1, 1}};
      check_rounded<FACTORS>(c, c);
    }
  const conv_case<2> grouped{2, 4, 8, 24, {5, 5}, {4, 3}, {10, 9}, {2, 2}, {1, 1}, {1, 1}};
  check_rounded<FACTORS>(grouped, grouped);
  const conv_case<1> one{1, 2, 32, 12, {70}, {16}, {560}, {8}, {1}, {4}};
  check_rounded<FACTORS>(one, one);
  check_rounded<FACTORS>(doubled<1, 24, 64>{2}, doubled<1, 24, 64>{2}.as_case());
}
TEST_CASE("transposed convolutions of floats rounded to tf32") {
  check_all_rounded<factor_type::tf32>();
}
TEST_CASE("transposed convolutions of floats rounded to bf16") {
  check_all_rounded<factor_type::bf16>();
}
TEST_CASE("transposed convolutions of floats rounded to fp16") {
  check_all_rounded<factor_type::fp16>();
}

TEST_CASE("transposed images out of reach") {
  const conv_case<2> c = doubled<1, 8, 20>{1}.as_case();
  CHECK(target::is_transposed_in_reach(c));
  const int64_t far = int64_t{1} << 28;
  conv_case<2> deep = c;
  deep.in_channels = far;
  CHECK(!target::is_transposed_in_reach(deep));
  for (int64_t(conv_case<2>::*member)[2] :
       {&conv_case<2>::input, &conv_case<2>::output, &conv_case<2>::kernel, &conv_case<2>::dilation,
        &conv_case<2>::pad}) {
    conv_case<2> other = c;
    (other.*member)[1] = far;
    CHECK(!target::is_transposed_in_reach(other));
  }
}

struct counted_transposed {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t groups = 1, in_channels = 8, out_channels = 20;
  counted_extent batch;
  counted_extent input[2];
  static constexpr int64_t kernel[2] = {4, 3};
  counted_extent output[2];
  static constexpr int64_t stride[2] = {2, 2}, dilation[2] = {1, 1}, pad[2] = {1, 1};
  CAMEO_DEVICE void load_counts() {
    cameo::load_counts(batch, input[0], input[1], output[0], output[1]);
  }
};
template <class E> void check_counted(int64_t batch, int64_t rows) {
  INFO("batch " << batch << " rows " << rows);
  const conv_case<2> c = {batch,          1,      8,      20,    {rows, 9}, {4, 3},
                          {2 * rows, 17}, {2, 2}, {1, 1}, {1, 1}};
  random_values random(4);
  const std::vector<E> x = random.vector<E>(volume(c.x_dims())),
                       w = random.vector<E>(volume(c.transposed_w_dims()));
  machine mach;
  array<int64_t> counts(mach, std::vector<int64_t>{batch, rows, 2 * rows});
  array<E> images(mach, x), weights(mach, w);
  array<float> y(mach, volume(c.y_dims()));
  const counted number(counts.data(), batch + 2), height(counts.data() + 1, rows + 30),
      doubled_height(counts.data() + 2, 2 * rows + 60);
  mach.run([&](target::exec &e) {
    target::conv_transpose_tiles(e, counted_transposed{number, {height, 9}, {doubled_height, 17}},
                                 static_cast<const E *>(images.data()),
                                 static_cast<const E *>(weights.data()),
                                 dense_store<float, 4>{y, c.y_dims()});
  });
  CHECK(worst_error(y.values(), expected<true>(c, x, w)) <= tolerance);
}
TEST_CASE("transposed convolutions of counted extents") {
  for (int64_t batch : {0, 1, 2})
    for (int64_t rows : {0, 1, 5}) {
      check_counted<half>(batch, rows);
      check_counted<float>(batch, rows);
    }
}

/// An infinity and a NaN reach the outputs that read them.
template <class E> void check_special() {
  const conv_case<2> c = doubled<1, 4, 20>{1}.as_case();
  random_values random(3);
  std::vector<E> x = random.vector<E>(volume(c.x_dims())),
                 w = random.vector<E>(volume(c.transposed_w_dims()));
  for (E &value : w)
    value = cast<E>(abs(cast<float>(value)) + 0.5f);
  x[5] = cast<E>(std::numeric_limits<float>::infinity());
  x[60] = cast<E>(std::numeric_limits<float>::quiet_NaN());
  const std::vector<float> got = run<E>(c, c.y_dims(), x, w);
  const std::vector<double> want = expected<true>(c, x, w);
  for (size_t i = 0; i < got.size(); ++i) {
    const float wanted = static_cast<float>(want[i]);
    INFO("output " << i);
    if (wanted - wanted == 0)
      CHECK(abs(got[i] - wanted) <= 1e-5f * std::max(1.0f, abs(wanted)));
    else
      CHECK((wanted != wanted ? got[i] != got[i] : got[i] == wanted));
  }
}
TEST_CASE("infinities and NaN in transposed convolutions") {
  check_special<half>();
  check_special<bfloat16>();
  check_special<float>();
}

} // namespace
} // namespace cameo::test
