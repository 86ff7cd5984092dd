// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Finish/KernelSpelling.h"

#include "Dialect/Prog/IR/ElementOffset.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

StringRef KernelNumber::getBase() const {
  static constexpr StringLiteral bases[] = {"bytes", "offset", "stride", "number"};
  bool isBound = kind == Kind::Constant && op->hasAttr("host.opaque");
  return isBound ? StringRef("bound") : StringRef(bases[static_cast<unsigned>(kind)]);
}

void KernelNumber::replaceBy(host::KernelOp kernel, StringAttr symbol) const {
  auto extent = ExtentAttr::symbol(symbol.getContext(), symbol.getValue());
  if (kind == Kind::Constant) {
    op->setAttr("host.number", symbol);
  } else if (kind == Kind::Span) {
    SmallVector<Attribute> spans(kernel.getSpans().getValue());
    spans[number] = extent;
    kernel.setSpansAttr(ArrayAttr::get(symbol.getContext(), spans));
  } else {
    auto body = cast<BodyOpInterface>(op);
    SmallVector<ElementOffset> offsets = getOffsets(body);
    (kind == Kind::Offset ? offsets[number].constant : offsets[number].terms[term].scale) = extent;
    setOffsets(body, offsets, body.getIndexRank());
  }
}

namespace {

class Speller {
public:
  Speller(host::KernelOp kernel, const SymbolFacts &facts);

  KernelSpelling spell() &&;

private:
  void add(const void *word) { spelling.words.push_back(word); }
  void add(int64_t number) { add(reinterpret_cast<const void *>(number)); }
  void add(Type type) { add(type.getAsOpaquePointer()); }
  /// Symbols are known by the order in which they come.
  void add(Attribute attribute);
  void addAttributes(Operation *op);
  void addTensor(Type type);
  void addOperand(Value value);
  void addArguments();
  void addResults();
  void addOffset(const ElementOffset &offset, Operation *body, unsigned number);
  void addAtom(AffineExpr atom, ArrayRef<Attribute> symbols);
  void addScalar(Operation *op);
  void addMemories(BodyOpInterface body);
  void addBody(BodyOpInterface body);
  void addSpans();
  void addFacts();
  void addNumber(KernelNumber::Kind kind, Attribute value, Operation *op, unsigned number = 0,
                 unsigned term = 0) {
    add(nullptr);
    spelling.numbers.push_back({kind, value, op, number, term});
  }
  /// A number where the extent is a constant.
  void addNumber(KernelNumber::Kind kind, ExtentAttr extent, Operation *op, unsigned number,
                 unsigned term = 0);

  host::KernelOp kernel;
  const SymbolFacts &facts;
  AttrTypeReplacer replacer;
  llvm::StringMap<ExtentAttr> positions;
  /// The numbers of values of the body.
  llvm::DenseMap<Value, int64_t> defined;
  bool goesByFacts = false;
  KernelSpelling spelling;
};

} // namespace

Speller::Speller(host::KernelOp kernel, const SymbolFacts &facts) : kernel(kernel), facts(facts) {
  replacer.addReplacement([this](ExtentAttr extent) -> Attribute {
    return extent.substitute([&](StringRef name) { return positions.lookup(name); });
  });
}

void Speller::add(Attribute attribute) {
  if (!attribute)
    return add(nullptr);
  attribute.walk([&](ExtentAttr extent) {
    llvm::SetVector<StringRef> named;
    extent.collectSymbols(named);
    for (StringRef symbol : named) {
      auto position = "#" + std::to_string(spelling.symbols.size());
      if (positions.try_emplace(symbol, ExtentAttr::symbol(extent.getContext(), position)).second)
        spelling.symbols.push_back(symbol);
    }
  });
  add(replacer.replace(attribute).getAsOpaquePointer());
}

