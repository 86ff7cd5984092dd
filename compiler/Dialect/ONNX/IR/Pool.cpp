// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of pools.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/IR/SharedInference.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

LogicalResult cameo::onnx::inferPool(ExtentInference &infer, Value input,
                                     const WindowAttributes &attributes) {
  if (failed(infer.requireRank(input, "X (C1)", 3)))
    return failure();
  Type element = infer.elementType(0);
  bool hasIndices = infer.getOperation()->getNumResults() > 1;
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(input);
  if (!data) {
    infer.setUnranked(0, element);
    if (hasIndices)
      infer.setUnranked(1, infer.int64Type());
    return success();
  }
  FailureOr<SmallVector<WindowAxis>> windows =
      resolveWindow(infer, attributes, data->drop_front(2));
  if (failed(windows))
    return failure();
  SmallVector<ExtentAttr> result(data->take_front(2));
  for (const WindowAxis &window : *windows)
    result.push_back(window.output);
  infer.setResult(0, element, result);
  if (hasIndices)
    infer.setResult(1, infer.int64Type(), result);
  return success();
}

LogicalResult cameo::onnx::inferGlobalPool(ExtentInference &infer) {
  Value input = infer.getOperation()->getOperand(0);
  if (failed(infer.requireRank(input, "X (C1)", 2)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(input);
  if (!data) {
    infer.setUnranked(0, infer.elementType(0));
    return success();
  }
  SmallVector<ExtentAttr> result(data->take_front(2));
  result.resize(data->size(), infer.constant(1));
  infer.setResult(0, infer.elementType(0), result);
  return success();
}

LogicalResult MaxUnpoolOp::inferExtents(ExtentInference &infer) {
  Type element = infer.elementType(0);
  if (failed(infer.requireRank(getX(), "X (C1)", 3)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> data = infer.extents(getX()), indices = infer.extents(getI());
  if (!data) {
    infer.setUnranked(0, element);
    return success();
  }
  if (failed(infer.requireRank(getI(), "I (C1)", data->size(), data->size())))
    return failure();
  for (auto [got, need] : llvm::zip(indices.value_or(ArrayRef<ExtentAttr>()), *data))
    if (failed(infer.requireEqual(got, need, "X (C1)")))
      return failure();
  WindowAttributes attributes = {"NOTSET", getKernelShape(), getStrides(), std::nullopt, getPads()};
  if (getOutputShape()) {
    if (failed(verifyWindow(infer, attributes, data->size() - 2)))
      return failure();
    ExtentValues shape(data->size(), infer.unknown());
    if (std::optional<ExtentValues> known = infer.values(getOutputShape()))
      shape = *known;
    if (shape.size() != data->size())
      return infer.emitError() << "has a wrong number of elements in output_shape (C3, got "
                               << shape.size() << ", need " << data->size() << ")";
    for (ExtentAttr extent : shape)
      if (extent.isConstant() && *extent.getConstant() < 0)
        return infer.emitError() << "has a negative element in output_shape (C3, got "
                                 << *extent.getConstant() << ")";
    infer.setResult(0, element, shape);
    return success();
  }
  FailureOr<SmallVector<WindowAxis>> windows =
      resolveTransposedWindow(infer, attributes, data->drop_front(2), {});
  if (failed(windows))
    return failure();
  SmallVector<ExtentAttr> result(data->take_front(2));
  for (const WindowAxis &window : *windows)
    result.push_back(window.output);
  infer.setResult(0, element, result);
  return success();
}
