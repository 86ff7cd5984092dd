// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// det: a thread per matrix.
#pragma once

#include "cameo/common/det.h"
#include "cameo/common/params.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <class T, class STORE, int R> struct det_body {
  det_matrices<T> matrices;
  accumulator_t<T> *memory;
  STORE store;
  index<R> batch;

  CAMEO_DEVICE void operator()(const index<1> &i) const {
    const int64_t elements = matrices.size * matrices.size;
    store(unflatten(i[0], batch), matrices(i[0], memory + i[0] * elements));
  }
};

template <class P, class T, class STORE> struct det_call {
  static constexpr int R = P::batch_rank;
  P p;
  const T *x;
  accumulator_t<T> *memory;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE index<1> extents() const { return {{volume(batch_of<R>(p))}}; }
  CAMEO_DEVICE auto body() const {
    return det_body<T, STORE, R>{{x, p.size}, memory, store, batch_of<R>(p)};
  }
};

/// Bytes that det takes from e.scratch for matrices of T.
template <class T, class P> int64_t det_scratch(const P &p, int) {
  return volume(batch_of<P::batch_rank>(p)) * p.size * p.size *
         static_cast<int64_t>(sizeof(accumulator_t<T>));
}

template <class P, class T, class STORE> void det(exec &e, const P &p, const T *x, STORE store) {
  auto *memory =
      static_cast<accumulator_t<T> *>(e.scratch(static_cast<size_t>(det_scratch<T>(p, 1))));
  if (memory != nullptr || p.size == 0)
    for_each_call(e, det_call<P, T, STORE>{p, x, memory, store});
}

} // namespace cameo::cuda
