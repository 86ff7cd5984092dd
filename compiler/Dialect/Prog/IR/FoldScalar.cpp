// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of scalar ops at compile time: as constants, and as extents.

#include "Dialect/Prog/IR/ProgDialect.h"
#include "Dialect/Prog/IR/ScalarValue.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::prog;

ExtentAttr cameo::prog::truncatingDiv(ExtentAttr a, ExtentAttr b, const ExtentFacts &facts) {
  ExtentRange dividend = range(a, facts), divisor = range(b, facts);
  if (dividend.atLeast(0) && divisor.atLeast(1))
    return a.floorDiv(b);
  std::optional<int64_t> x = a.getConstant(), y = b.getConstant();
  if (x && y && *y != 0 && !(*x == INT64_MIN && *y == -1))
    return ExtentAttr::constant(a.getContext(), *x / *y);
  return {};
}

ExtentAttr cameo::prog::flooringMod(ExtentAttr a, ExtentAttr b, const ExtentFacts &facts) {
  return range(b, facts).isNonZero() ? a.mod(b) : ExtentAttr();
}

ExtentAttr cameo::prog::decideEqual(ExtentAttr a, ExtentAttr b, const ExtentFacts &facts) {
  if (provablyEqual(a, b, facts))
    return ExtentAttr::constant(a.getContext(), 1);
  if (range(a - b, facts).isNonZero())
    return ExtentAttr::constant(a.getContext(), 0);
  return {};
}

ExtentAttr cameo::prog::decideNotEqual(ExtentAttr a, ExtentAttr b, const ExtentFacts &facts) {
  ExtentAttr equal = decideEqual(a, b, facts);
  return equal ? equal * -1 + 1 : ExtentAttr();
}

ExtentAttr cameo::prog::decideLess(ExtentAttr a, ExtentAttr b, const ExtentFacts &facts) {
  ExtentRange difference = range(b - a, facts);
  if (difference.atLeast(1))
    return ExtentAttr::constant(a.getContext(), 1);
  if (difference.atMost(0))
    return ExtentAttr::constant(a.getContext(), 0);
  return {};
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {

template <ScalarValue (*function)(ScalarValue)>
ScalarValue unary(Operation *, ArrayRef<ScalarValue> x) {
  return function(x[0]);
}
template <ScalarValue (*function)(ScalarValue, ScalarValue)>
ScalarValue binary(Operation *, ArrayRef<ScalarValue> x) {
  return function(x[0], x[1]);
}
ScalarValue select(Operation *, ArrayRef<ScalarValue> x) { return x[0].getInteger() ? x[1] : x[2]; }
ScalarValue convert(Operation *op, ArrayRef<ScalarValue> x) {
  return scalars::cast(x[0], op->getResult(0).getType(), llvm::cast<SCastOp>(op).getSaturate());
}

/// The functions of scalar.h that have a twin here, by name: an op says which one it is.
constexpr std::pair<StringLiteral, ScalarFunction> kFunctions[] = {
    {"add", binary<scalars::add>},
    {"sub", binary<scalars::sub>},
    {"mul", binary<scalars::mul>},
    {"div", binary<scalars::div>},
    {"mod", binary<scalars::mod>},
    {"fmod", binary<scalars::fmod>},
    {"pow", binary<scalars::pow>},
    {"min", binary<scalars::min>},
    {"max", binary<scalars::max>},
    {"neg", unary<scalars::neg>},
    {"abs", unary<scalars::abs>},
    {"sign", unary<scalars::sign>},
    {"reciprocal", unary<scalars::reciprocal>},
    {"floor", unary<scalars::floor>},
    {"ceil", unary<scalars::ceil>},
    {"round", unary<scalars::round>},
    {"sqrt", unary<scalars::sqrt>},
    {"logical_and", binary<scalars::logicalAnd>},
    {"logical_or", binary<scalars::logicalOr>},
    {"logical_xor", binary<scalars::logicalXor>},
    {"logical_not", unary<scalars::logicalNot>},
    {"bit_and", binary<scalars::bitAnd>},
    {"bit_or", binary<scalars::bitOr>},
    {"bit_xor", binary<scalars::bitXor>},
    {"bit_not", unary<scalars::bitNot>},
    {"shift_left", binary<scalars::shiftLeft>},
    {"shift_right", binary<scalars::shiftRight>},
    {"equal", binary<scalars::equal>},
    {"less", binary<scalars::less>},
    {"less_equal", binary<scalars::lessEqual>},
    {"is_nan", unary<scalars::isNan>},
    {"is_inf", unary<scalars::isInf>},
    {"select", select},
    {"cast", convert},
};

} // namespace

ScalarFunction cameo::prog::getScalarFunction(Operation *op) {
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  auto *found = llvm::find_if(kFunctions, [&](const auto &entry) {
    return scalar && entry.first == scalar.getFunctionName();
  });
  return found == std::end(kFunctions) ? nullptr : found->second;
}

OpFoldResult cameo::prog::foldScalar(Operation *op, ArrayRef<Attribute> operands) {
  ScalarFunction function = getScalarFunction(op);
  SmallVector<ScalarValue> values;
  for (Attribute operand : operands) {
    values.push_back(ScalarValue::fromAttr(operand));
    if (!values.back())
      return {};
  }
  ScalarValue result = function ? function(op, values) : ScalarValue();
  return result ? OpFoldResult(result.toAttr()) : OpFoldResult();
}
