// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats are computed as scalar.h does it: f64 in double, all others in float, rounded once to
// their type. The host's arithmetic is IEEE's, to nearest even; every value of a smaller type is a
// double.

#include "Dialect/Prog/IR/ScalarValue.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace cameo::prog;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {

/// `value` rounded to a float type narrower than f32.
double roundToSmall(FloatType type, double value, bool saturate) {
  const llvm::fltSemantics &format = type.getFloatSemantics();
  bool hasNan = llvm::APFloat::semanticsHasNaN(format),
       hasInf = llvm::APFloat::semanticsHasInf(format);
  if (std::isnan(value))
    return hasNan ? value : -0.0;
  double largest = llvm::APFloat::getLargest(format).convertToDouble();
  double magnitude = std::fabs(value);
  if (std::isfinite(value) && magnitude != 0) {
    // The distance of two neighbours; below the least exponent, of denormals.
    int exponent =
        std::max(std::ilogb(magnitude), int(llvm::APFloat::semanticsMinExponent(format)));
    int last = exponent - static_cast<int>(llvm::APFloat::semanticsPrecision(format)) + 1;
    magnitude = std::ldexp(std::nearbyint(std::ldexp(magnitude, -last)), last);
  }
  if (magnitude > largest) {
    // Only floats of 8 bits have a choice.
    bool clamps = type.getWidth() < 8 || (type.getWidth() == 8 && saturate);
    magnitude = clamps ? largest : hasInf ? INFINITY : NAN;
  }
  if (magnitude == 0 && llvm::APFloat::getZero(format, /*Negative=*/true).bitcastToAPInt() ==
                            llvm::APFloat::getZero(format).bitcastToAPInt())
    return 0;
  return std::copysign(magnitude, value);
}

/// The number whose code is `code`.
double decode(FloatType type, uint64_t code) {
  llvm::APFloat value(type.getFloatSemantics(), APInt(type.getWidth(), code, false, true));
  if (value.isNaN())
    return NAN;
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

llvm::APFloat encode(FloatType type, double number) {
  const llvm::fltSemantics &format = type.getFloatSemantics();
  if (std::isnan(number))
    return llvm::APFloat::getNaN(format);
  llvm::APFloat value(number);
  bool losesInfo;
  value.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

/// Whether a float type has a sign, as all but e8m0 have.
bool isSignedFloat(FloatType type) {
  return llvm::APFloat::semanticsHasSignedRepr(type.getFloatSemantics());
}

} // namespace

unsigned cameo::prog::getScalarBytes(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

ScalarValue ScalarValue::integer(Type type, uint64_t value) {
  ScalarValue result;
  result.type = type;
  unsigned width = cast<IntegerType>(type).getWidth();
  result.bits = value & llvm::maskTrailingOnes<uint64_t>(width);
  if (result.isSigned())
    result.bits = static_cast<uint64_t>(llvm::SignExtend64(result.bits, width));
  return result;
}

ScalarValue ScalarValue::real(Type type, double value, bool saturate) {
  auto floatType = cast<FloatType>(type);
  if (!isSignedFloat(floatType))
    return {};
  ScalarValue result;
  result.type = type;
  result.number = type.isF64()                 ? value
                  : floatType.getWidth() >= 32 ? static_cast<double>(static_cast<float>(value))
                                               : roundToSmall(floatType, value, saturate);
  return result;
}

ScalarValue ScalarValue::boolean(MLIRContext *context, bool value) {
  return integer(IntegerType::get(context, 1), value);
}

ScalarValue ScalarValue::fromAttr(Attribute attr) {
  auto typed = dyn_cast_or_null<TypedAttr>(attr);
  if (auto integerAttr = dyn_cast_or_null<IntegerAttr>(typed);
      integerAttr && isa<IntegerType>(typed.getType()) &&
      integerAttr.getValue().getBitWidth() <= 64)
    return integer(typed.getType(), integerAttr.getValue().getZExtValue());
  auto floatAttr = dyn_cast_or_null<FloatAttr>(typed);
  if (!floatAttr || floatAttr.getType().getIntOrFloatBitWidth() > 64)
    return {};
  ScalarValue result;
  result.type = floatAttr.getType();
  result.number =
      decode(cast<FloatType>(result.type), floatAttr.getValue().bitcastToAPInt().getZExtValue());
  return result;
}

ScalarValue ScalarValue::load(Type type, const char *bytes) {
  uint64_t code = 0;
  std::memcpy(&code, bytes, getScalarBytes(type));
  if (isa<IntegerType>(type))
    return integer(type, code);
  ScalarValue result;
  result.type = type;
  result.number = decode(cast<FloatType>(type), code);
  return result;
}

TypedAttr ScalarValue::toAttr() const {
  if (isInteger())
    return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), bits, false, true));
  return FloatAttr::get(type, encode(cast<FloatType>(type), number));
}

