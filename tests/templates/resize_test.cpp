// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pad against rules stated another way (walking to the source step by step); resize against dense
// weight matrices per axis, built from the kernels' definition.
#include "machine.h"

#include CAMEO_TEMPLATE(pad.h)
#include CAMEO_TEMPLATE(resize.h)

namespace cameo::test {
namespace {

template <int R> struct pad_case {
  static constexpr int rank = R;
  int64_t input[R], output[R], begin[R];
};

/// One step at a time from outside to a source, or -1.
int64_t walk_to_source(pad_mode mode, int64_t i, int64_t n) {
  if (i >= 0 && i < n)
    return i;
  if (mode == pad_mode::constant || n == 0)
    return -1;
  if (mode == pad_mode::edge)
    return std::clamp<int64_t>(i, 0, n - 1);
  if (mode == pad_mode::wrap) {
    while (i < 0)
      i += n;
    return i % n;
  }
  if (n == 1)
    return 0;
  while (i < 0 || i >= n)
    i = i < 0 ? -i : 2 * (n - 1) - i;
  return i;
}

/// The positions of n that negative pads leave.
std::vector<int64_t> crop(int64_t n, int64_t begin, int64_t end) {
  std::vector<int64_t> left;
  for (int64_t i = 0; i < n; ++i)
    if (i >= -begin && i < n + end)
      left.push_back(i);
  return left;
}

template <pad_mode MODE, class T, int R> void check_pad(const pad_case<R> &c) {
  index<R> in{}, out{};
  for (int d = 0; d < R; ++d) {
    in[d] = c.input[d];
    out[d] = c.output[d];
  }
  random_values random(2);
  const std::vector<T> x = random.vector<T>(volume(in));
  const T value = random.next<T>();
  std::vector<T> want;
  for (int64_t i = 0; i < volume(out); ++i) {
    const index<R> o = unflatten(i, out);
    index<R> from = o;
    bool inside = true;
    for (int d = 0; d < R; ++d) {
      const std::vector<int64_t> left =
          crop(in[d], c.begin[d], c.output[d] - c.input[d] - c.begin[d]);
      const int64_t at = walk_to_source(MODE, o[d] - std::max<int64_t>(c.begin[d], 0),
                                        static_cast<int64_t>(left.size()));
      from[d] = at < 0 ? -1 : left[static_cast<size_t>(at)];
      inside = inside && at >= 0;
    }
    want.push_back(inside ? x[static_cast<size_t>(flatten(from, in))] : value);
  }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> input(mach, x), fill(mach, std::vector<T>{value}), output(mach, volume(out));
    mach.run([&](exec &e) {
      pad<MODE>(e, c, static_cast<const T *>(input.data()), dense_load<T, 0>{fill.data(), {}},
                dense_store<T, R>{output.data(), out});
    });
    const std::vector<T> got = output.values();
    CHECK(std::equal(got.begin(), got.end(), want.begin(), want.end(), same<T>));
  }
}

template <pad_mode MODE> void check_pads() {
  check_pad<MODE, float>(pad_case<2>{{3, 4}, {9, 11}, {2, 4}});
  check_pad<MODE, float>(pad_case<1>{{3}, {25}, {11}});
  check_pad<MODE, int64_t>(pad_case<3>{{2, 1, 5}, {3, 4, 4}, {1, 2, -2}});
  check_pad<MODE, half>(pad_case<4>{{2, 3, 4, 5}, {2, 3, 6, 7}, {0, 0, 1, 1}});
  check_pad<MODE, float>(pad_case<2>{{0, 3}, {4, 5}, {2, 1}});
  check_pad<MODE, float>(pad_case<2>{{3, 3}, {0, 5}, {-2, 1}});
  // Elements that are cut off on either side do not fill the other side.
  check_pad<MODE, float>(pad_case<1>{{6}, {13}, {-2}});
  check_pad<MODE, float>(pad_case<1>{{6}, {13}, {9}});
  check_pad<MODE, uint8_t>(pad_case<3>{{2, 6, 5}, {2, 5, 9}, {-1, 2, -1}});
  check_pad<MODE, float>(pad_case<2>{{6, 6}, {4, 5}, {-1, -1}});
  // Nothing is left.
  check_pad<MODE, float>(pad_case<2>{{6, 2}, {4, 3}, {-6, 1}});
  check_pad<MODE, float>(pad_case<2>{{6, 2}, {3, 3}, {9, 0}});
  check_pad<MODE, float>(pad_case<1>{{2}, {3}, {-(int64_t{1} << 62)}});
}

TEST_CASE("pad, constant") { check_pads<pad_mode::constant>(); }
TEST_CASE("pad, reflect") { check_pads<pad_mode::reflect>(); }
TEST_CASE("pad, edge") { check_pads<pad_mode::edge>(); }
TEST_CASE("pad, wrap") { check_pads<pad_mode::wrap>(); }

using rounding = nearest_rounding;

template <coordinate_mode COORDINATE, rounding NEAREST, bool ANTIALIAS> struct resize_case {
  static constexpr int rank = 3;
  static constexpr coordinate_mode coordinate = COORDINATE;
  static constexpr rounding nearest_mode = NEAREST;
  static constexpr bool antialias = ANTIALIAS;
  int64_t input[3], output[3];
  int64_t up[3] = {2, 3, 1}, down[3] = {1, 2, 2};
  float roi[6] = {};
  bool exclude_outside = false;
  float cubic_coeff_a = 0;
  float extrapolation_value = 0;
};

double coordinate_of(coordinate_mode mode, double x, double in, double out, double scale,
                     double start, double end) {
  const double width = scale * in;
  switch (mode) {
  case coordinate_mode::half_pixel:
    return (x + 0.5) / scale - 0.5;
  case coordinate_mode::half_pixel_symmetric:
    return in / 2 * (1 - out / width) + (x + 0.5) / scale - 0.5;
  case coordinate_mode::pytorch_half_pixel:
    return out > 1 ? (x + 0.5) / scale - 0.5 : 0;
  case coordinate_mode::align_corners:
    return width == 1 ? 0 : x * (in - 1) / (width - 1);
  case coordinate_mode::asymmetric:
    return x / scale;
  case coordinate_mode::tf_crop_and_resize:
    return start * (in - 1) +
           (width == 1 ? (end - start) * (in - 1) / 2 : x * (end - start) * (in - 1) / (width - 1));
  }
  return NAN;
}

double kernel_of(resize_mode mode, double d, double a) {
  d = std::fabs(d);
  if (mode == resize_mode::linear)
    return std::max(0.0, 1 - d);
  return d <= 1  ? ((a + 2) * d - (a + 3)) * d * d + 1
         : d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
                 : 0;
}

/// Weights of the inputs of one axis for each output; empty where it extrapolates.
template <resize_mode MODE, class C>
std::vector<std::vector<double>> axis_weights(const C &c, size_t d) {
  const auto n = static_cast<double>(c.input[d]);
  const double scale = static_cast<double>(c.up[d]) / static_cast<double>(c.down[d]);
  const bool crop = C::coordinate == coordinate_mode::tf_crop_and_resize;
  std::vector<std::vector<double>> rows;
  for (int64_t o = 0; o < c.output[d]; ++o) {
    const double x =
        coordinate_of(C::coordinate, static_cast<double>(o), n, static_cast<double>(c.output[d]),
                      scale, static_cast<double>(c.roi[d]), static_cast<double>(c.roi[d + 3]));
    std::vector<double> w(static_cast<size_t>(c.input[d]));
    rows.emplace_back();
    if (crop && (x < 0 || x > n - 1))
      continue;
    if constexpr (MODE == resize_mode::nearest) {
      const double i = C::nearest_mode == rounding::round_prefer_floor  ? std::ceil(x - 0.5)
                       : C::nearest_mode == rounding::round_prefer_ceil ? std::floor(x + 0.5)
                       : C::nearest_mode == rounding::floor             ? std::floor(x)
                                                                        : std::ceil(x);
      w[static_cast<size_t>(std::clamp(i, 0.0, n - 1))] = 1;
    } else {
      const double stretch = C::antialias ? std::min(scale, 1.0) : 1.0;
      double sum = 0;
      for (double i = -40; i < n + 40; ++i) {
        const double k = kernel_of(MODE, (i - x) * stretch, static_cast<double>(c.cubic_coeff_a));
        if (c.exclude_outside && (i < 0 || i >= n))
          continue;
        w[static_cast<size_t>(std::clamp(i, 0.0, n - 1))] += k;
        sum += k;
      }
      for (double &v : w)
        v /= sum;
    }
    rows.back() = w;
  }
  return rows;
}

template <resize_mode MODE, class T, class C> void check_resize(const C &c) {
  constexpr bool nearest = MODE == resize_mode::nearest;
  using V =
      std::conditional_t<nearest, T, std::conditional_t<std::is_same_v<T, double>, double, float>>;
  const index<3> in = {{c.input[0], c.input[1], c.input[2]}};
  const index<3> out = {{c.output[0], c.output[1], c.output[2]}};
  random_values random(7);
  const std::vector<T> x = random.vector<T>(volume(in));
  const auto wa = axis_weights<MODE>(c, 0), wb = axis_weights<MODE>(c, 1),
             wc = axis_weights<MODE>(c, 2);
  std::vector<double> want;
  for (int64_t i = 0; i < volume(out); ++i) {
    const index<3> o = unflatten(i, out);
    const auto &a = wa[static_cast<size_t>(o[0])], &b = wb[static_cast<size_t>(o[1])],
               &w = wc[static_cast<size_t>(o[2])];
    double sum = 0;
    for (int64_t j = 0; j < volume(in) && !a.empty() && !b.empty() && !w.empty(); ++j) {
      const index<3> k = unflatten(j, in);
      sum += a[static_cast<size_t>(k[0])] * b[static_cast<size_t>(k[1])] *
             w[static_cast<size_t>(k[2])] * cast<double>(x[static_cast<size_t>(j)]);
    }
    want.push_back(
        a.empty() || b.empty() || w.empty() ? cast<double>(cast<V>(c.extrapolation_value)) : sum);
  }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> input(mach, x);
    array<V> output(mach, volume(out));
    mach.run([&](exec &e) { resize<MODE>(e, c, input.data(), dense_store<V, 3>{output, out}); });
    CHECK(worst_error(output.values(), want) <= (nearest ? 0 : 3e-6));
  }
}

