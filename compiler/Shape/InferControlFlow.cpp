// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents across branches and iterations. Where the two branches of an If, or two iterations of a
// Loop, disagree on an extent, the operator defines a symbol. The end of a graph yields the
// symbols' values, in the order of the operator's list, as it yields tensors.

#include "Shape/ShapeInference.h"

#include "Support/Unsupported.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// Symbols that an operator defines, with the extents that they take on its two paths.
struct DefinedSymbols {
  SmallVector<Attribute> symbols, first, second;

  void add(SymbolAttr symbol, ExtentAttr firstValue, ExtentAttr secondValue) {
    symbols.push_back(symbol);
    first.push_back(firstValue);
    second.push_back(secondValue);
  }
  /// The symbol for two extents; null when there is none yet.
  SymbolAttr find(ExtentAttr firstValue, ExtentAttr secondValue) const {
    for (auto [symbol, onFirst, onSecond] : llvm::zip_equal(symbols, first, second))
      if (onFirst == firstValue && onSecond == secondValue)
        return cast<SymbolAttr>(symbol);
    return {};
  }
  /// Drops those that no type of `op` uses.
  void dropUnused(Operation *op) {
    llvm::SetVector<StringRef> used;
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<SymTensorType>(type))
        for (ExtentAttr extent : tensor.getExtents())
          extent.collectSymbols(used);
    DefinedSymbols kept;
    for (auto [symbol, onFirst, onSecond] : llvm::zip_equal(symbols, first, second))
      if (used.contains(cast<SymbolAttr>(symbol).getName()))
        kept.add(cast<SymbolAttr>(symbol), cast<ExtentAttr>(onFirst), cast<ExtentAttr>(onSecond));
    *this = std::move(kept);
  }
};

/// `extent` of a value inside `op` in symbols that are known outside of it, where it follows from
/// those.
ExtentAttr getOutside(Operation *op, ExtentAttr extent, ShapeInference &inference) {
  ExtentAttr expanded = inference.expandDefinitionsIn(op, extent);
  return expanded.isUnknown() || inference.isDefinedIn(op, expanded)
             ? extent
             : inference.nameIfLong("size", expanded, op);
}

std::optional<bool> getConstantBool(Value value, const KnownValues &known) {
  std::optional<ExtentValues> elements = value ? known.lookup(value) : std::nullopt;
  if (!elements || elements->size() != 1 || !elements->front().isConstant())
    return std::nullopt;
  return !elements->front().isConstant(0);
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Replaces an If whose condition is known by the branch that is taken, which is not inferred yet.
void inlineBranch(IfOp op, Region &taken, ShapeInference &inference) {
  Operation *yield = taken.front().getTerminator();
  op->replaceAllUsesWith(yield->getOperands());
  op->getBlock()->getOperations().splice(op->getIterator(), taken.front().getOperations(),
                                         taken.front().begin(), yield->getIterator());
  inference.erase(op);
}

/// Gives the results of an If the types and known values that the inferred branch `taken` yields.
void typeAsTaken(IfOp op, Region &taken, ShapeInference &inference) {
  KnownValues &known = inference.getKnownValues();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), getYield(taken).getOperands())) {
    result.setType(value.getType());
    if (std::optional<ExtentValues> elements = known.lookup(value))
      known.set(result, *elements);
  }
}

/// Whether no type can say what an If gives: another rank in each branch, or, where that decides
/// ranks, another number of integers.
bool isOpen(Value result, Value inThen, Value inElse, ShapeInference &inference) {
  auto a = cast<SymTensorType>(inThen.getType()), b = cast<SymTensorType>(inElse.getType());
  if (!a.hasRank() || !b.hasRank() || a.getRank() != b.getRank())
    return true;
  return inference.isDemanded(result) &&
         getTrackableElements(inThen) != getTrackableElements(inElse);
}

/// The equality of two integers that holds in one branch of an If.
struct AssumedEquality {
  ExtentAttr symbol, value;
  bool isInThen = true;
};

