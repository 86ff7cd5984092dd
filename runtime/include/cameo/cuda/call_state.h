// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the call under way goes: whether its work is enqueued, rehearsed or captured, its first
// error, and whether the device and the events on it can still be trusted. All parts of a context
// report here; none of them returns an error by itself.
#pragma once

#include "cameo/cpu/context.h"
#include "cameo/cuda/exec.h"

namespace cameo::cuda {

class call_state {
public:
  /// The fate of the work that a run enqueues. Before a run is captured it is rehearsed: it does
  /// all but enqueue, so that what cannot be captured is found before anything is.
  enum class pass : int32_t { running, rehearsing, capturing };

  /// The call of `owner`. Kernels on the host fail in `host`. Both outlive this.
  call_state(cameo_context &owner, cpu::context &host) : owner_(owner), host_(host) {}

  /// For its options, its allocator and the counters of the call.
  cameo_context &owner() const { return owner_; }
  /// The state that the executors of the context share; kernels on the device fail in it.
  exec_state &device() { return device_; }
  /// The host's half: memory, threads and error slot of kernels on the host.
  cpu::context &host() const { return host_; }

  // ---- Errors ----

  /// Notes an error unless an earlier one is noted.
  void fail(const status &error);
  /// The same of what may be no error; true when it is none.
  bool check(const status &result);
  /// Notes a failed call of the device's API, and takes it from cudaGetLastError; true when it
  /// succeeded.
  bool check(api::error error);
  /// The first error of the call as far as the host knows it, kernels of either side included.
  status first_error();
  /// Whether there is none.
  bool is_well();
  /// The first error that was noted here.
  const status &error() const { return error_; }
  /// Begins a call, or a part of one whose errors are told elsewhere.
  void forget_error() { error_ = success(); }

  // ---- The device ----

  /// Not ok: the device is gone for good, which every later call says.
  const status &lost() const { return lost_; }
  status lose(const status &error) { return lost_ = error; }
  /// A kernel of `node` is next. The first one since the host last knew the device well is named
  /// when the device is lost.
  void suspect(int32_t node) { suspect_ = suspect_ < 0 ? node : suspect_; }
  /// The host has waited for the device, which was well.
  void clear_suspects() { suspect_ = -1; }
  /// A call has failed, so that events may not stand for what they should: until the host has
  /// waited for all that was enqueued, nothing of it is known to have ended.
  bool is_disordered() const { return disordered_; }
  void reorder() { disordered_ = false; }

  // ---- Passes ----

  void set_pass(pass p) { pass_ = p; }
  bool is_running() const { return pass_ == pass::running; }
  bool is_rehearsing() const { return pass_ == pass::rehearsing; }
  bool is_capturing() const { return pass_ == pass::capturing; }
  /// Whether what is enqueued goes to a graph: the caller's, or that of a loop.
  bool captures() const { return is_capturing() || captured_bodies_ > 0; }
  /// Around the capture of the body of a conditional node.
  void begin_captured_body() { ++captured_bodies_; }
  void end_captured_body() { --captured_bodies_; }
  /// Notes why the run cannot be captured, if it is to be; true when it is not.
  bool may(const status &error_of_capture);
  bool may_allocate();

private:
  cameo_context &owner_;
  cpu::context &host_;
  exec_state device_;
  status error_{};
  status lost_{};
  pass pass_ = pass::running;
  int32_t captured_bodies_ = 0;
  int32_t suspect_ = -1;
  bool disordered_ = false;
};

} // namespace cameo::cuda
