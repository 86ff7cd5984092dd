// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitHost.h"

#include "Emit/DescribeModel.h"
#include "Emit/FileComment.h"
#include "Emit/Sources.h"
#include "Emit/StepPrinter.h"

#include <set>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

class HostPrinter {
public:
  HostPrinter(const Program &program, const EmittedKernels &kernels, const WeightsInfo &weights,
              CppScope &file)
      : program(program), kernels(kernels), weights(weights), file(file),
        layout(program, kernels, file), name(layout.getLibraryName()),
        target(program.isCuda() ? Code("cuda") : Code("cpu")) {
    collectScratchCalls();
  }

  std::string printHeader();
  FailureOr<std::string> printSource();

private:
  Code getContextInclude() const {
    return "#include \"cameo/" + target + "/" +
           (program.mayHaveCopies() ? Code("copies.h\"") : Code("context.h\""));
  }
  void reserveUsed(CppScope &scope) const;
  void printSymbols();
  LogicalResult printReadSymbols();
  void printBuffers(const Arena &arena);
  void printState();
  void printInferShapes();
  void printMemory();
  LogicalResult printRun();
  void printInterface();
  void printCopies();
  void printChoice();
  Code getReadSymbols(const Code &inputs, const Code &count) const;
  Code getSizeCall(const Arena &arena) const;
  void collectScratchCalls();
  /// The calls that say how much scratch memory the kernels take that run on an arena's side, as
  /// far as that is known before the first step.
  ArrayRef<Code> getScratchCalls(const Arena &arena) const {
    return scratchCalls[arena.onHost ? 1 : 0].getArrayRef();
  }
  Code getScratchArgument(const Arena &arena, const Code &threads) const;
  /// The threads that work for an arena's side.
  static Code getThreads(const Arena &arena) {
    return arena.onHost ? Code("c.host.threads()") : Code("c.compute.threads()");
  }
  Code getRowName(int64_t row) const { return str(layout.getRowName(row).take_front(48)); }
  void printScratch(const Arena &arena);
  void printSizing();

  const Program &program;
  const EmittedKernels &kernels;
  const WeightsInfo &weights;
  CppScope &file;
  HostLayout layout;
  Code name, target;
  /// Of the device's kernels, of the host's.
  std::array<llvm::SetVector<Code, SmallVector<Code>, std::set<Code>>, 2> scratchCalls;
  CppWriter writer;
};

/// The instruction sets that a build may have copies for beside the baseline's, best first.
std::array<Code, 2> getCopies() { return {"x86_64_v4", "x86_64_v3"}; }

/// The names that the text of host functions uses itself.
constexpr StringRef usedInFunctions[] = {"b",    "bytes", "c",    "dims", "host_b", "in",
                                         "kept", "out",   "plan", "s",    "value"};

} // namespace

//===----------------------------------------------------------------------===//
// NAME.h
//===----------------------------------------------------------------------===//

std::string HostPrinter::printHeader() {
  CppWriter header;
  printFileComment(
      header, program.getOptions(),
      "The model as a program sees it. C++ programs may use the classes of cameo/model.h on " +
          name + "_model.");
  header.line("#pragma once");
  header.blank();
  header.line("#include \"cameo/abi.h\"");
  header.blank();
  header.line("#ifdef __cplusplus");
  header.line("extern \"C\" {");
  header.line("#endif");
  header.blank();
  auto printPorts = [&](ArrayRef<PortInfo> ports, const Code &kind) {
    for (auto [number, port] : llvm::enumerate(ports))
      header.comment(kind + " " + Code(static_cast<int64_t>(number)) + ": \"" + comment(port.name) +
                     "\", " + getCppType(port.type.getElementType())->name + " " +
                     Program::describeShape(port.type));
  };
  printPorts(program.getInputs(), "input");
  printPorts(program.getOutputs(), "output");
  header.line("extern const cameo_model " + name + "_model;");
  header.blank();
  header.line("const cameo_model *" + name + "_describe(void);");
  header.declaration("cameo_status " + name + "_infer_shapes(",
                     {"const cameo_tensor *inputs", "int32_t input_count", "cameo_tensor *outputs",
                      "int32_t output_count"},
                     ");");
  header.declaration("cameo_status " + name + "_memory(",
                     {"const cameo_tensor *inputs", "int32_t input_count", "cameo_memory *plan"},
                     ");");
  header.declaration("cameo_status " + name + "_create(",
                     {"const cameo_options *options", "cameo_context **context"}, ");");
  header.declaration("cameo_status " + name + "_run(",
                     {"cameo_context *context", "const cameo_tensor *inputs", "int32_t input_count",
                      "cameo_tensor *outputs", "int32_t output_count", "void *stream"},
                     ");");
  header.declaration("void " + name + "_destroy(", {"cameo_context *context"}, ");");
  header.blank();
  header.line("#ifdef __cplusplus");
  header.line("} // extern \"C\"");
  header.line("#endif");
  return header.take();
}

