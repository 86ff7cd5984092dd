// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices of a tensor along an axis and their order, which unique sorts by.
#pragma once

#include "cameo/common/combine.h"

namespace cameo {

/// data[rows][slices][columns]; slice s is data[.][s][.].
template <class T> struct slice_order {
  const T *data;
  int64_t rows, slices, columns;

  /// Below 0, 0 or above 0 as slice a is less than, equal to or greater than slice b.
  CAMEO_DEVICE int compare(int64_t a, int64_t b) const {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        const T x = data[(row * slices + a) * columns + column];
        const T y = data[(row * slices + b) * columns + column];
        if (ordered_less(x, y))
          return -1;
        if (ordered_less(y, x))
          return 1;
      }
    return 0;
  }
  /// A total order: equal slices as they occur. Slice -1 is none and last.
  CAMEO_DEVICE bool precedes(int64_t a, int64_t b) const {
    if (a < 0 || b < 0)
      return a >= 0 && b < 0;
    const int order = compare(a, b);
    return order < 0 || (order == 0 && a < b);
  }
};

} // namespace cameo
