// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that views show, and the operands that ops read and write.

#ifndef CAMEO_DIALECT_PROG_IR_VIEWS_H
#define CAMEO_DIALECT_PROG_IR_VIEWS_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// The value that `value` shows, through views: the same elements at the same time.
inline mlir::Value stripViews(mlir::Value value) {
  while (auto view = value.getDefiningOp<prog::ViewOp>())
    value = view.getSource();
  return value;
}

/// The destinations of a kernel or a call; none of another op.
inline mlir::ValueRange getDests(mlir::Operation *op) {
  if (auto kernel = mlir::dyn_cast<prog::KernelOp>(op))
    return kernel.getDests();
  auto call = mlir::dyn_cast<prog::CallOp>(op);
  return call ? mlir::ValueRange(call.getDests()) : mlir::ValueRange();
}

/// Visits the operands of `op` and, of a call, those of its functors.
inline void forEachRead(mlir::Operation *op, llvm::function_ref<void(mlir::Value)> visit) {
  llvm::for_each(op->getOperands(), visit);
  if (auto call = mlir::dyn_cast<prog::CallOp>(op))
    for (mlir::Operation &functor : call.getFunctors().front())
      llvm::for_each(functor.getOperands(), visit);
}

} // namespace cameo

#endif // CAMEO_DIALECT_PROG_IR_VIEWS_H
