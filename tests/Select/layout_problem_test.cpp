// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of layouts against every possible one, on small random graphs.

#include "Select/LayoutProblem.h"

#include <catch2/catch.hpp>

#include <random>
#include <vector>

using cameo::LayoutProblem;

namespace {

struct Graph {
  LayoutProblem problem;
  std::vector<bool> required;
  unsigned numOps = 0;
};

/// Up to ten ops that read values in front of them, as programs do, a few of them read dense.
Graph makeGraph(std::mt19937 &random) {
  Graph graph;
  std::vector<unsigned> values{graph.problem.addValue(random() % 20, std::nullopt)};
  graph.numOps = 1 + random() % 10;
  for (unsigned op = 0; op < graph.numOps; ++op) {
    bool isRequired = random() % 12 == 0;
    graph.required.push_back(isRequired);
    graph.problem.addOp(static_cast<int64_t>(random() % 40) - 20, isRequired);
    for (unsigned reads = random() % 4; reads-- > 0;)
      graph.problem.addReader(values[random() % values.size()], op);
    for (unsigned results = 1 + random() % 2; results-- > 0;) {
      bool isWritten = random() % 8 != 0;
      values.push_back(graph.problem.addValue(random() % 20, isWritten ? std::optional<unsigned>(op)
                                                                       : std::nullopt));
      if (random() % 4 == 0)
        graph.problem.setReadDense(values.back());
    }
  }
  return graph;
}

llvm::BitVector getChoice(unsigned bits, unsigned count) {
  llvm::BitVector choice(count);
  for (unsigned op = 0; op < count; ++op)
    choice[op] = bits >> op & 1;
  return choice;
}

} // namespace

TEST_CASE("no choice is cheaper, and none as cheap has fewer ops in blocks") {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 10000; ++round) {
    Graph graph = makeGraph(random);
    llvm::BitVector chosen = graph.problem.solve();
    int64_t cost = graph.problem.getCost(chosen);
    for (unsigned bits = 0; bits < 1u << graph.numOps; ++bits) {
      llvm::BitVector choice = getChoice(bits, graph.numOps);
      bool isAllowed = true;
      for (unsigned op = 0; op < graph.numOps; ++op)
        isAllowed &= !graph.required[op] || choice[op];
      if (!isAllowed)
        continue;
      int64_t other = graph.problem.getCost(choice);
      if (other < cost || (other == cost && choice.count() < chosen.count()))
        FAIL("round " << round << ": " << other << " instead of " << cost);
    }
  }
}

TEST_CASE("costs beyond what a cut can pay are weighed all the same") {
  LayoutProblem problem;
  constexpr int64_t huge = std::numeric_limits<int64_t>::max() / 2;
  unsigned first = problem.addOp(-huge, false), second = problem.addOp(huge / 2, false);
  unsigned between = problem.addValue(huge / 4, first);
  problem.addReader(between, second);
  llvm::BitVector chosen = problem.solve();
  CHECK(chosen[first]);
  CHECK(!chosen[second]);
}
