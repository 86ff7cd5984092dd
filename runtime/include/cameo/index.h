// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// index<R>: a point (or the extents) of an R-dimensional iteration space. An aggregate:
// `index<2>{i, j}`. Host and device.
#pragma once

#include "cameo/config.h"

namespace cameo {

/// A point of an R-dimensional space, outermost first.
template <int R> struct index {
  int64_t at[array_size(R)];

  CAMEO_DEVICE constexpr int64_t operator[](int d) const { return at[d]; }
  CAMEO_DEVICE constexpr int64_t &operator[](int d) { return at[d]; }
};

/// The one point of the space of a scalar.
template <> struct index<0> {};

/// Extents, at least one, that are constants wherever a template computes with them.
template <int64_t... N> struct static_index {
  CAMEO_DEVICE constexpr operator index<sizeof...(N)>() const { return {{N...}}; }
};

/// Tells a functor's methods of the same name apart, by number.
template <int N> struct nth { static constexpr int value = N; };

/// (i..., j...): outer coordinates followed by inner ones.
template <int R1, int R2>
CAMEO_DEVICE constexpr index<R1 + R2> join(const index<R1> &i, const index<R2> &j) {
  index<R1 + R2> r{};
  if constexpr (R1 > 0)
    for (int d = 0; d < R1; ++d)
      r.at[d] = i.at[d];
  if constexpr (R2 > 0)
    for (int d = 0; d < R2; ++d)
      r.at[R1 + d] = j.at[d];
  return r;
}

/// The point number `flat` of a dense row-major space; every extent must be positive.
template <int R> CAMEO_DEVICE constexpr index<R> unflatten(int64_t flat, const index<R> &extents) {
  index<R> r{};
  if constexpr (R > 0) {
    for (int d = R - 1; d > 0; --d) {
      r.at[d] = flat % extents.at[d];
      flat /= extents.at[d];
    }
    r.at[0] = flat;
  } else {
    (void)flat;
    (void)extents;
  }
  return r;
}

/// Its inverse.
template <int R>
CAMEO_DEVICE constexpr int64_t flatten(const index<R> &i, const index<R> &extents) {
  int64_t flat = 0;
  if constexpr (R > 0)
    for (int d = 0; d < R; ++d)
      flat = flat * extents.at[d] + i.at[d];
  else {
    (void)i;
    (void)extents;
  }
  return flat;
}

/// Number of points; extents must have been checked to have a product that fits.
template <int R> CAMEO_DEVICE constexpr int64_t volume(const index<R> &extents) {
  int64_t n = 1;
  if constexpr (R > 0)
    for (int d = 0; d < R; ++d)
      n *= extents.at[d]; // checked: check_dims has, for whole tensors
  else
    (void)extents;
  return n;
}

} // namespace cameo
