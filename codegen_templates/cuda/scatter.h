// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scatter_elements, tensor_scatter and scatter_nd, in place, without atomics: a thread owns what it
// writes and applies its updates in order. scatter_elements: a thread per line of indices along the
// axis. tensor_scatter: a thread per element.
// scatter_nd: the rows of the output are cut into parts, and a thread owns one inner position of
// one part; it looks at all tuples.
#pragma once

#include "cameo/common/scatter.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <scatter_reduction RED, class P, class T, class I> struct scatter_elements_call {
  P p;
  const I *indices;
  const T *updates;
  T *out;
  error_flag flag;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p); }
  CAMEO_DEVICE auto extents() const { return scatter_lines(p); }
  CAMEO_DEVICE auto body() const { return make_scatter_line<RED>(p, indices, updates, out, flag); }
};

template <scatter_reduction RED, class P, class T, class I>
void scatter_elements(exec &e, const P &p, const I *indices, const T *updates, T *out) {
  for_each_call(e, scatter_elements_call<RED, P, T, I>{p, indices, updates, out, e.flag()});
}

template <scatter_reduction RED, class T, class I, int RX, int N> struct scatter_nd_body {
  const I *indices;
  const T *updates;
  T *out;
  error_flag flag;
  index<RX> shape;
  index<N> axes;
  int64_t inner, parts;

  /// i is (part, inner position).
  CAMEO_DEVICE void operator()(const index<2> &i) const {
    const int64_t rows = volume(axes), tuples = volume(shape);
    const int64_t begin = rows * i[0] / parts, end = rows * (i[0] + 1) / parts;
    for (int64_t t = 0; t < tuples; ++t) {
      const int64_t row = resolve_tuple(indices + t * N, axes, flag);
      if (row < begin || row >= end)
        continue;
      T &target = out[row * inner + i[1]];
      target = scattered<RED>(target, updates[t * inner + i[1]]);
    }
  }
};

template <scatter_reduction RED, class P, class T, class I> struct scatter_nd_call {
  static constexpr int RX = P::index_rank, N = P::tuple;
  P p;
  const I *indices;
  const T *updates;
  T *out;
  error_flag flag;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p); }
  /// Parts of the rows: at least one, so that indices into an empty output are reported.
  CAMEO_DEVICE int64_t parts() const {
    constexpr int64_t wanted_threads = 4096;
    const int64_t rows = volume(axes_of<N>(p)), inner = p.inner;
    const int64_t wanted = inner > 0 ? (wanted_threads + inner - 1) / inner : 1;
    return max(min(wanted, rows), int64_t{1});
  }
  CAMEO_DEVICE index<2> extents() const { return {{parts(), p.inner}}; }
  CAMEO_DEVICE auto body() const {
    return scatter_nd_body<RED, T, I, RX, N>{indices,         updates,       out,     flag,
                                             index_of<RX>(p), axes_of<N>(p), p.inner, parts()};
  }
};

template <scatter_reduction RED, class P, class T, class I>
void scatter_nd(exec &e, const P &p, const I *indices, const T *updates, T *out) {
  for_each_call(e, scatter_nd_call<RED, P, T, I>{p, indices, updates, out, e.flag()});
}

template <scatter_mode MODE, class P, class T, class LOAD> struct tensor_scatter_call {
  static constexpr int R = P::rank;
  P p;
  const int64_t *begin;
  T *out;
  LOAD load;
  error_flag flag;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load); }
  CAMEO_DEVICE auto outer() const { return slice<0, R - 1>(shape_of<R>(p)); }
  CAMEO_DEVICE auto inner() const { return slice<R - 1, 1>(shape_of<R>(p)); }
  CAMEO_DEVICE auto body() const {
    return make_tensor_scatter_rows<MODE>(p, begin, out, load, flag);
  }
};

template <scatter_mode MODE, class P, class T, class LOAD>
void tensor_scatter(exec &e, const P &p, const int64_t *begin, T *out, LOAD load) {
  for_rows_call(e, tensor_scatter_call<MODE, P, T, LOAD>{p, begin, out, load, e.flag()});
}

} // namespace cameo::cuda
