// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nonzero: blocks count in contiguous parts of the elements; then each adds up what is before its
// part and writes behind that, as many elements at a time as it has threads. The parts depend on
// the number of elements alone.
#pragma once

#include "cameo/cuda/cumulative.h"

namespace cameo::cuda {

constexpr int nonzero_threads = 256;

/// For how many threads of the block before this one `flag` holds; `total`: for how many of all.
/// `scratch` is shared memory for 32 counts. All threads of a block of whole warps call it.
CAMEO_DEVICE_ONLY int64_t count_before(bool flag, uint32_t *scratch, int64_t &total) {
  const uint32_t inclusive = scan_warp<combine::sum<uint32_t>>(flag ? 1u : 0u);
  barrier(); // the scratch may still be read
  if (lane() == warp_threads - 1)
    scratch[warp()] = inclusive;
  barrier();
  int64_t before = inclusive - (flag ? 1u : 0u);
  total = 0;
  for (unsigned w = 0; w < block_threads() / warp_threads; ++w) {
    if (w < warp())
      before += scratch[w];
    total += scratch[w];
  }
  return before;
}

/// How many blocks share n elements, and the elements of each but the last ones.
inline int64_t nonzero_blocks(int64_t n) {
  constexpr int64_t most = 512;
  const int64_t blocks = (n + nonzero_threads - 1) / nonzero_threads;
  return blocks < 1 ? 1 : blocks < most ? blocks : most;
}

template <int R, class LOAD> struct nonzero_body {
  index<R> shape;
  int64_t n, part; // elements of a block
  LOAD load;
  int64_t *counts, *positions, *count;

  CAMEO_DEVICE_ONLY bool holds(int64_t t, int64_t end) const {
    return t < end && load(point_of(t, n, shape));
  }
  CAMEO_DEVICE_ONLY int64_t begin() const { return block_index().x * part; }
  CAMEO_DEVICE_ONLY int64_t end() const { return begin() + part < n ? begin() + part : n; }

  CAMEO_DEVICE_ONLY void count_part() const {
    int64_t found = 0;
    for (int64_t t = begin() + thread(); t < end(); t += nonzero_threads)
      found += holds(t, end()) ? 1 : 0;
    found = block_sum(found);
    if (thread() == 0)
      counts[block_index().x] = found;
  }

  CAMEO_DEVICE_ONLY void write_part() const {
    int64_t at = 0;
    for (int64_t b = thread(); b < block_index().x; b += nonzero_threads)
      at += counts[b];
    at = block_sum(at);
    for (int64_t piece = begin(); piece < end(); piece += nonzero_threads) {
      const int64_t t = piece + thread();
      const bool found = holds(t, end());
      int64_t total;
      const int64_t before = count_before(found, shared<uint32_t>(), total);
      if (found && positions != nullptr)
        positions[at + before] = t;
      at += total;
    }
    if (thread() == 0 && block_index().x == grid_extent().x - 1)
      *count = at;
  }

private:
  CAMEO_DEVICE_ONLY static int64_t block_sum(int64_t value) {
    const row_team<true> team;
    value = team.combine(value, int64_t{0}, [](int64_t a, int64_t b) { return a + b; });
    barrier(); // the scratch is used again
    return value;
  }
};

template <class P, class LOAD> struct nonzero_call {
  P p;
  LOAD load;
  int64_t *counts, *positions, *count;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load); }
  CAMEO_DEVICE_ONLY auto body() const {
    constexpr int R = P::shape_rank;
    const index<R> shape = shape_of<R>(p);
    const int64_t n = volume(shape), blocks = grid_extent().x;
    return nonzero_body<R, LOAD>{shape,     n,    (n + blocks - 1) / blocks, load, counts,
                                 positions, count};
  }
};

template <bool WRITE, class CALL>
CAMEO_KERNEL_BOUNDS(nonzero_threads, 1)
void nonzero_kernel(CALL call) {
  call.load_counts();
  if constexpr (WRITE)
    call.body().write_part();
  else
    call.body().count_part();
}

/// Bytes that nonzero takes from e.scratch.
template <class P> int64_t nonzero_scratch(const P &p, int) {
  return nonzero_blocks(points_at_most(shape_of<P::shape_rank>(p))) *
         static_cast<int64_t>(sizeof(int64_t));
}

template <class P, class LOAD>
void nonzero(exec &e, const P &p, int64_t *positions, int64_t *count, LOAD load) {
  static_assert(nonzero_threads == row_block_threads);
  using call = nonzero_call<P, LOAD>;
  auto *counts = static_cast<int64_t *>(e.scratch(static_cast<size_t>(nonzero_scratch(p, 1))));
  if (counts == nullptr)
    return;
  const call c = {p, load, counts, positions, count};
  const dim3 grid(
      static_cast<unsigned>(nonzero_blocks(points_at_most(shape_of<P::shape_rank>(p)))));
  const size_t bytes = warp_threads * sizeof(int64_t);
  e.launch(&nonzero_kernel<false, call>, grid, dim3(nonzero_threads), bytes, c);
  e.launch(&nonzero_kernel<true, call>, grid, dim3(nonzero_threads), bytes, c);
}

} // namespace cameo::cuda
