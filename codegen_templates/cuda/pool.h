// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pool<KIND>: a thread per output element, which loads some taps before it combines them.
#pragma once

#include "cameo/common/pool.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

/// Taps that are loaded at once: all of a constant window of at most so many, or a few.
constexpr int64_t most_held_taps = 64;
constexpr int few_taps = 8;

/// The taps of a window, where they are a constant and held; otherwise 0.
template <class P> constexpr int64_t held_taps() {
  if constexpr (CAMEO_IS_STATIC(P, kernel)) {
    constexpr int64_t taps =
        volume(params::copy<index<P::spatial_rank>, P::spatial_rank>(P::kernel));
    return taps <= most_held_taps ? taps : 0;
  } else {
    return 0;
  }
}

/// Counts the taps of a window, row-major.
template <int S> CAMEO_DEVICE_ONLY void advance_tap(index<S> &tap, const index<S> &kernel) {
  bool carries = true;
  CAMEO_UNROLL
  for (int d = S - 1; d > 0; --d) {
    tap[d] += carries ? 1 : 0;
    carries = tap[d] == kernel[d];
    tap[d] = carries ? 0 : tap[d];
  }
  tap[0] += carries ? 1 : 0;
}

/// HELD: the taps that are held, or 0.
template <int S, int64_t HELD, class ROWS> struct pool_point {
  using T = typename ROWS::T;
  static constexpr int at_once = HELD > 0 ? static_cast<int>(HELD) : few_taps;
  ROWS rows;

  CAMEO_DEVICE_ONLY void operator()(const index<S + 2> &i) const {
    pool_span s[array_size(S)];
    for (int d = 0; d < S; ++d)
      s[d] = rows.span(d, i[d + 2]);
    rows.combine(i, s, [&](const auto &take) {
      index<S> tap{};
      if constexpr (HELD > 0)
        take_some(i, s, tap, take);
      else
        CAMEO_LOOP
      for (int64_t first = 0, all = volume(rows.kernel); first < all; first += at_once)
        take_some(i, s, tap, take);
    });
  }

private:
  /// The taps from `tap` on, which it advances. No tap of a window behind the last one is inside.
  template <class TAKE>
  CAMEO_DEVICE_ONLY void take_some(const index<S + 2> &i, const pool_span (&s)[array_size(S)],
                                   index<S> &tap, const TAKE &take) const {
    T values[array_size(at_once)];
    index<S + 2> at[array_size(at_once)];
    bool inside[array_size(at_once)];
    CAMEO_UNROLL
    for (int j = 0; j < at_once; ++j, advance_tap(tap, rows.kernel)) {
      at[j] = i;
      inside[j] = true;
      for (int d = 0; d < S; ++d) {
        at[j][d + 2] = s[d].start + tap[d] * rows.dilation[d];
        inside[j] = inside[j] && tap[d] >= s[d].begin && tap[d] < s[d].end;
      }
      values[j] = inside[j] ? rows.load(at[j]) : T{};
    }
    CAMEO_UNROLL
    for (int j = 0; j < at_once; ++j)
      if (inside[j])
        take(values[j], at[j]);
  }
};

template <pool_kind KIND, class P, class LOAD, class STORE, class STORE_INDEX> struct pool_call {
  static constexpr int S = P::spatial_rank;
  static constexpr int64_t held = held_taps<P>();
  P p;
  LOAD load;
  STORE store;
  STORE_INDEX store_index;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store, store_index); }
  CAMEO_DEVICE auto extents() const {
    return join(index<2>{{p.batch, p.channels}}, output_of<S>(p));
  }
  CAMEO_DEVICE auto body() const {
    const auto rows = make_pool_rows<KIND>(p, load, store, store_index);
    return pool_point<S, held, std::decay_t<decltype(rows)>>{rows};
  }
};

template <pool_kind KIND, class P, class LOAD, class STORE, class STORE_INDEX = discard>
void pool(exec &e, const P &p, LOAD load, STORE store, STORE_INDEX store_index = {}) {
  if constexpr (held_taps<P>() == 0)
    CAMEO_DEPTH((volume(kernel_of<P::spatial_rank>(p)) + few_taps - 1) / few_taps);
  for_each_call(e, pool_call<KIND, P, LOAD, STORE, STORE_INDEX>{p, load, store, store_index});
}

} // namespace cameo::cuda
