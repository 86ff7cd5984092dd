// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Transforms/QuantParameters.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

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
