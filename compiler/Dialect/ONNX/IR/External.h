// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of an operator of the user's own, as its declaration has them.

#ifndef CAMEO_DIALECT_ONNX_IR_EXTERNAL_H
#define CAMEO_DIALECT_ONNX_IR_EXTERNAL_H

#include "Dialect/Core/IR/CoreDialect.h"

namespace cameo::onnx {

/// One extent of a result.
struct DeclaredExtent {
  /// The extent; of a counted one, its most; unknown where nothing is said.
  core::ExtentAttr extent;
  /// Whether the operator's function tells it.
  bool isCounted;
};

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_EXTERNAL_H
