// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/SymbolValues.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::host;

bool SymbolValues::isKnown(StringRef symbol) const {
  Value value = lookup(symbol);
  return value && !isa<CountedType>(value.getType());
}

bool SymbolValues::areKnown(ExtentAttr extent, Block *block) const {
  llvm::SetVector<StringRef> named;
  extent.collectSymbols(named);
  return llvm::all_of(named, [&](StringRef symbol) {
    return isKnown(symbol) && (!block || lookup(symbol).getParentBlock() == block);
  });
}

Value SymbolValues::evaluate(OpBuilder &builder, Location location, ExtentAttr extent) const {
  if (extent.isSymbol())
    return lookup(extent.getSymbolName());
  llvm::SetVector<StringRef> named;
  extent.collectSymbols(named);
  SmallVector<Value> values;
  for (StringRef symbol : named)
    values.push_back(lookup(symbol));
  return EvaluateOp::create(builder, location, extent, values);
}

SmallVector<Value> SymbolValues::evaluate(OpBuilder &builder, Location location,
                                          ArrayRef<ExtentAttr> extents) const {
  return llvm::map_to_vector(
      extents, [&](ExtentAttr extent) { return evaluate(builder, location, extent); });
}
