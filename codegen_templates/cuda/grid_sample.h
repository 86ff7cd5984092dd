// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// grid_sample<MODE, PADDING>: a thread per output element.
#pragma once

#include "cameo/common/grid_sample.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

/// Bytes that grid_sample takes from e.scratch.
template <resize_mode MODE, class T, class P> int64_t grid_sample_scratch(const P &, int) {
  return 0;
}

template <resize_mode MODE, grid_padding PADDING, class P, class T, class G, class STORE>
struct grid_sample_call {
  P p;
  const T *x;
  const G *grid;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE auto extents() const {
    return join(index<2>{{p.batch, p.channels}}, output_of<P::spatial_rank>(p));
  }
  CAMEO_DEVICE auto body() const { return make_grid_sample<MODE, PADDING>(p, x, grid, store); }
};

template <resize_mode MODE, grid_padding PADDING, class P, class T, class G, class STORE>
void grid_sample(exec &e, const P &p, const T *x, const G *grid, STORE store) {
  for_each_call(e, grid_sample_call<MODE, PADDING, P, T, G, STORE>{p, x, grid, store});
}

} // namespace cameo::cuda
