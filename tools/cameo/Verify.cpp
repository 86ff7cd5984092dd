// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo verify: compiles, builds, runs every data set in one process on one context, compares.

#include "Common.h"
#include "Compare.h"
#include "DataSets.h"
#include "Driver.h"
#include "NativeBuild.h"
#include "NumPyData.h"
#include "Progress.h"
#include "Quantisation.h"
#include "Support/NearNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/FileSystem.h"
#include <chrono>
#include <cmath>
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

struct Output {
  std::string name;
  Comparison comparison;
};

struct Case {
  std::string data;
  bool passed = true;
  /// Why not, where it is not an output.
  std::string problem;
  RunResult run;
  std::vector<Output> outputs;
};

/// JSON has neither infinities nor NaN.
json::Value toJson(double number) {
  return std::isfinite(number) ? json::Value(number) : json::Value(nullptr);
}

std::string escapeXml(StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '<'   ? std::string("&lt;")
               : c == '>' ? "&gt;"
               : c == '&' ? "&amp;"
               : c == '"' ? "&quot;"
                          : std::string(1, c);
  return escaped;
}

/// What a model's inputs and outputs are.
struct Interface {
  Signature signature;
  std::vector<std::string> inputs, outputs;
  /// -1 for a rank that only a run knows, and for what is no tensor.
  std::vector<int64_t> inputRanks, outputRanks;
  /// Whether an input may be left out.
  std::vector<bool> hasDefault;
  std::vector<Rounding> roundings;
};

/// `NAME=WHERE`, both as in the flag `flag`.
struct Named {
  StringRef flag, text, name, where;

  Named(StringRef flag, StringRef text) : flag(flag), text(text) {
    std::tie(name, where) = text.split('=');
  }
  Diagnostic fail(const std::string &problem, std::string hint) const {
    return {ExitClass::Usage, "cameo", "", fmt::format("{} {} {}", flag, quoteText(text), problem),
            std::move(hint)};
  }
};

class VerifyVerb {
public:
  ModelFlags flags;
  BuildFlags buildFlags;
  std::vector<std::string> folders, spaces, connects;
  std::string next, stream;
  std::optional<double> relative, absolute, largest;
  double steps = 1, norm = 0.05;
  int64_t repeat = 1;
  int threads = 1;
  std::string jsonFile, junitFile;

  int run();

private:
  /// Does it all, but for the reports; `cases` are what came of it.
  std::optional<Diagnostic> execute();
  std::optional<Diagnostic> checkFlags() const;
  std::optional<Diagnostic> findData();
  std::optional<PipelineResult> compileOne(const ModelFlags &flags, Options &options,
                                           Interface &interface, Diagnostic &problem);
  std::optional<Diagnostic> readData();
  std::optional<Diagnostic> placeTensors(std::vector<RunRequest> &requests) const;
  std::optional<Diagnostic> connectModels(std::vector<RunRequest> &requests) const;
  /// The model whose outputs are compared.
  const Interface &getLast() const { return next.empty() ? model : nextModel; }
  Case judge(const DataSet &data, RunResult result, const std::vector<std::string> &names) const;
  Allowance getAllowance(const Rounding &rounding) const;
  std::string formatText() const;
  json::Value formatReport() const;
  std::string formatJunit() const;

  Interface model, nextModel;
  std::vector<DataSet> dataSets;
  std::vector<Case> cases;
  double compileSeconds = 0, buildSeconds = 0;
  /// Why there are no cases, and what was being done: `compile`, `read`, `build` or `run`.
  std::optional<Diagnostic> failure;
  const char *phase = "read";
};

std::optional<Diagnostic> VerifyVerb::findData() {
  // That is what is wrong then, not that nothing is beside it.
  if (flags.getModel() != "-" && !llvm::sys::fs::exists(flags.getModel()))
    return Diagnostic{ExitClass::Io, flags.getModel(), "", "No such file or directory", ""};
  if (folders.empty())
    folders = findDataSets(flags.getModel());
  if (folders.empty())
    return Diagnostic{ExitClass::Usage, flags.getModel(), "", "has no data sets beside it",
                      "--data names a folder with input_K.pb and output_K.pb, or an .npz file"};
  return std::nullopt;
}

