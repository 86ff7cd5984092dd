// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the sides into the types, makes every crossing explicit, and orders the program so that
// what does not depend on a fetch is queued before the wait for it.

#include "Placement/Needs.h"
#include "Placement/Passes.h"
#include "Placement/SideAnalysis.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_PLACEPASS
#include "Placement/Passes.h.inc"
} // namespace cameo

namespace {

void setSide(Value value, Side side) {
  if (auto type = dyn_cast<SymTensorType>(value.getType()))
    value.setType(type.withSide(side));
}

template <class Callback> void forEachValue(func::FuncOp function, Callback callback) {
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      callback(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          callback(argument);
  });
}

/// Makes and remembers the copies of values on their other side: at most one each.
class Crossings {
public:
  explicit Crossings(MLIRContext *context) : builder(context) {}

  /// `value` on `side`; a copy behind its definition when it is not there.
  Value get(Value value, Side side) {
    auto type = cast<SymTensorType>(value.getType());
    if (type.getSide() == side || isOnBothSides(value))
      return value;
    Value &copy = copies[value];
    if (copy)
      return copy;
    builder.setInsertionPointAfterValue(value);
    if (side == Side::Device) {
      ++numStaged;
      return copy = StageOp::create(builder, value.getLoc(), type.withSide(side), value);
    }
    ++numFetched;
    Value ticket =
        FetchOp::create(builder, value.getLoc(), TicketType::get(type.getContext(), type), value);
    return copy = AwaitOp::create(builder, value.getLoc(), type.withSide(side), ticket);
  }

  unsigned numStaged = 0, numFetched = 0;

private:
  OpBuilder builder;
  DenseMap<Value, Value> copies;
};

/// Orders a block by how many waits an op stands behind, keeping the order otherwise.
class WaitOrder {
public:
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
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && def->getBlock() == op.getBlock())
          level = std::max(level, levels.lookup(def));
      for (Type type : inner->getResultTypes())
        level = std::max(level, getLevel(type));
      if (auto extents = dyn_cast<FromExtentsOp>(inner))
        for (Attribute extent : extents.getElements())
          level = std::max(level, getLevel(cast<ExtentAttr>(extent)));
    });
    level += isa<AwaitOp>(op);
    if (auto bind = dyn_cast<BindElementsOp>(op))
      for (auto symbol : bind.getSymbols().getAsRange<StringAttr>())
        symbolLevels[symbol] = level;
    for (StringRef attribute : {"cameo.symbols", "cameo.count"})
      defineSymbols(op.getAttr(attribute), level);
    return level;
  }

  void defineSymbols(Attribute names, unsigned level) {
    if (auto name = dyn_cast_or_null<StringAttr>(names))
      symbolLevels[name] = level;
    if (auto array = dyn_cast_or_null<ArrayAttr>(names))
      for (auto name : array.getAsRange<StringAttr>())
        symbolLevels[name] = level;
  }

  unsigned getLevel(Type type) {
    auto tensor = dyn_cast<SymTensorType>(type);
    unsigned level = 0;
    for (ExtentAttr extent : tensor ? tensor.getExtents() : ArrayRef<ExtentAttr>())
      level = std::max(level, getLevel(extent));
    return level;
  }

  unsigned getLevel(ExtentAttr extent) {
    llvm::SetVector<StringRef> symbols;
    extent.collectSymbols(symbols);
    unsigned level = 0;
    for (StringRef symbol : symbols)
      level = std::max(level, symbolLevels.lookup(symbol));
    return level;
  }

  DenseMap<Operation *, unsigned> levels;
  llvm::StringMap<unsigned> symbolLevels;
};

struct PlacePass : cameo::impl::PlacePassBase<PlacePass> {
  using PlacePassBase::PlacePassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (device)
        placeOnBoth(function);
      else
        forEachValue(function, [](Value value) { setSide(value, Side::Host); });
      updateType(function);
    }
  }

private:
  void placeOnBoth(func::FuncOp function) {
    SideAnalysis analysis(function);
    forEachValue(function, [&](Value value) { setSide(value, analysis.getSide(value)); });
    Crossings crossings(&getContext());
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      cross(op, crossings);
    numStaged += crossings.numStaged;
    numFetched += crossings.numFetched;
    WaitOrder().sort(function.getBody().front());
  }

  /// Gives an op its operands on the side where it reads them.
  void cross(Operation *op, Crossings &crossings) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<SymTensorType>(operand.get().getType()))
        continue;
      switch (getNeed(operand)) {
      case Need::Host:
        operand.set(crossings.get(operand.get(), Side::Host));
        break;
      case Need::SameSide: {
        Side side = getSideOf(op);
        if (side == Side::Host || !isKernelArgument(operand.get()))
          operand.set(crossings.get(operand.get(), side));
        break;
      }
      case Need::Nothing:
        break;
      }
    }
    if (isa<onnx::YieldOp>(op))
      crossYield(op, crossings);
    if (auto loop = dyn_cast<onnx::LoopOp>(op))
      for (auto [init, argument] : llvm::zip_equal(
               loop.getVInitialMutable(), loop.getBody().front().getArguments().drop_front(2)))
        init.set(crossings.get(init.get(), cast<SymTensorType>(argument.getType()).getSide()));
  }

  /// What a region yields must be where its operator's result is.
  void crossYield(Operation *yield, Crossings &crossings) {
    Operation *parent = yield->getParentOp();
    unsigned skipped = isa<onnx::LoopOp>(parent) ? 1 : 0;
    if (skipped)
      yield->setOperand(0, crossings.get(yield->getOperand(0), Side::Host));
    for (OpResult result : parent->getResults()) {
      OpOperand &operand = yield->getOpOperand(result.getResultNumber() + skipped);
      if (auto type = dyn_cast<SymTensorType>(result.getType()))
        operand.set(crossings.get(operand.get(), type.getSide()));
    }
  }

  void updateType(func::FuncOp function) {
    Operation *terminator = function.getBody().front().getTerminator();
    function.setFunctionType(FunctionType::get(&getContext(),
                                               function.getBody().front().getArgumentTypes(),
                                               terminator->getOperandTypes()));
  }
};

} // namespace
