// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Core/IR/SymbolAnalysis.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace cameo::core;

namespace {
constexpr StringLiteral kInputSymbols = "cameo.symbols";
/// All definitions by name, while rewrites run.
constexpr StringLiteral kFacts = "cameo.facts";

template <class Visit> void forEachSymbol(Operation *function, Visit visit) {
  for (Attribute symbol : getInputSymbols(function))
    visit(nullptr, SymbolDefinition{cast<SymbolAttr>(symbol), SymbolScope::Inside, {}});
  // Outer definitions before those inside: bounds of these are made of theirs.
  function->walk<WalkOrder::PreOrder>([&](SymbolDefiningOp op) {
    op.visitSymbols([&](const SymbolDefinition &definition) { visit(op, definition); });
  });
}
} // namespace

ArrayRef<Attribute> cameo::core::getInputSymbols(Operation *function) {
  auto symbols = function->getAttrOfType<ArrayAttr>(kInputSymbols);
  return symbols ? symbols.getValue() : ArrayRef<Attribute>();
}

void cameo::core::setInputSymbols(Operation *function, ArrayRef<SymbolAttr> symbols) {
  SmallVector<Attribute> attributes(symbols.begin(), symbols.end());
  function->setAttr(kInputSymbols, ArrayAttr::get(function->getContext(), attributes));
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

SymbolAnalysis::SymbolAnalysis(Operation *function) {
  llvm::MapVector<Operation *, SmallVector<std::pair<SymbolAttr, CarriedExtent>>> loops;
  forEachSymbol(function, [&](Operation *op, const SymbolDefinition &definition) {
    if (definition.carried)
      loops[op].push_back({definition.symbol, *definition.carried});
    bool isOnDevice =
        definition.isOnDevice || (definition.extent && this->isOnDevice(definition.extent));
    definitions[definition.symbol.getName()] = {op, definition.scope, definition.bound, isOnDevice};
    facts.set(definition.symbol);
    std::optional<int64_t> usual = definition.symbol.getLikely();
    if (!usual && definition.extent)
      usual = getLikely(definition.extent);
    if (usual)
      likely[definition.symbol.getName()] = *usual;
  });
  // Growth by what only an iteration knows is at most growth by what bounds that; inner loops
  // first, since outer ones may grow by what these carry.
  for (auto &entry : llvm::reverse(loops))
    for (auto [symbol, carried] : entry.second) {
      StringRef own = symbol.getName();
      auto isKept = [&](StringRef name) {
        Operation *definer = getDefiner(name);
        return name == own || !definer || !entry.first->isAncestor(definer);
      };
      SymbolBounds known;
      carried.next = simplify(getBound(carried.next, isKept, known), facts);
      definitions[own].bound = getCarriedBound(symbol, carried);
    }
}

std::optional<int64_t> SymbolAnalysis::getLikely(ExtentAttr extent) const {
  if (likely.empty())
    return extent.getConstant();
  return extent.evaluate([&](StringRef symbol) -> std::optional<int64_t> {
    auto found = likely.find(symbol);
    return found == likely.end() ? std::nullopt : std::optional(found->second);
  });
}

Operation *SymbolAnalysis::getDefiner(StringRef symbol) const {
  return definitions.lookup(symbol).op;
}

bool SymbolAnalysis::isKnownBefore(StringRef symbol, Operation *op) const {
  Definition definition = definitions.lookup(symbol);
  if (!definition.op)
    return true;
  if (definition.isOnDevice)
    return false;
  Operation *ancestor = definition.op->getBlock()->findAncestorOpInBlock(*op);
  if (!ancestor)
    return false;
  if (ancestor == definition.op)
    return definition.scope != SymbolScope::Behind && op != definition.op;
  return definition.scope != SymbolScope::Inside && definition.op->isBeforeInBlock(ancestor);
}

bool SymbolAnalysis::isOnDevice(ExtentAttr extent) const {
  llvm::SetVector<StringRef> names;
  extent.collectSymbols(names);
  return llvm::any_of(names, [&](StringRef name) { return definitions.lookup(name).isOnDevice; });
}

bool SymbolAnalysis::areKnownBefore(ExtentAttr extent, Operation *op) const {
  llvm::SetVector<StringRef> names;
  extent.collectSymbols(names);
  return llvm::all_of(names, [&](StringRef name) { return isKnownBefore(name, op); });
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {

/// Replaces symbols by the most that they can be.
class Bounder {
public:
  /// `boundOf` a symbol is null where nothing bounds it; `known` is what was found for symbols with
  /// this `isReplaced`, and grows.
  Bounder(MLIRContext *context, llvm::function_ref<ExtentAttr(StringRef)> boundOf,
          llvm::function_ref<bool(StringRef)> isReplaced, const ExtentFacts &facts,
          SymbolBounds &known)
      : context(context), boundOf(boundOf), isReplaced(isReplaced), facts(facts), known(known) {}

  /// Null when nothing bounds the extent.
  ExtentAttr get(ExtentAttr extent);

private:
  ExtentAttr getSymbol(ExtentAttr symbol);
  ExtentAttr getSum(ExtentAttr sum);
  ExtentAttr getTerm(const ExtentTerm &term);
  ExtentAttr getPositive(const ExtentTerm &term);
  ExtentAttr getNegative(const ExtentTerm &term) const;
  ExtentAttr getMinMax(ExtentAttr extent);
  bool isFixed(ExtentAttr extent) const;
  bool isQuotient(ExtentAttr extent) const;
  bool cancelQuotient(SmallVectorImpl<ExtentAttr> &factors) const;

  MLIRContext *context;
  llvm::function_ref<ExtentAttr(StringRef)> boundOf;
  llvm::function_ref<bool(StringRef)> isReplaced;
  const ExtentFacts &facts;
  SymbolBounds &known;
  /// The symbols whose bounds are being replaced: two carried sizes may depend on each other.
  llvm::SetVector<StringRef> open;
  /// Where in `open` the outermost symbol stands that something was cut short by.
  size_t cut = std::numeric_limits<size_t>::max();
};

} // namespace

ExtentAttr Bounder::getSymbol(ExtentAttr symbol) {
  StringRef name = symbol.getSymbolName();
  if (auto found = known.find(name); found != known.end())
    return found->second;
  ExtentAttr most = boundOf(name);
  if (!most)
    return {};
  size_t depth = open.size();
  if (!open.insert(name)) {
    cut = std::min<size_t>(cut, llvm::find(open, name) - open.begin());
    return {};
  }
  most = get(most);
  open.pop_back();
  // A bound that another one cut short is no answer outside of that.
  if (cut < depth)
    return most;
  cut = std::numeric_limits<size_t>::max();
  known[name] = most;
  return most;
}

bool Bounder::isFixed(ExtentAttr extent) const {
  llvm::SetVector<StringRef> names;
  extent.collectSymbols(names);
  return llvm::none_of(names, isReplaced);
}

/// Whether it is a quotient of what is not negative by what is at least 1.
bool Bounder::isQuotient(ExtentAttr extent) const {
  return extent && extent.getKind() == ExtentKind::FloorDiv &&
         range(extent.getOperands()[0], facts).atLeast(0) &&
         range(extent.getOperands()[1], facts).atLeast(1);
}

/// d * (x floordiv max(d, 1)) is at most x: what is left for one extent by others is no more than
/// there is, although each on its own may be all of it. Replaces the factors of one such product,
/// of which the quotient may be the bound of a symbol.
bool Bounder::cancelQuotient(SmallVectorImpl<ExtentAttr> &factors) const {
  for (ExtentAttr factor : factors) {
    ExtentAttr quotient = factor;
    if (factor.isSymbol() && isReplaced(factor.getSymbolName()))
      quotient = boundOf(factor.getSymbolName());
    if (!isQuotient(quotient) || isFixed(quotient.getOperands()[1]))
      continue;
    ArrayRef<ExtentTerm> divisor = quotient.getOperands()[1].getTerms();
    if (divisor.size() != 1)
      continue;
    SmallVector<ExtentAttr> rest(factors.begin(), factors.end());
    rest.erase(llvm::find(rest, factor));
    bool isCancelled = llvm::all_of(divisor.front().factors, [&](ExtentAttr each) {
      auto *same = llvm::find_if(rest, [&](ExtentAttr other) {
        return other == each ||
               (each.getKind() == ExtentKind::Max && llvm::is_contained(each.getOperands(), other));
      });
      if (same == rest.end())
        return false;
      rest.erase(same);
      return true;
    });
    if (!isCancelled)
      continue;
    rest.push_back(quotient.getOperands()[0].floorDiv(divisor.front().coefficient));
    factors.assign(rest);
    return true;
  }
  return false;
}

/// The bound of a product with a positive coefficient: the product of the factors' bounds, where
/// none of several is negative.
ExtentAttr Bounder::getPositive(const ExtentTerm &term) {
  auto mayBeNegative = [&](ExtentAttr each) { return !range(each, facts).atLeast(0); };
  if (term.factors.size() > 1 && llvm::any_of(term.factors, mayBeNegative))
    return {};
  SmallVector<ExtentAttr> factors(term.factors.begin(), term.factors.end());
  while (cancelQuotient(factors))
    ;
  ExtentAttr product = ExtentAttr::constant(context, term.coefficient);
  for (ExtentAttr factor : factors) {
    ExtentAttr most = get(factor);
    if (!most)
      return {};
    product = product * most; // checked: `unknown` when it does not fit
  }
  return product;
}

/// The bound of a product with a negative coefficient: that of the least that the factors can make.
ExtentAttr Bounder::getNegative(const ExtentTerm &term) const {
  ExtentAttr fixed = ExtentAttr::constant(context, term.coefficient);
  ExtentAttr replaced = ExtentAttr::constant(context, 1);
  for (ExtentAttr factor : term.factors) {
    bool isKept = isFixed(factor) && range(factor, facts).atLeast(0);
    ExtentAttr &product = isKept ? fixed : replaced;
    product = product * factor;
  }
  std::optional<int64_t> least = range(replaced, facts).lo();
  return least ? fixed * ExtentAttr::constant(context, *least) : ExtentAttr();
}

ExtentAttr Bounder::getTerm(const ExtentTerm &term) {
  if (llvm::any_of(term.factors, [&](ExtentAttr each) { return !isFixed(each); }))
    return term.coefficient < 0 ? getNegative(term) : getPositive(term);
  ExtentAttr product = ExtentAttr::constant(context, term.coefficient);
  for (ExtentAttr factor : term.factors)
    product = product * factor;
  return product;
}

ExtentAttr Bounder::getSum(ExtentAttr sum) {
  ExtentAttr total = ExtentAttr::constant(context, 0);
  for (const ExtentTerm &term : sum.getTerms()) {
    ExtentAttr most = getTerm(term);
    if (!most)
      return {};
    total = total + most;
  }
  return total;
}

/// One operand that is bounded bounds a minimum.
ExtentAttr Bounder::getMinMax(ExtentAttr extent) {
  bool isMin = extent.getKind() == ExtentKind::Min;
  ExtentAttr total;
  for (ExtentAttr operand : extent.getOperands()) {
    ExtentAttr most = get(operand);
    if (!most && isMin)
      continue;
    if (!most)
      return {};
    if (total)
      most = isMin ? total.min(most) : total.max(most);
    total = most;
  }
  return total;
}

ExtentAttr Bounder::get(ExtentAttr extent) {
  if (isFixed(extent))
    return extent;
  ArrayRef<ExtentAttr> operands = extent.getOperands();
  switch (extent.getKind()) {
  case ExtentKind::Symbol:
    return getSymbol(extent);
  case ExtentKind::Polynomial:
    return getSum(extent);
  case ExtentKind::FloorDiv:
  case ExtentKind::Mod: {
    std::optional<int64_t> divisor = operands[1].getConstant();
    if (!divisor && isQuotient(extent))
      return get(operands[0]);
    if (!divisor || *divisor <= 0)
      return {};
    if (extent.getKind() == ExtentKind::Mod)
      return ExtentAttr::constant(context, *divisor - 1);
    ExtentAttr most = get(operands[0]);
    return most ? most.floorDiv(*divisor) : most;
  }
  case ExtentKind::Min:
  case ExtentKind::Max:
    return getMinMax(extent);
  case ExtentKind::Unknown:
    return {};
  }
  return {};
}

/// The bound of an iteration is -1 where there is none: nothing has that size.
ExtentAttr SymbolAnalysis::getSymbolBound(StringRef symbol) const {
  ExtentAttr bound = definitions.lookup(symbol).bound;
  if (!bound || bound.isUnknown())
    return bound;
  int64_t least = facts.lookup(symbol).min;
  return range(bound, facts).atLeast(least) ? bound : bound.max(least);
}

ExtentAttr SymbolAnalysis::getBound(ExtentAttr extent, llvm::function_ref<bool(StringRef)> isKept,
                                    SymbolBounds &known) const {
  auto boundOf = [&](StringRef name) { return getSymbolBound(name); };
  auto isReplaced = [&](StringRef name) { return !isKept(name); };
  ExtentAttr most = Bounder(extent.getContext(), boundOf, isReplaced, facts, known).get(extent);
  return most && !most.isUnknown() ? most : extent;
}

ExtentAttr SymbolAnalysis::getBound(ExtentAttr extent, Operation *op) const {
  SymbolBounds known;
  return getBound(
      extent, [&](StringRef name) { return isKnownBefore(name, op); }, known);
}

bool SymbolAnalysis::areBoundedTogether(ArrayRef<ExtentAttr> extents) const {
  llvm::SetVector<StringRef> names;
  for (ExtentAttr extent : extents)
    extent.collectSymbols(names);
  return llvm::any_of(names, [&](StringRef name) {
    llvm::SetVector<StringRef> others;
    ExtentAttr bound = definitions.lookup(name).bound;
    if (bound && bound.getKind() == ExtentKind::FloorDiv)
      bound.getOperands()[1].collectSymbols(others);
    return llvm::any_of(others, [&](StringRef other) { return names.contains(other); });
  });
}

ExtentAttr SymbolAnalysis::getHostBound(ExtentAttr extent) const {
  if (!isOnDevice(extent))
    return extent;
  SymbolBounds known;
  return getBound(
      extent, [&](StringRef name) { return !definitions.lookup(name).isOnDevice; }, known);
}

ExtentAttr SymbolAnalysis::getLoopBound(ExtentAttr extent) const {
  auto boundOf = [&](StringRef name) { return getSymbolBound(name); };
  auto changes = [&](StringRef name) {
    Definition definition = definitions.lookup(name);
    if (!definition.op)
      return false;
    bool isNested = !isa<FunctionOpInterface>(definition.op->getParentOp());
    return definition.isOnDevice || definition.scope != SymbolScope::Behind ||
           (isNested && definition.bound);
  };
  ExtentAttr most = Bounder(extent.getContext(), boundOf, changes, facts, loopBounds).get(extent);
  return most && !most.isUnknown() ? most : extent;
}

//===----------------------------------------------------------------------===//
// Facts for rewrites
//===----------------------------------------------------------------------===//

SymbolFactsScope::SymbolFactsScope(Operation *function) : function(function) {
  SmallVector<NamedAttribute> entries;
  forEachSymbol(function, [&](Operation *, const SymbolDefinition &definition) {
    entries.emplace_back(definition.symbol.getNameAttr(), definition.symbol);
  });
  function->setAttr(kFacts, DictionaryAttr::get(function->getContext(), entries));
}

SymbolFactsScope::~SymbolFactsScope() { function->removeAttr(kFacts); }

static FunctionOpInterface getFunction(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function ? function : op->getParentOfType<FunctionOpInterface>();
}

ExtentFacts cameo::core::getSymbolFacts(Operation *op) {
  FunctionOpInterface function = getFunction(op);
  if (auto definitions = function->getAttrOfType<DictionaryAttr>(kFacts))
    return ExtentFacts(definitions);
  return SymbolAnalysis(function).getFacts();
}

SymbolAttr cameo::core::addSymbol(Operation *op, StringRef hint, SymbolFact fact) {
  FunctionOpInterface function = getFunction(op);
  NamedAttrList definitions(function->getAttrOfType<DictionaryAttr>(kFacts));
  std::string name = hint.str();
  for (unsigned number = 1; definitions.get(name); ++number)
    name = (hint + "_" + Twine(number)).str();
  auto symbol = SymbolAttr::get(op->getContext(), name, fact);
  definitions.set(symbol.getNameAttr(), symbol);
  function->setAttr(kFacts, definitions.getDictionary(op->getContext()));
  return symbol;
}
