// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edge tables of the scalar operations: each row is a promise of scalar.h, and the CUDA target is
// held to the same ones.
#include "cameo/scalar.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

// Inside cameo, as generated code is: elsewhere the C library's div, exp, round compete.
namespace cameo::scalar_test {

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

template <class T> constexpr T low = std::numeric_limits<T>::min();
template <class T> constexpr T high = std::numeric_limits<T>::max();

bool same(float a, float b) {
  return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}
half h(float x) { return from_float<half>(x); }
bfloat16 b(float x) { return from_float<bfloat16>(x); }

} // namespace

TEMPLATE_TEST_CASE("integers wrap", "[scalar]", int8_t, int16_t, int32_t, int64_t, uint8_t,
                   uint16_t, uint32_t, uint64_t) {
  using T = TestType;
  CHECK(add(high<T>, T{1}) == low<T>);
  CHECK(sub(low<T>, T{1}) == high<T>);
  CHECK(mul(high<T>, T{2}) == static_cast<T>(-2));
  CHECK(mul(high<T>, high<T>) == T{1});
  CHECK(neg(low<T>) == (std::is_signed_v<T> ? low<T> : T{0}));
  CHECK(abs(low<T>) == low<T>);
  CHECK(div(T{7}, T{0}) == T{0});
  CHECK(div(low<T>, T{0}) == T{0});
  CHECK(mod(T{7}, T{0}) == T{0});
  CHECK(fmod(T{7}, T{0}) == T{0});
  CHECK(sign(T{0}) == T{0});
  CHECK(sign(high<T>) == T{1});
  CHECK(max(low<T>, high<T>) == high<T>);
  CHECK(min(low<T>, high<T>) == low<T>);
  CHECK(floor(T{3}) == T{3});
  CHECK_FALSE(is_nan(high<T>));
}

TEMPLATE_TEST_CASE("signed division and remainder", "[scalar]", int8_t, int16_t, int32_t, int64_t) {
  using T = TestType;
  CHECK(div(low<T>, T{-1}) == low<T>);
  CHECK(mod(low<T>, T{-1}) == T{0});
  CHECK(fmod(low<T>, T{-1}) == T{0});
  CHECK(div(T{-7}, T{2}) == T{-3});
  for (int a = -9; a <= 9; ++a)
    for (int d = -4; d <= 4; ++d)
      if (d != 0) {
        const T x = static_cast<T>(a), y = static_cast<T>(d);
        CHECK(fmod(x, y) == static_cast<T>(a % d));
        CHECK(mod(x, y) == static_cast<T>(a - d * static_cast<int>(std::floor(double(a) / d))));
      }
  CHECK(sign(low<T>) == T{-1});
  CHECK(abs(T{-5}) == T{5});
}

TEMPLATE_TEST_CASE("shifts by any count", "[scalar]", int8_t, int16_t, int32_t, int64_t, uint8_t,
                   uint16_t, uint32_t, uint64_t) {
  using T = TestType;
  constexpr T width = static_cast<T>(8 * sizeof(T));
  CHECK(shift_left(T{1}, T{3}) == T{8});
  CHECK(shift_left(T{1}, static_cast<T>(width - 1)) ==
        static_cast<T>(std::make_unsigned_t<T>{1} << (width - 1)));
  CHECK(shift_left(T{1}, width) == T{0});
  CHECK(shift_left(T{1}, static_cast<T>(-1)) == T{0});
  CHECK(shift_left(high<T>, T{100}) == T{0});
  CHECK(shift_right(T{9}, T{1}) == T{4});
  CHECK(shift_right(high<T>, width) == T{0});
  CHECK(shift_right(T{5}, static_cast<T>(-1)) == T{0});
  CHECK(shift_right(low<T>, width) == (std::is_signed_v<T> ? static_cast<T>(-1) : T{0}));
  if constexpr (std::is_signed_v<T>) {
    CHECK(shift_right(T{-8}, T{1}) == T{-4});
    CHECK(shift_right(T{-1}, T{-1}) == T{-1});
  }
}

TEST_CASE("bitwise and logical", "[scalar]") {
  CHECK(bit_and(uint8_t{0xf0}, uint8_t{0x3c}) == 0x30);
  CHECK(bit_or(int16_t{-256}, int16_t{1}) == -255);
  CHECK(bit_xor(uint64_t{high<uint64_t>}, uint64_t{1}) == high<uint64_t> - 1);
  CHECK(bit_not(int8_t{0}) == -1);
  CHECK(bit_not(uint8_t{0}) == 255);
  for (const bool x : {false, true})
    for (const bool y : {false, true}) {
      CHECK(logical_and(x, y) == (x && y));
      CHECK(logical_or(x, y) == (x || y));
      CHECK(logical_xor(x, y) == (x != y));
    }
  CHECK(logical_not(false));
}

