// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pack_elements: whole bytes out of elements of 2, 4 or 6 bits, a group of them at a time.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/pack.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <class P, class LOAD> void pack_elements(exec &e, const P &p, uint8_t *y, LOAD load) {
  for_each(e, packed_groups<LOAD>(p.count), pack_body<LOAD>{load, y, p.count});
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
