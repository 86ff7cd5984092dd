// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fusion/Uses.h"

#include "Fusion/IndexSpace.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::prog;

void cameo::forEachUse(Value value, Block &block, function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : value.getUses()) {
    auto view = dyn_cast<ViewOp>(use.getOwner());
    bool isTransparent = view && view->getBlock() == &block && getViewed(view) != view.getOutput();
    if (isTransparent)
      forEachUse(view, block, visit);
    else
      visit(use);
  }
}

OpOperand *cameo::getOnlyUse(Value value, Block &block) {
  OpOperand *only = nullptr;
  unsigned count = 0;
  forEachUse(value, block, [&](OpOperand &use) {
    only = &use;
    ++count;
  });
  return count == 1 ? only : nullptr;
}

void cameo::sinkViews(Value value, Operation *op) {
  for (Operation *user : value.getUsers())
    if (isa<ViewOp>(user) && user->getBlock() == op->getBlock() && user->isBeforeInBlock(op)) {
      user->moveAfter(op);
      sinkViews(user->getResult(0), user);
    }
}

ProgramOrder::ProgramOrder(Block &block) : block(block) {
  for (auto [position, op] : llvm::enumerate(block))
    positions[&op] = position;
}

unsigned ProgramOrder::lookup(Operation *op) const {
  auto found = positions.find(block.findAncestorOpInBlock(*op));
  assert(found != positions.end() && "op was not put in");
  return found->second;
}
