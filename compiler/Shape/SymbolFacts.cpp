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
  ExtentFacts facts;
  auto symbols = function->getAttrOfType<DictionaryAttr>(kSymbols);
  for (NamedAttribute symbol : symbols ? symbols.getValue() : ArrayRef<NamedAttribute>()) {
    ArrayRef<int64_t> fact = cast<DenseI64ArrayAttr>(symbol.getValue()).asArrayRef();
    facts.setRange(symbol.getName(), fact[0], fact[1]);
    facts.addDivisor(symbol.getName(), fact[2]);
  }
  return facts;
}

void cameo::writeSymbolFacts(Operation *function, const ExtentFacts &facts,
                             ArrayRef<StringRef> symbols) {
  SmallVector<NamedAttribute> entries;
  for (StringRef symbol : symbols) {
    SymbolFact fact = facts.lookup(symbol);
    entries.emplace_back(
        StringAttr::get(function->getContext(), symbol),
        DenseI64ArrayAttr::get(function->getContext(), {fact.min, fact.max, fact.divisor}));
  }
  function->setAttr(kSymbols, DictionaryAttr::get(function->getContext(), entries));
}