std::optional<AssumedEquality> getAssumedEquality(Value condition, const KnownValues &known) {
  AssumedEquality equality;
  while (auto negation = condition.getDefiningOp<NotOp>()) {
    equality.isInThen = !equality.isInThen;
    condition = negation.getX();
  }
  auto equal = condition.getDefiningOp<EqualOp>();
  std::optional<ExtentValues> a, b;
  if (!equal || !(a = known.lookup(equal.getA())) || !(b = known.lookup(equal.getB())) ||
      a->size() != 1 || b->size() != 1)
    return std::nullopt;
  equality.symbol = a->front();
  equality.value = b->front();
  if (!equality.symbol.isSymbol())
    std::swap(equality.symbol, equality.value);
  if (!equality.symbol.isSymbol() || equality.value.isUnknown())
    return std::nullopt;
  return equality;
}

/// The extent that is the one in one branch and the other in the other.
ExtentAttr mergeExtents(IfOp op, ExtentAttr onThen, ExtentAttr onElse,
                        const std::optional<AssumedEquality> &equality, DefinedSymbols &defined,
                        ShapeInference &inference) {
  ExtentAttr left = getOutside(op, onThen, inference), right = getOutside(op, onElse, inference);
  if (left == right)
    return left;
  // Behind `if (n == 1)`, 1 in its branch and n in the other are both n.
  if (equality) {
    auto [inside, other] = equality->isInThen ? std::pair(left, right) : std::pair(right, left);
    ExtentAttr assumed = other.substitute([&](StringRef symbol) {
      return symbol == equality->symbol.getSymbolName() ? equality->value : ExtentAttr();
    });
    if (simplify(assumed, inference.getFacts()) == inside && !inference.isDefinedIn(op, other))
      return other;
  }
  if (SymbolAttr symbol = defined.find(onThen, onElse))
    return symbol.getExtent();
  ExtentRange both = range(left, inference.getFacts()).unite(range(right, inference.getFacts()));
  SymbolAttr symbol = inference.newSymbol("if_dim", {0, both.hi().value_or(kMaxSymbolExtent)}, op);
  defined.add(symbol, onThen, onElse);
  return symbol.getExtent();
}

FailureOr<IfOp> inferIf(IfOp op, ShapeInference &inference) {
  KnownValues &known = inference.getKnownValues();
  if (std::optional<bool> condition = getConstantBool(op.getCond(), known)) {
    Region &taken = *condition ? op.getThenBranch() : op.getElseBranch();
    if (!inference.isTentative()) {
      inlineBranch(op, taken, inference);
      return IfOp();
    }
    if (failed(inference.inferBlock(taken.front())))
      return failure();
    typeAsTaken(op, taken, inference);
    return op;
  }
  FailureOr<std::optional<OnlyBranch>> only = inferBranches(op, [&](bool isThen) {
    AssumedCondition assumed(op.getCond(), isThen, known);
    return inference.inferBlock((isThen ? op.getThenBranch() : op.getElseBranch()).front());
  });
  if (failed(only))
    return failure();
  if (*only && inference.isTentative()) {
    typeAsTaken(op, (*only)->isThen ? op.getThenBranch() : op.getElseBranch(), inference);
    return op;
  }
  if (*only) {
    takeOnly(op, **only, inference);
    return IfOp();
  }
  op.removeSymbolsAttr();
  if (failed(mergeBranches(op, inference)))
    return failure();
  return op;
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
    op.removeTripAttr();
    op.removeCountAttr();
    std::optional<ExtentValues> trip =
        op.getM() ? inference.getKnownValues().lookup(op.getM()) : std::nullopt;
    if (trip && trip->size() == 1 && !trip->front().isUnknown())
      tripCount = trip->front();
    // While the body runs, there is one more trip than this. Nothing is less than the least
    // integer.
    ExtentAttr last = tripCount ? tripCount - 1 : tripCount;
    iteration = inference.newCount("i", last && last.isUnknown() ? tripCount : last, op);
    for (auto [argument, init] : llvm::zip_equal(getCarriedArguments(), op.getVInitial()))
      argument.setType(init.getType());

    // Each round names at least one more extent, so there are at most as many as extents.
    bool changed = true;
    inference.enterTentative();
    while (changed)
      if (failed(inferBody()) || failed(nameChangingExtents(changed)))
        return failure();
    inference.leaveTentative();
    // Values that an earlier round took to be known may have changed since.
    if (!inference.isTentative() && hasBranches() && failed(inferBody()))
      return failure();
    if (failed(typeResults()))
      return failure();
    finishSymbols();
    return success();
  }

