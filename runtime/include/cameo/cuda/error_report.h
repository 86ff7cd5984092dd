// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The errors that kernels on the device raise: the slot that they write to, and its copy in pinned
// memory, which is fetched when the host asks and not by every run.
#pragma once

#include "cameo/cuda/device_memory.h"
#include "cameo/fault.h"

namespace cameo::cuda {

class error_report {
public:
  /// Makes the slot of the call's exec_state, by which kernels find it. Errors are noted in the
  /// call.
  bool open(device_memory &memory);
  void close(device_memory &memory);

  // ---- A plain run ----

  /// Clears the slot in front of a run, if there may be an error in it.
  bool clear(call_state &call, api::stream stream);
  /// A run begins: what was fetched is of runs before.
  void restart() { started_ = false; }
  /// Sends the slot to the host behind the last run; once.
  bool start(stream_order &order);
  bool is_started() const { return started_; }
  /// Behind that copy.
  api::event event() const { return event_; }

  // ---- A captured run ----

  /// Each launch of the graph clears the slot first, and sends it last.
  bool capture_clear(call_state &call, api::stream stream);
  bool capture_fetch(call_state &call, api::stream stream);
  /// Until the graph is launched the copy says that nothing was raised; or, where `tells_launch`,
  /// that there was no launch.
  void expect_launch(bool tells_launch);
  bool is_launched() const { return fetched_->code != CAMEO_NOT_READY; }

  // ---- The copy, once it is there ----

  bool is_raised() const { return fetched_->code != CAMEO_OK; }
  /// In the words of the host.
  fault_slot fault() const;
  /// The slot still holds it: the next run clears the slot.
  void soil() { dirty_ = true; }

private:
  bool send(call_state &call, api::stream stream);

  error_slot *fetched_ = nullptr; ///< pinned
  api::event event_ = nullptr;
  bool dirty_ = false;
  bool started_ = false;
};

} // namespace cameo::cuda
