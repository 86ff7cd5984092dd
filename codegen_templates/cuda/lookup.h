// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lookup: a thread per element.
#pragma once

#include "cameo/common/lookup.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

template <class P, class K, class V, class LOAD, class STORE> struct lookup_call {
  P p;
  const K *keys;
  const V *values;
  LOAD load;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store); }
  CAMEO_DEVICE auto extents() const { return outer_of<P::outer_rank>(p); }
  CAMEO_DEVICE auto body() const { return make_lookup(p, keys, values, load, store); }
};

template <class P, class K, class V, class LOAD, class STORE>
void lookup(exec &e, const P &p, const K *keys, const V *values, LOAD load, STORE store) {
  for_each_call(e, lookup_call<P, K, V, LOAD, STORE>{p, keys, values, load, store});
}

} // namespace cameo::cuda
