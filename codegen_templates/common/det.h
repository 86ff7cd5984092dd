// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// det: the determinant of one matrix, by elimination in memory of its own.
#pragma once

#include "cameo/common/types.h"

namespace cameo {

/// The matrices, and memory that one of them is worked on in.
template <class T> struct det_matrices {
  using A = accumulator_t<T>;

  const T *x;
  int64_t size;

  CAMEO_DEVICE A operator()(int64_t number, A *m) const {
    const T *from = x + number * size * size;
    for (int64_t i = 0; i < size * size; ++i)
      m[i] = cast<A>(from[i]);
    A result = 1;
    for (int64_t step = 0; step < size; ++step) {
      if (bring_pivot(m, step))
        result = -result;
      const A pivot = m[step * size + step];
      result *= pivot;
      if (pivot == 0)
        return result;
      eliminate(m, step, pivot);
    }
    return result;
  }

private:
  /// Brings the row with the greatest element of column `step` there; whether rows changed places.
  CAMEO_DEVICE bool bring_pivot(A *m, int64_t step) const {
    int64_t best = step;
    for (int64_t row = step + 1; row < size; ++row)
      if (!(abs(m[row * size + step]) <= abs(m[best * size + step])))
        best = row;
    if (best == step)
      return false;
    for (int64_t column = step; column < size; ++column) {
      const A upper = m[step * size + column];
      m[step * size + column] = m[best * size + column];
      m[best * size + column] = upper;
    }
    return true;
  }

  CAMEO_DEVICE void eliminate(A *m, int64_t step, A pivot) const {
    for (int64_t row = step + 1; row < size; ++row) {
      const A factor = m[row * size + step] / pivot;
      for (int64_t column = step + 1; column < size; ++column)
        m[row * size + column] -= factor * m[step * size + column];
    }
  }
};

} // namespace cameo
