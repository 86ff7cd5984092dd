// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar operations of ONNX, one total function each, for host, emulator and device: there is
// no input for which they are undefined. Integers wrap; x / 0 = x mod 0 = 0; INT_MIN / -1 =
// INT_MIN; shifts by the width or more, or by a negative count, shift everything out. Floats are
// IEEE; 16-bit and smaller floats are computed in float and rounded once per operation. + - * /
// sqrt, min, max, floor, comparisons and conversions give the same bits on both sides (NaN payloads
// apart); the transcendental functions agree within 4 ulp. Assumes no contraction
// (-ffp-contract=off, -fmad=false).
#pragma once

#include "cameo/floats.h"
#include "cameo/math.h"
#include "cameo/pack/bits.h"
#include "cameo/philox.h"

namespace cameo {

namespace scalar {

/// The type in which T is computed: float for smaller floats, itself otherwise.
template <class T> using compute_t = std::conditional_t<is_small_float_v<T>, float, T>;

/// An unsigned type of at least 32 bits, in which T's arithmetic wraps and promotes to nothing
/// signed.
template <class T> using wrap_t = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

template <class T> CAMEO_DEVICE constexpr auto widen(T x) {
  if constexpr (is_small_float_v<T>)
    return to_float(x);
  else
    return x;
}
template <class T> CAMEO_DEVICE constexpr T narrow(compute_t<T> x) {
  if constexpr (is_small_float_v<T>)
    return from_float<T>(x);
  else
    return x;
}

template <class T> inline constexpr int width_v = static_cast<int>(8 * sizeof(T));
template <class T>
inline constexpr bool is_integer_v = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class T> CAMEO_DEVICE constexpr T lowest() {
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(wrap_t<T>{1} << (width_v<T> - 1));
  else
    return 0;
}
template <class T> CAMEO_DEVICE constexpr T highest() {
  return static_cast<T>(~static_cast<wrap_t<T>>(lowest<T>()));
}

} // namespace scalar

// ---- Arithmetic ---------------------------------------------------------------------------------

template <class T> CAMEO_DEVICE constexpr T add(T a, T b) {
  using namespace scalar;
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<wrap_t<T>>(a) + static_cast<wrap_t<T>>(b));
  else
    return narrow<T>(widen(a) + widen(b));
}
template <class T> CAMEO_DEVICE constexpr T sub(T a, T b) {
  using namespace scalar;
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<wrap_t<T>>(a) - static_cast<wrap_t<T>>(b));
  else
    return narrow<T>(widen(a) - widen(b));
}
template <class T> CAMEO_DEVICE constexpr T mul(T a, T b) {
  using namespace scalar;
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<wrap_t<T>>(a) * static_cast<wrap_t<T>>(b));
  else
    return narrow<T>(widen(a) * widen(b));
}
/// Integers: towards zero; x / 0 = 0, INT_MIN / -1 = INT_MIN.
template <class T> CAMEO_DEVICE constexpr T div(T a, T b) {
  using namespace scalar;
  if constexpr (is_integer_v<T>) {
    if (b == 0)
      return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == static_cast<T>(-1))
        return sub(T{0}, a);
    return static_cast<T>(a / b);
  } else
    return narrow<T>(widen(a) / widen(b));
}
template <class T> CAMEO_DEVICE constexpr T neg(T x) {
  using namespace scalar;
  if constexpr (is_integer_v<T>)
    return sub(T{0}, x);
  else
    return narrow<T>(-widen(x));
}
/// abs(INT_MIN) = INT_MIN.
template <class T> CAMEO_DEVICE constexpr T abs(T x) {
  using namespace scalar;
  if constexpr (std::is_unsigned_v<T>)
    return x;
  else if constexpr (std::is_integral_v<T>)
    return x < 0 ? sub(T{0}, x) : x;
  else
    return narrow<T>(math::abs(widen(x)));
}
/// -1, 0 or 1; NaN stays.
template <class T> CAMEO_DEVICE constexpr T sign(T x) {
  using namespace scalar;
  if constexpr (std::is_unsigned_v<T>)
    return x != 0;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>((x > 0) - (x < 0));
  else {
    using C = compute_t<T>;
    const C v = widen(x);
    return narrow<T>(v > C{0} ? C{1} : v < C{0} ? C{-1} : v == C{0} ? C{0} : v);
  }
}
/// NaN if either is; of zeros of both signs the first.
template <class T> CAMEO_DEVICE constexpr T max(T a, T b) {
  using namespace scalar;
  if constexpr (std::is_integral_v<T>)
    return a > b ? a : b;
  else {
    const auto x = widen(a), y = widen(b);
    return x < y || y != y ? b : a;
  }
}
template <class T> CAMEO_DEVICE constexpr T min(T a, T b) {
  using namespace scalar;
  if constexpr (std::is_integral_v<T>)
    return a < b ? a : b;
  else {
    const auto x = widen(a), y = widen(b);
    return x > y || y != y ? b : a;
  }
}
/// max(x, low), min(x, high) and both, low <= high, for bounds that are not NaN: an instruction for
/// each bound where it is opaque.
template <class T> CAMEO_DEVICE constexpr T at_least(T x, T low) {
  return scalar::widen(x) < scalar::widen(low) ? low : x;
}
template <class T> CAMEO_DEVICE constexpr T at_most(T x, T high) {
  return scalar::widen(x) > scalar::widen(high) ? high : x;
}
template <class T> CAMEO_DEVICE constexpr T clamp(T x, T low, T high) {
  return at_most(at_least(x, low), high);
}
/// A bound that the compiler does not know to be a constant: of a comparison with a constant and
/// the choice behind it g++ makes two instructions of a vector machine at least.
template <class T> CAMEO_DEVICE T opaque(T bound) {
  volatile T memory = bound;
  return memory;
}
/// The remainder of the division towards zero (Mod, fmod = 1); x fmod 0 = 0 for integers.
template <class T> CAMEO_DEVICE T fmod(T a, T b) {
  using namespace scalar;
  if constexpr (is_integer_v<T>) {
    if (b == 0)
      return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == static_cast<T>(-1))
        return 0;
    return static_cast<T>(a % b);
  } else
    return narrow<T>(math::fmod(widen(a), widen(b)));
}
/// The remainder of the division towards minus infinity (Mod, fmod = 0): it has the sign of b.
template <class T> CAMEO_DEVICE T mod(T a, T b) {
  using namespace scalar;
  if constexpr (std::is_unsigned_v<T>)
    return fmod(a, b);
  else if constexpr (std::is_integral_v<T>) {
    const T r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? add(r, b) : r;
  } else {
    using C = compute_t<T>;
    const C y = widen(b);
    const C r = math::fmod(widen(a), y);
    if (r == C{0})
      return narrow<T>(math::copysign(C{0}, y));
    return narrow<T>((r < C{0}) != (y < C{0}) ? r + y : r);
  }
}
template <class T> CAMEO_DEVICE constexpr T reciprocal(T x) {
  using namespace scalar;
  return narrow<T>(compute_t<T>{1} / widen(x));
}

