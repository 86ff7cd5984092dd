// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/InputRanks.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;

namespace {

/// Nodes of all trials together; what would take longer the user has to say.
constexpr int64_t kMaxTriedNodes = 500'000;

class RankSearch {
public:
  RankSearch(Model &model, const ImportOptions &options, TensorLoader &tensors,
             SharedBuilds &builds, MLIRContext *context, Reporter &reporter)
      : model(model), graph(model.proto.graph()), options(options), tensors(tensors),
        builds(builds), context(context), reporter(reporter) {}

  LogicalResult run() {
    collectOpen();
    if (failed(takeGiven()))
      return failure();
    // An input that is decided may decide others.
    bool isProgress = !open.empty();
    builds.isTrial = true;
    while (isProgress) {
      isProgress = false;
      for (const pb::ValueInfoProto *input : std::exchange(open, {})) {
        std::optional<int64_t> rank = find(input->name());
        if (reporter.hasFailed())
          return failure();
        if (rank)
          builds.ranks[input->name()] = *rank;
        else
          open.push_back(input);
        isProgress |= rank.has_value();
      }
    }
    builds.isTrial = false;
    return open.empty() ? success() : refuse(*open.front());
  }

private:
  Where getWhere(const pb::ValueInfoProto &input) const {
    return {&graphWhere, input.name(), "input"};
  }

  void collectOpen() {
    llvm::DenseSet<StringRef> initialized;
    for (const pb::TensorProto &tensor : graph.initializer())
      initialized.insert(tensor.name());
    for (const pb::ValueInfoProto &input : graph.input())
      if (input.type().has_tensor_type() && !input.type().tensor_type().has_shape() &&
          !initialized.contains(input.name()))
        open.push_back(&input);
  }

  LogicalResult takeGiven() {
    for (const auto &[name, rank] : options.ranks) {
      auto isIt = [&](const pb::ValueInfoProto *input) { return input->name() == name; };
      if (llvm::none_of(open, isIt))
        return reporter.fail(ExitClass::Usage, nullptr,
                             "--rank " + quoteText(name) +
                                 " names no input whose shape is missing");
      builds.ranks[name] = rank;
      llvm::erase_if(open, isIt);
    }
    return success();
  }

  /// Whether the model can be built, as far as it is known: 0 where it cannot, else one more than
  /// the number of declarations that it contradicts.
  size_t tryBuild() {
    Reporter trial("");
    FailureOr<OwningOpRef<ModuleOp>> module =
        GraphBuilder(model, options, tensors, builds, context, trial).build();
    // A build that another input without a rank stops, or a limit, tells nothing about this input.
    bool isRefuted = trial.hasFailed() && trial.getDiagnostic()->exitClass == ExitClass::Malformed;
    if (isRefuted)
      problems.insert(trial.getDiagnostic()->str());
    return isRefuted ? 0 : 1 + trial.getWarnings().size();
  }

  /// The only rank of an input that suits; nullopt where that is none, or several.
  std::optional<int64_t> find(const std::string &input) {
    std::optional<int64_t> best;
    size_t least = SIZE_MAX;
    problems.clear();
    suiting.clear();
    for (int64_t rank = 0; rank <= kMaxTriedRank; ++rank) {
      numTriedNodes += graph.node_size();
      if (numTriedNodes > kMaxTriedNodes)
        return std::nullopt;
      builds.ranks[input] = rank;
      size_t outcome = tryBuild();
      if (outcome == 0)
        continue;
      suiting.push_back(rank);
      if (outcome == least)
        best.reset();
      else if (outcome < least)
        best = rank;
      least = std::min(least, outcome);
    }
    builds.ranks.erase(input);
    return best;
  }

  LogicalResult refuse(const pb::ValueInfoProto &input) {
    Where where = getWhere(input);
    std::string hint = "--rank " + escapeText(input.name()) + "=R says how many dims it has";
    if (numTriedNodes > kMaxTriedNodes)
      return reporter.unsupported(&where,
                                  "is an input without a shape, in a model too large to look for "
                                  "what its operators want",
                                  hint);
    if (suiting.empty() && problems.size() == 1)
      hint += "; with any, " + problems.begin()->first().str();
    return reporter.unsupported(
        &where,
        suiting.empty()
            ? "is an input without a shape, and there is no rank that its operators take"
            : "is an input without a shape, and its operators take more than one rank",
        hint);
  }

  Model &model;
  const pb::GraphProto &graph;
  const ImportOptions &options;
  TensorLoader &tensors;
  SharedBuilds &builds;
  MLIRContext *context;
  Reporter &reporter;
  Where graphWhere{nullptr, graph.name(), "graph"};
  std::vector<const pb::ValueInfoProto *> open;
  int64_t numTriedNodes = 0;
  /// Problems of the last input that was looked at.
  llvm::StringSet<> problems;
  SmallVector<int64_t> suiting;
};

} // namespace

LogicalResult cameo::importer::findInputRanks(Model &model, const ImportOptions &options,
                                              TensorLoader &tensors, SharedBuilds &builds,
                                              MLIRContext *context, Reporter &reporter) {
  return RankSearch(model, options, tensors, builds, context, reporter).run();
}
