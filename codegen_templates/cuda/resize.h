// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// resize<MODE>: a thread per output element.
#pragma once

#include "cameo/common/resize.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

/// Bytes that resize takes from e.scratch.
template <resize_mode MODE, class T, class P> int64_t resize_scratch(const P &, int) { return 0; }

template <resize_mode MODE, class P, class T, class STORE> struct resize_call {
  static constexpr int R = P::rank;
  P p;
  const T *x;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE auto outer() const { return slice<0, R - 1>(output_of<R>(p)); }
  CAMEO_DEVICE auto inner() const { return slice<R - 1, 1>(output_of<R>(p)); }
  CAMEO_DEVICE auto body() const { return make_resize_rows<MODE>(p, x, store); }
};

template <resize_mode MODE, class P, class T, class STORE>
void resize(exec &e, const P &p, const T *x, STORE store) {
  for_rows_call(e, resize_call<MODE, P, T, STORE>{p, x, store});
}

} // namespace cameo::cuda