TEST_CASE("integer powers", "[scalar]") {
  CHECK(pow(int32_t{3}, int32_t{4}) == 81);
  CHECK(pow(int32_t{0}, int32_t{0}) == 1);
  CHECK(pow(int8_t{2}, int8_t{7}) == -128);
  CHECK(pow(int32_t{2}, int64_t{1000}) == 0);
  CHECK(pow(int32_t{2}, int32_t{-1}) == 0);
  CHECK(pow(int32_t{0}, int32_t{-1}) == 0);
  CHECK(pow(int32_t{1}, int32_t{-5}) == 1);
  CHECK(pow(int32_t{-1}, int32_t{-5}) == -1);
  CHECK(pow(int32_t{-1}, int32_t{-4}) == 1);
  CHECK(pow(uint32_t{0xffffffff}, int32_t{-1}) == 0);
  CHECK(pow(int32_t{-1}, low<int32_t>) == 1);
  CHECK(pow(int32_t{9}, 0.5f) == 3);
  CHECK(pow(int32_t{2}, 1000.0) == high<int32_t>);
  CHECK(pow(int32_t{-2}, 0.5f) == low<int32_t>); // of NaN
  CHECK(pow(2.0f, int64_t{10}) == 1024.0f);
  CHECK(pow(2.0f, 0.5) == static_cast<float>(std::pow(2.0, 0.5)));
  CHECK(to_float(pow(h(2.0f), int32_t{3})) == 8.0f);
  CHECK(same(pow(-8.0f, 0.5f), nan_value));
  CHECK(pow(nan_value, 0.0f) == 1.0f);
}

TEST_CASE("min and max of floats", "[scalar]") {
  CHECK(clamp(2.0f, 0.0f, 6.0f) == 2.0f);
  CHECK(clamp(-inf, 0.0f, 6.0f) == 0.0f);
  CHECK(clamp(inf, 0.0f, 6.0f) == 6.0f);
  CHECK(same(clamp(nan_value, 0.0f, 6.0f), nan_value));
  CHECK(to_float(clamp(h(7.0f), h(0.0f), h(6.0f))) == 6.0f);
  CHECK(clamp(-3, -1, 4) == -1);
  CHECK(same(max(nan_value, 1.0f), nan_value));
  CHECK(same(max(1.0f, nan_value), nan_value));
  CHECK(same(min(nan_value, 1.0f), nan_value));
  CHECK(same(min(1.0f, nan_value), nan_value));
  CHECK(max(-inf, inf) == inf);
  CHECK(min(-inf, inf) == -inf);
  CHECK(same(max(-0.0f, 0.0f), -0.0f));
  CHECK(same(min(0.0f, -0.0f), 0.0f));
  for (float x : {-inf, -2.0f, -0.0f, 0.0f, 0.5f, 7.0f, inf, nan_value})
    for (float bound : {-inf, -1.0f, -0.0f, 0.0f, 6.0f, inf}) {
      CHECK(same(at_least(x, opaque(bound)), max(x, bound)));
      CHECK(same(at_most(x, opaque(bound)), min(x, bound)));
      CHECK(same(clamp(x, opaque(bound), opaque(inf)), max(x, bound)));
    }
  CHECK(to_float(at_least(h(-1.0f), h(2.0f))) == 2.0f);
  CHECK(to_float(at_most(b(-1.0f), b(2.0f))) == -1.0f);
  CHECK(is_nan(max(h(1.0f), h(nan_value))));
  CHECK(to_float(max(b(-1.0f), b(2.0f))) == 2.0f);
  CHECK(to_float(min(h(-1.0f), h(2.0f))) == -1.0f);
}

TEST_CASE("sign, abs, neg of floats", "[scalar]") {
  CHECK(same(sign(-0.0f), 0.0f));
  CHECK(same(sign(-3.0f), -1.0f));
  CHECK(same(sign(inf), 1.0f));
  CHECK(same(sign(nan_value), nan_value));
  CHECK(same(abs(-0.0f), 0.0f));
  CHECK(same(abs(-inf), inf));
  CHECK(abs(-2.5) == 2.5);
  CHECK(same(neg(0.0f), -0.0f));
  CHECK(h(-1.0f).bits == neg(h(1.0f)).bits);
  CHECK(reciprocal(4.0f) == 0.25f);
  CHECK(same(reciprocal(-0.0f), -inf));
}

