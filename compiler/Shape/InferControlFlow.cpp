// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents across branches and iterations. Where the two branches of an If, or two iterations of a
// Loop, disagree on an extent, the operator defines a symbol; its discardable attributes say how:
//   onnx.If    cameo.symbols = ["h"], cameo.then = [8], cameo.else = [N]
//   onnx.Loop  cameo.iv = "i", cameo.trip = 8 (an upper bound, where there is one), cameo.count =
//   "n"
//              (when the number of iterations is first known afterwards),
//              cameo.symbols = ["l"], cameo.init = [0], cameo.next = [l + 1]
// A Loop's symbol has the current iteration's value in the body and the last one after the loop.

#include "Shape/ShapeInference.h"

#include "Support/Unsupported.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// The symbols that an operator defines, with the extents that they take on its two paths.
struct DefinedSymbols {
  SmallVector<Attribute> names, first, second;

  void add(ExtentAttr symbol, ExtentAttr firstValue, ExtentAttr secondValue) {
    names.push_back(StringAttr::get(symbol.getContext(), symbol.getSymbolName()));
    first.push_back(firstValue);
    second.push_back(secondValue);
  }
  void write(Operation *op, StringRef firstName, StringRef secondName) const {
    Builder builder(op->getContext());
    op->setAttr("cameo.symbols", builder.getArrayAttr(names));
    op->setAttr(firstName, builder.getArrayAttr(first));
    op->setAttr(secondName, builder.getArrayAttr(second));
  }
};

