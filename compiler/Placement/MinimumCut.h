// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A minimum s-t cut: nodes fall on the source's or the sink's side so that the edges from the one
// to the other cost least.

#ifndef CAMEO_PLACEMENT_MINIMUMCUT_H
#define CAMEO_PLACEMENT_MINIMUMCUT_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

#include <cstdint>

namespace cameo {

class MinimumCut {
public:
  using Node = unsigned;
  static constexpr Node kSource = 0, kSink = 1;
  /// No cut goes through an edge of this cost.
  static constexpr int64_t kNever = int64_t(1) << 55;

  Node addNode() { return numNodes++; }
  /// `cost` (positive) is paid when `from` is on the source's side and `to` on the sink's. Some cut
  /// has to pay less than kNever in all.
  void addEdge(Node from, Node to, int64_t cost);
  /// The nodes on the source's side of the cheapest cut; of cuts that cost the same, that with the
  /// fewest of them.
  llvm::BitVector solve() const;

private:
  llvm::MapVector<std::pair<Node, Node>, int64_t> edges;
  Node numNodes = 2;
};

} // namespace cameo

#endif // CAMEO_PLACEMENT_MINIMUMCUT_H
