// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error slot of a run on the host: where kernels and their functors report a bad value. Raising
// never stops a kernel: the access is suppressed and the run goes on; the status comes out at the
// end. Which of several errors is kept does not depend on thread timing: that of the earliest
// kernel, and within one kernel the smallest (code, got, limit).
#pragma once

#include "cameo/abi.h"
#include "cameo/config.h"

namespace cameo {

/// Written by raise() only, except node and step, which the run sets between kernels.
struct fault_slot {
  uint32_t lock = 0;
  int32_t code = CAMEO_OK;
  int32_t node = -1; ///< node of the kernel now running
  int32_t fault_node = -1;
  int64_t step = 0; ///< ordinal of the kernel now running
  int64_t fault_step = 0;
  int64_t got = 0, limit = 0;
};

namespace cpu {

/// Carried by functors that can fail.
struct error_flag {
  fault_slot *slot;
};

/// Records an error; thread safe; `got` and `limit` are the offending value and the bound it broke.
void raise(error_flag flag, cameo_code code, int64_t got, int64_t limit);

} // namespace cpu
} // namespace cameo
