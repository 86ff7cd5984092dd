// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/Symbols.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

Symbols::Symbols(func::FuncOp function) {
  // Outer loops first: bounds of inner ones are made of theirs.
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto bind = dyn_cast<BindOp>(op)) {
      definitions[bind.getSymbol()] = op;
      if (bind.getMax())
        bounds[bind.getSymbol()] = *bind.getMax();
    }
    if (auto branch = dyn_cast<IfOp>(op))
      for (auto symbol : branch.getSymbols().getAsRange<StringAttr>())
        definitions[symbol] = op;
    if (auto loop = dyn_cast<LoopOp>(op))
      addLoop(loop);
  });
}

void Symbols::addLoop(LoopOp loop) {
  definitions[loop.getIv()] = loop;
  if (loop.getCount())
    definitions[*loop.getCount()] = loop;
  // A trip count below 0 is none.
  ExtentAttr trip = loop.getTripAttr();
  if (trip)
    bounds[loop.getIv()] = trip = trip.max(0);
  for (auto [symbol, init, next] : llvm::zip_equal(loop.getSymbols().getAsRange<StringAttr>(),
                                                   loop.getInitExtents(), loop.getNextExtents())) {
    definitions[symbol] = loop;
    auto start = cast<ExtentAttr>(init), after = cast<ExtentAttr>(next);
    ExtentAttr step = after - ExtentAttr::symbol(loop.getContext(), symbol);
    llvm::SetVector<StringRef> inStep, inNext;
    step.collectSymbols(inStep);
    after.collectSymbols(inNext);
    if (!inNext.contains(symbol))
      bounds[symbol] = start.max(after);
    else if (trip && !inStep.contains(symbol))
      bounds[symbol] = start + step.max(0) * trip;
  }
}

/// Whether a symbol that `definition` defines has its value when `op` begins.
static bool isKnownBefore(Operation *definition, Operation *op) {
  Operation *ancestor = definition->getBlock()->findAncestorOpInBlock(*op);
  if (!ancestor)
    return false;
  // A loop's symbols are its body's too.
  if (ancestor == definition)
    return isa<LoopOp>(definition) && op != definition;
  return definition->isBeforeInBlock(ancestor);
}

bool Symbols::areKnownBefore(ExtentAttr extent, Operation *op) const {
  llvm::SetVector<StringRef> names;
  extent.collectSymbols(names);
  return llvm::all_of(names, [&](StringRef name) {
    Operation *definition = definitions.lookup(name);
    return !definition || isKnownBefore(definition, op);
  });
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {

/// Replaces symbols by the most that they can be. Sizes are products of dims, which are not
/// negative: a summand with a minus only makes them less.
class Bounder {
public:
  using Bounds = llvm::DenseMap<StringRef, ExtentAttr>;

  /// `known`, if given, is what was found for symbols with this `isReplaced`, and grows.
  Bounder(const Bounds &bounds, llvm::function_ref<bool(StringRef)> isReplaced,
          Bounds *known = nullptr)
      : bounds(bounds), isReplaced(isReplaced), known(known) {}

  /// Null when nothing bounds the extent.
  ExtentAttr get(ExtentAttr extent);

private:
  ExtentAttr getSymbol(ExtentAttr symbol);
  ExtentAttr getSum(ExtentAttr sum);

  const Bounds &bounds;
  llvm::function_ref<bool(StringRef)> isReplaced;
  Bounds *known;
  /// Those whose bounds are being replaced: two carried sizes may depend on each other.
  SmallVector<StringRef> open;
};

} // namespace

ExtentAttr Bounder::getSymbol(ExtentAttr symbol) {
  StringRef name = symbol.getSymbolName();
  if (known)
    if (auto found = known->find(name); found != known->end())
      return found->second;
  ExtentAttr most = bounds.lookup(name);
  if (!most || llvm::is_contained(open, name))
    return {};
  open.push_back(name);
  most = get(most);
  open.pop_back();
  // Within another one it may have been cut short by that.
  if (known && open.empty())
    (*known)[name] = most;
  return most;
}

ExtentAttr Bounder::getSum(ExtentAttr sum) {
  ExtentAttr total = ExtentAttr::constant(sum.getContext(), 0);
  for (const ExtentTerm &term : sum.getTerms()) {
    bool isFixed = llvm::all_of(term.factors, [&](ExtentAttr factor) {
      llvm::SetVector<StringRef> names;
      factor.collectSymbols(names);
      return llvm::none_of(names, isReplaced);
    });
    if (!isFixed && term.coefficient < 0)
      continue;
    ExtentAttr product = ExtentAttr::constant(sum.getContext(), term.coefficient);
    for (ExtentAttr factor : term.factors) {
      ExtentAttr most = get(factor);
      if (!most)
        return {};
      product = product * most; // checked: `unknown` when it does not fit
    }
    total = total + product;
  }
  return total;
}

ExtentAttr Bounder::get(ExtentAttr extent) {
  llvm::SetVector<StringRef> names;
  extent.collectSymbols(names);
  if (llvm::none_of(names, isReplaced))
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
    if (!divisor || *divisor <= 0)
      return {};
    if (extent.getKind() == ExtentKind::Mod)
      return ExtentAttr::constant(extent.getContext(), *divisor - 1);
    ExtentAttr most = get(operands[0]);
    return most ? most.floorDiv(*divisor) : most;
  }
  case ExtentKind::Min:
  case ExtentKind::Max: {
    ExtentAttr most = get(operands.front());
    for (ExtentAttr operand : operands.drop_front()) {
      ExtentAttr other = get(operand);
      if (!most || !other)
        return {};
      most = extent.getKind() == ExtentKind::Min ? most.min(other) : most.max(other);
    }
    return most;
  }
  case ExtentKind::Unknown:
    return {};
  }
  return {};
}

ExtentAttr Symbols::getBound(ExtentAttr extent, Operation *op) const {
  ExtentAttr most = Bounder(bounds, [&](StringRef name) {
                      return !areKnownBefore(ExtentAttr::symbol(op->getContext(), name), op);
                    }).get(extent);
  return most && !most.isUnknown() ? most : extent;
}

ExtentAttr Symbols::getLoopBound(ExtentAttr extent) const {
  ExtentAttr most =
      Bounder(
          bounds, [&](StringRef name) { return isa_and_nonnull<LoopOp>(definitions.lookup(name)); },
          &loopBounds)
          .get(extent);
  return most && !most.isUnknown() ? most : extent;
}
