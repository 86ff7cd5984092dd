// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fusion/MarkNumbers.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/ProgDialect.h"

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

  /// Of an element of a constant.
  NumberBound getOfArgument(BlockArgument argument) {
    auto body = dyn_cast<BodyOpInterface>(argument.getOwner()->getParentOp());
    unsigned own = body ? body.getNumTemplateValues() : 0;
    if (!body || argument.getArgNumber() < own)
      return {};
    auto weight = body.getBodyInputs()[argument.getArgNumber() - own].getDefiningOp<WeightOp>();
    if (!weight || weight.getValue().getNumElements() > kMostElements)
      return {};
    return argument.getType().isF32() ? getBoundOf<float>(weight.getValue())
                                      : getBoundOf<double>(weight.getValue());
  }

  DenseMap<Value, NumberBound> known;
};

} // namespace

void cameo::markNumbers(func::FuncOp function) {
  function.walk([](BodyOpInterface body) {
    Bounds bounds;
    for (auto op : body.getBodyBlock()->getOps<SCastOp>())
      if (isNarrowing(op)) {
        NumberBound bound = bounds.get(op.getX());
        op.setNumber(bound.isNumber());
        op.setWhole(bound.isWhole());
      }
  });
}
