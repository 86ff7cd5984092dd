// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/Aliases.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::prog;

Value cameo::getTiedDestination(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  auto tied = [&](ArrayRef<int64_t> ties, OperandRange dests) -> Value {
    int64_t tie = ties[result.getResultNumber()];
    return tie < 0 ? Value() : dests[tie];
  };
  if (auto kernel = dyn_cast<KernelOp>(result.getOwner()))
    return tied(kernel.getTies(), kernel.getDests());
  if (auto call = dyn_cast<CallOp>(result.getOwner()))
    return tied(call.getTies(), call.getDests());
  return {};
}

Value cameo::getMemoryRoot(Value value) {
  while (true) {
    if (auto view = value.getDefiningOp<ViewOp>())
      value = view.getSource();
    else if (Value destination = getTiedDestination(value))
      value = destination;
    else
      return value;
  }
}

bool cameo::isPlanned(Value root) {
  Operation *op = root.getDefiningOp();
  return op && !isa<WeightOp, NullOp, AwaitOp>(op);
}
