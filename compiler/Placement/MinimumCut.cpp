// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By maximum flow: Boykov and Kolmogorov, "An Experimental Comparison of Min-Cut/Max-Flow
// Algorithms for Energy Minimization in Vision", 2004, as Boost.Graph has it. At its end the tree
// that grew from the source has exactly the nodes which the residual graph still reaches from
// there.

#include "Placement/MinimumCut.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

using namespace cameo;

namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using VertexProperties = boost::property<
    boost::vertex_color_t, boost::default_color_type,
    boost::property<boost::vertex_distance_t, int64_t,
                    boost::property<boost::vertex_predecessor_t, Traits::edge_descriptor>>>;
using EdgeProperties = boost::property<
    boost::edge_capacity_t, int64_t,
    boost::property<boost::edge_residual_capacity_t, int64_t,
                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
using FlowGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS,
                                        VertexProperties, EdgeProperties>;

} // namespace

void MinimumCut::addEdge(Node from, Node to, int64_t cost) {
  // No cut goes through an edge into the source or out of the sink.
  if (to == kSource || from == kSink)
    return;
  // One edge between two nodes: Boost's algorithm overlooks a second.
  int64_t &sum = edges[{from, to}];
  sum = std::min(sum + cost, kNever);
}

llvm::BitVector MinimumCut::solve() const {
  FlowGraph graph(numNodes);
  auto capacity = boost::get(boost::edge_capacity, graph);
  auto reverse = boost::get(boost::edge_reverse, graph);
  for (auto [nodes, cost] : edges) {
    auto [from, to] = nodes;
    auto forward = boost::add_edge(from, to, graph).first;
    auto back = boost::add_edge(to, from, graph).first;
    capacity[forward] = cost;
    capacity[back] = 0;
    reverse[forward] = back;
    reverse[back] = forward;
  }
  boost::boykov_kolmogorov_max_flow(graph, kSource, kSink);
  auto color = boost::get(boost::vertex_color, graph);
  llvm::BitVector onSourceSide(numNodes);
  for (Node node = 0; node < numNodes; ++node)
    onSourceSide[node] = color[node] == boost::black_color;
  return onSourceSide;
}
