// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds what the compiler folds to what the runtime computes: every function that has a twin in
// ScalarValue.h, on edge values of every type that it is defined on.

#include "cameo/scalar.h"

#include "Dialect/Prog/IR/ScalarValue.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using cameo::prog::ScalarValue;
namespace scalars = cameo::prog::scalars;

namespace {

mlir::MLIRContext &context() {
  static mlir::MLIRContext instance(mlir::MLIRContext::Threading::DISABLED);
  return instance;
}

template <class T> mlir::Type typeOf() {
  mlir::MLIRContext *c = &context();
  if constexpr (std::is_same_v<T, bool>)
    return mlir::IntegerType::get(c, 1);
  else if constexpr (std::is_integral_v<T>)
    return mlir::IntegerType::get(c, 8 * sizeof(T),
                                  std::is_signed_v<T> ? mlir::IntegerType::Signless
                                                      : mlir::IntegerType::Unsigned);
  else if constexpr (std::is_same_v<T, cameo::int4_t>)
    return mlir::IntegerType::get(c, 4);
  else if constexpr (std::is_same_v<T, cameo::uint4_t>)
    return mlir::IntegerType::get(c, 4, mlir::IntegerType::Unsigned);
  else if constexpr (std::is_same_v<T, cameo::int2_t>)
    return mlir::IntegerType::get(c, 2);
  else if constexpr (std::is_same_v<T, cameo::uint2_t>)
    return mlir::IntegerType::get(c, 2, mlir::IntegerType::Unsigned);
  else if constexpr (std::is_same_v<T, cameo::half>)
    return mlir::Float16Type::get(c);
  else if constexpr (std::is_same_v<T, cameo::bfloat16>)
    return mlir::BFloat16Type::get(c);
  else if constexpr (std::is_same_v<T, float>)
    return mlir::Float32Type::get(c);
  else if constexpr (std::is_same_v<T, double>)
    return mlir::Float64Type::get(c);
  else if constexpr (std::is_same_v<T, cameo::float8_e4m3fn>)
    return mlir::Float8E4M3FNType::get(c);
  else if constexpr (std::is_same_v<T, cameo::float8_e4m3fnuz>)
    return mlir::Float8E4M3FNUZType::get(c);
  else if constexpr (std::is_same_v<T, cameo::float8_e5m2>)
    return mlir::Float8E5M2Type::get(c);
  else if constexpr (std::is_same_v<T, cameo::float8_e5m2fnuz>)
    return mlir::Float8E5M2FNUZType::get(c);
  else if constexpr (std::is_same_v<T, cameo::float8_e8m0>)
    return mlir::Float8E8M0FNUType::get(c);
  else if constexpr (std::is_same_v<T, cameo::float6_e2m3>)
    return mlir::Float6E2M3FNType::get(c);
  else if constexpr (std::is_same_v<T, cameo::float6_e3m2>)
    return mlir::Float6E3M2FNType::get(c);
  else
    return mlir::Float4E2M1FNType::get(c);
}

template <class T> ScalarValue known(T x) {
  char bytes[8] = {};
  std::memcpy(bytes, &x, sizeof x);
  return ScalarValue::load(typeOf<T>(), bytes);
}

/// Whether the compiler's value is the runtime's, bit for bit but for the payload of a NaN.
template <class T> bool same(T expected, ScalarValue got) {
  if (!got || got.getType() != typeOf<T>())
    return false;
  char bytes[8] = {};
  got.store(bytes);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (cameo::is_float_v<T>)
    if (cameo::is_nan(expected))
      return cameo::is_nan(value);
  // Narrow integers lie in memory without the sign that the runtime extends them by.
  if constexpr (cameo::is_narrow_integer_v<T>)
    return cameo::code_of(value) == cameo::code_of(expected);
  return std::memcmp(&value, &expected, sizeof value) == 0;
}

template <class T> std::vector<T> edges() {
  std::vector<T> values;
  if constexpr (std::is_same_v<T, bool>) {
    values = {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    for (int64_t small : {0, 1, 2, 3, 5, 7, 8, 31, 63, 64, 100, -1, -2, -3, -7, -8, -100})
      values.push_back(static_cast<T>(small));
    for (int shift = 0; shift < 8 * static_cast<int>(sizeof(T)); shift += 3)
      values.push_back(static_cast<T>((uint64_t{1} << shift) * 3 - 1));
    values.push_back(std::numeric_limits<T>::min());
    values.push_back(std::numeric_limits<T>::max());
    values.push_back(static_cast<T>(std::numeric_limits<T>::max() - 1));
  } else if constexpr (cameo::is_narrow_integer_v<T>) {
    for (int code = 0; code < 16; ++code)
      values.push_back(cameo::from_low_bits<T>(code));
  } else {
    for (double x : {0.0,
                     1.0,
                     0.1,
                     0.5,
                     1.5,
                     2.5,
                     3.5,
                     0.3,
                     7.0,
                     127.5,
                     255.0,
                     448.0,
                     449.0,
                     464.0,
                     480.0,
                     57344.0,
                     61440.0,
                     65504.0,
                     65520.0,
                     1e5,
                     2147483648.0,
                     4294967296.0,
                     9223372036854775808.0,
                     18446744073709551616.0,
                     1e30,
                     1e300,
                     1e-3,
                     1e-5,
                     6e-8,
                     3e-8,
                     1e-40,
                     1e-310,
                     1.0009765625,
                     1.00048828125,
                     1.0000000001,
                     double(INFINITY)})
      for (double sign : {1.0, -1.0})
        values.push_back(cameo::cast<T, false>(sign * x));
    values.push_back(cameo::cast<T>(double(NAN)));
  }
  return values;
}

} // namespace

#define INTEGER_TYPES int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
#define FLOAT_TYPES cameo::half, cameo::bfloat16, float, double
#define SMALL_FLOAT_TYPES                                                                          \
  cameo::float8_e4m3fn, cameo::float8_e4m3fnuz, cameo::float8_e5m2, cameo::float8_e5m2fnuz,        \
      cameo::float6_e2m3, cameo::float6_e3m2, cameo::float4_e2m1
#define NARROW_TYPES cameo::int4_t, cameo::uint4_t, cameo::int2_t, cameo::uint2_t

#define CHECK_BINARY(function, twin)                                                               \
  for (T a : edges<T>())                                                                           \
    for (T b : edges<T>()) {                                                                       \
      INFO(#function << " of " << double(cameo::cast<double>(a)) << " and "                        \
                     << double(cameo::cast<double>(b)));                                           \
      CHECK(same(cameo::function(a, b), scalars::twin(known(a), known(b))));                       \
    }
#define CHECK_UNARY(function, twin)                                                                \
  for (T x : edges<T>()) {                                                                         \
    INFO(#function << " of " << double(cameo::cast<double>(x)));                                   \
    CHECK(same(cameo::function(x), scalars::twin(known(x))));                                      \
  }

TEMPLATE_TEST_CASE("arithmetic", "[scalar]", INTEGER_TYPES, FLOAT_TYPES) {
  using T = TestType;
  CHECK_BINARY(add, add)
  CHECK_BINARY(sub, sub)
  CHECK_BINARY(mul, mul)
  CHECK_BINARY(div, div)
  CHECK_BINARY(mod, mod)
  CHECK_BINARY(fmod, fmod)
  CHECK_BINARY(min, min)
  CHECK_BINARY(max, max)
  CHECK_BINARY(equal, equal)
  CHECK_BINARY(less, less)
  CHECK_BINARY(less_equal, lessEqual)
  CHECK_UNARY(neg, neg)
  CHECK_UNARY(abs, abs)
  CHECK_UNARY(sign, sign)
  CHECK_UNARY(floor, floor)
  CHECK_UNARY(ceil, ceil)
  CHECK_UNARY(round, round)
  CHECK_UNARY(is_nan, isNan)
  CHECK_UNARY(is_inf, isInf)
}

TEMPLATE_TEST_CASE("functions of floats", "[scalar]", FLOAT_TYPES) {
  using T = TestType;
  CHECK_UNARY(sqrt, sqrt)
  CHECK_UNARY(reciprocal, reciprocal)
}

TEMPLATE_TEST_CASE("bits and integer powers", "[scalar]", INTEGER_TYPES) {
  using T = TestType;
  CHECK_BINARY(bit_and, bitAnd)
  CHECK_BINARY(bit_or, bitOr)
  CHECK_BINARY(bit_xor, bitXor)
  CHECK_BINARY(shift_left, shiftLeft)
  CHECK_BINARY(shift_right, shiftRight)
  CHECK_BINARY(pow, pow)
  CHECK_UNARY(bit_not, bitNot)
}

TEST_CASE("logic", "[scalar]") {
  using T = bool;
  CHECK_BINARY(logical_and, logicalAnd)
  CHECK_BINARY(logical_or, logicalOr)
  CHECK_BINARY(logical_xor, logicalXor)
  CHECK_BINARY(equal, equal)
  CHECK_BINARY(max, max)
  CHECK_UNARY(logical_not, logicalNot)
}

namespace {

template <class From, class To> void checkCast() {
  for (From x : edges<From>()) {
    INFO("cast of " << double(cameo::cast<double>(x)) << " to a type of " << sizeof(To)
                    << " bytes");
    CHECK(same(cameo::cast<To, true>(x), scalars::cast(known(x), typeOf<To>(), true)));
    CHECK(same(cameo::cast<To, false>(x), scalars::cast(known(x), typeOf<To>(), false)));
  }
}
template <class From, class... To> void checkCasts() { (checkCast<From, To>(), ...); }

} // namespace

TEMPLATE_TEST_CASE("conversions", "[scalar]", bool, INTEGER_TYPES, FLOAT_TYPES, SMALL_FLOAT_TYPES,
                   NARROW_TYPES, cameo::float8_e8m0) {
  checkCasts<TestType, bool, INTEGER_TYPES, FLOAT_TYPES, SMALL_FLOAT_TYPES, NARROW_TYPES>();
}

TEST_CASE("what host and device need not agree on is not computed", "[scalar]") {
  CHECK_FALSE(scalars::pow(known(2.0f), known(0.5f)));
  CHECK_FALSE(scalars::cast(known(2.0f), typeOf<cameo::float8_e8m0>(), true));
  CHECK_FALSE(scalars::add(known(true), known(true)));
}