TEST_CASE("remainders of floats", "[scalar]") {
  struct row {
    float a, b, modulo, remainder;
  };
  const std::vector<row> rows = {
      {5, 3, 2, 2},
      {-5, 3, 1, -2},
      {5, -3, -1, 2},
      {-5, -3, -2, -2},
      {6, 3, 0.0f, 0.0f},
      {6, -3, -0.0f, 0.0f},
      {-6, 3, 0.0f, -0.0f},
      {1, 0, nan_value, nan_value},
      {inf, 3, nan_value, nan_value},
      {5, inf, 5, 5},
      {5, -inf, -inf, 5},
      {-5, inf, inf, -5},
      {nan_value, 3, nan_value, nan_value},
      {3, nan_value, nan_value, nan_value},
  };
  for (const row &r : rows) {
    INFO(r.a << " and " << r.b);
    CHECK(same(mod(r.a, r.b), r.modulo));
    CHECK(same(fmod(r.a, r.b), r.remainder));
    CHECK(same(to_float(mod(h(r.a), h(r.b))), r.modulo));
  }
}

TEST_CASE("roundings", "[scalar]") {
  CHECK(round(0.5f) == 0.0f);
  CHECK(round(1.5f) == 2.0f);
  CHECK(round(2.5f) == 2.0f);
  CHECK(same(round(-0.5f), -0.0f));
  CHECK(round(-2.5) == -2.0);
  CHECK(same(floor(-0.0f), -0.0f));
  CHECK(floor(-0.5f) == -1.0f);
  CHECK(same(ceil(-0.5f), -0.0f));
  CHECK(trunc(-1.9f) == -1.0f);
  CHECK(round(h(2.5f)).bits == h(2.0f).bits);
  CHECK(same(round(inf), inf));
}

TEST_CASE("16-bit floats round once per operation", "[scalar]") {
  CHECK(add(h(2048.0f), h(1.0f)).bits == h(2048.0f).bits);
  CHECK(add(h(2048.0f), h(3.0f)).bits == h(2052.0f).bits);
  CHECK(mul(h(300.0f), h(300.0f)).bits == 0x7c00);
  CHECK(mul(h(0x1p-14f), h(0.5f)).bits == h(0x1p-15f).bits);
  CHECK(div(h(1.0f), h(3.0f)).bits == h(1.0f / 3.0f).bits);
  CHECK(sub(b(256.0f), b(1.0f)).bits == b(255.0f).bits);
  CHECK(sqrt(h(2.0f)).bits == h(std::sqrt(2.0f)).bits);
  CHECK(equal(h(0.0f), h(-0.0f)));
  CHECK_FALSE(equal(h(nan_value), h(nan_value)));
  CHECK(less(b(-1.0f), b(1.0f)));
  CHECK_FALSE(less(h(nan_value), h(1.0f)));
  CHECK_FALSE(greater_equal(h(nan_value), h(1.0f)));
  CHECK(less_equal(1, 1));
  CHECK(greater(2u, 1u));
}

TEMPLATE_TEST_CASE("float to integer saturates", "[scalar]", int8_t, int16_t, int32_t, int64_t,
                   uint8_t, uint16_t, uint32_t, uint64_t) {
  using T = TestType;
  const T of_nan = std::is_signed_v<T> && sizeof(T) >= 4 ? low<T> : T{0};
  CHECK(cast<T>(nan_value) == of_nan);
  CHECK(cast<T>(inf) == high<T>);
  CHECK(cast<T>(-inf) == low<T>);
  CHECK(cast<T>(1e30f) == high<T>);
  CHECK(cast<T>(-1e30f) == low<T>);
  CHECK(cast<T>(1e300) == high<T>);
  CHECK(cast<T>(static_cast<double>(std::nan(""))) == of_nan);
  CHECK(cast<T>(3.99f) == T{3});
  CHECK(cast<T>(-0.99f) == T{0});
  CHECK(cast<T>(-3.99) == (std::is_signed_v<T> ? static_cast<T>(-3) : T{0}));
  CHECK(cast<T>(h(nan_value)) == of_nan);
  CHECK(cast<T>(h(100.7f)) == T{100});
  CHECK(cast<T>(true) == T{1});
  // The largest double below the limit is kept, the limit itself saturates.
  const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
  CHECK(cast<T>(limit) == high<T>);
  const double below = std::nextafter(limit, 0.0);
  CHECK(cast<T>(below) == static_cast<T>(below));
  const float below_float = std::nextafter(static_cast<float>(limit), 0.0f);
  CHECK(cast<T>(below_float) == static_cast<T>(below_float));
  CHECK(cast<T>(std::signbit(static_cast<double>(low<T>)) ? -limit : -0.0) == low<T>);
}

