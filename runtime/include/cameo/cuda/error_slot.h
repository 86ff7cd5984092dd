// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel says that a value was wrong (an index out of range, a K larger than its row). The
// slot lives in device memory, is reset at the start of a run and copied back with the end of it:
// no kernel makes the host wait. Which of several errors is kept does not depend on the order of
// threads and is the same as on the CPU (fault.h): that of the earliest kernel, and within one
// kernel the smallest (code, got, limit).
#pragma once

#include <cstdint>

namespace cameo::cuda {

/// Device memory, one per context; all zero while nothing is wrong.
struct error_slot {
  uint32_t lock;
  int32_t code;
  uint32_t kernel; ///< ordinal of the access scope in its run, from 1
  int32_t node;
  int64_t got, limit;
};

/// The part of an error slot that functors carry.
struct error_flag {
  error_slot *slot = nullptr;
  uint32_t kernel = 0;
  int32_t node = -1;
  const bool *mask = nullptr; ///< device memory; where it is false, nothing is raised
};

} // namespace cameo::cuda
