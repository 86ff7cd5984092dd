// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// conv_tiles against the definition: every tile, channels and pixels around its edges, strides,
// dilations, pads, groups, one to three dimensions, weights of any alignment, stores of neighbours,
// windows of few and of many taps, counted extents, infinities, nothing to compute.
#include "convolutions.h"
#include "factors.h"

#include "cameo/cuda/conv_tiles.h"

#include <limits>

namespace cameo::test {
namespace {

/// For sums of products of numbers up to 1, by the largest sum: sums are floats, whose roundings
/// are 6e-8 each; products of 16-bit floats are exact, those of floats are to 2^-22.
constexpr double tolerance = 1e-6;

/// The convolution by weights that begin `skip` elements behind what is aligned, into as many
/// outputs as `dims` says.
template <class E, class P, int R>
std::vector<float> run(const P &p, const index<R> &dims, const std::vector<E> &x,
                       const std::vector<E> &w, int64_t skip = 0) {
  std::vector<E> behind(static_cast<size_t>(skip), cast<E>(std::numeric_limits<float>::infinity()));
  behind.insert(behind.end(), w.begin(), w.end());
  machine mach;
  array<E> images(mach, x), weights(mach, behind);
  array<float> y(mach, volume(dims));
  mach.run([&](target::exec &e) {
    target::conv_tiles(e, p, static_cast<const E *>(images.data()),
                       static_cast<const E *>(weights.data()) + skip,
                       dense_store<float, R>{y, dims});
  });
  return y.values();
}

template <class E, int S> void check(const conv_case<S> &c) {
  INFO("channels " << c.in_channels << " to " << c.out_channels << ", groups " << c.groups);
  random_values random(static_cast<uint64_t>(c.in_channels * 31 + c.out_channels));
  const std::vector<E> x = random.vector<E>(volume(c.x_dims())),
                       w = random.vector<E>(volume(c.conv_w_dims()));
  const std::vector<float> got = run<E>(c, c.y_dims(), x, w);
  CHECK(worst_error(got, expected<false>(c, x, w)) <= tolerance);
}
template <class E> void check_all() {
  SECTION("channels and pixels around the edges of tiles")
  for (int64_t out : {5, 16, 17, 33, 70})
    for (int64_t width : {1, 7, 9, 23})
      for (int64_t in : {1, 8, 11})
        check<E>(
            conv_case<2>{2, 1, in, out, {4, width}, {3, 3}, {4, width}, {1, 1}, {1, 1}, {1, 1}});
  SECTION("deeper than all stages")
  check<E>(conv_case<2>{1, 1, 72, 20, {5, 5}, {3, 3}, {5, 5}, {1, 1}, {1, 1}, {1, 1}});
  SECTION("pointwise with a stride")
  check<E>(conv_case<2>{1, 1, 70, 24, {9, 8}, {1, 1}, {5, 4}, {2, 2}, {1, 1}, {0, 0}});
  SECTION("stride 2, asymmetric pads")
  check<E>(conv_case<2>{1, 1, 3, 16, {13, 10}, {5, 4}, {7, 5}, {2, 2}, {1, 1}, {2, 1}});
  SECTION("dilated, stride 3")
  check<E>(conv_case<2>{1, 1, 2, 6, {17, 19}, {3, 2}, {5, 6}, {3, 3}, {2, 3}, {1, 2}});
  SECTION("pads larger than the input")
  check<E>(conv_case<2>{1, 1, 2, 5, {2, 3}, {3, 3}, {8, 9}, {1, 1}, {1, 1}, {4, 4}});
  SECTION("groups, of few channels too, and depthwise")
  check<E>(conv_case<2>{2, 4, 8, 24, {7, 6}, {3, 3}, {7, 6}, {1, 1}, {1, 1}, {1, 1}});
  check<E>(conv_case<2>{2, 2, 16, 40, {7, 6}, {3, 3}, {7, 6}, {1, 1}, {1, 1}, {1, 1}});
  check<E>(conv_case<2>{1, 3, 6, 9, {7, 6}, {3, 3}, {7, 6}, {1, 1}, {1, 1}, {1, 1}});
  check<E>(conv_case<2>{1, 5, 5, 5, {7, 6}, {3, 3}, {7, 6}, {1, 1}, {1, 1}, {1, 1}});
  SECTION("one dimension and three")
  check<E>(conv_case<1>{2, 1, 4, 8, {37}, {5}, {19}, {2}, {1}, {2}});
  check<E>(conv_case<1>{1, 2, 6, 40, {90}, {70}, {21}, {1}, {1}, {0}});
  check<E>(
      conv_case<3>{1, 1, 2, 6, {4, 5, 6}, {2, 3, 2}, {3, 5, 5}, {1, 1, 1}, {1, 1, 1}, {0, 1, 0}});
  check<E>(
      conv_case<3>{2, 2, 6, 34, {4, 5, 6}, {3, 3, 3}, {2, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}});
  SECTION("no output, no channels")
  check<E>(conv_case<2>{1, 1, 2, 6, {3, 3}, {3, 3}, {0, 1}, {1, 1}, {1, 1}, {0, 0}});
  check<E>(conv_case<2>{0, 1, 2, 6, {3, 3}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}});
  check<E>(conv_case<2>{1, 1, 0, 6, {3, 3}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}});
}
TEST_CASE("convolutions of half by tiles") { check_all<half>(); }
TEST_CASE("convolutions of bfloat16 by tiles") { check_all<bfloat16>(); }
TEST_CASE("convolutions of float by tiles") { check_all<float>(); }

