// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/CountedExtents.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Prog/IR/KernelTemplates.h"
#include "Dialect/Prog/IR/OutsideKernels.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

CountedExtents::CountedExtents(func::FuncOp function) : analysis(function) {
  auto isPositive = [&](ExtentAttr factor) {
    return range(factor, analysis.getFacts()).atLeast(1);
  };
  // Parts of a sum are no more than it, where none is negative; it is no more than the elements
  // where every other extent is at least 1.
  auto addSums = [&](SymTensorType tensor) {
    for (ExtentAttr extent : tensor.getExtents()) {
      bool isSum = extent.getTerms().size() > 1 && analysis.isOnDevice(extent);
      auto isOtherPositive = [&](ExtentAttr other) { return other == extent || isPositive(other); };
      auto isNatural = [&](const ExtentTerm &term) {
        return term.coefficient > 0 && llvm::all_of(term.factors, [&](ExtentAttr factor) {
                 return range(factor, analysis.getFacts()).atLeast(0);
               });
      };
      if (isSum && llvm::all_of(tensor.getExtents(), isOtherPositive) &&
          llvm::all_of(extent.getTerms(), isNatural))
        sums.insert(extent);
    }
  };
  auto add = [&](SymTensorType tensor) {
    addSums(tensor);
    ExtentAttr size = tensor.getNumElements();
    if (!analysis.isOnDevice(size) || size.getTerms().size() != 1)
      return;
    ExtentTerm term = *size.getTerms().begin();
    ExtentAttr one = ExtentAttr::constant(size.getContext(), 1), all = one, counts = one;
    bool isAtLeastCounts = true;
    for (ExtentAttr factor : term.factors) {
      all = all * factor;
      if (analysis.isOnDevice(factor))
        counts = counts * factor;
      else
        isAtLeastCounts &= isPositive(factor);
    }
    allocated[all] = std::max(allocated[all], term.coefficient);
    if (isAtLeastCounts)
      allocated[counts] = std::max(allocated[counts], term.coefficient);
  };
  // Tensors are as large as what their extents are names of.
  llvm::DenseMap<StringRef, ExtentAttr> named;
  walkOutsideKernels(function, [&](Operation *op) {
    if (auto definition = dyn_cast<DefineOp>(op); definition && !definition.getChecked())
      named[definition.getSymbol().getName()] = definition.getExtent().substitute(named);
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<SymTensorType>(type);
      if (!tensor || !tensor.isDevice())
        continue;
      add(tensor);
      if (named.empty())
        continue;
      auto extents = llvm::map_to_vector(
          tensor.getExtents(), [&](ExtentAttr extent) { return extent.substitute(named); });
      if (tensor.getExtents() != ArrayRef(extents))
        add(tensor.withExtents(extents));
    }
  });
}

void CountedExtents::forEachCounted(Operation *op, llvm::function_ref<void(StringRef)> visit) {
  uses.forEach(op, [&](StringRef symbol) {
    if (analysis.isOnDevice(ExtentAttr::symbol(op->getContext(), symbol)))
      visit(symbol);
  });
}

llvm::SetVector<StringRef> CountedExtents::getCounts(ExtentAttr extent) const {
  llvm::SetVector<StringRef> symbols, counts;
  extent.collectSymbols(symbols);
  for (StringRef symbol : symbols)
    if (analysis.isOnDevice(ExtentAttr::symbol(extent.getContext(), symbol)))
      counts.insert(symbol);
  return counts;
}

bool CountedExtents::canCompute(DefineOp definition) const {
  return !definition.getChecked() && isBounded(definition.getExtent()) &&
         !analysis.isOnDevice(getBound(definition.getSymbol().getExtent()));
}

bool CountedExtents::isInside(ExtentAttr extent) const {
  ExtentRange values = range(extent, analysis.getFacts());
  return values.lo() && values.hi();
}

bool CountedExtents::hasTensor(ExtentAttr extent) const {
  if (sums.contains(extent))
    return true;
  if (extent.getKind() != ExtentKind::Polynomial || extent.getTerms().size() != 1)
    return false;
  ExtentTerm term = *extent.getTerms().begin();
  ExtentAttr factors = ExtentAttr::constant(extent.getContext(), 1);
  for (ExtentAttr factor : term.factors)
    factors = factors * factor;
  return term.coefficient > 0 && term.coefficient <= allocated.lookup(factors);
}

