// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of CUDA that end the program where they fail, and what takes how long between two events.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <cuda_runtime_api.h>

[[noreturn]] inline void fail(const std::string &what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}
inline void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    fail(std::string(what) + ": " + cudaGetErrorString(error));
}
#define CHECK(call) check(call, #call)

/// Milliseconds on the device for what `work` enqueues on the stream.
template <class WORK> double time_once(cudaStream_t stream, const WORK &work) {
  cudaEvent_t from, to;
  CHECK(cudaEventCreateWithFlags(&from, cudaEventDefault));
  CHECK(cudaEventCreateWithFlags(&to, cudaEventDefault));
  CHECK(cudaEventRecord(from, stream));
  work();
  CHECK(cudaEventRecord(to, stream));
  CHECK(cudaEventSynchronize(to));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, from, to));
  CHECK(cudaEventDestroy(from));
  CHECK(cudaEventDestroy(to));
  return static_cast<double>(ms);
}
