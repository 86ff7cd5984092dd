// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each kernel of a run takes, moves and computes. Kernels tell it themselves where everything
// is built with CAMEO_PROFILE (cameo/config.h); elsewhere there are no rows.
#pragma once

#include <cstdint>
#include <vector>

namespace profile {

/// A kernel function of the generated code, over all its calls in a run.
struct row {
  const char *kernel;
  int64_t calls, bytes, operations;
  int64_t nanoseconds; ///< in the run where it took least
};

void begin_run();
void end_run();
/// In the order of their first calls.
std::vector<row> rows();

} // namespace profile
