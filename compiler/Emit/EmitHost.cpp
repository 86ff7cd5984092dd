// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitHost.h"

#include "Dialect/Core/IR/Limits.h"
#include "Emit/DescribeModel.h"
#include "Emit/EmitExternal.h"
#include "Emit/FileComment.h"
#include "Emit/Sources.h"
#include "Emit/StatementPrinter.h"
#include "cameo/abi.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

class HostPrinter {
public:
  HostPrinter(const Program &program, const EmittedKernels &kernels, const WeightsInfo &weights,
              CppScope &file)
      : program(program), weights(weights), file(file), layout(program, kernels, file),
        name(layout.getLibraryName()), target(program.getTarget().name) {}

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
  void printWeights();
  void printPlaces(const Arena &arena);
  LogicalResult printBuffers(const Arena &arena);
  void printState();
  LogicalResult printInferShapes();
  LogicalResult printMemory();
  LogicalResult printRun();
  void printInterface();
  void printCopies();
  void printChoice();
  SmallVector<Code> getBestIsa() const;
  void printScratch(const Arena &arena);
  /// The statements of a function of the prepared program.
  LogicalResult printStatements(StringRef function, CppScope &scope);

  const Program &program;
  const WeightsInfo &weights;
  CppScope &file;
  HostLayout layout;
  Code name, target;
  CppWriter writer;
};

/// The names that the text of host functions uses itself.
constexpr StringRef usedInFunctions[] = {"b",    "bytes", "c",    "dims", "host_b", "host_w", "in",
                                         "kept", "out",   "plan", "rest", "s",      "value",  "w"};

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
                     "\", " + describeElements(port.type) + " " + program.describeShape(port) +
                     describeUpdate(port));
  };
  printPorts(program.getInputs(), "input");
  printPorts(program.getOutputs(), "output");
  for (auto [number, port] : llvm::enumerate(program.getOutputs()))
    if (port.keys) {
      header.comment("The keys of that output's columns: " +
                     (isa<ArrayAttr>(port.keys) ? Code("const char *") : Code("int64_t")) +
                     " each.");
      header.line("#define " + TrustedCode::make(StringRef(name.str()).upper()) + "_OUTPUT_" +
                  Code(static_cast<int64_t>(number)) + "_KEYS {" +
                  joinCode(getKeyLiterals(port.keys)) + "}");
    }
  header.line("CAMEO_API extern const cameo_model " + name + "_model;");
  header.blank();
  header.line("CAMEO_API const cameo_model *" + name + "_describe(void);");
  header.declaration("CAMEO_API cameo_status " + name + "_infer_shapes(",
                     {"const cameo_tensor *inputs", "int32_t input_count", "cameo_tensor *outputs",
                      "int32_t output_count"},
                     ");");
  header.declaration("CAMEO_API cameo_status " + name + "_memory(",
                     {"const cameo_tensor *inputs", "int32_t input_count", "cameo_memory *plan"},
                     ");");
  header.declaration("CAMEO_API cameo_status " + name + "_create(",
                     {"const cameo_options *options", "cameo_context **context"}, ");");
  header.declaration("CAMEO_API cameo_status " + name + "_run(",
                     {"cameo_context *context", "const cameo_tensor *inputs", "int32_t input_count",
                      "cameo_tensor *outputs", "int32_t output_count", "void *stream"},
                     ");");
  header.declaration("CAMEO_API void " + name + "_destroy(", {"cameo_context *context"}, ");");
  header.blank();
  header.line("#ifdef __cplusplus");
  header.line("} // extern \"C\"");
  header.line("#endif");
  return header.take();
}

/// Keeps names of the model from hiding names that host functions use: their own names and the
/// functions of the runtime. Functions of scalar.h that something calls are taken in the file's
/// scope; the others stay free, since models have many an `add` and `exp`.
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

LogicalResult HostPrinter::printStatements(StringRef function, CppScope &scope) {
  return StatementPrinter(layout, writer, scope).print(*program.getFunction(function));
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
  if (failed(printStatements("read_symbols", scope)))
    return failure();
  writer.line("return success();");
  return success();
}

