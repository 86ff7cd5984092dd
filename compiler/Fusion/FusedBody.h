// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One body composed of several. Values that an earlier part computes are handed on as scalars,
// everything else becomes an operand, each element once.

#ifndef CAMEO_FUSION_FUSEDBODY_H
#define CAMEO_FUSION_FUSEDBODY_H

#include "Fusion/IndexSpace.h"
#include "mlir/IR/Builders.h"

namespace cameo {

class FusedBody {
public:
  /// `block` may have the arguments that a template brings.
  FusedBody(mlir::Block *block, IndexSpace &space)
      : builder(mlir::OpBuilder::atBlockEnd(block)), block(block), space(space) {}

  /// The scalar that is read: computed by this body, or a new operand's.
  mlir::Value get(const Access &read);
  /// Says what a read of `source` at `at` gives.
  void define(mlir::Value source, const Point &at, mlir::Value scalar);
  /// Evaluates `kernel`; returns what it yields.
  llvm::SmallVector<mlir::Value> append(prog::KernelOp kernel, const Evaluation &evaluation);
  /// Evaluates a body of the same index space whose arguments are `arguments`.
  llvm::SmallVector<mlir::Value> append(mlir::Block &body, mlir::ValueRange arguments,
                                        llvm::ArrayRef<mlir::AffineExpr> index);
  /// Ends the body of `op` and gives it operands and maps: `yielded` are stored at `stored`. Views
  /// that the operands take are made in front of `before`.
  void finish(prog::BodyOpInterface op, mlir::ValueRange yielded, llvm::ArrayRef<IndexExprs> stored,
              mlir::Operation *before);

private:
  mlir::Value getCoordinate(mlir::AffineExpr expr, mlir::Location location);

  struct Known {
    mlir::Value source;
    Point at;
    mlir::Value scalar;
  };

  mlir::OpBuilder builder;
  mlir::Block *block;
  IndexSpace &space;
  llvm::SmallVector<Access> operands;
  llvm::SmallVector<Known> known;
};

/// `tensor` seen under other extents with as many elements, made by `builder` unless it is seen so
/// already.
mlir::Value viewAs(mlir::OpBuilder &builder, mlir::Location location, mlir::Value tensor,
                   llvm::ArrayRef<core::ExtentAttr> extents);

} // namespace cameo

#endif // CAMEO_FUSION_FUSEDBODY_H