Interface readInterface(mlir::ModuleOp module) {
  Interface read;
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  auto add = [](mlir::Type type, mlir::StringAttr name, std::vector<PortType> &types,
                std::vector<std::string> &names, std::vector<int64_t> &ranks) {
    auto tensor = mlir::dyn_cast<core::SymTensorType>(type);
    types.push_back(getPortType(type));
    names.push_back(name ? name.str() : "");
    ranks.push_back(tensor && tensor.hasRank() ? tensor.getRank() : -1);
  };
  for (unsigned number = 0; number < main.getNumArguments(); ++number) {
    add(main.getArgumentTypes()[number],
        main.getArgAttrOfType<mlir::StringAttr>(number, "onnx.name"), read.signature.inputs,
        read.inputs, read.inputRanks);
    read.hasDefault.push_back(static_cast<bool>(main.getArgAttr(number, "onnx.default")));
  }
  for (unsigned number = 0; number < main.getNumResults(); ++number)
    add(main.getResultTypes()[number],
        main.getResultAttrOfType<mlir::StringAttr>(number, "onnx.name"), read.signature.outputs,
        read.outputs, read.outputRanks);
  for (mlir::Value result : main.getBody().back().getTerminator()->getOperands())
    read.roundings.push_back(getRounding(result));
  return read;
}

std::optional<PipelineResult> VerifyVerb::compileOne(const ModelFlags &flags, Options &options,
                                                     Interface &interface, Diagnostic &problem) {
  return compile(flags, options, problem, [&](Stage stage, mlir::ModuleOp module) {
    if (stage == Stage::Import)
      interface = readInterface(module);
    return true;
  });
}

std::optional<Diagnostic> VerifyVerb::readData() {
  for (const std::string &folder : folders)
    if (auto problem = readDataSet(folder, {model.signature.inputs, getLast().signature.outputs},
                                   dataSets.emplace_back()))
      return problem;
  return std::nullopt;
}

/// `SPACE[,offset=BYTES][,strides=A:B:C][,pad=ELEMENTS]`; says what is wrong.
std::string parsePlacement(StringRef text, Placement &place) {
  auto [space, rest] = text.split(',');
  std::optional<int> parsed = parseSpace(space);
  if (!parsed)
    return "names no space";
  place.space = *parsed;
  while (!rest.empty()) {
    StringRef part;
    std::tie(part, rest) = rest.split(',');
    auto [key, value] = part.split('=');
    bool isRead = false;
    if (key == "offset")
      isRead = !value.getAsInteger(10, place.offset) && place.offset >= 0;
    else if (key == "pad")
      isRead = !value.getAsInteger(10, place.pad) && place.pad >= 0;
    else if (key == "strides")
      do {
        auto [first, others] = value.split(':');
        isRead = !first.getAsInteger(10, place.strides.emplace_back());
        value = others;
      } while (isRead && !value.empty());
    if (!isRead)
      return "cannot be read";
  }
  return place.pad > 0 && !place.strides.empty() ? "has strides and a pad" : "";
}

/// The flags --space, for every request. An output of the next model is `then/NAME`, or NAME where
/// the first one has none of that name.
std::optional<Diagnostic> VerifyVerb::placeTensors(std::vector<RunRequest> &requests) const {
  constexpr const char *hint =
      "as in x=device, x=host,offset=4, y=device,strides=8:1 or y=host,pad=3";
  std::vector<Placement> inputs(model.inputs.size());
  std::vector<int64_t> outputRanks = model.outputRanks;
  llvm::append_range(outputRanks, nextModel.outputRanks);
  std::vector<Placement> outputs(outputRanks.size());
  auto find = [](const std::vector<std::string> &names, StringRef name) {
    return static_cast<size_t>(llvm::find(names, name) - names.begin());
  };
  for (StringRef text : spaces) {
    Named named("--space", text);
    Placement place;
    if (std::string problem = parsePlacement(named.where, place); !problem.empty())
      return named.fail(problem, hint);
    size_t input = find(model.inputs, named.name), output = find(model.outputs, named.name);
    if (output == model.outputs.size()) {
      StringRef name = named.name;
      name.consume_front("then/");
      output += find(nextModel.outputs, name);
    }
    bool isOutput = output < outputs.size();
    if (!isOutput && input == inputs.size()) {
      std::vector<StringRef> known;
      for (const auto *names : {&model.inputs, &model.outputs, &nextModel.outputs})
        known.insert(known.end(), names->begin(), names->end());
      return named.fail("names no input and no output", suggestNear(named.name, known, hint));
    }
    if (isOutput && place.offset != 0)
      return named.fail("moves an output", hint);
    int64_t rank = isOutput ? outputRanks[output] : model.inputRanks[input];
    auto given = static_cast<int64_t>(place.strides.size());
    if (given != 0 && rank >= 0 && given != rank)
      return named.fail(fmt::format("has {} strides, need {}", given, rank), hint);
    (isOutput ? outputs[output] : inputs[input]) = place;
  }
  for (RunRequest &request : requests) {
    request.inputPlaces = inputs;
    request.outputPlaces = outputs;
  }
  return std::nullopt;
}

