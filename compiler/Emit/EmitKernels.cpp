// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitKernels.h"

#include "Dialect/Prog/IR/KernelTemplates.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Emit/ElementOffset.h"
#include "Emit/FileComment.h"
#include "Emit/KernelLikeness.h"
#include "Emit/KernelPrinter.h"
#include "Emit/ScalarPrinter.h"
#include "Emit/Sources.h"
#include "Emit/WideAccess.h"
#include "Support/NodeLocation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// Few enough that a file compiles in seconds, and enough of them to keep `make -j` busy.
constexpr size_t kKernelsPerFile = 12;

/// A function that takes more numbers would be hard to read.
constexpr size_t kMostNumbers = 8;
/// Groups of the same text that a kernel is compared with: of a chain of thousands no two may
/// differ in few numbers.
constexpr size_t kMostCompared = 4;

/// Ops that one function serves.
struct KernelGroup {
  SmallVector<Operation *> ops;
  const TargetSide *side = nullptr;
  /// The numbers of the first op, and in which of them others differ.
  SmallVector<Code> numbers;
  llvm::SmallBitVector differing;
};

/// In which numbers any op differs from the first, if one of these is added.
llvm::SmallBitVector findDiffering(const KernelGroup &group, ArrayRef<Code> numbers) {
  llvm::SmallBitVector differing = group.differing;
  for (auto [position, first, other] : llvm::enumerate(group.numbers, numbers))
    if (!(first == other))
      differing.set(position);
  return differing;
}

const TargetSide &getSide(const Program &program, Operation *op) {
  return program.getSide(op->getResult(0).getType());
}

/// Arguments that an op passes to the function that the printer printed for it, but for numbers.
KernelCall makeCall(const KernelPrinter &printer, const TargetSide &side) {
  return {
      Code(), &side, llvm::to_vector(printer.getArguments()), llvm::to_vector(printer.getSymbols()),
      {},     Code()};
}

/// A kernel of the first launch of its class, and how it prints.
struct KernelClass {
  size_t group;
  KernelCall call;
  LaunchNames names;
};

/// Replaces each of `names` that is in `first` by what is there in `others`.
template <class Names>
void translate(MutableArrayRef<typename Names::value_type> names, const Names &first,
               const Names &others) {
  for (auto &name : names)
    if (auto found = llvm::find(first, name); found != first.end())
      name = others[found - first.begin()];
}

/// Arguments that another launch of the class passes to the function.
KernelCall getCall(const KernelClass &first, const LaunchNames &names) {
  KernelCall call = first.call;
  translate(MutableArrayRef(call.arguments), first.names.values, names.values);
  translate(MutableArrayRef(call.symbols), first.names.symbols, names.symbols);
  return call;
}

/// Features that like kernels share, found without looking into them.
using Outline = std::tuple<StringRef, const TargetSide *, unsigned, size_t>;

Outline getOutline(const Program &program, Operation *op) {
  auto call = dyn_cast<CallOp>(op);
  return {call ? call.getCallee() : StringRef(), &getSide(program, op), op->getNumOperands(),
          op->getRegion(0).front().getOperations().size()};
}

/// The functions to print, in the order in which the program first needs them. One kernel of each
/// class is printed, without names and numbers, and kernels of equal text that differ in few
/// numbers are a group; `calls` has each op's arguments. A kernel that is like no other is a group
/// without all that.
class KernelGroups {
public:
  KernelGroups(const Program &program, llvm::DenseMap<Operation *, KernelCall> &calls)
      : program(program), calls(calls), likeness(program) {}

  FailureOr<SmallVector<KernelGroup>> find();

private:
  LogicalResult add(host::LaunchOp launch);
  /// The kernel of the first launch of a class.
  LogicalResult addClass(Operation *op, const LaunchNames &names);
  /// The group of a kernel of this text.
  size_t findGroup(std::string text, const TargetSide &side, ArrayRef<Code> numbers);
  /// Leaves of the numbers that a call passes those that are parameters.
  void dropEqualNumbers(const KernelGroup &group);

  const Program &program;
  llvm::DenseMap<Operation *, KernelCall> &calls;
  KernelLikeness likeness;
  std::vector<KernelClass> classes;
  SmallVector<KernelGroup> groups;
  /// By text.
  std::map<std::string, SmallVector<size_t>> alike;
};