/// Up by 2.5, down by 0.6, one axis untouched; all interpolations.
template <coordinate_mode COORDINATE> void check_coordinate() {
  using plain = resize_case<COORDINATE, rounding::round_prefer_floor, false>;
  const plain up = {{2, 3, 4},          {2, 7, 10}, {1, 5, 5}, {1, 2, 2},
                    {0, 0, 0, 1, 1, 1}, false,      -0.75f,    0};
  const plain down = {{2, 5, 9},          {2, 3, 5}, {1, 3, 3}, {1, 5, 5},
                      {0, 0, 0, 1, 1, 1}, false,     -0.5f,     0};
  check_resize<resize_mode::nearest, float>(up);
  check_resize<resize_mode::linear, float>(up);
  check_resize<resize_mode::linear, float>(down);
  check_resize<resize_mode::cubic, float>(up);
  check_resize<resize_mode::cubic, float>(down);
}

TEST_CASE("resize, coordinates") {
  check_coordinate<coordinate_mode::half_pixel>();
  check_coordinate<coordinate_mode::half_pixel_symmetric>();
  check_coordinate<coordinate_mode::pytorch_half_pixel>();
  check_coordinate<coordinate_mode::align_corners>();
  check_coordinate<coordinate_mode::asymmetric>();
}

