// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/CountedExtents.h"

#include "Dialect/Core/IR/CountedBranches.h"
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
  auto add = [&](SymTensorType tensor) {
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
  walkOutsideKernels(function, [&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<SymTensorType>(type); tensor && tensor.isDevice())
        add(tensor);
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
    return llvm::all_of((*extent.getTerms().begin()).factors, fits);
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
  llvm::SetVector<ExtentAttr> viewed;
  walkOutsideKernels(function, [&](Operation *op) {
    for (Type type : op->getResultTypes())
      walker.walk(type);
    if (auto kernel = dyn_cast<KernelOp>(op))
      walker.walk(kernel.getExtents());
    if (auto call = dyn_cast<CallOp>(op))
      for (NamedAttribute param : call.getParams())
        walker.walk(param.getValue());
  });
  // A view of all elements may say an extent as a part of another, in which it would no longer be
  // found.
  walkOutsideKernels(function, [&](ViewOp view) {
    auto source = cast<SymTensorType>(view.getSource().getType());
    SymTensorType result = view.getType();
    if (source.getNumElements() != result.getNumElements())
      return;
    SmallVector<ExtentAttr> sides[2];
    for (auto [side, type] : llvm::zip_equal(sides, std::array{source, result}))
      for (ExtentAttr extent : type.getExtents())
        if (analysis.isOnDevice(extent) && !isMultiple(extent))
          side.push_back(extent);
    if (!llvm::equal(sides[0], sides[1]))
      for (ArrayRef<ExtentAttr> side : sides)
        viewed.insert_range(side);
  });
  found.remove_if([&](ExtentAttr extent) { return viewed.contains(extent); });
  return found;
}

std::optional<Operation *> CountedExtents::findDefiner(ExtentAttr extent) const {
  llvm::SetVector<StringRef> symbols;
  extent.collectSymbols(symbols);
  Operation *last = nullptr;
  for (StringRef symbol : symbols) {
    Operation *definer = analysis.getDefiner(symbol);
    if (!definer) // a dim of an input
      continue;
    bool isDefinition = isa<CountOp, DefineOp, BindOp>(definer) || isCounted(definer);
    if (!isDefinition || !isa<func::FuncOp>(definer->getParentOp()))
      return std::nullopt;
    if (!last || last->isBeforeInBlock(definer))
      last = definer;
  }
  return last;
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

bool CountedExtents::namesCount(Attribute attribute) {
  bool names = false;
  AttrTypeWalker walker;
  walker.addWalk([&](ExtentAttr extent) { names |= analysis.isOnDevice(extent); });
  walker.walk(attribute);
  return names;
}

bool CountedExtents::canCall(CallOp call) {
  const KernelTemplate &kernel = *findTemplate(call.getCallee());
  SmallVector<ExtentAttr> counted;
  AttrTypeWalker walker;
  walker.addWalk([&](ExtentAttr extent) {
    if (analysis.isOnDevice(extent))
      counted.push_back(extent);
  });
  walker.walk(call.getParams());
  // Scratch is sized by p, of which each member says the most that it can be on its own.
  bool isTooLarge = kernel.takesDeviceScratch && analysis.areBoundedTogether(counted);
  return (counted.empty() || kernel.takesCounts) && !isTooLarge &&
         llvm::all_of(call.getParams(), [&](NamedAttribute param) {
           return areMultiples(param.getValue()) &&
                  !(namesCount(param.getValue()) && kernel.findParam(param.getName())->isHostOnly);
         });
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
  if (auto loop = dyn_cast<LoopOp>(op->getParentOp()); loop && isRepeated(loop) && isa<YieldOp>(op))
    return canStore(loop.getNextExtents());
  if (auto branch = dyn_cast<IfOp>(op); branch && isCounted(branch))
    return canStore(branch.getThenExtents()) && canStore(branch.getElseExtents()) &&
           llvm::all_of(op->getResultTypes(), isDevice);
  if (isa<YieldOp>(op) && isa<IfOp>(op->getParentOp()) && isCounted(op->getParentOp()))
    return true; // as its branch does
  // A region's results and arguments may have counted extents, as long as it decides none of them.
  if (isa<IfOp, LoopOp>(op)) {
    bool decides = false;
    for (NamedAttribute attribute : op->getAttrs())
      for (StringRef symbol : uses.get(attribute.getValue()))
        decides |= analysis.isOnDevice(ExtentAttr::symbol(op->getContext(), symbol));
    return !decides && llvm::all_of(op->getResultTypes(), isDevice) &&
           llvm::all_of(op->getRegions(), [&](Region &region) {
             return llvm::all_of(region.getArgumentTypes(), isDevice);
           });
  }
  if (auto definition = dyn_cast<DefineOp>(op))
    return canCompute(definition);
  if (auto view = dyn_cast<ViewOp>(op))
    return isDevice(view.getType()) && !analysis.isOnDevice(view.getOffset());
  return isa<CountOp, EmptyOp>(op) && llvm::all_of(op->getResultTypes(), isDevice);
}

llvm::DenseMap<StringRef, Operation *> CountedExtents::findHostNeeds(func::FuncOp function) {
  llvm::DenseMap<StringRef, Operation *> needed;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isKernel = isa<KernelOp, CallOp>(op);
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
  // What the caller has on the host it is told on the host.
  Operation *terminator = function.getBody().front().getTerminator();
  for (Type type : terminator->getOperandTypes())
    if (cast<SymTensorType>(type).isHost())
      for (StringRef symbol : uses.get(type))
        needed.try_emplace(symbol, terminator);
  return needed;
}
