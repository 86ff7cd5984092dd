// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By maximum flow: of the cheapest cuts, that with the fewest nodes at the source has exactly those
// which the source still reaches at the end.

#include "Support/MinimumCut.h"

#include "Support/MaximumFlow.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace cameo;

void MinimumCut::addEdge(Node from, Node to, int64_t cost) {
  // No cut goes through an edge into the source or out of the sink.
  if (to == kSource || from == kSink)
    return;
  int64_t &sum = edges[{from, to}];
  sum = std::min(sum + cost, kNever);
}

static MaximumFlow makeFlow(unsigned numNodes,
                            const llvm::MapVector<std::pair<unsigned, unsigned>, int64_t> &edges) {
  MaximumFlow flow(numNodes);
  for (auto [nodes, cost] : edges) {
    auto [from, to] = nodes;
    // The two ends are no nodes of the flow's; the sink's place is in the middle of an edge between
    // them.
    bool fromSource = from == MinimumCut::kSource, toSink = to == MinimumCut::kSink;
    if (fromSource)
      flow.addFromSource(to, cost);
    if (toSink)
      flow.addToSink(fromSource ? to : from, cost);
    if (!fromSource && !toSink)
      flow.addEdge(from, to, cost);
  }
  return flow;
}

llvm::BitVector MinimumCut::solve() const {
  MaximumFlow flow = makeFlow(numNodes, edges);
  flow.solve();
  llvm::BitVector onSourceSide(numNodes);
  onSourceSide.set(kSource);
  for (Node node = kSink + 1; node < numNodes; ++node)
    onSourceSide[node] = flow.isReached(node);
  return onSourceSide;
}

int64_t MinimumCut::getCost() const { return makeFlow(numNodes, edges).solve(); }

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
