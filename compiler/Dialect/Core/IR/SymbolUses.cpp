// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who names symbols, and whether each has a value there.

#include "Dialect/Core/IR/SymbolAnalysis.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace cameo::core;

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

ArrayRef<StringRef> SymbolUses::find(const void *key,
                                     llvm::function_ref<void(AttrTypeWalker &)> walk) {
  auto found = uses.find(key);
  if (found != uses.end())
    return found->second;
  llvm::SetVector<StringRef> names;
  AttrTypeWalker walker;
  walker.addWalk([&](ExtentAttr extent) { extent.collectSymbols(names); });
  walk(walker);
  return uses[key] = llvm::to_vector<2>(names);
}

ArrayRef<StringRef> SymbolUses::get(Type type) {
  return find(type.getAsOpaquePointer(), [&](AttrTypeWalker &walker) { walker.walk(type); });
}

/// Whether an attribute, as most are, holds nothing but numbers and text.
static bool isPlain(Attribute attribute) {
  return isa<IntegerAttr, FloatAttr, StringAttr, UnitAttr, AffineMapAttr, DenseArrayAttr,
             ElementsAttr>(attribute);
}

ArrayRef<StringRef> SymbolUses::get(Attribute attribute) {
  if (isPlain(attribute))
    return {};
  return find(attribute.getAsOpaquePointer(),
              [&](AttrTypeWalker &walker) { walker.walk(attribute); });
}

/// Calls `visit` with the attributes of an op: one by one, since all of them together would be a
/// dictionary that is made and kept for every op.
static void forEachAttribute(Operation *op, llvm::function_ref<void(Attribute)> visit) {
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    visit(attribute.getValue());
  if (op->getPropertiesStorageSize() == 0)
    return;
  for (StringAttr name : op->getName().getAttributeNames())
    if (Attribute attribute = op->getInherentAttr(name).value_or(Attribute()))
      visit(attribute);
}

void SymbolUses::forEach(Operation *op, llvm::function_ref<void(StringRef)> visit) {
  for (Type type : op->getResultTypes())
    llvm::for_each(get(type), visit);
  for (Region &region : op->getRegions())
    for (Type type : region.getArgumentTypes())
      llvm::for_each(get(type), visit);
  forEachAttribute(op, [&](Attribute attribute) { llvm::for_each(get(attribute), visit); });
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

namespace {

/// Walks a function in order, with the symbols that have a value where it is.
class SymbolVerifier {
public:
  LogicalResult run(Operation *function) {
    SmallVector<StringRef> own;
    for (Attribute symbol : getInputSymbols(function))
      own.push_back(cast<SymbolAttr>(symbol).getName());
    defined.insert(own.begin(), own.end());
    return visitRegion(function->getRegion(0), own);
  }

private:
  LogicalResult visitRegion(Region &region, ArrayRef<StringRef> inside);
  LogicalResult visit(Operation *op);
  template <class Element> LogicalResult check(Operation *op, Element element);

  SymbolUses uses;
  llvm::DenseSet<StringRef> known, defined;
  /// The symbols that end with the block that is being visited.
  SmallVector<StringRef> local;
};

LogicalResult SymbolVerifier::visitRegion(Region &region, ArrayRef<StringRef> inside) {
  for (Block &block : region) {
    size_t outer = local.size();
    for (StringRef symbol : inside)
      if (known.insert(symbol).second)
        local.push_back(symbol);
    for (Type type : block.getArgumentTypes())
      if (failed(check(region.getParentOp(), type)))
        return failure();
    for (Operation &op : block)
      if (failed(visit(&op)))
        return failure();
    for (; local.size() > outer; local.pop_back())
      known.erase(local.back());
  }
  return success();
}

LogicalResult SymbolVerifier::visit(Operation *op) {
  SmallVector<StringRef> inside, behind;
  StringRef twice;
  if (auto definer = dyn_cast<SymbolDefiningOp>(op))
    definer.visitSymbols([&](const SymbolDefinition &definition) {
      StringRef name = definition.symbol.getName();
      if (!defined.insert(name).second && twice.empty())
        twice = name;
      if (definition.scope != SymbolScope::Behind)
        inside.push_back(name);
      if (definition.scope != SymbolScope::Inside)
        behind.push_back(name);
    });
  if (!twice.empty())
    return op->emitOpError() << "defines symbol '" << twice << "', which another op defines too";
  LogicalResult result = success();
  forEachAttribute(op, [&](Attribute attribute) {
    if (succeeded(result))
      result = check(op, attribute);
  });
  if (failed(result))
    return failure();
  for (Region &region : op->getRegions())
    if (failed(visitRegion(region, inside)))
      return failure();
  for (StringRef symbol : behind)
    if (known.insert(symbol).second)
      local.push_back(symbol);
  for (Type type : op->getResultTypes())
    if (failed(check(op, type)))
      return failure();
  return success();
}

template <class Element> LogicalResult SymbolVerifier::check(Operation *op, Element element) {
  for (StringRef symbol : uses.get(element))
    if (!known.contains(symbol))
      return op->emitOpError() << "names symbol '" << symbol << "', which has no value here";
  return success();
}

} // namespace

LogicalResult cameo::core::verifySymbols(Operation *function) {
  return SymbolVerifier().run(function);
}

void cameo::core::eraseUnusedSymbols(Operation *function) {
  SymbolUses uses;
  llvm::DenseSet<StringRef> used;
  auto use = [&](StringRef symbol) { used.insert(symbol); };
  auto isUnused = [&](Operation *op) {
    auto definer = dyn_cast<SymbolDefiningOp>(op);
    if (!definer || definer.isCheck() || op->getNumResults() != 0 || op->getNumRegions() != 0)
      return false;
    bool isUsed = false;
    definer.visitSymbols([&](const SymbolDefinition &definition) {
      isUsed |= used.contains(definition.symbol.getName());
    });
    return !isUsed;
  };
  // Backward: what only an unused definition names is not used.
  function->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (isUnused(op))
      op->erase();
    else
      uses.forEach(op, use);
  });
}
