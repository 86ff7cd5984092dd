// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream with what exec needs around it, and device arrays, for tests of kernels. Runs on the
// emulator and, built with nvcc, on a GPU.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cameo/cuda/exec.h"
#include "device.h"

inline void must(cudaError_t error) {
  if (error != cudaSuccess) {
    fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    abort();
  }
}

struct session {
  cudaStream_t stream = nullptr;
  cameo::cuda::exec_state state;
  cameo::cuda::scratch_arena scratch;
  cameo::cuda::exec exec;

  session() {
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    void *slot = nullptr;
    must(cudaMalloc(&slot, sizeof(cameo::cuda::error_slot)));
    must(cudaMemsetAsync(slot, 0, sizeof(cameo::cuda::error_slot), stream));
    state.slot = static_cast<cameo::cuda::error_slot *>(slot);
    exec = cameo::cuda::exec(stream, &state, &scratch);
  }
  ~session() {
    scratch.release();
    cudaFree(state.slot);
    cudaStreamDestroy(stream);
  }
  session(const session &) = delete;
  session &operator=(const session &) = delete;

  /// Waits; the first error of a launch or of the device.
  cudaError_t finish() {
    const cudaError_t error = cudaStreamSynchronize(stream);
    return state.error != cudaSuccess ? state.error : error;
  }
};

/// A device array that is uploaded from and downloaded to a vector, in stream order.
template <class T> class device_array {
public:
  device_array(session &s, size_t count) : session_(s), count_(count) {
    must(cudaMalloc(reinterpret_cast<void **>(&data), bytes()));
  }
  device_array(session &s, const std::vector<T> &values) : device_array(s, values.size()) {
    must(cudaMemcpyAsync(data, values.data(), bytes(), cudaMemcpyHostToDevice, s.stream));
  }
  ~device_array() { cudaFree(data); }
  device_array(const device_array &) = delete;
  device_array &operator=(const device_array &) = delete;

  std::vector<T> values() const {
    std::vector<T> result(count_);
    must(cudaMemcpyAsync(result.data(), data, bytes(), cudaMemcpyDeviceToHost, session_.stream));
    must(cudaStreamSynchronize(session_.stream));
    return result;
  }
  size_t bytes() const { return count_ * sizeof(T); }
  cameo::cuda::access reads() const {
    return cameo::cuda::read(data, static_cast<int64_t>(bytes()));
  }
  cameo::cuda::access writes() const {
    return cameo::cuda::write(data, static_cast<int64_t>(bytes()));
  }

  T *data = nullptr;

private:
  session &session_;
  size_t count_;
};
