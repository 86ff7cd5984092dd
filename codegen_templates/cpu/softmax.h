// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax<LOG>: rows that fit a small buffer on the stack are loaded once, longer ones once per
// pass; the arithmetic is the same.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/params.h"
#include "cameo/common/types.h"
#include "cameo/cpu/lanes.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Values of a row that softmax and normalize keep on the stack.
constexpr int64_t row_buffer = 2048;

/// Copies the n <= row_buffer values of a row, converted, to `buffer`.
template <class A, int R2, class V>
CAMEO_INLINE void fill_row(const index<R2> &reduced, int64_t n, A *buffer, const V &value) {
  for_runs(reduced, 0, n, [&](const index<R2 - 1> &k, int64_t t, int64_t begin, int64_t end) {
    CAMEO_INDEPENDENT
    for (int64_t j = begin; j < end; ++j)
      buffer[t + j - begin] = value(append(k, j));
  });
}

/// Calls store(i..., k..., value(t, index<R2> k)) for the values of a row.
template <int R1, int R2, class V, class STORE>
CAMEO_INLINE void store_row(const index<R1> &i, const index<R2> &reduced, int64_t n, const V &value,
                            const STORE &store) {
  for_runs(reduced, 0, n, [&](const index<R2 - 1> &k, int64_t t, int64_t begin, int64_t end) {
    CAMEO_INDEPENDENT
    for (int64_t j = begin; j < end; ++j) {
      const index<R2> at = append(k, j);
      store(join(i, at), value(t + j - begin, at));
    }
  });
}

/// One row out of a buffer; the exponentials replace the values.
template <bool LOG, class A, int R1, int R2, class STORE>
CAMEO_INLINE void softmax_buffered(const index<R1> &i, const index<R2> &reduced, int64_t n, A *x,
                                   const STORE &store) {
  const index<1> flat = {{n}};
  const A m = reduce_row<combine::max<A>>(flat, n, [&](const index<1> &t) { return x[t[0]]; });
  if constexpr (LOG) {
    const A s = reduce_row<combine::sum<A>>(
        flat, n, [&](const index<1> &t) { return exp(sub(x[t[0]], m)); });
    const A log_s = log(s);
    store_row(
        i, reduced, n, [&](int64_t t, const index<R2> &) { return sub(sub(x[t], m), log_s); },
        store);
  } else {
    CAMEO_INDEPENDENT
    for (int64_t t = 0; t < n; ++t)
      x[t] = exp(sub(x[t], m));
    const A s = reduce_row<combine::sum<A>>(flat, n, [&](const index<1> &t) { return x[t[0]]; });
    store_row(
        i, reduced, n, [&](int64_t t, const index<R2> &) { return div(x[t], s); }, store);
  }
}

template <bool LOG, class P, class LOAD, class STORE>
void softmax(exec &e, const P &p, LOAD load, STORE store) {
  constexpr int R1 = P::outer_rank, R2 = P::reduced_rank;
  using A = accumulator_t<loaded_t<LOAD, index<R1 + R2>>>;
  const index<R1> outer = outer_of<R1>(p);
  const index<R2> reduced = reduced_of<R2>(p);
  const int64_t n = volume(reduced);
  if (n <= 0)
    return;
  parallel_range(e, volume(outer), n * 8, [&](int64_t begin, int64_t end) {
    walk(outer, begin, end, [&](const index<R1> &i) {
      const auto value = [&](const index<R2> &k) { return cast<A>(load(join(i, k))); };
      if (n <= row_buffer) {
        alignas(64) A x[row_buffer];
        fill_row(reduced, n, x, value);
        softmax_buffered<LOG>(i, reduced, n, x, store);
        return;
      }
      const A m = reduce_row<combine::max<A>>(reduced, n, value);
      const A s = reduce_row<combine::sum<A>>(
          reduced, n, [&](const index<R2> &k) { return exp(sub(value(k), m)); });
      const A log_s = log(s);
      store_row(
          i, reduced, n,
          [&](int64_t, const index<R2> &k) {
            return LOG ? sub(sub(value(k), m), log_s) : div(exp(sub(value(k), m)), s);
          },
          store);
    });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
