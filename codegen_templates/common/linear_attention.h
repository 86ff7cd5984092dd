// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linear_attention: a head's state, followed over its tokens. Columns of values do not depend on
// each other; the targets differ in how many they take at once, and where the state is.
#pragma once

#include "cameo/common/types.h"
#include "cameo/index.h"

namespace cameo {

template <class T, class S> struct linear_attention_operands {
  const T *query, *key, *value;
  const S *past;
  const float *decay;
  const T *rate;
};

/// Neighbouring columns of one head of one entry of the batch.
struct linear_attention_columns {
  int64_t batch, head, first, count;
};

/// Up to WIDTH columns at a time.
template <int WIDTH, class P, class T, class S, class STORE, class STORE_STATE>
struct linear_attention_body {
  P p;
  linear_attention_operands<T, S> from;
  STORE store;
  STORE_STATE store_state;

  /// Row d of `state`, which is memory for the columns, is at d * stride.
  CAMEO_DEVICE void operator()(const linear_attention_columns &of, float *state,
                               int64_t stride) const {
    const int64_t keys = (of.batch * p.heads + of.head) * p.key_size;
    for (int64_t d = 0; d < p.key_size; ++d)
      for (int64_t c = 0; c < of.count; ++c)
        state[d * stride + c] =
            from.past == nullptr ? 0.0f
                                 : cast<float>(from.past[(keys + d) * p.value_size + of.first + c]);
    for (int64_t t = 0; t < p.tokens; ++t) {
      update(of, t, state, stride);
      for (int64_t query = of.head * p.shared; query < (of.head + 1) * p.shared; ++query)
        answer(of, t, query, state, stride);
    }
    for (int64_t d = 0; d < p.key_size; ++d)
      for (int64_t c = 0; c < of.count; ++c)
        store_state(index<4>{{of.batch, of.head, d, of.first + c}}, state[d * stride + c]);
  }

private:
  CAMEO_DEVICE void update(const linear_attention_columns &of, int64_t t, float *state,
                           int64_t stride) const {
    const int64_t token = of.batch * p.tokens + t, place = token * p.heads + of.head;
    const T *key = from.key + place * p.key_size;
    const T *value = from.value + place * p.value_size + of.first;
    float row[array_size(WIDTH)];
    for (int64_t c = 0; c < of.count; ++c)
      row[c] = 0;
    for (int64_t d = 0; d < p.key_size; ++d) {
      const float k = cast<float>(key[d]), kept = decay(place, d);
      for (int64_t c = 0; c < of.count; ++c) {
        state[d * stride + c] *= kept;
        row[c] += k * state[d * stride + c];
      }
    }
    if (from.rate == nullptr) {
      for (int64_t c = 0; c < of.count; ++c)
        row[c] = cast<float>(value[c]);
    } else {
      const float rate = cast<float>(from.rate[token * p.rates + (p.rates == 1 ? 0 : of.head)]);
      for (int64_t c = 0; c < of.count; ++c)
        row[c] = rate * (cast<float>(value[c]) - row[c]);
    }
    for (int64_t d = 0; d < p.key_size; ++d) {
      const float k = cast<float>(key[d]);
      for (int64_t c = 0; c < of.count; ++c)
        state[d * stride + c] += k * row[c];
    }
  }

  CAMEO_DEVICE float decay(int64_t place, int64_t d) const {
    return from.decay == nullptr ? 1.0f : from.decay[place * p.decays + (p.decays == 1 ? 0 : d)];
  }

  CAMEO_DEVICE void answer(const linear_attention_columns &of, int64_t t, int64_t query,
                           const float *state, int64_t stride) const {
    const int64_t token = of.batch * p.tokens + t;
    const T *q = from.query + (token * p.heads * p.shared + query) * p.key_size;
    float row[array_size(WIDTH)];
    for (int64_t c = 0; c < of.count; ++c)
      row[c] = 0;
    for (int64_t d = 0; d < p.key_size; ++d) {
      const float x = cast<float>(q[d]);
      for (int64_t c = 0; c < of.count; ++c)
        row[c] += x * state[d * stride + c];
    }
    for (int64_t c = 0; c < of.count; ++c)
      store(index<4>{{of.batch, t, query, of.first + c}}, row[c]);
  }
};

} // namespace cameo
