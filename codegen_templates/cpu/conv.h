// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conv: NC[S] input, O(C/g)[S] weights, any stride, dilation, padding and group. See convolve.h.
#pragma once

#include "cameo/cpu/convolve.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Bytes that conv takes from e.scratch for operands of types X and W.
template <class X, class W, class P> int64_t conv_scratch(const P &p, int threads) {
  return convolve_scratch<X, W>(convolution_of(p), threads);
}

template <class P, class X, class W, class STORE>
void conv(exec &e, const P &p, const X *x, const W *w, STORE store) {
  convolve(e, convolution_of(p), x, w, store);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
