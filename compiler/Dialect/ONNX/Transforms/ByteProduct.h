// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices of bytes as the kernels have it: of the codes alone, from whose sums the
// zero points are taken off.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_BYTEPRODUCT_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_BYTEPRODUCT_H

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"

namespace cameo {

/// Operands of a product of bytes, in i8 or ui8 and of known ranks. Zero points, which may be null,
/// are for all, or for each row of the left one and each column of the right one.
struct ByteProduct {
  mlir::Value left, leftZero, right, rightZero;
  /// Whether `right`, of two axes then, has its columns as rows.
  bool isTransposed = false;

  bool areMatrices() const;
  /// Whether the right operand is one constant matrix.
  bool hasWeights() const;
  /// Whether it is what build() gives, or lets be.
  bool isPlain() const;
  /// In i32, which wraps. The product of the codes is the kernels', of unsigned by signed ones
  /// where the right operand is a constant.
  mlir::Value build(OnnxBuilder &b) const;

private:
  mlir::Value alignWide(OnnxBuilder &b, mlir::Value zeroPoint, bool areRows) const;
  mlir::Value sumColumns(OnnxBuilder &b, mlir::Value columns) const;
  mlir::Type getWide() const;
};

/// x - zero point, in `wide`.
mlir::Value subtractZero(OnnxBuilder &b, mlir::Value x, mlir::Value zeroPoint, mlir::Type wide);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_BYTEPRODUCT_H