/// Keeps names of the model from hiding what host functions use: their own names and the functions
/// of the runtime. Those of scalar.h that something calls are taken in the file's scope; the others
/// stay free, since models have many an `add` and `exp`.
void HostPrinter::reserveUsed(CppScope &scope) const {
  scope.reserve(usedInFunctions);
  for (const std::string &function : collectFunctions({getContextInclude().ref()}))
    scope.reserve({StringRef(function)});
}

//===----------------------------------------------------------------------===//
// Symbols and sizes
//===----------------------------------------------------------------------===//

void HostPrinter::printSymbols() {
  if (!layout.hasSymbols())
    return;
  writer.blank();
  writer.comment("What sizes depend on, known before the first step.", "/// ");
  CppWriter::Block scope = writer.block("struct symbols", "};");
  for (StringRef symbol : program.getEntrySymbols())
    writer.line("int64_t " + layout.getEntryName(symbol) + ";");
}

Code HostPrinter::getReadSymbols(const Code &inputs, const Code &count) const {
  return "CAMEO_TRY(read_symbols(" + inputs + ", " + count +
         (layout.hasSymbols() ? Code(", s));") : Code("));"));
}

LogicalResult HostPrinter::printReadSymbols() {
  CppScope scope(&file);
  reserveUsed(scope);
  scope.reserve({"count", "filled"});
  writer.blank();
  writer.comment("Holds the inputs against the model's table and takes the symbols from them.",
                 "/// ");
  SmallVector<Code> parameters{"const cameo_tensor *in", "int32_t count"};
  if (layout.hasSymbols())
    parameters.push_back("symbols &s");
  CppWriter::Block block = writer.function("status read_symbols(", parameters);
  ArrayRef<PortInfo> inputs = program.getInputs();
  if (llvm::any_of(inputs, [](const PortInfo &input) { return bool(input.initial); })) {
    writer.line("cameo_tensor filled[" + Code(static_cast<int64_t>(inputs.size())) + "];");
    writer.line("in = with_defaults(" + name + "_model, in, count, filled);");
  }
  if (!layout.hasSymbols()) {
    writer.line("CAMEO_TRY(check_dims(" + name + "_model, in, count, nullptr));");
  } else {
    int64_t count = program.getEntrySymbols().size();
    writer.line("int64_t dims[" + Code(count) + "];");
    writer.line("CAMEO_TRY(check_dims(" + name + "_model, in, count, dims));");
    ArrayRef<StringRef> symbols =
        program.getEntrySymbols().take_front(program.getNumInputSymbols());
    for (auto [number, symbol] : llvm::enumerate(symbols))
      writer.line("s." + layout.getEntryName(symbol) + " = dims[" +
                  Code(static_cast<int64_t>(number)) + "];");
  }
  StepPrinter steps(layout, writer, scope);
  if (failed(steps.printShapeProgram()))
    return failure();
  steps.printInputChecks();
  writer.line("return success();");
  return success();
}