/// A struct over the blob: constants lie one behind the other, each aligned.
void HostPrinter::printWeights() {
  if (program.getWeights().empty())
    return;
  writer.blank();
  writer.comment("The constants of the model, as they lie in the weights.", "/// ");
  CppWriter::Block block = writer.block("struct weights", "};");
  for (const WeightInfo &weight : program.getWeights())
    writer.line("alignas(" + Code(kAlignment) + ") " + weight.type + " " +
                layout.getWeight(weight.offset) + "[" + Code(weight.count) + "];");
}

/// Where Plan has put the values of an arena.
void HostPrinter::printPlaces(const Arena &arena) {
  if (arena.isSized() || arena.rows.empty())
    return;
  writer.blank();
  writer.comment("Where values lie in the arena; those that are not alive at once may share bytes.",
                 "/// ");
  CppWriter::Block block = writer.block("constexpr struct", "} " + arena.getTable() + " = {};");
  for (int64_t row : arena.rows)
    writer.line("int64_t " + layout.getMember(row) + " = " +
                Code(program.getBuffer(row).getOffset()) + ";");
}

LogicalResult HostPrinter::printBuffers(const Arena &arena) {
  if (!arena.isSized())
    return success();
  {
    writer.blank();
    writer.comment("The values in the arena.", "/// ");
    CppWriter::Block block = writer.block("struct " + arena.getName("buffers"), "};");
    for (int64_t row : arena.rows)
      writer.line("buffer " + layout.getMember(row) + ";");
  }
  SmallVector<Code> names;
  for (int64_t row : arena.rows)
    names.push_back(layout.getRowName(row));
  writer.blank();
  writer.table("const char *const " + arena.getName("buffer_names[] = {"), names);
  writer.blank();
  writer.comment("Their bytes, first and last step.", "/// ");
  std::string function = ("size_" + stringifySide(arena.memory)).str();
  bool usesSymbols = llvm::any_of(program.getFunction(function)->getOps<host::SymbolOp>(),
                                  [](host::SymbolOp symbol) { return !symbol.use_empty(); });
  SmallVector<Code> parameters;
  if (layout.hasSymbols())
    parameters.push_back(usesSymbols ? Code("const symbols &s") : Code("const symbols &"));
  parameters.push_back(arena.getName("buffers &") + arena.getTable());
  CppWriter::Block block = writer.function("void " + arena.getName("size_buffers("), parameters);
  CppScope scope(&file);
  return printStatements(function, scope);
}

