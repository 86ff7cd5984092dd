// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a function in order, inferring extents and following integer values. Which integers are
// worth a symbol is decided beforehand by walking it backward from the operands that decide
// extents.

#include "Shape/ShapeInference.h"

#include "Dialect/Core/IR/Limits.h"
#include "Dialect/ONNX/Analysis/Needs.h"
#include "Dialect/ONNX/Analysis/SideAnalysis.h"
#include "Shape/Assertions.h"
#include "Shape/NumberRanges.h"
#include "Support/Unsupported.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// An integer on the device is taken for the nearest one in [-this, this], which is beyond all
/// extents, and far from where sums and products by constants leave 64 bits.
constexpr int64_t kMaxDeviceInteger = 4 * kMaxSymbolExtent;

/// The size of an extent beyond which it is long where a value of the run decides it: below that of
/// a Reshape's factor, of which sizes are products.
constexpr uint32_t kLongRunExtentSize = 16;

bool isUnknown(ExtentAttr extent) { return extent.isUnknown(); }
bool isConstant(ExtentAttr extent) { return extent.isConstant(); }

/// A word to name a value's symbols by: the argument's or the node's name.
std::string getHint(Value value) {
  Location location = value.getLoc();
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "onnx.name"))
        return name.str();
  if (auto named = location->findInstanceOf<NameLoc>()) {
    StringRef name = named.getName();
    StringRef node = name.split(':').second;
    return (node.empty() ? name : node).str();
  }
  return "v";
}

/// inferExtents as the Shape stage runs it: with values, facts, and the right to name symbols.
class StageInference final : public ExtentInference {
public:
  StageInference(OnnxOp op, ShapeInference &stage) : ExtentInference(op), stage(stage) {
    // Looked for in the record first: an operator may have thousands of operands.
    auto isSymbolicInfo = [](const OperandInfo &info) {
      return info.operandClass == OperandClass::Symbolic ||
             info.operandClass == OperandClass::Bounded;
    };
    if (llvm::any_of(op.getOperandInfos(), isSymbolicInfo))
      for (OpOperand &operand : op->getOpOperands())
        if (isSymbolic(operand))
          symbolic.push_back(operand.get());
  }

  std::optional<ExtentValues> values(Value value) override {
    return llvm::is_contained(symbolic, value) ? stage.getSymbols(value)
                                               : stage.getKnownValues().lookup(value);
  }
  void setType(unsigned result, Type type) override {
    auto tensor = dyn_cast<SymTensorType>(type);
    if (tensor && tensor.hasRank()) {
      SmallVector<ExtentAttr> extents;
      for (ExtentAttr extent : tensor.getExtents())
        extents.push_back(named(getHint(op->getResult(result)), extent));
      stage.nameUntilProductIsShort(getHint(op->getResult(result)), extents, op);
      type = tensor.withExtents(extents);
    }
    op->getResult(result).setType(type);
  }
  void setValues(unsigned result, ArrayRef<ExtentAttr> values) override {
    stage.getKnownValues().set(op->getResult(result), values);
  }
  ExtentAttr counted(StringRef hint, ExtentAttr bound, Value counts) override {
    if (counts)
      if (ExtentAttr known = stage.findCount(counts, bound, op))
        return known;
    SymbolAttr count = stage.newCount(hint, bound.isUnknown() ? ExtentAttr() : bound, op);
    addCount(op, count);
    if (counts)
      stage.setCount(counts, bound, op, count);
    return count.getExtent();
  }
  ExtentAttr bound(Value value, ExtentAttr most) override {
    ExtentAttr asserted = stage.getAssertions().getMost(value);
    return asserted ? simplify(most.min(asserted.max(0)), stage.getFacts()) : most;
  }
  ExtentAttr named(StringRef hint, ExtentAttr extent) override {
    return stage.nameIfLong(hint, simplify(extent, stage.getFacts()), op);
  }
  bool isOnDevice(ExtentAttr extent) const override { return stage.isOnDevice(extent); }
  ExtentAttr bounded(StringRef hint, ExtentAttr extent, ExtentAttr bound) override {
    if (!stage.isOnDevice(extent) || stage.isCountWithin(extent, bound))
      return extent;
    return stage.defineCount(hint, extent, bound, op);
  }
  const ExtentFacts &facts() const override { return stage.getFacts(); }

protected:
  ExtentAttr checkedIn(StringRef hint, ExtentAttr element, int64_t begin, int64_t end) override {
    return stage.checkRange(hint, element, begin, end - 1, op);
  }

private:
  ShapeInference &stage;
  SmallVector<Value, 2> symbolic;
};

} // namespace

