// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo verify: compiles, builds, runs every data set in one process on one context, compares with
// what the data sets have as outputs, or with what other programs make of their inputs.

#include "Common.h"
#include "Compare.h"
#include "DataSets.h"
#include "Driver.h"
#include "Interface.h"
#include "ModelInputs.h"
#include "NativeBuild.h"
#include "Nodes.h"
#include "NumPyData.h"
#include "Peers.h"
#include "Progress.h"
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
  /// Who has what is expected; empty for the data set itself where nobody else is asked.
  std::string against;
  Comparison comparison;
};

struct Case {
  std::string data;
  bool passed = true;
  /// Why not, where it is not an output.
  std::string problem;
  /// Why it passed without being compared: nobody takes these inputs.
  std::string refusal;
  /// Who differs from all others: `cameo`, a peer, or `data`.
  std::string alone;
  /// At which node it begins, for the first that failed against a peer that has nodes (--nodes).
  std::optional<NodeAnswer> nodes;
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
  PeerFlags peerFlags;
  ModelInputs madeUp;
  bool looksForNode = false;
  std::vector<std::string> folders, spaces, connects;
  std::string next, stream;
  ToleranceFlags tolerances;
  int64_t repeat = 1;
  RunFlags runs;
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
  std::optional<Diagnostic> askPeers();
  std::optional<Diagnostic> lookForNode();
  std::optional<Diagnostic> placeTensors(std::vector<RunRequest> &requests) const;
  std::optional<Diagnostic> connectModels(std::vector<RunRequest> &requests) const;
  /// The model whose outputs are compared.
  const Interface &getLast() const { return next.empty() ? model : nextModel; }
  Case judge(size_t number, RunResult result, const std::vector<std::string> &names) const;
  void compare(const Voice &other, const std::vector<std::string> &names, Case &one) const;
  void compareWithAll(size_t number, const std::vector<std::string> &names, Case &one) const;
  std::string formatText() const;
  json::Value formatReport() const;
  std::string formatJunit() const;

  Interface model, nextModel;
  std::vector<Peer> peers;
  std::vector<DataSet> dataSets;
  /// By peer, then by data set.
  std::vector<std::vector<Voice>> voices;
  std::vector<Case> cases;
  /// How many data sets are made up for each choice of extents.
  int64_t seeds = 0;
  double compileSeconds = 0, buildSeconds = 0;
  /// Why there are no cases, and what was being done: `compile`, `read`, `peer`, `build`, `run` or
  /// `nodes`.
  std::optional<Diagnostic> failure;
  const char *phase = "read";
};

std::optional<Diagnostic> VerifyVerb::findData() {
  // That is what is wrong then, not that nothing is beside it.
  if (flags.getModel() != "-" && !llvm::sys::fs::exists(flags.getModel()))
    return Diagnostic{ExitClass::Io, flags.getModel(), "", "No such file or directory", ""};
  if (folders.empty())
    folders = findDataSets(flags.getModel());
  if (folders.empty() && !peerFlags.isGiven())
    return Diagnostic{ExitClass::Usage, flags.getModel(), "", "has no data sets beside it",
                      "--against onnxruntime makes up inputs and asks ONNX Runtime; --data names a "
                      "folder with input_K.pb and output_K.pb, or an .npz file"};
  constexpr int64_t kSeeds = 2;
  seeds = peerFlags.getSeeds().value_or(folders.empty() ? kSeeds : 0);
  return std::nullopt;
}

std::optional<PipelineResult> VerifyVerb::compileOne(const ModelFlags &flags, Options &options,
                                                     Interface &interface, Diagnostic &problem) {
  return compile(flags, options, problem, [&](Stage stage, mlir::ModuleOp module) {
    if (stage == Stage::Import)
      interface = readInterface(module);
    if (stage == Stage::Shape && &interface == &model && seeds > 0)
      madeUp.readSignature(module.lookupSymbol<mlir::func::FuncOp>("main"));
    return true;
  });
}

std::optional<Diagnostic> VerifyVerb::readData() {
  for (const std::string &folder : folders)
    if (auto problem = readDataSet(folder, {model.signature.inputs, getLast().signature.outputs},
                                   dataSets.emplace_back()))
      return problem;
  for (DataSet &data : dataSets)
    if (auto problem =
            resolveNames(data, {model.signature.inputs, getLast().signature.outputs}, model.inputs,
                         getLast().outputs, /*needsOutputs=*/!peerFlags.isGiven()))
      return problem;
  return seeds > 0 ? madeUp.makeDataSets(flags.getModel(), seeds, dataSets) : std::nullopt;
}