/// The flags --connect: without one, what is called the same is connected.
std::optional<Diagnostic> VerifyVerb::connectModels(std::vector<RunRequest> &requests) const {
  constexpr const char *hint = "as in --connect OUTPUT=INPUT, an input of the model of --then";
  std::vector<std::pair<size_t, size_t>> found;
  std::vector<bool> isConnected(nextModel.hasDefault);
  for (const std::string &text : connects) {
    Named named("--connect", text);
    auto output = llvm::find(model.outputs, named.name);
    auto input = llvm::find(nextModel.inputs, named.where);
    if (output == model.outputs.end() || input == nextModel.inputs.end())
      return named.fail("names no output, or no input of the next model", hint);
    found.emplace_back(input - nextModel.inputs.begin(), output - model.outputs.begin());
  }
  for (auto [number, name] : llvm::enumerate(nextModel.inputs))
    if (auto output = llvm::find(model.outputs, name);
        connects.empty() && output != model.outputs.end())
      found.emplace_back(number, output - model.outputs.begin());
  for (auto [input, output] : found)
    isConnected[input] = true;
  for (auto [number, name] : llvm::enumerate(nextModel.inputs))
    if (!isConnected[number])
      return Diagnostic{
          ExitClass::Usage, "cameo", "",
          fmt::format("--then: its input {} is no output of the first model", quoteText(name)),
          hint};
  for (RunRequest &request : requests)
    request.connections = found;
  return std::nullopt;
}

Allowance VerifyVerb::getAllowance(const Rounding &rounding) const {
  Allowance allowance{relative, absolute, largest};
  if (rounding.isQuantised) {
    allowance.steps = steps;
    allowance.scales = rounding.scales;
    allowance.axis = rounding.axis;
  }
  if (rounding.isBehindDynamic)
    allowance.norm = norm;
  return allowance;
}

Case VerifyVerb::judge(const DataSet &data, RunResult result,
                       const std::vector<std::string> &names) const {
  Case one;
  one.data = data.name;
  one.run = std::move(result);
  std::string expected = data.expectedStatus.empty() ? "OK" : data.expectedStatus;
  if (one.run.status != expected)
    one.problem =
        fmt::format("the run ended with {}, expected {}{}{}", one.run.status, expected,
                    one.run.message.empty() ? "" : ": ", escapeText(one.run.message, 600));
  else if (!data.expectedNode.empty() && one.run.node != data.expectedNode)
    one.problem = fmt::format("the run's status names the node '{}', expected '{}'",
                              escapeText(one.run.node, 200), escapeText(data.expectedNode, 200));
  else if (!one.run.fault.empty())
    one.problem = one.run.fault;
  one.passed = one.problem.empty();
  if (!one.passed || expected != "OK")
    return one;
  for (const auto &[number, expectedTensor] : data.outputs) {
    Output output;
    auto position = static_cast<size_t>(number) + (next.empty() ? 0 : model.outputs.size());
    output.name = names[position];
    output.comparison =
        compareTensors(one.run.outputs[position], expectedTensor,
                       getAllowance(getLast().roundings[static_cast<size_t>(number)]));
    one.passed &= output.comparison.passed;
    one.outputs.push_back(std::move(output));
  }
  return one;
}

std::string describe(const Tolerance &tolerance) {
  if (tolerance.absolute == 0 && tolerance.relative == 0)
    return "no tolerance";
  return fmt::format("tolerance {:.3g} + {:.3g} * |expected|", tolerance.absolute,
                     tolerance.relative);
}

