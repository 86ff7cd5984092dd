// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of the elementwise operators that do not simply broadcast all their operands.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Support/Diagnostic.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

LogicalResult BitShiftOp::inferExtents(ExtentInference &infer) {
  if (getDirection() != "LEFT" && getDirection() != "RIGHT")
    return infer.emitError() << "has an unknown direction (C1) (got "
                             << cameo::quoteText(getDirection()) << ")";
  return infer.broadcast(infer.elementType(0));
}

LogicalResult ClipOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireOneElement(getMin(), "min (C1)")) ||
      failed(infer.requireOneElement(getMax(), "max (C1)")))
    return failure();
  infer.setType(0, getInput().getType());
  return success();
}

LogicalResult CastLikeOp::inferExtents(ExtentInference &infer) {
  infer.setType(0, infer.type(getInput()).withElementType(infer.elementType(1)));
  return success();
}

LogicalResult BitCastOp::inferExtents(ExtentInference &infer) {
  auto getWidth = [](Type type) -> unsigned {
    if (auto complex = dyn_cast_or_null<ComplexType>(type))
      return 2 * complex.getElementType().getIntOrFloatBitWidth();
    if (type && type.isInteger(1)) // a bool is a byte
      return 8;
    return type && type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  };
  Type from = infer.elementType(0), to = infer.onnxType(getTo());
  if (getWidth(to) == 0 || getWidth(from) != getWidth(to))
    return infer.emitError() << "needs a type as wide as " << from << " (C1, got " << getTo()
                             << ")";
  infer.setType(0, infer.type(getInput()).withElementType(to));
  return success();
}

LogicalResult PReluOp::inferExtents(ExtentInference &infer) {
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getX()),
                                      slope = infer.extents(getSlope());
  if (input && slope) {
    if (slope->size() > input->size())
      return infer.emitError() << "has a slope of a higher rank than X (C1, got " << slope->size()
                               << ", need at most " << input->size() << ")";
    for (auto [need, got] : llvm::zip_equal(input->take_back(slope->size()), *slope))
      if (failed(infer.requireBroadcast(got, need, "X (C1)")))
        return failure();
  }
  infer.setType(0, getX().getType());
  return success();
}

LogicalResult SwiGLUOp::inferExtents(ExtentInference &infer) {
  std::optional<ArrayRef<ExtentAttr>> gate = infer.extents(getA()), value = infer.extents(getB());
  if (!gate || !value) {
    infer.setType(0, gate ? getA().getType() : getB().getType());
    return success();
  }
  if (gate->size() != value->size())
    return infer.emitError() << "has operands of different ranks (C1, got " << gate->size()
                             << " and " << value->size() << ")";
  SmallVector<ExtentAttr> result;
  for (auto [left, right] : llvm::zip_equal(*gate, *value)) {
    if (failed(infer.requireEqual(right, left, "A (C1)")))
      return failure();
    result.push_back(right.isConstant() || left.isUnknown() ? right : left);
  }
  infer.setResult(0, infer.elementType(0), result);
  return success();
}

LogicalResult GeluOp::inferExtents(ExtentInference &infer) {
  if (getApproximate() != "none" && getApproximate() != "tanh")
    return infer.emitError() << "has an unknown approximation (C1) (got "
                             << cameo::quoteText(getApproximate()) << ")";
  return infer.broadcast(infer.elementType(0));
}
