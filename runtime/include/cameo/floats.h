// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact conversions of the element types that C++ lacks: 16-, 8-, 6- and 4-bit floats and 4- and
// 2-bit integers. Rounding is to nearest even, once, from float, double or any integer; denormals
// are honoured. Integer code, and sums and products that are normal floats, so that whether
// denormals are flushed changes no bit; the device's own instructions (device_floats.h), which give
// the same bits, where it has them. NaN: half and bfloat16 turn every NaN into 0x7fff (what the
// device does); 8-bit kinds keep its sign; 6- and 4-bit kinds have none and give -0. A NaN of a
// half or an 8-bit float is a NaN as float, of any sign on a device.
#pragma once

#include "cameo/element_types.h"

#if defined(__CUDA_ARCH__)
#include "cameo/device_floats.h"
#endif

namespace cameo {

/// Reinterprets; same size.
template <class To, class From> CAMEO_DEVICE constexpr To bit_cast(const From &x) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast keeps the size");
  return __builtin_bit_cast(To, x);
}

/// How float8_e8m0 is rounded to: the values of ONNX Cast's round_mode. Ties of `nearest` go up.
enum class e8m0_round { up, down, nearest };

namespace float_format {

/// Layout of a small float with a sign, and what it does with NaN and with values too large.
template <int EXPONENT, int MANTISSA, int BIAS, uint32_t MAX, uint32_t INFINITE, uint32_t QUIET_NAN,
          bool SIGNED_NAN, bool NEGATIVE_ZERO>
struct layout {
  static constexpr int exponent = EXPONENT, mantissa = MANTISSA, bias = BIAS;
  static constexpr uint32_t max = MAX;           // code of the largest finite value
  static constexpr uint32_t infinite = INFINITE; // code of infinity, or of NaN where there is none
  static constexpr uint32_t nan = QUIET_NAN;
  static constexpr bool signed_nan = SIGNED_NAN, negative_zero = NEGATIVE_ZERO;
  static constexpr uint32_t sign = 1u << (EXPONENT + MANTISSA);
};

template <class T> struct layout_of;
template <> struct layout_of<half> : layout<5, 10, 15, 0x7bff, 0x7c00, 0x7fff, false, true> {};
template <> struct layout_of<float8_e4m3fn> : layout<4, 3, 7, 0x7e, 0x7f, 0x7f, true, true> {};
template <> struct layout_of<float8_e4m3fnuz> : layout<4, 3, 8, 0x7f, 0x80, 0x80, false, false> {};
template <> struct layout_of<float8_e5m2> : layout<5, 2, 15, 0x7b, 0x7c, 0x7e, true, true> {};
template <> struct layout_of<float8_e5m2fnuz> : layout<5, 2, 16, 0x7f, 0x80, 0x80, false, false> {};
template <> struct layout_of<float6_e2m3> : layout<2, 3, 1, 0x1f, 0x1f, 0x20, false, true> {};
template <> struct layout_of<float6_e3m2> : layout<3, 2, 3, 0x1f, 0x1f, 0x20, false, true> {};
template <> struct layout_of<float4_e2m1> : layout<2, 1, 1, 0x7, 0x7, 0x8, false, true> {};

/// Rounds |f|, given as bits, to the layout; codes above `max` mean too large.
template <class L> CAMEO_DEVICE constexpr uint32_t round_magnitude(uint32_t magnitude) {
  // Exponent that the float's leading bit would have in L; below 1 the result is denormal.
  const int exponent = static_cast<int>(magnitude >> 23) - 127 + L::bias;
  int shift = 23 - L::mantissa;
  uint32_t significand = magnitude;
  if (exponent < 1) {
    shift += 1 - exponent;
    significand = (magnitude & 0x7fffff) | 0x800000;
    if (shift > 25)
      return 0;
  }
  const uint32_t even = (significand >> shift) & 1;
  const uint32_t rounded = (significand + (1u << (shift - 1)) - 1 + even) >> shift;
  // A mantissa that rounds up to the next power of two carries into the exponent field by itself.
  return exponent < 1 ? rounded : rounded - (static_cast<uint32_t>(127 - L::bias) << L::mantissa);
}

/// The code of f in layout L. Too large: the largest finite value if `saturate`, else infinity.
template <class L> CAMEO_DEVICE constexpr uint32_t encode(float f, bool saturate) {
  const uint32_t w = bit_cast<uint32_t>(f);
  const uint32_t magnitude = w & 0x7fffffff;
  const uint32_t sign = w >> 31 ? L::sign : 0;
  if (magnitude > 0x7f800000)
    return L::signed_nan ? L::nan | sign : L::nan;
  uint32_t code = round_magnitude<L>(magnitude);
  if (code > L::max) {
    code = saturate ? L::max : L::infinite;
    if (!saturate && L::infinite == L::nan && !L::signed_nan)
      return L::nan;
  }
  if (!L::negative_zero && code == 0)
    return 0;
  return code | sign;
}

/// The value of a code.
template <class L> CAMEO_DEVICE constexpr float decode(uint32_t code) {
  const uint32_t magnitude = code & (L::sign - 1);
  const uint32_t sign = code & L::sign ? 0x80000000u : 0;
  // Layouts without infinity have infinite == nan, or saturate always and have neither.
  if (magnitude > L::max || (!L::negative_zero && code == L::nan)) {
    if (magnitude == L::infinite && L::infinite != L::nan)
      return bit_cast<float>(sign | 0x7f800000u);
    return bit_cast<float>(sign | 0x7fc00000u);
  }
  const uint32_t exponent = magnitude >> L::mantissa;
  if (exponent != 0)
    return bit_cast<float>(
        sign | ((magnitude << (23 - L::mantissa)) + (static_cast<uint32_t>(127 - L::bias) << 23)));
  // A denormal: a small integer times a power of two, both normal floats.
  const float unit = bit_cast<float>(static_cast<uint32_t>(128 - L::bias - L::mantissa) << 23);
  const float value = static_cast<float>(static_cast<int32_t>(magnitude)) * unit;
  return bit_cast<float>(bit_cast<uint32_t>(value) | sign);
}

/// double to float, rounded so that rounding once more to a narrower type gives what rounding
/// directly would.
CAMEO_DEVICE constexpr float round_to_odd(double d) {
  const float f = static_cast<float>(d);
  const double back = static_cast<double>(f);
  if (back == d || d != d)
    return f;
  uint32_t w = bit_cast<uint32_t>(f);
  const bool away = (back < 0 ? -back : back) > (d < 0 ? -d : d);
  return bit_cast<float>((w - away) | 1);
}
CAMEO_DEVICE constexpr float round_to_odd(uint64_t u) {
  uint64_t sticky = 0;
  float scale = 1;
  while (u >> 24) {
    sticky |= u & 1;
    u >>= 1;
    scale += scale;
  }
  return static_cast<float>(static_cast<int32_t>(u | sticky)) * scale;
}

/// Any arithmetic value as a float from which rounding to at most 22 bits of mantissa is exact.
template <class T> CAMEO_DEVICE constexpr float narrowable(T x) {
  if constexpr (std::is_same_v<T, double>)
    return round_to_odd(x);
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return round_to_odd(static_cast<double>(x));
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    if (std::is_signed_v<T> && x < 0)
      return -round_to_odd(0 - static_cast<uint64_t>(x));
    return round_to_odd(static_cast<uint64_t>(x));
  } else
    return static_cast<float>(x);
}

