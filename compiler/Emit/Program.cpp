// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/Program.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Core/IR/FixedExtents.h"
#include "Dialect/Core/IR/Limits.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Support/NodeLocation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

SmallVector<Code> cameo::getKeyLiterals(Attribute keys) {
  SmallVector<Code> literals;
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(keys))
    for (int64_t key : integers.asArrayRef())
      literals.push_back(Code(key));
  else
    for (StringRef key : cast<ArrayAttr>(keys).getAsValueRange<StringAttr>())
      literals.push_back(str(key));
  return literals;
}

Code cameo::describeUpdate(const PortInfo &port) {
  return port.updated < 0 ? Code() : ", may lie where input " + Code(port.updated) + " does";
}

FailureOr<Program> Program::analyze(ModuleOp module, const EmitOptions &options) {
  Program program;
  program.options = &options;
  program.module = module;
  program.main = module.lookupSymbol<func::FuncOp>("main");
  if (!program.main || program.main.isExternal() ||
      program.getBody().getOps<host::PlanOp>().empty())
    return module.emitError("has no function @main that was prepared"), failure();
  if (failed(program.readPorts()) || failed(program.findWeights()))
    return failure();
  program.facts = SymbolAnalysis(program.main).getFacts();
  program.readBuffers();
  program.findReads();
  program.findNodes();
  program.findCopies();
  return program;
}

Block *Program::getFunction(StringRef name) const {
  auto function = getModule().lookupSymbol<func::FuncOp>(name);
  return function ? &function.getBody().front() : nullptr;
}

LogicalResult Program::readPorts() {
  auto read = [&](SmallVectorImpl<PortInfo> &ports, Type type, std::string name, Attribute dims,
                  StringRef kind) -> LogicalResult {
    auto tensor = cast<SymTensorType>(type);
    if (!getCppType(tensor.getElementType()))
      return main.emitError(kind) << " " << ports.size() << " has the type " << type
                                  << ", which cannot be printed";
    ports.push_back({std::move(name), tensor, {}, {}, cast_if_present<ArrayAttr>(dims)});
    return success();
  };
  for (unsigned number = 0; number < main.getNumArguments(); ++number) {
    if (failed(read(inputs, main.getArgumentTypes()[number], host::getInputName(main, number),
                    main.getArgAttr(number, "host.dims"), "input")))
      return failure();
    inputs.back().initial = main.getArgAttrOfType<ElementsAttr>(number, "onnx.default");
    inputs.back().initialOffset = main.getArgAttrOfType<IntegerAttr>(number, "prog.default_offset");
  }
  for (unsigned number = 0; number < main.getNumResults(); ++number) {
    if (failed(read(outputs, main.getResultTypes()[number], host::getOutputName(main, number),
                    main.getResultAttr(number, "host.dims"), "output")))
      return failure();
    outputs.back().isStrided = static_cast<bool>(main.getResultAttr(number, "host.strided"));
    outputs.back().keys = main.getResultAttr(number, "onnx.keys");
    if (auto updates = main->getAttrOfType<DenseI64ArrayAttr>("prog.updates"))
      outputs.back().updated = updates[number];
  }
  llvm::append_range(entrySymbols,
                     main->getAttrOfType<ArrayAttr>("host.symbols").getAsValueRange<StringAttr>());
  return success();
}

void Program::findReads() {
  for (auto data : getFunction("read_symbols")->getOps<host::InputDataOp>())
    inputsReadAtEntry.insert(data.getInput());
  for (auto input : getBody().getOps<host::BindInputOp>())
    inputsBound.insert(input.getInput());
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult Program::findWeights() {
  llvm::MapVector<int64_t, WeightInfo> found;
  auto add = [&](StringRef name, SymTensorType type, IntegerAttr offset) {
    ExtentAttr bytes = getByteSize(type);
    std::optional<int64_t> size = bytes ? bytes.getConstant() : std::nullopt;
    if (!offset || !size || *size == 0)
      return;
    int64_t each = type.isPacked() ? 1 : getCppType(type.getElementType())->bytes;
    found.insert(
        {offset.getInt(), {name, getStoredType(type), offset.getInt(), *size, *size / each}});
  };
  prog::walkOutsideKernels(main, [&](prog::WeightOp weight) {
    add(host::getName(weight), weight.getType(), weight->getAttrOfType<IntegerAttr>("offset"));
  });
  for (const PortInfo &input : inputs)
    if (input.initial)
      add(input.name, getTypeOf(input.initial, input.type.getLayout()), input.initialOffset);
  for (auto &[offset, weight] : found)
    weights.push_back(weight);
  llvm::sort(weights, [](const auto &a, const auto &b) { return a.offset < b.offset; });
  // They print as members of a struct.
  int64_t end = 0;
  for (const WeightInfo &weight : weights) {
    if (weight.offset != end)
      return main.emitError("constants do not lie one behind the other: offset ")
             << weight.offset << " (expected " << end << ")";
    end = llvm::alignTo(weight.offset + weight.bytes, kAlignment);
  }
  return success();
}

void Program::readBuffers() {
  if (auto table = main->getAttrOfType<ArrayAttr>("prog.buffers"))
    buffers = table.getValue();
  bufferNames = main->getAttrOfType<ArrayAttr>("host.buffer_names").getValue();
}

BufferAttr Program::getBuffer(int64_t number) const { return cast<BufferAttr>(buffers[number]); }

int64_t Program::getBufferOf(Value value) const {
  if (auto at = value.getDefiningOp<host::AtOp>())
    return at.getRow();
  return -1;
}

void Program::findCopies() {
  // One copy, for the one machine it is built for.
  if (options->heap == EmitOptions::Heap::None)
    return;
  llvm::SmallDenseSet<StringRef> extensions{""};
  for (auto kernel : module.getOps<host::KernelOp>())
    if (host::TemplateAttr called = kernel.getCalledTemplateAttr())
      extensions.insert_range(called.getExtensions().getAsValueRange<StringAttr>());
  llvm::copy_if(getTarget().copies, std::back_inserter(copies),
                [&](const TargetCopy &copy) { return extensions.contains(copy.extension); });
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void Program::findNodes() {
  prog::walkOutsideKernels(module, [&](Operation *op) {
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

static Code printExtents(ArrayRef<ExtentAttr> extents) {
  return "[" +
         joinCode(llvm::map_to_vector(extents,
                                      [](ExtentAttr extent) { return comment(extent.str()); })) +
         "]";
}

Code Program::describeShape(const PortInfo &port) const {
  Code shape = printExtents(llvm::map_to_vector(
      port.type.getExtents(), [&](ExtentAttr extent) { return replaceFixed(extent, facts); }));
  return port.dims ? shape : "up to " + shape;
}

Code Program::describeShape(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  return tensor ? printExtents(tensor.getExtents()) : Code("scalar");
}