/// What an output passed by.
std::string describeMeasure(const Comparison &c) {
  switch (c.measure) {
  case Measure::Tolerance:
    return describe(c.tolerance);
  case Measure::Largest:
    return fmt::format("{:.3g}, for the largest element {:.3g}", c.largestAllowed, c.largest);
  case Measure::Steps:
    return c.step == 1 ? "what steps allow (--steps)"
                       : fmt::format("what steps of {:.3g} allow (--steps)", c.step);
  case Measure::Norm:
    return "what the relative L2 norm may be (--norm)";
  }
  return "";
}

std::string describe(const Output &output) {
  const Comparison &c = output.comparison;
  if (!c.problem.empty())
    return fmt::format("output {}: {}", escapeText(output.name), c.problem);
  std::string text = fmt::format(
      "output {}: max abs {:.3g}, max rel {:.3g}; at [{}] got {:.9g}, expected {:.9g}; {}",
      escapeText(output.name), c.maxAbsolute, c.maxRelative, fmt::join(c.worstIndex, ", "),
      c.worstGot, c.worstExpected, describe(c.tolerance));
  if (c.largestAllowed > 0)
    text += fmt::format(" or {:.3g}", c.largestAllowed);
  if (c.step > 0)
    text += fmt::format(", a step is {:.3g}", c.step);
  if (c.norm > 0)
    text += fmt::format(", relative L2 norm {:.3g}", c.norm);
  return text;
}

/// How near to failing a data set that passed was: its output nearest to what it is allowed, of
/// those that needed the loosest measure.
std::string describeWorst(const Case &one) {
  auto getRank = [](const Output &output) {
    return std::pair(output.comparison.measure, output.comparison.share);
  };
  auto worst = llvm::max_element(
      one.outputs, [&](const Output &a, const Output &b) { return getRank(a) < getRank(b); });
  if (worst == one.outputs.end())
    return "";
  const Comparison &c = worst->comparison;
  if (c.share == 0)
    return ": no element differs";
  return fmt::format(": max abs {:.3g}, max rel {:.3g} in {}, {:.2g} of {}", c.maxAbsolute,
                     c.maxRelative, escapeText(worst->name), c.share, describeMeasure(c));
}

std::string VerifyVerb::formatText() const {
  std::string text;
  size_t passed = 0;
  for (const Case &one : cases) {
    passed += one.passed;
    text += fmt::format("{} {}{}\n", one.passed ? "passed" : "FAILED", escapeText(one.data),
                        one.passed ? describeWorst(one) : "");
    if (!one.problem.empty())
      text += "  " + one.problem + "\n";
    for (const Output &output : one.outputs)
      if (!output.comparison.passed)
        text += "  " + describe(output) + "\n";
  }
  return text + fmt::format("{} of {} data sets passed\n", passed, cases.size());
}

json::Value VerifyVerb::formatReport() const {
  json::Array rows;
  bool passed = !failure;
  json::Object relativeUsed, absoluteUsed;
  for (const Case &one : cases) {
    passed &= one.passed;
    json::Array outputs;
    for (const Output &output : one.outputs) {
      json::Object row{{"name", json::fixUTF8(output.name)},
                       {"passed", output.comparison.passed},
                       {"max_abs", toJson(output.comparison.maxAbsolute)},
                       {"max_rel", toJson(output.comparison.maxRelative)},
                       {"worst_index", output.comparison.worstIndex},
                       {"measure", getMeasureName(output.comparison.measure)},
                       {"norm", toJson(output.comparison.norm)}};
      if (!output.comparison.problem.empty())
        row["problem"] = output.comparison.problem;
      outputs.push_back(std::move(row));
    }
    json::Object row{{"data", json::fixUTF8(one.data)},
                     {"passed", one.passed},
                     {"status", json::Object{{"code", one.run.status},
                                             {"message", json::fixUTF8(one.run.message)},
                                             {"node", json::fixUTF8(one.run.node)},
                                             {"tensor", json::fixUTF8(one.run.tensor)}}},
                     {"outputs", std::move(outputs)},
                     {"counters", json::Object(one.run.counters)}};
    if (!one.problem.empty())
      row["problem"] = json::fixUTF8(one.problem);
    rows.push_back(std::move(row));
  }
  for (const DataSet &data : dataSets)
    for (const auto &[number, tensor] : data.outputs) {
      Tolerance tolerance = getDefaultTolerance(tensor.elementType);
      std::string type = getDataTypeName(tensor.elementType);
      relativeUsed[type] = relative.value_or(tolerance.relative);
      absoluteUsed[type] = absolute.value_or(tolerance.absolute);
    }
  json::Object report{{"schema", 1},
                      {"model", json::fixUTF8(flags.getModel())},
                      {"target", flags.getPlatform().name},
                      {"passed", passed},
                      {"rtol", std::move(relativeUsed)},
                      {"atol", std::move(absoluteUsed)},
                      {"steps", steps},
                      {"norm", norm},
                      {"compile_s", compileSeconds},
                      {"build_s", buildSeconds},
                      {"cases", std::move(rows)}};
  if (failure) {
    json::Object error = cli::toJson(*failure);
    error["during"] = phase;
    report["error"] = std::move(error);
  }
  return report;
}

