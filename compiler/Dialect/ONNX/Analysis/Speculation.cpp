// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/Speculation.h"

#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/ONNX/Analysis/Costs.h"
#include "Dialect/ONNX/Analysis/Needs.h"
#include "Dialect/ONNX/Analysis/Selects.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

static bool isScalar(Value value) {
  auto type = cast<SymTensorType>(value.getType());
  return type.hasRank() && type.getRank() == 0;
}

/// Whether what the loop carries keeps its type, and is the device's.
static bool carriesDeviceTensors(LoopOp loop, const SideAnalysis &sides) {
  YieldOp yield = getYield(loop.getBody());
  for (auto [number, argument] : llvm::enumerate(loop.getBody().getArguments().drop_front(2))) {
    auto type = dyn_cast<SymTensorType>(argument.getType());
    if (!type || isHostOnly(type) || !type.hasRank() ||
        yield.getOperand(number + 1).getType() != type || sides.getSide(argument) == Side::Host)
      return false;
  }
  return true;
}

bool cameo::isReadBackIn(Block &body, Value value, const SideAnalysis &sides) {
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

bool cameo::isWorthSpeculating(LoopOp loop, const SideAnalysis &sides) {
  Block &body = loop.getBody().front();
  Value next = getYield(loop.getBody()).getOperand(0);
  // Elements that are stacked are counted by the iterations that ran.
  bool collects = loop->getNumResults() != loop.getNumCarried();
  bool changesExtents = loop.getSymbols() && !loop.getSymbols()->empty();
  // A condition of rank 1 is not what the body's argument, a scalar, may stand for.
  if (isRepeated(loop) || !isScalar(next) || (loop.getM() && !isScalar(loop.getM())) || collects ||
      changesExtents || !isReadBackIn(body, next, sides))
    return false;
  int64_t count = 0;
  for (Operation &op : body.without_terminator()) {
    if (isCheapAndSafe(&op))
      ++count;
    else if (!isa<ConstantOp, prog::FromExtentsOp>(op))
      return false;
  }
  return count <= costs::kMaxSpeculatedOperators && carriesDeviceTensors(loop, sides);
}

static constexpr StringLiteral kIterationsInOne = "cameo.iterations_in_one";

int64_t cameo::getIterationsInOne(LoopOp loop) {
  auto iterations = dyn_cast_or_null<IntegerAttr>(loop->getDiscardableAttr(kIterationsInOne));
  return iterations ? iterations.getInt() : 1;
}

void cameo::setIterationsInOne(LoopOp loop, int64_t iterations) {
  loop->setDiscardableAttr(kIterationsInOne,
                           Builder(loop.getContext()).getI64IntegerAttr(iterations));
}
