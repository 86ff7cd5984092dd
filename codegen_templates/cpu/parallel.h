// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How work is cut for the thread team. Small work stays on the calling thread: waking the team
// costs as much as a few thousand elements.
#pragma once

#include "cameo/cpu/exec.h"

#include "cameo/common/coordinates.h"
#include "cameo/cpu/simd.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Element operations below which a second thread does not pay.
constexpr int64_t parallel_threshold = 16384;

/// a / b, rounded up. Both may be any number that is not negative, b not 0.
CAMEO_INLINE constexpr int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

struct span {
  int64_t begin, end;
};

/// The part of [0, count) that belongs to `thread`: contiguous, in order, even to one granule.
CAMEO_INLINE span share(int64_t count, int thread, int threads, int64_t granule = 1) {
  const int64_t granules = ceil_div(count, granule);
  const int64_t begin = granules * thread / threads * granule;
  const int64_t end = granules * (thread + 1) / threads * granule;
  return {begin < count ? begin : count, end < count ? end : count};
}

/// Calls f(begin, end) for disjoint parts of [0, count), on the team when count * cost (in element
/// operations) is worth it.
template <class F> CAMEO_INLINE void parallel_range(exec &e, int64_t count, int64_t cost, F f) {
  if (count <= 0)
    return;
  const bool worth_it = count > 1 && cost > 0 && count >= ceil_div(parallel_threshold, cost);
  e.parallel_if(worth_it, [&](int thread, int threads) {
    const span s = share(count, thread, threads);
    if (s.begin < s.end)
      f(s.begin, s.end);
  });
}

/// Moves i to the next point of a row-major space.
template <int R> CAMEO_INLINE void advance(index<R> &i, const index<R> &extents) {
  if constexpr (R > 0) {
    for (int d = R - 1; d > 0; --d) {
      if (++i[d] < extents[d])
        return;
      i[d] = 0;
    }
    ++i[0];
  } else {
    (void)i;
    (void)extents;
  }
}

/// Calls f(index<R>) for the points number [begin, end) of a row-major space.
template <int R, class F>
CAMEO_INLINE void walk(const index<R> &extents, int64_t begin, int64_t end, const F &f) {
  if (begin >= end)
    return;
  index<R> i = begin > 0 ? unflatten(begin, extents) : index<R>{};
  for (int64_t n = begin; n < end; ++n) {
    f(i);
    advance(i, extents);
  }
}

/// f(i) for i of [begin, end), in loops of constant length: whole ones of WIDTH, then halves.
template <int64_t WIDTH, class F>
CAMEO_INLINE void in_pieces(int64_t begin, int64_t end, const F &f) {
  for (; begin + WIDTH <= end; begin += WIDTH) {
    CAMEO_INDEPENDENT_LANES
    for (int64_t i = 0; i < WIDTH; ++i)
      f(begin + i);
  }
  if constexpr (WIDTH > 1)
    in_pieces<WIDTH / 2>(begin, end, f);
}

/// The same, where f may be called more than once for an i: all loops but the first and the last
/// begin with a multiple of WIDTH, and the last ends with `end`.
template <int64_t WIDTH, class F>
CAMEO_INLINE void in_overlapping_pieces(int64_t begin, int64_t end, const F &f) {
  if (end - begin < WIDTH) {
    if constexpr (WIDTH > 1)
      in_overlapping_pieces<WIDTH / 2>(begin, end, f);
    return;
  }
  for (int64_t next = begin; next < end; next = next / WIDTH * WIDTH + WIDTH) {
    const int64_t first = next + WIDTH <= end ? next : end - WIDTH;
    CAMEO_INDEPENDENT_LANES
    for (int64_t i = 0; i < WIDTH; ++i)
      f(first + i);
  }
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