/// But for how operands divide and where results lie, which are told apart otherwise, and maps.
void Speller::addAttributes(Operation *op) {
  for (StringAttr name : op->getName().getAttributeNames())
    if (!llvm::is_contained({"operandSegmentSizes", "ties", "in_maps", "out_maps", "map_symbols"},
                            name.getValue()))
      add(op->getInherentAttr(name).value_or(Attribute()));
  add(Attribute(op->getDiscardableAttrDictionary()));
}

/// The elements that a pointer to a tensor points to.
void Speller::addTensor(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  add(tensor ? tensor.getElementType() : type);
  add(tensor ? 1 + static_cast<int64_t>(tensor.isPacked()) : 0);
}

void Speller::addOperand(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == &kernel.getBody().front())
    return add(static_cast<int64_t>(argument.getArgNumber()));
  if (auto known = defined.find(value); known != defined.end())
    return add(-1 - known->second);
  add(value.getDefiningOp()->getName().getAsOpaquePointer()); // prog.null
  addTensor(value.getType());
}

void Speller::addArguments() {
  for (BlockArgument argument : kernel.getBody().getArguments())
    addTensor(argument.getType());
  add(static_cast<int64_t>(kernel.getStrides().has_value()));
}

void Speller::addResults() {
  for (OpResult result : kernel.getKernel()->getResults()) {
    BlockArgument argument = kernel.getArgumentOf(result);
    add(argument ? static_cast<int64_t>(argument.getArgNumber()) : -1);
    addTensor(result.getType());
  }
}

void Speller::addNumber(KernelNumber::Kind kind, ExtentAttr extent, Operation *op, unsigned number,
                        unsigned term) {
  std::optional<int64_t> constant = extent.getConstant();
  if (!constant)
    return add(extent);
  addNumber(kind, Builder(op->getContext()).getI64IntegerAttr(*constant), op, number, term);
}

/// An expression that is not linear in the dims, its symbols by their order.
void Speller::addAtom(AffineExpr atom, ArrayRef<Attribute> symbols) {
  SmallVector<AffineExpr> renumbered(symbols.size());
  SmallVector<Attribute> named;
  atom.walk([&](AffineExpr expr) {
    auto symbol = dyn_cast<AffineSymbolExpr>(expr);
    if (!symbol || renumbered[symbol.getPosition()])
      return;
    renumbered[symbol.getPosition()] = getAffineSymbolExpr(named.size(), expr.getContext());
    named.push_back(symbols[symbol.getPosition()]);
  });
  add(atom.replaceSymbols(renumbered).getImpl());
  for (Attribute extent : named)
    add(extent);
  goesByFacts |= !isa<AffineDimExpr>(atom);
}

void Speller::addOffset(const ElementOffset &offset, Operation *body, unsigned number) {
  ArrayRef<Attribute> symbols = cast<BodyOpInterface>(body).getMapSymbolExtents();
  add(static_cast<int64_t>(offset.terms.size()));
  for (auto [term, part] : llvm::enumerate(offset.terms)) {
    addAtom(part.atom, symbols);
    auto dim = dyn_cast<AffineDimExpr>(part.atom);
    if (offset.terms.size() > 1 && dim && dim.getPosition() == 0)
      addNumber(KernelNumber::Kind::Stride, part.scale, body, number, term);
    else
      add(part.scale);
  }
  addNumber(KernelNumber::Kind::Offset, offset.constant, body, number);
}

void Speller::addScalar(Operation *op) {
  add(op->getName().getAsOpaquePointer());
  for (Value operand : op->getOperands())
    addOperand(operand);
  // The instructions for an integer operation, a division say, may depend on its value.
  auto constant = dyn_cast<SConstantOp>(op);
  if (constant && (constant.getType().isF32() || constant.getType().isF64())) {
    addNumber(KernelNumber::Kind::Constant, constant.getValue(), op);
    add(Attribute(op->getDiscardableAttrDictionary()));
  } else {
    addAttributes(op);
  }
  for (Value result : op->getResults()) {
    defined.try_emplace(result, defined.size());
    add(result.getType());
  }
}

