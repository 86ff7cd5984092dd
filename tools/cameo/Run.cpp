// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo run: builds a model and runs it once, on given data or on made-up data.

#include "Common.h"
#include "Compare.h"
#include "DataSets.h"
#include "Driver.h"
#include "Elements.h"
#include "ModelInputs.h"
#include "NativeBuild.h"
#include "Pipeline/OutputFolder.h"
#include "Progress.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

class RunVerb {
public:
  ModelFlags flags;
  ModelInputs inputs;
  std::string output, jsonFile, recordFolder;
  int threads = 1;
  BuildFlags build;

  int run();

private:
  /// Does it all, but for what it writes.
  std::optional<Diagnostic> execute();
  int write() const;

  RunRequest request;
  RunResult result;
  std::vector<std::string> names;
};

int RunVerb::write() const {
  std::map<std::string, std::string> files, record;
  json::Array rows;
  std::string text;
  for (auto [number, tensor] : llvm::enumerate(result.outputs)) {
    TensorData named = tensor;
    named.name = number < names.size() ? names[number] : "";
    std::string stem = "output_" + std::to_string(number);
    // NumPy's strings have one length, in characters.
    if (!isStrings(tensor))
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
                                {"shape", tensor.dims}});
  }
  for (auto [number, input] : llvm::enumerate(request.inputs))
    if (input)
      record["input_" + std::to_string(number) + ".pb"] = formatPb(*input);
  for (auto [folder, contents] : {std::pair(&output, &files), std::pair(&recordFolder, &record)})
    if (!folder->empty())
      if (auto problem = writeData(*folder, *contents))
        return report(*problem);
  if (!jsonFile.empty())
    if (int failed = printTo(jsonFile,
                             formatJson(json::Object{{"schema", 1},
                                                     {"outputs", std::move(rows)},
                                                     {"counters", json::Object(result.counters)}})))
      return failed;
  return jsonFile == "-" ? 0 : print(text);
}

std::optional<Diagnostic> RunVerb::execute() {
  Options options;
  if (auto problem = flags.read(options))
    return problem;
  options.emit.name = makeLibraryName(flags.getModel());
  auto observer = [&](Stage stage, mlir::ModuleOp module) {
    if (stage == Stage::Shape)
      inputs.readSignature(module.lookupSymbol<mlir::func::FuncOp>("main"));
    return true;
  };
  Diagnostic refusal;
  std::optional<PipelineResult> compiled = compile(flags, options, refusal, observer);
  if (!compiled)
    return refusal;
  if (auto problem = inputs.fill(flags.getModel()))
    return problem;
  request.inputs = inputs.getData();

  NativeProgram program;
  if (auto problem = buildProgram({{options.emit.name, &compiled->files}}, flags.getPlatform(),
                                  build, program))
    return problem;
  std::optional<Diagnostic> problem;
  RunFlags runFlags{threads};
  runFlags.limits = build.limits;
  Progress progress("running");
  std::vector<RunResult> results = runProgram(program.path, runFlags, {request}, names, problem);
  if (problem)
    return problem;
  result = std::move(results.front());
  if (result.status != "OK")
    return Diagnostic{ExitClass::CheckFailed, flags.getModel(), "",
                      fmt::format("the run ended with {}: {}", result.status, result.message), ""};
  if (!result.fault.empty())
    return Diagnostic{ExitClass::Internal, flags.getModel(), "", result.fault, ""};
  return std::nullopt;
}

int RunVerb::run() {
  std::optional<Diagnostic> failure = execute();
  if (!failure)
    return write();
  if (!jsonFile.empty())
    (void)printTo(jsonFile, formatJson(json::Object{{"schema", 1}, {"error", toJson(*failure)}}));
  return report(*failure);
}

} // namespace

Verb cameo::cli::addRun(CLI::App &app) {
  CLI::App &verb = addVerb(app, "run", "build a model and run it once",
                           "cameo run model.onnx --in x=image.npy --out results");
  auto state = std::make_shared<RunVerb>();
  state->inputs.addTo(verb);
  verb.add_option("--out", state->output, "write output_K.npy and output_K.pb into this folder");
  verb.add_option("--record", state->recordFolder,
                  "make this folder a data set of inputs and outputs");
  state->build.addSourcesTo(verb);
  state->build.limits.addTo(verb);
  verb.add_option("--threads", state->threads, "of the program")->check(CLI::Range(0, 4096));
  verb.add_option("--json", state->jsonFile,
                  "write what came out to this file, - for standard output");
  state->flags.addTo(verb, /*withEmulator=*/true);
  return [state] { return state->run(); };
}