size_t KernelGroups::findGroup(std::string text, const TargetSide &side, ArrayRef<Code> numbers) {
  SmallVector<size_t> &known = alike[std::move(text)];
  for (size_t number : ArrayRef(known).take_back(kMostCompared)) {
    KernelGroup &group = groups[number];
    if (auto differing = findDiffering(group, numbers); differing.count() <= kMostNumbers) {
      group.differing = std::move(differing);
      return number;
    }
  }
  known.push_back(groups.size());
  groups.push_back({{}, &side, llvm::to_vector(numbers), llvm::SmallBitVector(numbers.size())});
  return known.back();
}

LogicalResult KernelGroups::addClass(Operation *op, const LaunchNames &names) {
  const TargetSide &side = getSide(program, op);
  CppScope scope;
  KernelFileState file;
  KernelPrinter printer(op, *side.kernels, "kernel", KernelNames::makeAnonymous(program), scope,
                        file);
  if (failed(printer.print()))
    return failure();
  std::string text =
      (side.kernels->name + "\n" + printer.takeStructs() + printer.takeFunction()).str();
  size_t group = findGroup(std::move(text), side, printer.getNumbers());
  classes.push_back({group, makeCall(printer, side), names});
  classes.back().call.numbers = llvm::to_vector(printer.getNumbers());
  return success();
}

LogicalResult KernelGroups::add(host::LaunchOp launch) {
  Operation *op = launch.getKernel();
  LaunchNames names;
  size_t number = likeness.classify(launch, names);
  if (number == classes.size() && failed(addClass(op, names)))
    return failure();
  calls[op] = getCall(classes[number], names);
  groups[classes[number].group].ops.push_back(op);
  return success();
}

void KernelGroups::dropEqualNumbers(const KernelGroup &group) {
  for (Operation *op : group.ops) {
    SmallVector<Code> differing;
    for (unsigned position : group.differing.set_bits())
      differing.push_back(calls[op].numbers[position]);
    calls[op].numbers = std::move(differing);
  }
}

FailureOr<SmallVector<KernelGroup>> KernelGroups::find() {
  std::map<Outline, int64_t> counts;
  SmallVector<host::LaunchOp> launches;
  walkOutsideKernels(program.getMain(), [&](host::LaunchOp launch) { launches.push_back(launch); });
  for (host::LaunchOp launch : launches) {
    if (launch.getKernel()->getNumResults() == 0)
      return launch.getKernel()->emitError("computes nothing"), failure();
    ++counts[getOutline(program, launch.getKernel())];
  }
  for (host::LaunchOp launch : launches) {
    Operation *op = launch.getKernel();
    if (counts[getOutline(program, op)] == 1)
      groups.push_back({{op}, &getSide(program, op), {}, {}});
    else if (failed(add(launch)))
      return failure();
  }
  for (const KernelGroup &group : groups)
    if (!group.numbers.empty())
      dropEqualNumbers(group);
  return std::move(groups);
}

/// The names of fused nodes: `/block1/conv` and `/block1/relu` are `/block1/conv_relu`, `stem` and
/// `stem_relu` are `stem_relu`, and so on while that stays short.
std::string joinNames(ArrayRef<NodeLocation> nodes) {
  StringRef first = nodes.front().name;
  std::string joined = first.str();
  for (const NodeLocation &node : nodes.drop_front()) {
    if (node.name.starts_with(joined + "_")) {
      joined = node.name.take_front(kMaxIdentifier).str();
      continue;
    }
    auto own = std::mismatch(node.name.begin(), node.name.end(), first.begin(), first.end()).first;
    StringRef shared = node.name.take_front(own - node.name.begin());
    StringRef rest = node.name.drop_front(shared.find_last_of("/.") + 1);
    if (joined.size() + 1 + rest.size() > kMaxIdentifier)
      break;
    joined += "_" + rest.str();
  }
  return joined;
}

std::string joinOperators(ArrayRef<NodeLocation> nodes) {
  constexpr size_t mostOperators = 3;
  std::string joined;
  for (const NodeLocation &node : nodes.take_front(mostOperators))
    joined += (joined.empty() ? "" : "_") + llvm::convertToSnakeFromCamelCase(node.opType);
  return joined;
}

