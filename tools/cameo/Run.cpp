// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo run: builds a model and runs it once, on given data or on made-up data.

#include "Common.h"
#include "Compare.h"
#include "DataSets.h"
#include "Driver.h"
#include "Elements.h"
#include "NativeBuild.h"
#include "Pipeline/OutputFolder.h"
#include "Progress.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Support/ElementTypes.h"
#include "cameo/scalar.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <random>

using namespace cameo;
using namespace cameo::cli;
using namespace cameo::core;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// A dim that the model leaves open: what it is called, and whether that is a symbol.
struct OpenDim {
  size_t axis = 0;
  std::string text;
  bool isSymbol = false;
};

struct Input {
  std::string name;
  ValueKindList kinds;
  int32_t elementType = 0;
  bool hasRank = false;
  std::vector<int64_t> dims;
  std::vector<OpenDim> open;
  bool hasDefault = false;
  std::optional<TensorData> data;
};

/// Floats in [-1, 1), small integers that are valid indices of most things, both truths. Nothing
/// for elements that are no numbers.
std::vector<char> makeElements(int32_t elementType, int64_t count, std::mt19937_64 &random) {
  std::vector<char> bytes;
  with_element(elementType, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t number = 0; number < count; ++number) {
      // The library's distributions differ from one implementation to the next.
      double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      T value = cameo::cast<T>(2 * unit - 1);
      if (!is_float_v<T>)
        value = cameo::cast<T>(random() % 2);
      const char *data = reinterpret_cast<const char *>(&value);
      bytes.insert(bytes.end(), data, data + sizeof value);
    }
  });
  return packElements(elementType, std::move(bytes));
}

class RunVerb {
public:
  ModelFlags flags;
  std::vector<std::string> given;
  std::string output, jsonFile, recordFolder;
  uint64_t seed = 0;
  int threads = 1;

  int run();

private:
  void readSignature(mlir::func::FuncOp main);
  std::optional<Diagnostic> readInputs();
  void chooseDims();
  std::optional<Diagnostic> makeUp(Input &input, std::mt19937_64 &random) const;
  int write(const RunResult &result, const std::vector<std::string> &names) const;

  std::vector<Input> inputs;
};

/// Open dims become 1, or the least that they may be.
void RunVerb::readSignature(mlir::func::FuncOp main) {
  inputs.clear();
  ExtentFacts facts = getSymbolFacts(main);
  for (auto [number, type] : llvm::enumerate(main.getArgumentTypes())) {
    Input &input = inputs.emplace_back();
    unsigned position = static_cast<unsigned>(number);
    if (auto name = main.getArgAttrOfType<mlir::StringAttr>(position, "onnx.name"))
      input.name = name.str();
    input.hasDefault = static_cast<bool>(main.getArgAttr(position, "onnx.default"));
    PortType port = getPortType(type);
    input.kinds = port.kinds;
    input.elementType = port.elementType;
    auto tensor = llvm::dyn_cast<SymTensorType>(type);
    if (!tensor || !tensor.hasRank())
      continue;
    input.hasRank = true;
    for (ExtentAttr extent : tensor.getExtents()) {
      ExtentRange bounds = range(extent, facts);
      int64_t least = bounds.lo().value_or(1);
      if (!extent.isConstant() && bounds.lo() != bounds.hi())
        input.open.push_back({input.dims.size(), extent.str(), extent.isSymbol()});
      input.dims.push_back(extent.getConstant().value_or(std::max<int64_t>(least, 1)));
    }
  }
}

std::optional<Diagnostic> RunVerb::readInputs() {
  for (StringRef text : given) {
    auto [name, file] = text.split('=');
    size_t position = inputs.size();
    for (size_t number = 0; number < inputs.size(); ++number)
      if (inputs[number].name == name || std::to_string(number) == name)
        position = number;
    if (position == inputs.size() || file.empty())
      return Diagnostic{ExitClass::Usage, "cameo", "",
                        fmt::format("--in {} names no input of the model", quoteText(text)),
                        "NAME=FILE.npy or NAME=FILE.pb, or the input's number for its name"};
    TensorData data;
    auto problem = file.ends_with(".pb") ? readTensor(file, inputs[position].kinds, data)
                                         : readNpy(file.str(), data);
    if (problem)
      return problem;
    takeAs(inputs[position].elementType, data);
    inputs[position].data = std::move(data);
  }
  return std::nullopt;
}

/// Inputs that are made up agree with those that are given; what nothing decides is said.
void RunVerb::chooseDims() {
  std::map<std::string, int64_t> known;
  for (const Input &input : inputs)
    for (const OpenDim &dim : input.open)
      if (input.data && dim.isSymbol && dim.axis < input.data->dims.size())
        known.emplace(dim.text, input.data->dims[dim.axis]);
  for (Input &input : inputs) {
    if (input.data || input.hasDefault)
      continue;
    std::string guessed = input.hasRank ? "" : ", its rank";
    for (const OpenDim &dim : input.open) {
      auto found = known.find(dim.text);
      if (found != known.end())
        input.dims[dim.axis] = found->second;
      else
        guessed += fmt::format(", {} = {}", escapeText(dim.text), input.dims[dim.axis]);
    }
    if (!guessed.empty())
      fmt::print(stderr,
                 "warning: input {} is made up, as {}[{}]: guessed {} (--dim or --in decide)\n",
                 escapeText(input.name), getDataTypeName(input.elementType),
                 fmt::join(input.dims, ", "), guessed.substr(2));
  }
}

