// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cut against every possible one, on small random networks.

#include "Support/MinimumCut.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <tuple>
#include <vector>

using cameo::CutComparison;
using cameo::MinimumCut;

namespace {

struct Network {
  unsigned nodes = 2;
  std::vector<std::tuple<unsigned, unsigned, int64_t>> edges;
};

Network makeNetwork(std::mt19937 &random) {
  Network network;
  network.nodes += random() % 6;
  for (unsigned edge = random() % 16; edge-- > 0;) {
    unsigned from = random() % network.nodes, to = random() % network.nodes;
    if (from != to && !(from == MinimumCut::kSource && to == MinimumCut::kSink))
      network.edges.emplace_back(from, to,
                                 random() % 4 == 0 ? MinimumCut::kNever : 1 + random() % 9);
  }
  return network;
}

/// The price when the nodes of `sources`, a bit each, are on the source's side.
int64_t getCost(const Network &network, unsigned sources) {
  int64_t cost = 0;
  for (auto [from, to, edge] : network.edges)
    if ((sources >> from & 1) && !(sources >> to & 1))
      cost += edge;
  return cost;
}

} // namespace

TEST_CASE("no cut is cheaper, and none as cheap has fewer nodes at the source") {
  std::mt19937 random(20260);
  unsigned tried = 0;
  while (tried < 2000) {
    Network network = makeNetwork(random);
    int64_t least = MinimumCut::kNever;
    int fewest = 0;
    for (unsigned sources = 1; sources < 1u << network.nodes; sources += 2) {
      int64_t cost = getCost(network, sources);
      int size = __builtin_popcount(sources);
      if ((sources >> MinimumCut::kSink & 1) || cost > least || (cost == least && size >= fewest))
        continue;
      least = cost;
      fewest = size;
    }
    if (least >= MinimumCut::kNever)
      continue;
    ++tried;

    MinimumCut cut;
    for (unsigned node = 2; node < network.nodes; ++node)
      REQUIRE(cut.addNode() == node);
    for (auto [from, to, cost] : network.edges)
      cut.addEdge(from, to, cost);
    llvm::BitVector onSourceSide = cut.solve();
    unsigned sources = 0;
    for (unsigned node : onSourceSide.set_bits())
      sources |= 1u << node;
    CHECK(getCost(network, sources) == least);
    CHECK(__builtin_popcount(sources) == fewest);
  }
}

TEST_CASE("a comparison has the costs of all that a node's side decides") {
  std::mt19937 random(20261);
  unsigned tried = 0;
  while (tried < 500) {
    Network network = makeNetwork(random);
    // By node, the cheapest cut that has it on the source's side and on the sink's.
    std::vector<std::array<int64_t, 2>> least(network.nodes,
                                              {MinimumCut::kNever, MinimumCut::kNever});
    for (unsigned sources = 1; sources < 1u << network.nodes; sources += 2)
      if (!(sources >> MinimumCut::kSink & 1))
        for (unsigned node = 0; node < network.nodes; ++node) {
          int64_t &side = least[node][(sources >> node & 1) ? 0 : 1];
          side = std::min(side, getCost(network, sources));
        }
    if (least[MinimumCut::kSource][0] >= MinimumCut::kNever)
      continue;
    ++tried;

    MinimumCut cut;
    for (unsigned node = 2; node < network.nodes; ++node)
      cut.addNode();
    for (auto [from, to, cost] : network.edges)
      cut.addEdge(from, to, cost);
    CutComparison comparison(cut);
    for (unsigned node = 2; node < network.nodes; ++node) {
      auto costs = comparison.compare(node);
      bool isPossible = std::max(least[node][0], least[node][1]) < MinimumCut::kNever;
      REQUIRE(costs.has_value() == isPossible);
      if (isPossible)
        CHECK(costs->onSource - costs->onSink == least[node][0] - least[node][1]);
    }
  }
}

TEST_CASE("parts do not pay for each other, and large ones are not compared") {
  MinimumCut cut;
  for (auto [host, device] : {std::pair(3, 5), std::pair(7, 2)}) {
    MinimumCut::Node node = cut.addNode();
    cut.addEdge(MinimumCut::kSource, node, device);
    cut.addEdge(node, MinimumCut::kSink, host);
  }
  MinimumCut::Node last = cut.addNode();
  for (unsigned number = 0; number < CutComparison::kMaxNodes; ++number) {
    MinimumCut::Node node = cut.addNode();
    cut.addEdge(last, node, 1);
    last = node;
  }
  CutComparison comparison(cut);
  CHECK((comparison.compare(2)->onSource == 3 && comparison.compare(2)->onSink == 5));
  CHECK((comparison.compare(3)->onSource == 7 && comparison.compare(3)->onSink == 2));
  CHECK_FALSE(comparison.compare(last));
}

TEST_CASE("a cut of a long chain goes through its cheapest edge") {
  constexpr unsigned kLength = 100'000, kCheapest = 70'000;
  MinimumCut cut;
  MinimumCut::Node last = MinimumCut::kSource;
  for (unsigned number = 0; number < kLength; ++number) {
    MinimumCut::Node node = cut.addNode();
    cut.addEdge(last, node, number == kCheapest ? 1 : 2);
    last = node;
  }
  cut.addEdge(last, MinimumCut::kSink, 2);
  llvm::BitVector onSourceSide = cut.solve();
  CHECK(onSourceSide.count() == kCheapest + 1);
  CHECK_FALSE(onSourceSide[MinimumCut::kSink]);
}

TEST_CASE("long chains cost what the cheapest of all ways along them costs") {
  std::mt19937 random(7);
  for (unsigned length : {2u, 100u, 3000u, 100000u}) {
    MinimumCut cut;
    std::vector<MinimumCut::Node> nodes;
    for (unsigned i = 0; i < length; ++i)
      nodes.push_back(cut.addNode());
    // The least that the nodes up to here cost, by the side of the last: the source's, the sink's.
    std::array<int64_t, 2> least = {0, 0};
    for (unsigned i = 0; i < length; ++i) {
      int64_t atSource = random() % 3 == 0 ? random() % 100 : 0;
      int64_t atSink = random() % 3 == 0 ? random() % 100 : 0;
      int64_t forth = 1 + random() % 40,
              back = random() % 8 == 0 ? MinimumCut::kNever : 1 + random() % 40;
      if (i > 0) {
        cut.addEdge(nodes[i - 1], nodes[i], forth);
        cut.addEdge(nodes[i], nodes[i - 1], back);
        least = {std::min(least[0], least[1] + back), std::min(least[1], least[0] + forth)};
      }
      if (atSource > 0)
        cut.addEdge(nodes[i], MinimumCut::kSink, atSource);
      if (atSink > 0)
        cut.addEdge(MinimumCut::kSource, nodes[i], atSink);
      least = {least[0] + atSource, least[1] + atSink};
    }
    CHECK(cut.getCost() == std::min(least[0], least[1]));
  }
}
