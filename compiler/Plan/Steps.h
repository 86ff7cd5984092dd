// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbering that intervals of buffers count in: the order in which a function is printed.

#ifndef CAMEO_PLAN_STEPS_H
#define CAMEO_PLAN_STEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

class Steps {
public:
  explicit Steps(mlir::func::FuncOp function);

  /// The step of an op; of an op inside a kernel or a call, that one's.
  int64_t get(mlir::Operation *op) const;
  /// The last step of the ops inside `op`; its own when there are none.
  int64_t getEnd(mlir::Operation *op) const;
  /// The last step at which `user` needs a value that `definition` defines: its own, that of the
  /// await of a copy that it starts, the end of every loop between the two.
  int64_t getLastUse(mlir::Operation *user, mlir::Block *definition) const;

private:
  void number(mlir::Block &block);

  int64_t next = 0;
  llvm::DenseMap<mlir::Operation *, int64_t> steps, ends;
};

} // namespace cameo

#endif // CAMEO_PLAN_STEPS_H
