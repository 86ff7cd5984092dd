// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Nodes.h"

#include "Driver.h"
#include "Import/ModelGraph.h"
#include "Pipeline/OutputFolder.h"
#include "Progress.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

/// How many values are outputs at once; less where so many do not fit into memory.
constexpr size_t kSlice = 16;

/// One model, run by both.
struct BothRuns {
  Interface interface;
  /// By output: how ours differs, and what the peer has.
  std::vector<Comparison> comparisons;
  std::map<int64_t, TensorData> expected;
  /// Why there is nothing to compare.
  std::string problem;
};

class NodeSearch {
public:
  NodeSearch(const NodeQuestion &question, NodeAnswer &answer)
      : question(question), answer(answer) {}

  std::optional<Diagnostic> run();

private:
  using Names = std::vector<std::string>;

  std::optional<Diagnostic> runBoth(const std::string &file, const ModelFlags &flags,
                                    const std::map<std::string, TensorData> &given, BothRuns &runs);
  /// Makes outputs of these values, in as many slices as it takes. `values` gets what the peer has,
  /// if wanted; false where the failed outputs do not differ in this form.
  std::optional<Diagnostic> observe(llvm::ArrayRef<std::string> names,
                                    std::map<std::string, TensorData> *values, bool &stillFails);
  std::optional<Diagnostic> observeSlice(llvm::ArrayRef<std::string> names,
                                         std::map<std::string, TensorData> *values,
                                         bool &stillFails, std::string &tooLarge);
  /// The nodes that a node reads from, directly or not, in order.
  std::vector<size_t> listAncestors(size_t node) const;
  bool differs(size_t node) const;
  bool wasCompared(size_t node) const { return compared.count(node) != 0; }
  size_t narrow(size_t last, std::optional<Diagnostic> &problem);
  std::optional<Diagnostic> judge(size_t node, bool &isFinal, size_t &other);
  void listWorst();

  const NodeQuestion &question;
  NodeAnswer &answer;
  ScratchFolder scratch;
  ModelGraph graph;
  llvm::StringMap<size_t> makers;
  /// The worst of each node that was compared.
  std::map<size_t, ComparedValue> compared;
  /// Values that are no tensors, which the driver does not pass on.
  llvm::StringSet<> noTensors;
  size_t slice = kSlice;
  /// Whether the failed outputs no longer differ where the values in front of them are outputs too.
  bool vanished = false;
};

bool isWorse(const Comparison &a, const Comparison &b) {
  auto rank = [](const Comparison &c) { return std::tuple(!c.passed, c.share, c.maxAbsolute); };
  return rank(a) > rank(b);
}

std::optional<Diagnostic> NodeSearch::runBoth(const std::string &file, const ModelFlags &flags,
                                              const std::map<std::string, TensorData> &given,
                                              BothRuns &runs) {
  Options options;
  if (auto problem = flags.read(options))
    return problem;
  options.emit.name = "observed";
  options.explainPlacement = false;
  std::string path = scratch.getPath() + "/observed.onnx";
  if (auto problem = writeFile(path, file))
    return problem;
  PipelineResult compiled = compileModel(path, options, [&](Stage stage, mlir::ModuleOp module) {
    if (stage == Stage::Import)
      runs.interface = readInterface(module);
    return true;
  });
  if (compiled.diagnostic) {
    compiled.diagnostic->file = flags.getModel();
    return compiled.diagnostic;
  }
  const Interface &interface = runs.interface;
  RunRequest request;
  request.inputs.resize(interface.inputs.size());
  std::map<int64_t, TensorData> inputs;
  for (auto [number, name] : llvm::enumerate(interface.inputs))
    if (auto found = given.find(name); found != given.end()) {
      request.inputs[number] = found->second;
      inputs[static_cast<int64_t>(number)] = found->second;
    }

  PeerRequest asked{path, interface.signature, interface.inputs, interface.outputs, {&inputs}};
  asked.python = question.python;
  asked.limits = question.build.limits;
  std::vector<Voice> voices;
  if (auto problem = askPeer(question.peer, asked, voices)) {
    problem->file = flags.getModel();
    return problem;
  }
  NativeProgram program;
  if (auto problem = buildProgram({{options.emit.name, &compiled.files}}, flags.getPlatform(),
                                  question.build, program))
    return problem;
  RunFlags runFlags{question.threads};
  runFlags.limits = question.build.limits;
  Names names;
  std::optional<Diagnostic> problem;
  std::vector<RunResult> results = runProgram(program.path, runFlags, {request}, names, problem);
  if (problem)
    return problem;
  const RunResult &result = results.front();
  if (!voices.front().refusal.empty())
    runs.problem = question.peer.name + " refuses: " + voices.front().refusal;
  else if (result.status != "OK")
    runs.problem = fmt::format("the run ended with {}: {}", result.status, result.message);
  if (!runs.problem.empty())
    return std::nullopt;
  runs.expected = std::move(voices.front().outputs);
  for (auto [number, output] : llvm::enumerate(result.outputs))
    runs.comparisons.push_back(
        compareTensors(output, runs.expected[static_cast<int64_t>(number)],
                       question.tolerances.getAllowance(interface.roundings[number])));
  return std::nullopt;
}

