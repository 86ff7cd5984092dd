// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of cuda::context that generated code calls between binding and done(): errors, steps,
// and what crosses between host and device. Assumes the context locked and its device current.
#include "device_state.h"

#include "cameo/call.h"
#include "cameo/external.h"

namespace cameo::cuda {

// ---- Errors ------------------------------------------------------------------------------------

/// After a failed call: waits for all that was enqueued, since no event can be trusted to do it.
/// Before the failed call returns, because the caller's stream is ours to wait for only until then.
void context::settle() {
  if (!call_.is_disordered())
    return;
  order_.drain();
  api::take_error();
  staging_.land();
  call_.reorder();
}

status context::ready() {
  order_.join_uploads(compute.stream());
  return call_.first_error();
}

void context::step(int32_t node) {
  // One order of errors for both sides: whichever side has run more kernels says how far we are.
  exec_state &device = call_.device();
  fault_slot &host = call_.host().fault;
  const int64_t done = host.step > static_cast<int64_t>(device.kernels)
                           ? host.step
                           : static_cast<int64_t>(device.kernels);
  host.step = done;
  host.node = node;
  device.kernels = static_cast<uint32_t>(done);
  device.node = node;
  call_.suspect(node);
}

status context::host_external(cameo_external_fn function, int32_t node, const external_call &call) {
  step(node);
  return call_external(*model, function, node, call);
}

status context::external(cameo_external_fn function, int32_t node, const external_call &call) {
  step(node);
  if (call_.is_rehearsing())
    return success();
  int64_t launches = 0;
  CAMEO_TRY(call_external(*model, function, node, compute.stream(), call, launches));
  call_.device().launches += launches;
  return call_.check(api::peek_error()) ? success() : ready();
}

status context::trip(int64_t iteration) {
  return count_trip(*this, iteration, call_.device().node);
}

status context::plan(buffer_table buffers, int64_t scratch) {
  int64_t bytes = 0;
  CAMEO_TRY(pack(buffers.rows, buffers.count, INT32_MIN, 0, bytes));
  return arena_.plan(bytes, scratch);
}

// ---- Two streams -------------------------------------------------------------------------------

void context::fork() { order_.fork(compute.stream()); }

void context::join() { order_.join(compute.stream()); }

// ---- Transfers ---------------------------------------------------------------------------------

fetched context::fetch(const void *source, int64_t bytes) {
  const fetched nothing = {-1, bytes};
  const int32_t slot = call_.is_well() ? staging_.take(bytes) : -1;
  if (slot < 0 || !order_.fork(compute.stream()))
    return nothing;
  void *memory = staging_.at(slot);
  counters.d2h += bytes > 0;
  counters.d2h_bytes += bytes;
  if (call_.is_capturing()) // somebody may finish before a launch
    __builtin_memset(memory, 0, static_cast<size_t>(bytes));
  if (bytes > 0 && !call_.is_rehearsing() &&
      !call_.check(
          api::copy_to_host(memory, source, static_cast<size_t>(bytes), order_.transfers())))
    return nothing;
  if (call_.is_running() && !staging_.record(slot, order_.transfers()))
    return nothing;
  if (call_.is_capturing())
    staging_.keep(slot);
  else
    staging_.hold(slot);
  return {slot, bytes};
}

status context::await(const fetched &f, void *target) {
  CAMEO_TRY(call_.first_error());
  if (!run_.rest.is_running()) {
    if (!call_.may(error_capture_wait(call_.device().node)))
      return call_.error();
    ++counters.blocking_syncs;
    if (!call_.check(api::wait(staging_.event(f.slot))))
      return call_.first_error();
    call_.clear_suspects();
  }
  __builtin_memcpy(target, staging_.at(f.slot), static_cast<size_t>(f.bytes));
  staging_.give_back_held(f.slot);
  return success();
}

void context::drop(const fetched &f) {
  if (f.slot >= 0)
    staging_.drop(f.slot);
}

void context::upload(void *target, const void *source, int64_t bytes) {
  if (bytes <= 0 || !call_.is_well())
    return;
  // A graph has what the host computes as it was at the capture, either way.
  if (bytes <= CAMEO_LAUNCH_UPLOAD_BYTES)
    return upload_with_launch(target, source, bytes);
  const int32_t slot = staging_.take(bytes);
  if (slot < 0)
    return;
  __builtin_memcpy(staging_.at(slot), source, static_cast<size_t>(bytes));
  ++counters.host_copies;
  counters.host_copy_bytes += bytes;
  send_slot(slot, target, bytes, compute.stream());
}

/// A graph would have the argument of its capture; a copy of an input reads memory each time.
bool context::goes_with_launch(int64_t bytes) const {
  return bytes <= CAMEO_LAUNCH_UPLOAD_BYTES && call_.is_running();
}

void context::upload_with_launch(void *target, const void *source, int64_t bytes) {
  ++counters.launch_uploads;
  launch_upload(compute, target, source, bytes);
}

/// Enqueues a copy to the device.
bool context::send(void *target, const void *source, int64_t bytes, api::stream stream) {
  ++counters.h2d;
  counters.h2d_bytes += bytes;
  return call_.is_rehearsing() ||
         call_.check(api::copy_to_device(target, source, static_cast<size_t>(bytes), stream));
}

/// Copies a slot to the device. A captured copy reads it each time, so nobody else may have it.
bool context::send_slot(int32_t slot, void *target, int64_t bytes, api::stream stream) {
  if (!send(target, staging_.at(slot), bytes, stream))
    return false;
  if (call_.is_rehearsing())
    staging_.hold(slot);
  else if (call_.is_capturing())
    staging_.keep(slot);
  else if (staging_.record(slot, stream))
    staging_.fly(slot);
  else
    return false;
  return true;
}

void context::fetch_extents(const int64_t *source, const counted_extent *which, int32_t count) {
  const fetched copy = fetch(source, count * static_cast<int64_t>(sizeof(int64_t)));
  run_.extents.begin(copy, source, which, count);
}

} // namespace cameo::cuda