/// Asks for all data sets but those whose run must fail.
std::optional<Diagnostic> VerifyVerb::askPeers() {
  PeerRequest request{flags.getModel(), model.signature, model.inputs, model.outputs};
  request.python = peerFlags.getPython();
  request.limits = buildFlags.limits;
  std::vector<size_t> asked;
  for (auto [number, data] : llvm::enumerate(dataSets))
    if (data.expectedStatus.empty()) {
      request.cases.push_back(&data.inputs);
      asked.push_back(number);
    }
  for (const Peer &peer : peers) {
    std::vector<Voice> said;
    if (auto problem = askPeer(peer, request, said))
      return problem;
    std::vector<Voice> &all = voices.emplace_back(dataSets.size());
    for (auto [number, voice] : llvm::zip_equal(asked, said))
      all[number] = std::move(voice);
  }
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

/// Of the first data set that failed against a peer that runs the ONNX file.
std::optional<Diagnostic> VerifyVerb::lookForNode() {
  for (auto [number, one] : llvm::enumerate(cases))
    for (const Peer &peer : peers) {
      std::map<std::string, Comparison> outputs;
      for (const Output &output : one.outputs)
        if (output.against == peer.name)
          outputs[output.name] = output.comparison;
      bool failed = llvm::any_of(outputs, [](const auto &entry) { return !entry.second.passed; });
      if (failed && peer.script.empty())
        return findNode({flags, buildFlags, tolerances, peer, peerFlags.getPython(), runs, model,
                         dataSets[number].inputs, outputs},
                        one.nodes.emplace());
    }
  return std::nullopt;
}

/// Holds the run's outputs against those of another.
void VerifyVerb::compare(const Voice &other, const std::vector<std::string> &names,
                         Case &one) const {
  for (const auto &[number, expected] : other.outputs) {
    Output output;
    auto position = static_cast<size_t>(number) + (next.empty() ? 0 : model.outputs.size());
    output.name = names[position];
    output.against = other.name;
    output.comparison =
        compareTensors(one.run.outputs[position], expected,
                       tolerances.getAllowance(getLast().roundings[static_cast<size_t>(number)]));
    one.passed &= output.comparison.passed;
    one.outputs.push_back(std::move(output));
  }
}

/// Holds the run against all that the data set has outputs of, and finds who is alone. A run that
/// refuses its inputs is as right as the peers that refuse them.
void VerifyVerb::compareWithAll(size_t number, const std::vector<std::string> &names,
                                Case &one) const {
  std::vector<Voice> all{{"cameo"}};
  if (one.run.status == "OK")
    for (auto [position, tensor] : llvm::enumerate(one.run.outputs))
      all.front().outputs[static_cast<int64_t>(position)] = tensor;
  else
    all.front().refusal = fmt::format("{}: {}", one.run.status, escapeText(one.run.message, 600));
  for (const std::vector<Voice> &peer : voices)
    all.push_back(peer[number]);
  if (!dataSets[number].outputs.empty())
    all.push_back({"data", "", dataSets[number].outputs});
  auto allowance = [&](int64_t output) {
    return tolerances.getAllowance(model.roundings[static_cast<size_t>(output)]);
  };
  if (std::optional<size_t> alone = findAlone(all, allowance))
    one.alone = all[*alone].name;
  if (llvm::none_of(all, [](const Voice &voice) { return voice.refusal.empty(); })) {
    one.passed = true;
    one.problem.clear();
    one.refusal = all.front().refusal;
    return;
  }
  if (!one.problem.empty())
    return;
  for (const Voice &other : llvm::drop_begin(all)) {
    compare(other, names, one);
    if (other.refusal.empty())
      continue;
    one.passed = false;
    one.problem += fmt::format("{}{} refuses these inputs: {}", one.problem.empty() ? "" : "; ",
                               escapeText(other.name), other.refusal);
  }
}

Case VerifyVerb::judge(size_t number, RunResult result,
                       const std::vector<std::string> &names) const {
  const DataSet &data = dataSets[number];
  Case one;
  one.data = data.name;
  one.run = std::move(result);
  std::string expected = data.expectedStatus.empty() ? "OK" : data.expectedStatus;
  bool isAsRefused = false;
  if (one.run.status != expected) {
    one.problem =
        fmt::format("the run ended with {}, expected {}{}{}", one.run.status, expected,
                    one.run.message.empty() ? "" : ": ", escapeText(one.run.message, 600));
    // A crash, or a bug of ours, is no refusal.
    isAsRefused = one.run.status != "CRASHED" && one.run.status != "INTERNAL";
  } else if (!data.expectedNode.empty() && one.run.node != data.expectedNode)
    one.problem = fmt::format("the run's status names the node '{}', expected '{}'",
                              escapeText(one.run.node, 200), escapeText(data.expectedNode, 200));
  else if (!one.run.fault.empty())
    one.problem = one.run.fault;
  one.passed = one.problem.empty();
  if (expected != "OK" || (!one.passed && !isAsRefused))
    return one;
  if (peerFlags.isGiven())
    compareWithAll(number, names, one);
  else if (one.passed)
    compare({"", "", data.outputs}, names, one);
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
  std::string name = escapeText(output.name);
  if (!output.against.empty())
    name += " against " + escapeText(output.against);
  if (!c.problem.empty())
    return fmt::format("output {}: {}", name, c.problem);
  std::string text = fmt::format(
      "output {}: max abs {:.3g}, max rel {:.3g}; at [{}] got {:.9g}, expected {:.9g}; {}", name,
      c.maxAbsolute, c.maxRelative, fmt::join(c.worstIndex, ", "), c.worstGot, c.worstExpected,
      describe(c.tolerance));
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
  if (!one.refusal.empty())
    return ": not compared, nobody takes these inputs: " + one.refusal;
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

std::string describe(const ComparedValue &value) {
  const Comparison &c = value.comparison;
  std::string name = fmt::format("{} ({}), value {}", escapeText(value.node),
                                 escapeText(value.opType), escapeText(value.value));
  if (!c.problem.empty())
    return name + ": " + c.problem;
  return fmt::format("{}: max abs {:.3g}, max rel {:.3g}, {:.2g} of {}", name, c.maxAbsolute,
                     c.maxRelative, c.share, describeMeasure(c));
}

std::string describe(const NodeAnswer &answer) {
  constexpr size_t kRows = 10;
  std::string text = answer.first ? fmt::format("  first node that differs: {}\n    {}\n",
                                                describe(*answer.first), answer.verdict)
                                  : fmt::format("  no node differs: {}\n", answer.verdict);
  text += fmt::format("  worst of the {} nodes that were compared:\n", answer.worst.size());
  for (const ComparedValue &value : llvm::ArrayRef(answer.worst).take_front(kRows))
    text += "    " + describe(value) + "\n";
  return text;
}

json::Value toJson(const ComparedValue &value) {
  const Comparison &c = value.comparison;
  json::Object row{{"node", json::fixUTF8(value.node)},
                   {"op", json::fixUTF8(value.opType)},
                   {"value", json::fixUTF8(value.value)},
                   {"passed", c.passed},
                   {"max_abs", toJson(c.maxAbsolute)},
                   {"max_rel", toJson(c.maxRelative)},
                   {"share", toJson(c.share)}};
  if (!c.problem.empty())
    row["problem"] = c.problem;
  return row;
}

json::Value toJson(const NodeAnswer &answer) {
  json::Array worst;
  for (const ComparedValue &value : answer.worst)
    worst.push_back(toJson(value));
  json::Object object{{"verdict", json::fixUTF8(answer.verdict)}, {"worst", std::move(worst)}};
  if (answer.first)
    object["first"] = toJson(*answer.first);
  if (answer.isNew)
    object["new"] = *answer.isNew;
  return object;
}

std::string VerifyVerb::formatText() const {
  std::string text;
  size_t passed = 0;
  for (const Case &one : cases) {
    passed += one.passed;
    text += fmt::format("{} {}{}\n", one.passed ? "passed" : "FAILED", escapeText(one.data),
                        one.passed ? describeWorst(one) : "");
    if (!one.alone.empty())
      text += fmt::format("  {} is alone, all others agree\n", escapeText(one.alone));
    if (!one.problem.empty())
      text += "  " + one.problem + "\n";
    for (const Output &output : one.outputs)
      if (!output.comparison.passed)
        text += "  " + describe(output) + "\n";
    if (one.nodes)
      text += describe(*one.nodes);
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
      if (!output.against.empty())
        row["against"] = json::fixUTF8(output.against);
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
    for (auto [key, text] : {std::pair("problem", &one.problem), std::pair("alone", &one.alone),
                             std::pair("refusal", &one.refusal)})
      if (!text->empty())
        row[key] = json::fixUTF8(*text);
    if (one.nodes)
      row["nodes"] = toJson(*one.nodes);
    rows.push_back(std::move(row));
  }
  auto addTolerances = [&](const std::map<int64_t, TensorData> &outputs) {
    for (const auto &[number, tensor] : outputs) {
      Tolerance tolerance = getDefaultTolerance(tensor.elementType);
      std::string type = getDataTypeName(tensor.elementType);
      relativeUsed[type] = tolerances.relative.value_or(tolerance.relative);
      absoluteUsed[type] = tolerances.absolute.value_or(tolerance.absolute);
    }
  };
  for (const DataSet &data : dataSets)
    addTolerances(data.outputs);
  for (const std::vector<Voice> &peer : voices)
    for (const Voice &voice : peer)
      addTolerances(voice.outputs);
  json::Object report{{"schema", 1},
                      {"model", json::fixUTF8(flags.getModel())},
                      {"target", flags.getPlatform().name},
                      {"passed", passed},
                      {"rtol", std::move(relativeUsed)},
                      {"atol", std::move(absoluteUsed)},
                      {"steps", tolerances.steps},
                      {"norm", tolerances.norm},
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
      std::string by = one.refusal.empty() ? "" : "nobody takes these inputs: " + one.refusal;
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
    if (one.nodes && one.nodes->first)
      why += fmt::format("{}first node that differs: {}, {}", why.empty() ? "" : "; ",
                         describe(*one.nodes->first), one.nodes->verdict);
    if (!one.alone.empty())
      why += fmt::format("{}{} is alone, all others agree", why.empty() ? "" : "; ",
                         escapeText(one.alone));
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
  if (peerFlags.isGiven() && !next.empty())
    return refuse("--against is of one model, not of two with --then");
  if (peerFlags.isGiven() && flags.getModel() == "-")
    return refuse("--against needs a model in a file, which the peer reads");
  if (looksForNode && llvm::none_of(peers, [](const Peer &peer) { return peer.script.empty(); }))
    return refuse("--nodes needs --against onnxruntime or reference, which run nodes");
  if (!peerFlags.isGiven() && (peerFlags.getSeeds() || madeUp.isGiven()))
    return refuse("--seeds, --seed and --in are of --against");
  return std::nullopt;
}

std::optional<Diagnostic> VerifyVerb::execute() {
  Options options;
  if (auto problem = flags.read(options))
    return problem;
  if (auto problem = peerFlags.read(peers))
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
  for (const DataSet &data : dataSets) {
    RunRequest &request = requests.emplace_back();
    // A model that only has to run has to do the same twice.
    request.repeat = peerFlags.isNone() ? std::max<int64_t>(repeat, 2) : repeat;
    request.inputs.resize(model.inputs.size());
    for (const auto &[number, tensor] : data.inputs)
      request.inputs[static_cast<size_t>(number)] = tensor;
  }
  if (auto problem = placeTensors(requests))
    return problem;
  if (auto problem = connectModels(requests))
    return problem;

  phase = "peer";
  if (auto problem = askPeers())
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
  runs.userStreams = !stream.empty();
  runs.limits = buildFlags.limits;
  std::vector<RunResult> results = runProgram(program.path, runs, requests, names, problem);
  progress.reset();
  if (problem)
    return problem;
  for (auto [number, result] : llvm::enumerate(results))
    cases.push_back(judge(number, std::move(result), names));
  auto compared = llvm::find_if(cases, [](const Case &one) { return one.refusal.empty(); });
  if (compared == cases.end())
    return Diagnostic{ExitClass::CheckFailed, flags.getModel(), "",
                      "nothing was compared, since nobody takes the inputs of any data set: " +
                          cases.front().refusal,
                      "--dim and --in decide extents and values, --data has both"};
  phase = "nodes";
  return looksForNode ? lookForNode() : std::nullopt;
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
  state->peerFlags.addTo(verb);
  verb.add_flag("--nodes", state->looksForNode,
                "of the first data set that failed: at which node it begins to differ");
  state->madeUp.addTo(verb);
  state->tolerances.addTo(verb);
  verb.add_option("--repeat", state->repeat,
                  "run each data set so often; all runs must agree bit for bit")
      ->check(CLI::PositiveNumber);
  verb.add_option("--threads", state->runs.threads, "of the program")->check(CLI::Range(0, 4096));
  verb.add_option("--runner", state->runs.runner,
                  "a command that starts the program in place of {}, perhaps on another machine, "
                  "and passes standard input and output on")
      ->check(CLI::Validator([](std::string &text) { return text.empty() ? "is empty" : ""; }, ""));
  state->buildFlags.addTo(verb);
  state->buildFlags.limits.addTo(verb);
  verb.add_option("--json", state->jsonFile,
                  "write the report to this file, - for standard output");
  verb.add_option("--junit", state->junitFile, "the same for CI systems");
  state->flags.addTo(verb, /*withEmulator=*/true);
  return [state] { return state->run(); };
}
