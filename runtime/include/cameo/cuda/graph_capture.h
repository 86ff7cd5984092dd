// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run whose stream is being captured: a rehearsal, a pass into the caller's graph, and what
// launches of that graph leave in pinned memory, which is all that is known of them.
#pragma once

#include "cameo/context_base.h"
#include "cameo/cuda/device_arena.h"
#include "cameo/cuda/error_report.h"
#include "cameo/cuda/run_record.h"
#include "cameo/cuda/staging_pool.h"

namespace cameo::cuda {

/// The context runs the generated code once between each begin and its end; errors are noted in the
/// call of `memory`.
class graph_capture {
public:
  graph_capture(device_memory &memory, staging_pool &pool, device_arena &arena, run_record &run,
                error_report &report)
      : memory_(memory), pool_(pool), arena_(arena), run_(run), report_(report) {}

  // ---- Two passes ----

  /// Until the end, the run does all but enqueue, into memory that the context already has. The run
  /// before is finished.
  void begin_rehearsal();
  void end_rehearsal();
  /// Until the end, work goes to the graph, behind the clearing of the error slot. The rehearsal
  /// has succeeded.
  void begin_recording(api::stream compute);
  /// The graph ends with a copy of the error slot. `compute` has been joined.
  void end_recording(api::stream compute);
  /// Runs are plain again. Where the graph is `complete`, its launches leave what is told below.
  void end(bool complete, const bindings &tensors);

  // ---- Launches ----

  /// A run, or a pass of one, begins: no launch of an earlier graph counts.
  void begin_pass() { complete_ = false; }
  /// The last run was captured.
  bool is_captured() const { return complete_; }
  /// Whether a launch has left results; the caller has waited for it. They stay until the next.
  bool is_launched() const { return report_.is_launched(); }
  /// Notes what the last launch has raised.
  void take_error();
  /// Tells the outputs the extents that the last launch has counted.
  void take_extents(bindings &tensors) const;

private:
  call_state &call() const { return memory_.call(); }
  int64_t *extents() const;

  device_memory &memory_;
  staging_pool &pool_;
  device_arena &arena_;
  run_record &run_;
  error_report &report_;
  /// The error slot also tells that there was a launch, without which the host has nothing to do.
  bool needs_slot_ = false;
  bool complete_ = false;
};

} // namespace cameo::cuda
