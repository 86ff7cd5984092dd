// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that the device can choose (cameo-choose-on-device), and loops that it can run
// (cameo-repeat-on-device).

#ifndef CAMEO_DIALECT_PROG_IR_CHOICES_H
#define CAMEO_DIALECT_PROG_IR_CHOICES_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo::prog {

/// The await that a condition is the element of, and that the device can do without; else null.
inline AwaitOp getChooser(mlir::Value condition) {
  auto element = condition.getDefiningOp<ElementOp>();
  auto await = element ? element.getTensor().getDefiningOp<AwaitOp>() : AwaitOp();
  return await && await.getChooses() ? await : AwaitOp();
}

/// The await whose only reader is the branch's condition, where the device can choose; else null.
inline AwaitOp getChooser(IfOp branch) { return getChooser(branch.getCondition()); }

/// That of the condition by which a loop goes on, where the device can run the loop; else null.
inline AwaitOp getChooser(LoopOp loop) {
  return loop.getCondition() ? getChooser(loop.getBody().front().getTerminator()->getOperand(0))
                             : AwaitOp();
}

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_CHOICES_H
