// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reduce, arg_reduce, cumulative and scatter do with two values. All total: integers wrap, NaN
// wins in max and min (scalar.h).
#pragma once

#include "cameo/scalar.h"
#include "cameo/standard.h"

namespace cameo {

/// The least and the greatest value of T; infinite where T has infinities.
template <class T> CAMEO_DEVICE constexpr T lowest_value() {
  if constexpr (std::is_same_v<T, bool>)
    return false;
  else if constexpr (std::is_integral_v<T>)
    return std::is_signed_v<T> ? static_cast<T>(std::make_unsigned_t<T>{1} << (8 * sizeof(T) - 1))
                               : T{0};
  else
    return cast<T>(-__builtin_inff());
}
template <class T> CAMEO_DEVICE constexpr T highest_value() {
  if constexpr (std::is_same_v<T, bool>)
    return true;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(~lowest_value<T>());
  else
    return cast<T>(__builtin_inff());
}

namespace combine {

template <class T> struct sum {
  using type = T;
  CAMEO_DEVICE static T identity() { return cast<T>(0); }
  CAMEO_DEVICE static T apply(T a, T b) { return add(a, b); }
};
template <class T> struct prod {
  using type = T;
  CAMEO_DEVICE static T identity() { return cast<T>(1); }
  CAMEO_DEVICE static T apply(T a, T b) { return mul(a, b); }
};
template <class T> struct max {
  using type = T;
  CAMEO_DEVICE static T identity() { return lowest_value<T>(); }
  CAMEO_DEVICE static T apply(T a, T b) { return cameo::max(a, b); }
};
template <class T> struct min {
  using type = T;
  CAMEO_DEVICE static T identity() { return highest_value<T>(); }
  CAMEO_DEVICE static T apply(T a, T b) { return cameo::min(a, b); }
};

} // namespace combine

/// A value and where it stands; what arg_reduce and topk compare.
template <class T> struct ranked {
  T value;
  int64_t position;
};

/// Does a come before b in ascending order? NaN is greater than every number and equal to itself.
template <class T> CAMEO_DEVICE bool ordered_less(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return a < b;
  else
    return is_nan(b) ? !is_nan(a) : less(a, b);
}

/// ordered_less without a branch, for loops that become vectors; T is a type of C++.
template <class T> CAMEO_DEVICE bool is_ordered_less(T a, T b) {
  return (a < b) | ((b != b) & (a == a));
}

/// arg_reduce: does `a` beat `b`? NaN beats every number; among equals the first, or with LAST the
/// last.
template <class T, bool LAST, bool LARGEST> struct arg_compare {
  using type = T;
  /// The same of values that are compared as U.
  template <class U> using of = arg_compare<U, LAST, LARGEST>;
  static constexpr bool is_last = LAST;
  /// Whether value a beats b, without a branch; T is a type of C++.
  CAMEO_DEVICE static bool beats(T a, T b) {
    return LARGEST ? is_ordered_less(b, a) : (a < b) | ((a != a) & (b == b));
  }
  CAMEO_DEVICE static bool better(const ranked<T> &a, const ranked<T> &b) {
    if (wins(a.value, b.value))
      return true;
    if (wins(b.value, a.value))
      return false;
    return LAST ? a.position > b.position : a.position < b.position;
  }

private:
  CAMEO_DEVICE static bool wins(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return LARGEST ? b < a : a < b;
    else if constexpr (LARGEST)
      return ordered_less(b, a);
    else
      return is_nan(a) ? !is_nan(b) : less(a, b);
  }
};
template <class T, bool LAST = false> using arg_max = arg_compare<T, LAST, true>;
template <class T, bool LAST = false> using arg_min = arg_compare<T, LAST, false>;

/// topk: does `a` stand before `b` in the output? Equal values keep their order.
template <class T>
CAMEO_DEVICE bool topk_before(const ranked<T> &a, const ranked<T> &b, bool largest) {
  if (largest ? ordered_less(b.value, a.value) : ordered_less(a.value, b.value))
    return true;
  if (largest ? ordered_less(a.value, b.value) : ordered_less(b.value, a.value))
    return false;
  return a.position < b.position;
}

enum class scatter_reduction { none, add, mul, max, min };

/// The value of an element after an update.
template <scatter_reduction RED, class T> CAMEO_DEVICE T scattered(T old, T update) {
  if constexpr (RED == scatter_reduction::add)
    return add(old, update);
  else if constexpr (RED == scatter_reduction::mul)
    return mul(old, update);
  else if constexpr (RED == scatter_reduction::max)
    return max(old, update);
  else if constexpr (RED == scatter_reduction::min)
    return min(old, update);
  else
    return update;
}

} // namespace cameo