bool CountedExtents::isBounded(ExtentAttr extent) const {
  return (isInside(extent) || hasTensor(extent)) && fitsOnTheWay(extent);
}

bool CountedExtents::fitsOnTheWay(ExtentAttr extent) const {
  auto fits = [&](ExtentAttr part) { return fitsOnTheWay(part); };
  if (extent.isUnknown())
    return false;
  if (extent.getKind() == ExtentKind::Polynomial && hasTensor(extent))
    return llvm::all_of(extent.getTerms(),
                        [&](const ExtentTerm &term) { return llvm::all_of(term.factors, fits); });
  if (extent.getKind() == ExtentKind::Polynomial)
    return isInside(extent) && llvm::all_of(extent.getTerms(), [&](const ExtentTerm &term) {
             ExtentAttr product = ExtentAttr::constant(extent.getContext(), term.coefficient);
             for (ExtentAttr factor : term.factors)
               product = product * factor;
             return isInside(product) && llvm::all_of(term.factors, fits);
           });
  // The least integer has no quotient by -1.
  bool divides = extent.getKind() == ExtentKind::FloorDiv || extent.getKind() == ExtentKind::Mod;
  if (divides && !isInside(extent.getOperands()[0]) &&
      !range(extent.getOperands()[1], analysis.getFacts()).atLeast(1))
    return false;
  return extent.isSymbol() || llvm::all_of(extent.getOperands(), fits);
}

llvm::SetVector<ExtentAttr> CountedExtents::findHostParts(func::FuncOp function) const {
  llvm::SetVector<ExtentAttr> parts;
  AttrTypeWalker walker;
  walker.addWalk([&](ExtentAttr extent) {
    if (!extent.isUnknown() && analysis.isOnDevice(extent))
      collectHostParts(extent, parts);
  });
  function.walk([&](Operation *op) {
    walker.walk(op->getAttrDictionary());
    for (Type type : op->getResultTypes())
      walker.walk(type);
  });
  return parts;
}

void CountedExtents::collectHostParts(ExtentAttr extent, llvm::SetVector<ExtentAttr> &parts) const {
  if (extent.isSymbol())
    return;
  if (!analysis.isOnDevice(extent)) {
    if (!fitsOnTheWay(extent))
      parts.insert(extent);
    return;
  }
  for (ExtentAttr operand : extent.getOperands())
    collectHostParts(operand, parts);
  if (extent.getKind() == ExtentKind::Polynomial)
    for (const ExtentTerm &term : extent.getTerms())
      for (ExtentAttr factor : term.factors)
        collectHostParts(factor, parts);
}

bool CountedExtents::isMultiple(ExtentAttr extent) {
  if (!analysis.isOnDevice(extent))
    return true;
  ExtentAttr count;
  for (const ExtentTerm &term : extent.getTerms()) {
    ExtentAttr counted;
    for (ExtentAttr factor : term.factors) {
      if (!analysis.isOnDevice(factor))
        continue;
      // Not every integer that kernels read is a count.
      if (counted || !factor.isSymbol() ||
          analysis.getFacts().lookup(factor.getSymbolName()).min < 0)
        return false;
      counted = factor;
    }
    if (counted && count && counted != count)
      return false;
    count = counted ? counted : count;
  }
  return true;
}

bool CountedExtents::areMultiples(Attribute attribute) {
  if (auto extent = dyn_cast<ExtentAttr>(attribute))
    return isMultiple(extent);
  auto list = dyn_cast<ArrayAttr>(attribute);
  return !list || llvm::all_of(list, [&](Attribute element) { return areMultiples(element); });
}

