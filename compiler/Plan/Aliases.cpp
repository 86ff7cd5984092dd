// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/Aliases.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

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
    value = stripViews(value);
    Value destination = getTiedDestination(value);
    if (!destination)
      return value;
    value = destination;
  }
}

bool cameo::isMemoryRoot(Value value) {
  return !value.getDefiningOp<ViewOp>() && !getTiedDestination(value);
}

Value MemoryRoots::find(Value value) {
  SmallVector<Value> path;
  while (true) {
    value = stripViews(value);
    if (auto found = roots.find(value); found != roots.end()) {
      value = found->second;
      break;
    }
    Value destination = getTiedDestination(value);
    if (!destination)
      break;
    path.push_back(value);
    value = destination;
  }
  for (Value passed : path)
    roots[passed] = value;
  return value;
}

/// A few elements for the host's own use need no arena.
static bool isLocalArray(AwaitOp await) {
  constexpr int64_t mostElements = 256;
  std::optional<int64_t> count = await.getType().getNumElements().getConstant();
  return count && *count <= mostElements;
}

bool cameo::isPlanned(Value root) {
  Operation *op = root.getDefiningOp();
  if (auto await = dyn_cast_or_null<AwaitOp>(op))
    return !isLocalArray(await);
  return op && !isa<WeightOp, NullOp>(op);
}

bool cameo::startsAtRoot(Value value, Value root) {
  while (value != root) {
    auto view = value.getDefiningOp<ViewOp>();
    if (view && !view.getOffset().isConstant(0))
      return false;
    value = view ? Value(view.getSource()) : getTiedDestination(value);
  }
  return true;
}

static constexpr llvm::StringLiteral kWholeView = "cameo.whole";

void cameo::setWholeView(ViewOp view) {
  view->setDiscardableAttr(kWholeView, UnitAttr::get(view.getContext()));
}

/// Whether each step from `root`, where `value` starts, to it leaves all of the bytes.
static bool keepsAllBytes(Value value, Value root) {
  while (value != root) {
    auto view = value.getDefiningOp<ViewOp>();
    Value source = view ? Value(view.getSource()) : getTiedDestination(value);
    if (!(view && view->hasAttr(kWholeView)) &&
        getStorageBytes(cast<SymTensorType>(value.getType())) !=
            getStorageBytes(cast<SymTensorType>(source.getType())))
      return false;
    value = source;
  }
  return true;
}

bool cameo::isWhole(Value value, Value root) {
  auto type = cast<SymTensorType>(value.getType()), rootType = cast<SymTensorType>(root.getType());
  return type.getElementType() == rootType.getElementType() && startsAtRoot(value, root) &&
         (getStorageBytes(type) == getStorageBytes(rootType) || keepsAllBytes(value, root));
}

Value cameo::getUpdatedInput(func::FuncOp function, int64_t number) {
  auto updates = function->getAttrOfType<DenseI64ArrayAttr>("prog.updates");
  int64_t input = updates ? updates[number] : -1;
  return input < 0 ? Value() : Value(function.getArgument(input));
}

//===----------------------------------------------------------------------===//
// Carried values
//===----------------------------------------------------------------------===//

OpOperand &cameo::getNextValue(LoopOp loop, unsigned number) {
  unsigned skipped = loop.getCondition() ? 1 : 0;
  return loop.getBody().front().getTerminator()->getOpOperand(number + skipped);
}