void HostPrinter::printState() {
  if (!layout.hasState())
    return;
  writer.blank();
  writer.comment("Kept from run to run.", "/// ");
  CppWriter::Block block = writer.block("struct state", "};");
  writer.line(layout.hasSymbols() ? Code("memo<symbols> sized;") : Code("bool sized;"));
  for (const Arena &arena : layout.arenas)
    if (arena.isSized())
      writer.line(arena.getName("buffers ") + arena.getTable() + ";");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult HostPrinter::printInferShapes() {
  CppScope scope(&file);
  writer.blank();
  // Where the run decides every output, nothing can be told before it: warnings name unused
  // parameters.
  bool tells = !program.getFunction("infer_shapes")->getOps<host::SetShapeOp>().empty();
  CppWriter::Block block = writer.function(
      "status infer_shapes(", {"const cameo_tensor *in", "int32_t input_count",
                               tells ? Code("cameo_tensor *out") : Code("cameo_tensor *"),
                               tells ? Code("int32_t output_count") : Code("int32_t")});
  if (layout.hasSymbols())
    writer.line("symbols s = {};");
  if (failed(printStatements("infer_shapes", scope)))
    return failure();
  writer.line("return success();");
  return success();
}

LogicalResult HostPrinter::printMemory() {
  CppScope scope(&file);
  writer.blank();
  CppWriter::Block block = writer.function(
      "status memory(", {"const cameo_tensor *in", "int32_t input_count", "cameo_memory *plan"});
  writer.line("if (!plan)");
  writer.line("  return error_null_argument();");
  writer.line("*plan = {};");
  if (layout.hasSymbols())
    writer.line("symbols s = {};");
  if (failed(printStatements("memory", scope)))
    return failure();
  // The need of as many threads as a context has by default.
  for (const Arena &arena : layout.arenas)
    if (Code scratch = arena.getScratchBytes("cpu::default_threads()"); !scratch.empty())
      writer.line("plan->host_arena += static_cast<uint64_t>(" + scratch + ");");
  writer.line(target + "::complete(" + name + "_model, *plan);");
  writer.line("return success();");
  return success();
}

void HostPrinter::printScratch(const Arena &arena) {
  if (arena.scratchCalls.empty())
    return;
  writer.blank();
  writer.comment("The most scratch memory that a kernel takes of the arena.", "/// ");
  SmallVector<Code> parameters{"int threads"};
  if (arena.scratchUsesSymbols())
    parameters.insert(parameters.begin(), "const symbols &s");
  CppWriter::Block block =
      writer.function("int64_t " + arena.getName("scratch_bytes("), parameters);
  writer.line("int64_t bytes = 0;");
  for (const Code &call : arena.scratchCalls)
    writer.line("bytes = max(bytes, " + call + ");");
  writer.line("return bytes;");
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
  return printStatements("main", scope);
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
      SmallVector<Code> arguments{"options"};
      llvm::append_range(arguments, getBestIsa());
      writer.list("CAMEO_TRY(cameo::cpu::check_isa(", arguments, "));");
      writer.append("#endif\n");
    }
    writer.list("return " + runtime + "create(", {name + "_model", "options", "context"}, ");");
  }
  {
    bool hasStreams = program.getTarget().hasStreams;
    CppWriter::Block block =
        writer.function("cameo_status " + name + "_run(",
                        {"cameo_context *context", "const cameo_tensor *inputs",
                         "int32_t input_count", "cameo_tensor *outputs", "int32_t output_count",
                         hasStreams ? Code("void *stream") : Code("void *")});
    SmallVector<Code> arguments{name + "_model", "context", "inputs",
                                "input_count",   "outputs", "output_count"};
    if (hasStreams)
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

/// The instruction set of a program's best copy, for the runtime, where not every program has such
/// a copy.
SmallVector<Code> HostPrinter::getBestIsa() const {
  const TargetCopy &best = program.getCopies().front();
  return best.extension.empty() ? SmallVector<Code>()
                                : SmallVector<Code>{"cameo::cpu::isa::" + Code(best.isa)};
}

/// Declares the other copies of this program, and opens the namespace of this one.
void HostPrinter::printCopies() {
  writer.line("#if CAMEO_COPIES");
  for (const TargetCopy &copy : program.getCopies()) {
    writer.line("namespace " + Code(copy.isa) + " {");
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
    for (const TargetCopy &copy : program.getCopies()) {
      Code isa = copy.isa;
      writer.line("if (cpu::machine_isa(" + joinCode(getBestIsa()) + ") == cpu::isa::" + isa + ")");
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
  bool callsExternals = !findExternalCalls(program).empty();
  if (callsExternals)
    writer.line("#include \"cameo/external.h\"");
  writer.line("#include \"cameo/scalar.h\"");
  if (callsExternals)
    writer.line("#include \"" + name + "_external.h\"");
  writer.line("#include \"" + name + "_kernels.h\"");
  writer.blank();
  writer.line(
      "static_assert(CAMEO_ABI_VERSION == " + TrustedCode::make(std::to_string(CAMEO_ABI_VERSION)) +
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
  printWeights();
  if (failed(printReadSymbols()))
    return failure();
  for (const Arena &arena : layout.arenas) {
    printPlaces(arena);
    if (failed(printBuffers(arena)))
      return failure();
    printScratch(arena);
  }
  printState();
  if (failed(printInferShapes()) || failed(printMemory()) || failed(printRun()))
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
  emitExternalHeader(program, files);
  return success();
}
