// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/StatementPrinter.h"

#include "Emit/EmitExternal.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::host;

/// Where a tensor without elements is: nowhere, but of a type that views and templates can take.
static Code getNull(SymTensorType type) {
  return "static_cast<const " + getStoredType(type) + " *>(nullptr)";
}

StatementPrinter::StatementPrinter(const HostLayout &layout, CppWriter &writer, CppScope &scope)
    : layout(layout), program(layout.program), writer(writer), scope(scope),
      scalars(writer, scope, [](ExtentAttr) { return Code(); }) {}

LogicalResult StatementPrinter::print(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(print(&op)))
      return failure();
  return success();
}

LogicalResult StatementPrinter::print(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<IfOp, ChooseOp, LoopOp, WhileOp, RestOp>([&](auto typed) { return print(typed); })
      .Case<SymbolOp, EvaluateOp, BindOp, DefineOp, ElementOp, CheckOp, ReadDimsOp, InputDataOp,
            CheckDimOp, CheckDivisorOp, ReadSymbolsOp, SetShapeOp, SizeRowsOp, PlanOp, ReplanOp,
            AtOp, LocalOp, ViewOp, DescribeArenaOp, LateSymbolsOp, ConstantsOp, prog::WeightOp,
            prog::NullOp, BindInputOp, BindOutputOp, StridedOp, StrideOp, ApartOp, CopiedOp,
            LaunchKernelOp, ReadyOp, DeliverOp, ShrinkOp, DoneOp, StepOp, FromElementsOp,
            WriteElementsOp, FetchOp, AwaitOp, AskOp, UploadOp, CopyOp, ExternalOp, CountOp,
            ExtentsOp, ConfirmOp>([&](auto typed) {
        print(typed);
        return success();
      })
      .Default([&](Operation *scalar) {
        return scalar->use_empty() ? success() : scalars.print(scalar);
      });
}

Code StatementPrinter::get(Value value) const {
  auto found = pointers.find(value);
  return found != pointers.end() ? found->second : scalars.get(value);
}

