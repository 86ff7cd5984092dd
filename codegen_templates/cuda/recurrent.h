// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lstm, gru, rnn: the equations of common/recurrent.h on this target's gemm and for_each.
#pragma once

#include "cameo/cuda/for_each.h"
#include "cameo/cuda/gemm.h"

#include "cameo/common/recurrent.h"

namespace cameo::cuda {

/// The steps of a loop take no scratch here.
template <class F> void with_scratch(exec &, F f) { f(); }

/// The inputs of all steps, of weights that never lie in blocks here.
template <class P, class PRODUCT, class T, class STORE>
CAMEO_INLINE void multiply_inputs(exec &e, const P &, const PRODUCT &product, const T *x,
                                  const T *w, const STORE &store) {
  gemm(e, product, x, w, store);
}

/// The operands of a step; number `s` changes nothing here.
template <class P, class A, class T, class STORE>
CAMEO_INLINE void multiply_states(exec &e, const P &p, int64_t, const A *h, const T *r,
                                  const STORE &store) {
  gemm(e, p, h, r, store);
}

/// Bytes of scratch for a layer of `gates` gates.
template <class T, class P> int64_t recurrent_scratch(const P &p, int64_t gates) {
  using A = accumulator_t<T>;
  return recurrent::memory<A>::elements(recurrent::layer_of(p, gates)) *
         static_cast<int64_t>(sizeof(A));
}

/// Bytes that lstm, gru and rnn take from e.scratch for tensors of type T.
template <class T, class P> int64_t lstm_scratch(const P &p, int) {
  return recurrent_scratch<T>(p, 4);
}
template <class T, class P> int64_t gru_scratch(const P &p, int) {
  return recurrent_scratch<T>(p, 3);
}
template <class T, class P> int64_t rnn_scratch(const P &p, int) {
  return recurrent_scratch<T>(p, 1);
}

template <class P, class... A> void lstm(exec &e, const P &p, A... a) {
  recurrent::lstm(e, e.flag(), p, a...);
}
template <class P, class... A> void gru(exec &e, const P &p, A... a) {
  recurrent::gru(e, e.flag(), p, a...);
}
template <class P, class... A> void rnn(exec &e, const P &p, A... a) {
  recurrent::rnn(e, e.flag(), p, a...);
}

} // namespace cameo::cuda
