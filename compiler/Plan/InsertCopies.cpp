// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/InsertCopies.h"

#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Plan/Aliases.h"
#include "Plan/CopyKernel.h"
#include "Plan/Overwrite.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

class CopyInserter {
public:
  CopyInserter(func::FuncOp function, const SymbolAnalysis &symbols)
      : function(function), symbols(symbols) {}

  unsigned run() {
    SmallVector<Operation *> ops;
    walkOutsideKernels(function, [&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      protectDestinations(op);
      if (isa<func::ReturnOp>(op) || (isa<YieldOp>(op) && isa<IfOp>(op->getParentOp())))
        makeOwn(op->getOpOperands());
      if (auto loop = dyn_cast<LoopOp>(op))
        protectCarried(loop);
    }
    return numCopies;
  }

private:
  /// A tensor with the elements of `value`, halo and all, made in front of `before`.
  Value copy(Value value, Operation *before) {
    ++numCopies;
    auto type = cast<SymTensorType>(value.getType());
    OpBuilder builder(before);
    return createCopy(builder, value, type, type.getPhysicalExtents());
  }

  /// A destination that something else still reads, or that is not ours, is copied first.
  void protectDestinations(Operation *op) {
    MutableOperandRange dests = isa<KernelOp>(op) ? cast<KernelOp>(op).getDestsMutable()
                                : isa<CallOp>(op) ? cast<CallOp>(op).getDestsMutable()
                                                  : MutableOperandRange(op, 0, 0);
    for (OpOperand &dest : dests) {
      Value root = roots.find(dest.get());
      bool isStack = isa<BlockArgument>(root) && isa<LoopOp>(root.getParentBlock()->getParentOp());
      bool isView = dest.get().getDefiningOp<ViewOp>() != nullptr;
      if (!dest.get().hasOneUse() || isView || !(isPlanned(root) || isStack))
        dest.set(copy(dest.get(), op));
    }
  }

  /// Makes every operand a tensor that is planned, and planned for nothing else.
  void makeOwn(MutableArrayRef<OpOperand> operands) {
    DenseSet<Value> taken;
    for (OpOperand &operand : operands) {
      auto type = dyn_cast<SymTensorType>(operand.get().getType());
      if (!type)
        continue;
      Value root = roots.find(operand.get());
      bool isOwn = isPlanned(root) && isWhole(operand.get(), root) &&
                   root.getParentBlock() == operand.getOwner()->getBlock() &&
                   (isa<YieldOp>(operand.getOwner()) ? !isa<LoopOp>(root.getDefiningOp())
                                                     : mayBeOutput(type, root)) &&
                   taken.insert(root).second;
      if (!isOwn)
        operand.set(copy(operand.get(), operand.getOwner()));
    }
  }

  /// Whether the caller's memory for an output of `type` can be that of `root`: it has one place
  /// for all of its life, unlike what a loop leaves in one of two, and the output's dims are known
  /// before anything is written there.
  bool mayBeOutput(SymTensorType type, Value root) {
    while (auto loop = root.getDefiningOp<LoopOp>()) {
      unsigned number = cast<OpResult>(root).getResultNumber();
      if (!isUpdatedInPlace(loop, number))
        return false;
      root = roots.find(loop.getInits()[number]);
    }
    return llvm::all_of(type.getExtents(), [&](ExtentAttr extent) {
      return symbols.areKnownBefore(symbols.getHostBound(extent), root.getDefiningOp());
    });
  }

  /// Carried values start in memory of their own, and the next ones are made in the body.
  void protectCarried(LoopOp loop) {
    DenseSet<Value> taken;
    for (auto [number, init] : llvm::enumerate(loop.getInitsMutable())) {
      auto type = dyn_cast<SymTensorType>(loop.getBody().getArgument(number).getType());
      if (!type)
        continue;
      Value root = roots.find(init.get());
      // Its memory has to be long enough for every later value.
      ExtentAttr capacity = symbols.getBound(symbols.getLoopBound(getStorageBytes(type)), loop);
      bool isOwn = isPlanned(root) && !isa<LoopOp, IfOp>(root.getDefiningOp()) &&
                   init.get().hasOneUse() && root == init.get() &&
                   symbols.areKnownBefore(capacity, root.getDefiningOp()) &&
                   taken.insert(root).second;
      if (!isOwn)
        init.set(copy(init.get(), loop));
    }
    Block &body = loop.getBody().front();
    DenseSet<Value> yielded;
    for (BlockArgument argument : body.getArguments()) {
      if (!isa<SymTensorType>(argument.getType()))
        continue;
      OpOperand &next = getNextValue(loop, argument.getArgNumber());
      Value root = roots.find(next.get());
      bool isFresh = isPlanned(root) && root.getParentBlock() == &body &&
                     !isa<LoopOp, IfOp>(root.getDefiningOp()) && isWhole(next.get(), root) &&
                     yielded.insert(root).second;
      if (!isFresh && !isUpdatedInPlace(loop, argument.getArgNumber()))
        next.set(copy(next.get(), body.getTerminator()));
    }
  }

  func::FuncOp function;
  const SymbolAnalysis &symbols;
  /// An op gets other destinations only before anything asks for its results.
  MemoryRoots roots;
  unsigned numCopies = 0;
};

} // namespace

unsigned cameo::insertCopies(func::FuncOp function, const SymbolAnalysis &symbols) {
  return CopyInserter(function, symbols).run();
}
