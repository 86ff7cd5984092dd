// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Core/IR/SymbolDefiningOp.h"

#include "Dialect/Core/IR/ExtentFacts.h"

using namespace mlir;
using namespace cameo::core;

#include "Dialect/Core/IR/SymbolDefiningOp.cpp.inc"

/// Whether `next`, which follows from the symbol alone, is never more than it.
static bool shrinks(SymbolAttr symbol, ExtentAttr next) {
  llvm::SetVector<StringRef> names;
  next.collectSymbols(names);
  ExtentFacts facts;
  facts.set(symbol);
  return names.size() == 1 && provablyLessEqual(next, symbol.getExtent(), facts);
}

ExtentAttr cameo::core::getCarriedBound(SymbolAttr symbol, const CarriedExtent &carried) {
  auto [init, next, trip] = carried;
  llvm::SetVector<StringRef> inNext, inStep;
  next.collectSymbols(inNext);
  if (!inNext.contains(symbol.getName()))
    return init.max(next);
  if (shrinks(symbol, next))
    return init;
  ExtentAttr step = next - symbol.getExtent();
  step.collectSymbols(inStep);
  return trip && !inStep.contains(symbol.getName()) ? init + step.max(0) * trip : ExtentAttr();
}

void cameo::core::visitLoopSymbols(const LoopSymbols &loop, SymbolVisitor visit) {
  // A trip count below 0 is none.
  ExtentAttr trip = loop.trip ? loop.trip.max(0) : ExtentAttr();
  visit({loop.iteration, SymbolScope::Inside, trip});
  if (loop.count)
    visit({loop.count, SymbolScope::Behind, trip});
  for (auto [attribute, init, next] : llvm::zip_equal(loop.carried, loop.init, loop.next)) {
    auto symbol = cast<SymbolAttr>(attribute);
    CarriedExtent carried{cast<ExtentAttr>(init), cast<ExtentAttr>(next), trip};
    SymbolDefinition definition{symbol, SymbolScope::InsideAndBehind,
                                getCarriedBound(symbol, carried)};
    definition.carried = carried;
    visit(definition);
  }
}
