// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pool<KIND>: the window of all coordinates but the last is found once per row.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/pool.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <pool_kind KIND, class P, class LOAD, class STORE, class STORE_INDEX = discard>
void pool(exec &e, const P &p, LOAD load, STORE store, STORE_INDEX store_index = {}) {
  constexpr int S = P::spatial_rank;
  const index<S> output = output_of<S>(p);
  for_rows(e, join(index<2>{{p.batch, p.channels}}, slice<0, S - 1>(output)),
           slice<S - 1, 1>(output), make_pool_rows<KIND>(p, load, store, store_index));
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
