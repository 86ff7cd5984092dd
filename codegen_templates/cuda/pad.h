// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pad<MODE>: a thread per output element.
#pragma once

#include "cameo/common/pad.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <pad_mode MODE, class P, class T, class VALUE, class STORE> struct pad_call {
  static constexpr int R = P::rank;
  P p;
  const T *x;
  VALUE value;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, value, store); }
  CAMEO_DEVICE auto outer() const { return slice<0, R - 1>(output_of<R>(p)); }
  CAMEO_DEVICE auto inner() const { return slice<R - 1, 1>(output_of<R>(p)); }
  CAMEO_DEVICE auto body() const { return make_pad_rows<MODE>(p, x, value, store); }
};

template <pad_mode MODE, class P, class T, class VALUE, class STORE>
void pad(exec &e, const P &p, const T *x, VALUE value, STORE store) {
  for_rows_call(e, pad_call<MODE, P, T, VALUE, STORE>{p, x, value, store});
}

} // namespace cameo::cuda
