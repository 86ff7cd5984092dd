// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nonzero: each thread counts in its part of the elements, then writes behind those before it.
#pragma once

#include "cameo/common/params.h"
#include "cameo/cpu/parallel.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Bytes that nonzero takes from e.scratch.
template <class P> int64_t nonzero_scratch(const P &, int threads) {
  return int64_t{threads} * static_cast<int64_t>(sizeof(int64_t));
}

template <class P, class LOAD>
void nonzero(exec &e, const P &p, int64_t *positions, int64_t *count, LOAD load) {
  constexpr int R = P::shape_rank;
  const index<R> shape = shape_of<R>(p);
  const int64_t n = volume(shape);
  auto *counts =
      static_cast<int64_t *>(e.scratch(static_cast<size_t>(nonzero_scratch(p, e.threads()))));
  if (counts == nullptr)
    return;
  const bool worth_it = n >= parallel_threshold;
  e.parallel_if(worth_it, [&](int thread, int threads) {
    if (thread == threads - 1)
      return; // nobody writes behind it
    const span s = share(n, thread, threads);
    int64_t found = 0;
    walk(shape, s.begin, s.end, [&](const index<R> &i) { found += load(i) ? 1 : 0; });
    counts[thread] = found;
  });
  e.parallel_if(worth_it, [&](int thread, int threads) {
    int64_t at = 0;
    for (int before = 0; before < thread; ++before)
      at += counts[before];
    const span s = share(n, thread, threads);
    int64_t position = s.begin;
    walk(shape, s.begin, s.end, [&](const index<R> &i) {
      if (load(i)) {
        if (positions != nullptr)
          positions[at] = position;
        ++at;
      }
      ++position;
    });
    if (thread == threads - 1)
      *count = at;
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
