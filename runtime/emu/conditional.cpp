// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditional nodes of graphs. Such a node is one operation, which touches whatever its bodies may
// touch and runs the chosen one's nodes one behind the other, in the order in which they were
// added: nothing is said about races inside a body. Limits are CUDA 13's: a body has kernels,
// copies, fills and conditional nodes; the graph around it has one executable at a time and no
// clone.
#include <algorithm>
#include <map>

#include "cameo/cuda/emulator.h"
#include "graph.h"
#include "settings.h"

using namespace cameo::emu;

namespace {

/// By handle; those of graphs that are gone are none. Never destroyed: see stream.cpp.
auto &handles = *new std::map<cudaGraphConditionalHandle, std::weak_ptr<condition>>;
cudaGraphConditionalHandle next_handle = 1;

bool is_conditional(const CUgraphNode_st &node) { return node.choice.by != nullptr; }

bool may_be_body(const CUgraph_st &graph) {
  return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const auto &node) {
    return node->work.type != cudaGraphNodeTypeHost &&
           std::all_of(node->choice.bodies.begin(), node->choice.bodies.end(),
                       [](const CUgraph_st *body) { return may_be_body(*body); });
  });
}

using body = std::vector<operation>;

void run(const body &nodes) {
  for (const operation &op : nodes) {
    if (lost_device != cudaSuccess)
      return;
    if (op.run)
      op.run();
  }
}

void run(const condition &by, cudaGraphConditionalNodeType kind, const std::vector<body> &bodies) {
  if (kind == cudaGraphCondTypeWhile) {
    while (by.value != 0 && lost_device == cudaSuccess)
      run(bodies[0]);
    return;
  }
  // The second body of an if is for zero.
  const size_t chosen = kind == cudaGraphCondTypeSwitch ? by.value : by.value == 0;
  if (chosen < bodies.size())
    run(bodies[chosen]);
}

bool is_size(cudaGraphConditionalNodeType kind, unsigned size) {
  return kind == cudaGraphCondTypeWhile ? size == 1
         : kind == cudaGraphCondTypeIf  ? size == 1 || size == 2
                                        : kind == cudaGraphCondTypeSwitch && size > 0;
}

} // namespace

namespace cameo::emu {

bool has_choice(const CUgraph_st &graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const auto &node) { return is_conditional(*node); });
}

void collect_conditions(const CUgraph_st &graph, std::vector<std::shared_ptr<condition>> &all) {
  all.insert(all.end(), graph.conditions.begin(), graph.conditions.end());
  for (const auto &node : graph.nodes)
    for (const CUgraph_st *inner : node->choice.bodies)
      collect_conditions(*inner, all);
}

bool are_choices_whole(const CUgraph_st &graph) {
  std::vector<std::shared_ptr<condition>> all;
  collect_conditions(graph, all);
  return std::all_of(all.begin(), all.end(), [](const auto &c) { return c->read; }) &&
         std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const auto &node) {
           return std::all_of(node->choice.bodies.begin(), node->choice.bodies.end(),
                              [](const CUgraph_st *inner) { return may_be_body(*inner); });
         });
}

operation work_of(const CUgraphNode_st &node) {
  operation op = node.work;
  if (!is_conditional(node))
    return op;
  std::vector<body> bodies;
  for (const CUgraph_st *graph : node.choice.bodies) {
    body &nodes = bodies.emplace_back();
    for (const auto &inner : graph->nodes) {
      nodes.push_back(work_of(*inner));
      const operation &added = nodes.back();
      op.ranges.insert(op.ranges.end(), added.ranges.begin(), added.ranges.end());
      op.pinned.insert(op.pinned.end(), added.pinned.begin(), added.pinned.end());
    }
  }
  op.run = [by = node.choice.by, kind = node.choice.kind, bodies = std::move(bodies)] {
    run(*by, kind, bodies);
  };
  return op;
}

} // namespace cameo::emu

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value) {
  const auto found = handles.find(handle);
  const std::shared_ptr<condition> c = found == handles.end() ? nullptr : found->second.lock();
  if (c == nullptr)
    fail("a kernel sets the condition %llu, which is none", handle);
  c->value = value;
}

extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out,
                                             cudaGraph_t graph, unsigned int defaultLaunchValue,
                                             unsigned int flags) {
  CAMEO_EMU_API(cudaGraphConditionalHandleCreate);
  CUgraph_st *g = find_graph(graph);
  if (pHandle_out == nullptr || g == nullptr || flags > cudaGraphCondAssignDefault)
    return call.result(cudaErrorInvalidValue);
  if (!settings().conditional_nodes)
    return call.result(cudaErrorNotSupported);
  // A value that is not assigned holds whatever was there.
  const unsigned undefined = settings().poison;
  auto made = std::make_shared<condition>(
      condition{defaultLaunchValue, flags == cudaGraphCondAssignDefault, false, undefined});
  g->conditions.push_back(made);
  handles[ *pHandle_out = next_handle++] = made;
  return cudaSuccess;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t *pDependencies,
                             const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                             struct cudaGraphNodeParams *nodeParams) {
  CAMEO_EMU_API(cudaGraphAddNode);
  CUgraph_st *g = find_graph(graph);
  if (pGraphNode == nullptr || g == nullptr || nodeParams == nullptr ||
      (numDependencies != 0 && pDependencies == nullptr))
    return call.result(cudaErrorInvalidValue);
  if (nodeParams->type != cudaGraphNodeTypeConditional || dependencyData != nullptr)
    return call.result(cudaErrorNotSupported); // what else there is nobody needs yet
  cudaConditionalNodeParams &asked = nodeParams->conditional;
  const auto found = handles.find(asked.handle);
  const std::shared_ptr<condition> by = found == handles.end() ? nullptr : found->second.lock();
  if (by == nullptr || by->read || !is_size(asked.type, asked.size))
    return call.result(cudaErrorInvalidValue);
  auto node = std::make_unique<CUgraphNode_st>();
  node->work.name = "conditional node";
  node->work.type = cudaGraphNodeTypeConditional;
  for (size_t i = 0; i < numDependencies; ++i) {
    const bool known = std::any_of(g->nodes.begin(), g->nodes.end(),
                                   [&](const auto &n) { return n.get() == pDependencies[i]; });
    if (!known)
      return call.result(cudaErrorInvalidValue);
    node->after.push_back(pDependencies[i]);
  }
  by->read = true;
  node->choice = {by, asked.type, {}};
  for (unsigned i = 0; i < asked.size; ++i) {
    node->choice.bodies.push_back(publish_graph(std::make_unique<CUgraph_st>()));
    node->choice.bodies.back()->is_body = true;
  }
  asked.phGraph_out = node->choice.bodies.data();
  *pGraphNode = node.get();
  g->nodes.push_back(std::move(node));
  return cudaSuccess;
}

} // extern "C"
