// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo reduce: a model that fails, made as small as one that fails in the same way can be. Nodes
// are left out in chunks, then inputs, extents and weights; each form is tried by a check in a
// process of its own, and what is written is always the smallest for which it held.

#include "Common.h"
#include "FailureCheck.h"
#include "Import/ModelGraph.h"
#include "Interface.h"
#include "ModelInputs.h"
#include "Peers.h"
#include "Pipeline/OutputFolder.h"
#include "Progress.h"
#include "Support/ElementTypes.h"
#include "Support/InputFile.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <chrono>
#include <fmt/format.h>
#include <numeric>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

/// Extents that replace an open dim, or a larger number; the last ones are for faults that show
/// only where vectors or tiles leave something over.
constexpr int64_t kExtents[] = {1, 2, 3, 7};

/// As `inspect` reports it; none of what is no tensor.
std::optional<GraphType> parseType(const llvm::json::Object &port) {
  std::optional<StringRef> element = port.getString("dtype");
  auto infos = getElementInfos();
  auto info = llvm::find_if(infos, [&](const ElementInfo &one) { return one.name == element; });
  if (!element || info == infos.end())
    return std::nullopt;
  GraphType type{info->number};
  const llvm::json::Array *extents = port.getArray("shape");
  type.hasRank = extents != nullptr;
  if (!extents)
    return type;
  for (const llvm::json::Value &extent : *extents) {
    const llvm::json::Object *formula = extent.getAsObject();
    if (std::optional<int64_t> number = extent.getAsInteger())
      type.dims.emplace_back(*number);
    else
      type.dims.emplace_back(formula ? formula->getString("expr").value_or("").str() : "");
  }
  return type;
}

std::vector<size_t> listFirst(size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), size_t(0));
  return numbers;
}

class Reducer {
public:
  Reducer(const FailureCheck &check, const ProgramLimits &limits, std::string output)
      : check(check), limits(limits), output(std::move(output)) {}

  /// Makes `graph` smaller, and writes it.
  std::optional<Diagnostic> run(const ModelGraph &graph);
  const ModelGraph &getBest() const { return best; }
  const Failure &getFailure() const { return bestFailure; }
  size_t getNumChecks() const { return numChecks; }

private:
  std::optional<Diagnostic> checkWhole();
  /// Whether the check holds for a form of the model, which is the best one then. Not again for one
  /// that was tried.
  bool take(const ModelGraph &form);
  std::optional<std::vector<GraphType>> inspect(const ModelGraph &form);
  void inferTypes();
  bool keepChunk(size_t chunk);
  bool dropChunks(size_t chunk);
  void dropNodes();
  void dropOutputs();
  void dropInputs();
  void shrinkExtent(const GraphDim &extent);
  void clearWeights();
  std::string getPath(StringRef name) const { return (scratch.getPath() + "/" + name).str(); }

  const FailureCheck &check;
  const ProgramLimits &limits;
  std::string output;
  ScratchFolder scratch;
  Progress progress{"reducing"};
  ModelGraph best;
  Failure whole, bestFailure;
  /// Hashes of the files that were tried.
  llvm::DenseSet<uint64_t> tried;
  size_t numChecks = 0, numTaken = 0;
  /// Why it cannot go on.
  std::optional<Diagnostic> problem;
};

bool Reducer::take(const ModelGraph &form) {
  if (problem || form.getNodes().empty() || form.getOutputs().empty())
    return false;
  std::string file;
  problem = form.format(file);
  if (problem || !tried.insert(llvm::xxh3_64bits(file)).second)
    return false;
  progress.update(fmt::format("reducing, {} of {} nodes, check {}", form.getNodes().size(),
                              best.getNodes().size(), numChecks + 1));
  problem = writeFile(getPath("model.onnx"), file);
  if (problem)
    return false;
  ++numChecks;
  Failure failure = check.run(getPath("model.onnx"));
  if (!failure.isLike(whole))
    return false;
  ++numTaken;
  best = form;
  bestFailure = std::move(failure);
  // Also where it is ended in the middle there is a smaller model than before.
  problem = writeFile(output, file);
  return true;
}

