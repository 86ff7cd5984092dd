// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Finish/KernelLikeness.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

KernelLikeness::KernelLikeness(func::FuncOp main, const LaunchMemory &memory)
    : memory(memory), facts(findSymbolFacts(main)) {}

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
    if (SymbolAttr known = facts.lookup(name))
      renaming->facts.push_back(renaming->replacer.replace(known.withName("")));
  return *renaming;
}

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

class KernelLikeness::Speller {
public:
  /// `renaming` may be null: symbols stay what they are called.
  Speller(const LaunchMemory &memory, Renaming *renaming, LaunchNames &names)
      : memory(memory), renaming(renaming), names(names) {}

  std::vector<Word> spell(host::LaunchOp launch);

private:
  void add(int64_t number) { words.push_back(reinterpret_cast<Word>(number)); }
  void add(Type type) {
    words.push_back((renaming ? renaming->replacer.replace(type) : type).getAsOpaquePointer());
  }
  void add(Attribute attribute) {
    bool isRenamed = renaming && attribute;
    words.push_back(
        (isRenamed ? renaming->replacer.replace(attribute) : attribute).getAsOpaquePointer());
  }
  void define(Value value) { numbers.try_emplace(value, numbers.size()); }
  void addMemory(host::Memory known) {
    if (isMemoryKnown)
      add(static_cast<int64_t>(known));
  }
  void addOperand(Value value);
  void addAttributes(Operation *op);
  void addOp(Operation *op);
  void addRegions(Operation *op);
  void addKernel(host::LaunchOp launch);

  const LaunchMemory &memory;
  bool isMemoryKnown = false;
  Renaming *renaming;
  LaunchNames &names;
  std::vector<Word> words;
  llvm::DenseMap<Value, int64_t> numbers;
};

void KernelLikeness::Speller::addOperand(Value value) {
  auto [number, isNew] = numbers.try_emplace(value, numbers.size());
  add(number->second);
  if (!isNew)
    return;
  // It comes from outside, where prog.null is no argument.
  names.values.push_back(value);
  add(value.getType());
  add(static_cast<int64_t>(static_cast<bool>(value.getDefiningOp<prog::NullOp>())));
  addMemory(memory.get(value));
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
    addMemory(memory.get(launch, result));
  }
  addRegions(op);
}

std::vector<const void *> KernelLikeness::Speller::spell(host::LaunchOp launch) {
  for (Value value : launch.getValues())
    add(value.getType());
  if (renaming)
    for (Attribute fact : renaming->facts)
      words.push_back(fact.getAsOpaquePointer());
  else
    words.push_back(launch.getAsOpaquePointer());
  add(Attribute(launch.getStridesAttr()));
  auto type = cast<SymTensorType>(launch.getKernel()->getResult(0).getType());
  isMemoryKnown = memory.matters(type.getSide());
  addKernel(launch);
  return std::move(words);
}

size_t KernelLikeness::classify(host::LaunchOp launch, LaunchNames &names) {
  names.values.clear();
  names.symbols = llvm::to_vector(launch.getSymbols().getAsValueRange<StringAttr>());
  // A launch that sums up many dims is seldom like another, and dear to rename.
  constexpr size_t mostSymbols = 64;
  Renaming *renaming =
      names.symbols.size() <= mostSymbols ? &getRenaming(launch.getSymbols()) : nullptr;
  return classes.try_emplace(Speller(memory, renaming, names).spell(launch), classes.size())
      .first->second;
}
