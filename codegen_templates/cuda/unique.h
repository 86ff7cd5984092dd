// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// unique, all by one block: a sort of the slices' numbers in scratch memory, then scans that number
// the runs of equal slices, as many slices at a time as there are threads.
#pragma once

#include "cameo/common/slices.h"
#include "cameo/cuda/nonzero.h"
#include "cameo/cuda/sort.h"

namespace cameo::cuda {

template <class T> struct unique_body {
  slice_order<T> order;
  int64_t size; // the slices rounded up to a power of two
  bool sorted;
  int64_t *entry;  // size: the slices in order, then -1
  int64_t *start;  // slices + 1: where in `entry` a run of equal ones starts
  int64_t *run_of; // slices: the run of each
  int64_t *number; // slices: of a run, in the result
  int64_t *indices, *inverse, *counts, *count;

  CAMEO_DEVICE_ONLY void operator()() const {
    sort();
    const int64_t runs = find_runs();
    barrier();
    if (sorted)
      for (int64_t run = thread(); run < runs; run += long_sort_threads)
        put(run, run);
    else
      number_runs();
    barrier();
    if (inverse != nullptr)
      for (int64_t s = thread(); s < order.slices; s += long_sort_threads)
        inverse[s] = number[run_of[s]];
  }

private:
  CAMEO_DEVICE_ONLY void sort() const {
    for (int64_t s = thread(); s < size; s += long_sort_threads)
      entry[s] = s < order.slices ? s : -1;
    const slice_order<T> by = order;
    sort_block(entry, size, [by](int64_t a, int64_t b) { return by.precedes(a, b); });
  }

  /// Calls body(t, holds(t), how many hold before t) for every slice t; returns how many hold.
  template <class HOLDS, class BODY>
  CAMEO_DEVICE_ONLY int64_t scan(const HOLDS &holds, const BODY &body) const {
    int64_t found = 0;
    for (int64_t piece = 0; piece < order.slices; piece += long_sort_threads) {
      const int64_t t = piece + thread();
      const bool flag = t < order.slices && holds(t);
      int64_t total;
      const int64_t before = count_before(flag, shared<uint32_t>(), total);
      if (t < order.slices)
        body(t, flag, found + before);
      found += total;
    }
    return found;
  }

  /// The first of each run starts it.
  CAMEO_DEVICE_ONLY int64_t find_runs() const {
    const unique_body self = *this;
    const int64_t runs = scan(
        [self](int64_t j) {
          return j == 0 || self.order.compare(self.entry[j - 1], self.entry[j]) != 0;
        },
        [self](int64_t j, bool is_first, int64_t before) {
          if (is_first)
            self.start[before] = j;
          self.run_of[self.entry[j]] = is_first ? before : before - 1;
        });
    if (thread() == 0) {
      start[runs] = order.slices;
      *count = runs;
    }
    return runs;
  }

  /// Numbers the runs as they first occur.
  CAMEO_DEVICE_ONLY void number_runs() const {
    const unique_body self = *this;
    scan([self](int64_t s) { return self.entry[self.start[self.run_of[s]]] == s; },
         [self](int64_t s, bool is_first, int64_t before) {
           if (is_first)
             self.put(self.run_of[s], before);
         });
  }

  CAMEO_DEVICE_ONLY void put(int64_t run, int64_t place) const {
    number[run] = place;
    if (indices != nullptr)
      indices[place] = entry[start[run]];
    if (counts != nullptr)
      counts[place] = start[run + 1] - start[run];
  }
};

/// `room`: the most slices that there can be, for which there is memory.
template <class P, class T> struct unique_call {
  P p;
  const T *data;
  int64_t room;
  int64_t *memory, *indices, *inverse, *counts, *count;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p); }
  CAMEO_DEVICE unique_body<T> body() const {
    int64_t *const start = memory + power_of_two_above(room);
    int64_t *const run_of = start + room + 1;
    return {{data, p.rows, p.slices, p.columns},
            power_of_two_above(p.slices),
            p.sorted,
            memory,
            start,
            run_of,
            run_of + room,
            indices,
            inverse,
            counts,
            count};
  }
};

template <class CALL> CAMEO_KERNEL_BOUNDS(long_sort_threads, 1) void unique_kernel(CALL call) {
  call.load_counts();
  call.body()();
}

/// Bytes that unique takes from e.scratch.
template <class P> int64_t unique_scratch(const P &p, int) {
  return (power_of_two_above(p.slices) + 3 * p.slices + 1) * static_cast<int64_t>(sizeof(int64_t));
}

template <class P, class T>
void unique(exec &e, const P &p, const T *data, int64_t *indices, int64_t *inverse, int64_t *counts,
            int64_t *count) {
  auto *memory = static_cast<int64_t *>(e.scratch(static_cast<size_t>(unique_scratch(p, 1))));
  if (memory == nullptr)
    return;
  e.launch(&unique_kernel<unique_call<P, T>>, dim3(1), dim3(long_sort_threads),
           warp_threads * sizeof(uint32_t),
           unique_call<P, T>{p, data, p.slices, memory, indices, inverse, counts, count});
}

} // namespace cameo::cuda
