// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linear_attention: a thread per column of a head's values. The states lie in scratch memory, so
// that neighbouring threads read neighbouring elements.
#pragma once

#include "cameo/common/linear_attention.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <class BODY> struct linear_attention_column {
  BODY body;
  float *states;

  CAMEO_DEVICE void operator()(const index<3> &i) const {
    const int64_t size = body.p.value_size;
    float *const state = states + (i[0] * body.p.heads + i[1]) * body.p.key_size * size + i[2];
    body({i[0], i[1], i[2], 1}, state, size);
  }
};

template <class P, class T, class S, class STORE, class STORE_STATE> struct linear_attention_call {
  P p;
  const T *query, *key, *value;
  const S *past;
  const float *decay;
  const T *rate;
  STORE store;
  STORE_STATE store_state;
  float *states;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store, store_state); }
  CAMEO_DEVICE index<3> extents() const { return {{p.batch, p.heads, p.value_size}}; }
  CAMEO_DEVICE auto body() const {
    using body = linear_attention_body<1, P, T, S, STORE, STORE_STATE>;
    return linear_attention_column<body>{
        {p, {query, key, value, past, decay, rate}, store, store_state}, states};
  }
};

/// Bytes that linear_attention takes from e.scratch.
template <class P> int64_t linear_attention_scratch(const P &p, int) {
  return p.batch * p.heads * p.key_size * p.value_size * static_cast<int64_t>(sizeof(float));
}

template <class P, class T, class S, class STORE, class STORE_STATE>
void linear_attention(exec &e, const P &p, const T *query, const T *key, const T *value,
                      const S *past, const float *decay, const T *rate, STORE store,
                      STORE_STATE store_state) {
  auto *states =
      static_cast<float *>(e.scratch(static_cast<size_t>(linear_attention_scratch(p, 1))));
  if (states != nullptr || p.key_size == 0)
    for_each_call(e, linear_attention_call<P, T, S, STORE, STORE_STATE>{
                         p, query, key, value, past, decay, rate, store, store_state, states});
}

} // namespace cameo::cuda
