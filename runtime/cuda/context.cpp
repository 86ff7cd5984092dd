// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of cuda::context that generated code calls between binding and done(): errors, steps,
// and what crosses between host and device. Assumes the context locked and its device current.
#include "device_state.h"

#include "cameo/external.h"

namespace cameo::cuda {

// ---- Errors ------------------------------------------------------------------------------------

void context::fail(const status &error) {
  if (ok(error_))
    error_ = error;
}

/// Notes a failed call of the runtime API; true when it succeeded.
bool context::check(api::error error) {
  if (error == api::success)
    return true;
  api::take_error();                    // ours, and reported: not for the caller to find
  disordered_ = pass_ == pass::running; // else nothing has run
  const status s = error_cuda(error, api::is_lost(error) ? suspect_ : state_.node);
  if (api::is_lost(error) && ok(lost_))
    lost_ = s;
  fail(s);
  return false;
}

bool context::may(const status &error_of_capture) {
  if (pass_ == pass::running)
    return true;
  fail(error_of_capture);
  return false;
}

/// The first error of the run as far as the host knows it.
status context::device_status() {
  if (rehearsing() && state_.error == api::capture_unsupported) // of scratch memory
    fail(error_capture_memory());
  else if (state_.error != api::success)
    check(state_.error);
  if (!ok(lost_))
    return lost_;
  return ok(error_) ? half_.ready() : error_;
}

/// After a failed call: waits for all that was enqueued, since no event can be trusted to do it.
/// Before the failed call returns, because the caller's stream is ours to wait for only until then.
void context::settle() {
  if (!disordered_)
    return;
  drain();
  api::take_error();
  for (int32_t i = 0; i < slot_count_; ++i)
    if (slots_[i].use == staging_slot::flying)
      slots_[i].use = staging_slot::idle;
  disordered_ = false;
}

status context::ready() {
  if (copies_pending_)
    join();
  return device_status();
}

void context::step(int32_t node) {
  // One order of errors for both sides: whichever side has run more kernels says how far we are.
  const int64_t done = half_.fault.step > static_cast<int64_t>(state_.kernels)
                           ? half_.fault.step
                           : static_cast<int64_t>(state_.kernels);
  half_.fault.step = done;
  half_.fault.node = node;
  state_.kernels = static_cast<uint32_t>(done);
  state_.node = node;
  if (suspect_ < 0)
    suspect_ = node;
}

status context::host_external(cameo_external_fn function, int32_t node, const external_call &call) {
  step(node);
  return call_external(*model, function, node, call);
}

status context::external(cameo_external_fn function, int32_t node, const external_call &call) {
  step(node);
  if (rehearsing())
    return success();
  int64_t launches = 0;
  CAMEO_TRY(call_external(*model, function, node, compute.stream(), call, launches));
  state_.launches += launches;
  return check(api::peek_error()) ? success() : ready();
}

status context::trip(int64_t iteration) {
  ++counters.loop_iterations;
  if (iteration < options.max_loop_trips)
    return success();
  return error_loop_trips(state_.node, options.max_loop_trips);
}

// ---- Two streams -------------------------------------------------------------------------------

/// Orders work that `then` is given from now on behind all that `first` has been given so far.
bool context::order(api::stream first, api::stream then) {
  return rehearsing() ||
         (check(api::record(order_event_, first)) && check(api::wait_for(then, order_event_)));
}

void context::fork() {
  order(compute.stream(), copy_stream_);
  beside_ = true;
}

void context::join() {
  order(copy_stream_, compute.stream());
  copies_pending_ = beside_ = false;
}

// ---- Transfers ---------------------------------------------------------------------------------

fetched context::fetch(const void *source, int64_t bytes) {
  const fetched nothing = {-1, bytes};
  if (!ok(device_status()))
    return nothing;
  const int32_t slot = take_slot(bytes);
  if (slot < 0)
    return nothing;
  staging_slot &s = slots_[slot];
  if (!order(compute.stream(), copy_stream_))
    return nothing;
  counters.d2h += bytes > 0;
  counters.d2h_bytes += bytes;
  beside_ = true;
  if (pass_ == pass::capturing) // somebody may finish before a launch
    __builtin_memset(s.memory, 0, static_cast<size_t>(bytes));
  if (bytes > 0 && !rehearsing() &&
      !check(api::copy_to_host(s.memory, source, static_cast<size_t>(bytes), copy_stream_)))
    return nothing;
  if (pass_ == pass::running && !check(api::record(s.event, copy_stream_)))
    return nothing;
  s.use = pass_ == pass::capturing ? staging_slot::kept : staging_slot::held;
  return {slot, bytes};
}

status context::await(const fetched &f, void *target) {
  CAMEO_TRY(device_status());
  if (resting_) {
    __builtin_memcpy(target, slots_[f.slot].memory, static_cast<size_t>(f.bytes));
    if (slots_[f.slot].use == staging_slot::held)
      slots_[f.slot].use = staging_slot::idle;
    return success();
  }
  if (!may(error_capture_wait(state_.node)))
    return error_;
  staging_slot &s = slots_[f.slot];
  ++counters.blocking_syncs;
  if (!check(api::wait(s.event)))
    return device_status();
  __builtin_memcpy(target, s.memory, static_cast<size_t>(f.bytes));
  s.use = staging_slot::idle;
  suspect_ = -1;
  return success();
}

/// Nobody awaits it.
void context::drop(const fetched &f) {
  if (f.slot >= 0 && slots_[f.slot].use == staging_slot::held)
    slots_[f.slot].use = staging_slot::flying;
}

void context::upload(void *target, const void *source, int64_t bytes) {
  if (bytes <= 0 || !ok(device_status()))
    return;
  // A graph has what the host computes as it was at the capture, either way.
  if (bytes <= CAMEO_LAUNCH_UPLOAD_BYTES)
    return upload_with_launch(target, source, bytes);
  const int32_t slot = take_slot(bytes);
  if (slot < 0)
    return;
  __builtin_memcpy(slots_[slot].memory, source, static_cast<size_t>(bytes));
  ++counters.host_copies;
  counters.host_copy_bytes += bytes;
  send_slot(slot, target, bytes, compute.stream());
}

/// A graph would have the argument of its capture; a copy of an input reads memory each time.
bool context::goes_with_launch(int64_t bytes) const {
  return bytes <= CAMEO_LAUNCH_UPLOAD_BYTES && pass_ == pass::running;
}

void context::upload_with_launch(void *target, const void *source, int64_t bytes) {
  ++counters.launch_uploads;
  launch_upload(compute, target, source, bytes);
}

/// Copies a slot to the device. A captured copy reads it each time, so nobody else may have it.
bool context::send_slot(int32_t slot, void *target, int64_t bytes, api::stream stream) {
  staging_slot &s = slots_[slot];
  ++counters.h2d;
  counters.h2d_bytes += bytes;
  if (rehearsing()) {
    s.use = staging_slot::held;
    return true;
  }
  if (!check(api::copy_to_device(target, s.memory, static_cast<size_t>(bytes), stream)))
    return false;
  if (pass_ == pass::capturing) {
    s.use = staging_slot::kept;
    return true;
  }
  if (!check(api::record(s.event, stream)))
    return false;
  s.use = staging_slot::flying;
  return true;
}

void context::fetch_extents(const int64_t *source, const counted_extent *which, int32_t count) {
  run_.extents = fetch(source, count * static_cast<int64_t>(sizeof(int64_t)));
  run_.extent_source = source;
  run_.extent_count = run_.extents.slot < 0 ? 0 : count;
  for (int32_t i = 0; i < run_.extent_count; ++i)
    extent_of_[i] = which[i];
}

} // namespace cameo::cuda
