// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that the host could compute. Needs flow backward, from what decides extents and
// branches through everything small that it is computed from, to the inputs; availability flows
// forward from there, through everything small that follows. Both cross branches and loops.

#ifndef CAMEO_PLACEMENT_HOSTCANDIDATES_H
#define CAMEO_PLACEMENT_HOSTCANDIDATES_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

class HostCandidates {
public:
  explicit HostCandidates(mlir::func::FuncOp function);

  /// Whether the host may have the value by other means than reading it back. What follows from
  /// device data may be computed on either side only if that is small work with the same result on
  /// both.
  bool contains(mlir::Value value) const;

private:
  void findNeeds(mlir::func::FuncOp function);
  void need(mlir::Value value);
  void needSources(mlir::Value value);

  void findAvailable(mlir::func::FuncOp function);
  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitIf(onnx::IfOp branch);
  void visitLoop(onnx::LoopOp loop);
  /// Whether the host can have the value without a readback, as far as is known yet.
  bool isAvailable(mlir::Value value) const;
  void exclude(mlir::Value value);

  /// What the host needs, and what it would have to know to compute that; work on the latter.
  llvm::DenseSet<mlir::Value> needed;
  llvm::SmallVector<mlir::Value> pending;
  /// What is not available: everything is, until something says otherwise.
  llvm::DenseSet<mlir::Value> excluded;
  bool changed = false;
};

} // namespace cameo

#endif // CAMEO_PLACEMENT_HOSTCANDIDATES_H
