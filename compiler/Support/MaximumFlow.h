// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A maximum flow from a source to a sink, which are no nodes of the network: Boykov and Kolmogorov,
// "An Experimental Comparison of Min-Cut/Max-Flow Algorithms for Energy Minimization in Vision",
// 2004. A tree grows from either end over edges that can carry more; where they meet, flow is
// pushed, and what that cuts off is adopted by another parent or set free. The trees live on
// between pushes, so long networks do not cost a search of the whole for each.

#ifndef CAMEO_SUPPORT_MAXIMUMFLOW_H
#define CAMEO_SUPPORT_MAXIMUMFLOW_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <deque>

namespace cameo {

class MaximumFlow {
public:
  explicit MaximumFlow(unsigned numNodes) : nodes(numNodes) {}

  /// Between two nodes.
  void addEdge(unsigned from, unsigned to, int64_t capacity);
  void addFromSource(unsigned to, int64_t capacity);
  void addToSink(unsigned from, int64_t capacity);

  /// Once, behind all edges.
  int64_t solve();
  /// Behind solve(): whether the source still reaches the node over edges that can carry more.
  bool isReached(unsigned node) const {
    return nodes[node].parent != kFree && nodes[node].tree == Tree::Source;
  }

private:
  /// The values of Node::parent that are no edge.
  static constexpr int kFree = -1, kEnd = -2, kOrphan = -3;
  enum class Tree : uint8_t { Source, Sink };

  struct Node {
    /// The first of its edges.
    int edge = -1;
    /// The edge to its parent.
    int parent = kFree;
    /// Along the tree to its end, as it was at the time `seen`.
    int distance = 0;
    int seen = 0;
    /// The flow that the source can still send here; negative: the flow that the sink can still
    /// take.
    int64_t terminal = 0;
    Tree tree = Tree::Source;
    bool isActive = false;
  };
  /// Each has its reverse beside it, at number ^ 1.
  struct Edge {
    unsigned to;
    int next;
    int64_t rest;
  };

  /// The flow that the edge can still carry away from its node's end of the tree: down the
  /// source's, up the sink's.
  int64_t getRest(int edge, Tree tree) const {
    return edges[tree == Tree::Source ? edge : edge ^ 1].rest;
  }
  void activate(unsigned node);
  /// The edge over which the trees meet, from the source's to the sink's, or -1.
  int grow(unsigned node);
  void push(int meeting);
  void pushAlong(unsigned node, int64_t amount);
  int64_t getLimit(unsigned node) const;
  void adopt(unsigned node);
  int findEnd(unsigned node);
  void orphan(unsigned node);

  llvm::SmallVector<Node, 0> nodes;
  llvm::SmallVector<Edge, 0> edges;
  std::deque<unsigned> active, orphans;
  int64_t flow = 0;
  int time = 0;
};

} // namespace cameo

#endif // CAMEO_SUPPORT_MAXIMUMFLOW_H