ShapeInference::ShapeInference(func::FuncOp function, ExtentFacts facts, Options options,
                               Assertions &assertions, const SideAnalysis *sides)
    : function(function), facts(std::move(facts)), options(options), assertions(assertions),
      sides(sides), openBranches(function, options.maxGrowth, *this) {
  assertions.restart();
}

LogicalResult ShapeInference::run() {
  for (Type type : function.getArgumentTypes())
    useSymbolsOf(type);
  findDemand();
  return failure(failed(assertions.checkDims(*this)) ||
                 failed(inferBlock(function.getBody().front())));
}

LogicalResult ShapeInference::inferBlock(Block &block) {
  openBranches.enter(block);
  for (BlockArgument argument : block.getArguments())
    if (failed(settle(argument)))
      return failure();
  return inferRange(&block.front(), nullptr);
}

LogicalResult ShapeInference::inferRange(Operation *op, Operation *end) {
  while (op != end) {
    FailureOr<Operation *> next = inferOp(op);
    if (failed(next))
      return failure();
    op = *next;
  }
  return success();
}

FailureOr<Operation *> ShapeInference::inferOp(Operation *op) {
  Operation *next = op->getNextNode();
  if (auto demand = dyn_cast<AssertOp>(op); demand && demand.getDemanded())
    return failed(learn(demand)) ? FailureOr<Operation *>() : next;
  auto onnxOp = dyn_cast<OnnxOp>(op);
  if (!onnxOp)
    return next;
  if (Operation *first = branchOnRank(onnxOp))
    return first;
  FailureOr<Operation *> taken = openBranches.take(op, next);
  if (failed(taken) || *taken)
    return taken;
  if (op->getNumRegions() != 0) {
    Operation *before = op->getPrevNode(), *behind = op->getNextNode();
    Block *block = op->getBlock();
    FailureOr<Operation *> inferred = inferControlFlow(op, *this);
    if (failed(inferred))
      return failure();
    if (!*inferred) {
      if (failed(inferRange(before ? before->getNextNode() : &block->front(), behind)))
        return failure();
      return next;
    }
    if (auto branch = dyn_cast<onnx::IfOp>(*inferred))
      openBranches.watch(branch, next);
  } else {
    StageInference inference(onnxOp, *this);
    removeCounts(op); // of an earlier walk
    if (failed(onnxOp.inferExtents(inference)))
      return failure();
    if (failed(checkExtents(onnxOp)))
      return failure();
    evaluateElementwise(onnxOp, known, facts);
    if (!options.algebra)
      forgetComputed(onnxOp);
    for (Value result : op->getResults())
      nameLongElements(result);
  }
  for (Value result : op->getResults())
    if (failed(settle(result)))
      return failure();
  return next;
}

Operation *ShapeInference::branchOnRank(OnnxOp op) {
  Operation *before = op->getPrevNode();
  Block *block = op->getBlock();
  StageInference inference(op, *this);
  Value chosen = op.branchOnRank(inference);
  if (!chosen)
    return nullptr;
  hasBranched = true;
  Operation *first = before ? before->getNextNode() : &block->front();
  Value result = op->getResult(0);
  for (Operation *built = first; built != op; built = built->getNextNode())
    built->walk([&](Operation *inner) {
      for (Value value : inner->getResults())
        if (elementTypeOf(value) == elementTypeOf(result))
          copyDemand(result, value);
    });
  replace(result, chosen);
  erase(op);
  return first;
}

