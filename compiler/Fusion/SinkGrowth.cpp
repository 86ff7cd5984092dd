// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fusion/SinkGrowth.h"

#include "Fusion/Uses.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/Views.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// The ops of a block are visited from its end, so that chains move as a whole.
class Sinking {
public:
  Sinking(Block &block, const ExtentFacts &facts) : block(block), facts(facts) {}

  unsigned run() {
    number();
    unsigned count = 0;
    SmallVector<Operation *> steps;
    for (Operation &op : block)
      if (isa<KernelOp, CallOp>(op) && getDests(&op).empty())
        steps.push_back(&op);
    for (Operation *op : llvm::reverse(steps))
      count += sink(op);
    return count;
  }

private:
  /// Ops that stay have even places; all that is moved between two of them has the odd one there.
  void number() {
    int64_t place = 0;
    for (Operation &op : block)
      places[&op] = place += 2;
    Operation *barrier = block.empty() ? nullptr : &block.back();
    for (Operation &op : llvm::reverse(block)) {
      barriers[&op] = barrier;
      if (!isa<KernelOp, CallOp, EmptyOp>(op) && !isMemoryEffectFree(&op))
        barrier = &op;
    }
  }

  bool sink(Operation *op) {
    Operation *reader = findFirstReader(op), *barrier = barriers.lookup(op);
    Operation *target = reader;
    if (!target || (barrier && places.lookup(barrier) < places.lookup(target)))
      target = barrier;
    if (!reader || !target || !grows(op))
      return false;
    Operation *&front = fronts.try_emplace(target, target).first->second;
    Operation *behind = std::exchange(front, op);
    if (op->getNextNode() == behind)
      return false;
    op->moveBefore(behind);
    for (Value result : op->getResults())
      sinkViews(result, op);
    int64_t place = places.lookup(behind);
    places[op] = place % 2 == 0 ? place - 1 : place;
    return true;
  }

  /// Null where nothing reads `op`, where the function's results are among the readers, or where
  /// two readers were moved to one place.
  Operation *findFirstReader(Operation *op) {
    Operation *first = nullptr;
    bool isKept = true;
    auto visit = [&](auto &self, Value value) -> void {
      for (Operation *user : value.getUsers()) {
        if (isa<ViewOp>(user) && user->getBlock() == &block) {
          self(self, user->getResult(0));
          continue;
        }
        Operation *reader = block.findAncestorOpInBlock(*user);
        isKept &= reader && !reader->hasTrait<OpTrait::IsTerminator>();
        if (!isKept || reader == first)
          continue;
        int64_t place = places.lookup(reader), best = first ? places.lookup(first) : INT64_MAX;
        isKept &= place != best;
        if (place < best)
          first = reader;
      }
    };
    for (Value result : op->getResults())
      visit(visit, result);
    return isKept ? first : nullptr;
  }

  /// Whether the results of `op` are larger than all that it reads, so that more memory is alive
  /// behind it whatever it frees, and it may come later than what else reads that.
  bool grows(Operation *op) {
    llvm::SmallSetVector<Value, 8> reads;
    forEachRead(op, [&](Value read) { reads.insert(read); });
    int64_t bytes = 0;
    for (Value result : op->getResults())
      bytes += getBytes(result);
    for (Value read : reads)
      bytes -= getBytes(read);
    return bytes > 0 &&
           llvm::none_of(reads, [&](Value read) { return isWritten(stripViews(read)); });
  }

  int64_t getBytes(Value value) {
    auto type = dyn_cast<SymTensorType>(value.getType());
    return type ? estimate(getStorageBytes(type), facts) : 0;
  }

  /// Whether an op writes into the memory of `value`, behind which its readers must not come.
  static bool isWritten(Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      auto view = dyn_cast<ViewOp>(user);
      return view ? isWritten(view) : llvm::is_contained(getDests(user), value);
    });
  }

  Block &block;
  const ExtentFacts &facts;
  DenseMap<Operation *, int64_t> places;
  /// The first op behind each that nothing may move past.
  DenseMap<Operation *, Operation *> barriers;
  /// The first of the ops that stand in front of each for it, which keep their order.
  DenseMap<Operation *, Operation *> fronts;
};

} // namespace

unsigned cameo::sinkGrowth(Block &block, const ExtentFacts &facts) {
  return Sinking(block, facts).run();
}
