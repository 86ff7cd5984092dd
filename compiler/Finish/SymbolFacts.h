// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts of a program's symbols, by name: they decide how an index prints.

#ifndef CAMEO_FINISH_SYMBOLFACTS_H
#define CAMEO_FINISH_SYMBOLFACTS_H

#include "Dialect/Core/IR/SymbolAnalysis.h"

namespace cameo {

using SymbolFacts = llvm::DenseMap<llvm::StringRef, core::SymbolAttr>;

inline SymbolFacts findSymbolFacts(mlir::Operation *main) {
  SymbolFacts facts;
  for (mlir::Attribute symbol : core::getInputSymbols(main))
    facts[llvm::cast<core::SymbolAttr>(symbol).getName()] = llvm::cast<core::SymbolAttr>(symbol);
  return facts;
}

} // namespace cameo

#endif // CAMEO_FINISH_SYMBOLFACTS_H
