// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// topk, a block per row, in one of three ways by the lengths alone: short rows are sorted in shared
// memory; of long rows a few entries are found one after the other, each the first behind the one
// before; the rest is sorted in scratch memory. The order is total, so all ways give the same.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/types.h"
#include "cameo/cuda/rows.h"
#include "cameo/cuda/sort.h"

namespace cameo::cuda {

constexpr int64_t longest_shared_sort = 1024;
constexpr int64_t most_searches = 64;

/// Is a before b in the output? Position -1 is none and last.
template <class T>
CAMEO_DEVICE bool topk_precedes(const ranked<T> &a, const ranked<T> &b, bool largest) {
  if (a.position < 0 || b.position < 0)
    return a.position >= 0;
  return topk_before(a, b, largest);
}

template <class P, class LOAD, class STORE_VALUE, class STORE_INDEX> struct topk_body {
  static constexpr int R1 = P::outer_rank;
  using T = loaded_t<LOAD, index<R1 + 1>>;
  P p;
  int64_t size; // a power of two, of which a row has at most so many elements
  LOAD load;
  STORE_VALUE store_value;
  STORE_INDEX store_index;
  ranked<T> *memory; // `size` entries a block, or null: shared

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store_value, store_index); }

  CAMEO_DEVICE_ONLY void put(const index<R1> &i, int64_t place, const ranked<T> &v) const {
    store_value(append(i, place), v.value);
    store_index(append(i, place), v.position);
  }

  CAMEO_DEVICE_ONLY void sort_row(int64_t row) const {
    const index<R1> i = unflatten(row, outer_of<R1>(p));
    const int64_t n = row_length(p), k = p.k;
    ranked<T> *const entry =
        memory != nullptr ? memory + block_index().x * size : shared<ranked<T>>();
    barrier();
    for (int64_t t = thread(); t < size; t += block_threads())
      entry[t] = t < n ? ranked<T>{load(append(i, t)), t} : ranked<T>{{}, -1};
    const bool largest = p.largest;
    sort_block(entry, size, [largest](const ranked<T> &a, const ranked<T> &b) {
      return topk_precedes(a, b, largest);
    });
    for (int64_t t = thread(); t < k; t += block_threads())
      put(i, t, entry[t]);
  }

  CAMEO_DEVICE_ONLY void search_row(int64_t row) const {
    const row_team<true> team;
    const index<R1> i = unflatten(row, outer_of<R1>(p));
    const int64_t n = row_length(p), k = p.k;
    const bool largest = p.largest;
    const ranked<T> none = {{}, -1};
    const auto first = [largest](const ranked<T> &a, const ranked<T> &b) {
      return topk_precedes(b, a, largest) ? b : a;
    };
    ranked<T> last = none;
    for (int64_t place = 0; place < k; ++place) {
      ranked<T> found = none;
      for (int64_t t = team.member(); t < n; t += row_block_threads) {
        const ranked<T> v = {load(append(i, t)), t};
        if (place == 0 || topk_before(last, v, largest))
          found = first(found, v);
      }
      last = team.combine(found, none, first);
      if (team.member() == 0)
        put(i, place, last);
    }
  }
};

/// Without the bound a fused load may take more registers than 1024 threads have, and the launch
/// fails.
template <bool SORT, int THREADS, class BODY>
CAMEO_KERNEL_BOUNDS(THREADS, 1)
void topk_kernel(BODY body) {
  body.load_counts();
  const int64_t rows = row_count(body.p);
  for (int64_t row = block_index().x; row < rows; row += grid_extent().x) {
    if constexpr (SORT)
      body.sort_row(row);
    else
      body.search_row(row);
  }
}

/// Blocks that sort in scratch memory at once.
template <class P> int64_t topk_scratch_blocks(const P &p) {
  constexpr int64_t most = 64;
  if (row_length(p) <= longest_shared_sort || p.k <= most_searches)
    return 0;
  const int64_t rows = row_count(p);
  return rows < most ? rows : most;
}

/// Bytes that topk takes from e.scratch, for values of type T.
template <class T, class P> int64_t topk_scratch(const P &p, int) {
  return topk_scratch_blocks(p) * power_of_two_above(row_length(p)) *
         static_cast<int64_t>(sizeof(ranked<T>));
}

template <class P, class LOAD, class STORE_VALUE, class STORE_INDEX>
void topk(exec &e, const P &p, LOAD load, STORE_VALUE store_value, STORE_INDEX store_index) {
  static_assert(P::reduced_rank == 1);
  using body = topk_body<P, LOAD, STORE_VALUE, STORE_INDEX>;
  using T = typename body::T;
  const int64_t rows = row_count(p), n = row_length(p), k = p.k;
  (void)p.sorted;
  (void)across_rows_or(p, false); // a hint for the CPU
  if (rows <= 0 || k <= 0)
    return;
  body b = {p, power_of_two_above(n), load, store_value, store_index, nullptr};
  if (n <= longest_shared_sort) {
    e.launch(&topk_kernel<true, row_block_threads, body>, grid_for(rows, 1),
             dim3(row_block_threads), static_cast<size_t>(b.size) * sizeof(ranked<T>), b);
  } else if (k <= most_searches) {
    e.launch(&topk_kernel<false, row_block_threads, body>, grid_for(rows, 1),
             dim3(row_block_threads), sizeof(ranked<T>) * warp_threads, b);
  } else {
    b.memory = static_cast<ranked<T> *>(e.scratch(static_cast<size_t>(topk_scratch<T>(p, 1))));
    if (b.memory != nullptr)
      e.launch(&topk_kernel<true, long_sort_threads, body>,
               dim3(static_cast<unsigned>(topk_scratch_blocks(p))), dim3(long_sort_threads), 0, b);
  }
}

} // namespace cameo::cuda
