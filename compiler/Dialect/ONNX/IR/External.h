// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a declaration says of the results of an operator of the user's own.

#ifndef CAMEO_DIALECT_ONNX_IR_EXTERNAL_H
#define CAMEO_DIALECT_ONNX_IR_EXTERNAL_H

#include "Dialect/Core/IR/CoreDialect.h"

namespace cameo::onnx {

/// One extent of a result.
struct DeclaredExtent {
  /// What it is, or, of a counted one, the most that it is; unknown where nothing is said.
  core::ExtentAttr extent;
  /// Whether the operator's function tells it.
  bool isCounted;
};

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_EXTERNAL_H
