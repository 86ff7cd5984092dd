// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of conditional nodes: whether the device has such nodes, and the streams that bodies are
// captured on, or rehearsed beside.
#pragma once

#include "cameo/cuda/call_state.h"

namespace cameo::cuda {

/// One stream for each depth at which bodies are inside each other, made when first needed.
class conditional_bodies {
public:
  static constexpr int deepest = 8;

  /// Whether the device has nodes of this kind, with so many bodies; found out once. Where it has
  /// none, a run that is to be captured fails.
  bool can_add(call_state &call, api::conditional_kind kind, int bodies);
  /// No body can be begun inside the one that is under way.
  bool is_deepest() const { return depth_ == deepest; }

  /// Begins a body of a node, whose work goes to `stream` until end(); null: a rehearsal, for which
  /// nothing is captured. False after an error.
  bool begin(call_state &call, api::graph body, api::stream &stream);
  /// Ends the innermost body, which `captured` says of whether it was a node's.
  void end(call_state &call, bool captured);

  /// Destroys the streams.
  void close();

private:
  enum class answer : int8_t { unknown, no, yes };

  api::stream streams_[deepest] = {};
  int depth_ = 0;
  answer has_nodes_[2] = {}; ///< by api::conditional_kind
};

} // namespace cameo::cuda