// ---- Functions of a float -----------------------------------------------------------------------

#define CAMEO_FLOAT_FUNCTION(name)                                                                 \
  template <class T> CAMEO_DEVICE T name(T x) {                                                    \
    static_assert(is_float_v<T>, #name " is defined on floats only");                              \
    return scalar::narrow<T>(math::name(scalar::widen(x)));                                        \
  }
CAMEO_FLOAT_FUNCTION(exp)
CAMEO_FLOAT_FUNCTION(expm1)
CAMEO_FLOAT_FUNCTION(log)
CAMEO_FLOAT_FUNCTION(log1p)
CAMEO_FLOAT_FUNCTION(sqrt)
CAMEO_FLOAT_FUNCTION(sin)
CAMEO_FLOAT_FUNCTION(cos)
CAMEO_FLOAT_FUNCTION(tan)
CAMEO_FLOAT_FUNCTION(asin)
CAMEO_FLOAT_FUNCTION(acos)
CAMEO_FLOAT_FUNCTION(atan)
CAMEO_FLOAT_FUNCTION(sinh)
CAMEO_FLOAT_FUNCTION(cosh)
CAMEO_FLOAT_FUNCTION(tanh)
CAMEO_FLOAT_FUNCTION(asinh)
CAMEO_FLOAT_FUNCTION(acosh)
CAMEO_FLOAT_FUNCTION(atanh)
CAMEO_FLOAT_FUNCTION(erf)
CAMEO_FLOAT_FUNCTION(sigmoid)
#undef CAMEO_FLOAT_FUNCTION

/// Roundings: identity on integers. `round` takes halves to even.
#define CAMEO_ROUNDING(name)                                                                       \
  template <class T> CAMEO_DEVICE T name(T x) {                                                    \
    if constexpr (std::is_integral_v<T>)                                                           \
      return x;                                                                                    \
    else                                                                                           \
      return scalar::narrow<T>(math::name(scalar::widen(x)));                                      \
  }
CAMEO_ROUNDING(floor)
CAMEO_ROUNDING(ceil)
CAMEO_ROUNDING(trunc)
CAMEO_ROUNDING(round)
#undef CAMEO_ROUNDING

template <class T> CAMEO_DEVICE constexpr bool is_nan(T x) {
  if constexpr (is_float_v<T>)
    return scalar::widen(x) != scalar::widen(x);
  else
    return false;
}
template <class T> CAMEO_DEVICE constexpr bool is_inf(T x) {
  if constexpr (is_float_v<T>)
    return math::is_inf(scalar::widen(x));
  else
    return false;
}

// ---- Logic and comparison -----------------------------------------------------------------------

CAMEO_DEVICE constexpr bool logical_and(bool a, bool b) { return a & b; }
CAMEO_DEVICE constexpr bool logical_or(bool a, bool b) { return a | b; }
CAMEO_DEVICE constexpr bool logical_xor(bool a, bool b) { return a != b; }
CAMEO_DEVICE constexpr bool logical_not(bool a) { return !a; }

template <class T> CAMEO_DEVICE constexpr T bit_and(T a, T b) {
  return static_cast<T>(static_cast<scalar::wrap_t<T>>(a) & static_cast<scalar::wrap_t<T>>(b));
}
template <class T> CAMEO_DEVICE constexpr T bit_or(T a, T b) {
  return static_cast<T>(static_cast<scalar::wrap_t<T>>(a) | static_cast<scalar::wrap_t<T>>(b));
}
template <class T> CAMEO_DEVICE constexpr T bit_xor(T a, T b) {
  return static_cast<T>(static_cast<scalar::wrap_t<T>>(a) ^ static_cast<scalar::wrap_t<T>>(b));
}
template <class T> CAMEO_DEVICE constexpr T bit_not(T a) {
  return static_cast<T>(~static_cast<scalar::wrap_t<T>>(a));
}
template <class T> CAMEO_DEVICE constexpr T shift_left(T x, T count) {
  using namespace scalar;
  const auto n = static_cast<std::make_unsigned_t<T>>(count);
  return n >= width_v<T> ? T{0} : static_cast<T>(static_cast<wrap_t<T>>(x) << n);
}
/// Copies of the sign bit come in from the left.
template <class T> CAMEO_DEVICE constexpr T shift_right(T x, T count) {
  using namespace scalar;
  const auto n = static_cast<std::make_unsigned_t<T>>(count);
  constexpr int most = width_v<T> - 1;
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(x >> (n > most ? most : static_cast<int>(n)));
  else
    return n > most ? T{0} : static_cast<T>(x >> n);
}

#define CAMEO_COMPARISON(name, op)                                                                 \
  template <class T> CAMEO_DEVICE constexpr bool name(T a, T b) {                                  \
    return scalar::widen(a) op scalar::widen(b);                                                   \
  }
CAMEO_COMPARISON(equal, ==)
CAMEO_COMPARISON(less, <)
CAMEO_COMPARISON(less_equal, <=)
CAMEO_COMPARISON(greater, >)
CAMEO_COMPARISON(greater_equal, >=)
#undef CAMEO_COMPARISON

template <class T> CAMEO_DEVICE constexpr T select(bool condition, T a, T b) {
  return condition ? a : b;
}

// ---- Random bits --------------------------------------------------------------------------------

/// The first and the second 64 bits of an element's block.
CAMEO_DEVICE constexpr uint64_t random_low(int64_t seed, int64_t draw, int64_t position) {
  const philox_block block = random_block(seed, draw, position);
  return block.words[0] | static_cast<uint64_t>(block.words[1]) << 32;
}
CAMEO_DEVICE constexpr uint64_t random_high(int64_t seed, int64_t draw, int64_t position) {
  const philox_block block = random_block(seed, draw, position);
  return block.words[2] | static_cast<uint64_t>(block.words[3]) << 32;
}

// ---- Conversion ---------------------------------------------------------------------------------

namespace scalar {

/// Limits of a float that becomes an integer of type To: the first value that is too large, exact
/// in any float type, and the least that is not too small.
template <class To, class From>
constexpr From over_v = static_cast<From>(wrap_t<To>{1} << (width_v<To> - 1)) *
                        (std::is_signed_v<To> ? From{1} : From{2});
template <class To, class From>
constexpr From under_v = std::is_signed_v<To> ? -over_v<To, From> : From{0};

/// The integers that are as wide as T.
template <class T> using bits_t = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

/// x within [low, high], low -0 or below and high 0 or above; one of its ends for NaN. Clamped as
/// integers, in whose order floats of one sign are: that vectorises where comparisons of floats
/// become branches.
template <class T> CAMEO_DEVICE constexpr T between(T x, T low, T high) {
  using magnitude = std::make_unsigned_t<bits_t<T>>;
  const auto most = bit_cast<bits_t<T>>(high), value = bit_cast<bits_t<T>>(x);
  const auto least = bit_cast<magnitude>(low);
  // Each a variable: g++ would convert what it chooses from, and see no minimum.
  const bits_t<T> below = value < most ? value : most;
  const auto bits = static_cast<magnitude>(below);
  const magnitude within = bits < least ? bits : least;
  return bit_cast<T>(within);
}

} // namespace scalar

/// x within what To holds, To narrower than 32 bits; one of its ends for NaN. No unsigned one is
/// -0.
template <class To, class From> CAMEO_DEVICE constexpr From limited(From x) {
  static_assert(sizeof(To) < 4);
  constexpr From most = scalar::over_v<To, From> - From{1};
  if constexpr (std::is_signed_v<To>) {
    return scalar::between(x, scalar::under_v<To, From>, most);
  } else {
    using bits = scalar::bits_t<From>;
    const auto value = bit_cast<bits>(x), highest = bit_cast<bits>(most);
    const bits below = value < highest ? value : highest;
    return bit_cast<From>(below > 0 ? below : bits{0});
  }
}

/// cast<To>(x) of a float that is not NaN, To narrower than 32 bits, in 32 bits: as wide as the
/// floats around it, for vectors.
template <class To, class From> CAMEO_DEVICE constexpr int32_t whole_number(From x) {
  return static_cast<int32_t>(limited<To>(x));
}

namespace scalar {

/// A float below 2^22 that is added to this is rounded to a whole number, halves to even, which the
/// low bits of the sum are: from 2^23 to 2^24 floats are one apart.
constexpr float whole_shift = 0x1.8p23f;

/// x within what To holds less the zero point, to the nearest whole number, plus whole_shift.
template <class To> CAMEO_DEVICE constexpr float shifted(float x, float zero_point) {
  static_assert(sizeof(To) < 4);
  constexpr auto low = static_cast<float>(lowest<To>()), high = static_cast<float>(highest<To>());
  return between(x, -(zero_point - low), high - zero_point) + whole_shift;
}

} // namespace scalar

/// x to the nearest whole number, halves to even, plus a zero point, within what To holds, which is
/// narrower than 32 bits. x is not NaN, the zero point one of To's numbers.
template <class To> CAMEO_DEVICE constexpr float quantized(float x, float zero_point = 0) {
  return scalar::shifted<To>(x, zero_point) - (scalar::whole_shift - zero_point);
}
/// The same as an integer, of which the low bits are To's; as one that is the number; and as To.
template <class To> CAMEO_DEVICE constexpr int32_t quantized_bits(float x, float zero_point = 0) {
  return bit_cast<int32_t>(scalar::shifted<To>(x, zero_point)) + static_cast<int32_t>(zero_point);
}
template <class To> CAMEO_DEVICE constexpr int32_t quantized_number(float x, float zero_point = 0) {
  return quantized_bits<To>(x, zero_point) - bit_cast<int32_t>(scalar::whole_shift);
}
template <class To> CAMEO_DEVICE constexpr To quantize(float x, float zero_point = 0) {
  return static_cast<To>(quantized_bits<To>(x, zero_point));
}

/// The same of any float.
template <class To, class From> CAMEO_DEVICE constexpr int32_t whole(From x) {
  // NaN by a mask: g++ makes `NaN ? 0 : integer` of floats again where it becomes one, by a branch.
  const int32_t is_number = x == x ? -1 : 0;
  return is_number & whole_number<To>(x);
}

namespace scalar {

/// Towards zero; beyond the range, its nearer end. NaN gives 0, and the lowest of a signed type of
/// 32 or 64 bits, as NumPy and x86 have it: a shape that was computed from it is then no shape.
template <class To, class From> CAMEO_DEVICE constexpr To float_to_integer(From x) {
  if constexpr (sizeof(To) < 4) {
    // A variable: g++ would choose between two narrow numbers, and vectors would be as narrow.
    const int32_t number = whole<To>(x);
    return static_cast<To>(number);
  } else {
    constexpr From over = over_v<To, From>, under = under_v<To, From>;
    return x >= over ? highest<To>() : x > under ? static_cast<To>(x) : lowest<To>();
  }
}

} // namespace scalar

/// ONNX Cast. Float to integer saturates; integer to integer keeps the low bits;
/// anything but 0 is true. To small floats see from_float; `SATURATE` and `MODE` are the attributes
/// of the operator.
template <class To, bool SATURATE = true, e8m0_round MODE = e8m0_round::up, class From>
CAMEO_DEVICE constexpr To cast(From x) {
  using namespace scalar;
  if constexpr (std::is_same_v<To, From>)
    return x;
  else if constexpr (is_narrow_integer_v<From>)
    return cast<To, SATURATE, MODE>(x.value);
  else if constexpr (is_small_float_v<From>)
    return cast<To, SATURATE, MODE>(to_float(x));
  else if constexpr (std::is_same_v<To, bool>)
    return x != From{0};
  else if constexpr (is_narrow_integer_v<To>)
    return from_low_bits<To>(static_cast<int32_t>(cast<int64_t>(x)));
  else if constexpr (std::is_same_v<To, float8_e8m0>)
    return float8_e8m0{float_format::encode_e8m0(float_format::narrowable(x), SATURATE, MODE)};
  else if constexpr (is_small_float_v<To>)
    return from_float<To>(float_format::narrowable(x), SATURATE);
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    return float_to_integer<To>(x);
  else if constexpr (std::is_floating_point_v<To> && std::is_integral_v<From> && sizeof(From) < 4)
    return static_cast<To>(static_cast<int32_t>(x)); // as wide as what it becomes, for vectors
  else
    return static_cast<To>(x);
}

/// ONNX Pow: the type of the base; computed in double when an integer meets a float. Integer powers
/// wrap; x to a negative integer is 0 unless x is 1 or -1.
template <class T, class E> CAMEO_DEVICE T pow(T base, E exponent) {
  using namespace scalar;
  if constexpr (is_float_v<T>) {
    using C = compute_t<T>;
    if constexpr (std::is_same_v<E, double> && !std::is_same_v<C, double>)
      return cast<T>(math::pow(static_cast<double>(widen(base)), exponent));
    else
      return narrow<T>(math::pow(widen(base), cast<C>(exponent)));
  } else if constexpr (is_float_v<E>)
    return cast<T>(math::pow(static_cast<double>(base), static_cast<double>(widen(exponent))));
  else {
    bool negative = false;
    if constexpr (std::is_signed_v<E>)
      negative = exponent < 0;
    if (negative) {
      if (base == T{1})
        return 1;
      if (add(base, T{1}) == T{0} && std::is_signed_v<T>)
        return exponent & 1 ? base : static_cast<T>(1);
      return 0;
    }
    T result = 1;
    for (auto n = static_cast<std::make_unsigned_t<E>>(exponent); n != 0;
         n = static_cast<decltype(n)>(n >> 1)) {
      if (n & 1)
        result = mul(result, base);
      base = mul(base, base);
    }
    return result;
  }
}

// ---- Packed elements ----------------------------------------------------------------------------

/// Element i of a tensor packed as ONNX packs it: one bit stream, lowest bits first.
template <class T> CAMEO_DEVICE T load_packed(const uint8_t *data, int64_t i) {
  constexpr int bits = element<T>::bits;
  const packed_place at = packed_place::of(i, bits);
  int32_t w = data[at.byte] >> at.shift;
  if constexpr (8 % bits != 0)
    if (at.shift + bits > 8)
      w |= data[at.byte + 1] << (8 - at.shift);
  return from_low_bits<T>(w);
}

/// Packed elements as a pointer to them: only for reading, since a byte has several.
template <class T> class packed {
public:
  packed() = default;
  CAMEO_DEVICE packed(const uint8_t *data) : data_(data) {}
  CAMEO_DEVICE T operator[](int64_t i) const { return load_packed<T>(data_, i); }

private:
  const uint8_t *data_;
};

/// The code of a narrow element, zero-extended.
template <class T> CAMEO_DEVICE constexpr uint32_t code_of(T x) {
  if constexpr (is_narrow_integer_v<T>)
    return static_cast<uint32_t>(x.value) & ((1u << element<T>::bits) - 1);
  else
    return x.bits;
}

/// ONNX BitCast: the same bits as an element of another type of as many.
template <class To, class From> CAMEO_DEVICE constexpr To reinterpret(From x) {
  static_assert(element<To>::bits == element<From>::bits, "reinterpret keeps the bits");
  if constexpr (std::is_same_v<To, From>)
    return x;
  else if constexpr (is_narrow_integer_v<To>)
    return from_low_bits<To>(static_cast<int32_t>(code_of(x)));
  else if constexpr (is_narrow_integer_v<From>)
    return To{static_cast<uint8_t>(code_of(x))};
  else if constexpr (std::is_same_v<To, bool>)
    return bit_cast<uint8_t>(x) != 0;
  else
    return bit_cast<To>(x);
}

/// Packs group number `group` of `count` elements, at most packed_elements_v of them, into whole
/// bytes (missing elements are 0): the unit of parallel work, since a byte must have one writer.
/// `elements[i]` is an element; each is asked for once.
template <class ELEMENTS>
CAMEO_DEVICE void store_packed(uint8_t *data, const ELEMENTS &elements, int64_t group,
                               int64_t count) {
  using T = std::decay_t<decltype(elements[group])>;
  constexpr int per = packed_elements_v<T>, bits = element<T>::bits;
  uint32_t w = 0;
  for (int k = 0; k < per && group * per + k < count; ++k)
    w |= code_of(elements[group * per + k]) << (k * bits);
  const int64_t used = (count - group * per) * bits;
  for (int k = 0; k < packed_bytes_v<T> && 8 * k < used; ++k)
    data[group * packed_bytes_v<T> + k] = static_cast<uint8_t>(w >> (8 * k));
}

// Extents inside kernels, whose operands were checked on the host: no template, so that literals
// may stand for them.
CAMEO_DEVICE constexpr int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
CAMEO_DEVICE constexpr int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }
CAMEO_DEVICE constexpr int64_t floor_div(int64_t a, int64_t b) {
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}
/// With the sign of the divisor.
CAMEO_DEVICE constexpr int64_t floor_mod(int64_t a, int64_t b) {
  return a % b + ((a % b != 0) && ((a < 0) != (b < 0)) ? b : 0);
}

} // namespace cameo
