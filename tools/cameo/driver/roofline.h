// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the machine can do at most, measured with the flags that the kernels are built with.
#pragma once

#include <cstdint>
#include <vector>

namespace roofline {

/// As many as a context with threads = 0 has threads.
int cores();

/// The operations a second of float32 multiply-adds in registers, an FMA counted as two, of all
/// threads together.
double measure_operations(int threads);

/// How fast memory is for what fits into `bytes`: the last level has all that is larger.
struct level {
  const char *name;
  int64_t bytes;
  double bytes_per_second; ///< read and written in equal parts, of all threads together
};
std::vector<level> measure_memory(int threads);

} // namespace roofline
