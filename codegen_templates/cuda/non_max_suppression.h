// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// non_max_suppression: a block per class, whose threads each hold a part of the boxes: for every
// choice they find the best that is left, and strike out what it suppresses.
#pragma once

#include "cameo/common/suppression.h"
#include "cameo/cuda/rows.h"

namespace cameo::cuda {

constexpr int suppression_threads = row_block_threads;

template <class LOAD> struct suppression_body {
  suppression s;
  LOAD load;
  float *memory; // the scores of a block's class; NaN: chosen, suppressed or never in question
  int64_t room;  // for the boxes of a class

  CAMEO_DEVICE_ONLY void operator()(int64_t row) const {
    const row_team<true> team;
    float *const scores = memory + block_index().x * room;
    const scored_box none = {0, -1};
    scored_box best = none;
    for (int64_t t = team.member(); t < s.boxes; t += suppression_threads) {
      scores[t] = load(index<3>{{row / s.classes, row % s.classes, t}});
      best = better(best, scores[t], t);
    }
    const float threshold = s.threshold();
    for (int64_t place = 0; place < s.most; ++place) {
      const scored_box chosen =
          team.combine(best, none, [](const scored_box &a, const scored_box &b) {
            return is_better(b, a) ? b : a;
          });
      if (team.member() == 0)
        s.put(row, place, chosen.box);
      best = chosen.box < 0 ? none : strike_out(team.member(), row, chosen.box, scores, threshold);
    }
  }

private:
  CAMEO_DEVICE_ONLY static scored_box better(const scored_box &best, float score, int64_t box) {
    const scored_box candidate = {score, box};
    return !is_nan(score) && is_better(candidate, best) ? candidate : best;
  }

  /// The best of this thread's boxes that the chosen one leaves.
  CAMEO_DEVICE_ONLY scored_box strike_out(int member, int64_t row, int64_t chosen, float *scores,
                                          float threshold) const {
    const box_edges edges = s.edges(row, chosen);
    scored_box best = {0, -1};
    for (int64_t t = member; t < s.boxes; t += suppression_threads) {
      if (is_nan(scores[t]))
        continue;
      if (t == chosen || overlap(s.edges(row, t), edges, threshold))
        scores[t] = __builtin_nanf("");
      best = better(best, scores[t], t);
    }
    return best;
  }
};

template <class P, class LOAD> struct suppression_call {
  P p;
  const float *corners, *iou_threshold;
  int64_t *table;
  LOAD load;
  float *memory;
  int64_t room;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load); }
  CAMEO_DEVICE int64_t rows() const { return p.batch * p.classes; }
  CAMEO_DEVICE suppression_body<LOAD> body() const {
    return {suppression_of(p, corners, iou_threshold, table), load, memory, room};
  }
};

template <class CALL>
CAMEO_KERNEL_BOUNDS(suppression_threads, 1)
void suppression_kernel(CALL call) {
  call.load_counts();
  const auto body = call.body();
  for (int64_t row = block_index().x; row < call.rows(); row += grid_extent().x)
    body(row);
}

/// Blocks at work at once.
template <class P> int64_t suppression_blocks(const P &p) {
  constexpr int64_t most = 512;
  const int64_t rows = points_at_most(index<2>{{p.batch, p.classes}});
  return rows < most ? rows : most;
}

/// Bytes that non_max_suppression takes from e.scratch.
template <class P> int64_t non_max_suppression_scratch(const P &p, int) {
  return suppression_blocks(p) * p.boxes * static_cast<int64_t>(sizeof(float));
}

template <class P, class LOAD>
void non_max_suppression(exec &e, const P &p, const float *corners, const float *iou_threshold,
                         int64_t *table, LOAD load) {
  using call = suppression_call<P, LOAD>;
  if (suppression_blocks(p) <= 0 || p.most <= 0)
    return;
  auto *memory =
      static_cast<float *>(e.scratch(static_cast<size_t>(non_max_suppression_scratch(p, 1))));
  if (memory == nullptr)
    return;
  e.launch(&suppression_kernel<call>, dim3(static_cast<unsigned>(suppression_blocks(p))),
           dim3(suppression_threads), sizeof(scored_box) * warp_threads,
           call{p, corners, iou_threshold, table, load, memory, p.boxes});
}

} // namespace cameo::cuda