/// Types of a form's outputs, by a compiler in a process of its own; none where the compiler
/// refuses the model.
std::optional<std::vector<GraphType>> Reducer::inspect(const ModelGraph &form) {
  std::string file, path = getPath("values.onnx"), report = getPath("values.json");
  (void)llvm::sys::fs::remove(report);
  problem = form.format(file);
  if (!problem)
    problem = writeFile(path, file);
  std::unique_ptr<llvm::MemoryBuffer> text;
  constexpr int64_t kMaxReportBytes = int64_t(1) << 30;
  if (problem ||
      !runCameo({"inspect", path, "--interface", "--json", report}, getPath("log"), limits)
           .isOk() ||
      readInputFile(report, kMaxReportBytes, text))
    return std::nullopt;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text->getBuffer());
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  std::vector<GraphType> types;
  for (const llvm::json::Value &port : *value->getAsObject()->getArray("outputs"))
    types.push_back(parseType(*port.getAsObject()).value_or(GraphType()));
  return types;
}

/// Infers the types of all values, so that each can become an input. Where that fails, the longest
/// sequence of nodes from the first on that can be compiled has its values' types.
void Reducer::inferTypes() {
  auto infer = [&](size_t count) {
    ModelGraph first = best.extract(listFirst(count));
    std::vector<std::string> more, outputs = first.getOutputs();
    for (const GraphNode &node : first.getNodes())
      llvm::copy_if(node.outputs, std::back_inserter(more),
                    [&](const std::string &value) { return !llvm::is_contained(outputs, value); });
    first = first.withOutputs(more);
    std::optional<std::vector<GraphType>> types = inspect(first);
    if (!types)
      return false;
    for (auto [value, type] : llvm::zip_equal(first.getOutputs(), *types))
      if (type.elementType != 0)
        best.declare(value, type);
    return true;
  };
  size_t good = 0, bad = best.getNodes().size() + 1;
  for (size_t count = bad - 1; good + 1 < bad && !problem; count = (good + bad) / 2)
    (infer(count) ? good : bad) = count;
}

/// One chunk alone.
bool Reducer::keepChunk(size_t chunk) {
  size_t count = best.getNodes().size();
  for (size_t begin = 0; begin < count; begin += chunk) {
    std::vector<size_t> kept = listFirst(std::min(chunk, count - begin));
    for (size_t &number : kept)
      number += begin;
    if (take(best.extract(kept)))
      return true;
  }
  return false;
}

/// All but one chunk, from the last one on: what is behind the failure is the most that can go.
bool Reducer::dropChunks(size_t chunk) {
  bool any = false;
  for (size_t end = best.getNodes().size(); end > 0;) {
    size_t begin = end - std::min(chunk, end);
    std::vector<size_t> kept = listFirst(best.getNodes().size());
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(begin),
               kept.begin() + static_cast<std::ptrdiff_t>(end));
    any |= take(best.extract(kept));
    end = std::min(begin, best.getNodes().size());
  }
  return any;
}

void Reducer::dropNodes() {
  // Beyond so many chunks it is unlikely that one has all that it takes.
  constexpr size_t kAlone = 4;
  for (size_t chunk = (best.getNodes().size() + 1) / 2; chunk > 0 && !problem;) {
    size_t count = best.getNodes().size();
    if (chunk * kAlone >= count && chunk < count && keepChunk(chunk)) {
      chunk = (best.getNodes().size() + 1) / 2;
      continue;
    }
    bool any = dropChunks(chunk);
    if (chunk > 1 || !any)
      chunk /= 2;
  }
}

void Reducer::dropOutputs() {
  for (size_t number = best.getOutputs().size(); number-- > 0;)
    take(best.withoutOutput(number));
}

void Reducer::dropInputs() {
  for (size_t number = best.getInputs().size(); number-- > 1;)
    if (std::optional<ModelGraph> form = best.withoutInput(number))
      take(*form);
}

void Reducer::shrinkExtent(const GraphDim &extent) {
  const auto *given = std::get_if<int64_t>(&extent);
  for (int64_t number : kExtents)
    if ((!given || number < *given) && take(best.withExtent(extent, number)))
      return;
  if (!given)
    return;
  for (int64_t number = *given; take(best.withExtent(number, number / 2));)
    number /= 2;
}

void Reducer::clearWeights() {
  std::vector<std::string> weights = best.getWeights();
  if (weights.empty() || take(best.withZeros(weights)))
    return;
  for (const std::string &weight : weights)
    take(best.withZeros({weight}));
}

