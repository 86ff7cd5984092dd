// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/InsertCopies.h"

#include "Plan/Aliases.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

class CopyInserter {
public:
  explicit CopyInserter(func::FuncOp function) : function(function) {}

  unsigned run() {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      protectDestinations(op);
      if (isa<func::ReturnOp>(op))
        makeOwn(op->getOpOperands(), /*sameBlock=*/false);
      if (isa<YieldOp>(op) && isa<IfOp>(op->getParentOp()))
        makeOwn(op->getOpOperands(), /*sameBlock=*/true);
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
    SmallVector<Attribute> extents = llvm::to_vector_of<Attribute>(type.getPhysicalExtents());
    AffineMap identity = builder.getMultiDimIdentityMap(extents.size());
    ArrayAttr maps = builder.getAffineMapArrayAttr({identity});
    auto kernel = KernelOp::create(builder, value.getLoc(), TypeRange{type}, ValueRange{value},
                                   ValueRange{}, builder.getArrayAttr(extents), maps, maps,
                                   builder.getArrayAttr({}), builder.getDenseI64ArrayAttr({-1}));
    Block *body = builder.createBlock(&kernel.getBody());
    Value element = body->addArgument(type.getElementType(), value.getLoc());
    YieldOp::create(builder, value.getLoc(), ValueRange{element});
    return kernel.getResult(0);
  }

  /// A destination that something else still reads, or that is not ours, is copied first.
  void protectDestinations(Operation *op) {
    MutableOperandRange dests = isa<KernelOp>(op) ? cast<KernelOp>(op).getDestsMutable()
                                : isa<CallOp>(op) ? cast<CallOp>(op).getDestsMutable()
                                                  : MutableOperandRange(op, 0, 0);
    for (OpOperand &dest : dests) {
      Value root = getMemoryRoot(dest.get());
      bool isStack = isa<BlockArgument>(root) && isa<LoopOp>(root.getParentBlock()->getParentOp());
      bool isView = dest.get().getDefiningOp<ViewOp>() != nullptr;
      if (!dest.get().hasOneUse() || isView || !(isPlanned(root) || isStack))
        dest.set(copy(dest.get(), op));
    }
  }

  /// Makes every operand a tensor that is planned, and planned for nothing else.
  void makeOwn(MutableArrayRef<OpOperand> operands, bool sameBlock) {
    DenseSet<Value> taken;
    for (OpOperand &operand : operands) {
      auto type = dyn_cast<SymTensorType>(operand.get().getType());
      if (!type)
        continue;
      Value root = getMemoryRoot(operand.get());
      bool whole = isPlanned(root) && isWhole(operand.get(), root) &&
                   (!sameBlock || root.getParentBlock() == operand.getOwner()->getBlock());
      if (!whole || isa<LoopOp, IfOp>(root.getDefiningOp()) || !taken.insert(root).second)
        operand.set(copy(operand.get(), operand.getOwner()));
    }
  }

  /// Whether `value`, which uses the memory of `root`, is all of it.
  static bool isWhole(Value value, Value root) {
    auto type = cast<SymTensorType>(value.getType()),
         rootType = cast<SymTensorType>(root.getType());
    for (Value v = value; v != root;) {
      auto view = v.getDefiningOp<ViewOp>();
      if (view && !view.getOffset().isConstant(0))
        return false;
      v = view ? view.getSource() : getTiedDestination(v);
    }
    return type.getElementType() == rootType.getElementType() &&
           type.getNumElements() == rootType.getNumElements();
  }

  /// Carried values start in memory of their own, and the next ones are made in the body.
  void protectCarried(LoopOp loop) {
    DenseSet<Value> taken;
    for (OpOperand &init : loop.getInitsMutable()) {
      if (!isa<SymTensorType>(init.get().getType()))
        continue;
      Value root = getMemoryRoot(init.get());
      if (!isPlanned(root) || isa<LoopOp, IfOp>(root.getDefiningOp()) || !init.get().hasOneUse() ||
          root != init.get() || !taken.insert(root).second)
        init.set(copy(init.get(), loop));
    }
    Block &body = loop.getBody().front();
    Operation *yield = body.getTerminator();
    unsigned skipped = loop.getCondition() ? 1 : 0;
    DenseSet<Value> yielded;
    for (BlockArgument argument : body.getArguments()) {
      if (!isa<SymTensorType>(argument.getType()))
        continue;
      OpOperand &next = yield->getOpOperand(argument.getArgNumber() + skipped);
      Value root = getMemoryRoot(next.get());
      bool inPlace = root == argument && isWhole(next.get(), root);
      bool fresh = isPlanned(root) && root.getParentBlock() == &body &&
                   !isa<LoopOp, IfOp>(root.getDefiningOp()) && isWhole(next.get(), root) &&
                   yielded.insert(root).second;
      if (!inPlace && !fresh)
        next.set(copy(next.get(), yield));
    }
  }

  func::FuncOp function;
  unsigned numCopies = 0;
};

} // namespace

unsigned cameo::insertCopies(func::FuncOp function) { return CopyInserter(function).run(); }