/// Base of a function's name: its nodes, or the operators if it serves several. A node without a
/// name goes by its output, as in run(); the operators come before it, `relu_y`.
std::string getFunctionBase(const KernelGroup &group) {
  SmallVector<NodeLocation> nodes;
  collectNodes(group.ops.front()->getLoc(), nodes);
  if (nodes.empty())
    return "kernel";
  if (group.ops.size() > 1 || nodes.front().name.empty())
    return joinOperators(nodes);
  bool isNamed =
      llvm::any_of(nodes, [](const NodeLocation &node) { return node.name != node.getOutput(0); });
  return isNamed ? joinNames(nodes) : joinOperators(nodes) + "_" + nodes.back().name.str();
}

/// `// Gemm "fc1" + Relu "relu1": [N, 64], [32, 64] -> [N, 32]`, and for whom else.
void printComment(CppWriter &writer, const KernelGroup &group, ArrayRef<Value> arguments) {
  Operation *first = group.ops.front();
  SmallVector<Code> inputs, outputs;
  for (Value value : arguments) {
    bool isResult = value.getDefiningOp() == first;
    if (isa<SymTensorType>(value.getType()))
      (isResult ? outputs : inputs).push_back(Program::describeShape(value.getType()));
  }
  Code nodes = Program::describeNodes(first);
  Code shapes =
      joinCode(inputs) + (inputs.empty() ? Code("-> ") : Code(" -> ")) + joinCode(outputs);
  writer.comment(nodes.empty() ? shapes : nodes + ": " + shapes);
  if (group.ops.size() == 1)
    return;
  constexpr size_t mostOthers = 6;
  SmallVector<Code> others;
  for (Operation *op : ArrayRef(group.ops).drop_front().take_front(mostOthers))
    others.push_back("\"" + comment(getNodeName(op->getLoc())) + "\"");
  Code more =
      group.ops.size() > mostOthers + 1
          ? " and " + Code(static_cast<int64_t>(group.ops.size() - mostOthers - 1)) + " more"
          : Code();
  writer.comment("The same for " + joinCode(others) + more + ".");
}

/// The header whose template a kernel calls; none of one that is written out.
StringRef getHeader(const KernelGroup &group) {
  if (auto call = dyn_cast<CallOp>(group.ops.front()))
    return findTemplate(call.getCallee())->header;
  return {};
}

/// Kernels of a header are in one file, or a few, where all do not fit into one: what the header's
/// templates have in common, such as register tiles, is compiled once then.
SmallVector<SmallVector<KernelGroup>> shareAmongFiles(SmallVector<KernelGroup> groups) {
  if (groups.empty())
    return {};
  if (groups.size() <= kKernelsPerFile)
    return {std::move(groups)};
  llvm::MapVector<StringRef, SmallVector<KernelGroup>> ofHeader;
  for (KernelGroup &group : groups)
    ofHeader[getHeader(group)].push_back(std::move(group));
  SmallVector<SmallVector<KernelGroup>> files;
  for (auto &[header, kernels] : ofHeader) {
    auto hasRoom = [count = kernels.size()](ArrayRef<KernelGroup> file) {
      return file.size() + count <= kKernelsPerFile;
    };
    SmallVector<KernelGroup> *file = llvm::find_if(files, hasRoom);
    for (KernelGroup &group : kernels) {
      if (file == files.end() || file->size() == kKernelsPerFile) {
        files.emplace_back();
        file = &files.back();
      }
      file->push_back(std::move(group));
    }
  }
  return files;
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
  KernelFiles(const Program &program, CppScope &scope) : program(program), scope(scope) {}

  LogicalResult print(ArrayRef<KernelGroup> groups, EmittedKernels &result);

private:
  LogicalResult printGroup(const KernelGroup &group, KernelFileState &state, CppWriter &text,
                           EmittedKernels &result);
  LogicalResult printFile(ArrayRef<KernelGroup> groups, StringRef path, EmittedKernels &result);
  std::string printHeader(ArrayRef<KernelGroup> groups);

  const Program &program;
  CppScope &scope;
  /// The nodes of the functions so far.
  llvm::DenseSet<StringRef> named;
  /// Text of the header.
  CppWriter declarations;
};

} // namespace