LogicalResult ShapeInference::learn(AssertOp demand) {
  Value tensor = demand.getTensor();
  // Limits that leave a choice are held against the elements when they are there.
  if (demand.getLeast() != demand.getMost())
    return success();
  auto wanted = llvm::to_vector(demand.getLeast().getAsRange<ExtentAttr>());
  std::optional<ExtentValues> elements = known.lookup(tensor);
  if (learnt.contains(demand))
    return success();
  if (elements && llvm::all_of(*elements, isConstant)) {
    if (isTentative())
      return success();
    if (ArrayRef(*elements) != ArrayRef(wanted))
      return emitError(demand.getLoc()) << "contradicts what it reads in a branch that is taken";
    demand.erase();
    return success();
  }
  // Whoever reads it in this block is behind the demand, or ends with it.
  if (tensor.getParentBlock() == demand->getBlock() && !isTentative()) {
    known.set(tensor, wanted);
    learnt.insert(demand);
  }
  return success();
}

void ShapeInference::forgetComputed(OnnxOp op) {
  // Dims are the host's without any arithmetic, and constants are folded elsewhere too.
  auto computes = [&](OpOperand &operand) {
    std::optional<ExtentValues> elements = known.lookup(operand.get());
    return readsElements(op, operand.getOperandNumber()) &&
           !(elements && llvm::all_of(*elements, [](ExtentAttr e) { return e.isConstant(); }));
  };
  if (llvm::any_of(op->getOpOperands(), computes))
    for (Value result : op->getResults())
      known.forget(result);
}

void ShapeInference::erase(Operation *op) {
  forgetInside(op);
  counts.remove_if([&](const auto &entry) { return op->isAncestor(entry.second.definer); });
  auto forgetValue = [&](Value value) {
    known.forget(value);
    assertions.forget(value);
    demanded.erase(value);
  };
  op->walk([&](Operation *inner) {
    llvm::for_each(inner->getResults(), forgetValue);
    for (Region &region : inner->getRegions())
      llvm::for_each(region.getArguments(), forgetValue);
  });
  op->erase();
}

void ShapeInference::copyDemand(Value original, Value copy) {
  if (demanded.contains(original))
    demanded.insert(copy);
}

void ShapeInference::replace(Value from, Value to) {
  copyDemand(from, to);
  if (std::optional<ExtentValues> elements = known.lookup(from))
    known.set(to, *elements);
  from.replaceAllUsesWith(to);
}

static bool isOpen(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  return tensor && (!tensor.hasRank() || llvm::any_of(tensor.getExtents(), isUnknown));
}

bool cameo::decidesExtents(OpOperand &operand) {
  OperandClass operandClass = getOperandClass(operand.getOwner(), operand.getOperandNumber());
  return operandClass == OperandClass::Host || operandClass == OperandClass::HostBound ||
         operandClass == OperandClass::Symbolic;
}

