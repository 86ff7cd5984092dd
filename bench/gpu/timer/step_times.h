// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of each step of a run on the device, by events around what its kernel function launches.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

/// Microseconds by the names of kernel functions, all their calls in a run together, in the order
/// of the first ones: the least of some runs. `run` enqueues one on the stream.
std::vector<std::pair<std::string, double>> time_steps(cudaStream_t stream,
                                                       const std::function<void()> &run);
