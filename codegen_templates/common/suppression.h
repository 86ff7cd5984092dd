// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What non_max_suppression asks of two boxes, in ONNX Runtime's arithmetic, operation by operation:
// a last bit decides whether a box stays.
#pragma once

#include "cameo/scalar.h"

namespace cameo {

/// A box by its edges.
struct box_edges {
  float top, left, bottom, right;
};

/// `box`: two opposite corners (y, x, y, x), or with `is_center` the centre and the sizes (x, y,
/// width, height).
CAMEO_DEVICE box_edges edges_of(const float *box, bool is_center) {
  if (is_center) {
    const float half_width = box[2] / 2, half_height = box[3] / 2;
    return {box[1] - half_height, box[0] - half_width, box[1] + half_height, box[0] + half_width};
  }
  const bool down = box[0] < box[2], right = box[1] < box[3];
  return {box[down ? 0 : 2], box[right ? 1 : 3], box[down ? 2 : 0], box[right ? 3 : 1]};
}

/// Is the boxes' intersection more than `threshold` of their union? Boxes without an area never
/// overlap.
CAMEO_DEVICE bool overlap(const box_edges &a, const box_edges &b, float threshold) {
  const float left = a.left < b.left ? b.left : a.left;
  const float right = b.right < a.right ? b.right : a.right;
  const float top = a.top < b.top ? b.top : a.top;
  const float bottom = b.bottom < a.bottom ? b.bottom : a.bottom;
  if (right <= left || bottom <= top)
    return false;
  const float common = (right - left) * (bottom - top);
  const float area_a = (a.right - a.left) * (a.bottom - a.top);
  const float area_b = (b.right - b.left) * (b.bottom - b.top);
  const float both = area_a + area_b - common;
  if (common <= 0 || area_a <= 0 || area_b <= 0 || both <= 0)
    return false;
  return common / both > threshold;
}

/// A box that may be chosen; whether `a` comes before `b`. Boxes of equal scores keep their order;
/// -1 is none and last.
struct scored_box {
  float score;
  int64_t box;
};
CAMEO_DEVICE bool is_better(const scored_box &a, const scored_box &b) {
  if (a.box < 0 || b.box < 0)
    return a.box >= 0;
  return a.score > b.score || (a.score == b.score && a.box < b.box);
}

/// The members of p, and where a class' boxes are chosen to.
struct suppression {
  int64_t batch, classes, boxes, most;
  bool center_point_box;
  const float *corners, *iou_threshold;
  int64_t *table;

  CAMEO_DEVICE float threshold() const { return iou_threshold == nullptr ? 0 : *iou_threshold; }
  /// The edges of a box of the batch of row `row`, which counts batches and their classes.
  CAMEO_DEVICE box_edges edges(int64_t row, int64_t box) const {
    return edges_of(corners + (row / classes * boxes + box) * 4, center_point_box);
  }
  CAMEO_DEVICE void put(int64_t row, int64_t place, int64_t box) const {
    int64_t *const entry = table + (row * most + place) * 3;
    entry[0] = row / classes;
    entry[1] = row % classes;
    entry[2] = box;
  }
};

template <class P>
CAMEO_DEVICE suppression suppression_of(const P &p, const float *corners,
                                        const float *iou_threshold, int64_t *table) {
  return {p.batch, p.classes, p.boxes, p.most, p.center_point_box, corners, iou_threshold, table};
}

} // namespace cameo
