// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/Repetition.h"

#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/ONNX/Analysis/Needs.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

class RepetitionChecker {
public:
  RepetitionChecker(LoopOp loop, const SidePins &pins)
      : loop(loop), pins(pins), body(loop.getBody().front()) {}

  bool run() {
    return canLeaveBorder() &&
           llvm::all_of(body.without_terminator(), [&](Operation &op) { return canRun(&op); });
  }

private:
  /// Whether what goes around in the loop, and what is left of it, may be the device's.
  bool canLeaveBorder() {
    Value next = getYield(loop.getBody()).getOperand(0);
    bool collects = loop->getNumResults() != loop.getNumCarried();
    bool changesExtents = loop.getSymbols() && !loop.getSymbols()->empty();
    // Who pins the condition wants to look at it each time.
    return !((collects || changesExtents) && !loop.getTripAttr()) && !pins.lookup(next) &&
           getConstantCount(next) == 1 && body.getArgument(1).use_empty() &&
           areOfDevice(body.getArguments().drop_front(2)) && areOfDevice(loop->getResults());
  }

  bool areOfDevice(ValueRange values) const {
    return llvm::all_of(values, [&](Value value) {
      std::optional<SidePins::Pin> pin = pins.lookup(value);
      return !isHostOnly(value.getType()) && cast<SymTensorType>(value.getType()).hasRank() &&
             !(pin && pin->side == Side::Host);
    });
  }

  bool canRun(Operation *op) const {
    if (isa<ConstantOp, prog::FromExtentsOp, prog::DefineOp>(op))
      return true;
    if (auto bind = dyn_cast<prog::BindElementsOp>(op))
      return bind.getOnDevice();
    // The device chooses.
    if (auto branch = dyn_cast<IfOp>(op); branch && !pins.lookup(branch.getCond()))
      return areOfDevice(op->getResults()) && llvm::all_of(op->getRegions(), [&](Region &region) {
               return llvm::all_of(region.front().without_terminator(),
                                   [&](Operation &inner) { return canRun(&inner); });
             });
    auto function = dyn_cast<OnnxOp>(op);
    return function && op->getNumRegions() == 0 && !function.getOwnSide() &&
           getRequiredSide(op) != Side::Host && areOfDevice(op->getResults()) &&
           llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) { return canRead(operand); });
  }

  /// Whether the host has all that it needs of an operand before the loop.
  bool canRead(OpOperand &operand) const {
    Value value = operand.get();
    return getNeed(operand) != Need::Host || isOnBothSides(value) ||
           !body.getParent()->isAncestor(value.getParentRegion());
  }

  LoopOp loop;
  const SidePins &pins;
  Block &body;
};

} // namespace

/// Whether the host, to have `value`, reads something back in `body`.
static bool isReadBackIn(Block &body, Value value, const SideAnalysis &sides) {
  SmallVector<Value> open{value};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value read = open.pop_back_val();
    if (read.getParentBlock() != &body || isOnBothSides(read) || !seen.insert(read).second)
      continue;
    if (sides.getSide(read) == Side::Device)
      return true;
    if (Operation *op = read.getDefiningOp())
      llvm::append_range(open, op->getOperands());
  }
  return false;
}

bool cameo::canRepeatOnDevice(LoopOp loop, const SideAnalysis &sides) {
  Value next = getYield(loop.getBody()).getOperand(0);
  return loop.getCount() && isReadBackIn(loop.getBody().front(), next, sides) &&
         RepetitionChecker(loop, sides.getPins()).run();
}

bool cameo::isOfRepetition(Value value) {
  Operation *around = value.getDefiningOp<LoopOp>();
  if (!around)
    around = value.getParentBlock()->getParentOp();
  while (around && !(isa<LoopOp>(around) && isRepeated(around)))
    around = around->getParentOp();
  return around != nullptr;
}
