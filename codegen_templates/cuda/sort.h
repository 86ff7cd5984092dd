// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sort by one block, which topk and unique share: bitonic, in shared or in global memory.
#pragma once

#include "cameo/cuda/device.h"

namespace cameo::cuda {

constexpr int long_sort_threads = 1024; // a sort in scratch memory has few blocks: large ones

CAMEO_DEVICE int64_t power_of_two_above(int64_t n) {
  int64_t p = 1;
  while (p < n)
    p *= 2;
  return p;
}

/// Sorts `size` entries, a power of two, with all threads of the block. precedes(a, b): does a
/// stand before b? A total order, but for entries that may be exchanged unnoticed.
template <class T, class PRECEDES>
CAMEO_DEVICE_ONLY void sort_block(T *entry, int64_t size, const PRECEDES &precedes) {
  for (int64_t run = 2; run <= size; run *= 2)
    for (int64_t distance = run / 2; distance > 0; distance /= 2) {
      barrier();
      for (int64_t i = thread(); i < size / 2; i += block_threads()) {
        const int64_t low = i / distance * 2 * distance + i % distance;
        const int64_t high = low + distance;
        const bool descending = (low & run) != 0;
        const T a = entry[low], b = entry[high];
        if (descending ? precedes(a, b) : precedes(b, a)) {
          entry[low] = b;
          entry[high] = a;
        }
      }
    }
  barrier();
}

} // namespace cameo::cuda
