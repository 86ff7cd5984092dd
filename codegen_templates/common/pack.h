// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing of elements below a byte: a body for each group of elements that fill whole bytes, since
// a byte has one writer.
#pragma once

#include "cameo/common/params.h"
#include "cameo/scalar.h"
#include "cameo/standard.h"

namespace cameo {

template <class LOAD> struct pack_body {
  LOAD load;
  uint8_t *y;
  int64_t count;

  /// Element i, for store_packed.
  CAMEO_DEVICE auto operator[](int64_t i) const { return load(index<1>{{i}}); }
  CAMEO_DEVICE void operator()(const index<1> &group) const {
    store_packed(y, *this, group[0], count);
  }
};

/// The groups of `count` elements that `load` gives.
template <class LOAD> CAMEO_DEVICE constexpr index<1> packed_groups(int64_t count) {
  constexpr int per = packed_elements_v<decltype(std::declval<LOAD>()(index<1>{}))>;
  return {{(count + per - 1) / per}};
}

} // namespace cameo
