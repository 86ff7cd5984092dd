// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar function of an elementwise operator as it is run and folded: buildScalar and what
// holds for every operator's rounding.

#ifndef CAMEO_DIALECT_ONNX_IR_SCALARBODY_H
#define CAMEO_DIALECT_ONNX_IR_SCALARBODY_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

#include <memory>

namespace cameo::onnx {

/// Builds the scalar function of `op` on `x`, which has a null value for an absent operand. Floats
/// narrower than 32 bits are computed in f32 and rounded once, at the operator's end, unless the
/// function is a single step, which rounds by itself.
mlir::Value buildScalarBody(OnnxOp op, prog::ScalarBuilder &b, mlir::ValueRange x);

/// A scalar function by itself, to be looked into or evaluated: an argument per operand.
struct DetachedBody {
  std::unique_ptr<mlir::Block> block;
  mlir::Value result;
};
DetachedBody buildDetachedBody(OnnxOp op);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_SCALARBODY_H
