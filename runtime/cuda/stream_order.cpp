// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/stream_order.h. A rehearsal enqueues nothing, and so orders nothing.
#include "cameo/cuda/stream_order.h"

namespace cameo::cuda {

api::error stream_order::query(api::event event) {
  const api::error e = api::query(event);
  if (e == api::not_ready && api::peek_error() == api::not_ready)
    api::take_error();
  return e;
}

bool stream_order::open() {
  return call_.check(api::create_stream(&transfers_)) && call_.check(api::create_event(&order_)) &&
         call_.check(api::create_event(&end_));
}

void stream_order::close() {
  for (const api::event e : {order_, end_})
    if (e)
      api::destroy_event(e);
  if (transfers_)
    api::destroy_stream(transfers_);
}

bool stream_order::begin_run(api::stream caller) {
  if (!call_.check(api::wait_for(caller, end_)))
    return false;
  caller_ = caller;
  running_ = true;
  return true;
}

void stream_order::begin_pass() { uploads_pending_ = beside_ = uploads_ordered_ = false; }

api::error stream_order::drain() {
  const api::error e = running_ ? api::wait(caller_) : api::wait(end_);
  const api::error f = api::wait(transfers_);
  return e != api::success ? e : f;
}

bool stream_order::order(api::stream first, api::stream then) {
  return call_.is_rehearsing() ||
         (call_.check(api::record(order_, first)) && call_.check(api::wait_for(then, order_)));
}

bool stream_order::fork(api::stream compute) {
  beside_ = true;
  return order(compute, transfers_);
}

void stream_order::join(api::stream compute) {
  order(transfers_, compute);
  uploads_pending_ = beside_ = false;
}

void stream_order::join_uploads(api::stream compute) {
  if (uploads_pending_)
    join(compute);
}

void stream_order::join_all(api::stream compute) {
  if (beside_)
    join(compute);
}

bool stream_order::before_uploads(api::stream compute) {
  if (!uploads_ordered_ && call_.is_running())
    uploads_ordered_ = behind_run();
  else if (!uploads_ordered_) // behind all that is captured before, the run before included
    uploads_ordered_ = order(compute, transfers_);
  return uploads_ordered_;
}

} // namespace cameo::cuda
