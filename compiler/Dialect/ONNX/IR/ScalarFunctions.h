// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar functions that take more than one expression to write; the records of Elementwise.td use
// them. Floats narrower than f32 are computed in f32 and rounded once.

#ifndef CAMEO_DIALECT_ONNX_IR_SCALARFUNCTIONS_H
#define CAMEO_DIALECT_ONNX_IR_SCALARFUNCTIONS_H

#include "Dialect/Prog/IR/ScalarBuilder.h"

namespace cameo::onnx {

/// `x` in f32 when it is a narrower float, else `x`.
mlir::Value widen(prog::ScalarBuilder &b, mlir::Value x);

/// `function` of `x` widened, rounded to the type of `x`.
mlir::Value inFloat(prog::ScalarBuilder &b, mlir::Value x,
                    llvm::function_ref<mlir::Value(mlir::Value)> function);

/// `combine` over all of `x`, from the left.
mlir::Value foldLeft(llvm::ArrayRef<mlir::Value> x,
                     llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

/// min(max(x, low), high); a null bound does not bound.
mlir::Value clip(prog::ScalarBuilder &b, mlir::Value x, mlir::Value low, mlir::Value high);

/// log(exp(x) + 1), without overflow.
mlir::Value softplus(prog::ScalarBuilder &b, mlir::Value x);

/// max(0, min(1, alpha * x + beta))
mlir::Value hardSigmoid(prog::ScalarBuilder &b, mlir::Value x, double alpha, double beta);

/// x * sigmoid(alpha * x)
mlir::Value swish(prog::ScalarBuilder &b, mlir::Value x, double alpha);

/// 0.5 * x * (1 + erf(x / sqrt(2)))
mlir::Value gelu(prog::ScalarBuilder &b, mlir::Value x);

/// Gelu with erf approximated by tanh of a cubic polynomial.
mlir::Value tanhGelu(prog::ScalarBuilder &b, mlir::Value x);

/// x + bias below -lambd, x - bias above lambd, 0 between; for integers, `bias` is truncated.
mlir::Value shrink(prog::ScalarBuilder &b, mlir::Value x, double lambd, double bias);

/// Whether `x` is an infinity of a sign that counts.
mlir::Value isInfinity(prog::ScalarBuilder &b, mlir::Value x, bool negative, bool positive);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_SCALARFUNCTIONS_H
