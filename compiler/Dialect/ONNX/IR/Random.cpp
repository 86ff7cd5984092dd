// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of random tensors.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/IR/SharedInference.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {
FailureOr<Type> readType(ExtentInference &infer, int64_t dtype) {
  if (Type type = infer.onnxType(dtype))
    return type;
  return infer.emitError() << "asks for an element type that ONNX does not have (C1, got " << dtype
                           << ")";
}
} // namespace

LogicalResult cameo::onnx::requireInterval(ExtentInference &infer, const APFloat &low,
                                           const APFloat &high, StringRef constraint) {
  if (low.isFinite() && high.isFinite() && low <= high)
    return success();
  return infer.emitError() << "draws from an interval that is none (" << constraint << ", got ["
                           << low.convertToDouble() << ", " << high.convertToDouble() << "))";
}

LogicalResult cameo::onnx::inferLike(ExtentInference &infer, std::optional<int64_t> dtype) {
  SymTensorType input = infer.type(infer.getOperation()->getOperand(0));
  FailureOr<Type> element = dtype ? readType(infer, *dtype) : input.getElementType();
  if (failed(element))
    return failure();
  infer.setType(0, input.withElementType(*element));
  return success();
}

LogicalResult cameo::onnx::inferOfShape(ExtentInference &infer, int64_t dtype,
                                        ArrayRef<int64_t> shape) {
  FailureOr<Type> element = readType(infer, dtype);
  if (failed(element))
    return failure();
  SmallVector<ExtentAttr> extents;
  for (int64_t extent : shape) {
    if (extent < 0)
      return infer.emitError() << "has a negative element in shape (C2, got " << extent << ")";
    extents.push_back(infer.constant(extent));
  }
  infer.setResult(0, *element, extents);
  return success();
}

LogicalResult MultinomialOp::inferExtents(ExtentInference &infer) {
  FailureOr<Type> element = readType(infer, getDtype());
  if (failed(element) || failed(infer.requireRank(getInput(), "input (C2)", 2, 2)))
    return failure();
  int64_t samples = getSampleSize();
  if (samples < 1)
    return infer.emitError() << "has a sample_size that is not positive (C3, got " << samples
                             << ")";
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getInput());
  infer.setResult(0, *element, {input ? input->front() : infer.unknown(), infer.constant(samples)});
  return success();
}

LogicalResult DropoutOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireOneElement(getRatio(), "ratio (C1)")) ||
      failed(infer.requireOneElement(getTrainingMode(), "training_mode (C1)")))
    return failure();
  infer.setType(0, getData().getType());
  infer.setType(1, infer.type(getData()).withElementType(infer.boolType()));
  return success();
}
