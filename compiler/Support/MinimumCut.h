// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A minimum s-t cut: nodes fall on the source's or the sink's side so that the edges from the one
// to the other cost least.

#ifndef CAMEO_SUPPORT_MINIMUMCUT_H
#define CAMEO_SUPPORT_MINIMUMCUT_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

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
  /// The price of the cheapest cut.
  int64_t getCost() const;

private:
  friend class CutComparison;

  llvm::MapVector<std::pair<Node, Node>, int64_t> edges;
  Node numNodes = 2;
};

/// Receives the costs of a node on either side, for each of the parts that a network falls into
/// without its source and sink.
class CutComparison {
public:
  /// Parts with more nodes are not compared: each comparison solves its part twice.
  static constexpr unsigned kMaxNodes = 256;

  struct Costs {
    int64_t onSource, onSink;
  };

  explicit CutComparison(const MinimumCut &cut);

  /// The costs of the cheapest cuts of its part that have `node` on the source's and on the sink's
  /// side; nothing where the part is too large, or one of them pays kNever.
  std::optional<Costs> compare(MinimumCut::Node node) const;

private:
  llvm::SmallVector<MinimumCut, 0> parts;
  /// By node: its part, and its number there.
  llvm::SmallVector<std::pair<unsigned, MinimumCut::Node>, 0> places;
};

} // namespace cameo

#endif // CAMEO_SUPPORT_MINIMUMCUT_H