// ---- Rounded factors ----

template <factor_type FACTORS, class P, int S>
void check_rounded(const P &p, const conv_case<S> &c) {
  INFO("channels " << c.in_channels << " to " << c.out_channels << ", groups " << c.groups);
  random_values random(static_cast<uint64_t>(c.in_channels * 31 + c.out_channels));
  const std::vector<float> x = random.vector<float>(volume(c.x_dims())),
                           w = random.vector<float>(volume(c.conv_w_dims()));
  const with_factors<P, FACTORS> rounding(p);
  const std::vector<float> got = run<float>(rounding, c.y_dims(), x, w);
  check_sums<FACTORS>(got, x, w, volume(c.conv_w_dims()) / c.out_channels,
                      [&](const auto &a, const auto &b) { return expected<false>(c, a, b); });
  CHECK(run<float>(rounding, c.y_dims(), x, w, 1) == got);
}
template <factor_type FACTORS, class P> void check_rounded_constant() {
  check_rounded<FACTORS>(P{}, P::as_case());
}
template <factor_type FACTORS> void check_all_rounded() {
  for (int64_t out : {5, 17, 70})
    for (int64_t in : {1, 8, 11}) {
      const conv_case<2> c{2, 1, in, out, {4, 9}, {3, 3}, {4, 9}, {1, 1}, {1, 1}, {1, 1}};
      check_rounded<FACTORS>(c, c);
    }
  const conv_case<2> strided{1, 2, 16, 40, {13, 10}, {5, 4}, {7, 5}, {2, 2}, {1, 1}, {2, 1}};
  check_rounded<FACTORS>(strided, strided);
  const conv_case<1> one{1, 2, 6, 40, {90}, {70}, {21}, {1}, {1}, {0}};
  check_rounded<FACTORS>(one, one);
  check_rounded_constant<FACTORS, constant_conv<1, 16, 32, 8>>();
  check_rounded_constant<FACTORS, constant_conv<2, 22, 20, 7>>();
  check_rounded_constant<FACTORS, constant_conv<1, 64, 24, 9>>(); // in slices
}
TEST_CASE("convolutions of floats rounded to tf32") { check_all_rounded<factor_type::tf32>(); }
TEST_CASE("convolutions of floats rounded to bf16") { check_all_rounded<factor_type::bf16>(); }
TEST_CASE("convolutions of floats rounded to fp16") { check_all_rounded<factor_type::fp16>(); }

// ---- Constant convolutions ----

template <class TILE, int PIECE, class E, class P>
std::vector<float> run_tile(const std::vector<E> &x, const std::vector<E> &w) {
  const index<4> dims = P::as_case().y_dims();
  machine mach;
  array<E> images(mach, x), weights(mach, w);
  array<float> y(mach, volume(dims));
  mach.run([&](target::exec &e) {
    const target::conv_tiles_call<P, E, dense_store<float, 4>> call{
        {{P{}}, images, weights, {y, dims}}};
    target::launch_image_tile<TILE, PIECE>(e, call, call.shape());
  });
  return y.values();
}