LogicalResult ShapeInference::checkExtents(OnnxOp op) const {
  // A sum, or a coefficient, that leaves int64; what is long is named before it comes so far. An
  // extent that the data decides is a symbol or, by an operator that needs a constant, still open.
  bool mayBeOpen = llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    std::optional<ExtentValues> elements = known.lookup(operand.get());
    bool isConstantList = elements && llvm::all_of(*elements, isConstant);
    return isOpen(operand.get().getType()) || (decidesExtents(operand) && !isConstantList);
  });
  for (OpResult result : op->getResults()) {
    auto tensor = dyn_cast<SymTensorType>(result.getType());
    if (!mayBeOpen && tensor && tensor.hasRank() && isOpen(tensor))
      return op->emitOpError() << "makes result " << result.getResultNumber()
                               << " with an extent that 64 bits cannot hold";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

void ShapeInference::useSymbolsOf(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  if (!tensor || !tensor.hasRank())
    return;
  llvm::SetVector<StringRef> used;
  for (ExtentAttr extent : tensor.getExtents())
    extent.collectSymbols(used);
  for (StringRef name : used)
    if (names.insert(name).second)
      inputSymbols.push_back(name);
}

SmallVector<SymbolAttr> ShapeInference::getInputSymbols() {
  return llvm::map_to_vector(inputSymbols, [&](StringRef name) {
    return SymbolAttr::get(function.getContext(), name, facts.lookup(name));
  });
}

/// The ends of `range`, or of all numbers.
static SymbolFact getFact(ExtentRange range) {
  SymbolFact fact;
  fact.min = range.lo().value_or(INT64_MIN);
  fact.max = range.hi().value_or(INT64_MAX);
  return fact;
}

SymbolAttr ShapeInference::newSymbol(StringRef hint, ExtentRange values, Operation *definer,
                                     ExtentAttr bound) {
  std::string name = hint.str();
  for (unsigned &number = numbers[hint]; !names.insert(name).second;)
    name = (hint + "_" + Twine(++number)).str();
  auto symbol = SymbolAttr::get(function.getContext(), name, getFact(values), bound);
  definers[symbol.getName()] = definer;
  facts.set(symbol);
  return symbol;
}

SymbolAttr ShapeInference::newCount(StringRef hint, ExtentAttr bound, Operation *definer) {
  std::optional<int64_t> most = bound ? range(bound, facts).hi() : std::nullopt;
  // A negative number of things is none.
  if (most && *most < 0) {
    most = 0;
    bound = ExtentAttr::constant(function.getContext(), 0);
  }
  return newSymbol(hint, {0, most.value_or(kMaxSymbolExtent)}, definer, bound);
}

bool ShapeInference::isCountWithin(ExtentAttr extent, ExtentAttr bound) const {
  if (!extent.isSymbol())
    return false;
  SymbolFact fact = facts.lookup(extent.getSymbolName());
  return fact.min >= 0 && fact.bound && provablyLessEqual(fact.bound, bound, facts);
}

ExtentAttr ShapeInference::findCount(Value counted, ExtentAttr bound, Operation *user) const {
  auto found = counts.find({counted, bound});
  if (found == counts.end())
    return {};
  auto [definer, symbol] = found->second;
  Operation *here = definer->getBlock()->findAncestorOpInBlock(*user);
  return here && definer->isBeforeInBlock(here) ? symbol.getExtent() : ExtentAttr();
}

void ShapeInference::setCount(Value counted, ExtentAttr bound, Operation *definer,
                              SymbolAttr symbol) {
  counts[{counted, bound}] = {definer, symbol};
}

//===----------------------------------------------------------------------===//
// Symbols defined as extents
//===----------------------------------------------------------------------===//

/// Calls `visit` with the op that gives each symbol of `extent` its value; dims of inputs have
/// none.
template <class Visit> void ShapeInference::forEachDefiner(ExtentAttr extent, Visit visit) const {
  llvm::SetVector<StringRef> used;
  extent.collectSymbols(used);
  for (StringRef symbol : used)
    if (Operation *definer = definers.lookup(symbol))
      visit(definer);
}

ExtentAttr ShapeInference::defineCount(StringRef hint, ExtentAttr extent, ExtentAttr bound,
                                       Operation *user) {
  return define(hint, extent, user, /*checked=*/std::nullopt, bound);
}

bool ShapeInference::isOnDevice(ExtentAttr extent) const {
  llvm::SetVector<StringRef> used;
  extent.collectSymbols(used);
  return llvm::any_of(used, [&](StringRef symbol) { return namesOnDevice.contains(symbol); });
}

/// Extents that integers of the run decide are long sooner: a Reshape's by three of them are
/// kilobytes, and sizes, offsets and checks say each again.
bool ShapeInference::isLong(ExtentAttr extent) const {
  if (extent.isLong() || extent.getSize() <= kLongRunExtentSize)
    return extent.isLong();
  bool isOfRun = false;
  forEachDefiner(extent,
                 [&](Operation *definer) { isOfRun |= isa<BindElementsOp, DefineOp>(definer); });
  // A definition on the device is a kernel there.
  return isOfRun && !isOnDevice(extent);
}

ExtentAttr ShapeInference::define(StringRef hint, ExtentAttr extent, Operation *user,
                                  std::optional<ExtentRange> checked, ExtentAttr bound) {
  auto &known = definitions[extent];
  for (DefineOp definition : known) {
    ExtentAttr symbol = definition.getSymbol().getExtent();
    bool isVisible = definition->getBlock()->findAncestorOpInBlock(*user) != nullptr;
    bool isBounded = !bound || definition.getSymbol().getBound();
    if (isVisible && isBounded && (!checked || restrictRange(symbol, *checked, user)))
      return symbol;
  }
  // As early as it can be said: what else needs it, and the memory for it, is found earlier then.
  Block *block = user->getBlock();
  Operation *last = nullptr;
  auto standBehind = [&](Operation *definer) {
    Operation *here = block->findAncestorOpInBlock(*definer);
    if (here && (!last || last->isBeforeInBlock(here)))
      last = here;
  };
  forEachDefiner(extent, standBehind);
  if (bound)
    forEachDefiner(bound, standBehind);
  OpBuilder builder(function.getContext());
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(block);

  SymbolAttr symbol =
      bound ? newCount(hint, bound, nullptr) : newSymbol(hint, range(extent, facts), nullptr);
  facts.addDivisor(symbol.getName(), std::max<int64_t>(divisibility(extent, facts), 1));
  auto definition = DefineOp::create(builder, user->getLoc(),
                                     symbol.withFact(facts.lookup(symbol.getName())), extent,
                                     /*checked=*/false);
  definers[symbol.getName()] = definition;
  if (isOnDevice(extent))
    namesOnDevice.insert(symbol.getName());
  known.push_back(definition);
  if (checked && !restrictRange(symbol.getExtent(), *checked, user)) {
    // It has no value in that range: whatever runs behind the check may believe in one.
    definition.setChecked(true);
    definition.setSymbolAttr(symbol.withFact(getFact(*checked)));
    facts.set(definition.getSymbol());
  }
  return symbol.getExtent();
}

bool ShapeInference::restrictRange(ExtentAttr symbol, ExtentRange checked, Operation *user) {
  if (checked.unite(range(symbol, facts)) == checked)
    return true;
  // The check stands where the symbol gets its value; that must happen only where `user` runs.
  StringRef name = symbol.getSymbolName();
  Operation *definer = definers.lookup(name);
  SymbolFact limits = getFact(checked);
  if (!isa_and_nonnull<BindElementsOp, DefineOp>(definer) ||
      definer->getBlock() != user->getBlock() ||
      failed(facts.restrictRange(name, limits.min, limits.max)))
    return false;
  restateDefinition(name);
  if (auto definition = dyn_cast<DefineOp>(definer))
    definition.setChecked(true);
  return true;
}

void ShapeInference::restateDefinition(StringRef symbol) {
  Operation *definer = definers.lookup(symbol);
  if (!definer)
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](SymbolAttr defined) {
    return defined.getName() == symbol ? defined.withFact(facts.lookup(symbol)) : defined;
  });
  replacer.replaceElementsIn(definer);
}

