// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conv: NC[S] input, O(C/g)[S] weights, any stride, dilation, padding and group. See convolve.h.
#pragma once

#include "cameo/cuda/convolve.h"

namespace cameo::cuda {

/// Bytes that conv takes from e.scratch.
template <class X, class W, class P> int64_t conv_scratch(const P &, int) { return 0; }

/// The pixels of a row of outputs, where they are a constant.
template <class P> constexpr int64_t known_row() {
  if constexpr (CAMEO_IS_STATIC(P, output))
    return P::output[P::spatial_rank - 1];
  else
    return unknown_row;
}

/// The taps of a window, 0 where they are no constant.
template <class P> constexpr int64_t known_taps() {
  constexpr int S = P::spatial_rank;
  if constexpr (CAMEO_IS_STATIC(P, kernel))
    return volume(params::copy<index<S>, S>(P::kernel));
  else
    return 0;
}

template <class P> struct conv_geometry {
  static constexpr int S = P::spatial_rank;
  static constexpr int64_t row = known_row<P>(), taps = known_taps<P>();
  P p;
  CAMEO_DEVICE auto operator()() const { return convolution_of(p); }
};

template <class P, class X, class W, class STORE>
void conv(exec &e, const P &p, const X *x, const W *w, STORE store) {
  convolve(e, conv_geometry<P>{p}, x, w, store);
}

} // namespace cameo::cuda