std::string VerifyVerb::formatJunit() const {
  size_t failures = 0;
  std::string rows, suite = escapeXml(escapeText(flags.getModel(), 1024));
  for (const Case &one : cases) {
    rows += fmt::format("  <testcase classname=\"{}\" name=\"{}\"", suite,
                        escapeXml(escapeText(one.data)));
    if (one.passed) {
      std::string by;
      for (const Output &output : one.outputs)
        if (output.comparison.measure != Measure::Tolerance)
          by += (by.empty() ? "" : "; ") + escapeText(output.name) + " passed by " +
                describeMeasure(output.comparison);
      rows += by.empty() ? "/>\n"
                         : fmt::format(">\n    <system-out>{}</system-out>\n  </testcase>\n",
                                       escapeXml(by));
      continue;
    }
    ++failures;
    std::string why = one.problem;
    for (const Output &output : one.outputs)
      if (!output.comparison.passed)
        why += (why.empty() ? "" : "; ") + describe(output);
    rows += fmt::format(">\n    <failure message=\"{}\"/>\n  </testcase>\n", escapeXml(why));
  }
  if (failure)
    rows += fmt::format("  <testcase classname=\"{}\" name=\"{}\">\n    <error message=\"{}\"/>\n"
                        "  </testcase>\n",
                        suite, phase, escapeXml(failure->str()));
  size_t errors = failure ? 1 : 0;
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" "
                     "tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}</testsuite>\n",
                     suite, cases.size() + errors, failures, errors, rows);
}

std::optional<Diagnostic> VerifyVerb::checkFlags() const {
  auto refuse = [](const char *problem) {
    return Diagnostic{ExitClass::Usage, "cameo", "", problem, ""};
  };
  if (buildFlags.trace && !flags.getPlatform().canTrace)
    return refuse("--trace is of --target cuda-emu alone");
  if (!stream.empty() && !flags.getPlatform().target->device)
    return refuse("--stream is of targets with a device");
  if (next.empty() && !connects.empty())
    return refuse("--connect is of --then");
  return std::nullopt;
}

std::optional<Diagnostic> VerifyVerb::execute() {
  Options options;
  if (auto problem = flags.read(options))
    return problem;
  if (auto problem = checkFlags())
    return problem;
  if (auto problem = findData())
    return problem;
  options.emit.name = makeLibraryName(flags.getModel());

  phase = "compile";
  auto start = std::chrono::steady_clock::now();
  Diagnostic refusal;
  std::optional<PipelineResult> compiled = compileOne(flags, options, model, refusal), behind;
  if (!compiled)
    return refusal;
  std::vector<GeneratedLibrary> libraries{{options.emit.name, &compiled->files}};
  if (!next.empty()) {
    ModelFlags nextFlags = flags.forModel(next);
    if (auto problem = nextFlags.read(options))
      return problem;
    options.emit.name = makeLibraryName(next);
    if (options.emit.name == libraries.front().name)
      options.emit.name += "_then";
    behind = compileOne(nextFlags, options, nextModel, refusal);
    if (!behind)
      return refusal;
    libraries.push_back({options.emit.name, &behind->files});
  }
  compileSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  phase = "read";
  if (auto problem = readData())
    return problem;

  std::vector<RunRequest> requests;
  for (DataSet &data : dataSets) {
    if (auto problem = resolveNames(data, {model.signature.inputs, getLast().signature.outputs},
                                    model.inputs, getLast().outputs))
      return problem;
    RunRequest &request = requests.emplace_back();
    request.repeat = repeat;
    request.inputs.resize(model.inputs.size());
    for (const auto &[number, tensor] : data.inputs)
      request.inputs[static_cast<size_t>(number)] = tensor;
  }
  if (auto problem = placeTensors(requests))
    return problem;
  if (auto problem = connectModels(requests))
    return problem;

  phase = "build";
  NativeProgram program;
  if (auto problem = buildProgram(libraries, flags.getPlatform(), buildFlags, program))
    return problem;
  buildSeconds = program.seconds;
  phase = "run";
  std::vector<std::string> names;
  std::optional<Diagnostic> problem;
  auto progress = std::make_unique<Progress>("running the data sets");
  RunFlags runFlags{threads, !stream.empty()};
  runFlags.limits = buildFlags.limits;
  std::vector<RunResult> results = runProgram(program.path, runFlags, requests, names, problem);
  progress.reset();
  if (problem)
    return problem;
  for (auto [data, result] : llvm::zip_equal(dataSets, results))
    cases.push_back(judge(data, std::move(result), names));
  return std::nullopt;
}

