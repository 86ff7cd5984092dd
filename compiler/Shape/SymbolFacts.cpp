// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Shape/SymbolFacts.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace {
constexpr StringLiteral kSymbols = "cameo.symbols";
}

ExtentFacts cameo::readSymbolFacts(Operation *function) {
  return ExtentFacts(function->getAttrOfType<DictionaryAttr>(kSymbols));
}

void cameo::writeSymbolFacts(Operation *function, const ExtentFacts &facts,
                             ArrayRef<StringRef> symbols) {
  function->setAttr(kSymbols, facts.write(function->getContext(), symbols));
}