void ShapeInference::setLikely(StringRef symbol, int64_t value) {
  facts.setLikely(symbol, value);
  restateDefinition(symbol);
}

ExtentAttr ShapeInference::nameIfLong(StringRef hint, ExtentAttr extent, Operation *user) {
  return isLong(extent) ? nameIfKnownBefore(hint, extent, user) : extent;
}

ExtentAttr ShapeInference::nameIfKnownBefore(StringRef hint, ExtentAttr extent, Operation *user) {
  bool isKnownBefore = true;
  forEachDefiner(extent, [&](Operation *definer) { isKnownBefore &= definer != user; });
  return isKnownBefore ? define(hint, extent, user) : extent;
}

void ShapeInference::nameUntilProductIsShort(StringRef hint, MutableArrayRef<ExtentAttr> extents,
                                             Operation *user) {
  if (llvm::any_of(extents, isUnknown))
    return;
  SmallVector<ExtentAttr *> longest = llvm::to_vector(llvm::make_pointer_range(extents));
  llvm::stable_sort(longest,
                    [](ExtentAttr *a, ExtentAttr *b) { return a->getSize() > b->getSize(); });
  for (ExtentAttr *extent : longest) {
    ExtentAttr product = ExtentAttr::constant(function.getContext(), 1);
    for (ExtentAttr factor : extents)
      product = product * factor;
    if (!product.isUnknown() && !product.isLong())
      return;
    if (!extent->isSymbol() && !extent->isConstant())
      *extent = nameIfKnownBefore(hint, *extent, user);
  }
}