CAMEO_DEVICE constexpr uint8_t encode_e8m0(float f, bool saturate, e8m0_round mode) {
  const uint32_t magnitude = bit_cast<uint32_t>(f) & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return 0xff;
  if (magnitude == 0 && !saturate)
    return 0xff;
  // Below 2^-126 the float is denormal: its leading bit alone is 2^-127, which is code 0.
  uint32_t code = magnitude >> 23;
  const uint32_t fraction = magnitude & 0x7fffff;
  const uint32_t exact = code == 0 ? 0x400000 : 0;
  const uint32_t tie = code == 0 ? 0x600000 : 0x400000;
  const bool up = (mode == e8m0_round::up && fraction > exact) ||
                  (mode == e8m0_round::nearest && fraction >= tie);
  code += up;
  if (code > 0xfe)
    return saturate ? 0xfe : 0xff;
  return static_cast<uint8_t>(code);
}

} // namespace float_format

/// Exact.
CAMEO_DEVICE constexpr float to_float(float x) { return x; }
CAMEO_DEVICE constexpr float to_float(bfloat16 x) {
  return bit_cast<float>(static_cast<uint32_t>(x.bits) << 16);
}
CAMEO_DEVICE constexpr float to_float(float8_e8m0 x) {
  if (x.bits == 0xff)
    return bit_cast<float>(0x7fc00000u);
  return bit_cast<float>(x.bits == 0 ? 0x400000u : static_cast<uint32_t>(x.bits) << 23);
}
/// half, without branches, so that loops over it vectorise; all intermediate values are normal.
CAMEO_DEVICE constexpr float to_float(half x) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated())
    return device_floats::decode(x);