llvm::SetVector<ExtentAttr> CountedExtents::findNameable(func::FuncOp function) {
  llvm::SetVector<ExtentAttr> found;
  AttrTypeWalker walker;
  walker.addWalk([&](ExtentAttr extent) {
    if (!extent.isUnknown() && !isMultiple(extent) && isBounded(extent) &&
        range(extent, analysis.getFacts()).atLeast(0) &&
        !analysis.isOnDevice(analysis.getHostBound(extent)))
      found.insert(extent);
  });
  walkOutsideKernels(function, [&](Operation *op) {
    for (Type type : op->getResultTypes())
      walker.walk(type);
    if (auto kernel = dyn_cast<KernelOp>(op))
      walker.walk(kernel.getExtents());
    if (auto call = dyn_cast<CallOp>(op))
      for (NamedAttribute param : call.getParams())
        walker.walk(param.getValue());
  });
  return found;
}

/// Where an op gives a symbol its value.
static SmallVector<SymbolPlace> getPlaces(Operation *definer, StringRef symbol) {
  SmallVector<SymbolPlace> places;
  cast<SymbolDefiningOp>(definer).visitSymbols([&](const SymbolDefinition &definition) {
    if (definition.symbol.getName() != symbol)
      return;
    if (definition.scope != SymbolScope::Behind)
      places.push_back({definer, /*isInside=*/true});
    if (definition.scope != SymbolScope::Inside)
      places.push_back({definer, /*isInside=*/false});
  });
  return places;
}

/// Whether what has its value at `place` has it at `other` too.
static bool isBefore(SymbolPlace place, SymbolPlace other) {
  if (place.op == other.op && place.isInside == other.isInside)
    return true;
  Operation *inner = other.op;
  if (place.isInside)
    return inner != place.op && place.op->isProperAncestor(inner);
  Operation *ancestor = place.op->getBlock()->findAncestorOpInBlock(*inner);
  return ancestor && place.op != ancestor && place.op->isBeforeInBlock(ancestor);
}

SmallVector<SymbolPlace> CountedExtents::findPlaces(func::FuncOp function,
                                                    ExtentAttr extent) const {
  llvm::SetVector<StringRef> symbols;
  extent.collectSymbols(symbols);
  SmallVector<SmallVector<SymbolPlace>> each;
  for (StringRef symbol : symbols)
    if (Operation *definer = analysis.getDefiner(symbol)) // else a dim of an input
      each.push_back(getPlaces(definer, symbol));
  if (each.empty())
    return {{function, /*isInside=*/true}};
  auto isBehindAll = [&](SymbolPlace place) {
    return llvm::all_of(each, [&](ArrayRef<SymbolPlace> places) {
      return llvm::any_of(places, [&](SymbolPlace other) { return isBefore(other, place); });
    });
  };
  SmallVector<SymbolPlace> found;
  for (ArrayRef<SymbolPlace> places : each)
    for (SymbolPlace place : places) {
      bool isFound = llvm::any_of(found, [&](SymbolPlace other) {
        return other.op == place.op && other.isInside == place.isInside;
      });
      if (!isFound && isBehindAll(place))
        found.push_back(place);
    }
  return found;
}

/// Maps of functors may have any extents: they are evaluated on the device. A null pointer is on no
/// side.
bool CountedExtents::canLaunch(Operation *kernel) {
  auto isOnDevice = [&](Value value) {
    auto tensor = dyn_cast<SymTensorType>(value.getType());
    return !tensor || value.getDefiningOp<NullOp>() ||
           (tensor.isDevice() && llvm::all_of(tensor.getExtents(), [&](ExtentAttr extent) {
              return isMultiple(extent);
            }));
  };
  bool fits = true;
  kernel->walk([&](Operation *op) {
    fits &=
        llvm::all_of(op->getOperands(), isOnDevice) && llvm::all_of(op->getResults(), isOnDevice);
    return isa<KernelOp, CallOp, LoadOp, StoreOp>(op) ? WalkResult::advance() : WalkResult::skip();
  });
  if (auto loop = dyn_cast<KernelOp>(kernel))
    return fits && areMultiples(loop.getExtents());
  return fits && canCall(cast<CallOp>(kernel));
}

bool CountedExtents::canCall(CallOp call) {
  return takesCountsOf(*findTemplate(call.getCallee()), call.getParams(), analysis) &&
         llvm::all_of(call.getParams(),
                      [&](NamedAttribute param) { return areMultiples(param.getValue()); });
}

