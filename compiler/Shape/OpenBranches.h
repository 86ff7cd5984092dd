// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that give a result other ranks. No type says what such a result is outside of its If, so
// that whatever reads it goes into both branches, operator by operator, until they agree again:
//
//   %a = If(%c) { yield Squeeze(%x) } else { yield %x }     // [N] or [N, 1]
//   %b = Flatten(%a)
// becomes
//   %b = If(%c) { yield Flatten(Squeeze(%x)) } else { yield Flatten(%x) }
//
// Done while the Shape stage walks, behind what decides ranks and in front of all that is not typed
// yet.

#ifndef CAMEO_SHAPE_OPENBRANCHES_H
#define CAMEO_SHAPE_OPENBRANCHES_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

class ShapeInference;
struct OnlyBranch;

class OpenBranches {
public:
  /// The model may grow to `maxGrowth` times its operators.
  OpenBranches(mlir::func::FuncOp function, int64_t maxGrowth, ShapeInference &stage);

  /// Whether a result of an If has a rank in each branch, and not the same.
  static bool isOpen(mlir::Value value);

  /// Before a block is walked, again or for the first time.
  void enter(mlir::Block &block) { blocks.erase(&block); }
  /// Moves `op`, which is to be inferred, in front of the open Ifs that it does not depend on, and
  /// if it reads an open result into the branches, where it is inferred. Gives the op with which
  /// the walk goes on, `next` unless ops have to be typed again; null when `op` itself is still to
  /// be inferred.
  llvm::FailureOr<mlir::Operation *> take(mlir::Operation *op, mlir::Operation *next);
  /// Behind the inference of an If; the walk goes on with `next`.
  void watch(onnx::IfOp branch, mlir::Operation *next);
  /// Ends the walk. An open result that is an output gets ones in front, in each branch, until it
  /// has the most dims that it may have, and a prog.rank says how many of them are its own. Results
  /// that nobody reads any more are dropped.
  llvm::LogicalResult finish();
  /// Whether an operator went into branches.
  bool hasCopied() const { return copied; }

private:
  /// A block that is walked. Each open If is followed by what depends on it.
  struct WatchedBlock {
    /// In their order; null where all that was open has been read.
    llvm::SmallVector<onnx::IfOp, 1> ifs;
    /// How many of them stand in front of an operator, an If itself included. An operator in front
    /// of all is not in it.
    llvm::DenseMap<mlir::Operation *, unsigned> levels;
  };

  /// The place of an If among the open ones of its block; null when it is none of them.
  onnx::IfOp *findSlot(mlir::Operation *op);
  void moveUp(mlir::Operation *op, WatchedBlock &block);
  onnx::IfOp findReadBy(mlir::Operation *op, const WatchedBlock &block) const;
  llvm::FailureOr<prog::KeepOp> closeOutput(mlir::OpOperand &output);
  void dropUnread();
  llvm::FailureOr<mlir::Operation *> absorb(mlir::Operation *op, onnx::IfOp &branch);
  mlir::Operation *takeOther(mlir::Operation *absorbed, onnx::IfOp branch, const OnlyBranch &only);
  llvm::LogicalResult addToBranch(mlir::Operation *op, onnx::IfOp branch, bool isThen);
  onnx::IfOp rebuild(onnx::IfOp branch, mlir::Operation *absorbed);

  mlir::func::FuncOp function;
  ShapeInference &stage;
  int64_t numOperators, maxOperators;
  bool copied = false;
  llvm::DenseMap<mlir::Block *, WatchedBlock> blocks;
};

} // namespace cameo

#endif // CAMEO_SHAPE_OPENBRANCHES_H
