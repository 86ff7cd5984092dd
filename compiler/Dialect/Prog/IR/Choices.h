// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that the device can choose (cameo-choose-on-device).

#ifndef CAMEO_DIALECT_PROG_IR_CHOICES_H
#define CAMEO_DIALECT_PROG_IR_CHOICES_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo::prog {

/// The await whose only reader is the branch's condition, where the device can choose; else null.
inline AwaitOp getChooser(IfOp branch) {
  auto element = branch.getCondition().getDefiningOp<ElementOp>();
  auto await = element ? element.getTensor().getDefiningOp<AwaitOp>() : AwaitOp();
  return await && await.getChooses() ? await : AwaitOp();
}

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_CHOICES_H
