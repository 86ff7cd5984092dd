// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds the compiler's folding against a kernel's results: every exact function of scalar.h, built
// as kernels are, on edge values and random ones of every type that it is defined on. Faults would
// be a wrong function for an op, wrong types, wrong operands, or wrong compilation.

#include "cameo/scalar.h"

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/Block.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace cameo::prog;

namespace {

mlir::MLIRContext &context() {
  static mlir::MLIRContext instance(mlir::MLIRContext::Threading::DISABLED);
  instance.getOrLoadDialect<ProgDialect>();
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

// Each function and type takes a few lines from here on: there are more than a thousand of them,
// and everything apart from their types is compiled once.

ArrayFunction loopOf(llvm::StringRef name, mlir::Type result, llvm::ArrayRef<mlir::Type> operands,
                     bool isCast, bool saturate) {
  mlir::Location location = mlir::UnknownLoc::get(&context());
  mlir::Block block;
  mlir::OperationState state(location, name);
  for (mlir::Type operand : operands)
    state.addOperands(block.addArgument(operand, location));
  state.addTypes(result);
  if (isCast)
    state.addAttribute("saturate", mlir::BoolAttr::get(&context(), saturate));
  mlir::Operation *op = mlir::Operation::create(state);
  block.push_back(op);
  return mlir::cast<ScalarOpInterface>(op).getArrayFunction();
}

/// The loop that computes `Op` of operands of types X.
template <class Op, class R, class... X> ArrayFunction loopOf(bool saturate = true) {
  return loopOf(Op::getOperationName(), typeOf<R>(), {typeOf<X>()...}, std::is_same_v<Op, SCastOp>,
                saturate);
}

/// Stores an element as the compiler's constants have it: a narrow integer without the sign that
/// scalar.h extends it by.
template <class T> void store(char *to, T value) {
  if constexpr (cameo::is_narrow_integer_v<T>)
    *to = static_cast<char>(cameo::code_of(value));
  else
    std::memcpy(to, &value, sizeof value);
}

/// Whether two stored elements are the same, bit for bit but for the payload of a NaN.
template <class T> bool same(const char *expected, const char *found) {
  if constexpr (cameo::is_float_v<T>) {
    T a, b;
    std::memcpy(&a, expected, sizeof a);
    std::memcpy(&b, found, sizeof b);
    if (cameo::is_nan(a))
      return cameo::is_nan(b);
  }
  return std::memcmp(expected, found, sizeof(T)) == 0;
}

/// Elements of a type that is told by what can be done with them.
struct Elements {
  std::vector<char> bytes;
  size_t size;
  bool (*same)(const char *expected, const char *found);
  std::vector<std::string> described;
};

template <class T> std::string describe(T x) { return std::to_string(cameo::cast<double>(x)); }

template <class T> Elements elementsOf(const std::vector<T> &values) {
  Elements elements{std::vector<char>(values.size() * sizeof(T)), sizeof(T), same<T>, {}};
  for (size_t i = 0; i < values.size(); ++i) {
    store<T>(&elements.bytes[i * sizeof(T)], values[i]);
    elements.described.push_back(describe<T>(values[i]));
  }
  return elements;
}

/// Holds what `loop` makes of `operands` to what was expected.
void compare(ArrayFunction loop, llvm::ArrayRef<Elements> operands, const Elements &expected) {
  REQUIRE(loop);
  llvm::SmallVector<const char *> arrays;
  for (const Elements &operand : operands)
    arrays.push_back(operand.bytes.data());
  std::vector<char> result(expected.bytes.size());
  size_t count = result.size() / expected.size;
  loop(arrays.data(), result.data(), static_cast<int64_t>(count));
  for (size_t i = 0; i < count; ++i) {
    if (expected.same(&expected.bytes[i * expected.size], &result[i * expected.size]))
      continue;
    std::string text = "element " + std::to_string(i) + ", of operands";
    for (const Elements &operand : operands)
      text += " " + operand.described[i];
    FAIL_CHECK(text);
  }
}

/// Holds `loop` to `function`, applied to the elements of `x`, all as long as each other.
template <class Function, class... X>
void check(ArrayFunction loop, Function function, const std::vector<X> &...x) {
  using R = decltype(function(x[0]...));
  size_t count = std::min({x.size()...});
  Elements expected{std::vector<char>(count * sizeof(R)), sizeof(R), same<R>, {}};
  for (size_t i = 0; i < count; ++i)
    store<R>(&expected.bytes[i * sizeof(R)], function(x[i]...));
  compare(loop, {elementsOf(x)...}, expected);
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

/// The edges and as many values of any bits.
template <class T> std::vector<T> samples() {
  std::vector<T> values = edges<T>();
  std::mt19937_64 random(sizeof(T));
  for (size_t count = values.size(); count > 0; --count) {
    uint64_t bits = random();
    T value;
    std::memcpy(&value, &bits, sizeof value);
    if constexpr (cameo::is_narrow_integer_v<T>)
      value = cameo::from_low_bits<T>(static_cast<int32_t>(bits & 15));
    else if constexpr (std::is_same_v<T, bool>)
      value = bits & 1;
    else if constexpr (std::is_same_v<T, cameo::float4_e2m1>)
      value.bits &= 15;
    else if constexpr (std::is_same_v<T, cameo::float6_e2m3> ||
                       std::is_same_v<T, cameo::float6_e3m2>)
      value.bits &= 63;
    values.push_back(value);
  }
  return values;
}

/// Every value of A beside every value of B.
template <class A, class B> std::pair<std::vector<A>, std::vector<B>> pairs() {
  std::pair<std::vector<A>, std::vector<B>> result;
  for (A a : samples<A>())
    for (B b : samples<B>()) {
      result.first.push_back(a);
      result.second.push_back(b);
    }
  return result;
}

} // namespace

#define INTEGER_TYPES int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
#define FLOAT_TYPES cameo::half, cameo::bfloat16, float, double
#define SMALL_FLOAT_TYPES                                                                          \
  cameo::float8_e4m3fn, cameo::float8_e4m3fnuz, cameo::float8_e5m2, cameo::float8_e5m2fnuz,        \
      cameo::float8_e8m0, cameo::float6_e2m3, cameo::float6_e3m2, cameo::float4_e2m1
#define NARROW_TYPES cameo::int4_t, cameo::uint4_t, cameo::int2_t, cameo::uint2_t

#define CHECK_UNARY(Op, function)                                                                  \
  {                                                                                                \
    auto call = [](auto x) { return cameo::function(x); };                                         \
    INFO(#function);                                                                               \
    check(loopOf<Op, decltype(call(T())), T>(), call, samples<T>());                               \
  }
#define CHECK_BINARY(Op, function)                                                                 \
  {                                                                                                \
    auto call = [](auto a, auto b) { return cameo::function(a, b); };                              \
    auto [a, b] = pairs<T, T>();                                                                   \
    INFO(#function);                                                                               \
    check(loopOf<Op, decltype(call(T(), T())), T, T>(), call, a, b);                               \
  }

TEMPLATE_TEST_CASE("arithmetic", "[scalar]", INTEGER_TYPES, FLOAT_TYPES) {
  using T = TestType;
  CHECK_BINARY(SAddOp, add)
  CHECK_BINARY(SSubOp, sub)
  CHECK_BINARY(SMulOp, mul)
  CHECK_BINARY(SDivOp, div)
  CHECK_BINARY(SModOp, mod)
  CHECK_BINARY(SFmodOp, fmod)
  CHECK_UNARY(SNegOp, neg)
  CHECK_UNARY(SAbsOp, abs)
  CHECK_UNARY(SSignOp, sign)
  CHECK_UNARY(SFloorOp, floor)
  CHECK_UNARY(SCeilOp, ceil)
  CHECK_UNARY(SRoundOp, round)
  CHECK_UNARY(SIsNanOp, is_nan)
  CHECK_UNARY(SIsInfOp, is_inf)
}

TEMPLATE_TEST_CASE("order", "[scalar]", bool, INTEGER_TYPES, FLOAT_TYPES) {
  using T = TestType;
  CHECK_BINARY(SMinOp, min)
  CHECK_BINARY(SMaxOp, max)
  CHECK_BINARY(SEqualOp, equal)
  CHECK_BINARY(SLessOp, less)
  CHECK_BINARY(SLessEqualOp, less_equal)
}

TEMPLATE_TEST_CASE("functions of floats", "[scalar]", FLOAT_TYPES) {
  using T = TestType;
  CHECK_UNARY(SSqrtOp, sqrt)
  CHECK_UNARY(SReciprocalOp, reciprocal)
}

TEMPLATE_TEST_CASE("bits", "[scalar]", INTEGER_TYPES) {
  using T = TestType;
  CHECK_BINARY(SBitAndOp, bit_and)
  CHECK_BINARY(SBitOrOp, bit_or)
  CHECK_BINARY(SBitXorOp, bit_xor)
  CHECK_BINARY(SShiftLeftOp, shift_left)
  CHECK_BINARY(SShiftRightOp, shift_right)
  CHECK_UNARY(SBitNotOp, bit_not)
}

TEST_CASE("logic", "[scalar]") {
  using T = bool;
  CHECK_BINARY(SAndOp, logical_and)
  CHECK_BINARY(SOrOp, logical_or)
  CHECK_BINARY(SXorOp, logical_xor)
  CHECK_UNARY(SNotOp, logical_not)
}

namespace {

template <class T, class... Exponents> void checkPowers() {
  auto one = [](auto exponent) {
    auto [a, b] = pairs<T, decltype(exponent)>();
    check(
        loopOf<SPowOp, T, T, decltype(exponent)>(), [](auto x, auto y) { return cameo::pow(x, y); },
        a, b);
  };
  (one(Exponents()), ...);
}

template <class From, class... To> void checkCasts() {
  auto one = [](auto to) {
    using R = decltype(to);
    INFO("to a type of " << sizeof(R) << " bytes");
    check(
        loopOf<SCastOp, R, From>(true), [](From x) { return cameo::cast<R, true>(x); },
        samples<From>());
    check(
        loopOf<SCastOp, R, From>(false), [](From x) { return cameo::cast<R, false>(x); },
        samples<From>());
  };
  (one(To()), ...);
}

} // namespace

TEMPLATE_TEST_CASE("integer powers", "[scalar]", INTEGER_TYPES) {
  checkPowers<TestType, INTEGER_TYPES>();
}

TEMPLATE_TEST_CASE("conversions", "[scalar]", bool, INTEGER_TYPES, FLOAT_TYPES, SMALL_FLOAT_TYPES,
                   NARROW_TYPES) {
  checkCasts<TestType, bool, INTEGER_TYPES, FLOAT_TYPES, SMALL_FLOAT_TYPES, NARROW_TYPES>();
}

TEMPLATE_TEST_CASE("selection", "[scalar]", bool, INTEGER_TYPES, FLOAT_TYPES, SMALL_FLOAT_TYPES,
                   NARROW_TYPES) {
  using T = TestType;
  auto [a, b] = pairs<T, T>();
  std::vector<bool> condition;
  for (size_t i = 0; i < a.size(); ++i)
    condition.push_back(i % 3 == 0);
  check(
      loopOf<SSelectOp, T, bool, T, T>(), [](bool c, T x, T y) { return cameo::select(c, x, y); },
      condition, a, b);
}

TEST_CASE("what host and device need not agree on is not computed", "[scalar]") {
  CHECK_FALSE((loopOf<SExpOp, float, float>()));
  CHECK_FALSE((loopOf<SSigmoidOp, double, double>()));
  CHECK_FALSE((loopOf<SPowOp, float, float, float>()));
  CHECK_FALSE((loopOf<SAddOp, bool, bool, bool>()));
  CHECK_FALSE((loopOf<SAddOp, cameo::int4_t, cameo::int4_t, cameo::int4_t>()));
}
