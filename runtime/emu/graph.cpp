// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See graph.h. A graph's nodes stand in an order in which each comes behind what it depends on, so
// that walking them is enough.
#include "graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "memory.h"
#include "settings.h"

namespace cameo::emu {
namespace {

auto &graphs = *new std::set<CUgraph_st *>; // never destroyed: see stream.cpp
auto &execs = *new std::set<CUgraphExec_st *>;

/// Memory that the nodes name may have been freed since they were captured.
void check_memory(const operation &work) {
  for (const range &r : work.ranges)
    check_device_visible("node '" + work.name + "' of a graph " + (r.write ? "writes" : "reads"),
                         r.pointer, r.bytes);
}

/// Something without work on the stream.
point mark(CUstream_st &stream, const char *name, const std::vector<point> &also,
           std::function<void()> run = nullptr) {
  operation op;
  op.name = name;
  op.where = place::host;
  op.run = std::move(run);
  enqueue(stream, std::move(op), also);
  return {stream.last, stream.clock};
}

} // namespace

CUgraph_st *publish_graph(std::unique_ptr<CUgraph_st> graph) {
  return *graphs.insert(graph.release()).first;
}

CUgraph_st *find_graph(cudaGraph_t handle) { return graphs.count(handle) != 0 ? handle : nullptr; }

void destroy_graph(CUgraph_st *graph) {
  for (const auto &node : graph->nodes)
    for (CUgraph_st *body : node->choice.bodies)
      destroy_graph(body);
  graphs.erase(graph);
  delete graph;
}

CUgraph_st *clone_graph(const CUgraph_st &graph) {
  auto clone = std::make_unique<CUgraph_st>();
  std::map<cudaGraphNode_t, cudaGraphNode_t> copies;
  for (const auto &node : graph.nodes) {
    auto copy = std::make_unique<CUgraphNode_st>();
    copy->work = node->work;
    for (const cudaGraphNode_t before : node->after)
      copy->after.push_back(copies.at(before));
    copies[node.get()] = copy.get();
    clone->nodes.push_back(std::move(copy));
  }
  return publish_graph(std::move(clone));
}

bool is_node(cudaGraphNode_t handle) {
  return std::any_of(graphs.begin(), graphs.end(), [=](const CUgraph_st *graph) {
    return std::any_of(graph->nodes.begin(), graph->nodes.end(),
                       [=](const auto &node) { return node.get() == handle; });
  });
}

cudaError_t make_exec(const CUgraph_st &graph, int device, CUgraphExec_st *&exec) {
  // A graph with conditional nodes may have one executable at a time.
  if (graph.is_body || !are_choices_whole(graph) || (has_choice(graph) && *graph.executables != 0))
    return cudaErrorInvalidValue;
  exec = new CUgraphExec_st();
  exec->executables = graph.executables;
  ++*exec->executables;
  collect_conditions(graph, exec->conditions);
  std::map<cudaGraphNode_t, size_t> numbers;
  std::vector<bool> followed(graph.nodes.size()); // by a node of the same lane
  for (const auto &node : graph.nodes) {
    CUgraphExec_st::node made = {work_of(*node), {}, nullptr};
    for (const cudaGraphNode_t before : node->after) {
      const size_t number = numbers.at(before);
      made.after.push_back(number);
      if (made.lane != nullptr || followed[number])
        continue;
      made.lane = exec->nodes[number].lane;
      followed[number] = true;
    }
    if (made.lane == nullptr)
      exec->lanes.push_back(made.lane = make_lane(device));
    numbers[node.get()] = exec->nodes.size();
    exec->nodes.push_back(std::move(made));
  }
  execs.insert(exec);
  return cudaSuccess;
}

CUgraphExec_st *find_exec(cudaGraphExec_t handle) {
  return execs.count(handle) != 0 ? handle : nullptr;
}

void destroy_exec(CUgraphExec_st *exec) {
  execs.erase(exec);
  --*exec->executables;
  for (CUstream_st *lane : exec->lanes)
    destroy_lane(lane);
  delete exec;
}

void launch(CUgraphExec_st &exec, CUstream_st &stream) {
  ++counters.graph_launches;
  const point begin = mark(stream, "graph launch", {exec.last}, [conditions = exec.conditions] {
    for (const auto &c : conditions)
      if (c->at_each_launch)
        c->value = c->at_first;
  });
  std::vector<point> done;
  for (const CUgraphExec_st::node &node : exec.nodes) {
    check_memory(node.work);
    std::vector<point> after;
    for (const size_t before : node.after)
      after.push_back(done[before]);
    if (after.empty())
      after.push_back(begin);
    const uint64_t number = enqueue(*node.lane, node.work, after);
    done.push_back({number, node.lane->clock});
  }
  exec.last = mark(stream, "end of a graph", done);
}

} // namespace cameo::emu
