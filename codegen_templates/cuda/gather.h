// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gather, gather_elements, gather_nd: a thread per output element.
#pragma once

#include "cameo/common/gather.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <class P, class T, class I, class STORE>
void gather(exec &e, const P &p, const T *data, const I *indices, STORE store) {
  constexpr int RO = P::outer_rank, RX = P::index_rank, RI = P::inner_rank;
  for_rows(e, join(outer_of<RO>(p), index_of<RX>(p)), inner_of<RI>(p),
           make_gather_rows(p, data, indices, store, e.flag()));
}

template <class P, class T, class I, class STORE>
void gather_elements(exec &e, const P &p, const T *data, const I *indices, STORE store) {
  for_each(e, index_dims_of<P::rank>(p),
           make_gather_elements_body(p, data, indices, store, e.flag()));
}

template <class P, class T, class I, class STORE>
void gather_nd(exec &e, const P &p, const T *data, const I *indices, STORE store) {
  constexpr int RB = P::batch_rank, RX = P::index_rank, RI = P::inner_rank;
  for_rows(e, join(batch_of<RB>(p), index_of<RX>(p)), inner_of<RI>(p),
           make_gather_nd_rows(p, data, indices, store, e.flag()));
}

} // namespace cameo::cuda
