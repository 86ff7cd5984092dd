// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each kernel of a run takes, moves and computes. Kernels tell it themselves where everything
// is built with CAMEO_PROFILE (cameo/config.h); elsewhere there are no rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cameo/config.h"

namespace profile {

/// A kernel function of the generated code, over all its calls in a run.
struct row {
  const char *kernel;
  int64_t calls, bytes, operations;
  int64_t nanoseconds; ///< in the run where it took least
};

/// A call of a kernel in the fastest run.
struct call {
  std::size_t row; ///< in `rows()`
  int64_t start, nanoseconds, bytes, operations;
};

/// Calls of one run; behind the last, the calls of the fastest one.
struct calls {
  std::vector<call> all;
  int64_t left_out;    ///< calls behind the first million
  int64_t nanoseconds; ///< of the run
};

/// Whether a profile slows the run, by events around each kernel: then it is no run whose own time
/// is told.
#if CAMEO_PROFILE && CAMEO_DRIVER_DEVICE_MEMORY
constexpr bool slows = true;
#else
constexpr bool slows = false;
#endif

/// Kernels of the run go to `stream` where there is a device, null for its default one. Others
/// outside of a run are not told of.
void begin_run(void *stream);
/// The run has ended and took so long.
void end_run(int64_t nanoseconds);
/// In the order of their first calls.
std::vector<row> rows();
const calls &fastest_run();

} // namespace profile