private:
  MutableArrayRef<BlockArgument> getCarriedArguments() { return body.getArguments().drop_front(2); }

  LogicalResult inferBody() {
    forgetBody();
    KnownValues &known = inference.getKnownValues();
    known.set(body.getArgument(0), {iteration.getExtent()});
    // While the body runs, the condition holds; so does whatever hands it on.
    known.set(body.getArgument(1), {ExtentAttr::constant(op.getContext(), 1)});
    return inference.inferBlock(body);
  }

  bool hasBranches() {
    return body.walk([](IfOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  /// Undoes what an earlier round left in the body.
  void forgetBody() {
    for (BlockArgument argument : body.getArguments())
      inference.getKnownValues().forget(argument);
    inference.forgetInside(op);
  }

  /// Gives a symbol to every carried extent that the body changes: one to those that begin and
  /// change alike, until a later round shows that they do not.
  LogicalResult nameChangingExtents(bool &changed) {
    changed = false;
    DenseMap<Attribute, ExtentAttr> nexts;
    DenseMap<std::pair<Attribute, Attribute>, SymbolAttr> named;
    for (auto [number, argument] : llvm::enumerate(getCarriedArguments())) {
      auto before = dyn_cast<SymTensorType>(argument.getType());
      auto after = dyn_cast<SymTensorType>(body.getTerminator()->getOperand(number + 1).getType());
      if (!before || !after || (before == after && !before.hasRank()))
        continue;
      if (before.getElementType() != after.getElementType())
        return op->emitOpError() << "carries value " << number << " as " << before.getElementType()
                                 << " and yields it as " << after.getElementType();
      if (!before.hasRank() || !after.hasRank() || before.getRank() != after.getRank())
        return emitUnsupported(op)
               << "carries value " << number << " whose rank changes, which is not supported";
      SmallVector<ExtentAttr> extents(before.getExtents());
      for (auto [axis, extent] : llvm::enumerate(extents)) {
        ExtentAttr next = after.getExtents()[axis], first = extent;
        auto found = carried.find({argument, axis});
        bool isNamed = found != carried.end();
        if (isNamed) {
          first = found->second.second;
          if (nexts.try_emplace(found->second.first, next).first->second == next)
            continue;
        } else if (extent == next) {
          continue;
        }
        SymbolAttr &symbol = named[{first, next}];
        if (!symbol)
          symbol = inference.newSymbol("carried", {0, kMaxSymbolExtent}, op);
        carried[{argument, axis}] = {symbol, first};
        extent = symbol.getExtent();
        changed = true;
      }
      argument.setType(before.withExtents(extents));
    }
    return success();
  }

  void finishSymbols() {
    DefinedSymbols defined = stacked;
    for (auto [number, argument] : llvm::enumerate(getCarriedArguments())) {
      auto after = dyn_cast<SymTensorType>(body.getTerminator()->getOperand(number + 1).getType());
      for (int64_t axis = 0; after && after.hasRank() && axis < after.getRank(); ++axis)
        if (auto found = carried.find({argument, axis});
            found != carried.end() && !llvm::is_contained(defined.symbols, found->second.first))
          defined.add(found->second.first, found->second.second, after.getExtents()[axis]);
    }
    Builder builder(op.getContext());
    op.setIterationAttr(iteration);
    op.setSymbolsAttr(builder.getArrayAttr(defined.symbols));
    op.setInitExtentsAttr(builder.getArrayAttr(defined.first));
    getYield(op.getBody()).setExtentsAttr(builder.getArrayAttr(defined.second));
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
      op.setTripAttr(tripCount);
    if (tripCount && runsToTheEnd()) {
      count = simplify(tripCount.max(0), inference.getFacts());
    } else {
      op.setCountAttr(inference.newCount("iterations", tripCount, op));
      count = op.getCountAttr().getExtent();
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
      if (!type || !type.hasRank())
        return emitUnsupported(op) << "stacks result " << number << ", whose rank may change from "
                                   << "one iteration to the next, which is not supported";
      SmallVector<ExtentAttr> extents{count};
      for (ExtentAttr extent : type.getExtents())
        extents.push_back(getStacked(extent));
      result.setType(type.withExtents(extents));
    }
    return success();
  }

  /// An extent that every iteration has, as the one of the last: that they are equal is checked.
  ExtentAttr getStacked(ExtentAttr extent) {
    ExtentAttr outside = getOutside(op, extent, inference);
    if (!inference.isDefinedIn(op, outside))
      return outside;
    ExtentAttr none = ExtentAttr::constant(op.getContext(), 0);
    SymbolAttr symbol = stacked.find(none, extent);
    if (!symbol) {
      symbol = inference.newSymbol("stacked", {0, kMaxSymbolExtent}, op);
      stacked.add(symbol, none, extent);
    }
    return symbol.getExtent();
  }

  LoopOp op;
  ShapeInference &inference;
  Block &body;
  ExtentAttr tripCount;
  SymbolAttr iteration;
  /// Per carried argument and axis: its symbol and its value before the first iteration.
  DenseMap<std::pair<Value, size_t>, std::pair<SymbolAttr, ExtentAttr>> carried;
  /// Extents of results that first an iteration knows: none before the first.
  DefinedSymbols stacked;
};

} // namespace

/// Runs `infer` on a branch of `op`: the contradiction in it, nullopt where there is none. Fails,
/// with the diagnostic, for what else is wrong, and where no run could insist on the condition.
static FailureOr<std::optional<Contradiction>> inferBranch(IfOp op,
                                                           function_ref<LogicalResult()> infer) {
  SymTensorType condition = cast<SymTensorType>(op.getCond().getType());
  bool canInsist = condition.hasRank() && condition.getNumElements().isConstant(1);
  std::optional<Contradiction> contradiction;
  std::vector<mlir::Diagnostic> others;
  LogicalResult outcome = failure();
  {
    ScopedDiagnosticHandler handler(op.getContext(), [&](mlir::Diagnostic &diagnostic) {
      bool isPlain = diagnostic.getSeverity() == DiagnosticSeverity::Error &&
                     !isUnsupported(diagnostic) && !isLimit(diagnostic) && !isUsage(diagnostic) &&
                     !isRefusal(diagnostic);
      if (canInsist && isPlain && !contradiction)
        contradiction = Contradiction{diagnostic.str(), diagnostic.getLocation()};
      else
        others.push_back(std::move(diagnostic));
      return success();
    });
    outcome = infer();
  }
  for (mlir::Diagnostic &diagnostic : others)
    op.getContext()->getDiagEngine().emit(std::move(diagnostic));
  if (succeeded(outcome))
    return std::optional<Contradiction>();
  if (!others.empty() || !contradiction)
    return failure();
  return contradiction;
}

FailureOr<std::optional<OnlyBranch>>
cameo::inferBranches(IfOp op, function_ref<LogicalResult(bool isThen)> infer) {
  std::optional<OnlyBranch> only;
  for (bool isThen : {true, false}) {
    FailureOr<std::optional<Contradiction>> contradiction =
        inferBranch(op, [&] { return infer(isThen); });
    if (failed(contradiction))
      return failure();
    if (*contradiction && only)
      return emitError(only->why.location) << only->why.problem, failure();
    if (*contradiction)
      only = OnlyBranch{!isThen, **contradiction};
  }
  return only;
}

Operation *cameo::takeOnly(IfOp op, const OnlyBranch &only, ShapeInference &inference) {
  OpBuilder builder(op);
  Operation *demand = prog::AssertOp::demand(builder, only.why.location, op.getCond(), only.isThen);
  inference.forgetInside(op);
  inlineBranch(op, only.isThen ? op.getThenBranch() : op.getElseBranch(), inference);
  return demand;
}

AssumedCondition::AssumedCondition(Value condition, bool value, KnownValues &known)
    : condition(condition), known(known), before(known.lookup(condition)) {
  known.set(condition, {ExtentAttr::constant(condition.getContext(), value)});
}

AssumedCondition::~AssumedCondition() {
  known.forget(condition);
  if (before)
    known.set(condition, *before);
}

LogicalResult cameo::mergeBranches(IfOp op, ShapeInference &inference) {
  YieldOp thenYield = getYield(op.getThenBranch()), elseYield = getYield(op.getElseBranch());
  std::optional<AssumedEquality> equality =
      getAssumedEquality(op.getCond(), inference.getKnownValues());
  DefinedSymbols defined;
  if (ArrayAttr symbols = op.getSymbolsAttr()) {
    llvm::append_range(defined.symbols, symbols);
    llvm::append_range(defined.first, thenYield.getExtentsAttr());
    llvm::append_range(defined.second, elseYield.getExtentsAttr());
  }
  for (OpResult result : op->getResults()) {
    Value inThen = thenYield.getOperand(result.getResultNumber());
    Value inElse = elseYield.getOperand(result.getResultNumber());
    auto a = dyn_cast<SymTensorType>(inThen.getType());
    auto b = dyn_cast<SymTensorType>(inElse.getType());
    if (!a || !b || (a == b && a.hasRank())) {
      result.setType(inThen.getType());
      continue;
    }
    if (a.getElementType() != b.getElementType())
      return op->emitOpError() << "result " << result.getResultNumber()
                               << " has another element type in each branch (got "
                               << a.getElementType() << " and " << b.getElementType() << ")";
    if (isOpen(result, inThen, inElse, inference)) {
      result.setType(SymTensorType::get(a.getElementType()));
      continue;
    }
    SmallVector<ExtentAttr> extents;
    for (auto [onThen, onElse] : llvm::zip_equal(a.getExtents(), b.getExtents()))
      extents.push_back(mergeExtents(op, onThen, onElse, equality, defined, inference));
    result.setType(a.withExtents(extents));
  }
  defined.dropUnused(op);
  Builder builder(op.getContext());
  op.setSymbolsAttr(builder.getArrayAttr(defined.symbols));
  thenYield.setExtentsAttr(builder.getArrayAttr(defined.first));
  elseYield.setExtentsAttr(builder.getArrayAttr(defined.second));
  return success();
}

/// Has each iteration but the first demand that `next`, the extent of what it stacks, is that of
/// the one before.
static void checkStacked(LoopOp loop, SymbolAttr symbol, ExtentAttr next) {
  OpBuilder builder(loop.getBody().front().getTerminator());
  ExtentAttr zero = ExtentAttr::constant(loop.getContext(), 0);
  ExtentAttr isLater = loop.getIterationAttr().getExtent().min(1);
  auto type = SymTensorType::get({zero + 1}, builder.getI64Type(), Side::Unplaced);
  ArrayAttr differences = builder.getArrayAttr({isLater * (next - symbol.getExtent())});
  Value tensor = prog::FromExtentsOp::create(builder, loop.getLoc(), type, differences);
  ArrayAttr none = builder.getArrayAttr({zero});
  prog::AssertOp::create(builder, loop.getLoc(), tensor, none, none, /*demanded=*/true);
}

void cameo::checkStacks(func::FuncOp function) {
  function.walk([](LoopOp loop) {
    if (!loop.getSymbols())
      return;
    llvm::SetVector<StringRef> stacked;
    for (Type type : llvm::drop_begin(loop->getResultTypes(), loop.getNumCarried()))
      if (auto tensor = dyn_cast<SymTensorType>(type); tensor && tensor.hasRank())
        for (ExtentAttr extent : tensor.getExtents())
          extent.collectSymbols(stacked);
    ArrayAttr next = getYield(loop.getBody()).getExtentsAttr();
    for (auto [symbol, extent] : llvm::zip_equal(loop.getSymbols()->getAsRange<SymbolAttr>(),
                                                 next.getAsRange<ExtentAttr>()))
      if (stacked.contains(symbol.getName()))
        checkStacked(loop, symbol, extent);
  });
}

FailureOr<Operation *> cameo::inferControlFlow(Operation *op, ShapeInference &inference) {
  if (auto branch = dyn_cast<IfOp>(op)) {
    FailureOr<IfOp> inferred = inferIf(branch, inference);
    if (failed(inferred))
      return failure();
    return inferred->getOperation();
  }
  if (auto loop = dyn_cast<LoopOp>(op)) {
    if (failed(LoopInference(loop, inference).run()))
      return failure();
    return op;
  }
  return emitUnsupported(op) << "has regions that the Shape stage does not know";
}
