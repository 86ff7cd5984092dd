// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lstm, gru, rnn: the equations of common/recurrent.h on this target's gemm and for_each; of a few
// sequences a step's products one by one.
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

/// Up to so many rows of states a thread sums an output by itself: tiles would be mostly empty.
constexpr int64_t few_states = 4;

/// The products of states and weights one by one, in gemm's order. Reads for many steps of k are
/// under way at once.
template <class P, class A, class T, class STORE> struct state_sums {
  static constexpr int width = access_bytes / static_cast<int>(sizeof(T)), at_once = 64;
  P p;
  const A *h;
  const T *r;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE index<3> extents() const { return {{p.batch[0], p.m, p.n}}; }
  CAMEO_DEVICE_ONLY void operator()(const index<3> &i) const {
    const A *row = h + i[0] * p.a_batch_stride[0] + i[1] * p.k;
    const T *line = r + i[0] * p.b_batch_stride[0] + i[2] * p.k;
    A sum{};
    int64_t left = p.k;
    for (; left >= at_once; left -= at_once)
      add<at_once>(sum, row, line);
    for (; left > 0; left -= width)
      add<width>(sum, row, line);
    store(i, sum);
  }

private:
  template <int COUNT> CAMEO_DEVICE_ONLY static void add(A &sum, const A *&row, const T *&line) {
    A states[COUNT];
    T weights[COUNT];
    load<COUNT>(weights, line);
    load<COUNT>(states, row);
    CAMEO_UNROLL
    for (int k = 0; k < COUNT; ++k)
      sum = multiply_add(states[k], cast<A>(weights[k]), sum);
    row += COUNT;
    line += COUNT;
  }
  template <int COUNT, class E> CAMEO_DEVICE_ONLY static void load(E (&to)[COUNT], const E *from) {
    constexpr int in_access = access_bytes / static_cast<int>(sizeof(E));
    CAMEO_UNROLL
    for (int k = 0; k < COUNT; k += in_access) {
      const auto some = load_wide<in_access>(from + k);
      CAMEO_UNROLL
      for (int j = 0; j < in_access; ++j)
        to[k + j] = some.item[j];
    }
  }
};

/// Blocks of a warp, so that they are on many multiprocessors and have registers for all reads.
template <class CALL> CAMEO_KERNEL_BOUNDS(warp_threads, 1) void state_sums_kernel(CALL call) {
  call.load_counts();
  const index<3> extents = call.extents();
  const int64_t n = volume(extents);
  for (int64_t i = grid_thread(); i < n; i += grid_threads())
    call(point_of(i, n, extents));
}

/// The matrix of a layer's steps, as the model has it.
template <class LAYER, class A, class T>
CAMEO_INLINE const T *hold_weights(exec &, const LAYER &, const A *, const T *r) {
  return r;
}

/// A step by the gates from `first` on; number `s` changes nothing here.
template <class P, class A, class T, class STORE>
CAMEO_INLINE void multiply_states(exec &e, const P &p, int64_t, const A *h, const T *weights,
                                  int64_t first, const STORE &store) {
  const T *const r = weights + first * p.k * p.k;
  using sums = state_sums<P, A, T, STORE>;
  if (p.m > few_states || p.k % sums::width != 0 || !are_aligned(h, r))
    return gemm(e, p, h, r, store);
  CAMEO_OPERATIONS(2 * p.batch[0] * p.m * p.n * p.k);
  CAMEO_DEPTH(p.k);
  const sums call{p, h, r, store};
  const int64_t n = points_at_most(call.extents());
  if (n > 0)
    e.launch(&state_sums_kernel<sums>, grid_for(n, warp_threads), dim3(warp_threads), 0, call);
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
