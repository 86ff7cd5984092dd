// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// roi_align against sums over every element of an image, each weighted by how far it is from the
// samples; regions that end before they begin, of no number, of any size; images that are not there
// or empty.
#include "machine.h"

#include CAMEO_TEMPLATE(roi_align.h)

namespace cameo::test {
namespace {

struct region_params {
  int64_t regions, batch, channels, input[2], output[2], sampling_ratio;
  static constexpr float spatial_scale = 0.5f;
  bool half_pixel;
};

/// One sample along an axis: the first of its two neighbours, and how much each counts.
struct axis_sample {
  int64_t first;
  double weights[2];
  double of(int64_t i) const { return i == first || i == first + 1 ? weights[i - first] : 0; }
};

std::vector<axis_sample> samples_of(const region_params &p, double from, double to, int axis,
                                    int64_t bin) {
  const double offset = p.half_pixel ? 0.5 : 0, start = from / 2 - offset, end = to / 2 - offset;
  const double length = p.half_pixel ? end - start : std::max(end - start, 1.0);
  const double size = length / static_cast<double>(p.output[axis]);
  const int64_t count =
      p.sampling_ratio > 0 ? p.sampling_ratio : static_cast<int64_t>(std::ceil(size));
  const double last = static_cast<double>(p.input[axis] - 1);
  std::vector<axis_sample> samples;
  for (int64_t i = 0; i < count; ++i) {
    const double at = start + (static_cast<double>(bin) +
                               (static_cast<double>(i) + 0.5) / static_cast<double>(count)) *
                                  size;
    const double inside = std::clamp(at, 0.0, last), whole = std::floor(inside);
    if (at < -1 || at > last + 1)
      samples.push_back({0, {0, 0}});
    else
      samples.push_back({static_cast<int64_t>(whole), {1 - inside + whole, inside - whole}});
  }
  return samples;
}

template <roi_align_mode MODE>
double pooled(const region_params &p, const std::vector<double> &image,
              const std::vector<axis_sample> &rows, const std::vector<axis_sample> &columns) {
  double sum = 0, greatest = rows.empty() || columns.empty() ? 0 : -INFINITY;
  for (const axis_sample &row : rows)
    for (const axis_sample &column : columns)
      for (int64_t y = row.first; y < row.first + 2; ++y)
        for (int64_t x = column.first; x < column.first + 2; ++x) {
          const bool is_there = y < p.input[0] && x < p.input[1];
          const double element = is_there ? image[static_cast<size_t>(y * p.input[1] + x)] : 0;
          const double weighted = row.of(y) * column.of(x) * element;
          sum += weighted;
          greatest = std::max(greatest, weighted);
        }
  if (MODE == roi_align_mode::max)
    return greatest;
  return sum / std::max(1.0, static_cast<double>(rows.size() * columns.size()));
}

template <roi_align_mode MODE>
std::vector<double> expected(const region_params &p, const std::vector<double> &x,
                             const std::vector<double> &rois, const std::vector<int64_t> &images) {
  std::vector<double> want;
  for (int64_t r = 0; r < p.regions; ++r)
    for (int64_t c = 0; c < p.channels; ++c) {
      const int64_t size = p.input[0] * p.input[1];
      const auto from = x.begin() + (images[static_cast<size_t>(r)] * p.channels + c) * size;
      const std::vector<double> image(from, from + size);
      const double *roi = rois.data() + r * 4;
      for (int64_t i = 0; i < p.output[0]; ++i)
        for (int64_t j = 0; j < p.output[1]; ++j)
          want.push_back(pooled<MODE>(p, image, samples_of(p, roi[1], roi[3], 0, i),
                                      samples_of(p, roi[0], roi[2], 1, j)));
    }
  return want;
}

/// The kernel's result, in the type that it computes in.
template <roi_align_mode MODE, class T>
std::vector<accumulator_t<T>> align(machine &mach, const region_params &p, const std::vector<T> &x,
                                    const std::vector<T> &rois,
                                    const std::vector<int64_t> &images) {
  using A = accumulator_t<T>;
  array<T> data(mach, x), regions(mach, rois);
  array<int64_t> batch_indices(mach, images);
  const index<4> extents{{p.regions, p.channels, p.output[0], p.output[1]}};
  array<A> out(mach, volume(extents));
  mach.run([&](exec &e) {
    roi_align<MODE>(
        e, p, static_cast<const T *>(data.data()), static_cast<const T *>(regions.data()),
        static_cast<const int64_t *>(batch_indices.data()), dense_store<A, 4>{out.data(), extents});
  });
  return out.values();
}

/// Regions of corners up to `reach` from the image's: every other one lies around a place in it, of
/// the rest about half end before they begin.
template <roi_align_mode MODE, class T>
void check(bool half_pixel, int64_t sampling_ratio, float reach, int64_t channels = 3) {
  const region_params p{7, 2, channels, {6, 5}, {3, 2}, sampling_ratio, half_pixel};
  random_values random(21);
  const std::vector<T> x = random.vector<T>(2 * channels * 6 * 5);
  std::vector<T> rois;
  for (int64_t i = 0; i < 7 * 4; ++i) {
    const float corner = random.next<float>() * reach, away = std::fabs(corner);
    rois.push_back(cast<T>(i / 4 % 2 == 0 ? corner : i % 4 < 2 ? 4 - away : 4 + away));
  }
  const std::vector<int64_t> images = {0, 1, 1, 0, 1, 0, 0};
  const std::vector<double> want = expected<MODE>(p, as_double(x), as_double(rois), images);
  for (int threads : team_sizes()) {
    machine mach(threads);
    CHECK(worst_error(align<MODE>(mach, p, x, rois, images), want) <
          (std::is_same_v<T, double> ? 1e-12 : 1e-5));
    CHECK(mach.code() == CAMEO_OK);
  }
}

template <roi_align_mode MODE> void check_mode() {
  for (bool half_pixel : {false, true})
    for (int64_t sampling_ratio : {0, 1, 3}) {
      check<MODE, float>(half_pixel, sampling_ratio, 12);
      check<MODE, double>(half_pixel, sampling_ratio, 12);
      check<MODE, half>(half_pixel, sampling_ratio, 12);
      check<MODE, double>(half_pixel, sampling_ratio, 900); // more samples than taps are kept of
    }
}

constexpr roi_align_mode avg = roi_align_mode::avg, greatest = roi_align_mode::max;

} // namespace

TEST_CASE("roi_align pools by every mode", "[roi_align]") {
  check_mode<avg>();
  check_mode<greatest>();
}

TEST_CASE("roi_align of any number of channels", "[roi_align]") {
  for (int64_t channels : {1, 5, 16, 17, 35})
    for (int64_t sampling_ratio : {0, 2}) {
      check<avg, float>(false, sampling_ratio, 12, channels);
      check<greatest, float>(true, sampling_ratio, 12, channels);
      check<avg, half>(true, sampling_ratio, 12, channels);
      check<avg, double>(false, sampling_ratio, 900, channels);
    }
}

TEST_CASE("roi_align of an image that is not there is 0", "[roi_align]") {
  machine mach;
  const std::vector<float> all = {0, 0, 4, 4};
  CHECK(align<avg, float>(mach, {1, 2, 1, {1, 1}, {1, 1}, 1, false}, {3, 5}, all, {1}) ==
        std::vector<float>{5});
  CHECK(mach.code() == CAMEO_OK);
  for (int64_t image : {int64_t{-1}, int64_t{2}, INT64_MIN, INT64_MAX}) {
    machine failing;
    CHECK(align<avg, float>(failing, {1, 2, 1, {1, 1}, {1, 1}, 1, false}, {3, 5}, all, {image}) ==
          std::vector<float>{0});
    CHECK(failing.code() == CAMEO_OUT_OF_RANGE);
    CHECK(failing.got() == image);
    CHECK(failing.limit() == 2);
  }
  // Between regions of other images, of so many channels as are read together.
  const region_params p{3, 2, 6, {1, 1}, {1, 1}, 1, false};
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  machine failing;
  CHECK(align<avg, float>(failing, p, x, {0, 0, 4, 4, 0, 0, 4, 4, 0, 0, 4, 4}, {1, 2, 0}) ==
        std::vector<float>{7, 8, 9, 10, 11, 12, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6});
  CHECK(failing.code() == CAMEO_OUT_OF_RANGE);
}

TEST_CASE("roi_align of nothing", "[roi_align]") {
  machine mach;
  const std::vector<float> all = {0, 0, 4, 4};
  CHECK(align<avg, float>(mach, {0, 1, 1, {1, 1}, {1, 1}, 1, false}, {3}, {}, {}).empty());
  CHECK(align<avg, float>(mach, {1, 1, 0, {1, 1}, {1, 1}, 1, false}, {}, all, {0}).empty());
  for (int64_t ratio : {0, 2}) {
    CHECK(align<avg, float>(mach, {1, 1, 1, {0, 3}, {1, 1}, ratio, false}, {}, all, {0}) ==
          std::vector<float>{0});
    CHECK(align<greatest, float>(mach, {1, 1, 1, {3, 0}, {1, 1}, ratio, true}, {}, all, {0}) ==
          std::vector<float>{0});
  }
  CHECK(mach.code() == CAMEO_OK);
}

TEST_CASE("roi_align of regions without a place or an end", "[roi_align]") {
  machine mach;
  const std::vector<float> x(12, -1.0f);
  for (bool half_pixel : {false, true})
    for (const std::vector<float> &region :
         std::vector<std::vector<float>>{{NAN, NAN, NAN, NAN},
                                         {0, NAN, 4, 4},
                                         {-INFINITY, -INFINITY, INFINITY, INFINITY},
                                         {INFINITY, INFINITY, -INFINITY, -INFINITY},
                                         {-1e30f, -1e30f, 1e30f, 1e30f},
                                         {-1e18f, -1e18f, 1e18f, 1e18f},
                                         {1e30f, 1e30f, 2e30f, 2e30f}}) {
      const region_params p{1, 1, 1, {4, 3}, {2, 2}, 0, half_pixel};
      // The image is next to nothing in them, and what is around it 0.
      for (float v : align<avg>(mach, p, x, region, {0}))
        CHECK(std::fabs(v) < 1e-6f);
      CHECK(align<greatest>(mach, p, x, region, {0}) == std::vector<float>(4, 0.0f));
    }
}

TEST_CASE("roi_align hands on NaN to the bins that touch it", "[roi_align]") {
  machine mach;
  const region_params p{1, 1, 1, {2, 6}, {1, 3}, 1, false};
  std::vector<float> x(12, 1.0f);
  x[1] = NAN;
  const std::vector<float> region = {0, 0, 12, 2}; // its samples lie at 1, 3 and 5
  for (const std::vector<float> &got :
       {align<avg>(mach, p, x, region, {0}), align<greatest>(mach, p, x, region, {0})})
    for (size_t bin = 0; bin < 3; ++bin)
      CHECK(is_nan(got[bin]) == (bin == 0));
  const region_params many{1, 1, 20, {2, 6}, {1, 3}, 1, false};
  std::vector<float> planes(20 * 12, 1.0f);
  planes[5 * 12 + 1] = planes[18 * 12 + 1] = NAN;
  for (const std::vector<float> &got : {align<avg>(mach, many, planes, region, {0}),
                                        align<greatest>(mach, many, planes, region, {0})})
    for (size_t at = 0; at < 60; ++at)
      CHECK(is_nan(got[at]) == (at == 15 || at == 54));
}

} // namespace cameo::test
