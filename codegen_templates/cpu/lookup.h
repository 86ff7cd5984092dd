// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lookup: element by element.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/lookup.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <class P, class K, class V, class LOAD, class STORE>
void lookup(exec &e, const P &p, const K *keys, const V *values, LOAD load, STORE store) {
  for_each(e, outer_of<P::outer_rank>(p), make_lookup(p, keys, values, load, store));
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
