// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Nodes.h"

#include "Import/ModelGraph.h"
#include "Pipeline/OutputFolder.h"

#include "llvm/ADT/StringMap.h"
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
};

using Values = std::map<std::string, TensorData>;
using Names = std::vector<std::string>;

class NodeSearch {
public:
  NodeSearch(const NodeQuestion &question, NodeAnswer &answer)
      : question(question), answer(answer) {}

  std::optional<Diagnostic> run();

private:
  std::optional<Diagnostic> compileCopy(const std::string &path, const ModelFlags &flags,
                                        Interface &interface, NativeProgram &program) const;
  std::optional<Diagnostic> askPeerFor(const std::string &path, const Values &given,
                                       BothRuns &runs) const;
  std::optional<Diagnostic> runBoth(const ModelGraph &model, const ModelFlags &flags,
                                    const Values &given, BothRuns &runs) const;
  Values getGivenInputs() const;
  void record(const std::string &value, const Comparison &comparison);
  /// Makes outputs of these values, in as many slices as it takes; `values` gets the peer's
  /// results. Values that cannot be outputs are `unseen` behind it.
  void observe(llvm::ArrayRef<std::string> names, Values &values);
  std::optional<Diagnostic> observeSlice(llvm::ArrayRef<std::string> names, Values &values);
  /// The nodes that a node reads from, directly or not, in order.
  std::vector<size_t> listAncestors(size_t node) const;
  bool differs(size_t node) const;
  bool wasCompared(size_t node) const { return compared.count(node) != 0; }
  bool canBeCompared(size_t node) const;
  size_t narrow(size_t last);
  std::optional<size_t> judge(size_t node);
  std::string judgeAlone(size_t node, const Values &values);
  void listWorst();

  const NodeQuestion &question;
  NodeAnswer &answer;
  ScratchFolder scratch;
  ModelGraph graph;
  /// The worst of each node that was compared.
  std::map<size_t, ComparedValue> compared;
  /// Why values cannot be outputs: they are no tensors, or take too much memory.
  llvm::StringMap<std::string> unseen;
  size_t slice = kSlice;
  /// Whether the outputs no longer differ where the values in front of them are outputs too.
  bool vanished = false;
};

bool isWorse(const Comparison &a, const Comparison &b) {
  auto rank = [](const Comparison &c) { return std::tuple(!c.passed, c.share, c.maxAbsolute); };
  return rank(a) > rank(b);
}

std::optional<Diagnostic> NodeSearch::compileCopy(const std::string &path, const ModelFlags &flags,
                                                  Interface &interface,
                                                  NativeProgram &program) const {
  Options options;
  if (auto problem = flags.read(options))
    return problem;
  options.emit.name = "observed";
  options.explainPlacement = false;
  PipelineResult compiled = compileModel(path, options, [&](Stage stage, mlir::ModuleOp module) {
    if (stage == Stage::Import)
      interface = readInterface(module);
    return true;
  });
  if (compiled.diagnostic)
    return compiled.diagnostic;
  return buildProgram({{options.emit.name, &compiled.files}}, flags.getPlatform(), question.build,
                      program);
}

std::optional<Diagnostic> NodeSearch::askPeerFor(const std::string &path, const Values &given,
                                                 BothRuns &runs) const {
  const Interface &interface = runs.interface;
  std::map<int64_t, TensorData> inputs;
  for (auto [number, name] : llvm::enumerate(interface.inputs))
    if (auto found = given.find(name); found != given.end())
      inputs[static_cast<int64_t>(number)] = found->second;
  PeerRequest asked{path, interface.signature, interface.inputs, interface.outputs, {&inputs}};
  asked.python = question.python;
  asked.limits = question.build.limits;
  std::vector<Voice> voices;
  if (auto problem = askPeer(question.peer, asked, voices))
    return problem;
  Voice &voice = voices.front();
  if (!voice.refusal.empty())
    return Diagnostic{ExitClass::CheckFailed, "", "",
                      question.peer.name + " refuses: " + voice.refusal, ""};
  runs.expected = std::move(voice.outputs);
  return std::nullopt;
}

