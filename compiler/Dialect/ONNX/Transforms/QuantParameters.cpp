// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Transforms/QuantParameters.h"

#include "Dialect/ONNX/Transforms/ConstantElements.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

float getNumber(const ConstantElements &elements, int64_t number) {
  float value = 0;
  std::memcpy(&value, elements.getElement(number), sizeof value);
  return value;
}

/// Vectors of the same length, or one and a number.
std::optional<std::vector<float>> multiply(std::optional<std::vector<float>> a,
                                           std::optional<std::vector<float>> b) {
  if (a && b && a->size() < b->size())
    std::swap(a, b);
  if (!a || !b || (b->size() != 1 && b->size() != a->size()))
    return std::nullopt;
  for (auto [number, value] : llvm::enumerate(*a))
    value *= (*b)[b->size() == 1 ? 0 : number];
  return a;
}

/// Whether `own` is the same as `of`, of which it may have one for all.
bool areAlike(ArrayRef<float> own, ArrayRef<float> of) {
  if (own.size() != 1 && own.size() != of.size())
    return false;
  return llvm::all_of(llvm::enumerate(of), [&](auto each) {
    float mine = own[own.size() == 1 ? 0 : each.index()];
    return std::abs(mine - each.value()) <= 1e-6F * std::abs(mine);
  });
}

int64_t getLargest(const ConstantElements &codes) {
  int64_t largest = 0;
  for (int64_t number = 0; number < codes.getNumElements(); ++number)
    largest = std::max(largest, std::abs(codes.getInteger(number)));
  return largest;
}

} // namespace

bool cameo::isOneParameter(Value parameter) {
  return cast<SymTensorType>(parameter.getType()).getNumElements().isConstant(1);
}

Value cameo::alignOne(OnnxBuilder &b, Value parameter) {
  return parameter ? b.reshape(parameter, {}) : parameter;
}

Value cameo::alignPlaces(OnnxBuilder &b, Value parameter, int64_t behind) {
  if (!parameter || isOneParameter(parameter))
    return alignOne(b, parameter);
  ArrayRef<ExtentAttr> extents = *getExtents(parameter);
  if (extents.size() != 1 || behind == 0)
    return parameter;
  SmallVector<ExtentAttr> aligned(behind + 1, b.extent(1));
  aligned.front() = extents.front();
  return b.reshape(parameter, aligned);
}

Value cameo::alignRows(OnnxBuilder &b, Value parameter, Value matrices) {
  bool isVector = getExtents(matrices)->size() < 2;
  return isVector ? alignOne(b, parameter) : alignPlaces(b, parameter, 1);
}

Value cameo::alignColumns(OnnxBuilder &b, Value parameter, Value matrices) {
  bool isVector = getExtents(matrices)->size() < 2;
  return isVector ? alignOne(b, parameter) : alignPlaces(b, parameter, 0);
}

std::optional<std::vector<float>> cameo::readScale(Value scale) {
  if (auto product = scale.getDefiningOp<MulOp>())
    return multiply(readScale(product.getA()), readScale(product.getB()));
  if (auto reshape = scale.getDefiningOp<ReshapeOp>())
    return readScale(reshape.getData());
  std::optional<ConstantElements> elements = ConstantElements::read(scale);
  if (!elements || !elements->getElementType().isF32())
    return std::nullopt;
  std::vector<float> numbers(elements->getNumElements());
  for (auto [number, value] : llvm::enumerate(numbers))
    value = getNumber(*elements, static_cast<int64_t>(number));
  return numbers;
}

Value cameo::getBiasCodes(Value bias, Value left, Value right, int64_t mostSum) {
  auto dequantize = bias.getDefiningOp<DequantizeLinearOp>();
  if (!dequantize || !elementTypeOf(dequantize.getX()).isInteger(32))
    return {};
  Value zeroPoint = dequantize.getXZeroPoint();
  auto zero = zeroPoint ? dyn_cast_or_null<IntegerAttr>(getUniformValue(zeroPoint)) : IntegerAttr();
  std::optional<ConstantElements> codes = ConstantElements::read(dequantize.getX());
  std::optional<std::vector<float>> own = readScale(dequantize.getXScale()),
                                    of = multiply(readScale(left), readScale(right));
  if (!codes || codes->getShape().size() > 1 || !own || !of || !areAlike(*own, *of) ||
      (zeroPoint && !(zero && zero.getValue().isZero())) ||
      getLargest(*codes) > INT32_MAX - mostSum)
    return {};
  return dequantize.getX();
}
