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
CAMEO_DEVICE float exp_of_negative(float x) { return exp(x); }

#else

/// a * b + c, rounded once where the processor does that in one step, else twice: the functions
/// below keep their bounds either way.
CAMEO_DEVICE float multiply_add(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__FP_FAST_FMAF)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

/// a * b > 0, which may be denormal: a product that is takes a Zen three times as long as a sum of
/// a product and nothing.
CAMEO_DEVICE float small_product(float a, float b) { return multiply_add(a, b, 0.0f); }

/// The greater of x and low < 0, the lesser of x and high > 0; of NaN either. By bits, in whose
/// order floats of one sign are: of comparisons of floats with constants g++ makes a computation
/// for each side, and selects between those.
CAMEO_DEVICE constexpr float not_below(float x, float low) {
  const auto bits = __builtin_bit_cast(uint32_t, x), bound = __builtin_bit_cast(uint32_t, low);
  return __builtin_bit_cast(float, bits < bound ? bits : bound);
}
CAMEO_DEVICE constexpr float not_above(float x, float high) {
  const auto bits = __builtin_bit_cast(int32_t, x), bound = __builtin_bit_cast(int32_t, high);
  return __builtin_bit_cast(float, bits < bound ? bits : bound);
}

/// 2^k for k in [-126, 127]; anything for others.
CAMEO_DEVICE constexpr float power_of_two(int32_t k) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(k + 127) << 23);
}

/// e^(x - n ln 2) where that is at most ln(2) / 2 from 0.
CAMEO_DEVICE float exp_of_remainder(float x, float n) {
  // ln 2 in two parts, the first short enough for n times it to be exact.
  const float r = multiply_add(n, -0x1.7f7d1cp-20f, multiply_add(n, -0x1.62e4p-1f, x));
  // (e^r - 1 - r) / r^2, error 3e-9.
  float q = 0x1.6a48fcp-10f;
  q = multiply_add(q, r, 0x1.12399cp-7f);
  q = multiply_add(q, r, 0x1.5558b4p-5f);
  q = multiply_add(q, r, 0x1.555492p-3f);
  q = multiply_add(q, r, 0x1.fffffcp-2f);
  return 1.0f + multiply_add(r * r, q, r);
}

/// e^x = 2^k e^r, |r| <= ln(2) / 2; within 1.1 ulp.
CAMEO_DEVICE float exp(float x) {
  // Beyond these the result is infinite, or 0.
  const float c = not_above(not_below(x, -104.0f), 89.0f);
  // Adding 1.5 * 2^23 rounds to an integer, which then lies in the low bits.
  constexpr float shift = 0x1.8p23f;
  const float shifted = multiply_add(c, 0x1.715476p+0f, shift);
  const float p = exp_of_remainder(c, shifted - shift);
  // In two steps, since 2^k alone may be no float where the product is one.
  const int32_t k = __builtin_bit_cast(int32_t, shifted) - __builtin_bit_cast(int32_t, shift);
  const int32_t first = k >> 1;
  const float y = small_product(p * power_of_two(first), power_of_two(k - first));
  return x == x ? y : x;
}

/// The same for x <= 0 and NaN, in fewer steps: 2^k is 2^(k + 24), which no k makes too small for
/// an exponent, times a constant.
CAMEO_DEVICE float exp_of_negative(float x) {
  const float c = not_below(x, -104.0f);
  constexpr float shift = 0x1.8p23f + 24;
  const float shifted = multiply_add(c, 0x1.715476p+0f, shift);
  const float p = exp_of_remainder(c, shifted - shift);
  const float y = __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, p) +
                                                (__builtin_bit_cast(uint32_t, shifted) << 23));
  return x == x ? small_product(y, 0x1p-24f) : x;
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
  float q = multiply_add(0x1.31e364p-2f, z, 0x1.995ec6p-2f);
  q = multiply_add(q, z, 0x1.55557ap-1f);
  const float half_square = 0.5f * f * f;
  const float low = multiply_add(k, 0x1.2fefa2p-17f, s * multiply_add(z, q, half_square));
  const float y = multiply_add(k, 0x1.62e3p-1f, f - (half_square - low));
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
  q = multiply_add(q, z, 0x1.51f8cep-6f);
  q = multiply_add(q, z, -0x1.b835a4p-5f);
  q = multiply_add(q, z, 0x1.1106f6p-3f);
  q = multiply_add(q, z, -0x1.555532p-2f);
  const float near = multiply_add(x, z * q, x);
  const float e = exp_of_negative(-2.0f * a);
  const float far = (1.0f - e) / (1.0f + e);
  return copysign(a < 0.625f ? near : far, x);
}

/// Within 2 ulp.
CAMEO_DEVICE float erf(float x) {
  const float a = abs(x);
  // erf x / x - 1 on [0, 1], error 2e-9.
  const float z = x * x;
  float q = 0x1.4ae4dp-14f;
  q = multiply_add(q, z, -0x1.a485ecp-11f);
  q = multiply_add(q, z, 0x1.5419f6p-8f);
  q = multiply_add(q, z, -0x1.b7fbb4p-6f);
  q = multiply_add(q, z, 0x1.ce2d2p-4f);
  q = multiply_add(q, z, -0x1.81273ep-2f);
  q = multiply_add(q, z, 0x1.06eba8p-3f);
  const float near = multiply_add(x, q, x);
  // The fourth root of 1 - erf x on [1, 4], by x - 1, error of erf 9e-9; beyond, erf is 1. A
  // polynomial as the root is, where the logarithm would need an exponential behind it.
  const float t = not_above(a, 4.0f) - 1.0f;
  float root = -0x1.72113p-16f;
  root = multiply_add(root, t, -0x1.bb03f4p-20f);
  root = multiply_add(root, t, 0x1.6f7b54p-10f);
  root = multiply_add(root, t, -0x1.6f9d1p-8f);
  root = multiply_add(root, t, -0x1.db8a7p-9f);
  root = multiply_add(root, t, 0x1.9fdb86p-5f);
  root = multiply_add(root, t, 0x1.1c1224p-8f);
  root = multiply_add(root, t, -0x1.a9754p-2f);
  root = multiply_add(root, t, 0x1.427126p-1f);
  const float square = root * root;
  const float far = multiply_add(-square, square, 1.0f);
  return copysign(a >= 1.0f ? far : near, x); // NaN is in near
}

#endif

CAMEO_DEVICE double exp_of_negative(double x) { return exp(x); }

/// 1 / (1 + e^-x), without overflow on either side.
template <class T> CAMEO_DEVICE T sigmoid(T x) {
  const T e = exp_of_negative(-abs(x));
  const T numerator = x < T{0} ? e : T{1};
  return numerator / (T{1} + e);
}

#undef CAMEO_MATH
#undef CAMEO_MATH_FLOAT
#undef CAMEO_MATH_DOUBLE
#undef CAMEO_MATH_BINARY

} // namespace cameo::math
