// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Prog/IR/WaitOrder.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Prog/IR/Views.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

class WaitOrder {
public:
  explicit WaitOrder(func::FuncOp function) : symbols(function) {}

  void sort(Block &block) {
    bool waits = false;
    for (Operation &op : block) {
      levels[&op] = getLevel(op);
      waits |= isa<AwaitOp>(op);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          sort(inner);
    }
    if (!waits)
      return;
    SmallVector<Operation *> order;
    for (Operation &op : block.without_terminator())
      order.push_back(&op);
    llvm::stable_sort(
        order, [&](Operation *a, Operation *b) { return levels.lookup(a) < levels.lookup(b); });
    for (Operation *op : order)
      op->moveBefore(block.getTerminator());
  }

private:
  unsigned getLevel(Operation &op) {
    unsigned level = 0;
    auto standBehind = [&](Operation *other) {
      if (other && other != &op && other->getBlock() == op.getBlock())
        level = std::max(level, levels.lookup(other));
    };
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        standBehind(operand.getDefiningOp());
      // A buffer that is written over stays behind its readers.
      for (Value dest : getDests(inner))
        for (Operation *reader : dest.getUsers())
          standBehind(op.getBlock()->findAncestorOpInBlock(*reader));
      uses.forEach(inner, [&](StringRef symbol) { standBehind(symbols.getDefiner(symbol)); });
    });
    return level + (isa<AwaitOp>(op) ? 1 : 0);
  }

  SymbolAnalysis symbols;
  SymbolUses uses;
  DenseMap<Operation *, unsigned> levels;
};

} // namespace

void cameo::prog::orderByWaits(func::FuncOp function) {
  WaitOrder(function).sort(function.getBody().front());
}
