// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo verify: compiles, builds, runs every data set in one process on one context, compares with
// what the data sets have as outputs, or with what other programs make of their inputs.

#include "Common.h"
#include "Compare.h"
#include "DataSets.h"
#include "Interface.h"
#include "ManyModels.h"
#include "ModelInputs.h"
#include "NativeBuild.h"
#include "NumPyData.h"
#include "Peers.h"
#include "Progress.h"
#include "Support/NearNames.h"
#include "VerifyReport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/FileSystem.h"
#include <chrono>
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

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
  std::vector<std::string> folders, spaces, connects, updates, carries;
  std::string next, stream;
  ToleranceFlags tolerances;
  int64_t repeat = 1;
  RunFlags runs;
  std::string jsonFile, junitFile;

  ManyModels many;

  int run();

private:
  /// Does it all, but for the reports; `report.cases` are what came of it.
  std::optional<Diagnostic> execute();
  std::optional<Diagnostic> checkFlags() const;
  std::optional<Diagnostic> findData();
  std::optional<PipelineResult> compileOne(const ModelFlags &flags, Options &options,
                                           Interface &interface, Diagnostic &problem);
  std::optional<Diagnostic> readData();
  std::optional<Diagnostic> askPeers();
  std::optional<Diagnostic> lookForNode();
  std::optional<Diagnostic> placeTensors(std::vector<RunRequest> &requests) const;
  std::optional<Diagnostic> findConnections();
  void countOnDevice(Options &options);
  void connectModels(std::vector<RunRequest> &requests) const;
  std::optional<Diagnostic> joinTensors(std::vector<RunRequest> &requests) const;
  /// The model whose outputs are compared.
  const Interface &getLast() const { return next.empty() ? model : nextModel; }
  VerifiedCase judge(size_t number, RunResult result, const std::vector<std::string> &names) const;
  void compare(const Voice &other, const std::vector<std::string> &names, VerifiedCase &one) const;
  void listElementTypes();
  void compareWithAll(size_t number, const std::vector<std::string> &names,
                      VerifiedCase &one) const;

  Interface model, nextModel;
  /// Inputs of the next model and the outputs that they are, and those that are extents of outputs.
  std::vector<std::pair<size_t, size_t>> connections;
  std::vector<RunRequest::Count> counts;
  std::vector<Peer> peers;
  std::vector<DataSet> dataSets;
  /// By peer, then by data set.
  std::vector<std::vector<Voice>> voices;
  /// How many data sets are made up for each choice of extents.
  int64_t seeds = 0;
  VerifyReport report;
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
    if (stage == Stage::Plan)
      interface.counted = readCounted(module);
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

/// The flags --in-place and --carry. Whether an output may lie where an input does is for the run
/// to say.
std::optional<Diagnostic> VerifyVerb::joinTensors(std::vector<RunRequest> &requests) const {
  for (auto [flag, texts] : {std::pair("--in-place", &updates), std::pair("--carry", &carries)})
    for (const std::string &text : *texts) {
      Named named(flag, text);
      auto output = llvm::find(model.outputs, named.name);
      auto input = llvm::find(model.inputs, named.where);
      if (output == model.outputs.end() || input == model.inputs.end())
        return named.fail("names no output, or no input",
                          fmt::format("as in {} OUTPUT=INPUT", flag));
      size_t from = output - model.outputs.begin(), to = input - model.inputs.begin();
      for (RunRequest &request : requests)
        if (texts == &updates)
          request.updates.emplace_back(from, to);
        else
          request.carried.emplace_back(to, from);
    }
  return std::nullopt;
}

/// The flags --connect: without one, what is called the same is connected.
std::optional<Diagnostic> VerifyVerb::findConnections() {
  constexpr const char *hint = "as in --connect OUTPUT=INPUT, an input of the model of --then";
  std::vector<bool> isConnected(nextModel.hasDefault);
  for (const std::string &text : connects) {
    Named named("--connect", text);
    auto output = llvm::find(model.outputs, named.name);
    auto input = llvm::find(nextModel.inputs, named.where);
    if (output == model.outputs.end() || input == nextModel.inputs.end())
      return named.fail("names no output, or no input of the next model", hint);
    connections.emplace_back(input - nextModel.inputs.begin(), output - model.outputs.begin());
  }
  for (auto [number, name] : llvm::enumerate(nextModel.inputs))
    if (auto output = llvm::find(model.outputs, name);
        connects.empty() && output != model.outputs.end())
      connections.emplace_back(number, output - model.outputs.begin());
  for (auto [input, output] : connections)
    isConnected[input] = true;
  for (auto [number, name] : llvm::enumerate(nextModel.inputs))
    if (!isConnected[number])
      return Diagnostic{
          ExitClass::Usage, "cameo", "",
          fmt::format("--then: its input {} is no output of the first model", quoteText(name)),
          hint};
  return std::nullopt;
}

/// Has the next model take from the device how much of its inputs there is, where all that the
/// first one counts of them is the first dim; else the host waits in between.
void VerifyVerb::countOnDevice(Options &options) {
  std::map<std::string, std::string> extents;
  std::vector<RunRequest::Count> found;
  for (auto [input, output] : connections)
    for (const Interface::Counted &counted : model.counted) {
      if (counted.output != output)
        continue;
      const std::vector<std::string> &dims = nextModel.inputDims[input];
      bool isFirst = counted.axis < dims.size() && dims[counted.axis] != "" &&
                     dims[counted.axis] != "1" &&
                     std::all_of(dims.begin(), dims.begin() + counted.axis,
                                 [](const std::string &dim) { return dim == "1"; });
      if (!isFirst)
        return;
      auto [known, isNew] = extents.emplace(dims[counted.axis], counted.extent);
      if (!isNew && known->second != counted.extent)
        return;
      if (isNew) {
        options.import.countedDims.push_back(known->first);
        found.push_back({nextModel.inputs.size() + found.size(), output, counted.axis});
      }
    }
  counts = std::move(found);
}

