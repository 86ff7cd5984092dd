// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// roi_align<MODE>: a thread per bin.
#pragma once

#include "cameo/common/roi_align.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

/// Bytes that roi_align takes from e.scratch.
template <class T, class P> int64_t roi_align_scratch(const P &, int) { return 0; }

template <class IMAGES, class STORE> struct roi_align_body {
  IMAGES images;
  STORE store;

  CAMEO_DEVICE void operator()(const index<4> &i) const {
    const int64_t image = images.image_of(i[0]);
    const auto rows = images.axis(i[0], 0).samples(i[2]),
               columns = images.axis(i[0], 1).samples(i[3]);
    if (image < 0)
      store(i, typename IMAGES::A{0});
    else
      store(i, images.pool(images.plane(image, i[1]), rows, rows, columns, columns));
  }
};

template <roi_align_mode MODE, class P, class T, class STORE> struct roi_align_call {
  P p;
  const T *x, *rois;
  const int64_t *batch_indices;
  STORE store;
  error_flag flag;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE auto extents() const {
    return join(index<2>{{p.regions, p.channels}}, output_of<2>(p));
  }
  CAMEO_DEVICE auto body() const {
    auto images = make_roi_align<MODE>(p, x, rois, batch_indices, flag);
    return roi_align_body<decltype(images), STORE>{images, store};
  }
};

template <roi_align_mode MODE, class P, class T, class STORE>
void roi_align(exec &e, const P &p, const T *x, const T *rois, const int64_t *batch_indices,
               STORE store) {
  for_each_call(e, roi_align_call<MODE, P, T, STORE>{p, x, rois, batch_indices, store, e.flag()});
}

} // namespace cameo::cuda
