// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By maximum flow: Boykov and Kolmogorov, "An Experimental Comparison of Min-Cut/Max-Flow
// Algorithms for Energy Minimization in Vision", 2004, as Boost.Graph has it. At its end the tree
// that grew from the source has exactly the nodes which the residual graph still reaches from
// there.

#include "Dialect/ONNX/Analysis/MinimumCut.h"

#include "llvm/ADT/IntEqClasses.h"

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

static FlowGraph makeGraph(unsigned numNodes,
                           const llvm::MapVector<std::pair<unsigned, unsigned>, int64_t> &edges) {
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
  return graph;
}

llvm::BitVector MinimumCut::solve() const {
  FlowGraph graph = makeGraph(numNodes, edges);
  boost::boykov_kolmogorov_max_flow(graph, kSource, kSink);
  auto color = boost::get(boost::vertex_color, graph);
  llvm::BitVector onSourceSide(numNodes);
  for (Node node = 0; node < numNodes; ++node)
    onSourceSide[node] = color[node] == boost::black_color;
  return onSourceSide;
}

int64_t MinimumCut::getCost() const {
  FlowGraph graph = makeGraph(numNodes, edges);
  return boost::boykov_kolmogorov_max_flow(graph, kSource, kSink);
}

CutComparison::CutComparison(const MinimumCut &cut) {
  auto isEnd = [](MinimumCut::Node node) { return node <= MinimumCut::kSink; };
  llvm::IntEqClasses classes(cut.numNodes);
  for (auto [nodes, cost] : cut.edges)
    if (!isEnd(nodes.first) && !isEnd(nodes.second))
      classes.join(nodes.first, nodes.second);
  classes.compress();
  parts.resize(classes.getNumClasses());
  for (MinimumCut::Node node = 0; node < cut.numNodes; ++node) {
    unsigned part = classes[node];
    places.emplace_back(part, isEnd(node) ? node : parts[part].addNode());
  }
  for (auto [nodes, cost] : cut.edges) {
    auto [from, to] = nodes;
    // An edge from the source to the sink is paid by every cut.
    if (!isEnd(from) || !isEnd(to))
      parts[places[isEnd(from) ? to : from].first].addEdge(places[from].second, places[to].second,
                                                           cost);
  }
}

std::optional<CutComparison::Costs> CutComparison::compare(MinimumCut::Node node) const {
  auto [part, number] = places[node];
  if (parts[part].numNodes > kMaxNodes)
    return std::nullopt;
  MinimumCut onSource = parts[part], onSink = parts[part];
  onSource.addEdge(MinimumCut::kSource, number, MinimumCut::kNever);
  onSink.addEdge(number, MinimumCut::kSink, MinimumCut::kNever);
  Costs costs{onSource.getCost(), onSink.getCost()};
  if (costs.onSource >= MinimumCut::kNever || costs.onSink >= MinimumCut::kNever)
    return std::nullopt;
  return costs;
}
