// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BenchProfile.h"

#include "Support/Diagnostic.h"

#include "llvm/ADT/StringMap.h"
#include <fmt/format.h>

#include <algorithm>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// The launches of one kernel function.
struct Launches {
  std::vector<std::vector<NodeProfile::Node>> nodes;
  /// Whether each happens once in a run, in this order.
  bool areStraight = true;
};

void collectLaunches(const json::Array &steps, bool isStraight, llvm::StringMap<Launches> &found) {
  for (const json::Value &value : steps) {
    const json::Object &step = *value.getAsObject();
    if (const json::Array *bodies = step.getArray("bodies"))
      for (const json::Value &body : *bodies)
        collectLaunches(*body.getAsArray(), /*isStraight=*/false, found);
    std::optional<StringRef> function = step.getString("function");
    if (!function)
      continue;
    Launches &launches = found[*function];
    launches.areStraight &= isStraight;
    std::vector<NodeProfile::Node> &nodes = launches.nodes.emplace_back();
    for (const json::Value &node : *step.getArray("nodes"))
      nodes.push_back({node.getAsObject()->getString("name")->str(),
                       node.getAsObject()->getString("op")->str()});
  }
}

json::Array nodesToJson(const NodeProfile &row) {
  json::Array nodes;
  for (const NodeProfile::Node &node : row.nodes)
    nodes.push_back(json::Object{{"name", node.name}, {"op", node.op}});
  return nodes;
}

double toMicroseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-3; }
double toMilliseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-6; }

} // namespace

std::string NodeProfile::describeNodes(size_t most) const {
  std::string text;
  for (const Node &node : llvm::ArrayRef(nodes).take_front(most))
    text += (text.empty() ? "" : ", ") + escapeText(node.op) + ":" + escapeText(node.name);
  return nodes.size() <= most ? text : fmt::format("{} and {} more", text, nodes.size() - most);
}

BenchProfile::BenchProfile(const RunResult &result, StringRef planJson) : result(result) {
  llvm::StringMap<Launches> launches;
  // Made by this compiler a moment ago.
  json::Value plan = llvm::cantFail(json::parse(planJson));
  collectLaunches(*plan.getAsObject()->getArray("steps"), /*isStraight=*/true, launches);

  std::vector<int64_t> callsOf(result.profile.size(), 0);
  for (const KernelCall &call : result.calls)
    ++callsOf[call.kernel];
  // The first row of a kernel, and how many calls of it there were.
  std::vector<std::pair<size_t, size_t>> placeOf(result.profile.size());
  std::vector<bool> hasRows(result.profile.size(), false);
  for (const KernelCall &call : result.calls) {
    const std::string &kernel = result.profile[call.kernel].kernel;
    const Launches &known = launches[kernel];
    bool isEach =
        known.areStraight && static_cast<int64_t>(known.nodes.size()) == callsOf[call.kernel];
    auto &[first, count] = placeOf[call.kernel];
    if (!hasRows[call.kernel]) {
      hasRows[call.kernel] = true;
      first = rows.size();
      size_t numRows = isEach ? known.nodes.size() : 1;
      for (size_t number = 0; number < numRows; ++number)
        rows.emplace_back().kernel = kernel;
      for (auto [number, nodes] : llvm::enumerate(known.nodes)) {
        std::vector<NodeProfile::Node> &all = rows[first + (isEach ? number : 0)].nodes;
        all.insert(all.end(), nodes.begin(), nodes.end());
      }
    }
    size_t number = first + (isEach ? count : 0);
    ++count;
    NodeProfile &row = rows[number];
    ++row.calls;
    row.nanoseconds += call.nanoseconds;
    row.bytes += call.bytes;
    row.operations += call.operations;
    rowOf.push_back(number);
  }
}

json::Array BenchProfile::toJson() const {
  json::Array all;
  for (const NodeProfile &row : rows)
    all.push_back(json::Object{{"nodes", nodesToJson(row)},
                               {"kernel", row.kernel},
                               {"calls", row.calls},
                               {"ms", toMilliseconds(row.nanoseconds)},
                               {"bytes", row.bytes},
                               {"flops", row.operations}});
  return all;
}

std::string BenchProfile::toText() const {
  constexpr size_t kMaxRows = 24;
  std::vector<const NodeProfile *> sorted;
  double total = 0;
  for (const NodeProfile &row : rows) {
    sorted.push_back(&row);
    total += static_cast<double>(row.nanoseconds);
  }
  llvm::sort(sorted, [](const NodeProfile *a, const NodeProfile *b) {
    return std::pair(b->nanoseconds, a) < std::pair(a->nanoseconds, b);
  });
  std::string text = "\n     ms  share  nodes, in the fastest run\n";
  for (const NodeProfile *row : llvm::ArrayRef(sorted).take_front(kMaxRows))
    text += fmt::format("{:7.4f} {:5.1f}%  {}\n", toMilliseconds(row->nanoseconds),
                        100 * static_cast<double>(row->nanoseconds) / std::max(1.0, total),
                        row->describeNodes(/*most=*/4));
  if (sorted.size() > kMaxRows)
    text += fmt::format("               and {} more, which --json has\n", sorted.size() - kMaxRows);
  return text;
}

json::Object BenchProfile::makeTrace(json::Object about) const {
  auto event = [](std::string name, const char *category, int64_t start, int64_t nanoseconds,
                  json::Object arguments) {
    return json::Object{{"name", json::fixUTF8(name)},
                        {"cat", category},
                        {"ph", "X"},
                        {"ts", toMicroseconds(start)},
                        {"dur", toMicroseconds(nanoseconds)},
                        {"pid", 1},
                        {"tid", 1},
                        {"args", std::move(arguments)}};
  };
  json::Array events;
  events.push_back(
      json::Object{{"name", "thread_name"},
                   {"ph", "M"},
                   {"pid", 1},
                   {"tid", 1},
                   {"args", json::Object{{"name", "the thread that runs the model"}}}});
  events.push_back(event("run", "run", 0, result.profiledRun, {}));
  for (auto [call, number] : llvm::zip_equal(result.calls, rowOf)) {
    const NodeProfile &row = rows[number];
    events.push_back(event(row.kernel, "kernel", call.start, call.nanoseconds,
                           json::Object{{"nodes", row.describeNodes(/*most=*/32)},
                                        {"bytes", call.bytes},
                                        {"flops", call.operations}}));
  }
  about["calls_left_out"] = result.callsLeftOut;
  return json::Object{{"traceEvents", std::move(events)},
                      {"displayTimeUnit", "ns"},
                      {"otherData", std::move(about)}};
}

bool cameo::cli::isNodeDataKind(StringRef what) {
  return what == "time" || what == "bytes" || what == "flops";
}

json::Object BenchProfile::makeNodeData(StringRef what) const {
  std::map<std::string, double> values;
  for (const NodeProfile &row : rows)
    for (const NodeProfile::Node &node : row.nodes)
      values[node.name] += what == "time"    ? toMilliseconds(row.nanoseconds)
                           : what == "bytes" ? static_cast<double>(row.bytes)
                                             : static_cast<double>(row.operations);
  json::Object results;
  for (const auto &[name, value] : values)
    results[name] = json::Object{{"value", value}};
  return json::Object{{"results", std::move(results)},
                      {"gradient", json::Array{json::Object{{"stop", 0}, {"bgColor", "#ffffff"}},
                                               json::Object{{"stop", 1}, {"bgColor", "#e8590c"}}}}};
}
