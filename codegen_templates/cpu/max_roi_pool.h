// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// max_roi_pool: bin by bin.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/max_roi_pool.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <class P, class T, class STORE>
void max_roi_pool(exec &e, const P &p, const T *x, const T *rois, STORE store) {
  for_each(e, join(index<2>{{p.regions, p.channels}}, output_of<2>(p)),
           make_max_roi_pool(p, x, rois, e.flag(), store));
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