void ShapeInference::nameLongElements(Value value) {
  std::optional<ExtentValues> elements = known.lookup(value);
  if (!elements || llvm::none_of(*elements, [](ExtentAttr element) { return element.isLong(); }))
    return;
  for (ExtentAttr &element : *elements)
    element = nameIfLong(getHint(value), element, value.getDefiningOp());
  known.set(value, *elements);
}

ExtentAttr ShapeInference::checkRange(StringRef hint, ExtentAttr element, int64_t min, int64_t max,
                                      Operation *user) {
  ExtentRange checked(min, max);
  if (checked.unite(range(element, facts)) == checked ||
      (element.isSymbol() && restrictRange(element, checked, user)))
    return element;
  return define(hint, element, user, checked);
}

bool ShapeInference::isDefinedIn(Operation *op, ExtentAttr extent) const {
  bool isInside = false;
  forEachDefiner(extent, [&](Operation *definer) { isInside |= op->isAncestor(definer); });
  return isInside;
}

ExtentAttr ShapeInference::expandDefinitionsIn(Operation *op, ExtentAttr extent) const {
  // Ends: a definition is in terms of earlier symbols.
  auto expand = [&](StringRef symbol) {
    auto definition = dyn_cast_or_null<DefineOp>(definers.lookup(symbol));
    return definition && op->isProperAncestor(definition) ? definition.getExtent() : ExtentAttr();
  };
  for (ExtentAttr next; (next = extent.substitute(expand)) != extent;)
    extent = next;
  return extent;
}

void ShapeInference::forget(Operation *first, Operation *end) {
  SmallVector<Operation *> defining;
  for (Operation *op = first; op != end; op = op->getNextNode())
    op->walk([&](Operation *inner) {
      auto assertion = dyn_cast<AssertOp>(inner);
      if (isa<BindElementsOp, DefineOp, CheckOp>(inner) || (assertion && !assertion.getDemanded()))
        defining.push_back(inner);
      else if (assertion && !known.lookup(assertion.getTensor()))
        learnt.erase(assertion);
      if (auto bind = dyn_cast<BindElementsOp>(inner))
        symbolsOnDevice.erase(bind.getTensor());
      for (Value result : inner->getResults()) {
        known.forget(result);
        assertions.forget(result);
      }
    });
  for (Operation *op : defining) {
    if (auto definition = dyn_cast<DefineOp>(op)) {
      llvm::erase(definitions[definition.getExtent()], definition);
      definers.erase(definition.getSymbol().getName());
    }
    op->erase();
  }
}

void ShapeInference::forgetInside(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      forget(&block.front(), nullptr);
}

void ShapeInference::redefine(ArrayAttr symbols, Operation *definer) {
  for (auto symbol : symbols.getAsRange<SymbolAttr>())
    definers[symbol.getName()] = definer;
}

//===----------------------------------------------------------------------===//
// Demand
//===----------------------------------------------------------------------===//

