// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/KernelNames.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

KernelNames::KernelNames(const Program &program, host::KernelOp kernel)
    : program(program), kernel(kernel) {
  for (StringRef symbol : kernel.getCounted().getAsValueRange<StringAttr>())
    counted.insert(symbol);
  for (StringRef number : kernel.getNumbers().getAsValueRange<StringAttr>())
    numbers[number] = "int64_t";
  kernel.walk([&](SConstantOp constant) {
    if (auto number = constant->getAttrOfType<StringAttr>("host.number"))
      numbers[number.getValue()] = getCppType(constant.getType())->name;
  });
}

void KernelNames::add(Value value, bool isWritten) {
  if (names.contains(value) || value.getDefiningOp<NullOp>())
    return;
  arguments.push_back(value);
  if (isWritten)
    written.insert(value);
  names[value] = scope.add(getBase(value));
}

StringRef KernelNames::getBase(Value value) const {
  StringRef name = host::getName(value);
  return name.empty() ? "t" : name;
}

StringRef KernelNames::getBase(StringRef symbol) const {
  return numbers.contains(symbol) ? symbol.rtrim("0123456789").rtrim('_') : symbol;
}

Code KernelNames::get(StringRef symbol) {
  Code &name = symbolNames[symbol];
  if (!name.empty())
    return name;
  if (!numbers.contains(symbol))
    symbols.push_back(symbol);
  return name = scope.add(getBase(symbol));
}

bool KernelNames::isCounted(ExtentAttr extent) const {
  llvm::SetVector<StringRef> named;
  extent.collectSymbols(named);
  return llvm::any_of(named, [&](StringRef symbol) { return isCounted(symbol); });
}

Code KernelNames::get(ExtentAttr extent) {
  return getExtentCode(extent, [&](StringRef symbol) { return get(symbol); });
}

SmallVector<Code> KernelNames::getNumberParameters() {
  SmallVector<Code> parameters;
  for (StringRef number : kernel.getNumbers().getAsValueRange<StringAttr>())
    parameters.push_back(numbers.lookup(number) + " " + get(number));
  return parameters;
}

bool KernelNames::isAligned(Value value) {
  host::Memory memory = kernel.getMemoryOf(value);
  return memory == host::Memory::Aligned || memory == host::Memory::Weight;
}

bool KernelNames::isWeight(Value value) {
  host::Memory memory = kernel.getMemoryOf(value);
  return memory == host::Memory::UnalignedWeight || memory == host::Memory::Weight;
}
