// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a run and a peer part: the first node whose value leaves its tolerance (--nodes). Values
// become outputs of a copy of the model, a few at a time, so that the memory that they take is
// bounded and fusion is kept around all others; each round looks closer in front of the first value
// that differs. The node that is found is then run alone on the peer's own inputs.

#ifndef CAMEO_TOOLS_NODES_H
#define CAMEO_TOOLS_NODES_H

#include "Driver.h"
#include "Interface.h"
#include "NativeBuild.h"
#include "Peers.h"

namespace cameo::cli {

/// The subject of the search: a data set that failed against a peer.
struct NodeQuestion {
  const ModelFlags &flags;
  const BuildFlags &build;
  const ToleranceFlags &tolerances;
  const Peer &peer;
  const std::string &python;
  const RunFlags &runs;
  /// By position.
  const Interface &model;
  const std::map<int64_t, TensorData> &inputs;
  /// Result of the data set: how outputs differ from the peer's, by name.
  std::map<std::string, Comparison> outputs;
};

/// A value that was compared, and the node that makes it.
struct ComparedValue {
  std::string value, node, opType;
  Comparison comparison;
};

struct NodeAnswer {
  /// The first node that differs; none where no node makes what differs.
  std::optional<ComparedValue> first;
  /// The verdict on its difference: new there, or carried in, or why neither is known.
  std::string verdict;
  /// Whether the node differs on the peer's own inputs; none where that cannot be told.
  std::optional<bool> isNew;
  /// For each node that was compared its worst value, the worst first.
  std::vector<ComparedValue> worst;
};

std::optional<Diagnostic> findNode(const NodeQuestion &question, NodeAnswer &answer);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_NODES_H
