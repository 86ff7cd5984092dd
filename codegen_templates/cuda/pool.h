// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pool<KIND>: a thread per output element.
#pragma once

#include "cameo/common/pool.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <pool_kind KIND, class P, class LOAD, class STORE, class STORE_INDEX> struct pool_call {
  static constexpr int S = P::spatial_rank;
  P p;
  LOAD load;
  STORE store;
  STORE_INDEX store_index;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store, store_index); }
  CAMEO_DEVICE auto outer() const {
    return join(index<2>{{p.batch, p.channels}}, slice<0, S - 1>(output_of<S>(p)));
  }
  CAMEO_DEVICE auto inner() const { return slice<S - 1, 1>(output_of<S>(p)); }
  CAMEO_DEVICE auto body() const { return make_pool_rows<KIND>(p, load, store, store_index); }
};

template <pool_kind KIND, class P, class LOAD, class STORE, class STORE_INDEX = discard>
void pool(exec &e, const P &p, LOAD load, STORE store, STORE_INDEX store_index = {}) {
  CAMEO_DEPTH(volume(kernel_of<P::spatial_rank>(p)));
  for_rows_call(e, pool_call<KIND, P, LOAD, STORE, STORE_INDEX>{p, load, store, store_index});
}

} // namespace cameo::cuda