void ScalarValue::store(char *bytes) const {
  uint64_t code = bits;
  if (!isInteger())
    code = encode(cast<FloatType>(type), number).bitcastToAPInt().getZExtValue();
  else if (type.getIntOrFloatBitWidth() < 8)
    code &= llvm::maskTrailingOnes<uint64_t>(type.getIntOrFloatBitWidth());
  std::memcpy(bytes, &code, getScalarBytes(type));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

namespace {

/// Whether scalar.h has arithmetic on integers of this type: not on truth values and what has less
/// than a byte.
bool hasArithmetic(ScalarValue x) {
  return !x.isInteger() || getScalarBytes(x.getType()) * 8 == x.getType().getIntOrFloatBitWidth();
}

/// `function` of floats, computed in the type that scalar.h computes it in.
template <class Function, class... Values>
ScalarValue onReals(Type type, Function function, Values... x) {
  if (type.isF64())
    return ScalarValue::real(type, function(x.getReal()...));
  return ScalarValue::real(type, static_cast<double>(function(static_cast<float>(x.getReal())...)));
}

/// `onIntegers` takes and gives the bits, extended to 64.
template <class Integers, class Reals>
ScalarValue binary(ScalarValue a, ScalarValue b, Integers onIntegers, Reals reals) {
  if (!hasArithmetic(a))
    return {};
  if (a.isInteger())
    return ScalarValue::integer(a.getType(), onIntegers(a.getInteger(), b.getInteger()));
  return onReals(a.getType(), reals, a, b);
}

template <class Integers, class Reals>
ScalarValue unary(ScalarValue x, Integers onIntegers, Reals reals) {
  if (!hasArithmetic(x))
    return {};
  if (x.isInteger())
    return ScalarValue::integer(x.getType(), onIntegers(x.getInteger()));
  return onReals(x.getType(), reals, x);
}

/// A function that is the identity on integers.
template <class Reals> ScalarValue rounding(ScalarValue x, Reals reals) {
  return unary(
      x, [](uint64_t bits) { return bits; }, reals);
}

int64_t asSigned(uint64_t bits) { return static_cast<int64_t>(bits); }

/// The remainder of the division towards zero; 0 for a divisor of 0.
uint64_t remainder(uint64_t a, uint64_t b, bool isSigned) {
  if (b == 0 || (isSigned && asSigned(b) == -1))
    return 0;
  return isSigned ? static_cast<uint64_t>(asSigned(a) % asSigned(b)) : a % b;
}

/// Whether a < b.
bool isLess(ScalarValue a, ScalarValue b) {
  if (!a.isInteger())
    return a.getReal() < b.getReal();
  return a.isSigned() ? asSigned(a.getInteger()) < asSigned(b.getInteger())
                      : a.getInteger() < b.getInteger();
}

bool isEqual(ScalarValue a, ScalarValue b) {
  return a.isInteger() ? a.getInteger() == b.getInteger() : a.getReal() == b.getReal();
}

bool isNanValue(ScalarValue x) { return !x.isInteger() && std::isnan(x.getReal()); }

ScalarValue truth(ScalarValue like, bool value) {
  return ScalarValue::boolean(like.getType().getContext(), value);
}

} // namespace

ScalarValue cameo::prog::scalars::add(ScalarValue a, ScalarValue b) {
  return binary(
      a, b, [](uint64_t x, uint64_t y) { return x + y; }, [](auto x, auto y) { return x + y; });
}
ScalarValue cameo::prog::scalars::sub(ScalarValue a, ScalarValue b) {
  return binary(
      a, b, [](uint64_t x, uint64_t y) { return x - y; }, [](auto x, auto y) { return x - y; });
}
ScalarValue cameo::prog::scalars::mul(ScalarValue a, ScalarValue b) {
  return binary(
      a, b, [](uint64_t x, uint64_t y) { return x * y; }, [](auto x, auto y) { return x * y; });
}

ScalarValue cameo::prog::scalars::div(ScalarValue a, ScalarValue b) {
  auto onIntegers = [&](uint64_t x, uint64_t y) -> uint64_t {
    if (y == 0)
      return 0;
    if (!a.isSigned())
      return x / y;
    return asSigned(y) == -1 ? 0 - x : static_cast<uint64_t>(asSigned(x) / asSigned(y));
  };
  return binary(a, b, onIntegers, [](auto x, auto y) { return x / y; });
}

ScalarValue cameo::prog::scalars::fmod(ScalarValue a, ScalarValue b) {
  return binary(
      a, b, [&](uint64_t x, uint64_t y) { return remainder(x, y, a.isSigned()); },
      [](auto x, auto y) { return std::fmod(x, y); });
}

ScalarValue cameo::prog::scalars::mod(ScalarValue a, ScalarValue b) {
  auto onIntegers = [&](uint64_t x, uint64_t y) {
    uint64_t rest = remainder(x, y, a.isSigned());
    bool otherSide = a.isSigned() && rest != 0 && (asSigned(rest) < 0) != (asSigned(y) < 0);
    return otherSide ? rest + y : rest;
  };
  return binary(a, b, onIntegers, [](auto x, auto y) {
    auto rest = std::fmod(x, y);
    if (rest == 0)
      return std::copysign(decltype(y)(0), y);
    return (rest < 0) != (y < 0) ? rest + y : rest;
  });
}

ScalarValue cameo::prog::scalars::pow(ScalarValue a, ScalarValue b) {
  if (!a.isInteger() || !b.isInteger() || !hasArithmetic(a) || !hasArithmetic(b))
    return {};
  ScalarValue one = ScalarValue::integer(a.getType(), 1);
  if (b.isSigned() && asSigned(b.getInteger()) < 0) {
    bool isMinusOne = a.isSigned() && asSigned(a.getInteger()) == -1;
    if (isEqual(a, one) || (isMinusOne && b.getInteger() % 2 != 0))
      return a;
    return isMinusOne ? one : ScalarValue::integer(a.getType(), 0);
  }
  uint64_t result = 1, base = a.getInteger();
  for (uint64_t rest = b.getInteger(); rest != 0; rest >>= 1) {
    if (rest & 1)
      result *= base;
    base *= base;
  }
  return ScalarValue::integer(a.getType(), result);
}

ScalarValue cameo::prog::scalars::max(ScalarValue a, ScalarValue b) {
  return isNanValue(a) || isLess(b, a) ? a : b;
}
ScalarValue cameo::prog::scalars::min(ScalarValue a, ScalarValue b) {
  return isNanValue(a) || isLess(a, b) ? a : b;
}

ScalarValue cameo::prog::scalars::neg(ScalarValue x) {
  return unary(
      x, [](uint64_t bits) { return 0 - bits; }, [](auto number) { return -number; });
}
ScalarValue cameo::prog::scalars::abs(ScalarValue x) {
  auto onIntegers = [&](uint64_t bits) {
    return x.isSigned() && asSigned(bits) < 0 ? 0 - bits : bits;
  };
  return unary(x, onIntegers, [](auto number) { return std::fabs(number); });
}
ScalarValue cameo::prog::scalars::sign(ScalarValue x) {
  auto onIntegers = [&](uint64_t bits) {
    return bits == 0 ? 0 : x.isSigned() && asSigned(bits) < 0 ? ~uint64_t(0) : 1;
  };
  return unary(x, onIntegers, [](auto number) {
    using Number = decltype(number);
    return number > 0 ? Number(1) : number < 0 ? Number(-1) : number == 0 ? Number(0) : number;
  });
}
ScalarValue cameo::prog::scalars::reciprocal(ScalarValue x) {
  if (x.isInteger())
    return {};
  return onReals(
      x.getType(), [](auto number) { return 1 / number; }, x);
}
ScalarValue cameo::prog::scalars::floor(ScalarValue x) {
  return rounding(x, [](auto number) { return std::floor(number); });
}
ScalarValue cameo::prog::scalars::ceil(ScalarValue x) {
  return rounding(x, [](auto number) { return std::ceil(number); });
}
ScalarValue cameo::prog::scalars::round(ScalarValue x) {
  return rounding(x, [](auto number) { return std::nearbyint(number); });
}
ScalarValue cameo::prog::scalars::sqrt(ScalarValue x) {
  if (x.isInteger())
    return {};
  return onReals(
      x.getType(), [](auto number) { return std::sqrt(number); }, x);
}

//===----------------------------------------------------------------------===//
// Logic and bits
//===----------------------------------------------------------------------===//

ScalarValue cameo::prog::scalars::logicalAnd(ScalarValue a, ScalarValue b) {
  return truth(a, a.getInteger() & b.getInteger());
}
ScalarValue cameo::prog::scalars::logicalOr(ScalarValue a, ScalarValue b) {
  return truth(a, a.getInteger() | b.getInteger());
}
ScalarValue cameo::prog::scalars::logicalXor(ScalarValue a, ScalarValue b) {
  return truth(a, a.getInteger() != b.getInteger());
}
ScalarValue cameo::prog::scalars::logicalNot(ScalarValue x) { return truth(x, !x.getInteger()); }

ScalarValue cameo::prog::scalars::bitAnd(ScalarValue a, ScalarValue b) {
  return ScalarValue::integer(a.getType(), a.getInteger() & b.getInteger());
}
ScalarValue cameo::prog::scalars::bitOr(ScalarValue a, ScalarValue b) {
  return ScalarValue::integer(a.getType(), a.getInteger() | b.getInteger());
}
ScalarValue cameo::prog::scalars::bitXor(ScalarValue a, ScalarValue b) {
  return ScalarValue::integer(a.getType(), a.getInteger() ^ b.getInteger());
}
ScalarValue cameo::prog::scalars::bitNot(ScalarValue x) {
  return ScalarValue::integer(x.getType(), ~x.getInteger());
}

/// A shift count is taken without its sign, so that a negative one is too large.
static uint64_t getShift(ScalarValue count) {
  return count.getInteger() &
         llvm::maskTrailingOnes<uint64_t>(count.getType().getIntOrFloatBitWidth());
}
ScalarValue cameo::prog::scalars::shiftLeft(ScalarValue x, ScalarValue count) {
  uint64_t shift = getShift(count);
  bool isOut = shift >= x.getType().getIntOrFloatBitWidth();
  return ScalarValue::integer(x.getType(), isOut ? 0 : x.getInteger() << shift);
}
ScalarValue cameo::prog::scalars::shiftRight(ScalarValue x, ScalarValue count) {
  uint64_t shift = getShift(count);
  if (x.isSigned())
    return ScalarValue::integer(x.getType(),
                                asSigned(x.getInteger()) >> std::min<uint64_t>(shift, 63));
  return ScalarValue::integer(x.getType(), shift > 63 ? 0 : x.getInteger() >> shift);
}

//===----------------------------------------------------------------------===//
// Comparison and conversion
//===----------------------------------------------------------------------===//

ScalarValue cameo::prog::scalars::equal(ScalarValue a, ScalarValue b) {
  return truth(a, isEqual(a, b));
}
ScalarValue cameo::prog::scalars::less(ScalarValue a, ScalarValue b) {
  return truth(a, isLess(a, b));
}
ScalarValue cameo::prog::scalars::lessEqual(ScalarValue a, ScalarValue b) {
  return truth(a, isLess(a, b) || isEqual(a, b));
}
ScalarValue cameo::prog::scalars::isNan(ScalarValue x) { return truth(x, isNanValue(x)); }
ScalarValue cameo::prog::scalars::isInf(ScalarValue x) {
  return truth(x, !x.isInteger() && std::isinf(x.getReal()));
}

namespace {

/// Towards zero; NaN gives 0; beyond the range, its nearer end.
uint64_t toInteger(double x, unsigned width, bool isSigned) {
  double over = std::ldexp(1.0, static_cast<int>(isSigned ? width - 1 : width));
  if (std::isnan(x))
    return 0;
  if (x >= over)
    return llvm::maskTrailingOnes<uint64_t>(isSigned ? width - 1 : width);
  if (!isSigned)
    return x > 0 ? static_cast<uint64_t>(x) : 0;
  return static_cast<uint64_t>(x > -over ? static_cast<int64_t>(x) : static_cast<int64_t>(-over));
}

/// An integer as a float of 16 bits or more, rounded once; smaller ones have no integer that is not
/// a double in their range.
double toReal(ScalarValue x, FloatType type) {
  APInt bits(64, x.getInteger());
  const llvm::fltSemantics &format =
      type.getWidth() < 16 ? llvm::APFloat::IEEEdouble() : type.getFloatSemantics();
  llvm::APFloat value(format);
  value.convertFromAPInt(bits, x.isSigned(), llvm::APFloat::rmNearestTiesToEven);
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

} // namespace

ScalarValue cameo::prog::scalars::cast(ScalarValue x, Type type, bool saturate) {
  if (x.getType() == type)
    return x;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    double number = x.isInteger() ? toReal(x, floatType) : x.getReal();
    return ScalarValue::real(type, number, saturate);
  }
  auto integerType = dyn_cast<IntegerType>(type);
  if (!integerType)
    return {};
  if (type.isInteger(1))
    return truth(x, x.isInteger() ? x.getInteger() != 0 : x.getReal() != 0);
  if (x.isInteger())
    return ScalarValue::integer(type, x.getInteger());
  // Below a byte the low bits of what 64 have.
  bool isNarrow = integerType.getWidth() < 8;
  return ScalarValue::integer(
      type, isNarrow ? toInteger(x.getReal(), 64, true)
                     : toInteger(x.getReal(), integerType.getWidth(), !integerType.isUnsigned()));
}
