// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitKernels.h"

#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Emit/FileComment.h"
#include "Emit/FunctorPrinter.h"
#include "Emit/KernelPrinter.h"
#include "Emit/ScalarPrinter.h"
#include "Emit/Sources.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// How launches call the function that was printed for a kernel.
KernelCall makeCall(KernelPrinter &printer, host::KernelOp kernel, const TargetSide &side) {
  KernelCall call;
  call.kernel = kernel.getKernel();
  call.side = &side;
  if (host::TemplateAttr called = kernel.getCalledTemplateAttr())
    call.mayRaise = called.getRaises();
  for (Value argument : printer.getArguments())
    call.arguments.push_back(kernel.getArgumentOf(argument).getArgNumber());
  auto symbols = llvm::to_vector(kernel.getSymbols().getAsValueRange<StringAttr>());
  for (StringRef symbol : printer.getSymbols())
    call.symbols.push_back(llvm::find(symbols, symbol) - symbols.begin());
  return call;
}

/// `// Gemm "fc1" + Relu "relu1": [N, 64], [32, 64] -> [N, 32]`, and for whom else.
void printComment(CppWriter &writer, ArrayRef<host::LaunchKernelOp> launches, host::KernelOp kernel,
                  ArrayRef<Value> arguments) {
  SmallVector<Code> inputs, outputs;
  for (Value value : arguments)
    if (isa<SymTensorType>(value.getType()))
      (isa<OpResult>(value) ? outputs : inputs).push_back(Program::describeShape(value.getType()));
  Code nodes = Program::describeNodes(kernel);
  Code shapes =
      joinCode(inputs) + (inputs.empty() ? Code("-> ") : Code(" -> ")) + joinCode(outputs);
  writer.comment(nodes.empty() ? shapes : nodes + ": " + shapes);
  if (launches.size() == 1)
    return;
  constexpr size_t mostOthers = 6;
  SmallVector<Code> others;
  for (host::LaunchKernelOp launch : launches.drop_front().take_front(mostOthers))
    others.push_back("\"" + comment(getNodeName(launch.getLoc())) + "\"");
  Code more = launches.size() > mostOthers + 1
                  ? " and " + Code(static_cast<int64_t>(launches.size() - mostOthers - 1)) + " more"
                  : Code();
  writer.comment("The same for " + joinCode(others) + more + ".");
}

/// The namespaces around kernels: the library's, and in it that of the instruction set.
struct KernelNamespace {
  KernelNamespace(const Program &program, CppWriter &file)
      : library("cameo::gen::" + TrustedCode::make(program.getOptions().name) + "_net"),
        hasCopies(program.mayHaveCopies()), file(file) {
    file.line("namespace " + library + " {");
    if (hasCopies)
      file.line("inline namespace CAMEO_ISA {");
  }
  KernelNamespace(const KernelNamespace &) = delete;
  KernelNamespace &operator=(const KernelNamespace &) = delete;
  ~KernelNamespace() {
    if (hasCopies)
      file.line("} // namespace CAMEO_ISA");
    file.line("} // namespace " + library);
  }

  Code library;
  bool hasCopies;
  CppWriter &file;
};

class KernelFiles {
public:
  KernelFiles(const Program &program, CppScope &scope);

  LogicalResult print(EmittedKernels &result);

private:
  LogicalResult printKernel(host::KernelOp kernel, KernelFileState &state, CppWriter &text,
                            EmittedKernels &result);
  LogicalResult printFile(ArrayRef<host::KernelOp> own, StringRef path, EmittedKernels &result);
  std::string printHeader();

  const Program &program;
  CppScope &scope;
  SmallVector<host::KernelOp> kernels;
  llvm::DenseMap<StringAttr, SmallVector<host::LaunchKernelOp>> launches;
  /// Text of the header.
  CppWriter declarations;
};

} // namespace

KernelFiles::KernelFiles(const Program &program, CppScope &scope)
    : program(program), scope(scope),
      kernels(llvm::to_vector(program.getModule().getOps<host::KernelOp>())) {
  walkOutsideKernels(program.getMain(), [&](host::LaunchKernelOp launch) {
    launches[launch.getKernelAttr().getAttr()].push_back(launch);
  });
}

