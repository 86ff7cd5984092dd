// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types in C++: those that it lacks, one element in a byte or two, and what the table
// (element_types.def) says of each. Conversions are in floats.h.
#pragma once

#include "cameo/config.h"
#include "cameo/standard.h"

struct cameo_string; // abi.h

namespace cameo {

struct half {
  uint16_t bits;
};
struct bfloat16 {
  uint16_t bits;
};
struct float8_e4m3fn {
  uint8_t bits;
};
struct float8_e4m3fnuz {
  uint8_t bits;
};
struct float8_e5m2 {
  uint8_t bits;
};
struct float8_e5m2fnuz {
  uint8_t bits;
};
/// 2^(bits - 127), no sign, no zero; 0xff is NaN.
struct float8_e8m0 {
  uint8_t bits;
};
struct float6_e2m3 {
  uint8_t bits;
};
struct float6_e3m2 {
  uint8_t bits;
};
struct float4_e2m1 {
  uint8_t bits;
};
/// Narrow integers, sign- or zero-extended to a byte. Not named int4: CUDA has vectors of that
/// name.
struct int4_t {
  int8_t value;
};
struct uint4_t {
  uint8_t value;
};
struct int2_t {
  int8_t value;
};
struct uint2_t {
  uint8_t value;
};

/// No program computes with these yet.
struct complex64;
struct complex128;

enum class element_kind { boolean, signed_integer, unsigned_integer, floating, complex, string };

/// The row of T: its dtype, kind and bits; dtype 0 of what is no element type.
template <class T> struct element {
  static constexpr int32_t dtype = 0;
  static constexpr int bits = 0;
};
#define CAMEO_ELEMENT_TYPE(number, ONNX, name, type, kind_of, bits_of, ir, npy, rtol, atol)        \
  template <> struct element<type> {                                                               \
    static constexpr int32_t dtype = number;                                                       \
    static constexpr element_kind kind = element_kind::kind_of;                                    \
    static constexpr int bits = bits_of;                                                           \
  };
#include "cameo/element_types.def"

template <class T, element_kind KIND> CAMEO_DEVICE constexpr bool is_kind() {
  if constexpr (element<T>::dtype != 0)
    return element<T>::kind == KIND;
  else
    return false;
}

/// Whether elements of T lie packed in files and in callers' memory.
template <class T> inline constexpr bool is_packed_v = element<T>::bits % 8 != 0;
template <class T>
inline constexpr bool is_narrow_integer_v = is_packed_v<T> && !is_kind<T, element_kind::floating>();
/// Computed in float.
template <class T>
inline constexpr bool is_small_float_v = is_kind<T, element_kind::floating>() &&
                                         !std::is_floating_point_v<T>;
template <class T>
inline constexpr bool is_float_v = std::is_floating_point_v<T> || is_small_float_v<T>;

/// How many packed elements share a group of whole bytes, and how many bytes that is.
template <class T> inline constexpr int packed_elements_v = element<T>::bits == 4 ? 2 : 4;
template <class T> inline constexpr int packed_bytes_v = element<T>::bits *packed_elements_v<T> / 8;

namespace detail {
template <class T, class F> void call_with(F &f) {
  if constexpr (element<T>::kind != element_kind::complex &&
                element<T>::kind != element_kind::string)
    f(T{});
}
} // namespace detail

/// Calls f(T{}), T being the type of the elements of a dtype; not for strings and complex numbers.
template <class F> void with_element(int32_t dtype, F f) {
  switch (dtype) {
#define CAMEO_ELEMENT_TYPE(number, ONNX, name, type, kind, bits, ir, npy, rtol, atol)              \
  case number:                                                                                     \
    return detail::call_with<type>(f);
#include "cameo/element_types.def"
  default:
    break;
  }
}

} // namespace cameo
