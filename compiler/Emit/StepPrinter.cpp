// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/StepPrinter.h"

#include "Emit/Sources.h"
#include "Support/NodeLocation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

StepPrinter::StepPrinter(const HostLayout &layout, CppWriter &writer, CppScope &scope)
    : layout(layout), program(layout.program), writer(writer), scope(scope),
      scalars(writer, scope, [this](ExtentAttr extent) { return getValue(extent); }) {
  for (StringRef symbol : program.getEntrySymbols().take_front(program.getNumInputSymbols()))
    knownSymbols.insert(symbol, true);
  outputNames.resize(program.getOutputs().size());
  outputsBound.resize(program.getOutputs().size());
}

Code StepPrinter::getTypeName(Type type) const {
  auto tensor = dyn_cast<SymTensorType>(type);
  return getCppType(tensor ? tensor.getElementType() : type)->name;
}

Code StepPrinter::getNode(Operation *op) const { return Code(program.getNode(op)); }

/// `// 3. Conv "conv1" + Relu "relu1" -> [N, 16, 8, 8]`
void StepPrinter::startStep(Operation *op) {
  if (!inRun)
    return;
  writer.blank();
  SmallVector<Code> shapes;
  for (Type type : op->getResultTypes())
    if (isa<SymTensorType>(type))
      shapes.push_back(Program::describeShape(type));
  Code nodes = Program::describeNodes(op);
  // Of several steps for one node, the template's name says which is which.
  SmallVector<NodeLocation> locations;
  collectNodes(op->getLoc(), locations);
  bool isNew = false;
  for (const NodeLocation &location : locations)
    isNew |= described.insert({location.opType, location.name}).second;
  if (auto call = dyn_cast<CallOp>(op); call && !isNew && !nodes.empty())
    nodes += ", " + TrustedCode::make(call.getCallee().str());
  Code number = Code(++steps) + ". ";
  writer.comment(
      number + nodes +
      (shapes.empty() ? Code() : (nodes.empty() ? Code("-> ") : Code(" -> ")) + joinCode(shapes)));
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

Code StepPrinter::getSymbol(StringRef symbol) {
  if (program.isEntrySymbol(symbol))
    return "s." + layout.getEntryName(symbol);
  return symbolNames.lookup(symbol);
}

Code StepPrinter::declareSymbol(StringRef symbol) {
  return symbolNames[symbol] = scope.add(symbol);
}

Code StepPrinter::getExtent(ExtentAttr extent) {
  return getExtentCode(extent, [&](StringRef symbol) { return getSymbol(symbol); });
}

Code StepPrinter::getChecked(ExtentAttr extent) {
  return getCheckedExtent(extent, [&](StringRef symbol) { return getSymbol(symbol); });
}

Code StepPrinter::getValue(ExtentAttr extent) {
  if (extent.isSymbol() || extent.isConstant())
    return getExtent(extent);
  return "(" + getChecked(extent) + ").value()";
}

bool StepPrinter::isKnown(ExtentAttr extent) const {
  SetVector<StringRef> symbols;
  extent.collectSymbols(symbols);
  return llvm::all_of(symbols, [&](StringRef symbol) { return knownSymbols.count(symbol) != 0; });
}

/// The rows whose size has `symbol` in it.
ArrayRef<int64_t> StepPrinter::getRowsWith(StringRef symbol) {
  if (!rowsWith) {
    rowsWith.emplace();
    for (auto [row, buffer] : llvm::enumerate(program.getBuffers())) {
      SetVector<StringRef> needed;
      cast<BufferAttr>(buffer).getBytes().collectSymbols(needed);
      for (StringRef name : needed)
        (*rowsWith)[name].push_back(static_cast<int64_t>(row));
    }
  }
  auto found = rowsWith->find(symbol);
  return found == rowsWith->end() ? ArrayRef<int64_t>() : ArrayRef(found->second);
}

void StepPrinter::learn(ArrayRef<StringRef> symbols) {
  for (StringRef symbol : symbols)
    knownSymbols.insert(symbol, true);
  if (!inRun)
    return;
  llvm::SmallSetVector<int64_t, 8> waiting;
  for (StringRef symbol : symbols)
    waiting.insert_range(getRowsWith(symbol));
  if (waiting.empty())
    return;
  for (const Arena &arena : layout.arenas) {
    int64_t first = INT64_MAX;
    for (int64_t row : arena.rows) {
      BufferAttr buffer = program.getBuffer(row);
      if (!waiting.contains(row) || !isKnown(buffer.getBytes()))
        continue;
      writer.line(layout.getBuffer(row) + ".bytes = bytes_of(" + getChecked(buffer.getBytes()) +
                  ");");
      first = std::min(first, buffer.getFirst());
    }
    if (first != INT64_MAX)
      writer.line("CAMEO_TRY(" + arena.replan + "(" + arena.array + ", " + Code(first) + "));");
  }
}

void StepPrinter::printError(const Code &condition, StringRef code, Operation *op, const Code &got,
                             const Code &limit, bool isMismatch) {
  Code error = "error_value({0, CAMEO_" + TrustedCode::make(code.upper()) + ", " + getNode(op) +
               ", " + getNode(op) + ", 0, 0, " + got + ", " + limit + "})";
  if (code == "invalid_argument")
    error = (isMismatch ? Code("error_broadcast(") : Code("error_shape_value(")) + getNode(op) +
            ", " + got + ", " + limit + ")";
  writer.line("if (" + condition + ")");
  writer.line("  return " + error + ";");
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

bool StepPrinter::isUsedInRun(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *op = program.getBody().findAncestorOpInBlock(*user);
    return !program.isEntryOp(op) || repeated.contains(op);
  });
}

