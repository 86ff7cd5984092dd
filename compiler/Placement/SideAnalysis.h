// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where every value of a function is computed, found as a fixpoint across regions.

#ifndef CAMEO_PLACEMENT_SIDEANALYSIS_H
#define CAMEO_PLACEMENT_SIDEANALYSIS_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// What an operand must be for its op to run.
enum class Need { Nothing, Host, SameSide };

/// Constants and extents: on both sides without a copy.
bool isOnBothSides(mlir::Value value);
/// What `operand` must be, by its operand class.
Need getNeed(mlir::OpOperand &operand);
/// Whether the device can take the host value as a kernel argument.
bool isKernelArgument(mlir::Value value);

class SideAnalysis {
public:
  explicit SideAnalysis(mlir::func::FuncOp function);

  core::Side getSide(mlir::Value value) const;

private:
  void need(mlir::Value value);
  void findNeeds(mlir::func::FuncOp function);
  void needSources(mlir::Value value);
  void giveBackArguments(mlir::func::FuncOp function);
  void placeArguments(mlir::func::FuncOp function);
  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitLoop(onnx::LoopOp loop);
  /// Sets a side; device wins over host, so that repeating ends.
  void join(mlir::Value value, core::Side side);

  /// What the host needs, and what it would have to know to compute that; work on the latter.
  llvm::DenseSet<mlir::Value> needed;
  llvm::SmallVector<mlir::Value> pending;
  llvm::DenseMap<mlir::Value, core::Side> sides;
  bool changed = false;
};

} // namespace cameo

#endif // CAMEO_PLACEMENT_SIDEANALYSIS_H
