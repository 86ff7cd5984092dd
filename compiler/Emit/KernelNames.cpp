// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/KernelNames.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

void KernelNames::add(Value value, bool isWritten) {
  if (names.contains(value) || value.getDefiningOp<NullOp>())
    return;
  arguments.push_back(value);
  if (isWritten)
    written.insert(value);
  names[value] = scope.add(getBase(value));
}

std::string KernelNames::getBase(Value value) const {
  if (anonymous)
    return "v" + std::to_string(llvm::find(arguments, value) - arguments.begin());
  StringRef name = host::getName(value);
  return name.empty() ? "t" : name.str();
}

std::string KernelNames::getBase(StringRef symbol) {
  auto [known, isNew] = positions.try_emplace(symbol, symbols.size());
  if (isNew)
    symbols.push_back(symbol);
  return anonymous ? "s" + std::to_string(known->second) : symbol.str();
}

Code KernelNames::get(StringRef symbol) {
  Code &name = symbolNames[symbol];
  if (name.empty())
    name = scope.add(getBase(symbol));
  return name;
}

bool KernelNames::isCounted(ExtentAttr extent) const {
  llvm::SetVector<StringRef> named;
  extent.collectSymbols(named);
  return llvm::any_of(named, [&](StringRef symbol) { return isCounted(symbol); });
}

Code KernelNames::get(ExtentAttr extent) {
  return getExtentCode(extent, [&](StringRef symbol) { return get(symbol); });
}

Code KernelNames::getNumber(StringRef base, const Code &type, const Code &literal) {
  size_t position = numbers.size();
  numbers.push_back(literal);
  if (!anonymous && (position >= isParameter.size() || !isParameter.test(position)))
    return literal;
  Code name = scope.add(anonymous ? "n" + std::to_string(position) : base.str());
  numberParameters.push_back(type + " " + name);
  return name;
}
