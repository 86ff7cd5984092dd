// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Core/IR/FixedExtents.h"

using namespace cameo::core;

ExtentAttr cameo::core::replaceFixed(ExtentAttr extent, const ExtentFacts &facts) {
  mlir::MLIRContext *context = extent.getContext();
  llvm::SetVector<llvm::StringRef> symbols;
  extent.collectSymbols(symbols);
  ExtentFacts fixed;
  for (llvm::StringRef symbol : symbols) {
    std::optional<int64_t> value = range(ExtentAttr::symbol(context, symbol), facts).constant();
    if (value && *value >= 0)
      (void)fixed.setEqual(symbol, ExtentAttr::constant(context, *value));
  }
  return fixed.resolve(extent);
}