void VerifyVerb::connectModels(std::vector<RunRequest> &requests) const {
  for (RunRequest &request : requests) {
    request.connections = connections;
    request.counts = counts;
  }
}

/// Looks into the first data set that failed against a peer that runs the ONNX file.
std::optional<Diagnostic> VerifyVerb::lookForNode() {
  for (auto [number, one] : llvm::enumerate(report.cases))
    for (const Peer &peer : peers) {
      std::map<std::string, Comparison> outputs;
      for (const VerifiedOutput &output : one.outputs)
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
                         VerifiedCase &one) const {
  for (const auto &[number, expected] : other.outputs) {
    VerifiedOutput output;
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
                                VerifiedCase &one) const {
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

VerifiedCase VerifyVerb::judge(size_t number, RunResult result,
                               const std::vector<std::string> &names) const {
  const DataSet &data = dataSets[number];
  VerifiedCase one;
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

  report.phase = "compile";
  auto start = std::chrono::steady_clock::now();
  Diagnostic refusal;
  std::optional<PipelineResult> compiled = compileOne(flags, options, model, refusal), behind;
  if (!compiled)
    return refusal;
  report.warnings = compiled->warnings;
  std::vector<GeneratedLibrary> libraries{{options.emit.name, &compiled->files}};
  if (!next.empty()) {
    ModelFlags nextFlags = flags.forModel(next);
    if (auto problem = nextFlags.read(options))
      return problem;
    options.emit.name = makeLibraryName(next);
    if (options.emit.name == libraries.front().name)
      options.emit.name += "_then";
    // A model that is wrong the compilation refuses.
    PipelineResult peeked = compileModel(next, options, [&](Stage, mlir::ModuleOp module) {
      nextModel = readInterface(module);
      return false;
    });
    if (!peeked.diagnostic) {
      if (auto problem = findConnections())
        return problem;
      countOnDevice(options);
    }
    behind = compileOne(nextFlags, options, nextModel, refusal);
    if (!behind)
      return refusal;
    llvm::append_range(report.warnings, behind->warnings);
    libraries.push_back({options.emit.name, &behind->files});
  }
  report.compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.phase = "read";
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
  if (auto problem = joinTensors(requests))
    return problem;
  connectModels(requests);

  report.phase = "peer";
  if (auto problem = askPeers())
    return problem;
  report.phase = "build";
  NativeProgram program;
  if (auto problem = buildProgram(libraries, flags.getPlatform(), buildFlags, program))
    return problem;
  report.buildSeconds = program.seconds;
  report.phase = "run";
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
    report.cases.push_back(judge(number, std::move(result), names));
  auto compared =
      llvm::find_if(report.cases, [](const VerifiedCase &one) { return one.refusal.empty(); });
  if (compared == report.cases.end())
    return Diagnostic{ExitClass::CheckFailed, flags.getModel(), "",
                      "nothing was compared, since nobody takes the inputs of any data set: " +
                          report.cases.front().refusal,
                      "--dim and --in decide extents and values, --data has both"};
  report.phase = "nodes";
  return looksForNode ? lookForNode() : std::nullopt;
}

/// Tells the report whose outputs were compared.
void VerifyVerb::listElementTypes() {
  auto add = [&](const std::map<int64_t, TensorData> &outputs) {
    for (const auto &[number, tensor] : outputs)
      report.elementTypes.insert(tensor.elementType);
  };
  for (const DataSet &data : dataSets)
    add(data.outputs);
  for (const std::vector<Voice> &peer : voices)
    for (const Voice &voice : peer)
      add(voice.outputs);
}

int VerifyVerb::run() {
  if (flags.getModels().size() > 1)
    return many.run(flags.getModels(), {jsonFile, junitFile});
  report.model = flags.getModel();
  report.target = flags.getPlatform().name;
  report.tolerances = tolerances;
  report.failure = execute();
  listElementTypes();
  // The failure comes first: a report that cannot be written matters less.
  int failed = report.failure ? cli::report(*report.failure) : 0;
  if (!jsonFile.empty())
    if (int unwritten = printTo(jsonFile, formatJson(report.toJson())))
      return failed ? failed : unwritten;
  if (!junitFile.empty())
    if (int unwritten = printTo(junitFile, formatJunit(makeSuite(report.toJson()))))
      return failed ? failed : unwritten;
  if (failed)
    return failed;
  if (jsonFile != "-" && junitFile != "-")
    if (int unwritten = print(report.toText()))
      return unwritten;
  return report.hasPassed() ? 0 : static_cast<int>(ExitClass::CheckFailed);
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
  verb.add_option("--in-place", state->updates,
                  "OUTPUT=INPUT: an output in the memory of the input that it updates")
      ->allow_extra_args(false);
  verb.add_option("--carry", state->carries,
                  "OUTPUT=INPUT: an input is what the run of the data set before left in an output")
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
  state->many.addTo(verb, {"--emit-plan"});
  state->flags.addTo(verb, /*withEmulator=*/true, ModelFlags::Models::Many);
  return [state] { return state->run(); };
}