template <class E, class P> void check_constant() {
  random_values random(77);
  const conv_case<2> c = P::as_case();
  const std::vector<E> x = random.vector<E>(volume(c.x_dims())),
                       w = random.vector<E>(volume(c.conv_w_dims()));
  const std::vector<double> want = expected<false>(c, x, w);
  const std::vector<float> got = run<E>(P{}, c.y_dims(), x, w);
  CHECK(worst_error(got, want) <= tolerance);
  CHECK(run<E>(P{}, c.y_dims(), x, w, 1) == got);
  // All tiles sum in one order, whatever way weights come, but for those that slice the depth.
  const std::vector<float> one = run_tile<target::image_tile, 0, E, P>(x, w);
  CHECK(worst_error(one, want) <= tolerance);
  CHECK(run_tile<target::few_channels_tile, 0, E, P>(x, w) == one);
  CHECK(run_tile<target::large_image_tile, 0, E, P>(x, w) == one);
  const std::vector<float> sliced = run_tile<target::sliced_tile, 0, E, P>(x, w);
  CHECK(worst_error(sliced, want) <= tolerance);
  if (c.in_channels / c.groups % 8 == 0) {
    CHECK(run_tile<target::few_channels_tile, 16, E, P>(x, w) == one);
    CHECK(run_tile<target::image_tile, 16, E, P>(x, w) == one);
    CHECK(run_tile<target::large_image_tile, 16, E, P>(x, w) == one);
    CHECK(run_tile<target::sliced_tile, 16, E, P>(x, w) == sliced);
    // Two slices add up in an order of their own, so that their bits are nobody else's.
    CHECK(worst_error(run_tile<target::halved_tile, 16, E, P>(x, w), want) <= tolerance);
    CHECK(worst_error(run_tile<target::wide_tile, 16, E, P>(x, w), want) <= tolerance);
  }
}
template <class E> void check_constants() {
  check_constant<E, constant_conv<1, 24, 64, 16>>();
  check_constant<E, constant_conv<1, 88, 40, 9>>(); // in slices
  check_constant<E, constant_conv<2, 16, 80, 11>>();
  check_constant<E, constant_conv<1, 5, 14, 11>>();
  check_constant<E, constant_conv<1, 12, 20, 9>>(); // weights by 8 bytes
  check_constant<E, constant_conv<2, 12, 40, 9>>(); // by 4
}
TEST_CASE("constant convolutions of half") { check_constants<half>(); }
TEST_CASE("constant convolutions of bfloat16") { check_constants<bfloat16>(); }
TEST_CASE("constant convolutions of float") { check_constants<float>(); }

/// Windows that reach beyond every side of 9 x 7 pixels, a tap apart from one another.
template <int64_t HEIGHT, int64_t WIDTH> struct constant_window {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t batch = 2, groups = 2, in_channels = 6, out_channels = 22;
  static constexpr int64_t input[2] = {9, 7}, kernel[2] = {HEIGHT, WIDTH}, output[2] = {5, 8};
  static constexpr int64_t stride[2] = {2, 1}, dilation[2] = {1, 2}, pad[2] = {HEIGHT / 2, WIDTH};
  static conv_case<2> as_case() {
    return {2, 2, 6, 22, {9, 7}, {HEIGHT, WIDTH}, {5, 8}, {2, 1}, {1, 2}, {HEIGHT / 2, WIDTH}};
  }
};
template <class E> void check_windows() {
  check_constant<E, constant_window<1, 1>>();
  check_constant<E, constant_window<5, 3>>();
  check_constant<E, constant_window<8, 4>>(); // as many as are marked
  check_constant<E, constant_window<11, 3>>();
  check_constant<E, constant_window<7, 7>>();
}
TEST_CASE("constant windows of half") { check_windows<half>(); }
TEST_CASE("constant windows of float") { check_windows<float>(); }

// ---- Stores of neighbours ----

template <class C, int WIDEST> struct wide_outputs {
  C *y;
  index<4> dims;
  static constexpr int widest = WIDEST;
  CAMEO_DEVICE bool is_aligned() const { return target::are_aligned(y); }
  CAMEO_DEVICE void operator()(const index<4> &i, float value) const {
    y[flatten(i, dims)] = cast<C>(value);
  }
  template <int N>
  CAMEO_DEVICE_ONLY void wide(const index<4> &i, const target::neighbours<float, N> &sums) const {
    target::neighbours<C, N> values;
    for (int j = 0; j < N; ++j)
      values.item[j] = cast<C>(sums.item[j]);
    target::store_wide<N>(y + flatten(i, dims), values);
  }
};