void HostPrinter::printBuffers(const Arena &arena) {
  if (arena.rows.empty() || arena.isConstant)
    return;
  SmallVector<Code> names;
  for (int64_t row : arena.rows)
    names.push_back(getRowName(row));
  writer.blank();
  writer.comment(arena.onHost ? Code("The values in the host's arena.")
                              : Code("The values in the arena."),
                 "/// ");
  writer.table("const char *const " +
                   (arena.onHost ? Code("host_buffer_names") : Code("buffer_names")) + "[] = {",
               names);
  writer.blank();
  writer.comment("Their bytes, first and last step.", "/// ");
  bool usesSymbols = llvm::any_of(arena.rows, [&](int64_t row) {
    ExtentAttr bytes = program.getBuffer(row).getBytes();
    return !bytes.isConstant() && program.isEntryExtent(bytes);
  });
  SmallVector<Code> parameters{"buffer *b"};
  if (layout.hasSymbols())
    parameters.insert(parameters.begin(),
                      usesSymbols ? Code("const symbols &s") : Code("const symbols &"));
  CppWriter::Block block = writer.function(
      "void " + (arena.onHost ? Code("size_host_buffers(") : Code("size_buffers(")), parameters);
  for (auto [number, row] : llvm::enumerate(arena.rows)) {
    BufferAttr buffer = program.getBuffer(row);
    ExtentAttr bytes = buffer.getBytes();
    Code size = "unknown_bytes";
    if (bytes.isConstant())
      size = Code(*bytes.getConstant());
    else if (program.isEntryExtent(bytes))
      size = "bytes_of(" +
             getCheckedExtent(
                 bytes, [&](StringRef symbol) { return "s." + layout.getEntryName(symbol); }) +
             ")";
    writer.line("b[" + Code(static_cast<int64_t>(number)) + "] = {" + size + ", " +
                Code(buffer.getFirst()) + ", " + Code(buffer.getLast()) + ", -1, 0, 0, 0};");
  }
}

Code HostPrinter::getSizeCall(const Arena &arena) const {
  return (arena.onHost ? Code("size_host_buffers(") : Code("size_buffers(")) +
         (layout.hasSymbols() ? Code("s, ") : Code()) + arena.array + ");";
}