std::optional<Diagnostic> NodeSearch::runBoth(const ModelGraph &model, const ModelFlags &flags,
                                              const Values &given, BothRuns &runs) const {
  std::string path = scratch.getPath() + "/observed.onnx", file;
  if (auto problem = model.format(file))
    return problem;
  if (auto problem = writeFile(path, file))
    return problem;
  NativeProgram program;
  if (auto problem = compileCopy(path, flags, runs.interface, program))
    return problem;
  if (auto problem = askPeerFor(path, given, runs))
    return problem;
  RunRequest request;
  for (const std::string &name : runs.interface.inputs) {
    auto found = given.find(name);
    request.inputs.push_back(found == given.end() ? std::nullopt : std::optional(found->second));
  }
  Names names;
  std::optional<Diagnostic> problem;
  std::vector<RunResult> results =
      runProgram(program.path, question.runs, {request}, names, problem);
  if (problem)
    return problem;
  const RunResult &result = results.front();
  if (result.status != "OK")
    return Diagnostic{
        ExitClass::CheckFailed, "", "",
        fmt::format("the run ended with {}: {}", result.status, escapeText(result.message, 600)),
        ""};
  for (auto [number, output] : llvm::enumerate(result.outputs))
    runs.comparisons.push_back(
        compareTensors(output, runs.expected[static_cast<int64_t>(number)],
                       question.tolerances.getAllowance(runs.interface.roundings[number])));
  return std::nullopt;
}

Values NodeSearch::getGivenInputs() const {
  Values given;
  for (const auto &[number, tensor] : question.inputs)
    given[question.model.inputs[static_cast<size_t>(number)]] = tensor;
  return given;
}

void NodeSearch::record(const std::string &value, const Comparison &comparison) {
  std::optional<size_t> maker = graph.findMaker(value);
  if (!maker)
    return;
  const GraphNode &node = graph.getNodes()[*maker];
  ComparedValue one{value, node.name, node.opType, comparison};
  auto [entry, isNew] = compared.emplace(*maker, one);
  if (!isNew && isWorse(comparison, entry->second.comparison))
    entry->second = std::move(one);
}

std::optional<Diagnostic> NodeSearch::observeSlice(llvm::ArrayRef<std::string> names,
                                                   Values &values) {
  Names more, outputs = graph.getOutputs();
  for (const std::string &name : names)
    if (!llvm::is_contained(outputs, name))
      more.push_back(name);
  BothRuns runs;
  if (auto problem = runBoth(graph.withOutputs(more), question.flags, getGivenInputs(), runs))
    return problem;
  bool stillFails = false;
  for (auto [number, name] : llvm::enumerate(runs.interface.outputs)) {
    const Comparison &comparison = runs.comparisons[number];
    auto known = question.outputs.find(name);
    stillFails |= !comparison.passed && known != question.outputs.end() && !known->second.passed;
    record(name, comparison);
    if (llvm::is_contained(names, name))
      values[name] = std::move(runs.expected[static_cast<int64_t>(number)]);
  }
  vanished |= !stillFails;
  return std::nullopt;
}

void NodeSearch::observe(llvm::ArrayRef<std::string> names, Values &values) {
  vanished = false;
  while (!names.empty()) {
    size_t count = std::min(slice, names.size());
    std::optional<Diagnostic> problem = observeSlice(names.take_front(count), values);
    if (problem && count > 1) {
      slice = count / 2;
      continue;
    }
    if (problem) {
      unseen[names.front()] = problem->problem;
      // It was the value's, not that of how many there are.
      if (problem->exitClass != ExitClass::Limit)
        slice = kSlice;
    }
    names = names.drop_front(count);
  }
}

std::vector<size_t> NodeSearch::listAncestors(size_t node) const {
  std::vector<size_t> found, work{node};
  std::vector<bool> isKnown(graph.getNodes().size());
  while (!work.empty()) {
    size_t at = work.back();
    work.pop_back();
    for (const std::string &name : graph.getNodes()[at].reads)
      if (std::optional<size_t> maker = graph.findMaker(name); maker && !isKnown[*maker]) {
        isKnown[*maker] = true;
        found.push_back(*maker);
        work.push_back(*maker);
      }
  }
  llvm::sort(found);
  return found;
}

bool NodeSearch::differs(size_t node) const {
  auto found = compared.find(node);
  return found != compared.end() && !found->second.comparison.passed;
}

bool NodeSearch::canBeCompared(size_t node) const {
  return llvm::any_of(graph.getNodes()[node].outputs,
                      [&](const std::string &value) { return !unseen.contains(value); });
}

