// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm: the tiles of multiply.h over row-major operands, converted to the accumulator's type as
// they are loaded.
#pragma once

#include "cameo/common/params.h"
#include "cameo/cuda/multiply.h"
#include "cameo/cuda/wide.h"

namespace cameo::cuda {

/// Where the operand of a batch begins, from that of the first one on.
template <int R>
CAMEO_DEVICE_ONLY int64_t batch_offset(const index<R> &batch, const index<R> &stride) {
  int64_t offset = 0;
  if constexpr (R > 0)
    for (int d = 0; d < R; ++d)
      offset += batch[d] * stride[d];
  else
    (void)batch, (void)stride;
  return offset;
}

/// One operand: line l of batch b has `length` elements, adjacent along k (LINES), or as columns of
/// a matrix with `lines` columns.
template <class E, bool LINES, int R> struct gemm_operand {
  using element = E;
  static constexpr bool k_first = LINES;
  const E *data;
  int64_t lines, length;
  index<R> batch, stride;

  CAMEO_DEVICE_ONLY int64_t line(int64_t number, int64_t l) const {
    return batch_offset(unflatten(number, batch), stride) + (LINES ? l * length : l);
  }
  CAMEO_DEVICE_ONLY int64_t step(int64_t k) const { return LINES ? k : k * lines; }
  CAMEO_DEVICE_ONLY E at(int64_t line, int64_t step) const { return data[line + step]; }
};

template <class RESULT, int R, class STORE> struct gemm_sink {
  index<R> batch;
  STORE store;
  template <class T>
  CAMEO_DEVICE_ONLY void operator()(int64_t number, int64_t row, int64_t column, T value) const {
    store(join(unflatten(number, batch), index<2>{{row, column}}), static_cast<RESULT>(value));
  }

  static constexpr int widest = widest_of<STORE>;
  CAMEO_DEVICE bool is_aligned() const { return cuda::is_aligned(store); }
  /// The same of the neighbours from `column`, a multiple of them, on.
  template <int N>
  CAMEO_DEVICE_ONLY void wide(int64_t number, int64_t row, int64_t column,
                              const neighbours<RESULT, N> &values) const {
    store.template wide<N>(join(unflatten(number, batch), index<2>{{row, column}}), values);
  }
};

/// Bytes that gemm takes from e.scratch.
template <class A, class B, class P> int64_t gemm_scratch(const P &, int) { return 0; }

template <class P, class A, class B, class STORE> struct gemm_call {
  static constexpr int R = P::batch_rank;
  using result = product_t<A, B>;
  using T = wrapping_t<result>;
  P p;
  const A *a;
  const B *b;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE multiply_shape shape() const { return {volume(batch_of<R>(p)), p.m, p.n, p.k}; }
  CAMEO_DEVICE auto left() const {
    return gemm_operand<A, !P::trans_a, R>{a, p.m, p.k, batch_of<R>(p), a_batch_stride_of<R>(p)};
  }
  CAMEO_DEVICE auto right() const {
    return gemm_operand<B, P::trans_b, R>{b, p.n, p.k, batch_of<R>(p), b_batch_stride_of<R>(p)};
  }
  CAMEO_DEVICE auto sink() const { return gemm_sink<result, R, STORE>{batch_of<R>(p), store}; }
};

template <class P, class A, class B, class STORE>
void gemm(exec &e, const P &p, const A *a, const B *b, STORE store) {
  multiply_call<wrapping_t<product_t<A, B>>>(e, gemm_call<P, A, B, STORE>{p, a, b, store});
}

} // namespace cameo::cuda