std::optional<Diagnostic> NodeSearch::observeSlice(llvm::ArrayRef<std::string> names,
                                                   std::map<std::string, TensorData> *values,
                                                   bool &stillFails, std::string &tooLarge) {
  std::string file;
  if (auto problem = graph.formatWithOutputs(names, file))
    return problem;
  std::map<std::string, TensorData> given;
  for (const auto &[number, tensor] : question.inputs)
    given[question.model.inputs[static_cast<size_t>(number)]] = tensor;
  BothRuns runs;
  if (auto problem = runBoth(file, question.flags, given, runs)) {
    if (problem->exitClass != ExitClass::Limit || names.size() < 2)
      return problem;
    tooLarge = problem->problem;
    return std::nullopt;
  }
  if (!runs.problem.empty()) {
    if (names.size() < 2)
      return Diagnostic{ExitClass::CheckFailed, question.flags.getModel(), "",
                        "--nodes: " + escapeText(runs.problem, 600), ""};
    tooLarge = runs.problem;
    return std::nullopt;
  }
  stillFails = false;
  for (auto [number, name] : llvm::enumerate(runs.interface.outputs)) {
    const Comparison &comparison = runs.comparisons[number];
    stillFails |= !comparison.passed && llvm::is_contained(question.failed, name);
    auto maker = makers.find(name);
    if (maker == makers.end())
      continue;
    const GraphNode &node = graph.getNodes()[maker->second];
    ComparedValue one{name, node.name, node.opType, comparison};
    auto [entry, isNew] = compared.emplace(maker->second, one);
    if (!isNew && isWorse(comparison, entry->second.comparison))
      entry->second = std::move(one);
    if (values)
      (*values)[name] = std::move(runs.expected[static_cast<int64_t>(number)]);
  }
  return std::nullopt;
}

std::optional<Diagnostic> NodeSearch::observe(llvm::ArrayRef<std::string> names,
                                              std::map<std::string, TensorData> *values,
                                              bool &stillFails) {
  stillFails = true;
  while (!names.empty()) {
    size_t count = std::min(slice, names.size());
    std::string tooLarge;
    bool fails = true;
    if (auto problem = observeSlice(names.take_front(count), values, fails, tooLarge))
      return problem;
    if (!tooLarge.empty()) {
      slice = std::max<size_t>(count / 2, 1);
      continue;
    }
    stillFails &= fails;
    names = names.drop_front(count);
  }
  return std::nullopt;
}

std::vector<size_t> NodeSearch::listAncestors(size_t node) const {
  std::vector<size_t> found, work{node};
  std::vector<bool> isKnown(graph.getNodes().size());
  while (!work.empty()) {
    size_t at = work.back();
    work.pop_back();
    for (const std::string &name : graph.getNodes()[at].reads)
      if (auto maker = makers.find(name); maker != makers.end() && !isKnown[maker->second]) {
        isKnown[maker->second] = true;
        found.push_back(maker->second);
        work.push_back(maker->second);
      }
  }
  llvm::sort(found);
  return found;
}

bool NodeSearch::differs(size_t node) const {
  auto found = compared.find(node);
  return found != compared.end() && !found->second.comparison.passed;
}

/// From a node that differs to the first one that does among those it follows from, as far as
/// values show it that are compared a slice at a time.
size_t NodeSearch::narrow(size_t last, std::optional<Diagnostic> &problem) {
  for (;;) {
    std::vector<size_t> nodes = listAncestors(last);
    // Behind the last one that is known not to differ.
    auto good = std::find_if(nodes.rbegin(), nodes.rend(),
                             [&](size_t node) { return wasCompared(node) && !differs(node); });
    nodes.erase(nodes.begin(), good.base());
    llvm::erase_if(nodes, [&](size_t node) { return wasCompared(node); });
    if (nodes.empty())
      return last;
    size_t count = std::min(slice, nodes.size());
    Names names;
    for (size_t number = 0; number < count; ++number) {
      const GraphNode &node = graph.getNodes()[nodes[(number + 1) * nodes.size() / (count + 1)]];
      for (const std::string &output : node.outputs)
        if (!llvm::is_contained(names, output) && !noTensors.contains(output))
          names.push_back(output);
    }
    bool stillFails = true;
    problem = observe(names, nullptr, stillFails);
    if (problem)
      return last;
    vanished = !stillFails;
    for (size_t node : llvm::reverse(nodes))
      last = differs(node) ? node : last;
  }
}

