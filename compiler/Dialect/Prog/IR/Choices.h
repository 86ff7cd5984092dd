// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that the device can choose (cameo-choose-on-device), and loops that it can run
// (cameo-repeat-on-device).

#ifndef CAMEO_DIALECT_PROG_IR_CHOICES_H
#define CAMEO_DIALECT_PROG_IR_CHOICES_H

#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo::prog {

/// The await that a condition is an element of, and that the device can do without; else null.
inline AwaitOp getChooser(mlir::Value condition) {
  auto element = condition.getDefiningOp<ElementOp>();
  auto await = element ? element.getTensor().getDefiningOp<AwaitOp>() : AwaitOp();
  return await && await.getChooses() ? await : AwaitOp();
}

/// The await that the branch's condition is an element of, where the device can choose; else null.
inline AwaitOp getChooser(IfOp branch) { return getChooser(branch.getCondition()); }

/// That of the condition by which a loop goes on, where the device can run the loop; else null.
inline AwaitOp getChooser(LoopOp loop) {
  return loop.getCondition() ? getChooser(loop.getBody().front().getTerminator()->getOperand(0))
                             : AwaitOp();
}

/// Whether the op is in the body of a loop that the device runs.
inline bool isInRepetition(mlir::Operation *op) {
  for (auto loop = op->getParentOfType<LoopOp>(); loop; loop = loop->getParentOfType<LoopOp>())
    if (core::isRepeated(loop))
      return true;
  return false;
}

/// The ops before which the source of a fetch must not change: its await, and the branches that
/// read it where the device chooses.
inline llvm::SmallVector<mlir::Operation *> getLastReaders(FetchOp fetch) {
  llvm::SmallVector<mlir::Operation *> readers;
  for (mlir::Operation *user : fetch.getTicket().getUsers()) {
    readers.push_back(user);
    auto await = mlir::dyn_cast<AwaitOp>(user);
    if (await && await.getChooses())
      for (mlir::Operation *element : await->getUsers())
        llvm::append_range(readers, element->getUsers());
  }
  return readers;
}

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_CHOICES_H