LogicalResult KernelFiles::printGroup(const KernelGroup &group, KernelFileState &state,
                                      CppWriter &text, EmittedKernels &result) {
  const KernelSet &kernels = *group.side->kernels;
  std::string base = getFunctionBase(group);
  // The template's name tells several functions of one node apart, or that one is there for the
  // caller's strides.
  SmallVector<NodeLocation> nodes;
  collectNodes(group.ops.front()->getLoc(), nodes);
  bool isStrided = cast<host::LaunchOp>(group.ops.front()->getParentOp()).getStrides().has_value();
  bool isNew = isStrided;
  for (const NodeLocation &node : nodes)
    isNew |= !isStrided && named.insert(node.name).second;
  if (auto call = dyn_cast<CallOp>(group.ops.front()); call && !isNew)
    base += ("_" + call.getCallee()).str();
  if (isStrided)
    base += "_strided";
  Code function = scope.add(base);
  KernelPrinter printer(group.ops.front(), kernels, function, KernelNames(program, group.differing),
                        scope, state);
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
  printComment(text, group, printer.getArguments());
  text.append(printer.takeFunction());

  SmallVector<Code> parameters{Code(kernels.name) + "::exec &e"};
  llvm::append_range(parameters, printer.getParameters());
  declarations.declaration("void " + function + "(", parameters, ");");
  const Code &scratch = printer.getScratch();
  SmallVector<Code> sizes{"int threads"};
  llvm::append_range(sizes, printer.getSymbolParameters());
  if (!scratch.empty())
    declarations.declaration("int64_t " + scratch + "(", sizes, ");");
  result.calls.try_emplace(group.ops.front(), makeCall(printer, *group.side));
  for (Operation *op : group.ops) {
    result.calls[op].function = function;
    result.calls[op].scratch = scratch;
  }
  return success();
}

LogicalResult KernelFiles::printFile(ArrayRef<KernelGroup> groups, StringRef path,
                                     EmittedKernels &result) {
  const KernelSet &kernels = *groups.front().side->kernels;
  KernelFileState state;
  CppWriter text;
  for (const KernelGroup &group : groups)
    if (failed(printGroup(group, state, text, result)))
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
    file.line("using namespace cameo::" + Code(kernels.name) + ";");
    file.blank();
    file.append(text.take());
    file.blank();
  }
  result.files[path.str()] = file.take();
  return success();
}

LogicalResult KernelFiles::print(ArrayRef<KernelGroup> groups, EmittedKernels &result) {
  // A function of the name of a template, or of a function of scalar.h, would hide what kernels and
  // the host program call.
  scope.reserve({"b", "buffers", "cast", "for_each", "host_b", "host_buffers", "port_spaces",
                 "state", "weights"});
  scope.reserve(kExtentFunctions);
  scope.reserve(kWideNames);
  auto reserveFunction = [&](Operation *op) { ScalarPrinter::reserveFunction(op, scope); };
  walkOutsideKernels(program.getMain(), reserveFunction);
  for (const KernelGroup &group : groups)
    group.ops.front()->walk(reserveFunction);
  for (const KernelGroup &group : groups)
    reserveTemplates(group.ops.front(), scope);
  std::string base = program.getOptions().name + "_kernels";
  for (const TargetSide *side : program.getTarget().getSides()) {
    SmallVector<KernelGroup> own;
    for (const KernelGroup &group : groups)
      if (group.side == side)
        own.push_back(group);
    std::string stem = base + side->suffix.str(), extension = side->kernels->extension.str();
    SmallVector<SmallVector<KernelGroup>> files = shareAmongFiles(std::move(own));
    for (auto [number, file] : llvm::enumerate(files)) {
      std::string path =
          stem + (files.size() == 1 ? "" : "_" + std::to_string(number + 1)) + extension;
      if (failed(printFile(file, path, result)))
        return failure();
    }
  }
  result.files[base + ".h"] = printHeader(groups);
  return success();
}

std::string KernelFiles::printHeader(ArrayRef<KernelGroup> groups) {
  Code name = TrustedCode::make(program.getOptions().name);
  CppWriter file;
  printFileComment(file, program.getOptions(), "Declares the kernels of " + name + ".");
  file.line("#pragma once");
  file.blank();
  std::set<StringRef> sets{program.getTarget().getSides().front()->kernels->name};
  for (const KernelGroup &group : groups)
    sets.insert(group.side->kernels->name);
  for (StringRef kernels : sets)
    file.line("#include \"cameo/" + TrustedCode::make(kernels.str()) + "/exec.h\"");
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
  FailureOr<SmallVector<KernelGroup>> groups = KernelGroups(program, result.calls).find();
  if (failed(groups))
    return failure();
  if (failed(KernelFiles(program, scope).print(*groups, result)))
    return failure();
  return result;
}