TEST_CASE("resize to one element") {
  using pytorch = resize_case<coordinate_mode::pytorch_half_pixel, rounding::floor, false>;
  using corners = resize_case<coordinate_mode::align_corners, rounding::floor, false>;
  check_resize<resize_mode::linear, float>(
      pytorch{{1, 4, 5}, {1, 1, 1}, {1, 1, 1}, {1, 4, 5}, {}, false, 0, 0});
  check_resize<resize_mode::linear, float>(
      corners{{1, 4, 1}, {1, 1, 3}, {1, 1, 3}, {1, 4, 1}, {}, false, 0, 0});
}

/// Scales that only the run knows.
struct scaled_case {
  static constexpr int rank = 3;
  static constexpr coordinate_mode coordinate = coordinate_mode::half_pixel;
  static constexpr rounding nearest_mode = rounding::floor;
  int64_t input[3], output[3];
  float scale[3];
};

TEST_CASE("resize by scales, as by fractions") {
  using plain = resize_case<coordinate_mode::half_pixel, rounding::floor, false>;
  const plain fractions = {{2, 3, 4}, {2, 7, 3}, {1, 5, 3}, {1, 2, 4}, {}, false, -0.75f, 0};
  const scaled_case scales = {{2, 3, 4}, {2, 7, 3}, {1, 2.5f, 0.75f}};
  random_values random(7);
  machine mach(2);
  const index<3> out = {{2, 7, 3}};
  array<float> input(mach, random.vector<float>(24)), want(mach, 42), got(mach, 42);
  mach.run([&](exec &e) {
    resize<resize_mode::linear>(e, fractions, input.data(), dense_store<float, 3>{want, out});
    resize<resize_mode::linear>(e, scales, input.data(), dense_store<float, 3>{got, out});
  });
  CHECK(got.values() == want.values());
}

