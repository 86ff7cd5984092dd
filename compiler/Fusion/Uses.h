// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who uses a tensor, through views, and in which order the ops of a block stand.

#ifndef CAMEO_FUSION_USES_H
#define CAMEO_FUSION_USES_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo {

/// Visits every use of `value`, and of its views in `block` that IndexSpace sees through; not those
/// by these views themselves.
void forEachUse(mlir::Value value, mlir::Block &block,
                llvm::function_ref<void(mlir::OpOperand &)> visit);
/// The only one of these uses; null where there is none, or another.
mlir::OpOperand *getOnlyUse(mlir::Value value, mlir::Block &block);
/// Moves the views of `value` that stand in front of `op`, which makes it, behind it.
void sinkViews(mlir::Value value, mlir::Operation *op);

/// The order in which the ops of a block stand; an op that is made later is put in by hand.
class ProgramOrder {
public:
  explicit ProgramOrder(mlir::Block &block);

  mlir::Block &getBlock() const { return block; }
  /// The position of `op`, or of the op of the block that it is nested in.
  unsigned lookup(mlir::Operation *op) const;
  void set(mlir::Operation *op, unsigned position) { positions[op] = position; }

private:
  mlir::Block &block;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
};

} // namespace cameo

#endif // CAMEO_FUSION_USES_H
