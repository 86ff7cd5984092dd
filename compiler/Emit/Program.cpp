// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/Program.h"

#include "Shape/SymbolFacts.h"
#include "Support/NodeLocation.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

FailureOr<Program> Program::analyze(ModuleOp module, const EmitOptions &options) {
  Program program;
  program.options = &options;
  program.main = module.lookupSymbol<func::FuncOp>("main");
  if (!program.main || program.main.isExternal())
    return module.emitError("has no function @main to print"), failure();
  program.facts = readSymbolFacts(program.main);
  if (failed(program.readPorts()) || failed(program.readBuffers()))
    return failure();
  program.findEntryOps();
  program.findCapacities();
  program.findNodes();
  return program;
}

LogicalResult Program::readPorts() {
  auto read = [&](SmallVectorImpl<PortInfo> &ports, Type type, Attribute name,
                  StringRef kind) -> LogicalResult {
    auto tensor = dyn_cast<SymTensorType>(type);
    unsigned number = ports.size();
    bool isPacked = tensor && tensor.getElementType().isIntOrFloat() &&
                    tensor.getElementType().getIntOrFloatBitWidth() < 8 &&
                    !tensor.getElementType().isInteger(1);
    if (!tensor || !tensor.hasRank() || !getCppType(tensor.getElementType()) || isPacked)
      return main.emitError(kind) << " " << number << " has the type " << type
                                  << ", which cannot be printed";
    for (ExtentAttr extent : tensor.getExtents())
      if (extent.isUnknown())
        return main.emitError(kind) << " " << number << " has an extent that nothing determines";
    auto text = dyn_cast_or_null<StringAttr>(name);
    std::string fallback = kind.str() + "_" + std::to_string(number);
    ports.push_back({text ? text.str() : fallback, tensor, {}, {}});
    return success();
  };
  for (unsigned number = 0; number < main.getNumArguments(); ++number) {
    if (failed(read(inputs, main.getArgumentTypes()[number], main.getArgAttr(number, "onnx.name"),
                    "input")))
      return failure();
    inputs.back().initial = main.getArgAttrOfType<ElementsAttr>(number, "onnx.default");
    inputs.back().initialOffset = main.getArgAttrOfType<IntegerAttr>(number, "prog.default_offset");
  }
  for (unsigned number = 0; number < main.getNumResults(); ++number)
    if (failed(read(outputs, main.getResultTypes()[number], main.getResultAttr(number, "onnx.name"),
                    "output")))
      return failure();
  for (const PortInfo &input : inputs)
    for (ExtentAttr extent : input.type.getExtents())
      if (extent.isSymbol())
        entrySymbols.insert(extent.getSymbolName());
  numInputSymbols = entrySymbols.size();
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult Program::readBuffers() {
  auto table = main->getAttrOfType<ArrayAttr>("prog.buffers");
  buffers = table ? table.getValue() : ArrayRef<Attribute>();
  for (Attribute row : buffers)
    if (!isa<BufferAttr>(row) || cast<BufferAttr>(row).getBytes().isUnknown())
      return main.emitError("has a row in 'prog.buffers' that is no buffer of a known size: ")
             << row;
  WalkResult walked = main.walk([&](Operation *op) {
    auto numbers = op->getAttrOfType<DenseI64ArrayAttr>("buffers");
    if (!numbers)
      return WalkResult::advance();
    int64_t perResult = isa<LoopOp>(op) ? 2 : 1;
    if (numbers.size() != static_cast<int64_t>(op->getNumResults()) * perResult) {
      op->emitError("needs ") << perResult << " entries in 'buffers' per result";
      return WalkResult::interrupt();
    }
    for (int64_t number : numbers.asArrayRef())
      if (number < -1 || number >= static_cast<int64_t>(buffers.size())) {
        op->emitError("names buffer ") << number << " of " << buffers.size();
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

BufferAttr Program::getBuffer(int64_t number) const { return cast<BufferAttr>(buffers[number]); }

int64_t Program::getBufferOf(OpResult result) const {
  auto numbers = result.getOwner()->getAttrOfType<DenseI64ArrayAttr>("buffers");
  unsigned number = result.getResultNumber();
  if (!numbers)
    return -1;
  return numbers.asArrayRef()[isa<LoopOp>(result.getOwner()) ? 2 * number : number];
}

int64_t Program::getNextBufferOf(LoopOp loop, unsigned number) const {
  auto numbers = loop->getAttrOfType<DenseI64ArrayAttr>("buffers");
  return numbers ? numbers.asArrayRef()[2 * number + 1] : -1;
}

//===----------------------------------------------------------------------===//
// The shape program
//===----------------------------------------------------------------------===//

bool Program::isEntryExtent(ExtentAttr extent) const {
  SetVector<StringRef> symbols;
  extent.collectSymbols(symbols);
  return llvm::all_of(symbols, [&](StringRef symbol) { return isEntrySymbol(symbol); });
}

namespace {

/// Visits the symbols that `op` and the ops inside it define.
void forEachDefinedSymbol(Operation *op, llvm::function_ref<void(StringRef)> visit) {
  op->walk([&](Operation *nested) {
    if (auto bind = dyn_cast<BindOp>(nested))
      visit(bind.getSymbol());
    if (auto branch = dyn_cast<IfOp>(nested))
      for (auto symbol : branch.getSymbols().getAsRange<StringAttr>())
        visit(symbol);
    if (auto loop = dyn_cast<LoopOp>(nested)) {
      visit(loop.getIv());
      if (loop.getCount())
        visit(*loop.getCount());
      for (auto symbol : loop.getSymbols().getAsRange<StringAttr>())
        visit(symbol);
    }
  });
}

/// The input whose elements a host tensor is; null when it is no input.
BlockArgument getInputOf(Value tensor) {
  while (auto view = tensor.getDefiningOp<ViewOp>())
    tensor = view.getSource();
  auto argument = dyn_cast<BlockArgument>(tensor);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? argument
                                                                           : BlockArgument();
}

} // namespace

bool Program::isEntryValue(Value value, Operation *scope) const {
  Operation *definition = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return scope->isProperAncestor(argument.getOwner()->getParentOp()) ||
           scope == argument.getOwner()->getParentOp();
  return scope->isProperAncestor(definition) || entryOps.contains(definition);
}

bool Program::isEntryComputation(Operation *op, Operation *scope) const {
  if (auto element = dyn_cast<ElementOp>(op)) {
    BlockArgument input = getInputOf(element.getTensor());
    if (!input)
      return false;
  } else if (!isa<ScalarOpInterface, SConstantOp, SExtentOp, BindOp, CheckOp, IfOp, LoopOp,
                  YieldOp>(op)) {
    return false;
  } else if (!llvm::all_of(op->getOperands(),
                           [&](Value operand) { return isEntryValue(operand, scope); })) {
    return false;
  }
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<SymTensorType>))
    return false;
  // Symbols that it names must be known: at entry, or defined inside.
  llvm::DenseSet<StringRef> defined;
  forEachDefinedSymbol(scope, [&](StringRef symbol) { defined.insert(symbol); });
  bool known = true;
  AttrTypeWalker walker;
  walker.addWalk([&](ExtentAttr extent) {
    SetVector<StringRef> symbols;
    extent.collectSymbols(symbols);
    for (StringRef symbol : symbols)
      known &= isEntrySymbol(symbol) || defined.contains(symbol);
  });
  walker.walk(op->getAttrDictionary());
  if (!known)
    return false;
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      if (!isEntryComputation(&nested, scope))
        return false;
  return true;
}

void Program::findEntryOps() {
  // Forward: what can be computed from inputs alone. Symbols become known in program order.
  for (Operation &op : getBody()) {
    if (!isEntryComputation(&op, &op))
      continue;
    entryOps.insert(&op);
    if (auto bind = dyn_cast<BindOp>(op))
      entrySymbols.insert(bind.getSymbol());
    if (auto branch = dyn_cast<IfOp>(op))
      for (auto symbol : branch.getSymbols().getAsRange<StringAttr>())
        entrySymbols.insert(symbol);
    if (auto loop = dyn_cast<LoopOp>(op)) {
      for (auto symbol : loop.getSymbols().getAsRange<StringAttr>())
        entrySymbols.insert(symbol);
      if (loop.getCount())
        entrySymbols.insert(*loop.getCount());
    }
  }
  // Backward: of that, what defines symbols or checks, and what they need.
  llvm::DenseSet<Operation *> needed;
  for (Operation &op : llvm::reverse(getBody())) {
    if (!entryOps.contains(&op))
      continue;
    bool isRoot = isa<BindOp, CheckOp>(op);
    if (auto branch = dyn_cast<IfOp>(op))
      isRoot = !branch.getSymbols().empty() || branch.getNumResults() == 0;
    if (auto loop = dyn_cast<LoopOp>(op))
      isRoot = !loop.getSymbols().empty() || loop.getCount() || loop.getNumResults() == 0;
    bool isUsed = llvm::any_of(op.getUsers(), [&](Operation *user) {
      return needed.contains(getBody().findAncestorOpInBlock(*user));
    });
    if (isRoot || isUsed)
      needed.insert(&op);
  }
  entryOps = std::move(needed);
  for (Operation &op : getBody())
    if (isEntryOp(&op))
      op.walk([&](ElementOp element) {
        if (BlockArgument input = getInputOf(element.getTensor()))
          inputsReadAtEntry.insert(input.getArgNumber());
      });
}

void Program::findCapacities() {
  main.walk([&](BindOp bind) {
    if (!isEntrySymbol(bind.getSymbol()) && bind.getMax())
      capacities[bind.getSymbol()] = *bind.getMax();
  });
}

int64_t Program::countLateSymbols() const {
  SetVector<StringRef> symbols;
  for (Attribute row : buffers)
    cast<BufferAttr>(row).getBytes().collectSymbols(symbols);
  return llvm::count_if(symbols, [&](StringRef symbol) { return !isEntrySymbol(symbol); });
}

ExtentAttr Program::getCapacity(ExtentAttr extent) const {
  if (isEntryExtent(extent))
    return extent;
  // Bounds may be put in place of symbols where the extent grows with each of them.
  bool grows = llvm::all_of(extent.getTerms(), [&](const ExtentTerm &term) {
    bool isEntry =
        llvm::all_of(term.factors, [&](ExtentAttr factor) { return isEntryExtent(factor); });
    return isEntry || (term.coefficient > 0 && llvm::all_of(term.factors, [&](ExtentAttr factor) {
                         return factor.isSymbol() || isEntryExtent(factor);
                       }));
  });
  if (grows) {
    ExtentAttr bound =
        extent.substitute([&](StringRef symbol) { return capacities.lookup(symbol); });
    if (bound != extent && !bound.isUnknown())
      return getCapacity(bound);
  }
  if (std::optional<int64_t> most = range(extent, facts).hi(); most && *most < kMaxSymbolExtent)
    return ExtentAttr::constant(extent.getContext(), *most);
  return ExtentAttr::unknown(extent.getContext());
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef Program::getName(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (owner == main)
      return inputs[number].name;
    if (isa<LoopOp>(owner))
      return getName(owner->getResult(number));
    return "";
  }
  auto result = cast<OpResult>(value);
  if (auto weight = dyn_cast<WeightOp>(result.getOwner()); weight && weight.getName())
    return *weight.getName();
  return getValueName(value.getLoc(), result.getResultNumber(), result.getOwner()->getNumResults());
}

void Program::findNodes() {
  main.walk([&](Operation *op) {
    SmallVector<NodeLocation> locations;
    collectNodes(op->getLoc(), locations);
    for (const NodeLocation &location : locations)
      if (location.opType != kInitializerOpType)
        nodes.insert(location.name);
  });
  for (auto [number, name] : llvm::enumerate(nodes))
    nodeNumbers[name] = number;
}

int64_t Program::getNode(Operation *op) const {
  auto found = nodeNumbers.find(getNodeName(op->getLoc()));
  return found == nodeNumbers.end() ? -1 : found->second;
}

Code Program::describeNodes(Operation *op) {
  SmallVector<NodeLocation> locations;
  collectNodes(op->getLoc(), locations);
  SmallVector<Code> parts;
  for (const NodeLocation &location : locations)
    parts.push_back(comment(location.opType) + " \"" + comment(location.name) + "\"");
  return joinCode(parts, " + ");
}

Code Program::describeShape(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  if (!tensor)
    return "scalar";
  SmallVector<Code> extents;
  for (ExtentAttr extent : tensor.getExtents())
    extents.push_back(comment(extent.str()));
  return "[" + joinCode(extents) + "]";
}