std::optional<Diagnostic> RunVerb::makeUp(Input &input, std::mt19937_64 &random) const {
  if (input.data || input.hasDefault)
    return std::nullopt;
  const ElementInfo *info = findElementInfo(input.elementType);
  if (!info || info->isString() || info->kind == ElementKind::complex)
    return Diagnostic{ExitClass::Usage, flags.getModel(), escapeText(input.name),
                      "has a type that data cannot be made up for", "give it by --in"};
  TensorData data;
  data.name = input.name;
  data.elementType = input.elementType;
  data.dims = input.dims;
  data.bytes = makeElements(data.elementType, getNumElements(data), random);
  input.data = std::move(data);
  return std::nullopt;
}

int RunVerb::write(const RunResult &result, const std::vector<std::string> &names) const {
  EmittedFiles files, record;
  json::Array rows;
  std::string text;
  for (auto [number, tensor] : llvm::enumerate(result.outputs)) {
    TensorData named = tensor;
    named.name = number < names.size() ? names[number] : "";
    std::string stem = "output_" + std::to_string(number);
    files[stem + ".npy"] = formatNpy(named);
    files[stem + ".pb"] = record[stem + ".pb"] = formatPb(named);
    double low = HUGE_VAL, high = -HUGE_VAL;
    int64_t count = getNumElements(tensor), unordered = 0;
    for (int64_t index = 0; index < count; ++index) {
      double element = getElement(tensor, index);
      unordered += std::isnan(element);
      low = std::min(low, element);
      high = std::max(high, element);
    }
    if (unordered > 0 && hasFloats(tensor))
      fmt::print(stderr, "warning: output {} holds NaN ({} of {} elements)\n",
                 escapeText(named.name), unordered, count);
    text += fmt::format("{}: {}[{}]", escapeText(named.name), getDataTypeName(tensor.elementType),
                        fmt::join(tensor.dims, ", "));
    text += low <= high ? fmt::format(" from {:.6g} to {:.6g}\n", low, high) : std::string("\n");
    rows.push_back(json::Object{{"name", json::fixUTF8(named.name)},
                                {"dtype", getDataTypeName(tensor.elementType)},
                                {"dims", tensor.dims}});
  }
  for (auto [number, input] : llvm::enumerate(inputs))
    if (input.data)
      record["input_" + std::to_string(number) + ".pb"] = formatPb(*input.data);
  for (auto [folder, contents] : {std::pair(&output, &files), std::pair(&recordFolder, &record)})
    if (!folder->empty())
      if (auto problem = writeData(*folder, *contents))
        return report(*problem);
  if (!jsonFile.empty())
    if (int failed = printTo(jsonFile,
                             formatJson(json::Object{{"outputs", std::move(rows)},
                                                     {"counters", json::Object(result.counters)}})))
      return failed;
  return jsonFile == "-" ? 0 : print(text);
}

int RunVerb::run() {
  Options options;
  if (auto problem = flags.read(options))
    return report(*problem);
  options.emit.name = makeLibraryName(flags.getModel());
  int exitCode = 0;
  auto observer = [&](Stage stage, mlir::ModuleOp module) {
    if (stage == Stage::Shape)
      readSignature(module.lookupSymbol<mlir::func::FuncOp>("main"));
    return true;
  };
  std::optional<PipelineResult> compiled = compile(flags, options, exitCode, observer);
  if (!compiled)
    return exitCode;
  if (auto problem = readInputs())
    return report(*problem);
  chooseDims();
  std::mt19937_64 random(seed);
  RunRequest request;
  for (Input &input : inputs) {
    if (auto problem = makeUp(input, random))
      return report(*problem);
    request.inputs.push_back(input.data);
  }

  NativeProgram program;
  if (auto problem = buildProgram({{options.emit.name, &compiled->files}}, flags.getPlatform(),
                                  BuildFlags(), program))
    return report(*problem);
  std::vector<std::string> names;
  std::optional<Diagnostic> problem;
  auto progress = std::make_unique<Progress>("running");
  std::vector<RunResult> results = runProgram(program.path, {threads}, {request}, names, problem);
  progress.reset();
  if (problem)
    return report(*problem);
  const RunResult &result = results.front();
  if (result.status != "OK")
    return report({ExitClass::CheckFailed, flags.getModel(), "",
                   fmt::format("the run ended with {}: {}", result.status, result.message), ""});
  if (!result.fault.empty())
    return report({ExitClass::Internal, flags.getModel(), "", result.fault, ""});
  return write(result, names);
}

} // namespace

Verb cameo::cli::addRun(CLI::App &app) {
  CLI::App &verb = *app.add_subcommand("run", "build a model and run it once");
  auto state = std::make_shared<RunVerb>();
  state->flags.addTo(verb, /*withEmulator=*/true);
  verb.add_option("--in", state->given, "an input: NAME=FILE.npy or NAME=FILE.pb")
      ->allow_extra_args(false);
  verb.add_option("--seed", state->seed, "of the data that is made up for the other inputs");
  verb.add_option("--out", state->output, "write output_K.npy and output_K.pb into this folder");
  verb.add_option("--record", state->recordFolder,
                  "make this folder a data set of inputs and outputs");
  verb.add_option("--threads", state->threads, "of the program")->check(CLI::Range(0, 4096));
  verb.add_option("--json", state->jsonFile,
                  "write what came out to this file, - for standard output");
  return [state] { return state->run(); };
}