void HostPrinter::printState() {
  if (!layout.hasState())
    return;
  writer.blank();
  writer.comment("Kept from run to run.", "/// ");
  CppWriter::Block block = writer.block("struct state", "};");
  writer.line(layout.hasSymbols() ? Code("memo<symbols> sized;") : Code("bool sized;"));
  for (const Arena &arena : layout.arenas)
    if (!arena.rows.empty() && !arena.isConstant)
      writer.line("buffer " + arena.array + "[" + Code(static_cast<int64_t>(arena.rows.size())) +
                  "];");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void HostPrinter::printInferShapes() {
  writer.blank();
  CppWriter::Block block =
      writer.function("status infer_shapes(", {"const cameo_tensor *in", "int32_t input_count",
                                               "cameo_tensor *out", "int32_t output_count"});
  if (layout.hasSymbols())
    writer.line("symbols s = {};");
  writer.line(getReadSymbols("in", "input_count"));
  for (auto [number, output] : llvm::enumerate(program.getOutputs())) {
    SmallVector<Code> dims;
    bool isOpen = false;
    for (ExtentAttr extent : output.type.getExtents()) {
      ExtentAttr capacity = program.getCapacity(extent);
      isOpen |= capacity.isUnknown();
      if (!capacity.isUnknown())
        dims.push_back(getCheckedExtent(
            capacity, [&](StringRef symbol) { return "s." + layout.getEntryName(symbol); }));
    }
    // What the run decides without a bound, nobody can say before it.
    if (isOpen)
      continue;
    Code head = "CAMEO_TRY(infer_shape(" + name + "_model, out, output_count, " +
                Code(static_cast<int64_t>(number)) + ", {";
    writer.list(head, dims, "}));");
  }
  writer.line("return success();");
}

void HostPrinter::printMemory() {
  writer.blank();
  CppWriter::Block block = writer.function(
      "status memory(", {"const cameo_tensor *in", "int32_t input_count", "cameo_memory *plan"});
  if (layout.hasSymbols())
    writer.line("symbols s = {};");
  writer.line(getReadSymbols("in", "input_count"));
  writer.line("if (!plan)");
  writer.line("  return error_null_argument();");
  writer.line("*plan = {};");
  for (const Arena &arena : layout.arenas) {
    if (arena.rows.empty())
      continue;
    int64_t count = arena.rows.size();
    Code describe =
        (arena.onHost || !program.isCuda() ? Code("cameo") : Code("cuda")) + "::describe_arena(";
    Code names = arena.onHost ? Code("host_buffer_names") : Code("buffer_names");
    if (arena.isConstant) {
      Code peak = arena.peakRow < 0 ? Code("nullptr") : getRowName(arena.peakRow);
      writer.list(describe, {Code(arena.bytes), Code(arena.peakBytes), peak, "*plan"}, ");");
      continue;
    }
    Code bytes = arena.onHost ? Code("host_bytes") : Code("bytes");
    writer.line("buffer " + arena.array + "[" + Code(count) + "];");
    writer.line(getSizeCall(arena));
    writer.line("int64_t " + bytes + " = 0;");
    writer.line("CAMEO_TRY(pack(" + arena.array + ", " + Code(count) + ", INT32_MIN, 0, " + bytes +
                "));");
    writer.line(describe + arena.array + ", " + Code(count) + ", " + names + ", " + bytes +
                ", *plan);");
  }
  // One thread's scratch memory: more than that is taken where it is found.
  for (const Arena &arena : layout.arenas)
    if (Code scratch = getScratchArgument(arena, "1"); !scratch.empty())
      writer.line("plan->host_arena += static_cast<uint64_t>(" + scratch + ");");
  int64_t late = program.countLateSymbols();
  if (late != 0)
    writer.line("plan->late_symbols = " + Code(late) + ";");
  writer.line(target + "::complete(" + name + "_model, *plan);");
  writer.line("return success();");
}

void HostPrinter::collectScratchCalls() {
  program.getMain()->walk([&](Operation *op) {
    auto found = kernels.calls.find(op);
    if (found == kernels.calls.end() || found->second.scratch.empty())
      return;
    SmallVector<Code> arguments{"threads"};
    for (StringRef symbol : found->second.symbols) {
      if (!program.isEntrySymbol(symbol))
        return;
      arguments.push_back("s." + layout.getEntryName(symbol));
    }
    scratchCalls[found->second.onHost ? 1 : 0].insert(found->second.scratch + "(" +
                                                      joinCode(arguments) + ")");
  });
}

void HostPrinter::printScratch(const Arena &arena) {
  ArrayRef<Code> calls = getScratchCalls(arena);
  if (calls.empty())
    return;
  bool usesSymbols =
      llvm::any_of(calls, [](const Code &call) { return call.ref().contains("s."); });
  writer.blank();
  writer.comment("The most scratch memory that a kernel takes of the arena.", "/// ");
  SmallVector<Code> parameters{"int threads"};
  if (usesSymbols)
    parameters.insert(parameters.begin(), "const symbols &s");
  CppWriter::Block block = writer.function(
      (arena.onHost ? Code("int64_t host_scratch_bytes(") : Code("int64_t scratch_bytes(")),
      parameters);
  writer.line("int64_t bytes = 0;");
  for (const Code &call : calls)
    writer.line("bytes = max(bytes, " + call + ");");
  writer.line("return bytes;");
}

/// `, scratch_bytes(...)`, or nothing.
Code HostPrinter::getScratchArgument(const Arena &arena, const Code &threads) const {
  ArrayRef<Code> calls = getScratchCalls(arena);
  if (calls.empty())
    return {};
  bool usesSymbols =
      llvm::any_of(calls, [](const Code &call) { return call.ref().contains("s."); });
  return (arena.onHost ? Code("host_scratch_bytes(") : Code("scratch_bytes(")) +
         (usesSymbols ? Code("s, ") : Code()) + threads + ")";
}

/// Sizes and places the buffers, unless they were for the same symbols already.
void HostPrinter::printSizing() {
  writer.line("state &kept = c.state<state>();");
  for (const Arena &arena : layout.arenas)
    if (!arena.rows.empty() && !arena.isConstant)
      writer.line("buffer(&" + arena.array + ")[" + Code(static_cast<int64_t>(arena.rows.size())) +
                  "] = kept." + arena.array + ";");
  bool hasSymbols = layout.hasSymbols();
  CppWriter::Block block =
      writer.block(hasSymbols ? Code("if (c.changed(kept.sized, s))") : Code("if (!kept.sized)"));
  for (const Arena &arena : layout.arenas) {
    if (arena.rows.empty() || arena.isConstant)
      continue;
    writer.line(getSizeCall(arena));
    Code scratch = getScratchArgument(arena, getThreads(arena));
    writer.line("CAMEO_TRY(" + arena.plan + "(" + arena.array +
                (scratch.empty() ? Code() : ", " + scratch) + "));");
  }
  writer.line(hasSymbols ? Code("c.remember(kept.sized, s);") : Code("kept.sized = true;"));
}

LogicalResult HostPrinter::printRun() {
  CppScope scope(&file);
  reserveUsed(scope);
  writer.blank();
  bool hasInputs = !program.getInputs().empty(), hasOutputs = !program.getOutputs().empty();
  CppWriter::Block block = writer.function(
      "status run(",
      {"context &c", hasInputs ? Code("const cameo_tensor *in") : Code("const cameo_tensor *"),
       hasOutputs ? Code("cameo_tensor *out") : Code("cameo_tensor *")});
  if (layout.hasSymbols())
    writer.line("symbols s = {};");
  if (hasInputs)
    writer.line(getReadSymbols("in", Code(static_cast<int64_t>(program.getInputs().size()))));
  for (const Arena &arena : layout.arenas) {
    Code scratch = getScratchArgument(arena, getThreads(arena));
    if (arena.isConstant && (!arena.rows.empty() || !scratch.empty()))
      writer.line("CAMEO_TRY(" + arena.plan + "(" + Code(arena.bytes) +
                  (scratch.empty() ? Code() : ", " + scratch) + "));");
  }
  if (layout.hasState())
    printSizing();
  StepPrinter steps(layout, writer, scope);
  return steps.printRun();
}

void HostPrinter::printInterface() {
  Code inside = "cameo::gen::" + name + "_net::", runtime = "cameo::" + target + "::";
  if (program.mayHaveCopies())
    inside += "choose_copy().";
  writer.blank();
  writer.line("extern \"C\" {");
  writer.blank();
  writer.line("const cameo_model *" + name + "_describe(void) { return &" + name + "_model; }");
  {
    CppWriter::Block block = writer.function("cameo_status " + name + "_infer_shapes(",
                                             {"const cameo_tensor *inputs", "int32_t input_count",
                                              "cameo_tensor *outputs", "int32_t output_count"});
    writer.list("return " + inside + "infer_shapes(",
                {"inputs", "input_count", "outputs", "output_count"}, ");");
  }
  {
    CppWriter::Block block = writer.function(
        "cameo_status " + name + "_memory(",
        {"const cameo_tensor *inputs", "int32_t input_count", "cameo_memory *plan"});
    writer.list("return " + inside + "memory(", {"inputs", "input_count", "plan"}, ");");
  }
  {
    CppWriter::Block block =
        writer.function("cameo_status " + name + "_create(",
                        {"const cameo_options *options", "cameo_context **context"});
    if (program.mayHaveCopies()) {
      writer.append("#if CAMEO_COPIES\n");
      writer.line("CAMEO_TRY(cameo::cpu::check_isa(options));");
      writer.append("#endif\n");
    }
    writer.list("return " + runtime + "create(", {name + "_model", "options", "context"}, ");");
  }
  {
    CppWriter::Block block =
        writer.function("cameo_status " + name + "_run(",
                        {"cameo_context *context", "const cameo_tensor *inputs",
                         "int32_t input_count", "cameo_tensor *outputs", "int32_t output_count",
                         program.isCuda() ? Code("void *stream") : Code("void *")});
    SmallVector<Code> arguments{name + "_model", "context", "inputs",
                                "input_count",   "outputs", "output_count"};
    if (program.isCuda())
      arguments.push_back("stream");
    arguments.push_back(inside + "run");
    writer.list("return " + runtime + "run(", arguments, ");");
  }
  writer.line("void " + name + "_destroy(cameo_context *context) { " + runtime +
              "destroy(context); }");
  writer.blank();
  writer.line("} // extern \"C\"");
}

//===----------------------------------------------------------------------===//
// NAME.cpp
//===----------------------------------------------------------------------===//

/// Declares the other copies of this program, and opens the namespace of this one.
void HostPrinter::printCopies() {
  writer.line("#if CAMEO_COPIES");
  for (const Code &isa : getCopies()) {
    writer.line("namespace " + isa + " {");
    writer.line("cpu::model_copy get_copy();");
    writer.line("}");
  }
  writer.line("#endif");
  writer.blank();
  writer.line("inline namespace CAMEO_ISA {");
}

/// Ends what each copy has of its own; behind it, in one of them, is what chooses.
void HostPrinter::printChoice() {
  writer.line("} // namespace");
  writer.blank();
  writer.comment("This program as it was compiled for one instruction set.", "/// ");
  writer.line("cpu::model_copy get_copy() { return {infer_shapes, memory, run}; }");
  writer.blank();
  writer.line("} // namespace CAMEO_ISA");
  writer.line("} // namespace cameo::gen::" + name + "_net");
  writer.blank();
  writer.line("#if !CAMEO_COPY");
  writer.line("namespace cameo::gen::" + name + "_net {");
  writer.line("namespace {");
  writer.blank();
  writer.comment("The copy for the machine that it runs on.", "/// ");
  {
    CppWriter::Block block = writer.block("cpu::model_copy choose_copy()");
    writer.append("#if CAMEO_COPIES\n");
    for (const Code &isa : getCopies()) {
      writer.line("if (cpu::machine_isa() == cpu::isa::" + isa + ")");
      writer.line("  return " + isa + "::get_copy();");
    }
    writer.append("#endif\n");
    writer.line("return get_copy();");
  }
  writer.blank();
}

FailureOr<std::string> HostPrinter::printSource() {
  printFileComment(
      writer, program.getOptions(),
      "The host program of " + name +
          ": the model's table, the sizes of its buffers, and run() as a list of steps.");
  writer.line("#include \"" + name + ".h\"");
  writer.blank();
  writer.line(getContextInclude());
  writer.line("#include \"cameo/scalar.h\"");
  writer.line("#include \"" + name + "_kernels.h\"");
  writer.blank();
  writer.line("static_assert(CAMEO_ABI_VERSION == " + TrustedCode::make(kAbiVersion.str()) +
              ", \"the runtime is another version's\");");
  writer.blank();
  bool isEmbedded =
      program.getOptions().weights == EmitOptions::Weights::Embed && weights.bytes != 0;
  if (isEmbedded) {
    writer.line("extern \"C\" const unsigned char " + name + "_weights[];");
    writer.blank();
  }
  writer.line("namespace cameo::gen::" + name + "_net {");
  if (program.mayHaveCopies())
    printCopies();
  writer.line("namespace {");
  writer.line("using namespace cameo::" + target + ";");
  writer.blank();
  printSymbols();
  if (failed(printReadSymbols()))
    return failure();
  for (const Arena &arena : layout.arenas) {
    printBuffers(arena);
    printScratch(arena);
  }
  printState();
  printInferShapes();
  printMemory();
  if (failed(printRun()))
    return failure();
  writer.blank();
  if (program.mayHaveCopies())
    printChoice();
  SmallVector<Code> members = describeModel(layout, weights, writer);
  writer.blank();
  writer.line("} // namespace");
  writer.line("} // namespace cameo::gen::" + name + "_net");
  printInterface();
  writer.blank();
  writer.table("const cameo_model " + name + "_model = {", members);
  if (program.mayHaveCopies()) {
    writer.blank();
    writer.line("#endif");
  }
  return writer.take();
}

LogicalResult cameo::emitHost(const Program &program, const EmittedKernels &kernels,
                              const WeightsInfo &weights, CppScope &scope, EmittedFiles &files) {
  HostPrinter printer(program, kernels, weights, scope);
  FailureOr<std::string> source = printer.printSource();
  if (failed(source))
    return failure();
  files[program.getOptions().name + ".cpp"] = std::move(*source);
  files[program.getOptions().name + ".h"] = printer.printHeader();
  return success();
}