/// Into outputs that begin at element `skip`.
template <class C, int WIDEST, class E, class P>
std::vector<C> run_wide(const P &p, const index<4> &dims, const std::vector<E> &x,
                        const std::vector<E> &w, int64_t skip) {
  machine mach;
  array<E> images(mach, x), weights(mach, w);
  array<C> y(mach, skip + volume(dims));
  mach.run([&](target::exec &e) {
    target::conv_tiles(e, p, static_cast<const E *>(images.data()),
                       static_cast<const E *>(weights.data()),
                       wide_outputs<C, WIDEST>{y.data() + skip, dims});
  });
  const std::vector<C> all = y.values();
  return {all.begin() + skip, all.end()};
}
template <class C, int WIDEST, class E, class P>
void check_wide(const P &p, const conv_case<2> &c) {
  INFO("rows of " << c.output[1] << " by " << WIDEST);
  random_values random(8);
  const std::vector<E> x = random.vector<E>(volume(c.x_dims())),
                       w = random.vector<E>(volume(c.conv_w_dims()));
  std::vector<C> want;
  for (float value : run<E>(p, c.y_dims(), x, w))
    want.push_back(cast<C>(value));
  for (int64_t skip : {0, 1}) {
    const std::vector<C> got = run_wide<C, WIDEST, E>(p, c.y_dims(), x, w, skip);
    CHECK(std::equal(got.begin(), got.end(), want.begin(), want.end(), same<C>));
  }
}
template <class C, int WIDEST, class E, int64_t WIDTH> void check_wide_rows() {
  using in_slices = constant_conv<1, 88, 40, WIDTH>;
  using in_groups = constant_conv<2, 16, 80, WIDTH>;
  using of_few = constant_conv<1, 5, 14, WIDTH>;
  check_wide<C, WIDEST, E>(in_slices{}, in_slices::as_case());
  check_wide<C, WIDEST, E>(in_groups{}, in_groups::as_case());
  check_wide<C, WIDEST, E>(of_few{}, of_few::as_case());
  check_wide<C, WIDEST, E>(of_few::as_case(), of_few::as_case());
}
template <class C, int WIDEST, class E> void check_all_rows() {
  check_wide_rows<C, WIDEST, E, 1>();
  check_wide_rows<C, WIDEST, E, 7>();
  check_wide_rows<C, WIDEST, E, 14>();
  check_wide_rows<C, WIDEST, E, 12>();
  check_wide_rows<C, WIDEST, E, 24>();
}
TEST_CASE("convolutions whose outputs are stored by neighbours") {
  check_all_rows<half, 8, half>();
  check_all_rows<bfloat16, 8, bfloat16>();
  check_all_rows<float, 4, float>();
  check_all_rows<float, 4, half>();
}
TEST_CASE("neighbours that a row of outputs has") {
  using store = wide_outputs<half, 8>;
  CHECK(target::widest_of_rows<store>(56) == 8);
  CHECK(target::widest_of_rows<store>(28) == 4);
  CHECK(target::widest_of_rows<store>(14) == 2);
  CHECK(target::widest_of_rows<store>(7) == 1);
  CHECK(target::widest_of_rows<store>(target::unknown_row) == 8);
  CHECK(target::widest_of_rows<store>(target::outputs_apart) == 1);
}

/// Any number of images, of a constant size.
struct open_batch {
  static constexpr int spatial_rank = 2;
  int64_t batch;
  static constexpr int64_t groups = 1, in_channels = 8, out_channels = 24;
  static constexpr int64_t input[2] = {6, 9}, kernel[2] = {3, 3}, output[2] = {6, 9};
  static constexpr int64_t stride[2] = {1, 1}, dilation[2] = {1, 1}, pad[2] = {1, 1};
};
template <class E> void check_open_batch() {
  for (int64_t batch : {0, 1, 3}) {
    const conv_case<2> c = {batch, 1, 8, 24, {6, 9}, {3, 3}, {6, 9}, {1, 1}, {1, 1}, {1, 1}};
    random_values random(6);
    const std::vector<E> x = random.vector<E>(volume(c.x_dims())),
                         w = random.vector<E>(volume(c.conv_w_dims()));
    CHECK(worst_error(run<E>(open_batch{batch}, c.y_dims(), x, w), expected<false>(c, x, w)) <=
          tolerance);
  }
}
TEST_CASE("convolutions of any number of images") {
  CHECK(target::has_known_reach<open_batch>());
  check_open_batch<half>();
  check_open_batch<float>();
}