/// A wide form goes by the memory of each line.
void Speller::addMemories(BodyOpInterface body) {
  auto wide = body->getAttrOfType<host::WideAttr>("host.wide");
  if (!wide)
    return;
  for (auto [input, isLine] : llvm::zip_equal(body.getBodyInputs(), wide.getLines().asArrayRef()))
    if (isLine)
      add(static_cast<int64_t>(kernel.getMemoryOf(input)));
  for (Value result : body.getStoredResults())
    add(static_cast<int64_t>(kernel.getMemoryOf(result)));
}

void Speller::addBody(BodyOpInterface body) {
  Block &block = *body.getBodyBlock();
  for (BlockArgument argument : block.getArguments()) {
    defined.try_emplace(argument, defined.size());
    add(argument.getType());
  }
  SmallVector<ElementOffset> offsets = getOffsets(body);
  unsigned leading = body.getNumTemplateValues();
  OperandRange inputs = body.getBodyInputs();
  for (auto [number, input] : llvm::enumerate(inputs)) {
    addOperand(input);
    if (isa<SymTensorType>(input.getType()) && !block.getArgument(leading + number).use_empty())
      addOffset(offsets[number], body, number);
  }
  for (Operation &op : block)
    if (!op.use_empty() || op.hasTrait<OpTrait::IsTerminator>())
      addScalar(&op);
  for (size_t number = inputs.size(); number < offsets.size(); ++number)
    addOffset(offsets[number], body, number);
  if (Attribute form = body->getAttr("host.crosswise"))
    add(form);
  addMemories(body);
}

/// In the order of the function's parameters: what is read, then what is written.
void Speller::addSpans() {
  llvm::SmallSetVector<unsigned, 8> arguments;
  for (Value input : kernel.getInputs())
    if (auto argument = dyn_cast<BlockArgument>(input);
        argument && isa<SymTensorType>(input.getType()))
      arguments.insert(argument.getArgNumber());
  for (OpResult result : kernel.getKernel()->getResults())
    if (BlockArgument argument = kernel.getArgumentOf(result))
      arguments.insert(argument.getArgNumber());
  for (unsigned number : arguments)
    addNumber(KernelNumber::Kind::Span, cast<ExtentAttr>(kernel.getSpans()[number]), kernel,
              number);
}

void Speller::addFacts() {
  auto counted = kernel.getCounted().getAsValueRange<StringAttr>();
  for (StringRef symbol : SmallVector<StringRef>(spelling.symbols)) {
    add(static_cast<int64_t>(llvm::is_contained(counted, symbol)));
    if (SymbolAttr known = facts.lookup(symbol); known && goesByFacts)
      add(replacer.replace(known.withName("")).getAsOpaquePointer());
  }
}

KernelSpelling Speller::spell() && {
  Operation *op = kernel.getKernel();
  add(op->getName().getAsOpaquePointer());
  add(static_cast<int64_t>(kernel.getSide()));
  addArguments();
  addResults();
  addAttributes(op);
  if (auto body = dyn_cast<BodyOpInterface>(op)) {
    addBody(body);
  } else {
    auto call = cast<CallOp>(op);
    for (Value input : call.getIns())
      addOperand(input);
    for (Value scalar : call.getScalars())
      addOperand(scalar);
    add(static_cast<int64_t>(static_cast<bool>(call.getMask())));
    if (Value mask = call.getMask())
      addOperand(mask);
    for (Operation &functor : call.getFunctors().front()) {
      add(functor.getName().getAsOpaquePointer());
      addAttributes(&functor);
      addBody(cast<BodyOpInterface>(functor));
    }
  }
  addSpans();
  addFacts();
  return std::move(spelling);
}

KernelSpelling cameo::spellKernel(host::KernelOp kernel, const SymbolFacts &facts) {
  return Speller(kernel, facts).spell();
}
