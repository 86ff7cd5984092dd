// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pool<KIND>: a thread per output element.
#pragma once

#include "cameo/common/pool.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <pool_kind KIND, class P, class LOAD, class STORE, class STORE_INDEX = discard>
void pool(exec &e, const P &p, LOAD load, STORE store, STORE_INDEX store_index = {}) {
  constexpr int S = P::spatial_rank;
  const index<S> output = output_of<S>(p);
  for_rows(e, join(index<2>{{p.batch, p.channels}}, slice<0, S - 1>(output)),
           slice<S - 1, 1>(output), make_pool_rows<KIND>(p, load, store, store_index));
}

} // namespace cameo::cuda
