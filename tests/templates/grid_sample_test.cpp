// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// grid_sample against sums over every element of an image, each weighted by how far it and its
// mirror images are from the place.
#include "machine.h"

#include CAMEO_TEMPLATE(grid_sample.h)

namespace cameo::test {
namespace {

struct grid_params {
  static constexpr int spatial_rank = 2;
  int64_t batch, channels, input[2], output[2];
  bool align_corners;
};

double kernel_weight(resize_mode mode, double distance) {
  const double x = std::fabs(distance);
  if (mode == resize_mode::nearest)
    return x == 0 ? 1 : 0;
  if (mode == resize_mode::linear)
    return std::max(0.0, 1 - x);
  if (x <= 1)
    return 1.25 * x * x * x - 2.25 * x * x + 1;
  return x < 2 ? -0.75 * x * x * x + 3.75 * x * x - 6 * x + 3 : 0;
}

/// Step by step into [low, high].
double walk_inside(double at, double low, double high) {
  if (high <= low)
    return low;
  while (at < low || at > high)
    at = at < low ? 2 * low - at : 2 * high - at;
  return at;
}

/// The weight of each of n elements for a coordinate of the grid.
std::vector<double> axis_weights(resize_mode mode, grid_padding padding, bool align, double place,
                                 int64_t n) {
  const double extent = static_cast<double>(n), low = align ? 0 : -0.5,
               high = align ? extent - 1 : extent - 0.5;
  double at = align ? (place + 1) / 2 * (extent - 1) : ((place + 1) * extent - 1) / 2;
  if (mode == resize_mode::nearest)
    at = std::nearbyint(at);
  if (padding == grid_padding::reflection)
    at = walk_inside(at, low, high);
  if (mode == resize_mode::nearest)
    at = std::trunc(at);
  std::vector<double> weights(static_cast<size_t>(n));
  for (int64_t i = -4 * n; i < 5 * n; ++i) {
    const double weight = kernel_weight(mode, static_cast<double>(i) - at);
    int64_t from = i;
    if (padding == grid_padding::border)
      from = std::clamp<int64_t>(i, 0, n - 1);
    if (padding == grid_padding::reflection)
      from = std::clamp<int64_t>(
          static_cast<int64_t>(walk_inside(static_cast<double>(i), low, high)), 0, n - 1);
    if (from >= 0 && from < n)
      weights[static_cast<size_t>(from)] += weight;
  }
  return weights;
}

template <resize_mode MODE, grid_padding PADDING, class T = float>
void check(bool align, int64_t C = 3, int64_t OH = 11) {
  constexpr int64_t N = 2, H = 5, W = 4, OW = 13;
  using S = typename grid_sample_body<MODE, PADDING, 2, T, float, discard>::sum_type;
  INFO("channels " << C << ", rows " << OH);
  random_values random(11);
  const std::vector<T> x = random.vector<T>(N * C * H * W);
  std::vector<float> grid = random.vector<float>(N * OH * OW * 2);
  for (float &place : grid)
    place *= 1.8f; // a good part of the places lies outside
  std::vector<double> want;
  for (int64_t n = 0; n < N; ++n)
    for (int64_t c = 0; c < C; ++c)
      for (int64_t o = 0; o < OH * OW; ++o) {
        const size_t at = static_cast<size_t>((n * OH * OW + o) * 2);
        const std::vector<double> columns = axis_weights(MODE, PADDING, align, grid[at], W),
                                  rows = axis_weights(MODE, PADDING, align, grid[at + 1], H);
        double sum = 0;
        for (int64_t i = 0; i < H * W; ++i)
          sum += rows[static_cast<size_t>(i / W)] * columns[static_cast<size_t>(i % W)] *
                 static_cast<double>(cast<S>(x[static_cast<size_t>((n * C + c) * H * W + i)]));
        want.push_back(sum);
      }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> input(mach, x);
    array<float> places(mach, grid);
    array<S> output(mach, N * C * OH * OW);
    mach.run([&](exec &e) {
      grid_sample<MODE, PADDING>(e, grid_params{N, C, {H, W}, {OH, OW}, align},
                                 static_cast<const T *>(input.data()),
                                 static_cast<const float *>(places.data()),
                                 dense_store<S, 4>{output.data(), index<4>{{N, C, OH, OW}}});
    });
    CHECK(worst_error(output.values(), want) < 1e-5);
  }
}

template <resize_mode MODE> void check_paddings() {
  for (bool align : {false, true}) {
    check<MODE, grid_padding::zeros>(align);
    check<MODE, grid_padding::border>(align);
    check<MODE, grid_padding::reflection>(align);
  }
}

} // namespace