/// What the shape program has done is done again only for the sake of others.
void StepPrinter::findRepeated() {
  for (Operation &op : llvm::reverse(program.getBody().without_terminator()))
    if (program.isEntryOp(&op) &&
        llvm::any_of(op.getResults(), [&](Value result) { return isUsedInRun(result); }))
      repeated.insert(&op);
}

void StepPrinter::bindInputs() {
  for (auto [number, argument] : llvm::enumerate(program.getBody().getArguments())) {
    if (!isUsedInRun(argument))
      continue;
    bool onHost = program.isCuda() && cast<SymTensorType>(argument.getType()).isHost();
    Code type = getTypeName(argument.getType());
    Code name = scope.add(program.getName(argument));
    writer.line("const " + type + " *" + name + " = c." +
                (onHost ? Code("host_input<") : Code("input<")) + type + ">(in[" +
                Code(static_cast<int64_t>(number)) + "]);");
    pointers[argument] = name;
  }
}

FailureOr<Code> StepPrinter::getPointer(Value value) {
  auto found = pointers.find(value);
  if (found != pointers.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  auto type = cast<SymTensorType>(value.getType());
  if (auto weight = dyn_cast_or_null<WeightOp>(op)) {
    auto offset = op->getAttrOfType<IntegerAttr>("offset");
    if (!offset)
      return op->emitError("has no place in the weights"), failure();
    Code function = program.isCuda() && type.isHost() ? Code("c.host_weight<") : Code("c.weight<");
    return function + getTypeName(type) + ">(" + Code(offset.getInt()) + ")";
  }
  if (isa_and_nonnull<NullOp>(op))
    return Code("nullptr");
  if (auto view = dyn_cast_or_null<ViewOp>(op)) {
    FailureOr<Code> source = getPointer(view.getSource());
    if (failed(source) || view.getOffset().isConstant(0))
      return source;
    return *source + " + " + getValue(view.getOffset());
  }
  if (op)
    return op->emitError("has no memory for its result"), failure();
  return program.getMain().emitError("a block argument has no memory"), failure();
}

FailureOr<Code> StepPrinter::getRowPointer(OpResult result, int64_t row) {
  Operation *op = result.getOwner();
  auto swapped = rowPointers.find(row);
  if (swapped != rowPointers.end())
    return swapped->second;
  BufferAttr buffer = program.getBuffer(row);
  if (buffer.isOutput()) {
    if (failed(bindOutput(buffer.getOutput(), op)))
      return failure();
    return outputNames[buffer.getOutput()];
  }
  if (!isKnown(buffer.getBytes()))
    return op->emitError("its buffer's size is not known here: ") << buffer.getBytes().str(),
           failure();
  Code type = getTypeName(result.getType());
  Code name = scope.add(program.getName(result), "t");
  writer.line(type + " *" + name + " = " + layout.getArenaOf(row).at + "<" + type + ">(" +
              layout.getBuffer(row) + ");");
  return name;
}

LogicalResult StepPrinter::declareResults(Operation *op) {
  // A result that is tied to a destination is that destination's memory.
  SmallVector<Value> destinations(op->getNumResults());
  auto tie = [&](ArrayRef<int64_t> ties, OperandRange dests) {
    for (auto [number, dest] : llvm::enumerate(ties))
      if (dest >= 0)
        destinations[number] = dests[dest];
  };
  if (auto kernel = dyn_cast<KernelOp>(op))
    tie(kernel.getTies(), kernel.getDests());
  if (auto call = dyn_cast<CallOp>(op))
    tie(call.getTies(), call.getDests());
  for (OpResult result : op->getResults()) {
    if (!isa<SymTensorType>(result.getType()))
      continue;
    if (Value destination = destinations[result.getResultNumber()]) {
      FailureOr<Code> pointer = getPointer(destination);
      if (failed(pointer))
        return failure();
      pointers[result] = *pointer;
      continue;
    }
    int64_t row = program.getBufferOf(result);
    if (row < 0)
      continue;
    FailureOr<Code> pointer = getRowPointer(result, row);
    if (failed(pointer))
      return failure();
    pointers[result] = *pointer;
  }
  return success();
}

SmallVector<Code> StepPrinter::getOutputDims(int64_t number, bool &known, bool atCapacity) {
  SmallVector<Code> dims;
  known = true;
  for (ExtentAttr extent : program.getOutputs()[number].type.getExtents()) {
    ExtentAttr size = atCapacity ? program.getCapacity(extent) : extent;
    known &= !size.isUnknown() && isKnown(size);
    dims.push_back(size.isUnknown() ? Code("0") : getChecked(size));
  }
  return dims;
}

Code StepPrinter::declareOutput(int64_t number) {
  const PortInfo &output = program.getOutputs()[number];
  Code type = getTypeName(output.type);
  outputNames[number] = scope.add(output.name);
  return type + " *" + outputNames[number];
}

LogicalResult StepPrinter::bindOutput(int64_t number, Operation *op) {
  if (outputsBound[number])
    return success();
  bool known = false;
  const PortInfo &output = program.getOutputs()[number];
  SmallVector<Code> dims = getOutputDims(number, known, /*atCapacity=*/false);
  if (!known)
    return op->emitError("output '")
           << output.name << "' has extents that are not known where it is written";
  bool onHost = program.isCuda() && output.type.isHost();
  writer.line(outputNames[number] + " = c." + (onHost ? Code("host_output<") : Code("output<")) +
              getTypeName(output.type) + ">(out[" + Code(number) + "], {" + joinCode(dims) + "});");
  writer.line("CAMEO_TRY(c.ready());");
  outputsBound[number] = true;
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult StepPrinter::printKernel(Operation *op) {
  startStep(op);
  if (failed(declareResults(op)))
    return failure();
  const KernelCall &call = layout.kernels.calls.find(op)->second;
  if (auto callee = dyn_cast<CallOp>(op)) {
    StringRef target = call.onHost || !program.isCuda() ? "cpu" : "cuda";
    if (const KernelTemplate *found = findTemplate(target, callee.getCallee());
        found && found->mayRaise)
      writer.line("c.step(" + getNode(op) + ");");
  }
  SmallVector<Code> arguments{call.onHost ? Code("c.host") : Code("c.compute")};
  for (Value value : call.arguments) {
    if (!isa<SymTensorType>(value.getType())) {
      arguments.push_back(scalars.get(value));
      continue;
    }
    FailureOr<Code> pointer = getPointer(value);
    if (failed(pointer))
      return failure();
    arguments.push_back(*pointer);
  }
  for (StringRef symbol : call.symbols) {
    if (!knownSymbols.count(symbol))
      return op->emitError("symbol '") << symbol << "' is not known here";
    arguments.push_back(getSymbol(symbol));
  }
  writer.list(call.function + "(", arguments, ");");
  return success();
}

/// The op of run() behind which nothing writes an output any more, by output.
void StepPrinter::findLastWriters() {
  lastWriters.resize(program.getOutputs().size());
  for (Operation &op : program.getBody())
    op.walk([&](Operation *nested) {
      auto rows = nested->getAttrOfType<DenseI64ArrayAttr>("buffers");
      for (int64_t row : rows ? rows.asArrayRef() : ArrayRef<int64_t>())
        if (row >= 0 && program.getBuffer(row).isOutput())
          lastWriters[program.getBuffer(row).getOutput()] = &op;
    });
}

/// Starts the copies to the host of outputs that are complete behind `op`.
void StepPrinter::deliver(Operation *op) {
  if (!program.isCuda() || op->getNextNode()->hasTrait<OpTrait::IsTerminator>())
    return;
  for (auto [number, last] : llvm::enumerate(lastWriters))
    if (last == op && !program.getOutputs()[number].type.isHost())
      writer.line("c.deliver(out[" + Code(static_cast<int64_t>(number)) + "]);");
}

LogicalResult StepPrinter::print(ElementOp op) {
  if (op.use_empty())
    return success();
  FailureOr<Code> pointer = getPointer(op.getTensor());
  if (failed(pointer))
    return failure();
  Code base = pointer->ref().contains(' ') ? "(" + *pointer + ")" : *pointer;
  // What was awaited into an array of run() stays; other memory may be somebody else's later.
  bool stays = op.getTensor().getDefiningOp<AwaitOp>() &&
               program.getBufferOf(cast<OpResult>(op.getTensor())) < 0;
  scalars.define(op, base + "[" + getExtent(op.getOffset()) + "]", /*reads=*/!stays);
  if (stays)
    return success();
  StringRef name = program.getName(op.getTensor());
  scalars.name(op, name.empty() ? "value" : name);
  return success();
}

LogicalResult StepPrinter::print(FromElementsOp op) {
  if (op.use_empty())
    return success();
  startStep(op);
  SmallVector<Code> values;
  for (Value element : op.getElements())
    values.push_back(scalars.get(element));
  OpResult result = op->getResult(0);
  if (program.getBufferOf(result) >= 0) {
    if (failed(declareResults(op)))
      return failure();
    for (auto [number, value] : llvm::enumerate(values))
      writer.line(pointers[result] + "[" + Code(static_cast<int64_t>(number)) + "] = " + value +
                  ";");
    return success();
  }
  if (values.empty()) {
    pointers[result] = "nullptr";
    return success();
  }
  Code name = scope.add(program.getName(result), "t");
  pointers[result] = name;
  writer.list("const " + getTypeName(result.getType()) + " " + name + "[] = {", values, "};");
  return success();
}

LogicalResult StepPrinter::print(BindOp op) {
  StringRef symbol = op.getSymbol();
  Code value = scalars.get(op.getValue());
  if (program.isEntrySymbol(symbol))
    writer.line(getSymbol(symbol) + " = " + value + ";");
  else
    writer.line("const int64_t " + declareSymbol(symbol) + " = " + value + ";");
  Code name = getSymbol(symbol);
  if (op.getMin())
    printError(name + " < " + getValue(*op.getMin()), op.getCode(), op, name,
               getValue(*op.getMin()), false);
  if (op.getMax())
    printError(name + " > " + getValue(*op.getMax()), op.getCode(), op, name,
               getValue(*op.getMax()), false);
  learn(symbol);
  return success();
}

LogicalResult StepPrinter::print(CheckOp op) {
  Code got = getValue(op.getGot()), expected = getValue(op.getExpected());
  StringRef relation = op.getRelation();
  Code condition = got + " != " + expected;
  if (relation == "le")
    condition = got + " > " + expected;
  else if (relation == "multiple")
    condition = "floor_mod(" + got + ", " + expected + ") != 0";
  else if (relation == "broadcast")
    condition += " && " + got + " != 1 && " + expected + " != 1";
  else if (relation != "eq")
    return op.emitError("relation '") << relation << "' has no C++";
  printError(condition, op.getCode(), op, got, expected,
             relation == "eq" || relation == "broadcast");
  return success();
}

LogicalResult StepPrinter::print(FetchOp op) {
  if (!program.isCuda())
    return op.emitError("a fetch needs a device");
  startStep(op);
  FailureOr<Code> source = getPointer(op.getSource());
  if (failed(source))
    return failure();
  auto type = cast<SymTensorType>(op.getSource().getType());
  Code ticket = scope.add(program.getName(op.getSource()), "t");
  pointers[op.getTicket()] = ticket;
  writer.line("const fetched " + ticket + " = c.fetch(" + *source + ", " +
              getExtent(getByteSize(type)) + ");");
  return success();
}

LogicalResult StepPrinter::print(AwaitOp op) {
  startStep(op);
  OpResult result = op->getResult(0);
  auto type = cast<SymTensorType>(result.getType());
  if (program.getBufferOf(result) >= 0) {
    if (failed(declareResults(op)))
      return failure();
  } else {
    // A few values for the host's own use need no arena.
    constexpr int64_t mostElements = 256;
    std::optional<int64_t> count = type.getNumElements().getConstant();
    if (!count || *count > mostElements)
      return op.emitError("needs a buffer for ") << type;
    Code name = scope.add(program.getName(result), "t");
    writer.line(getTypeName(type) + " " + name + "[" + Code(std::max<int64_t>(*count, 1)) + "];");
    pointers[result] = name;
  }
  writer.line("CAMEO_TRY(c.await(" + pointers.lookup(op.getTicket()) + ", " +
              pointers.lookup(result) + "));");
  return success();
}

LogicalResult StepPrinter::print(StageOp op) {
  if (op.use_empty())
    return success();
  FailureOr<Code> source = getPointer(op.getSource());
  if (failed(source))
    return failure();
  // On one side there is nothing to copy.
  if (!program.isCuda() && program.getBufferOf(op->getResult(0)) < 0) {
    pointers[op.getOutput()] = *source;
    return success();
  }
  if (!program.isCuda())
    return op.emitError("a staged copy needs a device");
  startStep(op);
  if (failed(declareResults(op)))
    return failure();
  Code bytes = getExtent(getByteSize(cast<SymTensorType>(op.getSource().getType())));
  writer.line("c.upload(" + pointers.lookup(op.getOutput()) + ", " + *source + ", " + bytes + ");");
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult StepPrinter::print(IfOp op) {
  startStep(op);
  // Results are variables that both branches assign; so are symbols and outputs bound inside.
  SmallVector<StringRef> symbols;
  for (auto symbol : op.getSymbols().getAsRange<StringAttr>()) {
    symbols.push_back(symbol);
    if (!program.isEntrySymbol(symbol))
      writer.line("int64_t " + declareSymbol(symbol) + " = 0;");
  }
  SmallVector<Code> results;
  for (OpResult result : op->getResults()) {
    // Both branches write the caller's memory of an output, which has a name already.
    if (int64_t row = program.getBufferOf(result); row >= 0 && program.getBuffer(row).isOutput()) {
      pointers[result] = outputNames[program.getBuffer(row).getOutput()];
      results.push_back({});
      continue;
    }
    Code name = scope.add(program.getName(result), "t");
    results.push_back(name);
    Code type = getTypeName(result.getType());
    bool isTensor = isa<SymTensorType>(result.getType());
    writer.line(isTensor ? type + " *" + name + " = nullptr;" : type + " " + name + "{};");
    if (isTensor)
      pointers[result] = name;
    else
      scalars.define(result, name);
  }
  SmallVector<bool> boundBefore = outputsBound, boundAfterThen;
  Code head = "if (" + scalars.get(op.getCondition()) + ")";
  for (bool isThen : {true, false}) {
    Region &region = isThen ? op.getThenRegion() : op.getElseRegion();
    ArrayAttr extents = isThen ? op.getThenExtents() : op.getElseExtents();
    outputsBound = boundBefore;
    KnownSymbols::ScopeTy known(knownSymbols);
    CppWriter::Block block =
        isThen ? writer.block(head, "} else {") : CppWriter::Block(writer, "}");
    if (failed(printBlock(region.front())))
      return failure();
    for (auto [symbol, extent] : llvm::zip_equal(symbols, extents))
      writer.line(getSymbol(symbol) + " = " + getValue(cast<ExtentAttr>(extent)) + ";");
    for (auto [name, value] :
         llvm::zip_equal(results, region.front().getTerminator()->getOperands())) {
      if (name.empty())
        continue;
      if (!isa<SymTensorType>(value.getType())) {
        writer.line(name + " = " + scalars.get(value) + ";");
        continue;
      }
      FailureOr<Code> pointer = getPointer(value);
      if (failed(pointer))
        return failure();
      writer.line(name + " = " + *pointer + ";");
    }
    if (isThen)
      boundAfterThen = outputsBound;
  }
  for (auto [number, bound] : llvm::enumerate(outputsBound))
    bound = bound && boundAfterThen[number];
  learn(symbols);
  return success();
}

LogicalResult StepPrinter::print(LoopOp op) {
  startStep(op);
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  OperandRange carried = yield->getOperands().drop_front(op.getCondition() ? 1 : 0);

  // Carried values, the current one and, where the body writes another, the next.
  struct Carried {
    Code current, next, type;
    bool isTensor;
  };
  SmallVector<Carried> values;
  SmallVector<int64_t> swapped;
  for (auto [number, init] : llvm::enumerate(op.getInits())) {
    OpResult result = op->getResult(number);
    Carried value{scope.add(program.getName(result), "t"),
                  {},
                  getTypeName(init.getType()),
                  isa<SymTensorType>(init.getType())};
    if (!value.isTensor) {
      writer.line(value.type + " " + value.current + " = " + scalars.get(init) + ";");
      scalars.define(body.getArgument(number), value.current);
      scalars.define(result, value.current);
      values.push_back(value);
      continue;
    }
    FailureOr<Code> start = getPointer(init);
    if (failed(start))
      return failure();
    int64_t next = program.getNextBufferOf(op, number);
    writer.line(value.type + " *" + value.current + " = " + *start + ";");
    if (next >= 0) {
      value.next = scope.add(value.current, "_next");
      writer.line(value.type + " *" + value.next + " = " + layout.getArenaOf(next).at + "<" +
                  value.type + ">(" + layout.getBuffer(next) + ");");
      rowPointers[next] = value.next;
      swapped.push_back(next);
    }
    pointers[body.getArgument(number)] = value.current;
    pointers[result] = value.current;
    values.push_back(value);
  }
  SmallVector<StringRef> symbols;
  for (auto [symbol, extent] :
       llvm::zip_equal(op.getSymbols().getAsRange<StringAttr>(), op.getInitExtents())) {
    symbols.push_back(symbol);
    Code start = getValue(cast<ExtentAttr>(extent));
    bool isEntry = program.isEntrySymbol(symbol);
    writer.line((isEntry ? getSymbol(symbol) : "int64_t " + declareSymbol(symbol)) + " = " + start +
                ";");
  }
  Code condition;
  if (op.getCondition()) {
    condition = scope.add("keep_going");
    writer.line("bool " + condition + " = " + scalars.get(op.getCondition()) + ";");
  }

  SmallVector<bool> boundBefore = outputsBound;
  Code iteration = declareSymbol(op.getIv());
  Code start = iteration + " = 0";
  if (op.getCount()) {
    // The count is the iteration that the loop ended at.
    if (!program.isEntrySymbol(*op.getCount()))
      symbolNames[*op.getCount()] = iteration;
    writer.line("int64_t " + start + ";");
  }
  SmallVector<Code> tests;
  if (op.getTripCount())
    tests.push_back(iteration + " < " + scalars.get(op.getTripCount()));
  if (op.getCondition())
    tests.push_back(condition);
  {
    CppWriter::Block block =
        writer.block("for (" + (op.getCount() ? Code() : "int64_t " + start) + "; " +
                     joinCode(tests, " && ") + "; ++" + iteration + ")");
    KnownSymbols::ScopeTy known(knownSymbols);
    if (inRun)
      writer.line("CAMEO_TRY(c.trip(" + iteration + "));");
    SmallVector<StringRef> inside = symbols;
    inside.push_back(op.getIv());
    learn(inside);
    if (failed(printBlock(body)))
      return failure();

    // All that the next iteration sees is computed before any of it is assigned.
    SmallVector<std::pair<Code, Code>> assignments;
    if (op.getCondition())
      assignments.emplace_back(condition, scalars.get(yield->getOperand(0)));
    for (auto [value, next] : llvm::zip_equal(values, carried)) {
      if (!value.isTensor)
        assignments.emplace_back(value.current, scalars.get(next));
    }
    for (auto [symbol, extent] : llvm::zip_equal(symbols, op.getNextExtents()))
      assignments.emplace_back(getSymbol(symbol), getValue(cast<ExtentAttr>(extent)));
    llvm::erase_if(assignments, [](const auto &pair) { return pair.first == pair.second; });
    for (auto &[target, value] : assignments) {
      if (&target == &assignments.back().first)
        break;
      Code temporary = scope.add("next");
      writer.line("const auto " + temporary + " = " + value + ";");
      value = temporary;
    }
    for (auto &[target, value] : assignments)
      writer.line(target + " = " + value + ";");
    for (const Carried &value : values) {
      if (value.next.empty())
        continue;
      Code last = scope.add(value.current, "_last");
      writer.line(value.type + " *const " + last + " = " + value.current + ";");
      writer.line(value.current + " = " + value.next + ";");
      writer.line(value.next + " = " + last + ";");
    }
  }
  for (int64_t row : swapped)
    rowPointers.erase(row);
  outputsBound = boundBefore;
  if (op.getCount()) {
    if (program.isEntrySymbol(*op.getCount()))
      writer.line(getSymbol(*op.getCount()) + " = " + iteration + ";");
    symbols.push_back(*op.getCount());
  }
  learn(symbols);
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult StepPrinter::print(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<KernelOp, CallOp>([&](Operation *kernel) { return printKernel(kernel); })
      .Case<ElementOp, FromElementsOp, BindOp, CheckOp, FetchOp, AwaitOp, StageOp, IfOp, LoopOp>(
          [&](auto typed) { return print(typed); })
      .Case<EmptyOp>([&](EmptyOp empty) { return declareResults(empty); })
      // Printed where they are used.
      .Case<WeightOp, NullOp, ViewOp>([](Operation *) { return success(); })
      .Default([&](Operation *scalar) {
        return scalar->use_empty() ? success() : scalars.print(scalar);
      });
}

LogicalResult StepPrinter::printBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(print(&op)))
      return failure();
  return success();
}

LogicalResult StepPrinter::printShapeProgram() {
  for (unsigned number = 0; number < program.getInputs().size(); ++number) {
    if (!program.isReadAtEntry(number))
      continue;
    BlockArgument argument = program.getBody().getArgument(number);
    Code type = getTypeName(argument.getType());
    Code name = scope.add(program.getName(argument));
    writer.line("const auto *" + name + " = static_cast<const " + type + " *>(in[" +
                Code(static_cast<int64_t>(number)) + "].data);");
    pointers[argument] = name;
  }
  for (Operation &op : program.getBody())
    if (program.isEntryOp(&op) && failed(print(&op)))
      return failure();
  return success();
}

void StepPrinter::printInputChecks() {
  for (auto [number, input] : llvm::enumerate(program.getInputs()))
    for (auto [axis, extent] : llvm::enumerate(input.type.getExtents())) {
      if (extent.isSymbol() || extent.isConstant())
        continue;
      Code tensor = Code(static_cast<int64_t>(number)), dim = Code(static_cast<int64_t>(axis));
      Code got = "in[" + tensor + "].dims[" + dim + "]", need = getValue(extent);
      writer.line("if (" + got + " != " + need + ")");
      writer.list("  return error_dim(", {tensor, dim, got, need}, ");");
    }
  for (StringRef symbol : program.getEntrySymbols().take_front(program.getNumInputSymbols())) {
    int64_t divisor = program.getFacts().lookup(symbol).divisor;
    if (divisor <= 1)
      continue;
    writer.line("if (" + getSymbol(symbol) + " % " + Code(divisor) + " != 0)");
    writer.line("  return error_assertion(-1, " + getSymbol(symbol) + ", " + Code(divisor) + ");");
  }
}

LogicalResult StepPrinter::printRun() {
  inRun = true;
  findLastWriters();
  for (StringRef symbol : program.getEntrySymbols())
    knownSymbols.insert(symbol, true);
  findRepeated();
  bindInputs();
  for (int64_t number = 0; number < static_cast<int64_t>(program.getOutputs().size()); ++number) {
    const PortInfo &output = program.getOutputs()[number];
    bool isKnownNow = false;
    SmallVector<Code> dims = getOutputDims(number, isKnownNow, /*atCapacity=*/true);
    Code declaration = declareOutput(number);
    if (!isKnownNow) {
      writer.line(declaration + " = nullptr;");
      continue;
    }
    outputsBound[number] = true;
    bool onHost = program.isCuda() && output.type.isHost();
    writer.line(declaration + " = c." + (onHost ? Code("host_output<") : Code("output<")) +
                getTypeName(output.type) + ">(out[" + Code(number) + "], {" + joinCode(dims) +
                "});");
  }
  writer.line("CAMEO_TRY(c.ready());");

  for (Operation &op : program.getBody().without_terminator()) {
    if ((!program.isEntryOp(&op) || repeated.contains(&op)) && failed(print(&op)))
      return failure();
    deliver(&op);
  }
  writer.blank();
  for (int64_t number = 0; number < static_cast<int64_t>(program.getOutputs().size()); ++number) {
    const PortInfo &output = program.getOutputs()[number];
    if (!outputsBound[number])
      return program.getMain().emitError("output '") << output.name << "' is never written";
    bool isCounted = llvm::any_of(output.type.getExtents(), [&](ExtentAttr extent) {
      return program.getCapacity(extent) != extent;
    });
    if (!isCounted)
      continue;
    SmallVector<Code> dims;
    for (ExtentAttr extent : output.type.getExtents()) {
      if (!isKnown(extent))
        return program.getMain().emitError("output '")
               << output.name << "' has an extent that is not known";
      dims.push_back(getValue(extent));
    }
    writer.line("c.shrink(out[" + Code(number) + "], {" + joinCode(dims) + "});");
  }
  writer.line("return c.done();");
  return success();
}
