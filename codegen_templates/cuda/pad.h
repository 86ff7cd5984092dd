// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pad<MODE>: a thread per output element.
#pragma once

#include "cameo/common/pad.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <pad_mode MODE, class P, class T, class STORE>
void pad(exec &e, const P &p, const T *x, T value, STORE store) {
  constexpr int R = P::rank;
  const index<R> output = output_of<R>(p);
  for_rows(e, slice<0, R - 1>(output), slice<R - 1, 1>(output),
           make_pad_rows<MODE>(p, x, value, store));
}

} // namespace cameo::cuda