/// `values` as far as they are integers, and what they are computed from: that may be easier to
/// know.
static llvm::DenseSet<Value> getIntegerSources(ArrayRef<Value> values) {
  llvm::DenseSet<Value> sources;
  SmallVector<Value> worklist;
  auto add = [&](Value value) {
    auto type = dyn_cast<SymTensorType>(value.getType());
    if (type && type.getElementType().isSignlessInteger() && sources.insert(value).second)
      worklist.push_back(value);
  };
  llvm::for_each(values, add);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!isa_and_nonnull<OnnxOp>(op) || op->getNumRegions() != 0)
      continue;
    for (OpOperand &operand : op->getOpOperands())
      if (getOperandClass(op, operand.getOperandNumber()) != OperandClass::DimsOnly)
        add(operand.get());
  }
  return sources;
}

void ShapeInference::findDemand() {
  SmallVector<Value> byHost, asSymbols, inRange, byBound;
  function.walk([&](OnnxOp op) {
    for (OpOperand &operand : op->getOpOperands())
      switch (getOperandClass(op, operand.getOperandNumber())) {
      case OperandClass::Host:
        byHost.push_back(operand.get());
        break;
      case OperandClass::Symbolic:
        asSymbols.push_back(operand.get());
        if (isBoundedByRecord(op, operand.getOperandNumber()))
          inRange.push_back(operand.get());
        break;
      case OperandClass::HostBound:
        byBound.push_back(operand.get());
        break;
      default:
        break;
      }
  });
  // A value that the host has to know is not followed on the device.
  demandedByHost = getIntegerSources(byHost);
  demandedInRange = getIntegerSources(inRange);
  demandedAsSymbols = getIntegerSources(asSymbols);
  demandedAsSymbols.insert_range(demandedByHost);
  demanded = getIntegerSources(byBound);
  demanded.insert_range(demandedAsSymbols);
}

LogicalResult ShapeInference::settle(Value value) {
  if (failed(assertions.stateElements(value, *this)))
    return failure();
  bindIfDemanded(value);
  return assertions.stateRelations(value, *this);
}

void ShapeInference::bindIfDemanded(Value value) {
  std::optional<int64_t> count = getTrackableElements(value);
  if (!count || *count > core::kMaxHostElements || !demanded.contains(value) ||
      known.isComplete(value) || elementTypeOf(value).isInteger(1))
    return;
  bool onDevice = sides && !sides->isOnHost(value);
  if (!onDevice)
    known.set(value, bind(value, /*onDevice=*/false));
  else if (demandedAsSymbols.contains(value) && !demandedByHost.contains(value))
    known.set(value, bind(value, /*onDevice=*/true));
}

std::optional<ExtentValues> ShapeInference::getSymbols(Value value) {
  std::optional<int64_t> count = getTrackableElements(value);
  if (!sides || known.isComplete(value) || !count || *count > core::kMaxHostElements)
    return known.lookup(value);
  ExtentValues &symbols = symbolsOnDevice[value];
  if (symbols.empty())
    symbols = bind(value, /*onDevice=*/true);
  return symbols;
}

/// More is no use as a bound: memory is for the most that there may be.
static constexpr int64_t kMostBounded = int64_t(1) << 12;

/// Whether `end` bounds something: numbers that follow from dims, or are not too large.
static bool isUsable(NumberRange::End end) {
  std::optional<int64_t> number = end ? end.value.getConstant() : std::nullopt;
  return end && (!number || *number <= kMostBounded);
}

bool ShapeInference::areBounded(Value value) const {
  std::optional<int64_t> count = getTrackableElements(value);
  if (!count || *count > core::kMaxHostElements)
    return false;
  NumberRange numbers = NumberRanges(*this).get(value);
  NumberRange::End least = numbers.getLeast();
  return least && range(least.value, facts).atLeast(0) && isUsable(numbers.getMost());
}

