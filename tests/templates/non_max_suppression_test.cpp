// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// non_max_suppression against the definition: candidates in the order of their scores, each held
// against all that were chosen before it. Equal scores, NaN, boxes without an area, corners in any
// order.
#include "machine.h"

#include CAMEO_TEMPLATE(non_max_suppression.h)

namespace cameo::test {
namespace {

struct suppression_params {
  int64_t batch, classes, boxes, most;
  bool center_point_box;
};

/// Whether the intersection of two boxes (corners) is more than `threshold` of their union.
bool overlaps(const float *a, const float *b, float threshold) {
  const auto extent = [&](int axis) {
    return std::min(std::max(a[axis], a[axis + 2]), std::max(b[axis], b[axis + 2])) -
           std::max(std::min(a[axis], a[axis + 2]), std::min(b[axis], b[axis + 2]));
  };
  const auto area = [](const float *box) {
    return std::fabs((box[2] - box[0]) * (box[3] - box[1]));
  };
  if (extent(0) <= 0 || extent(1) <= 0)
    return false;
  const float common = extent(0) * extent(1);
  return common / (area(a) + area(b) - common) > threshold;
}

std::vector<int64_t> expected(const suppression_params &p, const std::vector<float> &corners,
                              const std::vector<float> &scores, float threshold) {
  std::vector<int64_t> table;
  for (int64_t row = 0; row < p.batch * p.classes; ++row) {
    const float *score = scores.data() + row * p.boxes;
    const float *boxes = corners.data() + row / p.classes * p.boxes * 4;
    std::vector<int64_t> order, chosen;
    for (int64_t box = 0; box < p.boxes; ++box)
      if (!std::isnan(score[box]))
        order.push_back(box);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return score[a] > score[b]; });
    for (int64_t box : order)
      if (static_cast<int64_t>(chosen.size()) < p.most &&
          std::none_of(chosen.begin(), chosen.end(), [&](int64_t other) {
            return overlaps(boxes + box * 4, boxes + other * 4, threshold);
          }))
        chosen.push_back(box);
    chosen.resize(static_cast<size_t>(p.most), -1);
    for (int64_t box : chosen)
      for (int64_t value : {row / p.classes, row % p.classes, box})
        table.push_back(value);
  }
  return table;
}

/// Corners become centres and sizes.
std::vector<float> centered(const std::vector<float> &corners) {
  std::vector<float> boxes;
  for (size_t at = 0; at < corners.size(); at += 4) {
    const float *box = corners.data() + at;
    for (float value : {(box[1] + box[3]) / 2, (box[0] + box[2]) / 2, std::fabs(box[3] - box[1]),
                        std::fabs(box[2] - box[0])})
      boxes.push_back(value);
  }
  return boxes;
}

void check(suppression_params p, const float *threshold) {
  INFO(p.batch << " batches " << p.classes << " classes " << p.boxes << " boxes, most " << p.most
               << ", centre " << p.center_point_box);
  random_values random(static_cast<uint64_t>(p.boxes + p.most));
  std::vector<float> corners, scores;
  // On a grid, so that both forms of a box are exact, and some have no area.
  for (int64_t at = 0; at < p.batch * p.boxes * 4; ++at)
    corners.push_back(static_cast<float>(random.below(16)) / 4);
  for (int64_t at = 0; at < p.batch * p.classes * p.boxes; ++at) {
    const int64_t kind = random.below(20);
    scores.push_back(kind == 0   ? NAN
                     : kind == 1 ? -INFINITY
                                 : static_cast<float>(random.below(100)) / 100);
  }
  const std::vector<int64_t> want =
      expected(p, corners, scores, threshold == nullptr ? 0 : *threshold);
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> boxes(mach, p.center_point_box ? centered(corners) : corners);
    array<float> given(mach, scores);
    array<float> limit(mach, std::vector<float>{threshold == nullptr ? 0 : *threshold});
    array<int64_t> table(mach, static_cast<int64_t>(want.size()));
    mach.run([&](exec &e) {
      non_max_suppression(e, p, boxes.data(), threshold == nullptr ? nullptr : limit.data(),
                          table.data(),
                          dense_load<float, 3>{given, {{p.batch, p.classes, p.boxes}}});
    });
    CHECK(table.values() == want);
  }
}

TEST_CASE("non_max_suppression") {
  const float half = 0.5f, none = 0;
  for (bool center : {false, true}) {
    check({1, 1, 10, 3, center}, &half);
    check({2, 3, 40, 40, center}, &half);
    check({3, 2, 700, 9, center}, &half);
    check({1, 2, 300, 300, center}, &none);
    check({2, 1, 20, 20, center}, nullptr);
    check({1, 1, 1, 1, center}, &half);
    check({2, 2, 5, 0, center}, &half);
    check({2, 2, 0, 0, center}, &half);
    check({0, 2, 5, 5, center}, &half);
  }
}

} // namespace
} // namespace cameo::test