LogicalResult KernelFiles::printKernel(host::KernelOp kernel, KernelFileState &state,
                                       CppWriter &text, EmittedKernels &result) {
  const TargetSide &side = program.getSide(kernel.getSide());
  Code function = scope.add(kernel.getCalled().value_or(kernel.getSymName()));
  KernelPrinter printer(program, kernel, function, scope, state);
  if (failed(printer.print()))
    return failure();
  std::string structs = printer.takeStructs();
  text.blank();
  if (!structs.empty()) {
    text.line("namespace {");
    text.append(structs);
    text.line("} // namespace");
    text.blank();
  }
  printComment(text, launches[kernel.getSymNameAttr()], kernel, printer.getArguments());
  text.append(printer.takeFunction());

  SmallVector<Code> parameters{Code(side.kernels->name) + "::exec &e"};
  llvm::append_range(parameters, printer.getParameters());
  declarations.declaration("void " + function + "(", parameters, ");");
  KernelCall &call = result.calls[kernel.getSymNameAttr()] = makeCall(printer, kernel, side);
  call.function = function;
  call.scratch = printer.getScratch();
  if (call.scratch.empty())
    return success();
  SmallVector<Code> sizes{"int threads"};
  llvm::append_range(sizes, printer.getSymbolParameters());
  declarations.declaration("int64_t " + call.scratch + "(", sizes, ");");
  return success();
}

LogicalResult KernelFiles::printFile(ArrayRef<host::KernelOp> own, StringRef path,
                                     EmittedKernels &result) {
  const KernelSet &set = *program.getSide(host::KernelOp(own.front()).getSide()).kernels;
  KernelFileState state;
  CppWriter text;
  for (host::KernelOp kernel : own)
    if (failed(printKernel(kernel, state, text, result)))
      return failure();

  Code name = TrustedCode::make(program.getOptions().name);
  CppWriter file;
  printFileComment(file, program.getOptions(),
                   "Kernels of " + name + "; " + name + ".cpp calls them.");
  file.line("#include \"" + name + "_kernels.h\"");
  file.blank();
  state.headers.insert("cameo/scalar.h");
  for (const std::string &header : state.headers)
    file.line("#include \"" + TrustedCode::make(header) + "\"");
  file.blank();
  {
    KernelNamespace scope(program, file);
    file.line("using namespace cameo::" + Code(set.name) + ";");
    file.blank();
    file.append(text.take());
    file.blank();
  }
  result.files[path.str()] = file.take();
  return success();
}

LogicalResult KernelFiles::print(EmittedKernels &result) {
  // A function of the name of a template, or of a function of scalar.h, would hide what kernels and
  // the host program call.
  scope.reserve({"b", "buffers", "cast", "for_each", "host_b", "host_buffers", "port_spaces",
                 "state", "weights"});
  scope.reserve(kExtentFunctions);
  scope.reserve(kWideNames);
  auto reserveFunction = [&](Operation *op) { ScalarPrinter::reserveFunction(op, scope); };
  walkOutsideKernels(program.getMain(), reserveFunction);
  for (host::KernelOp kernel : kernels) {
    kernel.walk(reserveFunction);
    reserveTemplates(kernel.getKernel(), scope);
  }
  std::string base = program.getOptions().name + "_kernels";
  for (const TargetSide *side : program.getTarget().getSides()) {
    SmallVector<SmallVector<host::KernelOp>> files;
    for (host::KernelOp kernel : kernels)
      if (&program.getSide(kernel.getSide()) == side) {
        files.resize(std::max<size_t>(files.size(), kernel.getFile().value_or(0) + 1));
        files[kernel.getFile().value_or(0)].push_back(kernel);
      }
    std::string stem = base + side->suffix.str(), extension = side->kernels->extension.str();
    for (auto [number, file] : llvm::enumerate(files)) {
      std::string path =
          stem + (files.size() == 1 ? "" : "_" + std::to_string(number + 1)) + extension;
      if (failed(printFile(file, path, result)))
        return failure();
    }
  }
  result.files[base + ".h"] = printHeader();
  return success();
}

std::string KernelFiles::printHeader() {
  Code name = TrustedCode::make(program.getOptions().name);
  CppWriter file;
  printFileComment(file, program.getOptions(), "Declares the kernels of " + name + ".");
  file.line("#pragma once");
  file.blank();
  std::set<StringRef> sets{program.getTarget().getSides().front()->kernels->name};
  for (host::KernelOp kernel : kernels)
    sets.insert(program.getSide(kernel.getSide()).kernels->name);
  for (StringRef set : sets)
    file.line("#include \"cameo/" + TrustedCode::make(set.str()) + "/exec.h\"");
  WalkResult walked =
      walkOutsideKernels(program.getMain(), [](host::CountOp) { return WalkResult::interrupt(); });
  if (walked.wasInterrupted())
    file.line("#include \"cameo/counted.h\"");
  file.line("#include \"cameo/floats.h\"");
  file.blank();
  {
    KernelNamespace scope(program, file);
    file.blank();
    file.append(declarations.take());
    file.blank();
  }
  return file.take();
}

FailureOr<EmittedKernels> cameo::emitKernels(const Program &program, CppScope &scope) {
  EmittedKernels result;
  if (failed(KernelFiles(program, scope).print(result)))
    return failure();
  return result;
}
