// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cumulative: a team of threads per row scans as many values as it has members at a time, carrying
// the total on. Order: within a piece by doubling distances, pieces in turn.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/cuda/rows.h"

namespace cameo::cuda {

/// Inclusive scan over the lanes of a warp.
template <class COMBINE>
CAMEO_DEVICE_ONLY typename COMBINE::type scan_warp(typename COMBINE::type value) {
  for (unsigned distance = 1; distance < warp_threads; distance *= 2) {
    const typename COMBINE::type before = shuffle_up(value, distance);
    if (lane() >= distance)
      value = COMBINE::apply(before, value);
  }
  return value;
}

template <class COMBINE, class P, class LOAD, class STORE> struct cumulative_body {
  static constexpr int R1 = P::outer_rank, R2 = P::reduced_rank;
  using type = typename COMBINE::type;
  P p;
  LOAD load;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store); }

  template <class TEAM> CAMEO_DEVICE_ONLY void operator()(const TEAM &team, int64_t row) const {
    const index<R1> i = unflatten(row, outer_of<R1>(p));
    const index<R2> reduced = reduced_of<R2>(p);
    const int64_t n = volume(reduced);
    type carry = COMBINE::identity();
    for (int64_t piece = 0; piece < n; piece += TEAM::threads) {
      const int64_t t = piece + team.member();
      const index<R1 + R2> at = join(i, unflatten(p.reverse ? n - 1 - t : t, reduced));
      const type value = t < n ? cast<type>(load(at)) : COMBINE::identity();
      type total;
      const type before = scan(team, value, carry, total);
      if (t < n)
        store(at, p.exclusive ? before : COMBINE::apply(before, value));
      carry = total;
    }
  }

private:
  /// The sum in front of this member's value, `carry` included; `total` becomes the sum behind the
  /// team's last value.
  template <class TEAM>
  CAMEO_DEVICE_ONLY type scan(const TEAM &team, type value, type carry, type &total) const {
    const type inclusive = scan_warp<COMBINE>(value);
    type before = shuffle_up(inclusive, 1);
    if (TEAM::threads == warp_threads) {
      total = COMBINE::apply(carry, shuffle(inclusive, warp_threads - 1));
    } else {
      type *const warp_total = shared<type>();
      team.sync();
      if (lane() == warp_threads - 1)
        warp_total[warp()] = inclusive;
      team.sync();
      total = carry;
      for (unsigned w = 0; w < TEAM::threads / warp_threads; ++w) {
        if (w == warp())
          carry = total;
        total = COMBINE::apply(total, warp_total[w]);
      }
    }
    return lane() == 0 ? carry : COMBINE::apply(carry, before);
  }
};

template <class COMBINE, class P, class LOAD, class STORE>
void cumulative(exec &e, const P &p, LOAD load, STORE store) {
  (void)across_rows_or(p, false); // a hint for the CPU
  for_each_row(e, cumulative_body<COMBINE, P, LOAD, STORE>{p, load, store});
}

} // namespace cameo::cuda
