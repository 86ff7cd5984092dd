// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the matrices lie that a product (`gemm`) reads: the calls' members taken apart, and kernels
// seen through that have only transposed them.

#ifndef CAMEO_FUSION_MATRIXOPERAND_H
#define CAMEO_FUSION_MATRIXOPERAND_H

#include "Dialect/Core/IR/ExtentFacts.h"
#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// A matrix per batch: the distances of neighbours along each axis of batches, of rows, of columns.
struct MatrixOperand {
  mlir::Value tensor;
  llvm::SmallVector<core::ExtentAttr> strides;
  /// Elements of the tensor in front of the first matrix.
  core::ExtentAttr offset;
  /// The kernels that it is read in front of, from the product's on.
  llvm::SmallVector<prog::KernelOp, 2> transposes;
};

/// An axis seen as two: the last one of the batches, or the rows of the left operand, which the
/// right one repeats for. Null extents: none is.
struct AxisSplit {
  bool ofRows = false;
  core::ExtentAttr outer, inner;
};

/// Operand `number`, 0 or 1, of `product`: elements lie together along its rows or, `takesColumns`,
/// along its columns. Strides are along the product's own axes, whatever its flags say of them, one
/// of them split: the outer part is one of batches.
MatrixOperand readMatrix(prog::CallOp product, unsigned number, bool takesColumns,
                         const core::ExtentFacts &facts, const AxisSplit &split = {});

/// The tensor from its first matrix on: a view of it where that has an offset.
mlir::Value createView(mlir::OpBuilder &builder, mlir::Location location,
                       const MatrixOperand &matrix);

/// Whether these are the distances of neighbours in a dense tensor of these extents.
bool isDense(llvm::ArrayRef<core::ExtentAttr> strides, llvm::ArrayRef<core::ExtentAttr> extents);
/// The kernels behind an operand in its block that give elements other places and nothing else,
/// from the operand's on.
llvm::SmallVector<prog::KernelOp, 2> collectTransposes(mlir::Value operand, mlir::Block *block);
/// Erases those in front of which operands are read, where nobody else reads their results; appends
/// their locations.
void eraseTransposes(llvm::ArrayRef<MatrixOperand> operands,
                     llvm::SmallVectorImpl<mlir::Location> &locations);

} // namespace cameo

#endif // CAMEO_FUSION_MATRIXOPERAND_H
