// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pack_elements: whole bytes out of elements of 2, 4 or 6 bits, a group of them at a time.
#pragma once

#include "cameo/cuda/for_each.h"

#include "cameo/common/pack.h"

namespace cameo::cuda {

template <class P, class LOAD> struct pack_call {
  P p;
  uint8_t *y;
  LOAD load;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load); }
  CAMEO_DEVICE auto extents() const { return packed_groups<LOAD>(p.count); }
  CAMEO_DEVICE auto body() const { return pack_body<LOAD>{load, y, p.count}; }
};

template <class P, class LOAD> void pack_elements(exec &e, const P &p, uint8_t *y, LOAD load) {
  for_each_call(e, pack_call<P, LOAD>{p, y, load});
}

} // namespace cameo::cuda
