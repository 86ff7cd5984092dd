// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fusion/MarkNumbers.h"

#include "Dialect/Core/IR/ConstantSteps.h"
#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#include <cmath>
#include <vector>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// Constants of more elements are not looked through: a scale or a bias has one for a channel.
constexpr int64_t kMostElements = 1 << 20;

template <class T> NumberBound getBoundOf(ElementsAttr elements) {
  std::vector<T> values(static_cast<size_t>(elements.getNumElements()));
  auto bytes = reinterpret_cast<char *>(values.data());
  if (!copyElements(elements, {bytes, values.size() * sizeof(T)}))
    return {};
  double largest = 0;
  for (T value : values) {
    if (!std::isfinite(value))
      return {};
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return {largest, /*isWhole=*/false};
}

class Bounds {
public:
  NumberBound get(Value scalar) {
    auto found = known.find(scalar);
    if (found != known.end())
      return found->second;
    NumberBound bound = compute(scalar);
    known[scalar] = bound;
    return bound;
  }

private:
  NumberBound compute(Value scalar) {
    Type type = scalar.getType();
    if (auto integer = dyn_cast<IntegerType>(type))
      return {std::ldexp(1.0, static_cast<int>(integer.getWidth())), /*isWhole=*/true};
    if (!type.isF32() && !type.isF64())
      return {};
    if (auto argument = dyn_cast<BlockArgument>(scalar))
      return getOfArgument(argument);
    Operation *op = scalar.getDefiningOp();
    if (auto constant = dyn_cast<SConstantOp>(op)) {
      double value = cast<FloatAttr>(constant.getValue()).getValueAsDouble();
      return std::isfinite(value) ? NumberBound(std::abs(value), value == std::trunc(value))
                                  : NumberBound();
    }
    auto function = dyn_cast<ScalarOpInterface>(op);
    if (!function)
      return {};
    auto operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) { return get(operand); });
    return function.evaluateBounds(operands);
  }

  /// Whether the elements of a weight are those of its value, or zeros.
  static bool isMovement(WeightOp weight) {
    return llvm::all_of(getSteps(weight.getStepsAttr()), [](Attribute step) {
      return cast<ConstantStepInterface>(step).isMovement();
    });
  }

  /// The bound of an element of a constant.
  NumberBound getOfArgument(BlockArgument argument) {
    auto body = dyn_cast<BodyOpInterface>(argument.getOwner()->getParentOp());
    unsigned own = body ? body.getNumTemplateValues() : 0;
    if (!body || argument.getArgNumber() < own)
      return {};
    auto weight = body.getBodyInputs()[argument.getArgNumber() - own].getDefiningOp<WeightOp>();
    if (!weight || !isMovement(weight) || weight.getValue().getNumElements() > kMostElements)
      return {};
    return argument.getType().isF32() ? getBoundOf<float>(weight.getValue())
                                      : getBoundOf<double>(weight.getValue());
  }

  DenseMap<Value, NumberBound> known;
};

/// A number that is rounded, and a zero point that is added to it, or null.
struct Quantisation {
  Value x, zeroPoint;
};

/// Whether the type has this number; -0 is none of an integer's.
bool holds(IntegerType type, const APFloat &number) {
  APSInt integer(type.getWidth(), type.isUnsigned());
  bool isExact = false;
  (void)number.convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  return isExact;
}

/// Matches a conversion of a rounded number plus a zero point of the type that it becomes.
std::optional<Quantisation> matchQuantisation(SCastOp cast) {
  Value number = cast.getX(), zeroPoint;
  if (!number.getType().isF32())
    return std::nullopt;
  if (auto add = number.getDefiningOp<SAddOp>()) {
    number = add.getA();
    zeroPoint = add.getB();
    FloatAttr constant;
    if (matchPattern(number, m_Constant(&constant)))
      std::swap(number, zeroPoint);
    if (!matchPattern(zeroPoint, m_Constant(&constant)) ||
        !holds(mlir::cast<IntegerType>(cast.getType()), constant.getValue()))
      return std::nullopt;
  }
  auto round = number.getDefiningOp<SRoundOp>();
  return round ? std::optional(Quantisation{round.getX(), zeroPoint}) : std::nullopt;
}

void markNumbers(BodyOpInterface body) {
  Bounds bounds;
  IRRewriter rewriter(body->getContext());
  for (auto op : llvm::make_early_inc_range(body.getBodyBlock()->getOps<SCastOp>())) {
    if (!isNarrowing(op))
      continue;
    NumberBound bound = bounds.get(op.getX());
    op.setNumber(bound.isNumber());
    op.setWhole(bound.isWhole());
    std::optional<Quantisation> found = matchQuantisation(op);
    if (!found || !bound.isNumber())
      continue;
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<SQuantizeOp>(op, op.getType(), found->x, found->zeroPoint);
  }
  (void)runRegionDCE(rewriter, body->getRegions());
}

} // namespace

void cameo::markNumbers(func::FuncOp function) {
  function.walk([](BodyOpInterface body) { ::markNumbers(body); });
}
