// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cumulative: running combination along a row, strictly sequential; rows whose neighbours are
// adjacent in memory side by side.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/params.h"
#include "cameo/cpu/row_groups.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Rows side by side, of which neighbours are adjacent in memory.
constexpr int cumulative_rows = has_small_stack ? 4 : 16;

template <class COMBINE, class P, class LOAD, class STORE>
void cumulative(exec &e, const P &p, LOAD load, STORE store) {
  using type = typename COMBINE::type;
  constexpr int R1 = P::outer_rank, R2 = P::reduced_rank, W = cumulative_rows;
  const index<R1> outer = outer_of<R1>(p);
  const index<R2> reduced = reduced_of<R2>(p);
  const int64_t n = row_length(p);
  const auto position = [&](int64_t t) { return unflatten(p.reverse ? n - 1 - t : t, reduced); };
  const auto next = [&](type &running, const index<R1 + R2> &at) CAMEO_INLINE_BODY {
    const type before = running;
    running = COMBINE::apply(running, cast<type>(load(at)));
    store(at, p.exclusive ? before : running);
  };
  parallel_range(e, volume(outer), n, [&](int64_t begin, int64_t end) {
    const auto one_row = [&](const index<R1> &i) {
      type running = COMBINE::identity();
      for (int64_t t = 0; t < n; ++t)
        next(running, join(i, position(t)));
    };
    if constexpr (R1 > 0) {
      if (across_rows_or(p, false)) {
        for_row_groups<W>(outer, begin, end, [&](const row_group<R1> &group) {
          if (group.count < W) {
            for (int64_t w = 0; w < group.count; ++w)
              one_row(group.row(w));
            return;
          }
          alignas(64) type running[array_size(W)];
          for (type &lane : running)
            lane = COMBINE::identity();
          for (int64_t t = 0; t < n; ++t) {
            const index<R2> at = position(t);
            CAMEO_INDEPENDENT_LANES
            for (int w = 0; w < W; ++w)
              next(running[w], join(group.row(w), at));
          }
        });
        return;
      }
    } else {
      (void)across_rows_or(p, false);
    }
    walk(outer, begin, end, one_row);
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