bool CountedExtents::runsOnDevice(Operation *op) {
  if (isa<KernelOp, CallOp>(op))
    return canLaunch(op);
  auto isDevice = [](Type type) {
    auto tensor = dyn_cast<SymTensorType>(type);
    return !tensor || tensor.isDevice();
  };
  auto canStore = [&](ArrayRef<Attribute> extents) {
    return llvm::all_of(extents,
                        [&](Attribute extent) { return isBounded(cast<ExtentAttr>(extent)); });
  };
  if (auto loop = dyn_cast<LoopOp>(op); loop && isRepeated(loop))
    return canStore(loop.getInitExtents().getValue()) &&
           llvm::all_of(op->getResultTypes(), isDevice);
  if (auto loop = dyn_cast<LoopOp>(op->getParentOp()); loop && isa<YieldOp>(op))
    return canStore(loop.getNextExtents());
  if (auto definition = dyn_cast<DefineOp>(op))
    return canCompute(definition);
  if (auto view = dyn_cast<ViewOp>(op))
    return isDevice(view.getType()) && !analysis.isOnDevice(view.getOffset());
  return isa<CountOp, EmptyOp>(op) && llvm::all_of(op->getResultTypes(), isDevice);
}

void CountedExtents::forEachDecided(Operation *op, llvm::function_ref<void(StringRef)> visit) {
  auto visitCounts = [&](auto named) {
    for (StringRef symbol : uses.get(named))
      if (analysis.isOnDevice(ExtentAttr::symbol(op->getContext(), symbol)))
        visit(symbol);
  };
  Operation *owner = isa<YieldOp>(op) ? op->getParentOp() : op;
  auto visitExtents = [&](ArrayRef<Attribute> extents) {
    for (auto [number, extent] : llvm::enumerate(extents))
      if (!isCountedSymbol(owner, number) || !isBounded(cast<ExtentAttr>(extent)))
        visitCounts(extent);
  };
  if (auto yield = dyn_cast<YieldOp>(op)) {
    if (ArrayAttr extents = yield.getExtentsAttr())
      visitExtents(extents.getValue());
    return;
  }
  auto loop = dyn_cast<LoopOp>(op);
  if (loop)
    visitExtents(loop.getInitExtents().getValue());
  for (Attribute most : loop ? SmallVector<Attribute>{loop.getTripAttr(), loop.getCountAttr()}
                             : SmallVector<Attribute>{})
    if (most)
      visitCounts(most);
  auto visitHost = [&](Type type) {
    auto tensor = dyn_cast<SymTensorType>(type);
    if (tensor && tensor.isHost())
      visitCounts(type);
  };
  llvm::for_each(op->getResultTypes(), visitHost);
  for (Region &region : op->getRegions())
    llvm::for_each(region.getArgumentTypes(), visitHost);
}

llvm::DenseMap<StringRef, Operation *> CountedExtents::findHostNeeds(func::FuncOp function) {
  llvm::DenseMap<StringRef, Operation *> needed;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isKernel = isa<KernelOp, CallOp>(op);
    Operation *owner = isa<YieldOp>(op) ? op->getParentOp() : op;
    if (isa<IfOp, LoopOp>(owner) && !isRepeated(owner)) {
      forEachDecided(op, [&](StringRef symbol) { needed.try_emplace(symbol, op); });
      return WalkResult::advance();
    }
    bool names = false;
    auto visit = [&](auto found) {
      if (isKernel)
        op->walk([&](Operation *inner) { forEachCounted(inner, found); });
      else
        forEachCounted(op, found);
    };
    visit([&](StringRef) { names = true; });
    if (names && !runsOnDevice(op))
      visit([&](StringRef symbol) { needed.try_emplace(symbol, op); });
    return isKernel ? WalkResult::skip() : WalkResult::advance();
  });
  // An output that the caller has on the host is told on the host.
  Operation *terminator = function.getBody().front().getTerminator();
  for (Type type : terminator->getOperandTypes())
    if (cast<SymTensorType>(type).isHost())
      for (StringRef symbol : uses.get(type))
        needed.try_emplace(symbol, terminator);
  return needed;
}
