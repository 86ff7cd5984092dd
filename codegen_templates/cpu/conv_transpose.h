// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conv_transpose: one ordinary convolution per residue of the output modulo the stride, over the
// kernel taps that reach it. See common/convolution.h and convolve.h.
#pragma once

#include "cameo/cpu/convolve.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Bytes that conv_transpose takes from e.scratch for operands of types X and W.
template <class X, class W, class P> int64_t conv_transpose_scratch(const P &p, int threads) {
  constexpr int S = P::spatial_rank;
  const index<S> stride = stride_of<S>(p);
  int64_t bytes = 0; // a bump allocator: the residues' needs add up
  walk(stride, 0, volume(stride), [&](const index<S> &residue) {
    bytes +=
        (convolve_scratch<X, W>(transposed_convolution_of(p, residue), threads) + 63) / 64 * 64;
  });
  return bytes;
}

template <class P, class X, class W, class STORE>
void conv_transpose(exec &e, const P &p, const X *x, const W *w, STORE store) {
  constexpr int S = P::spatial_rank;
  const index<S> stride = stride_of<S>(p);
  walk(stride, 0, volume(stride), [&](const index<S> &residue) {
    convolve(e, transposed_convolution_of(p, residue), x, w, store);
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