Code StatementPrinter::define(Value value, StringRef fallback) {
  Code name = scope.add(host::getName(value), fallback);
  if (isa<SymTensorType, prog::TicketType>(value.getType()))
    pointers[value] = name;
  else
    scalars.define(value, name);
  return name;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

void StatementPrinter::print(SymbolOp op) {
  scalars.define(op.getOutput(), "s." + layout.getEntryName(op.getName()));
}

Code StatementPrinter::getPlain(Value number) const {
  auto evaluated = number.getDefiningOp<EvaluateOp>();
  if (!evaluated)
    return scalars.get(number);
  return getExtentCode(evaluated.getExtent(),
                       [&](StringRef symbol) { return scalars.get(evaluated.getValueOf(symbol)); });
}

Code StatementPrinter::getChecked(Value number) const {
  auto evaluated = number.getDefiningOp<EvaluateOp>();
  if (!evaluated || evaluated.getExtent().isConstant())
    return getPlain(number);
  return getExtentCode(evaluated.getExtent(), [&](StringRef symbol) {
    return "checked(" + scalars.get(evaluated.getValueOf(symbol)) + ")";
  });
}

SmallVector<Code> StatementPrinter::getChecked(ValueRange numbers) const {
  return llvm::map_to_vector(numbers, [&](Value number) { return getChecked(number); });
}

void StatementPrinter::print(EvaluateOp op) {
  bool isConstant = op.getExtent().isConstant();
  scalars.define(op.getOutput(), isConstant ? getPlain(op.getOutput())
                                            : "(" + getChecked(op.getOutput()) + ").value()");
}

void StatementPrinter::print(BindOp op) {
  Code value = scalars.get(op.getValue());
  if (op.getEntry()) {
    Code member = "s." + layout.getEntryName(op.getName());
    writer.line(member + " = " + value + ";");
    scalars.define(op.getOutput(), member);
    return;
  }
  Code type = getStoredType(op.getType());
  Code name = define(op.getOutput());
  writer.line("const " + type + " " + name + " = " + value + ";");
}

void StatementPrinter::print(DefineOp op) {
  Code name = op.getEntry() ? "s." + layout.getEntryName(op.getName()) : define(op.getOutput());
  if (op.getEntry())
    scalars.define(op.getOutput(), name);
  else
    writer.line("int64_t " + name + " = 0;");
  writer.list("CAMEO_TRY(define(" + name + ", ", {getChecked(op.getValue()), getNode(op)}, "));");
}

void StatementPrinter::print(ElementOp op) {
  Code base = get(op.getTensor());
  if (op.getTensor().getType().isPacked())
    base = "packed<" + getStoredType(op.getType()) + ">(" + base + ")";
  else if (base.ref().contains(' '))
    base = "(" + base + ")";
  scalars.define(op.getOutput(), base + "[" + getPlain(op.getOffset()) + "]");
}

void StatementPrinter::print(CheckOp op) {
  Code got = scalars.get(op.getGot()), expected = scalars.get(op.getExpected()), condition;
  switch (op.getRelation()) {
  case Relation::Equal:
    condition = got + " != " + expected;
    break;
  case Relation::AtMost:
    condition = got + " > " + expected;
    break;
  case Relation::AtLeast:
    condition = got + " < " + expected;
    break;
  case Relation::Broadcast:
    condition = got + " != " + expected + " && " + got + " != 1 && " + expected + " != 1";
    break;
  }
  bool isMismatch = op.getRelation() == Relation::Equal || op.getRelation() == Relation::Broadcast;
  Code node = getNode(op);
  Code error = "error_value({0, CAMEO_" + TrustedCode::make(op.getCode().upper()) + ", " + node +
               ", " + node + ", 0, 0, " + got + ", " + expected + "})";
  if (op.getCode() == "assertion")
    error = "error_assertion(" + node + ", " + got + ", " + expected + ")";
  else if (op.getCode() == "invalid_argument")
    error = (isMismatch ? Code("error_broadcast(") : Code("error_shape_value(")) + node + ", " +
            got + ", " + expected + ")";
  writer.line("if (" + condition + ")");
  writer.line("  return " + error + ";");
}

//===----------------------------------------------------------------------===//
// The shape program
//===----------------------------------------------------------------------===//

void StatementPrinter::print(ReadDimsOp op) {
  Code check = "CAMEO_TRY(check_dims(" + layout.getLibraryName() + "_model, in, count, ";
  if (!layout.hasSymbols()) {
    writer.line(check + "nullptr));");
    return;
  }
  writer.line("int64_t dims[" + Code(static_cast<int64_t>(program.getEntrySymbols().size())) +
              "];");
  writer.line(check + "dims));");
  for (auto [number, symbol] : llvm::enumerate(op.getSymbols().getAsValueRange<StringAttr>()))
    writer.line("s." + layout.getEntryName(symbol) + " = dims[" +
                Code(static_cast<int64_t>(number)) + "];");
}

void StatementPrinter::print(InputDataOp op) {
  Code type = getStoredType(op.getType());
  writer.line("const auto *" + define(op.getOutput()) + " = static_cast<const " + type + " *>(in[" +
              Code(static_cast<int64_t>(op.getInput())) + "].data);");
}

void StatementPrinter::print(CheckDimOp op) {
  Code tensor = Code(static_cast<int64_t>(op.getInput()));
  Code axis = Code(static_cast<int64_t>(op.getAxis()));
  Code got = "in[" + tensor + "].dims[" + axis + "]", need = scalars.get(op.getValue());
  writer.line("if (" + got + " != " + need + ")");
  writer.list("  return error_dim(", {tensor, axis, got, need}, ");");
}

void StatementPrinter::print(CheckDivisorOp op) {
  Code value = scalars.get(op.getValue()), divisor = Code(static_cast<int64_t>(op.getDivisor()));
  writer.line("if (" + value + " % " + divisor + " != 0)");
  writer.line("  return error_divisor(" + value + ", " + divisor + ");");
}

void StatementPrinter::print(ReadSymbolsOp op) {
  Code count = op.getCount() ? Code(static_cast<int64_t>(*op.getCount())) : Code("input_count");
  writer.line("CAMEO_TRY(read_symbols(in, " + count +
              (layout.hasSymbols() ? Code(", s));") : Code("));")));
}

void StatementPrinter::print(SetShapeOp op) {
  Code head = "CAMEO_TRY(infer_shape(" + layout.getLibraryName() + "_model, out, output_count, " +
              Code(static_cast<int64_t>(op.getOutput())) + ", {";
  writer.list(head, getChecked(op.getDims()), "}));");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void StatementPrinter::print(SizeRowsOp op) {
  SmallVector<Code> lives, bytes;
  for (auto [number, size] : llvm::zip_equal(op.getRows(), op.getSizes())) {
    prog::BufferAttr row = program.getBuffer(number);
    lives.push_back("{" + Code(size) + ", " + Code(row.getFirst()) + ", " + Code(row.getLast()) +
                    "}");
  }
  for (Value size : op.getBytes()) {
    auto evaluated = size.getDefiningOp<EvaluateOp>();
    bytes.push_back(evaluated && evaluated.getExtent().isConstant()
                        ? getPlain(size)
                        : "bytes_of(" + getChecked(size) + ")");
  }
  Code rows = scope.add("rows"), sizes = "nullptr";
  writer.table("static constexpr buffer_life " + rows + "[] = {", lives);
  if (!bytes.empty()) {
    sizes = scope.add("bytes");
    writer.table("const int64_t " + sizes + "[] = {", bytes);
  }
  writer.list("size_rows(", {layout.getArenaOf(op.getSide()).getTable(), rows, sizes}, ");");
}

Code StatementPrinter::getSizeCall(const Arena &arena) const {
  return arena.getName("size_buffers(") + (layout.hasSymbols() ? Code("s, ") : Code()) +
         arena.getTable() + ");";
}

void StatementPrinter::print(PlanOp) {
  for (const Arena &arena : layout.arenas) {
    Code scratch = arena.getScratchBytes(arena.getThreads());
    if (!arena.isSized() && (!arena.rows.empty() || !scratch.empty()))
      writer.line("CAMEO_TRY(c." + arena.getName("plan(") + Code(*arena.bytes) +
                  (scratch.empty() ? Code() : ", " + scratch) + "));");
  }
  if (!layout.hasState())
    return;
  writer.line("state &kept = c.state<state>();");
  for (const Arena &arena : layout.arenas)
    if (arena.isSized())
      writer.line(arena.getName("buffers &") + arena.getTable() + " = kept." + arena.getTable() +
                  ";");
  bool hasSymbols = layout.hasSymbols();
  CppWriter::Block block =
      writer.block(hasSymbols ? Code("if (c.changed(kept.sized, s))") : Code("if (!kept.sized)"));
  for (const Arena &arena : layout.arenas) {
    if (!arena.isSized())
      continue;
    writer.line(getSizeCall(arena));
    Code scratch = arena.getScratchBytes(arena.getThreads());
    writer.line("CAMEO_TRY(c." + arena.getName("plan(") + arena.getTable() +
                (scratch.empty() ? Code() : ", " + scratch) + "));");
  }
  writer.line(hasSymbols ? Code("c.remember(kept.sized, s);") : Code("kept.sized = true;"));
}

void StatementPrinter::print(ReplanOp op) {
  for (auto [row, bytes] : llvm::zip_equal(op.getRows(), op.getBytes()))
    writer.line(layout.getBuffer(row) + ".bytes = bytes_of(" + getChecked(bytes) + ");");
  const Arena &arena = layout.getArenaOf(op.getSide());
  writer.line("CAMEO_TRY(c." + arena.getName("replan(") + arena.getTable() + ", " +
              Code(static_cast<int64_t>(op.getFrom())) + "));");
}

void StatementPrinter::print(AtOp op) {
  Code type = getStoredType(op.getType());
  Code memory = "c." + layout.getArenaOf(op.getRow()).getName("at<") + type + ">(" +
                layout.getBuffer(op.getRow()) + ")";
  if (op.getName())
    writer.line(type + " *" + define(op.getOutput()) + " = " + memory + ";");
  else
    pointers[op.getOutput()] = memory;
}

void StatementPrinter::print(LocalOp op) {
  int64_t count = *op.getType().getNumElements().getConstant();
  Code type = getStoredType(op.getType());
  writer.line(type + " " + define(op.getOutput()) + "[" + Code(std::max<int64_t>(count, 1)) + "];");
}

void StatementPrinter::print(ViewOp op) {
  Code source = get(op.getSource());
  pointers[op.getOutput()] = op.getOffset() ? source + " + " + scalars.get(op.getOffset()) : source;
}

void StatementPrinter::print(DescribeArenaOp op) {
  const Arena &arena = layout.getArenaOf(op.getSide());
  Code describe = Code(arena.side->described) + "::describe_arena(";
  if (op.getBytes()) {
    int64_t peakBytes = 0;
    Code peak = "nullptr";
    if (std::optional<uint64_t> row = op.getPeakRow()) {
      peakBytes = *program.getBuffer(*row).getBytes().getConstant();
      peak = layout.getRowName(*row);
    }
    writer.list(describe,
                {Code(static_cast<int64_t>(*op.getBytes())), Code(peakBytes), peak, "*plan"}, ");");
    return;
  }
  Code table = arena.getTable();
  writer.line(arena.getName("buffers ") + table + ";");
  writer.line(getSizeCall(arena));
  writer.line("CAMEO_TRY(" + describe + table + ", " + arena.getName("buffer_names") +
              ", *plan));");
}

void StatementPrinter::print(LateSymbolsOp op) {
  writer.line("plan->late_symbols = " + Code(static_cast<int64_t>(op.getCount())) + ";");
}

void StatementPrinter::print(ConstantsOp op) {
  Code prefix = layout.getArenaOf(op.getSide()).side->prefix;
  writer.line("const weights &" + prefix + "w = c." + prefix + "constants<weights>();");
}

void StatementPrinter::print(prog::WeightOp op) {
  auto offset = op->getAttrOfType<IntegerAttr>("offset");
  pointers[op.getOutput()] =
      offset ? Code(program.getSide(op.getType()).prefix) + "w." + layout.getWeight(offset.getInt())
             : getNull(op.getType());
}

void StatementPrinter::print(prog::NullOp op) { pointers[op.getOutput()] = "nullptr"; }

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

void StatementPrinter::print(BindInputOp op) {
  Code type = getStoredType(op.getType());
  writer.line("const " + type + " *" + define(op.getOutput()) + " = c." +
              program.getSide(op.getType()).prefix + "input<" + type + ">(in[" +
              Code(static_cast<int64_t>(op.getInput())) + "]);");
}

void StatementPrinter::print(BindOutputOp op) {
  Code type = getStoredType(op.getType());
  writer.line(type + " *" + define(op.getOutput()) + " = c." +
              program.getSide(op.getType()).prefix + "output<" + type + ">(out[" +
              Code(static_cast<int64_t>(op.getNumber())) + "], {" +
              joinCode(getChecked(op.getDims())) + "});");
}

void StatementPrinter::print(StridedOp op) {
  Code text;
  for (int64_t output : op.getOutputs())
    text += (text.empty() ? Code("c.strided(out[") : " || c.strided(out[") + Code(output) + "])";
  scalars.define(op.getResult(), text);
}

void StatementPrinter::print(StrideOp op) {
  scalars.define(op.getResult(), "c.stride(out[" + Code(static_cast<int64_t>(op.getOutput())) +
                                     "], " + Code(static_cast<int64_t>(op.getDim())) + ")");
}

void StatementPrinter::print(ApartOp op) {
  Code text;
  for (auto [output, input] : llvm::zip_equal(op.getOutputs(), op.getInputs()))
    text += (text.empty() ? Code() : Code(" || ")) + get(output) + " != " + get(input);
  scalars.define(op.getResult(), text);
}

void StatementPrinter::print(CopiedOp op) {
  writer.line("c.copied(" + getChecked(op.getBytes()) + ");");
}

void StatementPrinter::print(ReadyOp) { writer.line("CAMEO_TRY(c.ready());"); }

void StatementPrinter::print(DeliverOp op) {
  writer.line("c.deliver(out[" + Code(static_cast<int64_t>(op.getOutput())) + "]);");
}

void StatementPrinter::print(ShrinkOp op) {
  SmallVector<Code> dims;
  for (Value dim : op.getDims())
    dims.push_back(scalars.get(dim));
  Code rank = op.getRank() ? ", " + scalars.get(op.getRank()) : Code();
  writer.line("c.shrink(out[" + Code(static_cast<int64_t>(op.getOutput())) + "], {" +
              joinCode(dims) + "}" + rank + ");");
}

/// Whether it reads weights of the host, which are where they are when the run is over.
static bool readsHostWeights(RestOp op) {
  return op
      ->walk([](Operation *inner) {
        bool reads = llvm::any_of(inner->getOperands(), [](Value operand) {
          auto weight = operand.getDefiningOp<prog::WeightOp>();
          return weight && weight.getType().isHost();
        });
        return reads ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult StatementPrinter::print(RestOp op) {
  writer.blank();
  Code kept = readsHostWeights(op) ? Code("=, &host_w") : Code("=");
  CppWriter::Block text = writer.block("auto rest = [" + kept + "](context &c) -> status", "};");
  if (failed(print(op.getBody().front())))
    return failure();
  writer.line("return c.ready();");
  return success();
}

void StatementPrinter::print(DoneOp op) {
  writer.blank();
  writer.line(isa_and_nonnull<RestOp>(op->getPrevNode()) ? Code("return c.done(rest);")
                                                         : Code("return c.done();"));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void StatementPrinter::print(StepOp op) {
  writer.blank();
  Code nodes = Program::describeNodes(op);
  Code text = Code(static_cast<int64_t>(op.getNumber())) + ". " + nodes;
  if (op.getCallee())
    text += ", " + TrustedCode::make(op.getCallee()->str());
  SmallVector<Code> shapes;
  for (Type type : op.getShapes().getAsValueRange<TypeAttr>())
    shapes.push_back(Program::describeShape(type));
  if (!shapes.empty())
    text += (nodes.empty() ? Code("-> ") : Code(" -> ")) + joinCode(shapes);
  writer.comment(text);
}

/// A number in which launches of a kernel differ: an extent or an element.
static Code getNumber(Attribute number) {
  auto integer = dyn_cast<IntegerAttr>(number);
  return integer ? Code(integer.getInt()) : *getLiteral(cast<TypedAttr>(number));
}

void StatementPrinter::print(LaunchKernelOp op) {
  const KernelCall &call = layout.kernels.getCall(op);
  if (call.mayRaise)
    writer.line("c.step(" + getNode(op) + ");");
  SmallVector<Code> arguments{call.side->exec};
  for (unsigned number : call.arguments)
    arguments.push_back(get(op.getArgs()[number]));
  for (unsigned number : call.symbols)
    arguments.push_back(scalars.get(op.getValues()[number]));
  for (Attribute number : op.getNumbers())
    arguments.push_back(getNumber(number));
  writer.list(call.function + "(", arguments, ");");
}

void StatementPrinter::print(CountOp op) {
  SmallVector<Code> members{get(op.getSource()), scalars.get(op.getMost())};
  if (Value beside = op.getBeside())
    members.push_back(scalars.get(beside));
  writer.list("const counted " + define(op.getOutput()) + " = {", members, "};");
}

void StatementPrinter::print(ExtentsOp op) {
  SmallVector<Code> which;
  for (auto [output, axis] : llvm::zip_equal(op.getOutputs(), op.getAxes()))
    which.push_back("{" + Code(output) + ", " + Code(axis) + "}");
  writer.list("c.extents(" + get(op.getSource()) + ", {", which, "});");
}

void StatementPrinter::print(FromElementsOp op) {
  SmallVector<Code> values;
  for (Value element : op.getElements())
    values.push_back(scalars.get(element));
  if (values.empty()) {
    pointers[op.getOutput()] = getNull(op.getType());
    return;
  }
  Code type = getStoredType(op.getType());
  writer.list("const " + type + " " + define(op.getOutput()) + "[] = {", values, "};");
}

void StatementPrinter::print(WriteElementsOp op) {
  for (auto [number, element] : llvm::enumerate(op.getElements()))
    writer.line(get(op.getTarget()) + "[" + Code(static_cast<int64_t>(number)) +
                "] = " + scalars.get(element) + ";");
}

void StatementPrinter::print(FetchOp op) {
  Code source = get(op.getSource());
  writer.line("const fetched " + define(op.getTicket()) + " = c.fetch(" + source + ", " +
              getPlain(op.getBytes()) + ");");
}

void StatementPrinter::print(AwaitOp op) {
  writer.line("CAMEO_TRY(c.await(" + get(op.getTicket()) + ", " + get(op.getTarget()) + "));");
}

void StatementPrinter::print(AskOp op) {
  Code source = get(op.getSource());
  int64_t count = *cast<SymTensorType>(op.getSource().getType()).getNumElements().getConstant();
  Code counted = count == 1 ? Code() : ", " + TrustedCode::make(std::to_string(count));
  writer.line("asked " + define(op.getTicket()) + " = c.ask(" + source + counted + ");");
}

void StatementPrinter::print(UploadOp op) {
  writer.line("c.upload(" + get(op.getTarget()) + ", " + get(op.getSource()) + ", " +
              getPlain(op.getBytes()) + ");");
}

void StatementPrinter::print(CopyOp op) {
  writer.line("c.compute.copy(" + get(op.getTarget()) + ", " + get(op.getSource()) + ", " +
              getPlain(op.getBytes()) + ");");
}

Code StatementPrinter::printTensors(ExternalOp op, ValueRange tensors, const Code &head,
                                    StringRef name, const Code &dims, int64_t &next) {
  if (tensors.empty())
    return "nullptr";
  SmallVector<Code> rows;
  for (Value tensor : tensors) {
    auto type = cast<SymTensorType>(tensor.getType());
    // An output without memory has its extents all the same.
    bool isAbsent = tensor.getDefiningOp<prog::NullOp>() && head.ref().starts_with("const ");
    int64_t rank = isAbsent ? 0 : type.getRank();
    Code data = tensor.getDefiningOp<prog::NullOp>() ? getNull(type) : get(tensor);
    Code extents = rank == 0 ? Code("nullptr") : next == 0 ? dims : dims + " + " + Code(next);
    rows.push_back("external_tensor(" +
                   joinCode({program.getSide(op.getSide()).space, data, extents, Code(rank)}) +
                   ")");
    next += rank;
  }
  Code table = scope.add(name);
  writer.table(head + table + "[] = {", rows);
  return table;
}

void StatementPrinter::print(ExternalOp op) {
  writer.line("{");
  CppWriter::Block block(writer, "}");
  Code dims = "nullptr";
  if (!op.getDims().empty()) {
    dims = scope.add("dims");
    writer.table("int64_t " + dims + "[] = {",
                 llvm::map_to_vector(op.getDims(), [&](Value dim) { return getPlain(dim); }));
  }
  int64_t next = 0;
  Code inputs = printTensors(op, op.getIns(), "const cameo_tensor ", "inputs", dims, next);
  Code outputs = printTensors(op, op.getOuts(), "cameo_tensor ", "outputs", dims, next);
  auto numOutputs = static_cast<int64_t>(op.getNumOutputs());
  // Asked for extents alone.
  if (op.getOuts().empty()) {
    outputs = scope.add("outputs");
    writer.line("cameo_tensor " + outputs + "[" + Code(numOutputs) + "] = {};");
  }
  Code attributes = printAttributes(op, writer, scope);
  Code counts = op.getCounts() ? get(op.getCounts()) : Code("nullptr");
  int64_t numCounts =
      op.getCounts() ? *cast<SymTensorType>(op.getCounts().getType()).getNumElements().getConstant()
                     : 0;
  writer.list(
      "CAMEO_TRY(c." + Code(program.getSide(op.getSide()).prefix) + "external(",
      {"::" + TrustedCode::make(op.getFunction().str()), getNode(op),
       "{" +
           joinCode({inputs, Code(static_cast<int64_t>(op.getIns().size())), outputs,
                     Code(numOutputs), attributes, Code(static_cast<int64_t>(op.getNames().size())),
                     counts, Code(numCounts)}) +
           "}"},
      "));");
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult StatementPrinter::print(IfOp op) {
  SmallVector<Code> results;
  for (Value result : op.getOutputs()) {
    Code type = getStoredType(result.getType());
    results.push_back(define(result));
    writer.line(type + " " + results.back() + "{};");
  }
  Code head = "if (" + scalars.get(op.getCondition()) + ")";
  for (bool isThen : {true, false}) {
    Block &block = (isThen ? op.getThenRegion() : op.getElseRegion()).front();
    CppWriter::Block text = isThen ? writer.block(head, "} else {") : CppWriter::Block(writer, "}");
    if (failed(print(block)))
      return failure();
    for (auto [name, value] : llvm::zip_equal(results, block.getTerminator()->getOperands()))
      writer.line(name + " = " + scalars.get(value) + ";");
  }
  return success();
}

LogicalResult StatementPrinter::print(ChooseOp op) {
  Code asked = get(op.getTicket()), choice = scope.add(asked, "_choice");
  {
    Code number = TrustedCode::make(std::to_string(op.getNumber()));
    CppWriter::Block turns = writer.block("for (choice " + choice + " = " + asked + ".choose(" +
                                          number + "); " + choice + ".next();)");
    for (bool isThen : {true, false}) {
      Block &block = (isThen ? op.getThenRegion() : op.getElseRegion()).front();
      CppWriter::Block text = isThen ? writer.block("if (" + choice + ".taken())", "} else {")
                                     : CppWriter::Block(writer, "}");
      if (failed(print(block)))
        return failure();
    }
  }
  writer.line("CAMEO_TRY(" + asked + ".end());");
  return success();
}

LogicalResult StatementPrinter::print(WhileOp op) {
  Code trips = get(op.getTrips()), condition = scalars.get(op.getCondition());
  Code limit = op.getTripCount() ? ", " + scalars.get(op.getTripCount()) : Code();
  repetition = scope.add("repeated");
  writer.line("auto " + repetition + " = c.repeat(" + trips + ", " + condition + limit + ");");
  {
    CppWriter::Block turns = writer.block("while (" + repetition + ".next())");
    Block &body = op.getBody().front();
    if (failed(print(body)))
      return failure();
    writer.line(repetition + ".again(" + get(body.getTerminator()->getOperand(0)) + ");");
  }
  writer.line("CAMEO_TRY(" + repetition + ".end());");
  return success();
}

/// No body of such a loop has another one in it.
void StatementPrinter::print(ConfirmOp) {
  writer.line("if (!" + repetition + ".confirmed())");
  writer.line("  break;");
}

namespace {

/// Assignments that happen at once, in an order of statements in which none sees another. Linear in
/// the text but for the queues: a loop may carry thousands of values.
class ParallelAssignment {
public:
  ParallelAssignment(ArrayRef<std::pair<Code, Code>> assignments, CppWriter &writer,
                     CppScope &scope)
      : writer(writer), scope(scope) {
    for (const auto &[target, value] : assignments)
      if (!(target == value)) {
        numbers[target.ref()] = moves.size();
        moves.push_back({target, value, {}, 0, moves.size()});
      }
    for (Move &move : moves)
      forEachWord(move.value, [&](StringRef name) {
        auto found = numbers.find(name);
        if (found != numbers.end() && found->second != move.order &&
            !llvm::is_contained(move.reads, found->second)) {
          move.reads.push_back(found->second);
          ++moves[found->second].readers;
        }
      });
  }

  void print() {
    for (auto [number, move] : llvm::enumerate(moves)) {
      pending.emplace(move.order, number);
      if (move.readers == 0)
        ready.emplace(move.order, number);
    }
    while (!pending.empty()) {
      // One whose old value nothing that is left reads; in a circle, the first waits for the rest.
      if (ready.empty()) {
        putOff(pending.begin()->second);
        continue;
      }
      size_t number = ready.begin()->second;
      ready.erase(ready.begin());
      pending.erase(moves[number].order);
      writer.line(moves[number].target + " = " + moves[number].value + ";");
      release(number);
    }
  }

private:
  struct Move {
    Code target, value;
    /// The moves whose targets the value names, and how many that are left name this target.
    SmallVector<size_t, 1> reads;
    size_t readers, order;
  };

  void release(size_t number) {
    for (size_t read : std::exchange(moves[number].reads, {}))
      if (--moves[read].readers == 0 && pending.count(moves[read].order))
        ready.emplace(moves[read].order, read);
  }

  void putOff(size_t number) {
    Move &move = moves[number];
    Code temporary = scope.add("next");
    writer.line("const auto " + temporary + " = " + move.value + ";");
    move.value = temporary;
    pending.erase(std::exchange(move.order, moves.size() + numPutOff++));
    pending.emplace(move.order, number);
    release(number);
  }

  CppWriter &writer;
  CppScope &scope;
  SmallVector<Move> moves;
  llvm::StringMap<size_t> numbers;
  std::map<size_t, size_t> pending, ready;
  size_t numPutOff = 0;
};

} // namespace

LogicalResult StatementPrinter::print(LoopOp op) {
  Block &body = op.getBody().front();
  SmallVector<Code> names;
  for (auto [init, argument, result] :
       llvm::zip_equal(op.getInits(), body.getArguments().drop_front(), op.getOutputs())) {
    bool isTensor = isa<SymTensorType>(init.getType());
    Code start = get(init), type = getStoredType(init.getType());
    Code name = define(result);
    writer.line(type + (isTensor ? Code(" *") : Code(" ")) + name + " = " + start + ";");
    (isTensor ? pointers[argument] = name : (scalars.define(argument, name), name));
    names.push_back(name);
  }
  Code condition;
  if (op.getCondition()) {
    condition = scope.add("keep_going");
    writer.line("bool " + condition + " = " + scalars.get(op.getCondition()) + ";");
  }
  // The count is the iteration that the loop ended at.
  Code iteration = define(body.getArgument(0)), start = "int64_t " + iteration + " = 0";
  scalars.define(op.getCount(), iteration);
  bool isCounted = !op.getCount().use_empty();
  if (isCounted)
    writer.line(start + ";");
  SmallVector<Code> tests;
  if (op.getTripCount())
    tests.push_back(iteration + " < " + scalars.get(op.getTripCount()));
  if (op.getCondition())
    tests.push_back(condition);
  CppWriter::Block text = writer.block("for (" + (isCounted ? Code() : start) + "; " +
                                       joinCode(tests, " && ") + "; ++" + iteration + ")");
  if (op.getLimited())
    writer.line("CAMEO_TRY(c.trip(" + iteration + "));");
  if (failed(print(body)))
    return failure();
  OperandRange yielded = body.getTerminator()->getOperands();
  SmallVector<std::pair<Code, Code>> assignments;
  if (op.getCondition())
    assignments.emplace_back(condition, scalars.get(yielded.front()));
  for (auto [name, value] : llvm::zip_equal(names, yielded.drop_front(op.getCondition() ? 1 : 0)))
    assignments.emplace_back(name, get(value));
  ParallelAssignment(assignments, writer, scope).print();
  return success();
}
