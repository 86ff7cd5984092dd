// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lstm, gru, rnn: the equations of common/recurrent.h on this target's gemm and for_each.
#pragma once

#include "cameo/cpu/for_each.h"
#include "cameo/cpu/gemm.h"
#include "cameo/cpu/turn.h"

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
    gemm_blocked_batches(e, product, batch_of<1>(product), a_batch_stride_of<1>(product),
                         elements_of_blocks(product), x, w, store);
  else
    gemm(e, product, x, w, store);
}

/// The matrix of a layer's steps: as the model has it and, where a step has more sequences than dot
/// products take, in blocks of columns, which all steps share.
template <class T> struct state_weights {
  const T *rows;
  const float *blocks; // or null
};

template <class A, class T, class LAYER> CAMEO_INLINE bool shares_blocks(const LAYER &l) {
  return std::is_same_v<A, float> && std::is_same_v<T, float> && l.batch > dot_rows && l.seq > 1 &&
         l.hidden % column_block == 0;
}
template <class LAYER> CAMEO_INLINE int64_t elements_of_states(const LAYER &l) {
  return l.directions * l.gates * l.hidden * l.hidden;
}

template <class LAYER, class A, class T>
CAMEO_INLINE state_weights<T> hold_weights(exec &e, const LAYER &l, const A *, const T *r) {
  if constexpr (std::is_same_v<A, float> && std::is_same_v<T, float>)
    if (shares_blocks<A, T>(l)) {
      const int64_t block = column_block * l.hidden;
      auto *const blocks = static_cast<float *>(
          e.scratch(static_cast<size_t>(elements_of_states(l)) * sizeof(float)));
      if (blocks != nullptr)
        parallel_range(e, elements_of_states(l) / block, block, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin * block; i < end * block; i += block)
            turn(r + i, l.hidden, column_block, l.hidden, blocks + i, column_block);
        });
      return {r, blocks};
    }
  return {r, nullptr};
}

/// Step `s` by the gates from `first` on. Every other step reads rows from their end: a matrix that
/// is larger than a cache, read from one end only, is never found there, while the part that the
/// step before has read last is.
template <class P, class A, class T, class STORE>
CAMEO_INLINE void multiply_states(exec &e, const P &p, int64_t s, const A *h,
                                  const state_weights<T> &weights, int64_t first,
                                  const STORE &store) {
  const int64_t skipped = first * p.k * p.k;
  if constexpr (std::is_same_v<A, float> && std::is_same_v<T, float>)
    if (weights.blocks != nullptr)
      return gemm_blocked_batches(e, p, batch_of<1>(p), a_batch_stride_of<1>(p),
                                  p.b_batch_stride[0], h, weights.blocks + skipped, store);
  gemm_from(e, p, h, weights.rows + skipped, store, /*backwards=*/s % 2 != 0);
}

/// Bytes of scratch for a layer of `gates` gates, of which a step multiplies at most `at_once`.
template <class T, class P>
int64_t recurrent_scratch(const P &p, int64_t gates, int64_t at_once, int threads) {
  using A = accumulator_t<T>;
  const auto l = recurrent::layer_of(p, gates);
  const int64_t own = recurrent::memory<A>::elements(l) * static_cast<int64_t>(sizeof(A));
  const int64_t step = gemm_scratch<A, T>(recurrent::state_product(l, at_once), threads) +
                       gemm_scratch<A, T>(recurrent::state_product(l, 1), threads);
  const int64_t blocks = shares_blocks<A, T>(l) ? elements_of_states(l) : 0;
  return (own + 63) / 64 * 64 + gemm_scratch<T, T>(recurrent::input_product(l), threads) + step +
         blocks * static_cast<int64_t>(sizeof(float)) + 4 * 64;
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
