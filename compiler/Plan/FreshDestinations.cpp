// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/FreshDestinations.h"

#include "Dialect/Prog/IR/ProgDialect.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::prog;

/// Unties the result from destination `number`, which goes.
template <class OP> static void drop(OP op, int64_t number) {
  SmallVector<int64_t> ties(op.getTies());
  for (int64_t &tie : ties)
    tie = tie == number ? -1 : tie > number ? tie - 1 : tie;
  op.getDestsMutable().erase(number);
  op.setTies(ties);
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
    if (writer->getBlock() != empty->getBlock())
      continue;
    auto numberIn = [&](OperandRange dests) {
      return static_cast<int64_t>(use.getOperandNumber()) - dests.getBeginOperandIndex();
    };
    auto kernel = dyn_cast<KernelOp>(writer);
    auto call = dyn_cast<CallOp>(writer);
    if (kernel && llvm::is_contained(kernel.getDests(), empty.getResult()))
      drop(kernel, numberIn(kernel.getDests()));
    else if (call && llvm::is_contained(call.getDests(), empty.getResult()))
      drop(call, numberIn(call.getDests()));
    else
      continue;
    empty.erase();
  }
}