#endif
  const uint32_t w = static_cast<uint32_t>(x.bits) << 16;
  const uint32_t twice = w + w;
  const float normal = bit_cast<float>((twice >> 4) + (0xe0u << 23)) * 0x1p-112f;
  const float denormal = bit_cast<float>((twice >> 17) | (126u << 23)) - 0.5f;
  return bit_cast<float>((w & 0x80000000u) | (twice < (1u << 27) ? bit_cast<uint32_t>(denormal)
                                                                 : bit_cast<uint32_t>(normal)));
}
template <class T, class L = float_format::layout_of<T>>
CAMEO_DEVICE constexpr float to_float(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (device_floats::has<T>)
    if (!__builtin_is_constant_evaluated())
      return device_floats::decode(x);
#endif
  return float_format::decode<L>(x.bits);
}

/// A half to nearest even, without branches either. A float from 65536 on is as 65536, the code of
/// infinity; one that is denormal as a half is rounded by 0.5, whose lowest bit is a denormal's.
CAMEO_DEVICE constexpr half to_half(float f) {
  const uint32_t w = bit_cast<uint32_t>(f), magnitude = w & 0x7fffffffu;
  const uint32_t m = magnitude < 0x47800000u ? magnitude : 0x47800000u;
  const uint32_t denormal = bit_cast<uint32_t>(bit_cast<float>(m) + 0.5f) - 0x3f000000u;
  const uint32_t normal = (m + ((m >> 13) & 1) + (0xfffu - (112u << 23))) >> 13;
  // Masks, not conditions: of those that depend on each other g++ makes branches where it knows a
  // sign.
  const uint32_t is_denormal = 0u - static_cast<uint32_t>(m < 0x38800000u);
  const uint32_t is_nan = 0u - static_cast<uint32_t>(magnitude > 0x7f800000u);
  const uint32_t code = (((denormal ^ normal) & is_denormal) ^ normal) | (w >> 16 & 0x8000u);
  return half{static_cast<uint16_t>((code & ~is_nan) | (0x7fffu & is_nan))};
}

/// To nearest even; values too large become the largest one if `saturate`, else infinity or NaN.
/// half and bfloat16 never saturate, 6- and 4-bit kinds always do.
template <class T> CAMEO_DEVICE constexpr T from_float(float f, bool saturate = true) {
#if defined(__CUDA_ARCH__)
  if constexpr (device_floats::has<T>)
    if (!__builtin_is_constant_evaluated() && (saturate || !device_floats::saturates<T>))
      return device_floats::encode<T>(f);
#endif
  if constexpr (std::is_same_v<T, float>)
    return f;
  else if constexpr (std::is_same_v<T, bfloat16>) {
    const uint32_t w = bit_cast<uint32_t>(f);
    const uint32_t rounded = (w + 0x7fff + ((w >> 16) & 1)) >> 16;
    return bfloat16{static_cast<uint16_t>((w & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded)};
  } else if constexpr (std::is_same_v<T, float8_e8m0>)
    return float8_e8m0{float_format::encode_e8m0(f, saturate, e8m0_round::up)};
  else if constexpr (std::is_same_v<T, half>)
    return to_half(f);
  else
    return T{static_cast<uint8_t>(float_format::encode<float_format::layout_of<T>>(f, saturate))};
}

/// A narrow element of which the low bits of `x` are the code: integers keep their low bits.
template <class T> CAMEO_DEVICE constexpr T from_low_bits(int32_t x) {
  constexpr int32_t mask = (1 << element<T>::bits) - 1, sign = (mask + 1) / 2;
  if constexpr (element<T>::kind == element_kind::signed_integer)
    return T{static_cast<int8_t>(((x & mask) ^ sign) - sign)};
  else
    return T{static_cast<uint8_t>(x & mask)};
}

} // namespace cameo
