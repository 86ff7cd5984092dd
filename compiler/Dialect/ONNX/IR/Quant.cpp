// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of quantised tensors.

#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/ONNX/IR/SharedInference.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

bool cameo::onnx::hasScalesAlong(ArrayRef<ExtentAttr> scales, ArrayRef<ExtentAttr> data,
                                 int64_t axis) {
  int64_t rank = static_cast<int64_t>(data.size());
  return scales.size() == 1 && axis >= -rank && axis < rank;
}

namespace {

/// Whether `value` has one element, which only the run may show.
LogicalResult requireOne(ExtentInference &infer, Value value, StringRef what) {
  // A range of `*extents(value)` itself would outlive the optional that holds it.
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(value);
  for (ExtentAttr extent : *extents)
    if (failed(infer.requireEqual(extent, infer.constant(1), what)))
      return failure();
  return success();
}

bool mayBeOne(ExtentInference &infer, Value value) {
  return infer.type(value).getNumElements().getConstant().value_or(1) == 1;
}

/// Whether the zero point has the shape of the scale, or both have one element (C5).
LogicalResult verifyZeroPoint(ExtentInference &infer, Value scale, Value zeroPoint) {
  std::optional<ArrayRef<ExtentAttr>> scales = infer.extents(scale),
                                      points = infer.extents(zeroPoint);
  bool isOne = infer.type(scale).getNumElements().isConstant(1) &&
               infer.type(zeroPoint).getNumElements().isConstant(1);
  if (!scales || !points || isOne)
    return success();
  if (scales->size() == points->size())
    return infer.requireShape(zeroPoint, *scales, "the scale (C5)");
  if (!mayBeOne(infer, scale) || !mayBeOne(infer, zeroPoint))
    return infer.requireRank(zeroPoint, "the zero point (C5)", scales->size(), scales->size());
  return failure(failed(requireOne(infer, scale, "one scale (C5)")) ||
                 failed(requireOne(infer, zeroPoint, "one zero point (C5)")));
}

/// Whether scale and zero point fit the tensor (C2 to C5).
LogicalResult verifyScale(ExtentInference &infer, Value input, Value scale, Value zeroPoint,
                          int64_t axis, int64_t block) {
  if (block < 0)
    return infer.emitError() << "has a negative block_size (C4, got " << block << ")";
  if (zeroPoint && failed(verifyZeroPoint(infer, scale, zeroPoint)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(input), scales = infer.extents(scale);
  // A scale of one element is for the whole tensor, whatever its rank.
  if (!data || !scales || (block == 0 && infer.type(scale).getNumElements().isConstant(1)))
    return success();
  int64_t rank = data->size();
  if (block == 0 && mayBeOne(infer, scale))
    return hasScalesAlong(*scales, *data, axis) ? success()
                                                : requireOne(infer, scale, "one scale (C3)");
  FailureOr<int64_t> along = infer.normalizeAxis(axis, rank, "axis (C2)");
  if (failed(along))
    return failure();
  if (block == 0) {
    if (failed(infer.requireRank(scale, "the scale (C3)", 1, 1)))
      return failure();
    return infer.requireEqual(scales->front(), (*data)[*along], "the places along axis (C3)");
  }
  if (failed(infer.requireRank(scale, "the scale (C4)", rank, rank)))
    return failure();
  for (auto [number, extent] : llvm::enumerate(*data)) {
    bool blocked = static_cast<int64_t>(number) == *along;
    ExtentAttr need = blocked ? extent.ceilDiv(block) : extent;
    if (failed(infer.requireEqual((*scales)[number], need, "the blocks along an axis (C4)")))
      return failure();
  }
  return success();
}

/// Fails when a scale that is a constant of the model cannot divide.
LogicalResult verifyDivisor(ExtentInference &infer, Value scale) {
  for (double element : infer.floatConstants(scale).value_or(SmallVector<double>()))
    if (!(element > 0) || std::isinf(element))
      return infer.emitError() << "has a scale that is not a positive number (C7, got "
                               << llvm::formatv("{0}", element).str() << ")";
  return success();
}

} // namespace

LogicalResult cameo::onnx::requirePerPlace(ExtentInference &infer, Value parameter, Value tensor,
                                           int64_t axis, StringRef name) {
  SymTensorType type = infer.type(parameter);
  if (!type || !type.hasRank() || type.getNumElements().isConstant(1))
    return success();
  if (failed(infer.requireRank(parameter, name, 1, 1)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(tensor);
  return extents ? infer.requireBroadcast(type.getExtents().front(), (*extents)[axis], name)
                 : success();
}

/// `other` is the axis, counted from the back, along which they do not differ.
static LogicalResult requirePerVector(ExtentInference &infer, Value parameter, Value matrices,
                                      int64_t other, StringRef name) {
  SymTensorType type = infer.type(parameter);
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(matrices);
  if (!extents || !type || !type.hasRank() || type.getNumElements().isConstant(1))
    return success();
  int64_t rank = extents->size();
  if (rank < 2)
    return infer.requireOneElement(parameter, name);
  SmallVector<ExtentAttr> need(*extents);
  need[rank - other] = infer.constant(1);
  if (type.getRank() == 1)
    return infer.requireBroadcast(type.getExtents().front(), need[rank - 3 + other], name);
  if (failed(infer.requireRank(parameter, name, rank, rank)))
    return failure();
  for (auto [g, n] : llvm::zip_equal(type.getExtents(), need))
    if (failed(infer.requireBroadcast(g, n, name)))
      return failure();
  return success();
}

LogicalResult cameo::onnx::requirePerRow(ExtentInference &infer, Value parameter, Value matrices,
                                         StringRef name) {
  return requirePerVector(infer, parameter, matrices, /*other=*/1, name);
}

LogicalResult cameo::onnx::requirePerColumn(ExtentInference &infer, Value parameter, Value matrices,
                                            StringRef name) {
  return requirePerVector(infer, parameter, matrices, /*other=*/2, name);
}

LogicalResult QuantizeLinearOp::inferExtents(ExtentInference &infer) {
  if (failed(verifyDivisor(infer, getYScale())) ||
      failed(verifyScale(infer, getX(), getYScale(), getYZeroPoint(), getAxis(), getBlockSize())))
    return failure();
  Type element = infer.onnxType(2);
  if (getOutputDtype() != 0)
    element = infer.onnxType(getOutputDtype());
  if (!element)
    return infer.emitError() << "asks for an element type that ONNX does not have (C1, got "
                             << getOutputDtype() << ")";
  if (getYZeroPoint()) {
    Type point = elementTypeOf(getYZeroPoint());
    if (getOutputDtype() != 0 && element != point)
      return infer.emitError() << "has a zero point of another type than output_dtype (C1, got "
                               << point << " and " << element << ")";
    element = point;
  }
  if (getPrecision() != 0 && !isa_and_nonnull<FloatType>(infer.onnxType(getPrecision())))
    return infer.emitError() << "has a precision that is no float type (C6, got " << getPrecision()
                             << ")";
  infer.setType(0, infer.type(getX()).withElementType(element));
  return success();
}

Type QuantizeLinearOp::getDivisionType() {
  if (Type precision = getElementType(getContext(), getPrecision()))
    return precision;
  Type scale = elementTypeOf(getYScale());
  bool divides = isa<FloatType>(scale) && scale.getIntOrFloatBitWidth() > 8;
  return divides ? scale : Float32Type::get(getContext());
}

std::pair<double, double> QuantizeLinearOp::getRange() {
  auto type = cast<IntegerType>(elementTypeOf(getY()));
  double count = std::ldexp(1.0, static_cast<int>(type.getWidth()));
  return type.isUnsigned() ? std::pair(0.0, count - 1) : std::pair(-count / 2, count / 2 - 1);
}

LogicalResult DequantizeLinearOp::inferExtents(ExtentInference &infer) {
  if (failed(verifyScale(infer, getX(), getXScale(), getXZeroPoint(), getAxis(), getBlockSize())))
    return failure();
  Type element =
      getOutputDtype() != 0 ? infer.onnxType(getOutputDtype()) : elementTypeOf(getXScale());
  if (!element)
    return infer.emitError() << "asks for an element type that ONNX does not have (C1, got "
                             << getOutputDtype() << ")";
  infer.setType(0, infer.type(getX()).withElementType(element));
  return success();
}

LogicalResult DynamicQuantizeLinearOp::inferExtents(ExtentInference &infer) {
  infer.setType(0, infer.type(getX()).withElementType(infer.onnxType(2)));
  infer.setResult(1, infer.elementType(0), {});
  infer.setResult(2, infer.onnxType(2), {});
  return success();
}
