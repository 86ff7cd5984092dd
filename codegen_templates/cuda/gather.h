// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gather, gather_elements, gather_nd: a thread per output element.
#pragma once

#include "cameo/common/gather.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <class P, class T, class I, class STORE> struct gather_call {
  static constexpr int RO = P::outer_rank, RX = P::index_rank;
  P p;
  const T *data;
  const I *indices;
  STORE store;
  error_flag flag;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE auto outer() const { return join(outer_of<RO>(p), index_of<RX>(p)); }
  CAMEO_DEVICE auto inner() const { return inner_of<P::inner_rank>(p); }
  CAMEO_DEVICE auto body() const { return make_gather_rows(p, data, indices, store, flag); }
};

template <class P, class T, class I, class STORE>
void gather(exec &e, const P &p, const T *data, const I *indices, STORE store) {
  for_rows_call(e, gather_call<P, T, I, STORE>{p, data, indices, store, e.flag()});
}

template <class P, class T, class I, class STORE> struct gather_elements_call {
  static constexpr int rank = P::rank;
  P p;
  const T *data;
  const I *indices;
  STORE store;
  error_flag flag;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE auto extents() const { return index_dims_of<rank>(p); }
  CAMEO_DEVICE auto body() const {
    return make_gather_elements_body(p, data, indices, store, flag);
  }
};

template <class P, class T, class I, class STORE>
void gather_elements(exec &e, const P &p, const T *data, const I *indices, STORE store) {
  for_each_call(e, gather_elements_call<P, T, I, STORE>{p, data, indices, store, e.flag()});
}

template <class P, class T, class I, class STORE> struct gather_nd_call {
  static constexpr int RB = P::batch_rank, RX = P::index_rank;
  P p;
  const T *data;
  const I *indices;
  STORE store;
  error_flag flag;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE auto outer() const { return join(batch_of<RB>(p), index_of<RX>(p)); }
  CAMEO_DEVICE auto inner() const { return inner_of<P::inner_rank>(p); }
  CAMEO_DEVICE auto body() const { return make_gather_nd_rows(p, data, indices, store, flag); }
};

template <class P, class T, class I, class STORE>
void gather_nd(exec &e, const P &p, const T *data, const I *indices, STORE store) {
  for_rows_call(e, gather_nd_call<P, T, I, STORE>{p, data, indices, store, e.flag()});
}

} // namespace cameo::cuda
