// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pool against the definition: asymmetric pads, dilation, ceil-mode outputs, NaN and ties, indices
// in both orders, count_include_pad, lp.
#include "rows.h"

#include CAMEO_TEMPLATE(pool.h)

namespace cameo::test {
namespace {

template <int S> struct pool_case {
  static constexpr int spatial_rank = S;
  int64_t batch, channels;
  int64_t input[S], kernel[S], output[S], stride[S], dilation[S], pad[S], pad_end[S];
  bool count_include_pad = false;
  bool column_major = false;
  int64_t p = 2;

  index<S + 2> dims(const int64_t (&spatial)[S]) const {
    index<S + 2> r{{batch, channels}};
    for (int d = 0; d < S; ++d)
      r[d + 2] = spatial[d];
    return r;
  }
};

/// Calls f(tap inside?, inside the padded input?, flat input position) for all taps of an output.
template <int S, class F> void taps(const pool_case<S> &c, const index<S + 2> &o, F f) {
  index<S> kernel{};
  for (int d = 0; d < S; ++d)
    kernel[d] = c.kernel[d];
  for (int64_t t = 0; t < volume(kernel); ++t) {
    const index<S> u = unflatten(t, kernel);
    bool inside = true, padded = true;
    index<S + 2> at = o;
    for (int d = 0; d < S; ++d) {
      at[d + 2] = o[d + 2] * c.stride[d] - c.pad[d] + u[d] * c.dilation[d];
      inside = inside && at[d + 2] >= 0 && at[d + 2] < c.input[d];
      padded = padded && at[d + 2] < c.input[d] + c.pad_end[d];
    }
    f(inside, padded, at);
  }
}

/// Checks the template with the members of p, which are those of c.
template <pool_kind KIND, class T, class P, int S> void check(const P &p, const pool_case<S> &c) {
  constexpr bool is_max = KIND == pool_kind::max;
  using V = std::conditional_t<is_max, T, accumulator_t<T>>;
  const auto in = c.dims(c.input), out = c.dims(c.output);
  const std::vector<T> x =
      is_max ? awkward_values<T>(3, volume(in)) : random_values(3).vector<T>(volume(in));
  std::vector<double> want;
  std::vector<int64_t> want_index;
  for (int64_t i = 0; i < volume(out); ++i) {
    const index<S + 2> o = unflatten(i, out);
    double sum = 0, best = cast<double>(lowest_value<T>());
    int64_t inside_taps = 0, padded_taps = 0, position = -1;
    taps(c, o, [&](bool inside, bool padded, const index<S + 2> &at) {
      padded_taps += padded;
      if (!inside)
        return;
      const double v = cast<double>(x[static_cast<size_t>(flatten(at, in))]);
      sum += KIND == pool_kind::lp ? std::pow(std::fabs(v), static_cast<double>(c.p)) : v;
      if (inside_taps++ == 0 || (!std::isnan(best) && (std::isnan(v) || v > best))) {
        best = v;
        position = flatten(at, in);
        if (c.column_major && S == 2)
          position = position - at[2] * c.input[1] - at[3] + at[3] * c.input[0] + at[2];
      }
    });
    const int64_t taps_counted = c.count_include_pad ? padded_taps : inside_taps;
    want.push_back(is_max                  ? best
                   : KIND == pool_kind::lp ? std::pow(sum, 1.0 / static_cast<double>(c.p))
                   : taps_counted > 0      ? sum / static_cast<double>(taps_counted)
                                           : 0);
    want_index.push_back(position);
  }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> input(mach, x);
    array<V> output(mach, volume(out)), plain(mach, volume(out));
    array<int64_t> positions(mach, volume(out));
    const dense_load<T, S + 2> load = {input, in};
    mach.run([&](exec &e) { pool<KIND>(e, p, load, dense_store<V, S + 2>{plain, out}); });
    CHECK(worst_error(plain.values(), want) <= (is_max ? 0 : 1e-6));
    if constexpr (is_max) {
      mach.run([&](exec &e) {
        pool<KIND>(e, p, load, dense_store<V, S + 2>{output, out},
                   dense_store<int64_t, S + 2>{positions, out});
      });
      CHECK(worst_error(output.values(), want) == 0);
      CHECK(positions.values() == want_index);
    }
  }
}

template <pool_kind KIND, class T, int S> void check(const pool_case<S> &c) {
  check<KIND, T>(c, c);
}

/// Constant windows over 9 x 11 pixels, which reach beyond them unless PAD is 0.
template <int64_t HEIGHT, int64_t WIDTH, int64_t PAD> struct constant_pool {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t batch = 2, channels = 3, p = 2;
  static constexpr int64_t stride[2] = {2, 1}, dilation[2] = {1, 1};
  static constexpr int64_t input[2] = {9, 11}, kernel[2] = {HEIGHT, WIDTH};
  static constexpr int64_t output[2] = {(9 + 2 * PAD - HEIGHT) / 2 + 1, 11 + 2 * PAD - WIDTH + 1};
  static constexpr int64_t pad[2] = {PAD, PAD}, pad_end[2] = {PAD, PAD};
  static constexpr bool count_include_pad = false, column_major = false;
  static pool_case<2> as_case() {
    return {2,      3,      {9, 11},    {HEIGHT, WIDTH}, {output[0], output[1]},
            {2, 1}, {1, 1}, {PAD, PAD}, {PAD, PAD}};
  }
};
template <int64_t HEIGHT, int64_t WIDTH, int64_t PAD> void check_constant() {
  using P = constant_pool<HEIGHT, WIDTH, PAD>;
  INFO(HEIGHT << " x " << WIDTH << ", pad " << PAD);
  check<pool_kind::max, float>(P{}, P::as_case());
  check<pool_kind::max, half>(P{}, P::as_case());
  check<pool_kind::average, half>(P{}, P::as_case());
  check<pool_kind::average, double>(P{}, P::as_case());
  check<pool_kind::lp, float>(P{}, P::as_case());
}

/// Constant windows over planes of 20 x 150 pixels, more than a tile has of either, at steps of
/// STRIDE along a row.
template <int64_t STRIDE> struct constant_long_rows {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t batch = 1, channels = 2, p = 2;
  static constexpr int64_t stride[2] = {1, STRIDE}, dilation[2] = {2, 1};
  static constexpr int64_t input[2] = {20, 150}, kernel[2] = {2, 3};
  static constexpr int64_t output[2] = {20, 150 / STRIDE};
  static constexpr int64_t pad[2] = {1, 1}, pad_end[2] = {1, 1};
  static constexpr bool count_include_pad = false, column_major = false;
  static pool_case<2> as_case() {
    return {1, 2, {20, 150}, {2, 3}, {20, 150 / STRIDE}, {1, STRIDE}, {2, 1}, {1, 1}, {1, 1}};
  }
};

/// Constant windows of volumes, whose taps are in several planes.
struct constant_volumes {
  static constexpr int spatial_rank = 3;
  static constexpr int64_t batch = 1, channels = 2, p = 2;
  static constexpr int64_t stride[3] = {1, 1, 2}, dilation[3] = {1, 1, 1};
  static constexpr int64_t input[3] = {4, 5, 20}, kernel[3] = {3, 2, 2};
  static constexpr int64_t output[3] = {4, 4, 10};
  static constexpr int64_t pad[3] = {1, 0, 0}, pad_end[3] = {1, 0, 0};
  static constexpr bool count_include_pad = false, column_major = false;
  static pool_case<3> as_case() {
    return {1, 2, {4, 5, 20}, {3, 2, 2}, {4, 4, 10}, {1, 1, 2}, {1, 1, 1}, {1, 0, 0}, {1, 0, 0}};
  }
};

/// Constant windows of HEIGHT x WIDTH taps over PIXELS x PIXELS, as many outputs along a row and,
/// at steps of STEP, down it.
template <int64_t PIXELS, int64_t HEIGHT, int64_t WIDTH, int64_t STEP = 1, int64_t DILATION = 1>
struct constant_squares {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t batch = 2, channels = 3, p = 2;
  static constexpr int64_t stride[2] = {STEP, 1}, dilation[2] = {DILATION, DILATION};
  static constexpr int64_t input[2] = {PIXELS, PIXELS}, kernel[2] = {HEIGHT, WIDTH};
  static constexpr int64_t down = (HEIGHT - 1) * DILATION, across = (WIDTH - 1) * DILATION;
  static constexpr int64_t output[2] = {(PIXELS - 1) / STEP + 1, PIXELS};
  static constexpr int64_t pad[2] = {down / 2, across / 2},
                           pad_end[2] = {down - down / 2, across - across / 2};
  static constexpr bool count_include_pad = false, column_major = false;
  static pool_case<2> as_case() {
    return {batch,
            channels,
            {PIXELS, PIXELS},
            {HEIGHT, WIDTH},
            {output[0], PIXELS},
            {STEP, 1},
            {DILATION, DILATION},
            {pad[0], pad[1]},
            {pad_end[0], pad_end[1]}};
  }
};

/// Maxima of few values, among them zeros of both signs, of which the first one is the maximum.
template <class T, class P, int S> void check_zeros(const P &p, const pool_case<S> &c) {
  const auto in = c.dims(c.input), out = c.dims(c.output);
  random_values random(5);
  std::vector<T> x(static_cast<size_t>(volume(in)));
  for (T &value : x) {
    const int64_t kind = random.below(40);
    value = cast<T>(kind == 0 ? 1.0f : kind < 3 ? -1.0f : kind < 20 ? -0.0f : 0.0f);
  }
  machine mach;
  array<T> input(mach, x), output(mach, volume(out));
  mach.run([&](exec &e) {
    pool<pool_kind::max>(e, p, dense_load<T, S + 2>{input, in}, dense_store<T, S + 2>{output, out});
  });
  const std::vector<T> got = output.values();
  for (int64_t i = 0; i < volume(out); ++i) {
    double best = -INFINITY;
    taps(c, unflatten(i, out), [&](bool inside, bool, const index<S + 2> &at) {
      if (inside)
        if (const double v = cast<double>(x[static_cast<size_t>(flatten(at, in))]); v > best)
          best = v;
    });
    const double value = cast<double>(got[static_cast<size_t>(i)]);
    CHECK(value == best);
    CHECK(std::signbit(value) == std::signbit(best));
  }
}

pool_case<2> overhanging() { // ceil mode: the last windows reach past the padding
  return {2, 3, {7, 9}, {3, 2}, {4, 5}, {2, 2}, {1, 1}, {1, 0}, {0, 1}};
}
pool_case<2> dilated() { return {1, 2, {9, 10}, {3, 3}, {7, 5}, {1, 2}, {2, 3}, {1, 3}, {1, 3}}; }
/// Rows of more than one strip, with padding on both sides.
pool_case<2> wide() { return {1, 2, {5, 150}, {3, 3}, {3, 76}, {2, 2}, {1, 2}, {1, 2}, {1, 3}}; }

TEST_CASE("pool: max") {
  check<pool_kind::max, float>(overhanging());
  check<pool_kind::max, float>(dilated());
  check<pool_kind::max, float>(wide());
  check<pool_kind::max, half>(wide());
  pool_case<2> c = overhanging();
  c.column_major = true;
  check<pool_kind::max, double>(c);
  check<pool_kind::max, int8_t>(dilated());
  check<pool_kind::max, float>(pool_case<1>{2, 2, {40}, {5}, {18}, {2}, {1}, {0}, {0}});
  check<pool_kind::max, float>(pool_case<3>{
      1, 2, {4, 5, 6}, {2, 3, 2}, {3, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 1, 0}, {0, 1, 0}});
}

TEST_CASE("pool: a window that sees padding only") {
  check<pool_kind::max, float>(pool_case<1>{1, 1, {2}, {1}, {4}, {1}, {1}, {1}, {1}});
  check<pool_kind::average, float>(pool_case<1>{1, 1, {2}, {1}, {4}, {1}, {1}, {1}, {1}});
}

TEST_CASE("pool: average") {
  for (bool include : {false, true}) {
    pool_case<2> a = overhanging(), b = dilated(), c = wide();
    a.count_include_pad = b.count_include_pad = c.count_include_pad = include;
    check<pool_kind::average, float>(c);
    check<pool_kind::average, float>(a);
    check<pool_kind::average, double>(b);
    check<pool_kind::average, half>(a);
  }
}

TEST_CASE("pool: lp") {
  for (int64_t p : {1, 2, 3}) {
    pool_case<2> c = overhanging();
    c.p = p;
    check<pool_kind::lp, float>(c);
    pool_case<2> longer = wide();
    longer.p = p;
    check<pool_kind::lp, float>(longer);
  }
}

TEST_CASE("pool: constant windows") {
  check_constant<1, 1, 0>();
  check_constant<3, 3, 1>();
  check_constant<3, 2, 2>();  // some see padding only
  check_constant<9, 11, 0>(); // all pixels
  check_constant<7, 7, 3>();
  check_constant<8, 8, 4>();
}

template <class P> void check_longer() {
  check<pool_kind::max, float>(P{}, P::as_case());
  check<pool_kind::max, half>(P{}, P::as_case());
  check<pool_kind::max, int8_t>(P{}, P::as_case());
  check<pool_kind::average, float>(P{}, P::as_case());
  check<pool_kind::lp, double>(P{}, P::as_case());
}
TEST_CASE("pool: more rows and columns than a tile has") {
  check_longer<constant_long_rows<1>>();
  check_longer<constant_long_rows<2>>();
  check_longer<constant_long_rows<3>>();
  check_longer<constant_long_rows<5>>();
}
TEST_CASE("pool: constant windows of volumes") { check_longer<constant_volumes>(); }

template <class P> void check_squares() {
  INFO(P::input[0] << " pixels by " << P::kernel[0] << " x " << P::kernel[1]);
  check_longer<P>();
  check<pool_kind::max, float>(P::as_case());
  check<pool_kind::average, float>(P::as_case());
  check_zeros<float>(P{}, P::as_case());
  check_zeros<half>(P{}, P::as_case());
  check_zeros<double>(P::as_case(), P::as_case());
}
TEST_CASE("pool: windows at each pixel") {
  check_squares<constant_squares<28, 3, 3>>();
  check_squares<constant_squares<13, 5, 5>>();
  check_squares<constant_squares<13, 13, 13>>();
  check_squares<constant_squares<70, 4, 5>>(); // more than a tile of rows and of columns
  check_squares<constant_squares<20, 5, 5, 2>>();
  check_squares<constant_squares<20, 4, 3, 1, 2>>();
  check_squares<constant_squares<9, 3, 35>>(); // more taps than are written out
  check_squares<constant_squares<9, 35, 3>>();
}

TEST_CASE("pool without outputs") {
  check<pool_kind::max, float>(pool_case<1>{0, 2, {4}, {2}, {3}, {1}, {1}, {0}, {0}});
  check<pool_kind::average, float>(pool_case<1>{1, 2, {1}, {2}, {0}, {1}, {1}, {0}, {0}});
}

} // namespace
} // namespace cameo::test
