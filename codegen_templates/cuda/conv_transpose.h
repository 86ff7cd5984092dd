// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conv_transpose: one ordinary convolution per residue of the output modulo the stride, over the
// kernel taps that reach it. See common/convolution.h and convolve.h.
#pragma once

#include "cameo/cuda/convolve.h"

namespace cameo::cuda {

/// Bytes that conv_transpose takes from e.scratch.
template <class X, class W, class P> int64_t conv_transpose_scratch(const P &, int) { return 0; }

/// The convolution that gives the outputs with these residues.
template <class P> struct conv_transpose_geometry {
  static constexpr int S = P::spatial_rank;
  static constexpr int64_t row = outputs_apart, taps = 0;
  P p;
  index<S> residue;
  CAMEO_DEVICE auto operator()() const { return transposed_convolution_of(p, residue); }
};

template <class P, class X, class W, class STORE>
void conv_transpose(exec &e, const P &p, const X *x, const W *w, STORE store) {
  constexpr int S = P::spatial_rank;
  const index<S> stride = stride_of<S>(p);
  for (int64_t residue = 0; residue < volume(stride); ++residue)
    convolve(e, conv_transpose_geometry<P>{p, unflatten(residue, stride)}, x, w, store);
}

} // namespace cameo::cuda
