// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between which extents the elements of values lie that are typed, by the operators that they come
// from. Asked for backward from the few values of which it matters.

#ifndef CAMEO_SHAPE_NUMBERRANGES_H
#define CAMEO_SHAPE_NUMBERRANGES_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/NumberRange.h"

namespace cameo {

class ShapeInference;

class NumberRanges {
public:
  /// `stage` stays the caller's, and as it is while this is asked.
  explicit NumberRanges(const ShapeInference &stage);

  prog::NumberRange get(mlir::Value value);

private:
  prog::NumberRange compute(mlir::Value value);
  /// The elements of a value that follow from dims; nullopt where an integer of the run decides
  /// one: less is known of its symbol.
  std::optional<onnx::ExtentValues> getOfDims(mlir::Value value) const;
  prog::NumberRange getOfConstant(mlir::Value value);
  prog::NumberRange getOfBody(onnx::OnnxOp op);
  /// The range that the user asserts.
  prog::NumberRange getAsserted(mlir::Value value) const;

  const ShapeInference &stage;
  const core::ExtentFacts &facts;
  llvm::DenseMap<mlir::Value, prog::NumberRange> found;
  unsigned depth = 0;
};

} // namespace cameo

#endif // CAMEO_SHAPE_NUMBERRANGES_H
