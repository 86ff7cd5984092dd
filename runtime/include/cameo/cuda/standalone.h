// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cuda::exec without a model, for calling kernel templates directly: in tests, benchmarks, and
// programs that want a kernel and nothing else. Uses the current device.
#pragma once

#include "cameo/cuda/exec.h"
#include "cameo/fault.h"
#include "cameo/status.h"

namespace cameo::cuda {

class standalone {
public:
  standalone();
  ~standalone();
  standalone(const standalone &) = delete;
  standalone &operator=(const standalone &) = delete;

  /// Whether there is a device, and it runs this build's code.
  explicit operator bool() const { return state_.slot != nullptr; }
  exec &compute() { return exec_; }
  api::stream stream() const { return exec_.stream(); }
  /// Waits for everything launched; the first failed launch, failure of the device, or error raised
  /// by a kernel since the last reset().
  status raised();
  void reset();

private:
  exec_state state_;
  scratch_arena scratch_;
  exec exec_;
};

} // namespace cameo::cuda
