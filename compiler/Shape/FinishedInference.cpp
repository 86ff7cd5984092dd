// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Shape/FinishedInference.h"

#include "Shape/KnownValues.h"

using namespace cameo;

std::optional<onnx::ExtentValues> FinishedInference::values(mlir::Value value) {
  return KnownValues().lookup(value);
}
