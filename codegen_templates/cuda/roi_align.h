// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// roi_align<MODE>: a thread per bin.
#pragma once

#include "cameo/common/roi_align.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <roi_align_mode MODE, class P, class T, class STORE> struct roi_align_call {
  P p;
  const T *x, *rois;
  const int64_t *batch_indices;
  STORE store;
  error_flag flag;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE auto outer() const { return index<3>{{p.regions, p.channels, output_of<2>(p)[0]}}; }
  CAMEO_DEVICE auto inner() const { return slice<1, 1>(output_of<2>(p)); }
  CAMEO_DEVICE auto body() const {
    return make_roi_align_rows<MODE>(p, x, rois, batch_indices, store, flag);
  }
};

template <roi_align_mode MODE, class P, class T, class STORE>
void roi_align(exec &e, const P &p, const T *x, const T *rois, const int64_t *batch_indices,
               STORE store) {
  for_rows_call(e, roi_align_call<MODE, P, T, STORE>{p, x, rois, batch_indices, store, e.flag()});
}

} // namespace cameo::cuda
