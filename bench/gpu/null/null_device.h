// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA runtime that does nothing but log: linked instead of cudart, it shows what a program asks
// of a device, and what asking costs the host. Memory is the host's, copies copy, kernels do not
// run. One device, one thread.
#pragma once

#include <cstdio>

namespace null_device {

/// From now on each call that reaches the device is a line of JSON in `file`; null: none is.
void log_to(std::FILE *file);
std::FILE *log_file();

} // namespace null_device
