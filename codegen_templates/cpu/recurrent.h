// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lstm, gru, rnn: the equations of common/recurrent.h on this target's gemm and for_each.
#pragma once

#include "cameo/cpu/for_each.h"
#include "cameo/cpu/gemm.h"

#include "cameo/common/recurrent.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Gives back at its end the scratch that f takes: the steps of a loop reuse it.
template <class F> CAMEO_INLINE void with_scratch(exec &e, F f) {
  access_scope scope(e, "step", {});
  f();
}

/// The inputs of all steps.
template <class P, class PRODUCT, class T, class STORE>
CAMEO_INLINE void multiply_inputs(exec &e, const P &, const PRODUCT &product, const T *x,
                                  const T *w, const STORE &store) {
  if constexpr (w_in_blocks_v<P>)
    gemm_blocked_batches(e, product, batch_of<1>(product), a_batch_stride_of<1>(product), x, w,
                         store);
  else
    gemm(e, product, x, w, store);
}

/// The operands of step `s`. Every other step reads the matrix from its end: a matrix that is
/// larger than a cache, read from one end only, is never found there, while the part that the step
/// before has read last is.
template <class P, class A, class T, class STORE>
CAMEO_INLINE void multiply_states(exec &e, const P &p, int64_t s, const A *h, const T *r,
                                  const STORE &store) {
  gemm_from(e, p, h, r, store, /*backwards=*/s % 2 != 0);
}

/// Bytes of scratch for a layer of `gates` gates, of which a step multiplies at most `at_once`.
template <class T, class P>
int64_t recurrent_scratch(const P &p, int64_t gates, int64_t at_once, int threads) {
  using A = accumulator_t<T>;
  const auto l = recurrent::layer_of(p, gates);
  const int64_t own = recurrent::memory<A>::elements(l) * static_cast<int64_t>(sizeof(A));
  const int64_t step = gemm_scratch<A, T>(recurrent::state_product(l, at_once), threads) +
                       gemm_scratch<A, T>(recurrent::state_product(l, 1), threads);
  return (own + 63) / 64 * 64 + gemm_scratch<T, T>(recurrent::input_product(l), threads) + step +
         3 * 64;
}

/// Bytes that lstm, gru and rnn take from e.scratch for tensors of type T.
template <class T, class P> int64_t lstm_scratch(const P &p, int threads) {
  return recurrent_scratch<T>(p, 4, 4, threads);
}
template <class T, class P> int64_t gru_scratch(const P &p, int threads) {
  return recurrent_scratch<T>(p, 3, 2, threads);
}
template <class T, class P> int64_t rnn_scratch(const P &p, int threads) {
  return recurrent_scratch<T>(p, 1, 1, threads);
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

} // namespace CAMEO_ISA
} // namespace cameo::cpu
