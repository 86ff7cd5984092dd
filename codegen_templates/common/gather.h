// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gather, gather_elements and gather_nd as bodies. gather and gather_nd are row bodies (for_rows):
// called with the outer coordinates, which hold the index, they return what gives the inner ones.
#pragma once

#include "cameo/common/indexing.h"
#include "cameo/common/params.h"

namespace cameo {

/// The inner elements of one gathered slice, `from` null where the index was out of range.
template <class T, class STORE, int RO, int RI> struct gathered_row {
  const T *from;
  index<RO> row;
  index<RI> inner;
  STORE store; // no reference: a number of 64 bits that is stored could be one of its members

  CAMEO_DEVICE void operator()(const index<RI> &k) const {
    store(join(row, k), from != nullptr ? from[flatten(k, inner)] : T{});
  }
};

template <class T, class I, class STORE, class FLAG, int RO, int RX, int RI> struct gather_rows {
  const T *data;
  const I *indices;
  STORE store;
  FLAG flag;
  index<RO> outer;
  index<RX> shape; // of indices
  index<RI> inner;
  int64_t axis_extent;

  CAMEO_DEVICE gathered_row<T, STORE, RO + RX, RI> operator()(const index<RO + RX> &i) const {
    const I given = indices[flatten(slice<RO, RX>(i), shape)];
    const int64_t at = resolve_index(given, axis_extent, flag);
    const int64_t row = flatten(slice<0, RO>(i), outer) * axis_extent + at;
    return {at >= 0 ? data + row * volume(inner) : nullptr, i, inner, store};
  }
};

template <class P, class T, class I, class STORE, class FLAG>
CAMEO_DEVICE auto make_gather_rows(const P &p, const T *data, const I *indices, STORE store,
                                   FLAG flag) {
  constexpr int RO = P::outer_rank, RX = P::index_rank, RI = P::inner_rank;
  return gather_rows<T, I, STORE, FLAG, RO, RX, RI>{
      data, indices, store, flag, outer_of<RO>(p), index_of<RX>(p), inner_of<RI>(p), p.axis_extent};
}

template <class T, class I, class STORE, class FLAG, int RB, int RX, int N, int RI>
struct gather_nd_rows {
  const T *data;
  const I *indices;
  STORE store;
  FLAG flag;
  index<RB> batch;
  index<RX> shape; // of indices, without batch and tuple
  index<N> axes;
  index<RI> inner;

  CAMEO_DEVICE gathered_row<T, STORE, RB + RX, RI> operator()(const index<RB + RX> &i) const {
    const I *tuple = indices + flatten(i, join(batch, shape)) * N;
    const int64_t at = resolve_tuple(tuple, axes, flag);
    const int64_t row = flatten(slice<0, RB>(i), batch) * volume(axes) + at;
    return {at >= 0 ? data + row * volume(inner) : nullptr, i, inner, store};
  }
};

template <class P, class T, class I, class STORE, class FLAG>
CAMEO_DEVICE auto make_gather_nd_rows(const P &p, const T *data, const I *indices, STORE store,
                                      FLAG flag) {
  constexpr int RB = P::batch_rank, RX = P::index_rank, N = P::tuple, RI = P::inner_rank;
  return gather_nd_rows<T, I, STORE, FLAG, RB, RX, N, RI>{
      data, indices, store, flag, batch_of<RB>(p), index_of<RX>(p), axes_of<N>(p), inner_of<RI>(p)};
}

template <class T, class I, class STORE, class FLAG, int R> struct gather_elements_body {
  const T *data;
  const I *indices;
  STORE store;
  FLAG flag;
  index<R> data_dims, index_dims;
  int axis;

  CAMEO_DEVICE void operator()(const index<R> &i) const {
    const int64_t at = resolve_index(indices[flatten(i, index_dims)], data_dims[axis], flag);
    index<R> from = i;
    from[axis] = at;
    store(i, at >= 0 ? data[flatten(from, data_dims)] : T{});
  }
};

template <class P, class T, class I, class STORE, class FLAG>
CAMEO_DEVICE auto make_gather_elements_body(const P &p, const T *data, const I *indices,
                                            STORE store, FLAG flag) {
  constexpr int R = P::rank;
  return gather_elements_body<T, I, STORE, FLAG, R>{data,
                                                    indices,
                                                    store,
                                                    flag,
                                                    data_dims_of<R>(p),
                                                    index_dims_of<R>(p),
                                                    static_cast<int>(p.axis)};
}

} // namespace cameo