std::optional<bool> getConstantBool(Value value, const KnownValues &known) {
  std::optional<ExtentValues> elements = value ? known.lookup(value) : std::nullopt;
  if (!elements || elements->size() != 1 || !elements->front().isConstant())
    return std::nullopt;
  return !elements->front().isConstant(0);
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Replaces an If whose condition is known by the branch that is taken.
LogicalResult inlineBranch(IfOp op, Region &taken, ShapeInference &inference) {
  Block &branch = taken.front();
  SmallVector<Operation *> moved;
  for (Operation &inner : branch.without_terminator())
    moved.push_back(&inner);
  for (Operation *inner : moved)
    inner->moveBefore(op);
  for (Operation *inner : moved)
    if (failed(inference.inferOp(inner)))
      return failure();
  // Asked for now: an inner If may have given way to its own branch.
  op.replaceAllUsesWith(branch.getTerminator()->getOperands());
  op.erase();
  return success();
}

LogicalResult mergeBranches(IfOp op, ShapeInference &inference) {
  Operation *thenYield = op.getThenBranch().front().getTerminator();
  Operation *elseYield = op.getElseBranch().front().getTerminator();
  DefinedSymbols defined;
  for (OpResult result : op->getResults()) {
    Type thenType = thenYield->getOperand(result.getResultNumber()).getType();
    Type elseType = elseYield->getOperand(result.getResultNumber()).getType();
    auto a = dyn_cast<SymTensorType>(thenType), b = dyn_cast<SymTensorType>(elseType);
    if (thenType == elseType || !a || !b) {
      result.setType(thenType);
      continue;
    }
    if (a.getElementType() != b.getElementType())
      return op->emitOpError() << "result " << result.getResultNumber()
                               << " has another element type in each branch (got "
                               << a.getElementType() << " and " << b.getElementType() << ")";
    if (!a.hasRank() || !b.hasRank() || a.getRank() != b.getRank())
      return emitUnsupported(op) << "result " << result.getResultNumber()
                                 << " has another rank in each branch, which is not supported";
    SmallVector<ExtentAttr> extents;
    for (auto [left, right] : llvm::zip_equal(a.getExtents(), b.getExtents())) {
      if (left == right) {
        extents.push_back(left);
        continue;
      }
      ExtentRange both =
          range(left, inference.getFacts()).unite(range(right, inference.getFacts()));
      extents.push_back(inference.newSymbol("if_dim", 0, both.hi().value_or(kMaxSymbolExtent)));
      defined.add(extents.back(), left, right);
    }
    result.setType(a.withExtents(extents));
  }
  defined.write(op, "cameo.then", "cameo.else");
  return success();
}

FailureOr<Operation *> inferIf(IfOp op, ShapeInference &inference) {
  if (std::optional<bool> condition = getConstantBool(op.getCond(), inference.getKnownValues())) {
    if (failed(inlineBranch(op, *condition ? op.getThenBranch() : op.getElseBranch(), inference)))
      return failure();
    return nullptr;
  }
  if (failed(inference.inferBlock(op.getThenBranch().front())) ||
      failed(inference.inferBlock(op.getElseBranch().front())) ||
      failed(mergeBranches(op, inference)))
    return failure();
  return op.getOperation();
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// Infers a Loop's body until the carried values have extents that hold for every iteration.
class LoopInference {
public:
  LoopInference(LoopOp op, ShapeInference &inference)
      : op(op), inference(inference), body(op.getBody().front()) {}

  LogicalResult run() {
    for (StringRef attribute : {"cameo.trip", "cameo.count"})
      op->removeAttr(attribute);
    std::optional<ExtentValues> trip =
        op.getM() ? inference.getKnownValues().lookup(op.getM()) : std::nullopt;
    if (trip && trip->size() == 1 && !trip->front().isUnknown())
      tripCount = trip->front();
    int64_t lastTrip = tripCount
                           ? range(tripCount, inference.getFacts()).hi().value_or(kMaxSymbolExtent)
                           : kMaxSymbolExtent;
    iteration = inference.newSymbol("i", 0, lastTrip);
    for (auto [argument, init] : llvm::zip_equal(getCarriedArguments(), op.getVInitial()))
      argument.setType(init.getType());

    // Each round names at least one more extent, so there are at most as many as extents.
    bool changed = true;
    while (changed) {
      forgetBody();
      inference.getKnownValues().set(body.getArgument(0), {iteration});
      if (failed(inference.inferBlock(body)) || failed(nameChangingExtents(changed)))
        return failure();
    }
    finishSymbols();
    return typeResults();
  }

private:
  MutableArrayRef<BlockArgument> getCarriedArguments() { return body.getArguments().drop_front(2); }

  /// Undoes what an earlier round left in the body.
  void forgetBody() {
    for (BlockArgument argument : body.getArguments())
      inference.getKnownValues().forget(argument);
    SmallVector<Operation *> bound;
    body.walk([&](Operation *inner) {
      if (isa<prog::BindElementsOp>(inner))
        bound.push_back(inner);
      for (Value result : inner->getResults())
        inference.getKnownValues().forget(result);
    });
    for (Operation *inner : bound)
      inner->erase();
  }

  /// Gives a symbol to every carried extent that the body changes.
  LogicalResult nameChangingExtents(bool &changed) {
    changed = false;
    for (auto [number, argument] : llvm::enumerate(getCarriedArguments())) {
      auto before = dyn_cast<SymTensorType>(argument.getType());
      auto after = dyn_cast<SymTensorType>(body.getTerminator()->getOperand(number + 1).getType());
      if (!before || !after || before == after)
        continue;
      if (before.getElementType() != after.getElementType())
        return op->emitOpError() << "carries value " << number << " as " << before.getElementType()
                                 << " and yields it as " << after.getElementType();
      if (!before.hasRank() || !after.hasRank() || before.getRank() != after.getRank())
        return emitUnsupported(op)
               << "carries value " << number << " whose rank changes, which is not supported";
      SmallVector<ExtentAttr> extents(before.getExtents());
      for (auto [axis, extent] : llvm::enumerate(extents)) {
        if (extent == after.getExtents()[axis] || carried.count({argument, axis}))
          continue;
        ExtentAttr symbol = inference.newSymbol("carried", 0, kMaxSymbolExtent);
        carried[{argument, axis}] = {symbol, extent};
        extent = symbol;
        changed = true;
      }
      argument.setType(before.withExtents(extents));
    }
    return success();
  }

  void finishSymbols() {
    DefinedSymbols defined;
    for (auto [number, argument] : llvm::enumerate(getCarriedArguments())) {
      auto after = dyn_cast<SymTensorType>(body.getTerminator()->getOperand(number + 1).getType());
      for (int64_t axis = 0; after && after.hasRank() && axis < after.getRank(); ++axis)
        if (auto found = carried.find({argument, axis}); found != carried.end())
          defined.add(found->second.first, found->second.second, after.getExtents()[axis]);
    }
    defined.write(op, "cameo.init", "cameo.next");
    op->setAttr("cameo.iv", StringAttr::get(op.getContext(), iteration.getSymbolName()));
  }

  /// Whether the body never asks to stop.
  bool runsToTheEnd() {
    Value next = body.getTerminator()->getOperand(0);
    auto isTrue = [&](Value value) {
      return !value || getConstantBool(value, inference.getKnownValues()) == true;
    };
    return isTrue(op.getCond()) && (next == body.getArgument(1) || isTrue(next));
  }

  LogicalResult typeResults() {
    ExtentAttr count;
    if (tripCount)
      op->setAttr("cameo.trip", tripCount);
    if (tripCount && runsToTheEnd()) {
      count = simplify(tripCount.max(0), inference.getFacts());
    } else {
      count = tripCount ? inference.newCount("iterations", tripCount)
                        : inference.newSymbol("iterations", 0, kMaxSymbolExtent);
      op->setAttr("cameo.count", StringAttr::get(op.getContext(), count.getSymbolName()));
    }
    size_t numCarried = getCarriedArguments().size();
    for (OpResult result : op->getResults()) {
      size_t number = result.getResultNumber();
      if (number < numCarried) {
        result.setType(getCarriedArguments()[number].getType());
        continue;
      }
      Value element = body.getTerminator()->getOperand(number + 1);
      auto type = dyn_cast<SymTensorType>(element.getType());
      if (!type || !type.hasRank() || dependsOnIteration(type))
        // They may turn out the same, as they must; nothing here shows it.
        return emitUnsupported(op)
               << "stacks result " << number << ", whose extents may change from "
               << "one iteration to the next (got " << element.getType()
               << "), which is not supported";
      SmallVector<ExtentAttr> extents{count};
      llvm::append_range(extents, type.getExtents());
      result.setType(type.withExtents(extents));
    }
    return success();
  }

  bool dependsOnIteration(SymTensorType type) {
    llvm::SetVector<StringRef> used;
    for (ExtentAttr extent : type.getExtents())
      extent.collectSymbols(used);
    if (used.contains(iteration.getSymbolName()))
      return true;
    return llvm::any_of(
        carried, [&](auto &entry) { return used.contains(entry.second.first.getSymbolName()); });
  }

  LoopOp op;
  ShapeInference &inference;
  Block &body;
  ExtentAttr tripCount, iteration;
  /// Per carried argument and axis: its symbol and its value before the first iteration.
  DenseMap<std::pair<Value, size_t>, std::pair<ExtentAttr, ExtentAttr>> carried;
};

} // namespace

FailureOr<Operation *> cameo::inferControlFlow(Operation *op, ShapeInference &inference) {
  if (auto branch = dyn_cast<IfOp>(op))
    return inferIf(branch, inference);
  if (auto loop = dyn_cast<LoopOp>(op)) {
    if (failed(LoopInference(loop, inference).run()))
      return failure();
    return op;
  }
  return emitUnsupported(op) << "has regions that the Shape stage does not know";
}
