// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// max_roi_pool: a thread per bin.
#pragma once

#include "cameo/common/max_roi_pool.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <class P, class T, class STORE> struct max_roi_pool_call {
  P p;
  const T *x, *rois;
  STORE store;
  error_flag flag;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE auto extents() const {
    return join(index<2>{{p.regions, p.channels}}, output_of<2>(p));
  }
  CAMEO_DEVICE auto body() const { return make_max_roi_pool(p, x, rois, flag, store); }
};

template <class P, class T, class STORE>
void max_roi_pool(exec &e, const P &p, const T *x, const T *rois, STORE store) {
  for_each_call(e, max_roi_pool_call<P, T, STORE>{p, x, rois, store, e.flag()});
}

} // namespace cameo::cuda
