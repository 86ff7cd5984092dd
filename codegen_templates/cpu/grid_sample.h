// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// grid_sample<MODE, PADDING>: element by element.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/grid_sample.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <resize_mode MODE, grid_padding PADDING, class P, class T, class G, class STORE>
void grid_sample(exec &e, const P &p, const T *x, const G *grid, STORE store) {
  for_each(e, join(index<2>{{p.batch, p.channels}}, output_of<P::spatial_rank>(p)),
           make_grid_sample<MODE, PADDING>(p, x, grid, store));
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
