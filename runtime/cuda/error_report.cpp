// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/error_report.h.
#include "cameo/cuda/error_report.h"

#include "device_state.h"

namespace cameo::cuda {

fault_slot as_fault(const error_slot &slot) {
  fault_slot fault;
  fault.code = slot.code;
  fault.fault_node = slot.node;
  fault.fault_step = slot.kernel;
  fault.got = slot.got;
  fault.limit = slot.limit;
  return fault;
}

bool error_report::open(device_memory &memory) {
  error_slot *&slot = memory.call().device().slot;
  if (!memory.call().check(api::create_event(&event_)))
    return false;
  fetched_ = static_cast<error_slot *>(memory.allocate_pinned(sizeof(error_slot)));
  slot = static_cast<error_slot *>(memory.allocate(sizeof(error_slot)));
  dirty_ = true;
  return fetched_ && slot;
}

void error_report::close(device_memory &memory) {
  memory.release(memory.call().device().slot, sizeof(error_slot));
  memory.release_pinned(fetched_, sizeof(error_slot));
  if (event_)
    api::destroy_event(event_);
}

bool error_report::clear(call_state &call, api::stream stream) {
  if (dirty_)
    dirty_ = !capture_clear(call, stream);
  return !dirty_;
}

bool error_report::start(stream_order &order) {
  call_state &call = order.call();
  if (!started_)
    started_ = order.behind_run() && send(call, order.transfers()) &&
               call.check(api::record(event_, order.transfers()));
  return started_;
}

bool error_report::capture_clear(call_state &call, api::stream stream) {
  return call.check(api::fill(call.device().slot, 0, sizeof(error_slot), stream));
}

bool error_report::capture_fetch(call_state &call, api::stream stream) {
  dirty_ = true;
  return send(call, stream);
}

bool error_report::send(call_state &call, api::stream stream) {
  return call.check(api::copy_to_host(fetched_, call.device().slot, sizeof(error_slot), stream));
}

void error_report::expect_launch(bool tells_launch) {
  *fetched_ = {};
  if (tells_launch)
    fetched_->code = CAMEO_NOT_READY;
}

fault_slot error_report::fault() const { return as_fault(*fetched_); }

} // namespace cameo::cuda