TEST_CASE("images out of reach") {
  CHECK(target::is_plain_always<constant_conv<4, 16, 16, 8>>());
  CHECK(!target::is_plain_always<constant_conv<2, 16, 16, 8>>());
  const conv_case<2> c = {1, 1, 4, 8, {9, 9}, {3, 3}, {9, 9}, {1, 1}, {1, 1}, {1, 1}};
  CHECK(target::is_in_reach(convolution_of(c)));
  conv_case<2> far = c;
  far.input[1] = int64_t{1} << 28;
  CHECK(!target::is_in_reach(convolution_of(far)));
  far = c;
  far.in_channels = int64_t{1} << 28;
  CHECK(!target::is_in_reach(convolution_of(far)));
  far = c;
  far.pad[0] = int64_t{1} << 28;
  CHECK(!target::is_in_reach(convolution_of(far)));
  far = c;
  far.dilation[0] = int64_t{1} << 27;
  CHECK(!target::is_in_reach(convolution_of(far)));
}

// ---- Numbers that are none, extents of the device ----

/// An infinity, a NaN and the largest number are what products of them are, and reach the outputs
/// that read them.
template <class E> void check_special(float largest) {
  const conv_case<2> c = {1, 1, 4, 20, {9, 12}, {3, 3}, {9, 12}, {1, 1}, {1, 1}, {1, 1}};
  random_values random(3);
  std::vector<E> x = random.vector<E>(volume(c.x_dims())),
                 w = random.vector<E>(volume(c.conv_w_dims()));
  for (E &value : w)
    value = cast<E>(abs(cast<float>(value)) + 0.5f);
  const float infinity = std::numeric_limits<float>::infinity();
  x[5] = cast<E>(infinity);
  x[40] = cast<E>(-infinity);
  x[90] = cast<E>(std::numeric_limits<float>::quiet_NaN());
  for (size_t i = 108; i < 216; ++i) // a channel
    x[i] = cast<E>(i == 200 ? largest : 0.0f);
  const std::vector<float> got = run<E>(c, c.y_dims(), x, w);
  const std::vector<double> want = expected<false>(c, x, w);
  for (size_t i = 0; i < got.size(); ++i) {
    const float wanted = static_cast<float>(want[i]);
    INFO("output " << i);
    if (wanted - wanted == 0)
      CHECK(abs(got[i] - wanted) <= 1e-5f * std::max(1.0f, abs(wanted)));
    else
      CHECK((wanted != wanted ? got[i] != got[i] : got[i] == wanted));
  }
}
TEST_CASE("infinities and NaN in convolutions") {
  check_special<half>(65504.0f);
  check_special<bfloat16>(1e38f);
  check_special<float>(std::numeric_limits<float>::max());
}

struct counted_conv {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t groups = 1, in_channels = 8, out_channels = 20;
  counted_extent batch;
  counted_extent input[2];
  static constexpr int64_t kernel[2] = {3, 3};
  counted_extent output[2];
  static constexpr int64_t stride[2] = {1, 1}, dilation[2] = {1, 1}, pad[2] = {1, 1};
  CAMEO_DEVICE void load_counts() {
    cameo::load_counts(batch, input[0], input[1], output[0], output[1]);
  }
};
template <class E> void check_counted(int64_t batch, int64_t rows) {
  INFO("batch " << batch << " rows " << rows);
  const conv_case<2> c = {batch, 1, 8, 20, {rows, 9}, {3, 3}, {rows, 9}, {1, 1}, {1, 1}, {1, 1}};
  random_values random(4);
  const std::vector<E> x = random.vector<E>(volume(c.x_dims())),
                       w = random.vector<E>(volume(c.conv_w_dims()));
  machine mach;
  array<int64_t> counts(mach, std::vector<int64_t>{batch, rows});
  array<E> images(mach, x), weights(mach, w);
  array<float> y(mach, volume(c.y_dims()));
  const counted number(counts.data(), batch + 2), height(counts.data() + 1, rows + 30);
  mach.run([&](target::exec &e) {
    target::conv_tiles(
        e, counted_conv{number, {height, 9}, {height, 9}}, static_cast<const E *>(images.data()),
        static_cast<const E *>(weights.data()), dense_store<float, 4>{y, c.y_dims()});
  });
  CHECK(worst_error(y.values(), expected<false>(c, x, w)) <= tolerance);
}
TEST_CASE("convolutions of counted extents") {
  for (int64_t batch : {0, 1, 2})
    for (int64_t rows : {0, 1, 8}) {
      check_counted<half>(batch, rows);
      check_counted<float>(batch, rows);
    }
}

} // namespace
} // namespace cameo::test
