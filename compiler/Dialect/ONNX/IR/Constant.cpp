// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/IR/OnnxDialect.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

LogicalResult ConstantOp::inferExtents(ExtentInference &infer) {
  ShapedType type = getValue().getShapedType();
  SmallVector<ExtentAttr> extents;
  for (int64_t size : type.getShape())
    extents.push_back(infer.constant(size));
  infer.setResult(0, type.getElementType(), extents);
  return success();
}
