// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of model-local functions: none may reach itself, and what inlining makes is counted before
// any is inlined. Without recursion: a chain of functions may be as long as the model.

#include "Import/CheckModel.h"
#include "Import/SortNodes.h"

#include "Support/CheckedSize.h"

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

namespace {

/// The calls and the other nodes of a body, those in its nested graphs included.
struct Body {
  SmallVector<size_t> callees;
  int64_t numOperators = 0;
};

void collect(const Model &model, const NodeList &nodes, Body &body) {
  for (const pb::NodeProto &node : nodes) {
    if (const Function *callee = model.lookupFunction(node))
      body.callees.push_back(static_cast<size_t>(callee - model.functions.data()));
    else
      ++body.numOperators;
    for (const pb::AttributeProto &attribute : node.attribute()) {
      collect(model, attribute.g().node(), body);
      for (const pb::GraphProto &graph : attribute.graphs())
        collect(model, graph.node(), body);
    }
  }
}

class CallCheck {
public:
  CallCheck(Model &model, Reporter &reporter) : model(model), reporter(reporter) {
    for (const Function &function : model.functions)
      collect(model, function.proto->node(), bodies.emplace_back());
    states.resize(bodies.size(), State::New);
  }

  LogicalResult countFunctions() {
    for (size_t number = 0; number < bodies.size(); ++number)
      if (failed(countFrom(number)))
        return failure();
    return success();
  }

  int64_t getInlined(const Body &body) const {
    CheckedSize total = body.numOperators;
    for (size_t callee : body.callees)
      total += model.functions[callee].numInlinedNodes;
    return total.get().value_or(INT64_MAX);
  }

  /// The operators in the file, each once.
  int64_t getWritten(const Body &main) const {
    int64_t total = main.numOperators;
    for (const Body &body : bodies)
      total += body.numOperators;
    return total;
  }

private:
  enum class State : uint8_t { New, Open, Done };

  /// Depth first, callees before callers.
  LogicalResult countFrom(size_t root) {
    if (states[root] != State::New)
      return success();
    SmallVector<std::pair<size_t, size_t>> open{{root, 0}};
    states[root] = State::Open;
    while (!open.empty()) {
      auto &[number, next] = open.back();
      if (next == bodies[number].callees.size()) {
        model.functions[number].numInlinedNodes = getInlined(bodies[number]);
        states[number] = State::Done;
        open.pop_back();
        continue;
      }
      size_t callee = bodies[number].callees[next++];
      if (states[callee] == State::Open)
        return reportCycle(open, callee);
      if (states[callee] == State::New) {
        states[callee] = State::Open;
        open.emplace_back(callee, 0);
      }
    }
    return success();
  }

  LogicalResult reportCycle(ArrayRef<std::pair<size_t, size_t>> open, size_t callee) {
    std::string path;
    size_t shown = 0;
    bool inCycle = false;
    for (auto [number, next] : open) {
      inCycle |= number == callee;
      if (!inCycle)
        continue;
      if (++shown <= 8)
        path += escapeText(model.functions[number].proto->name(), 60) + " -> ";
    }
    path += shown > 8 ? "... -> " : "";
    StringRef name = model.functions[callee].proto->name();
    Where where{nullptr, name, "function"};
    return reporter.malformed(&where, "calls itself: " + path + escapeText(name, 60));
  }

  Model &model;
  Reporter &reporter;
  std::vector<Body> bodies;
  std::vector<State> states;
};

} // namespace

LogicalResult cameo::importer::checkCalls(Model &model, const NodeLimits &limits,
                                          Reporter &reporter) {
  CallCheck check(model, reporter);
  if (failed(check.countFunctions()))
    return failure();
  Body main;
  collect(model, model.proto.graph().node(), main);
  int64_t total = check.getInlined(main);
  int64_t written = check.getWritten(main);
  int64_t limit =
      limits.maxInlined < limits.maxNodes - written ? written + limits.maxInlined : limits.maxNodes;
  if (total > limit)
    return reporter.limit(nullptr,
                          "has too many nodes once its functions are inlined (got " +
                              (total == INT64_MAX ? Twine("more than 2^63") : Twine(total)) +
                              ", limit " + Twine(limit) + ")",
                          "--max-nodes");
  return success();
}
