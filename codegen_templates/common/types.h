// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which type a template computes in: accumulator_t for one operand, product_t for two.
#pragma once

#include "cameo/scalar.h"
#include "cameo/standard.h"

namespace cameo {

/// float for every float type up to 32 bits, double for double, T for integers and bool.
template <class T>
using accumulator_t = std::conditional_t<std::is_same_v<T, double>, double,
                                         std::conditional_t<std::is_integral_v<T>, T, float>>;

/// Many values of T are compared as these: a number of 32 bits or more, of the same
/// order, so that a vector of them is as long as one of their positions.
template <class T>
using compared_t =
    std::conditional_t<std::is_integral_v<T>, std::conditional_t<(sizeof(T) < 4), int32_t, T>,
                       accumulator_t<T>>;

namespace types {
template <class A, class B> struct product {
  using a = accumulator_t<A>;
  using b = accumulator_t<B>;
  static constexpr bool integers = std::is_integral_v<a> && std::is_integral_v<b>;
  using wider = std::conditional_t<(sizeof(a) >= sizeof(b)), a, b>;
  using floating =
      std::conditional_t<std::is_same_v<a, double> || std::is_same_v<b, double>, double, float>;
  using type = std::conditional_t<!integers, floating,
                                  std::conditional_t<(sizeof(wider) <= 2), int32_t, wider>>;
};
} // namespace types

/// The type of a sum of products of A and B.
template <class A, class B> using product_t = typename types::product<A, B>::type;

/// Floats and unsigned integers as they are, signed integers as their unsigned type: what sums are
/// computed in, so that they wrap.
template <class T, bool INTEGER = std::is_integral_v<T>> struct wrapping { using type = T; };
template <class T> struct wrapping<T, true> { using type = std::make_unsigned_t<T>; };
template <class T> using wrapping_t = typename wrapping<T>::type;

/// The factors that the tensor core has in the place of floats: parts of them, whose products add
/// up to those of floats, or floats that are rounded to a type. Members of p have it as `factors`.
enum class factor_type { parts, tf32, bf16, fp16 };

namespace types {
template <class P, class = void>
struct factors : std::integral_constant<factor_type, factor_type::parts> {};
template <class P>
struct factors<P, std::void_t<decltype(P::factors)>>
    : std::integral_constant<factor_type, P::factors> {};
} // namespace types
template <class P> constexpr factor_type factors_v = types::factors<P>::value;

/// The type that load functor L yields for index I.
template <class L, class I>
using loaded_t = std::remove_cv_t<
    std::remove_reference_t<decltype(std::declval<const L &>()(std::declval<const I &>()))>>;

} // namespace cameo
