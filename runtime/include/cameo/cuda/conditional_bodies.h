// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of conditional nodes: whether the device has such nodes, and the streams that bodies are
// captured on, or rehearsed beside.
#pragma once

#include "cameo/cuda/device_arena.h"
#include "cameo/cuda/run_record.h"

namespace cameo::cuda {

/// One stream for each depth at which bodies are inside each other, made when first needed.
class conditional_bodies {
public:
  static constexpr int deepest = 8;

  /// Errors are noted in `call`. Kernels of bodies take scratch memory from `arena`.
  conditional_bodies(call_state &call, device_arena &arena, const run_record &run)
      : call_(call), arena_(arena), run_(run) {}
  call_state &call() const { return call_; }
  scratch_arena &scratch() const { return arena_.scratch(); }

  /// Work that is enqueued goes to a graph, or is rehearsed.
  bool is_recorded() const {
    return !call_.is_running() || call_.captures() || call_.device().rehearsing;
  }
  /// The run has planned its memory anew: a body is rehearsed before a capture needs what it takes.
  bool has_new_sizes() const { return run_.has_new_sizes(); }
  /// Whether the device has nodes of this kind, with so many bodies; found out once. Where it has
  /// none, a run that is to be captured fails.
  bool can_add(api::conditional_kind kind, int bodies);
  /// No body can be begun inside the one that is under way.
  bool is_deepest() const { return depth_ == deepest; }

  /// Begins a body of a node, whose work goes to `stream` until end(); null: a rehearsal, for which
  /// nothing is captured. False after an error.
  bool begin(api::graph body, api::stream &stream);
  /// Ends the innermost body, which `captured` says of whether it was a node's.
  void end(bool captured);

  /// Destroys the streams.
  void close();

private:
  enum class answer : int8_t { unknown, no, yes };

  call_state &call_;
  device_arena &arena_;
  const run_record &run_;
  api::stream streams_[deepest] = {};
  int depth_ = 0;
  answer has_nodes_[2] = {}; ///< by api::conditional_kind
};

} // namespace cameo::cuda
