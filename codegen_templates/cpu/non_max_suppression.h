// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// non_max_suppression: a thread per class looks through the boxes that are left once per choice,
// and drops those that the last one suppresses on the way.
#pragma once

#include "cameo/common/suppression.h"
#include "cameo/cpu/parallel.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Bytes that non_max_suppression takes from e.scratch.
template <class P> int64_t non_max_suppression_scratch(const P &p, int threads) {
  return int64_t{threads} * p.boxes * static_cast<int64_t>(sizeof(scored_box));
}

/// Drops the boxes that `last` (-1: none) suppresses from the `count` in `left`, keeping the
/// others' order, and takes the best out of them; none has box -1.
CAMEO_INLINE scored_box choose_box(const suppression &s, int64_t row, scored_box last,
                                   scored_box *left, int64_t &count) {
  scored_box best = {0, -1};
  int64_t kept = 0;
  const float threshold = s.threshold();
  const box_edges chosen = last.box < 0 ? box_edges{} : s.edges(row, last.box);
  for (int64_t t = 0; t < count; ++t) {
    const scored_box candidate = left[t];
    if (candidate.box == last.box ||
        (last.box >= 0 && overlap(s.edges(row, candidate.box), chosen, threshold)))
      continue;
    left[kept++] = candidate;
    if (is_better(candidate, best))
      best = candidate;
  }
  count = kept;
  return best;
}

template <class P, class LOAD>
void non_max_suppression(exec &e, const P &p, const float *corners, const float *iou_threshold,
                         int64_t *table, LOAD load) {
  const suppression s = suppression_of(p, corners, iou_threshold, table);
  const int64_t rows = s.batch * s.classes;
  if (rows <= 0 || s.most <= 0)
    return;
  auto *memory = static_cast<scored_box *>(
      e.scratch(static_cast<size_t>(non_max_suppression_scratch(p, e.threads()))));
  if (memory == nullptr)
    return;
  e.parallel_if(rows > 1 && rows * s.boxes * 16 >= parallel_threshold,
                [&](int thread, int threads) {
                  scored_box *const left = memory + thread * s.boxes;
                  const span mine = share(rows, thread, threads);
                  for (int64_t row = mine.begin; row < mine.end; ++row) {
                    int64_t count = 0;
                    for (int64_t box = 0; box < s.boxes; ++box) {
                      const float score = load(index<3>{{row / s.classes, row % s.classes, box}});
                      if (!is_nan(score))
                        left[count++] = {score, box};
                    }
                    scored_box last = {0, -1};
                    for (int64_t place = 0; place < s.most; ++place) {
                      if (place == 0 || last.box >= 0)
                        last = choose_box(s, row, last, left, count);
                      s.put(row, place, last.box);
                    }
                  }
                });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