/// Runs a node alone on the peer's inputs. One of these may differ itself, though what was compared
/// so far did not show it: `other` is its node then, and the search goes on there.
std::optional<Diagnostic> NodeSearch::judge(size_t number, bool &isFinal, size_t &other) {
  const GraphNode &node = graph.getNodes()[number];
  isFinal = true;
  Names made;
  std::map<std::string, TensorData> values;
  for (const std::string &name : node.reads) {
    if (makers.count(name))
      made.push_back(name);
    for (auto [position, input] : llvm::enumerate(question.model.inputs))
      if (auto found = question.inputs.find(static_cast<int64_t>(position));
          input == name && found != question.inputs.end())
        values[name] = found->second;
  }
  bool stillFails = true;
  if (auto problem = observe(made, &values, stillFails))
    return problem;
  for (const std::string &name : made)
    if (size_t maker = makers.lookup(name); differs(maker)) {
      isFinal = false;
      other = maker;
      return std::nullopt;
    }
  answer.first = compared.at(number);
  std::string file;
  if (auto problem = graph.formatNode(number, values, file))
    return problem;
  BothRuns runs;
  if (auto problem =
          runBoth(file, question.flags.forModel(question.flags.getModel()), values, runs)) {
    answer.verdict = "whether it is new there cannot be told: " + problem->problem;
    return std::nullopt;
  }
  if (!runs.problem.empty()) {
    answer.verdict = "whether it is new there cannot be told: " + runs.problem;
    return std::nullopt;
  }
  answer.isNew = llvm::any_of(runs.comparisons, [](const Comparison &c) { return !c.passed; });
  if (!*answer.isNew && vanished) {
    answer.verdict =
        "gone where the values in front of it are outputs too: the difference is of what "
        "fusion makes of several nodes";
    return std::nullopt;
  }
  answer.verdict = *answer.isNew
                       ? fmt::format("new there: the node differs on {}'s own inputs as well",
                                     question.peer.name)
                       : fmt::format("carried in: on {}'s own inputs the node gives the same, and "
                                     "what it reads differs within its tolerance",
                                     question.peer.name);
  return std::nullopt;
}

void NodeSearch::listWorst() {
  auto nodes = llvm::make_first_range(compared);
  std::vector<size_t> order(nodes.begin(), nodes.end());
  // Of two that are as bad the earlier one.
  llvm::sort(order, [&](size_t a, size_t b) {
    const Comparison &one = compared.at(a).comparison, &other = compared.at(b).comparison;
    return isWorse(one, other) || (!isWorse(other, one) && a < b);
  });
  for (size_t node : order)
    answer.worst.push_back(compared.at(node));
}

std::optional<Diagnostic> NodeSearch::run() {
  if (auto problem = scratch.make())
    return problem;
  Options options;
  if (auto problem = question.flags.read(options))
    return problem;
  if (auto problem = ModelGraph::read(question.flags.getModel(), options.import, graph))
    return problem;
  for (auto [number, node] : llvm::enumerate(graph.getNodes()))
    for (const std::string &output : node.outputs)
      makers[output] = number;
  std::optional<size_t> last;
  for (const std::string &name : question.failed)
    if (auto maker = makers.find(name); maker != makers.end())
      last = std::min(last.value_or(maker->second), maker->second);
  // An output that is an input or a weight: no node makes it.
  if (!last) {
    answer.verdict = "no node makes the outputs that differ";
    return std::nullopt;
  }
  // The model as it is first: what its own outputs differ by.
  std::string tooLarge;
  bool stillFails = true;
  if (auto problem = observeSlice({}, nullptr, stillFails, tooLarge))
    return problem;
  std::optional<Diagnostic> problem;
  for (bool isFinal = false; !isFinal;) {
    last = narrow(*last, problem);
    if (problem)
      return problem;
    size_t other = *last;
    if (auto failed = judge(*last, isFinal, other))
      return failed;
    last = other;
  }
  listWorst();
  return std::nullopt;
}

} // namespace

std::optional<Diagnostic> cameo::cli::findNode(const NodeQuestion &question, NodeAnswer &answer) {
  return NodeSearch(question, answer).run();
}
