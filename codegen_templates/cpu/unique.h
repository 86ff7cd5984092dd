// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// unique: a merge sort of the slices' numbers, whose passes are shared among threads; then runs of
// equal slices are numbered in one go.
#pragma once

#include "cameo/common/slices.h"
#include "cameo/cpu/parallel.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Merges the sorted from[begin, middle) and from[middle, end) into to[begin, end).
template <class ORDER>
void merge_slices(const ORDER &order, const int64_t *from, int64_t *to, const span &low,
                  const span &high) {
  int64_t a = low.begin, b = high.begin;
  for (int64_t at = low.begin; at < high.end; ++at) {
    const bool from_low = a < low.end && (b >= high.end || order.precedes(from[a], from[b]));
    to[at] = from_low ? from[a++] : from[b++];
  }
}

/// The numbers of the slices in order; they are in `memory` or in `spare`.
template <class ORDER>
int64_t *sort_slices(exec &e, const ORDER &order, int64_t *memory, int64_t *spare) {
  const int64_t n = order.slices;
  for (int64_t s = 0; s < n; ++s)
    memory[s] = s;
  for (int64_t run = 1; run < n; run *= 2) {
    parallel_range(e, ceil_div(n, 2 * run), 8 * run, [&](int64_t begin, int64_t end) {
      for (int64_t pair = begin; pair < end; ++pair) {
        const int64_t from = pair * 2 * run;
        const int64_t middle = from + run < n ? from + run : n;
        const int64_t to = middle + run < n ? middle + run : n;
        merge_slices(order, memory, spare, {from, middle}, {middle, to});
      }
    });
    int64_t *const sorted = spare;
    spare = memory;
    memory = sorted;
  }
  return memory;
}

/// Bytes that unique takes from e.scratch.
template <class P> int64_t unique_scratch(const P &p, int) {
  return (4 * p.slices + 1) * static_cast<int64_t>(sizeof(int64_t));
}

template <class P, class T>
void unique(exec &e, const P &p, const T *data, int64_t *indices, int64_t *inverse, int64_t *counts,
            int64_t *count) {
  const slice_order<T> order = {data, p.rows, p.slices, p.columns};
  const int64_t n = p.slices;
  auto *memory =
      static_cast<int64_t *>(e.scratch(static_cast<size_t>(unique_scratch(p, e.threads()))));
  if (memory == nullptr)
    return;
  int64_t *const other = memory + n, *const run_of = memory + 2 * n, *const start = run_of + n;
  const int64_t *const sorted = sort_slices(e, order, memory, other);
  int64_t *const number = sorted == memory ? other : memory; // of a run, in the result
  int64_t runs = 0;
  for (int64_t j = 0; j < n; ++j) {
    if (j == 0 || order.compare(sorted[j - 1], sorted[j]) != 0)
      start[runs++] = j;
    run_of[sorted[j]] = runs - 1;
  }
  start[runs] = n;
  *count = runs;
  int64_t next = 0;
  const auto put = [&](int64_t run) {
    if (indices != nullptr)
      indices[next] = sorted[start[run]];
    if (counts != nullptr)
      counts[next] = start[run + 1] - start[run];
    number[run] = next++;
  };
  if (p.sorted)
    for (int64_t run = 0; run < runs; ++run)
      put(run);
  for (int64_t s = 0; s < n; ++s) {
    if (!p.sorted && sorted[start[run_of[s]]] == s)
      put(run_of[s]);
    if (inverse != nullptr)
      inverse[s] = number[run_of[s]];
  }
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
