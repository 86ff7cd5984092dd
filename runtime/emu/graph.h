// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs and what is launched of them. A node is an operation as a call asked for it; a launch
// queues each anew. Nodes that are not ordered by the graph are not ordered by the launch either:
// every line of them has a place of its own in the vector clocks, as a stream has.
#pragma once

#include <memory>
#include <vector>

#include "stream.h"

namespace cameo::emu {

/// A number on the device that kernels set and one conditional node reads.
struct condition {
  unsigned at_first;
  bool at_each_launch; ///< has `at_first` at the begin of each
  bool read;           ///< by a node
  unsigned value;
};

/// Makes a node conditional.
struct choice {
  std::shared_ptr<condition> by;
  cudaGraphConditionalNodeType kind;
  std::vector<cudaGraph_t> bodies; ///< the node's own
};

} // namespace cameo::emu

struct CUgraphNode_st {
  cameo::emu::operation work;
  std::vector<cudaGraphNode_t> after; ///< nodes of the same graph, which stand before it
  cameo::emu::choice choice{};
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes; ///< in the order in which they were added
  std::vector<std::shared_ptr<cameo::emu::condition>> conditions;
  bool is_body = false;                                        ///< of a conditional node
  std::shared_ptr<int> executables = std::make_shared<int>(0); ///< how many there are
};

struct CUgraphExec_st {
  struct node {
    cameo::emu::operation work;
    std::vector<size_t> after;
    CUstream_st *lane;
  };
  std::vector<node> nodes;
  std::vector<CUstream_st *> lanes;
  cameo::emu::point last; ///< the end of the newest launch
  std::vector<std::shared_ptr<cameo::emu::condition>> conditions;
  std::shared_ptr<int> executables; ///< of its graph, itself included
};

namespace cameo::emu {

/// From here on the handle is one that find_graph knows.
CUgraph_st *publish_graph(std::unique_ptr<CUgraph_st> graph);
CUgraph_st *find_graph(cudaGraph_t handle);
void destroy_graph(CUgraph_st *graph);
/// Copies a graph without conditional nodes.
CUgraph_st *clone_graph(const CUgraph_st &graph);
/// Whether it is a node of a graph that find_graph knows.
bool is_node(cudaGraphNode_t handle);

cudaError_t make_exec(const CUgraph_st &graph, int device, CUgraphExec_st *&exec);
CUgraphExec_st *find_exec(cudaGraphExec_t handle);
/// Launches that are queued stay queued.
void destroy_exec(CUgraphExec_st *exec);

/// conditional.cpp: whether the graph, or a body in it, has conditional nodes.
bool has_choice(const CUgraph_st &graph);
/// Whether each body has what a body may have, and each condition its node.
bool are_choices_whole(const CUgraph_st &graph);
/// The operation of a node, its bodies included as they are now.
operation work_of(const CUgraphNode_st &node);
/// Collects the conditions of the graph and of the bodies in it.
void collect_conditions(const CUgraph_st &graph, std::vector<std::shared_ptr<condition>> &all);

/// Queues all nodes behind what is on the stream and behind the launch before.
void launch(CUgraphExec_st &exec, CUstream_st &stream);

} // namespace cameo::emu
