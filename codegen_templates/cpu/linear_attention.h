// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linear_attention: threads share heads, and blocks of columns of each, whose state stays in the
// nearest cache.
#pragma once

#include "cameo/cpu/parallel.h"

#include "cameo/common/linear_attention.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

constexpr int linear_attention_width = has_small_stack ? 8 : 64;

/// Bytes that linear_attention takes from e.scratch.
template <class P> int64_t linear_attention_scratch(const P &p, int threads) {
  return threads * p.key_size * linear_attention_width * static_cast<int64_t>(sizeof(float));
}

template <class P, class T, class S, class STORE, class STORE_STATE>
void linear_attention(exec &e, const P &p, const T *query, const T *key, const T *value,
                      const S *past, const float *decay, const T *rate, STORE store,
                      STORE_STATE store_state) {
  constexpr int64_t width = linear_attention_width;
  const linear_attention_body<linear_attention_width, P, T, S, STORE, STORE_STATE> body = {
      p, {query, key, value, past, decay, rate}, store, store_state};
  const index<3> parts = {{p.batch, p.heads, ceil_div(p.value_size, width)}};
  auto *memory = static_cast<float *>(
      e.scratch(static_cast<size_t>(linear_attention_scratch(p, e.threads()))));
  if (volume(parts) == 0 || (memory == nullptr && p.key_size > 0))
    return;
  const int64_t work = volume(parts) * (p.tokens + 1) * p.key_size * width;
  e.parallel_if(volume(parts) > 1 && work >= parallel_threshold, [&](int thread, int threads) {
    const span own = share(volume(parts), thread, threads);
    walk(parts, own.begin, own.end, [&](const index<3> &i) {
      const int64_t first = i[2] * width, left = p.value_size - first;
      body({i[0], i[1], first, left < width ? left : width}, memory + thread * p.key_size * width,
           width);
    });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
