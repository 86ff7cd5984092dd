// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Core/IR/SymbolRenaming.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace cameo::core;

SymbolRenaming::SymbolRenaming(Operation *function) {
  for (Attribute symbol : getInputSymbols(function))
    taken.insert(cast<SymbolAttr>(symbol).getName());
  function->walk([&](SymbolDefiningOp op) {
    op.visitSymbols(
        [&](const SymbolDefinition &definition) { taken.insert(definition.symbol.getName()); });
  });
}

StringAttr SymbolRenaming::getFresh(StringAttr name) {
  std::string fresh = name.str();
  for (unsigned &number = numbers[name]; !taken.insert(fresh).second;)
    fresh = (name.getValue() + "_" + Twine(++number)).str();
  return StringAttr::get(name.getContext(), fresh);
}

void SymbolRenaming::renameDefinedIn(Operation *op) { renameDefinedIn(ArrayRef(op)); }

void SymbolRenaming::renameDefinedIn(ArrayRef<Operation *> ops) {
  llvm::DenseMap<StringRef, StringAttr> names;
  for (Operation *op : ops)
    op->walk([&](SymbolDefiningOp definer) {
      definer.visitSymbols([&](const SymbolDefinition &definition) {
        names[definition.symbol.getName()] = getFresh(definition.symbol.getNameAttr());
      });
    });
  if (names.empty())
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ExtentAttr extent) -> Attribute {
    return extent.substitute([&](StringRef name) {
      StringAttr fresh = names.lookup(name);
      return fresh ? ExtentAttr::symbol(extent.getContext(), fresh) : ExtentAttr();
    });
  });
  replacer.addReplacement([&](SymbolAttr symbol) -> std::optional<Attribute> {
    StringAttr fresh = names.lookup(symbol.getName());
    return fresh ? std::optional<Attribute>(symbol.withName(fresh)) : std::nullopt;
  });
  for (Operation *op : ops)
    replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
}
