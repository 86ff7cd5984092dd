// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/FreshDestinations.h"

#include "Dialect/Prog/IR/ProgDialect.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::prog;

/// Drops the destination that `use` is, and the tie to it; false where `op` has no such
/// destination.
template <class OP> static bool drop(OP op, OpOperand &use) {
  if (!op || !llvm::is_contained(op.getDests(), use.get()))
    return false;
  int64_t number = use.getOperandNumber() - op.getDests().getBeginOperandIndex();
  SmallVector<int64_t> ties(op.getTies());
  for (int64_t &tie : ties)
    tie = tie == number ? -1 : tie > number ? tie - 1 : tie;
  op.getDestsMutable().erase(number);
  op.setTies(ties);
  return true;
}

void cameo::dropFreshDestinations(func::FuncOp function) {
  SmallVector<EmptyOp> empties;
  function.walk([&](EmptyOp empty) { empties.push_back(empty); });
  for (EmptyOp empty : empties) {
    if (!empty->hasOneUse())
      continue;
    OpOperand &use = *empty->use_begin();
    Operation *writer = use.getOwner();
    // Memory of a loop's is there before the loop.
    if (writer->getBlock() == empty->getBlock() &&
        (drop(dyn_cast<KernelOp>(writer), use) || drop(dyn_cast<CallOp>(writer), use)))
      empty.erase();
  }
}
