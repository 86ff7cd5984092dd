// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For kernels of a user's operator: an exec on the stream of its call. Kernels that it launches,
// and that use the primitives of device.h, run on the emulator too.
#pragma once

#include "cameo/cuda/device.h"
#include "cameo/cuda/errors.h"
#include "cameo/cuda/exec.h"

namespace cameo::cuda {

/// For one call; has no scratch memory.
class external_exec : public exec {
public:
  explicit external_exec(cameo_call &call)
      : exec(static_cast<cudaStream_t>(call.stream), &state_, &scratch_), call_(call) {
    scratch_.freeze(true);
  }
  external_exec(const external_exec &) = delete;
  external_exec &operator=(const external_exec &) = delete;

  /// The status that the function returns: success, or the first launch that failed.
  status done() {
    call_.launches = static_cast<int32_t>(state_.launches);
    return state_.error == cudaSuccess ? success() : error_cuda(state_.error, -1);
  }

private:
  cameo_call &call_;
  exec_state state_;
  scratch_arena scratch_;
};

} // namespace cameo::cuda
