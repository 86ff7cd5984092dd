// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/KernelLikeness.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

KernelLikeness::KernelLikeness(const Program &program) : program(program) {
  for (Attribute symbol : getInputSymbols(program.getMain()))
    definitions[cast<SymbolAttr>(symbol).getName()] = cast<SymbolAttr>(symbol);
}

KernelLikeness::Renaming &KernelLikeness::getRenaming(ArrayAttr symbols) {
  std::unique_ptr<Renaming> &renaming = renamings[symbols];
  if (renaming)
    return *renaming;
  renaming = std::make_unique<Renaming>();
  llvm::StringMap<ExtentAttr> positions;
  for (auto [position, name] : llvm::enumerate(symbols.getAsValueRange<StringAttr>()))
    positions[name] = ExtentAttr::symbol(symbols.getContext(), "#" + std::to_string(position));
  renaming->replacer.addReplacement([positions](ExtentAttr extent) -> Attribute {
    return extent.substitute([&](StringRef name) { return positions.lookup(name); });
  });
  for (StringRef name : symbols.getAsValueRange<StringAttr>())
    if (SymbolAttr known = definitions.lookup(name))
      renaming->facts.push_back(renaming->replacer.replace(known.withName("")));
  return *renaming;
}

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

class KernelLikeness::Speller {
public:
  Speller(const Program &program, Renaming &renaming, LaunchNames &names)
      : program(program), renaming(renaming), names(names) {}

  std::vector<Word> spell(host::LaunchOp launch);

private:
  void add(int64_t number) { words.push_back(reinterpret_cast<Word>(number)); }
  void add(Type type) { words.push_back(renaming.replacer.replace(type).getAsOpaquePointer()); }
  void add(Attribute attribute) {
    Attribute renamed = attribute ? renaming.replacer.replace(attribute) : attribute;
    words.push_back(renamed.getAsOpaquePointer());
  }
  void define(Value value) { numbers.try_emplace(value, numbers.size()); }
  void addAlignment(Value value);
  void addOperand(Value value);
  void addAttributes(Operation *op);
  void addOp(Operation *op);
  void addRegions(Operation *op);
  void addKernel(host::LaunchOp launch);

  const Program &program;
  bool isWide = false;
  Renaming &renaming;
  LaunchNames &names;
  std::vector<Word> words;
  llvm::DenseMap<Value, int64_t> numbers;
};

/// Functors with a wide form ask at run time where it is not known, and load weights otherwise.
void KernelLikeness::Speller::addAlignment(Value value) {
  if (!isWide)
    return;
  add(static_cast<int64_t>(program.isAligned(value)));
  add(static_cast<int64_t>(Program::isWeight(value)));
}

void KernelLikeness::Speller::addOperand(Value value) {
  auto [number, isNew] = numbers.try_emplace(value, numbers.size());
  add(number->second);
  if (!isNew)
    return;
  // It comes from outside, where prog.null is what a kernel prints otherwise than a pointer.
  names.values.push_back(value);
  add(value.getType());
  add(static_cast<int64_t>(static_cast<bool>(value.getDefiningOp<prog::NullOp>())));
  addAlignment(value);
}

/// But for how operands divide, which their own words say, and which memory results lie in.
void KernelLikeness::Speller::addAttributes(Operation *op) {
  for (StringAttr name : op->getName().getAttributeNames())
    if (name != "operandSegmentSizes" && name != "ties")
      add(op->getInherentAttr(name).value_or(Attribute()));
}

void KernelLikeness::Speller::addRegions(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      add(static_cast<int64_t>(block.getNumArguments()));
      for (BlockArgument argument : block.getArguments()) {
        define(argument);
        add(argument.getType());
      }
      for (Operation &nested : block)
        addOp(&nested);
      words.push_back(nullptr); // where another op would have its name
    }
}

void KernelLikeness::Speller::addOp(Operation *op) {
  words.push_back(op->getName().getAsOpaquePointer());
  add(static_cast<int64_t>(op->getNumOperands()));
  for (Value operand : op->getOperands())
    addOperand(operand);
  addAttributes(op);
  add(static_cast<int64_t>(op->getNumResults()));
  for (Value result : op->getResults()) {
    define(result);
    add(result.getType());
  }
  addRegions(op);
}

/// As any op, but for the memory that it writes: of that counts only whether there is any, and
/// where it may begin.
void KernelLikeness::Speller::addKernel(host::LaunchOp launch) {
  Operation *op = launch.getKernel();
  words.push_back(op->getName().getAsOpaquePointer());
  auto addOperands = [&](OperandRange operands) {
    add(static_cast<int64_t>(operands.size()));
    for (Value operand : operands)
      addOperand(operand);
  };
  if (auto call = dyn_cast<prog::CallOp>(op)) {
    addOperands(call.getIns());
    addOperands(call.getScalars());
    add(static_cast<int64_t>(static_cast<bool>(call.getMask())));
    if (Value mask = call.getMask())
      addOperand(mask);
  } else {
    addOperands(cast<prog::KernelOp>(op).getIns());
  }
  addAttributes(op);
  add(static_cast<int64_t>(op->getNumResults()));
  for (OpResult result : op->getResults()) {
    define(result);
    names.values.push_back(result);
    add(result.getType());
    add(static_cast<int64_t>(static_cast<bool>(launch.getDestination(result))));
    addAlignment(result);
  }
  addRegions(op);
}

std::vector<const void *> KernelLikeness::Speller::spell(host::LaunchOp launch) {
  for (Value value : launch.getValues())
    add(value.getType());
  for (Attribute fact : renaming.facts)
    words.push_back(fact.getAsOpaquePointer());
  add(Attribute(launch.getStridesAttr()));
  isWide = program.getSide(launch.getKernel()->getResult(0).getType()).kernels->takesWideFunctors;
  addKernel(launch);
  return std::move(words);
}

size_t KernelLikeness::classify(host::LaunchOp launch, LaunchNames &names) {
  names.values.clear();
  names.symbols = llvm::to_vector(launch.getSymbols().getAsValueRange<StringAttr>());
  // A launch that sums up many dims is seldom like another, and dearer to rename than to print.
  constexpr size_t mostSymbols = 64;
  if (names.symbols.size() > mostSymbols)
    return classes.try_emplace({launch.getAsOpaquePointer()}, classes.size()).first->second;
  Renaming &renaming = getRenaming(launch.getSymbols());
  return classes.try_emplace(Speller(program, renaming, names).spell(launch), classes.size())
      .first->second;
}