std::optional<Diagnostic> Reducer::checkWhole() {
  std::string file;
  if (auto failed = best.format(file))
    return failed;
  if (auto failed = writeFile(getPath("model.onnx"), file))
    return failed;
  ++numChecks;
  whole = bestFailure = check.run(getPath("model.onnx"));
  return whole.hasFailed() ? writeFile(output, file) : std::nullopt;
}

std::optional<Diagnostic> Reducer::run(const ModelGraph &graph) {
  if (auto failed = scratch.make())
    return failed;
  best = graph;
  if (auto failed = checkWhole())
    return failed;
  if (!whole.hasFailed())
    return std::nullopt;
  // Nodes that nothing reads are left out.
  take(best.extract(listFirst(best.getNodes().size())));
  for (size_t before = numTaken + 1; before != numTaken && !problem;) {
    before = numTaken;
    inferTypes();
    dropNodes();
    dropOutputs();
    dropInputs();
    for (const GraphDim &extent : best.getExtents())
      shrinkExtent(extent);
    clearWeights();
  }
  return problem;
}

struct ReduceVerb {
  ModelFlags flags;
  PeerFlags peers;
  ModelInputs madeUp;
  ToleranceFlags tolerances;
  BuildFlags build;
  std::string output, check;
  /// Options that all verbs have, and options of verify.
  std::vector<CLI::Option *> commonOptions, verifyOptions;

  int run();
  std::optional<Diagnostic> execute(std::string &text);
};

std::optional<Diagnostic> ReduceVerb::execute(std::string &text) {
  const std::string &model = flags.getModel();
  Options options;
  if (auto problem = flags.read(options))
    return problem;
  FailureCheck failureCheck;
  if (auto problem = failureCheck.read(check, {listGiven(commonOptions), listGiven(verifyOptions)},
                                       build.limits))
    return problem;
  if (output.empty())
    output = (model == "-" ? "model" : llvm::sys::path::stem(model).str()) + ".reduced.onnx";
  if (llvm::sys::fs::equivalent(model, output))
    return Diagnostic{ExitClass::Usage, "cameo", "", "-o names the model that is read", ""};
  ModelGraph graph;
  if (auto problem = ModelGraph::read(model, options.import, graph))
    return problem;
  auto start = std::chrono::steady_clock::now();
  Reducer reducer(failureCheck, build.limits, output);
  if (auto problem = reducer.run(graph))
    return problem;
  const Failure &failure = reducer.getFailure();
  if (!failure.hasFailed())
    return Diagnostic{ExitClass::CheckFailed, model, "",
                      fmt::format("the check {} does not hold on the whole model: {}",
                                  quoteText(check), failure.text),
                      "it has to hold there, and on a smaller model as long as that fails too"};
  const ModelGraph &best = reducer.getBest();
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  text = fmt::format("{}: {} of {} nodes, {} of {} inputs; {} checks in {:.1f} s\n  {}\n", output,
                     best.getNodes().size(), graph.getNodes().size(), best.getInputs().size(),
                     graph.getInputs().size(), reducer.getNumChecks(), seconds, failure.text);
  return std::nullopt;
}

int ReduceVerb::run() {
  std::string text;
  std::optional<Diagnostic> problem = execute(text);
  return problem ? report(*problem) : print(text);
}

} // namespace

Verb cameo::cli::addReduce(CLI::App &app) {
  CLI::App &verb = addVerb(app, "reduce", "make a model that fails as small as one that does",
                           "cameo reduce model.onnx --check verify -o small.onnx");
  auto state = std::make_shared<ReduceVerb>();
  auto addTogether = [&](std::vector<CLI::Option *> &added, auto add) {
    size_t before = verb.get_options().size();
    add();
    added = verb.get_options();
    added.erase(added.begin(), added.begin() + static_cast<std::ptrdiff_t>(before));
  };
  addTogether(state->commonOptions, [&] { state->flags.addTo(verb, /*withEmulator=*/true); });
  verb.add_option("--check", state->check,
                  "what fails: crash, 'exit N' (of cameo compile), verify, or a command that ends "
                  "with exit 0 as long as the model in place of {} fails")
      ->required();
  verb.add_option("-o,--output", state->output,
                  "the smaller model (default: MODEL.reduced.onnx in this folder)");
  addTogether(state->verifyOptions, [&] {
    state->peers.addTo(verb);
    state->madeUp.addTo(verb);
    state->tolerances.addTo(verb);
    state->build.addTo(verb);
  });
  state->build.limits.addTo(verb);
  return [state] { return state->run(); };
}
