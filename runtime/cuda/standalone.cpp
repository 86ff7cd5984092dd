// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/standalone.h.
#include "cameo/cuda/standalone.h"

#include "device_state.h"

namespace cameo::cuda {

standalone::standalone() {
  cudaStream_t stream = nullptr;
  void *slot = nullptr;
  if (probe_kernels() == cudaSuccess &&
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
      cudaMalloc(&slot, sizeof(error_slot)) == cudaSuccess)
    state_.slot = static_cast<error_slot *>(slot);
  exec_ = exec(stream, &state_, &scratch_);
  if (state_.slot)
    reset();
  else
    cudaGetLastError();
}

standalone::~standalone() {
  if (stream()) {
    cudaStreamSynchronize(stream());
    cudaStreamDestroy(stream());
  }
  scratch_.release();
  cudaFree(state_.slot);
}

status standalone::raised() {
  cudaError_t e = state_.error;
  const cudaError_t end = cudaStreamSynchronize(stream());
  if (e == cudaSuccess)
    e = end;
  error_slot slot{};
  if (e == cudaSuccess)
    e = cudaMemcpy(&slot, state_.slot, sizeof(slot), cudaMemcpyDeviceToHost);
  if (e != cudaSuccess) {
    cudaGetLastError();
    return error_cuda(e, state_.node);
  }
  return slot.code == CAMEO_OK ? success() : error_value(as_fault(slot));
}

void standalone::reset() {
  cudaMemsetAsync(state_.slot, 0, sizeof(error_slot), stream());
  state_.error = cudaSuccess;
  state_.kernels = 0;
}

} // namespace cameo::cuda
