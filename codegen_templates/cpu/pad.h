// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pad<MODE>: all coordinates but the last are mapped once per row.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/pad.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <pad_mode MODE, class P, class T, class VALUE, class STORE>
void pad(exec &e, const P &p, const T *x, VALUE value, STORE store) {
  constexpr int R = P::rank;
  const index<R> output = output_of<R>(p);
  for_rows(e, slice<0, R - 1>(output), slice<R - 1, 1>(output),
           make_pad_rows<MODE>(p, x, value, store));
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
