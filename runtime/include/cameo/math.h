// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mathematical functions behind scalar.h, on float and double. On the device CUDA's. On the
// host compiler builtins (no <cmath>, which costs 0.1 s a file), but exp, log, tanh, erf and
// sigmoid of float are written out, without branches or calls, so that loops over them vectorise.
// Polynomials are minimax fits made for this file; each states its range and error. Rounding must
// be to nearest.
#pragma once

#include "cameo/config.h"

namespace cameo::math {

#ifdef __CUDA_ARCH__
#define CAMEO_MATH_FLOAT(name, builtin)                                                            \
  CAMEO_DEVICE float name(float x) { return ::builtin##f(x); }
#define CAMEO_MATH_DOUBLE(name, builtin)                                                           \
  CAMEO_DEVICE double name(double x) { return ::builtin(x); }
#define CAMEO_MATH_BINARY(name)                                                                    \
  CAMEO_DEVICE float name(float x, float y) { return ::name##f(x, y); }                            \
  CAMEO_DEVICE double name(double x, double y) { return ::name(x, y); }
#else
#define CAMEO_MATH_FLOAT(name, builtin)                                                            \
  CAMEO_DEVICE float name(float x) { return __builtin_##builtin##f(x); }
#define CAMEO_MATH_DOUBLE(name, builtin)                                                           \
  CAMEO_DEVICE double name(double x) { return __builtin_##builtin(x); }
#define CAMEO_MATH_BINARY(name)                                                                    \
  CAMEO_DEVICE float name(float x, float y) { return __builtin_##name##f(x, y); }                  \
  CAMEO_DEVICE double name(double x, double y) { return __builtin_##name(x, y); }
#endif
#define CAMEO_MATH(name, builtin) CAMEO_MATH_FLOAT(name, builtin) CAMEO_MATH_DOUBLE(name, builtin)

CAMEO_MATH(expm1, expm1)
CAMEO_MATH(log1p, log1p)
CAMEO_MATH(sqrt, sqrt)
CAMEO_MATH(sin, sin)
CAMEO_MATH(cos, cos)
CAMEO_MATH(tan, tan)
CAMEO_MATH(asin, asin)
CAMEO_MATH(acos, acos)
CAMEO_MATH(atan, atan)
CAMEO_MATH(sinh, sinh)
CAMEO_MATH(cosh, cosh)
CAMEO_MATH(asinh, asinh)
CAMEO_MATH(acosh, acosh)
CAMEO_MATH(atanh, atanh)
CAMEO_MATH(floor, floor)
CAMEO_MATH(ceil, ceil)
CAMEO_MATH(trunc, trunc)
CAMEO_MATH(round, rint) // a run rounds to nearest even
CAMEO_MATH_DOUBLE(exp, exp)
CAMEO_MATH_DOUBLE(log, log)
CAMEO_MATH_DOUBLE(tanh, tanh)
CAMEO_MATH_DOUBLE(erf, erf)
CAMEO_MATH_BINARY(pow)
CAMEO_MATH_BINARY(fmod)
CAMEO_MATH_BINARY(copysign)

CAMEO_DEVICE constexpr float abs(float x) {
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, x) & 0x7fffffffu);
}
CAMEO_DEVICE constexpr double abs(double x) {
  return __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, x) & 0x7fffffffffffffffu);
}
CAMEO_DEVICE constexpr bool is_inf(float x) {
  return (__builtin_bit_cast(uint32_t, x) & 0x7fffffffu) == 0x7f800000u;
}
CAMEO_DEVICE constexpr bool is_inf(double x) {
  return (__builtin_bit_cast(uint64_t, x) & 0x7fffffffffffffffu) == 0x7ff0000000000000u;
}

#ifdef __CUDA_ARCH__

CAMEO_MATH_FLOAT(exp, exp)
CAMEO_MATH_FLOAT(log, log)
CAMEO_MATH_FLOAT(tanh, tanh)
CAMEO_MATH_FLOAT(erf, erf)

#else

/// 2^k for k in [-126, 127]; anything for others.
CAMEO_DEVICE constexpr float power_of_two(int32_t k) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(k + 127) << 23);
}

/// e^(x - n ln 2) where that is at most ln(2) / 2 from 0.
CAMEO_DEVICE float exp_of_remainder(float x, float n) {
  // ln 2 in two parts, the first short enough for n times it to be exact.
  const float r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
  // (e^r - 1 - r) / r^2, error 3e-9.
  float q = 0x1.6a48fcp-10f;
  q = q * r + 0x1.12399cp-7f;
  q = q * r + 0x1.5558b4p-5f;
  q = q * r + 0x1.555492p-3f;
  q = q * r + 0x1.fffffcp-2f;
  return 1.0f + (r + r * r * q);
}

/// e^x = 2^k e^r, |r| <= ln(2) / 2; within 1 ulp.
CAMEO_DEVICE float exp(float x) {
  // Beyond these the result is infinite, or 0; NaN passes.
  const float low = x < -104.0f ? -104.0f : x;
  const float c = low > 89.0f ? 89.0f : low;
  // Adding 1.5 * 2^23 rounds to an integer, which then lies in the low bits.
  constexpr float shift = 0x1.8p23f;
  const float shifted = c * 0x1.715476p+0f + shift;
  const float p = exp_of_remainder(c, shifted - shift);
  // In two steps, since 2^k alone may be no float where the product is one.
  const int32_t k = __builtin_bit_cast(int32_t, shifted) - __builtin_bit_cast(int32_t, shift);
  const int32_t first = k >> 1;
  return p * power_of_two(first) * power_of_two(k - first);
}

/// log x = k log 2 + log m, m in [sqrt(1/2), sqrt(2)); within 1 ulp.
CAMEO_DEVICE float log(float x) {
  constexpr uint32_t sqrt_half = 0x3f3504f3;
  constexpr float infinity = __builtin_inff();
  const bool tiny = x < 0x1p-126f;
  // In unsigned numbers, since for a negative x, whose result is another anyway, it wraps.
  const auto bits =
      static_cast<int32_t>(__builtin_bit_cast(uint32_t, tiny ? x * 0x1p25f : x) - sqrt_half);
  const float k = static_cast<float>((bits >> 23) - (tiny ? 25 : 0));
  const float m = __builtin_bit_cast(float, (static_cast<uint32_t>(bits) & 0x7fffff) + sqrt_half);
  // log(1 + f) = 2 s + s R(s^2) with s = f / (2 + f), error of R 1e-9, written so that the largest
  // term f is added last.
  const float f = m - 1.0f;
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float big_r = z * (0x1.55557ap-1f + z * (0x1.995ec6p-2f + z * 0x1.31e364p-2f));
  const float half_square = 0.5f * f * f;
  const float y =
      k * 0x1.62e3p-1f - ((half_square - (s * (half_square + big_r) + k * 0x1.2fefa2p-17f)) - f);
  const float positive = x < infinity ? y : x; // +infinity and NaN
  const float zero = x == 0.0f ? -infinity : positive;
  return x < 0.0f ? __builtin_nanf("") : zero;
}

/// Within 2 ulp.
CAMEO_DEVICE float tanh(float x) {
  const float a = abs(x);
  // (tanh x / x - 1) / x^2 on [0, 0.625], error 5e-9.
  const float z = x * x;
  float q = -0x1.750ce4p-8f;
  q = q * z + 0x1.51f8cep-6f;
  q = q * z - 0x1.b835a4p-5f;
  q = q * z + 0x1.1106f6p-3f;
  q = q * z - 0x1.555532p-2f;
  const float near = x + x * (z * q);
  const float far = 1.0f - 2.0f / (exp(2.0f * a) + 1.0f);
  return copysign(a < 0.625f ? near : far, x);
}

/// Within 2 ulp.
CAMEO_DEVICE float erf(float x) {
  const float a = abs(x);
  // erf x / x - 1 on [0, 1], error 2e-9.
  const float z = x * x;
  float q = 0x1.4ae4dp-14f;
  q = q * z - 0x1.a485ecp-11f;
  q = q * z + 0x1.5419f6p-8f;
  q = q * z - 0x1.b7fbb4p-6f;
  q = q * z + 0x1.ce2d2p-4f;
  q = q * z - 0x1.81273ep-2f;
  q = q * z + 0x1.06eba8p-3f;
  const float near = x + x * q;
  // The fourth root of 1 - erf x on [1, 4], by x - 1, error of erf 9e-9; beyond, erf is 1. A
  // polynomial as the root is, where the logarithm would need an exponential behind it.
  const float t = (a > 4.0f ? 4.0f : a) - 1.0f;
  float root = -0x1.72113p-16f;
  root = root * t - 0x1.bb03f4p-20f;
  root = root * t + 0x1.6f7b54p-10f;
  root = root * t - 0x1.6f9d1p-8f;
  root = root * t - 0x1.db8a7p-9f;
  root = root * t + 0x1.9fdb86p-5f;
  root = root * t + 0x1.1c1224p-8f;
  root = root * t - 0x1.a9754p-2f;
  root = root * t + 0x1.427126p-1f;
  const float square = root * root;
  const float far = 1.0f - square * square;
  return copysign(a < 1.0f ? near : far, x);
}

#endif

/// 1 / (1 + e^-x), without overflow on either side.
template <class T> CAMEO_DEVICE T sigmoid(T x) {
  const T e = exp(-abs(x));
  const T numerator = x < T{0} ? e : T{1};
  return numerator / (T{1} + e);
}

#undef CAMEO_MATH
#undef CAMEO_MATH_FLOAT
#undef CAMEO_MATH_DOUBLE
#undef CAMEO_MATH_BINARY

} // namespace cameo::math
