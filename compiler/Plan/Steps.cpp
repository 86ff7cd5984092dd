// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/Steps.h"

#include "Dialect/Prog/IR/Choices.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::prog;

Steps::Steps(func::FuncOp function) { number(function.getBody().front()); }

void Steps::number(Block &block) {
  for (Operation &op : block) {
    steps[&op] = next++;
    if (isa<KernelOp, CallOp>(op))
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        number(inner);
    ends[&op] = next - 1;
  }
}

int64_t Steps::get(Operation *op) const {
  while (true) {
    auto found = steps.find(op);
    if (found != steps.end())
      return found->second;
    op = op->getParentOp();
  }
}

int64_t Steps::getEnd(Operation *op) const {
  auto found = ends.find(op);
  return found == ends.end() ? get(op) : found->second;
}

int64_t Steps::getLastUse(Operation *user, Block *definition) const {
  int64_t last = get(user);
  if (auto fetch = dyn_cast<FetchOp>(user))
    for (Operation *reader : getLastReaders(fetch))
      last = std::max(last, get(reader));
  for (Operation *op = user; op->getBlock() != definition; op = op->getParentOp())
    if (isa<LoopOp>(op->getParentOp()))
      last = std::max(last, getEnd(op->getParentOp()));
  return last;
}
