// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm of MaximumFlow.h. An edge of a node leads away from it; its reverse leads back.

#include "Support/MaximumFlow.h"

#include <algorithm>
#include <limits>

using namespace cameo;

static constexpr int kUnreachable = std::numeric_limits<int>::max();

void MaximumFlow::addEdge(unsigned from, unsigned to, int64_t capacity) {
  edges.push_back({to, nodes[from].edge, capacity});
  nodes[from].edge = static_cast<int>(edges.size()) - 1;
  edges.push_back({from, nodes[to].edge, 0});
  nodes[to].edge = static_cast<int>(edges.size()) - 1;
}

void MaximumFlow::addFromSource(unsigned to, int64_t capacity) {
  // The part that the sink takes at once needs no search.
  if (nodes[to].terminal < 0)
    flow += std::min(capacity, -nodes[to].terminal);
  nodes[to].terminal += capacity;
}

void MaximumFlow::addToSink(unsigned from, int64_t capacity) {
  if (nodes[from].terminal > 0)
    flow += std::min(capacity, nodes[from].terminal);
  nodes[from].terminal -= capacity;
}

void MaximumFlow::activate(unsigned node) {
  if (nodes[node].isActive)
    return;
  nodes[node].isActive = true;
  active.push_back(node);
}

int64_t MaximumFlow::solve() {
  for (unsigned node = 0; node < nodes.size(); ++node) {
    if (nodes[node].terminal == 0)
      continue;
    nodes[node].tree = nodes[node].terminal > 0 ? Tree::Source : Tree::Sink;
    nodes[node].parent = kEnd;
    nodes[node].distance = 1;
    activate(node);
  }
  while (!active.empty()) {
    unsigned node = active.front();
    int meeting = nodes[node].parent == kFree ? -1 : grow(node);
    ++time;
    if (meeting < 0) {
      nodes[node].isActive = false;
      active.pop_front();
      continue;
    }
    push(meeting);
    while (!orphans.empty()) {
      unsigned next = orphans.front();
      orphans.pop_front();
      adopt(next);
    }
  }
  return flow;
}

int MaximumFlow::grow(unsigned node) {
  const Node &from = nodes[node];
  for (int edge = from.edge; edge >= 0; edge = edges[edge].next) {
    if (getRest(edge, from.tree) == 0)
      continue;
    Node &to = nodes[edges[edge].to];
    if (to.parent == kFree) {
      to.tree = from.tree;
      to.parent = edge ^ 1;
      to.seen = from.seen;
      to.distance = from.distance + 1;
      activate(edges[edge].to);
    } else if (to.tree != from.tree) {
      return from.tree == Tree::Source ? edge : edge ^ 1;
    } else if (to.seen <= from.seen && to.distance > from.distance) {
      // Nearer to the end this way.
      to.parent = edge ^ 1;
      to.seen = from.seen;
      to.distance = from.distance + 1;
    }
  }
  return -1;
}

int64_t MaximumFlow::getLimit(unsigned node) const {
  Tree tree = nodes[node].tree;
  int64_t limit = std::numeric_limits<int64_t>::max();
  while (nodes[node].parent != kEnd) {
    int edge = nodes[node].parent;
    limit = std::min(limit, getRest(edge ^ 1, tree));
    node = edges[edge].to;
  }
  return std::min(limit, std::abs(nodes[node].terminal));
}

void MaximumFlow::pushAlong(unsigned node, int64_t amount) {
  Tree tree = nodes[node].tree;
  while (nodes[node].parent != kEnd) {
    int edge = nodes[node].parent;
    unsigned parent = edges[edge].to;
    int used = tree == Tree::Source ? edge ^ 1 : edge;
    edges[used].rest -= amount;
    edges[used ^ 1].rest += amount;
    if (edges[used].rest == 0)
      orphan(node);
    node = parent;
  }
  nodes[node].terminal += tree == Tree::Source ? -amount : amount;
  if (nodes[node].terminal == 0)
    orphan(node);
}

void MaximumFlow::push(int meeting) {
  unsigned from = edges[meeting ^ 1].to, to = edges[meeting].to;
  int64_t amount = std::min({edges[meeting].rest, getLimit(from), getLimit(to)});
  edges[meeting].rest -= amount;
  edges[meeting ^ 1].rest += amount;
  pushAlong(from, amount);
  pushAlong(to, amount);
  flow += amount;
}

void MaximumFlow::orphan(unsigned node) {
  nodes[node].parent = kOrphan;
  orphans.push_back(node);
}

int MaximumFlow::findEnd(unsigned node) {
  int distance = 0;
  for (unsigned at = node;; at = edges[nodes[at].parent].to) {
    if (nodes[at].seen == time) {
      distance += nodes[at].distance;
      break;
    }
    ++distance;
    if (nodes[at].parent == kEnd) {
      nodes[at].seen = time;
      nodes[at].distance = 1;
      break;
    }
    if (nodes[at].parent < 0)
      return kUnreachable;
  }
  // Who asks next need not go so far.
  int rest = distance;
  for (unsigned at = node; nodes[at].seen != time; at = edges[nodes[at].parent].to) {
    nodes[at].seen = time;
    nodes[at].distance = rest--;
  }
  return distance;
}

void MaximumFlow::adopt(unsigned node) {
  Tree tree = nodes[node].tree;
  int best = kFree, least = kUnreachable;
  for (int edge = nodes[node].edge; edge >= 0; edge = edges[edge].next) {
    unsigned other = edges[edge].to;
    if (getRest(edge ^ 1, tree) == 0 || nodes[other].tree != tree || nodes[other].parent == kFree)
      continue;
    int distance = findEnd(other);
    if (distance < least) {
      best = edge;
      least = distance;
    }
  }
  nodes[node].parent = best;
  if (best != kFree) {
    nodes[node].seen = time;
    nodes[node].distance = least + 1;
    return;
  }
  for (int edge = nodes[node].edge; edge >= 0; edge = edges[edge].next) {
    unsigned other = edges[edge].to;
    if (nodes[other].tree != tree || nodes[other].parent == kFree)
      continue;
    if (getRest(edge ^ 1, tree) > 0)
      activate(other);
    if (nodes[other].parent >= 0 && edges[nodes[other].parent].to == node)
      orphan(other);
  }
}
