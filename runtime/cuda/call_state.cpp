// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/call_state.h.
#include "cameo/cuda/call_state.h"

#include "cameo/cuda/errors.h"

namespace cameo::cuda {

void call_state::fail(const status &error) {
  if (ok(error_))
    error_ = error;
}

bool call_state::check(const status &result) {
  if (ok(result))
    return true;
  fail(result);
  return false;
}

bool call_state::check(api::error error) {
  if (error == api::success)
    return true;
  api::take_error();          // ours, and reported: not for the caller to find
  disordered_ = is_running(); // else nothing has run
  const status s = error_cuda(error, api::is_lost(error) ? suspect_ : device_.node);
  if (api::is_lost(error) && ok(lost_))
    lost_ = s;
  fail(s);
  return false;
}

status call_state::first_error() {
  if (is_rehearsing() && device_.error == api::capture_unsupported) // of scratch memory
    fail(error_capture_memory());
  else if (device_.error != api::success)
    check(device_.error);
  if (!ok(lost_))
    return lost_;
  return ok(error_) ? host_.ready() : error_;
}

bool call_state::is_well() { return ok(first_error()); }

bool call_state::may(const status &error_of_capture) {
  return is_running() || check(error_of_capture);
}

bool call_state::may_allocate() { return may(error_capture_memory()); }

} // namespace cameo::cuda