int VerifyVerb::run() {
  failure = execute();
  // What is wrong is said first: that a report cannot be written is less.
  int failed = failure ? report(*failure) : 0;
  if (!jsonFile.empty())
    if (int unwritten = printTo(jsonFile, formatJson(formatReport())))
      return failed ? failed : unwritten;
  if (!junitFile.empty())
    if (int unwritten = printTo(junitFile, formatJunit()))
      return failed ? failed : unwritten;
  if (failed)
    return failed;
  if (jsonFile != "-" && junitFile != "-")
    if (int unwritten = print(formatText()))
      return unwritten;
  bool passed = llvm::all_of(cases, [](const Case &one) { return one.passed; });
  return passed ? 0 : static_cast<int>(ExitClass::CheckFailed);
}

} // namespace

Verb cameo::cli::addVerify(CLI::App &app) {
  CLI::App &verb = addVerb(app, "verify", "run a model on its data sets and compare",
                           "cameo verify model.onnx --target cuda-emu");
  auto state = std::make_shared<VerifyVerb>();
  verb.add_option("--data", state->folders,
                  "a data set, a folder or an .npz file (default: each test_data_set_* beside "
                  "the model)")
      ->allow_extra_args(false);
  verb.add_option("--space", state->spaces,
                  "where an input or output is, and how it lies: "
                  "NAME=host|pinned|device|managed|null[,offset=BYTES][,strides=A:B|,pad=ELEMENTS]")
      ->allow_extra_args(false);
  verb.add_option("--stream", state->stream,
                  "user: inputs are written late on another stream, events order everything")
      ->check(CLI::IsMember({"user"}));
  verb.add_option("--then", state->next, "a second model, which reads the first one's outputs");
  verb.add_option("--connect", state->connects,
                  "OUTPUT=INPUT of the model of --then (default: what is called the same)")
      ->allow_extra_args(false);
  state->buildFlags.limits.addTo(verb);
  verb.add_option("--rtol", state->relative, "relative tolerance of floats");
  verb.add_option("--atol", state->absolute, "absolute tolerance of floats");
  verb.add_option("--largest", state->largest,
                  "what floats may be off as a share of their tensor's largest element, where that "
                  "is below 1e4 (default 1e-6 of float32; 0 with --rtol or --atol)")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--steps", state->steps,
                  "steps of their scale that quantised outputs may be off (default 1)")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--norm", state->norm,
                  "relative L2 norm of the error that outputs behind a DynamicQuantizeLinear may "
                  "have (default 0.05)")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--repeat", state->repeat,
                  "run each data set so often; all runs must agree bit for bit")
      ->check(CLI::PositiveNumber);
  verb.add_option("--threads", state->threads, "of the program")->check(CLI::Range(0, 4096));
  verb.add_option("--cxxflags", state->buildFlags.cxx,
                  "more flags of the C++ compiler, behind -O3, such as '-march=native'");
  verb.add_flag("--trace", state->buildFlags.trace,
                "cuda-emu: hold every access of a kernel against what it declares (slower)");
  verb.add_option("--json", state->jsonFile,
                  "write the report to this file, - for standard output");
  verb.add_option("--junit", state->junitFile, "the same for CI systems");
  state->flags.addTo(verb, /*withEmulator=*/true);
  return [state] { return state->run(); };
}
