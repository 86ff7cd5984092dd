// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Transforms/ByteProduct.h"

#include "Dialect/ONNX/Transforms/ByteWeights.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/QuantParameters.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

bool isZero(Value zeroPoint) {
  auto uniform = zeroPoint ? dyn_cast_or_null<IntegerAttr>(getUniformValue(zeroPoint)) : nullptr;
  return !zeroPoint || (uniform && uniform.getValue().isZero());
}

/// Along the axis that is the `last`th from the back.
Value sum(OnnxBuilder &b, Value x, int64_t last) {
  return b.reduce<ReduceSumOp>(x, {static_cast<int64_t>(getExtents(x)->size()) - last});
}

/// Signed rows become unsigned, and so does what their zero point is.
void makeUnsigned(OnnxBuilder &b, Type wide, Value &rows, Value &rowZero) {
  Value middle = b.constant(wide, 128);
  Type byte = IntegerType::get(wide.getContext(), 8, IntegerType::Unsigned);
  rows = b.cast(b.add(b.cast(rows, wide), middle), byte);
  rowZero = rowZero ? b.add(rowZero, middle) : middle;
}

} // namespace

Value cameo::subtractZero(OnnxBuilder &b, Value x, Value zeroPoint, Type wide) {
  Value elements = b.cast(x, wide);
  return zeroPoint ? b.sub(elements, b.cast(zeroPoint, wide)) : elements;
}

bool ByteProduct::areMatrices() const {
  return getExtents(left)->size() >= 2 && getExtents(right)->size() >= 2;
}

bool ByteProduct::hasWeights() const {
  return getExtents(right)->size() == 2 && isNumericConstant(right);
}

bool ByteProduct::isPlain() const {
  bool areSigned = !elementTypeOf(right).isUnsignedInteger();
  bool areWeightsPlain = !hasWeights() || (areSigned && elementTypeOf(left).isUnsignedInteger());
  return areMatrices() && !leftZero && !rightZero && areWeightsPlain && !isTransposed;
}

Value ByteProduct::build(OnnxBuilder &b) const {
  Type wide = getWide();
  if (!areMatrices())
    return b.make<MatMulOp>(subtractZero(b, left, alignRows(b, leftZero, left), wide),
                            subtractZero(b, right, alignColumns(b, rightZero, right), wide));
  std::optional<ByteWeights> weights;
  if (hasWeights())
    weights = ByteWeights::read(right, rightZero, /*channelsAreLast=*/!isTransposed);
  Value rows = left, rowZero = isZero(leftZero) ? Value() : alignWide(b, leftZero, true);
  if (weights && !elementTypeOf(left).isUnsignedInteger())
    makeUnsigned(b, wide, rows, rowZero);
  Value columns = weights        ? weights->getMatrix(b)
                  : isTransposed ? b.transpose(right, {1, 0})
                                 : right;
  Value product = b.make<MatMulIntegerOp>(rows, columns, Value(), Value());
  if (rowZero)
    product =
        b.sub(product, b.mul(rowZero, weights ? weights->getSums(b) : sumColumns(b, columns)));
  if (weights ? !weights->areCentred() : !isZero(rightZero)) {
    Value zero = weights ? weights->getZeros(b) : alignWide(b, rightZero, false);
    product = b.sub(product, b.mul(zero, sum(b, b.cast(rows, wide), 1)));
  }
  return product;
}

Value ByteProduct::alignWide(OnnxBuilder &b, Value zeroPoint, bool areRows) const {
  Value aligned = areRows ? alignRows(b, zeroPoint, left) : alignColumns(b, zeroPoint, right);
  return b.cast(aligned, getWide());
}

Value ByteProduct::sumColumns(OnnxBuilder &b, Value columns) const {
  Value zero = alignColumns(b, rightZero, right);
  return sum(b, subtractZero(b, columns, zero, getWide()), 2);
}

Type ByteProduct::getWide() const { return IntegerType::get(left.getContext(), 32); }
