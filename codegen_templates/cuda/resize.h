// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// resize<MODE>: a thread per output element.
#pragma once

#include "cameo/common/resize.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <resize_mode MODE, class P, class T, class STORE>
void resize(exec &e, const P &p, const T *x, STORE store) {
  constexpr int R = P::rank;
  const index<R> output = output_of<R>(p);
  for_rows(e, slice<0, R - 1>(output), slice<R - 1, 1>(output),
           make_resize_rows<MODE>(p, x, store));
}

} // namespace cameo::cuda