/// From a node that differs to the first one that does among those it follows from, as far as
/// values show it that are compared a slice at a time.
size_t NodeSearch::narrow(size_t last) {
  for (;;) {
    std::vector<size_t> nodes = listAncestors(last);
    // Behind the last one that is known not to differ.
    auto good = std::find_if(nodes.rbegin(), nodes.rend(),
                             [&](size_t node) { return wasCompared(node) && !differs(node); });
    nodes.erase(nodes.begin(), good.base());
    llvm::erase_if(nodes, [&](size_t node) { return wasCompared(node) || !canBeCompared(node); });
    if (nodes.empty())
      return last;
    size_t count = std::min(slice, nodes.size());
    Names names;
    for (size_t number = 0; number < count; ++number)
      for (const std::string &output :
           graph.getNodes()[nodes[(number + 1) * nodes.size() / (count + 1)]].outputs)
        if (!llvm::is_contained(names, output) && !unseen.contains(output))
          names.push_back(output);
    Values values;
    observe(names, values);
    for (size_t node : llvm::reverse(nodes))
      last = differs(node) ? node : last;
  }
}

/// Whether a node on the peer's own inputs, which are `values`, differs.
std::string NodeSearch::judgeAlone(size_t number, const Values &values) {
  ModelGraph alone = graph;
  for (const auto &[name, tensor] : values)
    alone.declare(name,
                  {tensor.elementType, /*hasRank=*/true, {tensor.dims.begin(), tensor.dims.end()}});
  BothRuns runs;
  if (auto problem = runBoth(alone.extract({number}),
                             question.flags.forModel(question.flags.getModel()), values, runs))
    return "whether it is new there cannot be told: " + problem->problem;
  answer.isNew = llvm::any_of(runs.comparisons, [](const Comparison &c) { return !c.passed; });
  if (*answer.isNew)
    return fmt::format("new there: the node differs on {}'s own inputs as well",
                       question.peer.name);
  if (vanished)
    return "gone where the values in front of it are outputs too: the difference is of what "
           "fusion makes of several nodes";
  return fmt::format("carried in: on {}'s own inputs the node gives the same, and what it reads "
                     "differs within its tolerance",
                     question.peer.name);
}

/// Decides whether the difference of a node is new there. Its operands may differ though no
/// comparison so far has shown it: then the node that makes them is the answer, and the search goes
/// on there.
std::optional<size_t> NodeSearch::judge(size_t number) {
  Names made;
  Values values;
  const Values given = getGivenInputs();
  for (const std::string &name : graph.getNodes()[number].reads) {
    if (graph.findMaker(name))
      made.push_back(name);
    if (auto found = given.find(name); found != given.end())
      values[name] = found->second;
  }
  observe(made, values);
  for (const std::string &name : made)
    if (size_t maker = *graph.findMaker(name); differs(maker))
      return maker;
  answer.first = compared.at(number);
  for (const std::string &name : made)
    if (auto why = unseen.find(name); why != unseen.end()) {
      answer.verdict = fmt::format("whether it is new there cannot be told: {} cannot be an "
                                   "output: {}",
                                   quoteText(name), why->second);
      return std::nullopt;
    }
  answer.verdict = judgeAlone(number, values);
  return std::nullopt;
}

void NodeSearch::listWorst() {
  auto nodes = llvm::make_first_range(compared);
  std::vector<size_t> order(nodes.begin(), nodes.end());
  // The earlier one of two that are as bad comes first.
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
  std::optional<size_t> last;
  for (const auto &[name, comparison] : question.outputs) {
    record(name, comparison);
    if (std::optional<size_t> maker = graph.findMaker(name); maker && !comparison.passed)
      last = std::min(last.value_or(*maker), *maker);
  }
  // An output that is an input or a weight: no node makes it.
  if (!last) {
    answer.verdict = "no node makes the outputs that differ";
    return std::nullopt;
  }
  for (std::optional<size_t> other = last; other; other = judge(*last))
    last = narrow(*other);
  listWorst();
  return std::nullopt;
}

} // namespace

std::optional<Diagnostic> cameo::cli::findNode(const NodeQuestion &question, NodeAnswer &answer) {
  return NodeSearch(question, answer).run();
}
