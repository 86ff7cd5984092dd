// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that the device could choose: each computed condition, and what of it the host would not
// need then.

#ifndef CAMEO_PLAN_CHOICE_H
#define CAMEO_PLAN_CHOICE_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// An element of what the host has waited for.
struct AwaitedElement {
  prog::ElementOp element;
  prog::AwaitOp await;
  /// In row-major order.
  int64_t offset;
};

/// A `prog.if` and what the host computes for conditions only, its own among them.
struct Choice {
  prog::IfOp branch;
  llvm::SmallVector<prog::AwaitOp> awaits;
  llvm::SmallVector<prog::ViewOp> views;
  llvm::SmallVector<AwaitedElement> elements;
  /// Scalars, each behind its operands.
  llvm::SmallVector<mlir::Operation *> scalars;

  /// Calls `visit` with the ops that have nothing left to do where the device chooses.
  void forEachOp(llvm::function_ref<void(mlir::Operation *)> visit) const;
};

/// The choices that the device could make in one place, and the work that the host would be spared.
class Choices {
public:
  /// Finds them anywhere inside `root`, a function or a loop.
  explicit Choices(mlir::Operation *root);

  /// Inner ones first.
  llvm::ArrayRef<Choice> get() const { return choices; }
  /// Whether the op is a branch that the device could choose, or only there for conditions.
  bool contains(mlir::Operation *op) const { return ops.contains(op); }

private:
  /// Takes all that may be one, but for what is excluded.
  void collect(mlir::Operation *root);
  std::optional<Choice> find(prog::IfOp branch) const;
  /// The first branch for whose condition the host computes what it needs elsewhere; null if none.
  prog::IfOp findShared() const;
  /// Whether the host only enqueues it, in a branch that may not be taken.
  bool isWorkOfDevice(mlir::Operation *op) const;

  std::vector<Choice> choices;
  llvm::DenseSet<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Operation *> excluded;
};

/// Whether the host waits for conditions only that the device could choose by, so that a run could
/// be captured then.
bool waitsForChoicesOnly(mlir::func::FuncOp function, const Choices &choices);

} // namespace cameo

#endif // CAMEO_PLAN_CHOICE_H
