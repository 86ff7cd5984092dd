// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conv: NC[S] input, O(C/g)[S] weights, any stride, dilation, padding and group. See convolve.h.
#pragma once

#include "cameo/cuda/convolve.h"

namespace cameo::cuda {

/// Bytes that conv takes from e.scratch.
template <class X, class W, class P> int64_t conv_scratch(const P &, int) { return 0; }

template <class P> struct conv_geometry {
  static constexpr int S = P::spatial_rank;
  P p;
  CAMEO_DEVICE auto operator()() const { return convolution_of(p); }
};

template <class P, class X, class W, class STORE>
void conv(exec &e, const P &p, const X *x, const W *w, STORE store) {
  convolve(e, conv_geometry<P>{p}, x, w, store);
}

} // namespace cameo::cuda