void ShapeInference::markBoundedOperands() {
  for (auto op : function.getBody().front().getOps<OnnxOp>()) {
    SmallVector<int64_t> bounded;
    for (OpOperand &operand : op->getOpOperands())
      if (isBoundedByRecord(op, operand.getOperandNumber()) && areBounded(operand.get()))
        bounded.push_back(operand.getOperandNumber());
    setBoundedOperands(op, bounded);
  }
}

/// Holds integers of the device against what they are taken to lie between, where that is not sure.
static void checkOnDevice(OpBuilder &builder, Value value, NumberRange numbers) {
  if (!isUsable(numbers.getMost()) || (numbers.getLeast().isSure && numbers.getMost().isSure))
    return;
  auto repeat = [&](NumberRange::End end) {
    ExtentAttr said = end ? end.value : ExtentAttr::unknown(value.getContext());
    return builder.getArrayAttr(SmallVector<Attribute>(*getTrackableElements(value), said));
  };
  AssertOp::create(builder, value.getLoc(), value, repeat(numbers.getLeast()),
                   repeat(numbers.getMost()));
}

ExtentValues ShapeInference::bind(Value value, bool onDevice) {
  std::optional<ExtentValues> elements = known.lookup(value);
  ExtentValues bound;
  SmallVector<Attribute> symbols;
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfterValue(value);
  // Behind the user's checks of it, only integers that they let pass.
  while (isa<AssertOp>(*builder.getInsertionPoint()))
    builder.setInsertionPointAfter(&*builder.getInsertionPoint());
  // Otherwise any integer may come: extents that follow from it are checked where they are used.
  ExtentRange type = getIntegerRange(elementTypeOf(value));
  NumberRange numbers = NumberRanges(*this).get(value);
  if (onDevice)
    type = type.intersect({-kMaxDeviceInteger, kMaxDeviceInteger});
  if (onDevice && demandedInRange.contains(value))
    checkOnDevice(builder, value, numbers);
  else if (!numbers.getLeast().isSure || !numbers.getMost().isSure)
    numbers = {};
  ExtentAttr most = isUsable(numbers.getMost()) ? numbers.getMost().value : ExtentAttr();
  if (most && numbers.getLeast()) {
    int64_t lo = range(numbers.getLeast().value, facts).lo().value_or(-kMaxDeviceInteger);
    int64_t hi = range(most, facts).hi().value_or(kMaxDeviceInteger);
    type = type.intersect({lo, std::max(lo, hi)});
  }
  int64_t count = *getTrackableElements(value);
  bool isNested = value.getParentBlock() != &function.getBody().front();
  // An integer that the host reads has its value soon: its most is worth knowing as a relation to
  // dims.
  if (most && most.isConstant() && !onDevice)
    most = {};
  for (int64_t element = 0; element < count; ++element) {
    std::string hint = getHint(value) + (count > 1 ? "_" + std::to_string(element) : "");
    ExtentRange asserted = assertions.getRange(value, element, facts);
    ExtentRange values = type.intersect(asserted);
    // No tensor is that large: sizes are made of what follows. An integer of an iteration limits
    // sizes of the whole loop by an assertion only.
    ExtentAttr limit = most;
    bool isLimited = isNested && asserted.hi() && *asserted.hi() < kMaxSymbolExtent;
    if ((onDevice || isLimited) && !most)
      limit = ExtentAttr::constant(function.getContext(), *values.hi());
    SymbolAttr symbol = newSymbol(hint, values, nullptr, limit);
    symbols.push_back(symbol);
    if (onDevice)
      namesOnDevice.insert(symbol.getName());
    bool followed = elements && !(*elements)[element].isUnknown();
    bound.push_back(followed ? (*elements)[element] : symbol.getExtent());
    ++numBound;
  }
  auto bind = BindElementsOp::create(builder, value.getLoc(), value, builder.getArrayAttr(symbols),
                                     onDevice);
  redefine(bind.getSymbols(), bind);
  return bound;
}