TEST_CASE("grid_sample samples with every kernel and padding", "[grid_sample]") {
  check_paddings<resize_mode::nearest>();
  check_paddings<resize_mode::linear>();
  check_paddings<resize_mode::cubic>();
}

TEST_CASE("grid_sample of any number of channels and of pixels", "[grid_sample]") {
  for (int64_t channels : {1, 4, 5, 16, 17, 35})
    for (int64_t rows : {0, 1, 2, 11}) {
      check<resize_mode::linear, grid_padding::zeros>(false, channels, rows);
      check<resize_mode::cubic, grid_padding::reflection>(true, channels, rows);
      check<resize_mode::linear, grid_padding::border, half>(false, channels, rows);
      check<resize_mode::linear, grid_padding::zeros, double>(true, channels, rows);
    }
}

TEST_CASE("grid_sample takes elements that are no numbers where they are", "[grid_sample]") {
  for (int64_t channels : {1, 3, 20}) {
    machine mach;
    // Column 1 is NaN, beside which lies infinity: places left of both, on both, and outside.
    std::vector<float> image;
    for (int64_t c = 0; c < channels; ++c)
      image.insert(image.end(), {1, NAN, INFINITY, 2});
    array<float> x(mach, image), y(mach, channels * 6);
    array<float> places(mach, {-1, 0, -0.75f, 0, -0.25f, 0, 0.25f, 0, 0.75f, 0, 9, 0});
    mach.run([&](exec &e) {
      grid_sample<resize_mode::linear, grid_padding::zeros>(
          e, grid_params{1, channels, {1, 4}, {1, 6}, false}, static_cast<const float *>(x.data()),
          static_cast<const float *>(places.data()),
          dense_store<float, 4>{y.data(), index<4>{{1, channels, 1, 6}}});
    });
    const std::vector<float> values = y.values();
    for (int64_t c = 0; c < channels; ++c) {
      const float *got = values.data() + c * 6;
      CHECK(got[0] == 0.5f);
      CHECK(is_nan(got[1])); // by a weight of 0
      CHECK(is_nan(got[2]));
      CHECK(got[3] == INFINITY);
      CHECK(got[4] == 2);
      CHECK(got[5] == 0);
      CHECK(!std::signbit(got[5]));
    }
  }
}

TEST_CASE("grid_sample reads nothing of empty or far places", "[grid_sample]") {
  machine mach;
  array<float> x(mach, {1, 2}), places(mach, {NAN, INFINITY, -1e30f, 1e30f}), y(mach, 2);
  mach.run([&](exec &e) {
    const dense_store<float, 4> store{y.data(), index<4>{{1, 1, 1, 2}}};
    const float *image = x.data(), *grid = places.data();
    grid_sample<resize_mode::nearest, grid_padding::reflection>(
        e, grid_params{1, 1, {1, 2}, {1, 2}, false}, image, grid, store);
    grid_sample<resize_mode::cubic, grid_padding::border>(
        e, grid_params{1, 1, {1, 2}, {1, 2}, true}, image, grid, store);
    grid_sample<resize_mode::linear, grid_padding::border>(
        e, grid_params{1, 1, {0, 2}, {1, 2}, true}, image, grid, store);
  });
  CHECK(y[1] == 0);
  mach.run([&](exec &e) {
    const dense_store<float, 4> store{y.data(), index<4>{{1, 1, 1, 2}}};
    const float *image = x.data(), *grid = places.data();
    // Beyond what an int64_t holds, on both sides, with two neighbours and with four.
    grid_sample<resize_mode::cubic, grid_padding::reflection>(
        e, grid_params{1, 1, {1, 2}, {1, 2}, false}, image, grid, store);
    grid_sample<resize_mode::linear, grid_padding::reflection>(
        e, grid_params{1, 1, {1, 2}, {1, 2}, true}, image, grid, store);
    grid_sample<resize_mode::linear, grid_padding::zeros>(
        e, grid_params{1, 1, {1, 2}, {1, 2}, false}, image, grid, store);
  });
  CHECK(y[0] == 0);
  CHECK(y[1] == 0);
  mach.run([&](exec &e) {
    grid_sample<resize_mode::cubic, grid_padding::border>(
        e, grid_params{1, 1, {1, 2}, {1, 1}, false}, static_cast<const float *>(x.data()),
        static_cast<const float *>(places.data()) + 2,
        dense_store<float, 4>{y.data(), index<4>{{1, 1, 1, 1}}});
  });
  CHECK(y[0] == 1);
}

} // namespace cameo::test