TEST_CASE("resize, roundings of nearest") {
  const auto check = [](const auto &c) {
    check_resize<resize_mode::nearest, float>(c);
    check_resize<resize_mode::nearest, uint8_t>(c);
    check_resize<resize_mode::nearest, half>(c);
  };
  constexpr auto half_pixel = coordinate_mode::half_pixel;
  check(resize_case<half_pixel, rounding::round_prefer_floor, false>{{2, 4, 8}, {4, 6, 4}});
  check(resize_case<half_pixel, rounding::round_prefer_ceil, false>{{2, 4, 8}, {4, 6, 4}});
  check(resize_case<half_pixel, rounding::floor, false>{{2, 4, 8}, {4, 6, 4}});
  check(resize_case<half_pixel, rounding::ceil, false>{{2, 4, 8}, {4, 6, 4}});
}

TEST_CASE("resize of long lines, and of runs behind an axis") {
  using plain = resize_case<coordinate_mode::half_pixel, rounding::floor, false>;
  const auto check = [](const plain &c) {
    check_resize<resize_mode::nearest, float>(c);
    check_resize<resize_mode::nearest, uint8_t>(c);
    check_resize<resize_mode::linear, float>(c);
    check_resize<resize_mode::linear, half>(c);
    check_resize<resize_mode::cubic, float>(c);
  };
  check({{2, 3, 70}, {2, 6, 140}, {1, 2, 2}, {1, 1, 1}, {}, false, -0.75f, 0}); // twice as many
  check({{2, 3, 70}, {2, 9, 210}, {1, 3, 3}, {1, 1, 1}, {}, false, -0.75f, 0});
  check({{2, 5, 100}, {2, 3, 57}, {1, 3, 57}, {1, 5, 100}, {}, false, -0.75f, 0});
  check({{2, 5, 200}, {2, 3, 40}, {1, 3, 1}, {1, 5, 5}, {}, false, -0.75f, 0});
  check({{3, 5, 3}, {4, 10, 3}, {4, 2, 1}, {3, 1, 1}, {}, false, -0.75f, 0}); // threes
  check({{3, 5, 20}, {4, 10, 20}, {4, 2, 1}, {3, 1, 1}, {}, false, -0.75f, 0});
  check({{3, 4, 20}, {5, 4, 20}, {5, 1, 1}, {3, 1, 1}, {}, false, -0.75f, 0});
}

TEST_CASE("resize gives no weight to what is beside a position") {
  using aligned = resize_case<coordinate_mode::asymmetric, rounding::floor, false>;
  const aligned c = {{1, 1, 4}, {1, 2, 8}, {1, 2, 2}, {1, 1, 1}, {}, false, 0, 0};
  machine mach(1);
  array<float> input(mach, std::vector<float>{1, INFINITY, 3, NAN}), output(mach, 16);
  mach.run([&](exec &e) {
    resize<resize_mode::linear>(e, c, input.data(), dense_store<float, 3>{output, {{1, 2, 8}}});
  });
  const std::vector<float> got = output.values();
  CHECK(got[0] == 1);
  CHECK(got[2] == INFINITY);
  CHECK(got[4] == 3);
  CHECK(std::isnan(got[6]));
}

TEST_CASE("resize, tf_crop_and_resize extrapolates") {
  using crop =
      resize_case<coordinate_mode::tf_crop_and_resize, rounding::round_prefer_floor, false>;
  const crop c = {{2, 4, 5}, {2, 3, 6}, {1, 3, 6}, {1, 4, 5}, {0, 0.4f, -0.3f, 1, 0.6f, 1.2f},
                  false,     -0.75f,    10};
  check_resize<resize_mode::nearest, float>(c);
  check_resize<resize_mode::linear, float>(c);
  check_resize<resize_mode::cubic, double>(c);
  const crop runs = {{2, 5, 18}, {3, 6, 18}, {3, 6, 1}, {2, 5, 1}, {0.4f, -0.3f, 0, 0.6f, 1.2f, 1},
                     false,      -0.75f,     10};
  check_resize<resize_mode::nearest, float>(runs);
  check_resize<resize_mode::linear, float>(runs);
}

TEST_CASE("resize, antialias and exclude_outside") {
  using smooth = resize_case<coordinate_mode::half_pixel, rounding::floor, true>;
  const smooth c = {{2, 5, 9}, {2, 3, 4}, {1, 3, 9}, {1, 5, 20}, {}, false, -0.75f, 0};
  check_resize<resize_mode::linear, float>(c);
  check_resize<resize_mode::cubic, float>(c);
  smooth excluding = c;
  excluding.exclude_outside = true;
  check_resize<resize_mode::cubic, float>(excluding);
  using plain = resize_case<coordinate_mode::half_pixel, rounding::floor, false>;
  check_resize<resize_mode::cubic, half>(
      plain{{2, 3, 4}, {2, 7, 10}, {1, 5, 5}, {1, 2, 2}, {}, true, -0.75f, 0});
}

} // namespace
} // namespace cameo::test