TEMPLATE_TEST_CASE("a number becomes a narrow integer in fewer steps", "[scalar]", int8_t, int16_t,
                   uint8_t, uint16_t) {
  using T = TestType;
  for (float x : {-1e30f, -70000.0f, -128.0f, -0.9f, -0.0f, 0.0f, 1.0f, 127.0f, 200.5f, 1e30f}) {
    CHECK(whole_number<T>(x) == int32_t{cast<T>(x)});
    CHECK(whole<T>(x) == int32_t{cast<T>(x)});
    if (x == std::trunc(x))
      CHECK(limited<T>(x) == static_cast<float>(cast<T>(x)));
  }
  CHECK(whole<T>(nan_value) == 0);
  CHECK(limited<T>(inf) == static_cast<float>(high<T>));
  // No NaN is left for a conversion that C++ does not define.
  for (float none : {nan_value, -nan_value})
    CHECK(limited<T>(none) == limited<T>(none));
}

TEMPLATE_TEST_CASE("quantised by rounding, adding, saturating", "[scalar]", int8_t, int16_t,
                   uint8_t, uint16_t) {
  using T = TestType;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> near(-300, 300);
  std::vector<float> numbers = {-inf, -1e30f,  -0x1p22f,   -0x1p-126f, -0.0f, 0.0f,
                                0.5f, 0x1p22f, 8388609.0f, 1e30f,      inf};
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(near(random));
    numbers.push_back(std::trunc(near(random)) + 0.5f);
    numbers.push_back(256 * near(random));
  }
  const T middle = static_cast<T>(low<T> / 2 + high<T> / 2 + 1);
  for (T zero_point : {low<T>, T{0}, T{3}, middle, high<T>})
    for (float x : numbers) {
      const auto zero = static_cast<float>(zero_point);
      const T expected = cast<T>(add(round(x), zero));
      REQUIRE(quantize<T>(x, zero) == expected);
      REQUIRE(static_cast<T>(quantized_bits<T>(x, zero)) == expected);
      REQUIRE(quantized_number<T>(x, zero) == int32_t{expected});
      const float number = quantized<T>(x, zero);
      REQUIRE(number == static_cast<float>(expected));
      REQUIRE(!(number == 0 && std::signbit(number)));
    }
  CHECK(quantize<T>(2.5f) == T{2});
  CHECK(quantized<T>(3.5f) == 4.0f);
}

TEST_CASE("other conversions", "[scalar]") {
  CHECK(cast<int8_t>(int16_t{200}) == -56);
  CHECK(cast<uint8_t>(int32_t{-1}) == 255);
  CHECK(cast<int32_t>(uint64_t{0x100000005}) == 5);
  CHECK(cast<bool>(0.0f) == false);
  CHECK(cast<bool>(-0.0f) == false);
  CHECK(cast<bool>(nan_value) == true);
  CHECK(cast<bool>(0.1f) == true);
  CHECK(cast<bool>(int64_t{1} << 40) == true);
  CHECK(cast<bool>(h(0x1p-24f)) == true);
  CHECK(cast<float>(uint64_t{high<uint64_t>}) == 0x1p64f);
  CHECK(cast<float>(1e300) == inf);
  CHECK(cast<double>(h(0.1f)) == static_cast<double>(to_float(h(0.1f))));
  CHECK(cast<bfloat16>(h(65504.0f)).bits == b(65504.0f).bits);
  CHECK(cast<half>(b(1e20f)).bits == 0x7c00);
  CHECK(cast<float8_e4m3fn>(h(500.0f)).bits == 0x7e);
  CHECK(is_inf(-inf));
  CHECK_FALSE(is_inf(nan_value));
  CHECK_FALSE(is_inf(high<float>));
  CHECK(is_inf(h(inf)));
  CHECK(is_inf(std::numeric_limits<double>::infinity()));
  CHECK(select(true, 1, 2) == 1);
  CHECK(select(false, h(1.0f), h(2.0f)).bits == h(2.0f).bits);
}

