// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The integer tensors whose elements are known as extents: constants, what comes of Shape, and
// whatever operators compute from those.

#ifndef CAMEO_DIALECT_ONNX_IR_KNOWNVALUES_H
#define CAMEO_DIALECT_ONNX_IR_KNOWNVALUES_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

namespace cameo {

/// Tensors with more elements are not followed.
inline constexpr int64_t kMaxKnownElements = 64;

/// The number of elements of an integer or bool tensor that can be followed; nullopt for others.
std::optional<int64_t> getTrackableElements(mlir::Value value);

class KnownValues {
public:
  /// The elements of `value` as far as they are known; nullopt when none is.
  std::optional<onnx::ExtentValues> lookup(mlir::Value value) const;
  /// Whether every element of `value` is known.
  bool isComplete(mlir::Value value) const;
  /// Ignored unless `value` is trackable and has as many elements as `elements`.
  void set(mlir::Value value, llvm::ArrayRef<core::ExtentAttr> elements);
  void forget(mlir::Value value) { values.erase(value); }

private:
  llvm::DenseMap<mlir::Value, onnx::ExtentValues> values;
};

/// Evaluates an elementwise operator over its known operands; sets its result where that succeeds.
void evaluateElementwise(onnx::OnnxOp op, KnownValues &known, const core::ExtentFacts &facts);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_IR_KNOWNVALUES_H
