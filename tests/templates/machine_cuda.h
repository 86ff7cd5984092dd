// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// machine.h for CUDA: a stream, its error slot and scratch memory, device arrays. Runs on the
// emulator and, built with nvcc, on a GPU.
#pragma once

#include "cameo/abi.h"
#include "cameo/cuda/exec.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cameo {

namespace target = cuda;

namespace test {

inline void must(cudaError_t error) {
  if (error != cudaSuccess) {
    fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    abort();
  }
}

class machine {
public:
  /// A GPU has no team; the argument is there for the CPU.
  explicit machine(int = 1) {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    void *slot = nullptr;
    must(cudaMalloc(&slot, sizeof(cuda::error_slot)));
    state_.slot = static_cast<cuda::error_slot *>(slot);
    must(cudaMemsetAsync(slot, 0, sizeof(cuda::error_slot), stream_));
    exec_ = cuda::exec(stream_, &state_, &scratch_);
  }
  ~machine() {
    scratch_.release();
    cudaFree(state_.slot);
    cudaStreamDestroy(stream_);
  }
  machine(const machine &) = delete;
  machine &operator=(const machine &) = delete;

  template <class F> void run(F f) {
    {
      cuda::access_scope scope(exec_, "test", {});
      f(exec_);
    }
    must(state_.error);
    must(cudaStreamSynchronize(stream_));
  }

  void *allocate(size_t bytes) {
    void *memory = nullptr;
    must(cudaMalloc(&memory, bytes > 0 ? bytes : 1));
    return memory;
  }
  void release(void *memory) { cudaFree(memory); }
  void upload(void *to, const void *from, size_t bytes) {
    if (bytes > 0)
      must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
  }
  void download(void *to, const void *from, size_t bytes) {
    if (bytes > 0)
      must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    must(cudaStreamSynchronize(stream_));
  }

  /// Kernels so far.
  int64_t launches() const { return state_.launches; }

  int32_t code() { return slot().code; }
  int64_t got() { return slot().got; }
  int64_t limit() { return slot().limit; }

private:
  cuda::error_slot slot() {
    cuda::error_slot copy{};
    download(&copy, state_.slot, sizeof(copy));
    return copy;
  }

  cudaStream_t stream_ = nullptr;
  cuda::exec_state state_;
  cuda::scratch_arena scratch_;
  cuda::exec exec_;
};

inline std::vector<int> team_sizes() { return {1}; }

} // namespace test
} // namespace cameo
