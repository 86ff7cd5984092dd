// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// max_roi_pool against the greatest of all elements that are in a bin; regions that end before they
// begin, that lie outside, of no number; images that are not there; NaN.
#include "machine.h"

#include CAMEO_TEMPLATE(max_roi_pool.h)

namespace cameo::test {
namespace {

struct region_params {
  int64_t regions, batch, channels, input[2], output[2];
  static constexpr float spatial_scale = 0.5f;
};

bool is_in_bin(double first, double last, int64_t bins, int64_t bin, int64_t element) {
  const double begin = std::round(first / 2), end = std::round(last / 2);
  const double size = std::max(end - begin + 1, 1.0) / static_cast<double>(bins);
  const double at = static_cast<double>(element) - begin;
  return at >= std::floor(static_cast<double>(bin) * size) &&
         at < std::ceil(static_cast<double>(bin + 1) * size);
}

std::vector<double> expected(const region_params &p, const std::vector<double> &x,
                             const std::vector<double> &rois) {
  std::vector<double> want;
  for (const index<4> extents{{p.regions, p.channels, p.output[0], p.output[1]}};
       static_cast<int64_t>(want.size()) < volume(extents);) {
    const index<4> o = unflatten(static_cast<int64_t>(want.size()), extents);
    const double *roi = rois.data() + o[0] * 5;
    double greatest = -INFINITY;
    for (int64_t i = 0; i < p.input[0] * p.input[1]; ++i)
      if (is_in_bin(roi[2], roi[4], p.output[0], o[2], i / p.input[1]) &&
          is_in_bin(roi[1], roi[3], p.output[1], o[3], i % p.input[1])) {
        const int64_t plane = static_cast<int64_t>(roi[0]) * p.channels + o[1];
        greatest = std::max(greatest, x[static_cast<size_t>(plane * p.input[0] * p.input[1] + i)]);
      }
    want.push_back(greatest == -INFINITY ? 0 : greatest);
  }
  return want;
}

template <class T>
std::vector<accumulator_t<T>> pool(machine &mach, const region_params &p, const std::vector<T> &x,
                                   const std::vector<T> &rois) {
  using A = accumulator_t<T>;
  array<T> data(mach, x), regions(mach, rois);
  const index<4> extents{{p.regions, p.channels, p.output[0], p.output[1]}};
  array<A> out(mach, volume(extents));
  mach.run([&](exec &e) {
    max_roi_pool(e, p, static_cast<const T *>(data.data()), static_cast<const T *>(regions.data()),
                 dense_store<A, 4>{out.data(), extents});
  });
  return out.values();
}

template <class T> void check(float reach) {
  const region_params p{9, 2, 3, {6, 5}, {3, 2}};
  random_values random(8);
  const std::vector<T> x = random.vector<T>(2 * 3 * 6 * 5);
  std::vector<T> rois;
  for (int64_t i = 0; i < 9 * 5; ++i)
    rois.push_back(cast<T>(i % 5 == 0 ? static_cast<float>(i / 5 % 2)
                                      : random.next<float>() * reach + (i % 5 > 2 ? reach : 0)));
  for (int threads : team_sizes()) {
    machine mach(threads);
    CHECK(worst_error(pool(mach, p, x, rois), expected(p, as_double(x), as_double(rois))) == 0);
    CHECK(mach.code() == CAMEO_OK);
  }
}

} // namespace

TEST_CASE("max_roi_pool takes the greatest of every bin", "[max_roi_pool]") {
  for (float reach : {3.0f, 7.0f, 40.0f}) {
    check<float>(reach);
    check<double>(reach);
    check<half>(reach);
  }
}

TEST_CASE("max_roi_pool of images and regions that are none", "[max_roi_pool]") {
  machine mach;
  const region_params p{2, 1, 1, {2, 2}, {1, 1}};
  CHECK(pool<float>(mach, p, {1, 2, NAN, 4}, {0, 0, 0, 3, 3, 0, NAN, -1e30f, 0, 1e30f}).size() ==
        2);
  CHECK(std::isnan(pool<float>(mach, p, {1, 2, NAN, 4}, {0, 0, 0, 3, 3, 0, 0, 0, 0, 0})[0]));
  CHECK(mach.code() == CAMEO_OK);
  CHECK(pool<float>(mach, p, {1, 2, 3, 4}, {1, 0, 0, 3, 3, 0, 0, 0, 0, 0})[0] == 0);
  CHECK(mach.code() == CAMEO_OUT_OF_RANGE);
}

} // namespace cameo::test
