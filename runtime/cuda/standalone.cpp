// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/standalone.h.
#include "cameo/cuda/standalone.h"

#include "device_state.h"

namespace cameo::cuda {

standalone::standalone() {
  api::stream stream = nullptr;
  void *slot = nullptr;
  if (probe_kernels() == api::success && api::create_stream(&stream) == api::success &&
      api::allocate(&slot, sizeof(error_slot)) == api::success)
    state_.slot = static_cast<error_slot *>(slot);
  exec_ = exec(stream, &state_, &scratch_);
  if (state_.slot)
    reset();
  else
    api::take_error();
}

standalone::~standalone() {
  if (stream()) {
    api::wait(stream());
    api::destroy_stream(stream());
  }
  scratch_.release();
  api::release(state_.slot);
}

status standalone::raised() {
  api::error e = state_.error;
  const api::error end = api::wait(stream());
  if (e == api::success)
    e = end;
  error_slot slot{};
  if (e == api::success)
    e = api::copy_to_host(&slot, state_.slot, sizeof(slot));
  if (e != api::success) {
    api::take_error();
    return error_cuda(e, state_.node);
  }
  return slot.code == CAMEO_OK ? success() : error_value(as_fault(slot));
}

void standalone::reset() {
  api::fill(state_.slot, 0, sizeof(error_slot), stream());
  state_.error = api::success;
  state_.kernels = 0;
}

} // namespace cameo::cuda
