// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs and what is launched of them. A node is an operation as a call asked for it; a launch
// queues each anew. Nodes that are not ordered by the graph are not ordered by the launch either:
// every line of them has a place of its own in the vector clocks, as a stream has.
#pragma once

#include <memory>
#include <vector>

#include "stream.h"

struct CUgraphNode_st {
  cameo::emu::operation work;
  std::vector<cudaGraphNode_t> after; ///< nodes of the same graph, which stand before it
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes; ///< in the order in which they were added
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
};

namespace cameo::emu {

/// From here on the handle is one that find_graph knows.
CUgraph_st *publish_graph(std::unique_ptr<CUgraph_st> graph);
CUgraph_st *find_graph(cudaGraph_t handle);
void destroy_graph(CUgraph_st *graph);
/// Whether it is a node of a graph that find_graph knows.
bool is_node(cudaGraphNode_t handle);

CUgraphExec_st *make_exec(const CUgraph_st &graph, int device);
CUgraphExec_st *find_exec(cudaGraphExec_t handle);
/// What has been launched stays queued.
void destroy_exec(CUgraphExec_st *exec);

/// Queues all nodes behind what is on the stream and behind the launch before.
void launch(CUgraphExec_st &exec, CUstream_st &stream);

} // namespace cameo::emu
