// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant matrices of few bits an element that products read as they are: floats would take four
// to sixteen times their memory, and a row times a matrix takes as long as reading that.

#ifndef CAMEO_DIALECT_ONNX_IR_CODEDMATRIX_H
#define CAMEO_DIALECT_ONNX_IR_CODEDMATRIX_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/KernelTemplates.h"

namespace cameo::onnx {

/// A matrix of f32, f16 or bf16, each element its code less a zero point, times a scale; `group`
/// rows of a column have these in common.
struct CodedMatrix {
  ConstantOp codes, scales;
  ConstantOp zeroPoints; ///< null: all are 0
  /// Which axis of the codes counts the columns.
  int64_t columnAxis;
  int64_t columns, rows, group;
  unsigned bits;
  bool isSigned;
  /// The template that multiplies by it.
  const prog::KernelTemplate *kernel;
};

/// The matrix that `op` makes, if kernels of the target can multiply by it where axis `columnAxis`
/// counts the columns.
std::optional<CodedMatrix> matchCodedMatrix(DequantizeLinearOp op, int64_t columnAxis);

/// Says that products by the matrix that `op` makes may round each group of rows of their left
/// operand to bytes, as its model allows.
void allowBytes(DequantizeLinearOp op);
bool allowsBytes(DequantizeLinearOp op);

/// The axis that counts the columns of `matrix` where it is the right operand of a product that
/// `user` is; nullopt where it is none.
std::optional<int64_t> getColumnAxis(mlir::Operation *user, mlir::Value matrix);

/// Whether products are all that read what `op` makes, and can multiply by the codes.
bool isReadAsCodes(DequantizeLinearOp op);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_CODEDMATRIX_H
