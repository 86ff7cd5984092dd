// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixed order in which one row of values is combined on the device: a team of threads per row,
// a warp when the row is short, a block of 256 when it is long; thread t takes the values t, t +
// team,
// ... in turn, then warps are folded by halves and so are their results. Which team works depends
// on the length of the row alone.
#pragma once

#include "cameo/common/params.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

constexpr int64_t longest_warp_row = 1024;
constexpr int row_block_threads = 256;

/// The threads that share a row. Every function but the first three is called by all of them.
template <bool WIDE> class row_team {
public:
  static constexpr int threads = WIDE ? row_block_threads : warp_threads;

  CAMEO_DEVICE_ONLY int64_t first_row() const {
    return WIDE ? int64_t{block_index().x} : grid_thread() / warp_threads;
  }
  CAMEO_DEVICE_ONLY int64_t row_stride() const {
    return WIDE ? int64_t{grid_extent().x} : grid_threads() / warp_threads;
  }
  CAMEO_DEVICE_ONLY int member() const { return static_cast<int>(WIDE ? thread() : lane()); }

  /// Combines one value per member; member 0 has the result, on which all members agree when
  /// `combine` is symmetric.
  template <class T, class COMBINE>
  CAMEO_DEVICE_ONLY T combine(T value, T identity, COMBINE combine) const {
    if constexpr (WIDE) {
      barrier(); // the scratch may still be read
      return block_reduce(value, identity, combine, shared<T>());
    } else {
      (void)identity;
      return warp_reduce(value, combine);
    }
  }

  /// Waits for the other members; orders what they did in global memory.
  CAMEO_DEVICE_ONLY void sync() const {
    if constexpr (WIDE)
      barrier();
    else
      warp_barrier();
  }
};

/// Combines n values with COMBINE::apply; value(t) gives the t-th. All members get the result.
template <class COMBINE, class TEAM, class V>
CAMEO_DEVICE_ONLY typename COMBINE::type reduce_row(const TEAM &team, int64_t n, const V &value) {
  using type = typename COMBINE::type;
  type acc = COMBINE::identity();
  for (int64_t t = team.member(); t < n; t += TEAM::threads)
    acc = COMBINE::apply(acc, value(t));
  return team.combine(acc, COMBINE::identity(),
                      [](type a, type b) { return COMBINE::apply(a, b); });
}

template <bool WIDE, class BODY> CAMEO_KERNEL void rows_kernel(BODY body) {
  body.load_counts();
  const row_team<WIDE> team;
  const int64_t rows = row_count(body.p);
  for (int64_t row = team.first_row(); row < rows; row += team.row_stride())
    body(team, row);
}

/// Calls body(team, row) for every row of body.p. Teams have 16 bytes of shared memory a warp.
/// Where the length of a row is counted, the most that it can be decides which team works.
template <class BODY> void for_each_row(exec &e, const BODY &body) {
  const int64_t rows = row_count(body.p);
  if (rows <= 0)
    return;
  const int64_t length = row_length(body.p);
  if (length <= longest_warp_row) {
    CAMEO_DEPTH((length + row_team<false>::threads - 1) / row_team<false>::threads);
    e.launch(&rows_kernel<false, BODY>, grid_for(rows, element_threads / warp_threads),
             dim3(element_threads), 0, body);
  } else {
    CAMEO_DEPTH((length + row_team<true>::threads - 1) / row_team<true>::threads);
    e.launch(&rows_kernel<true, BODY>, grid_for(rows, 1), dim3(row_block_threads),
             16 * warp_threads, body);
  }
}

} // namespace cameo::cuda
