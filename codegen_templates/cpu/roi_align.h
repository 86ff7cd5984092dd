// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// roi_align<MODE>: the samples' rows are found once per row of bins.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/roi_align.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <roi_align_mode MODE, class P, class T, class STORE>
void roi_align(exec &e, const P &p, const T *x, const T *rois, const int64_t *batch_indices,
               STORE store) {
  const index<2> output = output_of<2>(p);
  for_rows(e, index<3>{{p.regions, p.channels, output[0]}}, index<1>{{output[1]}},
           make_roi_align_rows<MODE>(p, x, rois, batch_indices, store, e.flag()));
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