namespace {

/// Largest distance in ulp from the function in double, over a range of bit patterns.
template <class F, class G> double worst_ulp(F ours, G exact, float from, float to) {
  double worst = 0;
  const float step = (to - from) / 400003;
  for (int i = 0; i < 400003; ++i) {
    const float x = from + step * static_cast<float>(i);
    const double reference = exact(static_cast<double>(x));
    const float got = ours(x);
    if (std::fabs(reference) < 1.2e-38 || std::isinf(static_cast<float>(reference)))
      continue;
    const auto nearest = static_cast<float>(reference);
    const double ulp = static_cast<double>(std::nextafter(std::fabs(nearest), inf)) -
                       static_cast<double>(std::fabs(nearest));
    worst = std::fmax(worst, std::fabs(static_cast<double>(got) - reference) / ulp);
  }
  return worst;
}

} // namespace

#define CHECK_ULP(name, exact, from, to, limit)                                                    \
  do {                                                                                             \
    const double worst = worst_ulp([](float x) { return cameo::name(x); },                         \
                                   [](double x) { return exact; }, from, to);                      \
    INFO(#name " over [" << from << ", " << to << "]: " << worst << " ulp");                       \
    CHECK(worst <= limit);                                                                         \
  } while (false)

TEST_CASE("functions of float stay within 4 ulp", "[scalar]") {
  CHECK_ULP(exp, std::exp(x), -87.0f, 88.7f, 4);
  CHECK_ULP(expm1, std::expm1(x), -10.0f, 10.0f, 4);
  CHECK_ULP(log, std::log(x), 1e-30f, 1e-20f, 4);
  CHECK_ULP(log, std::log(x), 0.01f, 4.0f, 4);
  CHECK_ULP(log, std::log(x), 4.0f, 1e30f, 4);
  CHECK_ULP(log1p, std::log1p(x), -0.99f, 10.0f, 4);
  CHECK_ULP(tanh, std::tanh(x), -10.0f, 10.0f, 4);
  CHECK_ULP(tanh, std::tanh(x), -1e-3f, 1e-3f, 4);
  CHECK_ULP(sigmoid, 1 / (1 + std::exp(-x)), -80.0f, 20.0f, 4);
  CHECK_ULP(erf, std::erf(x), -5.0f, 5.0f, 4);
  CHECK_ULP(erf, std::erf(x), -1e-3f, 1e-3f, 4);
  CHECK_ULP(sin, std::sin(x), -100.0f, 100.0f, 4);
  CHECK_ULP(cos, std::cos(x), -100.0f, 100.0f, 4);
  CHECK_ULP(sqrt, std::sqrt(x), 0.0f, 1e10f, 0.5);
}

TEST_CASE("special values of the functions", "[scalar]") {
  CHECK(same(exp(-inf), 0.0f));
  CHECK(same(exp(inf), inf));
  CHECK(same(exp(nan_value), nan_value));
  CHECK(same(exp(-nan_value), nan_value));
  CHECK(same(sigmoid(-nan_value), nan_value));
  CHECK(same(exp(100.0f), inf));
  CHECK(same(exp(-200.0f), 0.0f));
  CHECK(exp(0.0f) == 1.0f);
  CHECK(same(log(0.0f), -inf));
  CHECK(same(log(-0.0f), -inf));
  CHECK(same(log(-1.0f), nan_value));
  CHECK(same(log(inf), inf));
  CHECK(same(log(nan_value), nan_value));
  CHECK(log(1.0f) == 0.0f);
  CHECK(std::fabs(log(0x1p-149f) + 103.2789f) < 1e-3f);
  CHECK(same(tanh(inf), 1.0f));
  CHECK(same(tanh(-inf), -1.0f));
  CHECK(same(tanh(-0.0f), -0.0f));
  CHECK(same(tanh(nan_value), nan_value));
  CHECK(same(sigmoid(inf), 1.0f));
  CHECK(same(sigmoid(-inf), 0.0f));
  CHECK(same(sigmoid(-100.0f), static_cast<float>(1 / (1 + std::exp(100.0)))));
  CHECK(same(sigmoid(nan_value), nan_value));
  CHECK(sigmoid(0.0f) == 0.5f);
  CHECK(same(erf(inf), 1.0f));
  CHECK(same(erf(-inf), -1.0f));
  CHECK(same(erf(nan_value), nan_value));
  CHECK(same(erf(-0.0f), -0.0f));
  CHECK(same(sqrt(-1.0f), nan_value));
  CHECK(same(sqrt(-0.0f), -0.0f));
  CHECK(exp(1.0) == std::exp(1.0));
  CHECK(tanh(0.5) == std::tanh(0.5));
}

} // namespace cameo::scalar_test
