// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights on the device: found and verified as on the CPU, then uploaded once through two pinned
// buffers, so that a file of any size needs little pinned memory and the copy overlaps its staging.
#include "device_state.h"

#include <new>

namespace cameo::cuda {
namespace {

constexpr size_t staging_bytes = size_t{4} << 20;

struct stager {
  void *memory[2] = {};
  cudaEvent_t event[2] = {};
  cudaStream_t stream = nullptr;

  ~stager() {
    if (stream)
      cudaStreamDestroy(stream);
    for (int i = 0; i < 2; ++i) {
      if (event[i])
        cudaEventDestroy(event[i]);
      if (memory[i])
        cudaFreeHost(memory[i]);
    }
  }

  cudaError_t open(size_t bytes) {
    cudaError_t e = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int i = 0; i < 2 && e == cudaSuccess; ++i) {
      e = cudaMallocHost(&memory[i], bytes);
      if (e == cudaSuccess)
        e = cudaEventCreateWithFlags(&event[i], cudaEventDisableTiming);
    }
    return e;
  }

  cudaError_t copy(unsigned char *target, const unsigned char *source, size_t bytes) {
    cudaError_t e = cudaSuccess;
    int i = 0;
    for (size_t at = 0; at < bytes && e == cudaSuccess; i ^= 1) {
      const size_t piece = bytes - at < staging_bytes ? bytes - at : staging_bytes;
      e = cudaEventSynchronize(event[i]); // of two pieces before; at once the first time
      if (e != cudaSuccess)
        break;
      __builtin_memcpy(memory[i], source + at, piece);
      e = cudaMemcpyAsync(target + at, memory[i], piece, cudaMemcpyHostToDevice, stream);
      if (e == cudaSuccess)
        e = cudaEventRecord(event[i], stream);
      at += piece;
    }
    const cudaError_t end = cudaStreamSynchronize(stream);
    return e != cudaSuccess ? e : end;
  }
};

status upload(device_weights &w) {
  if (w.bytes == 0)
    return success();
  cudaError_t e = cudaSuccess;
  w.device = static_cast<unsigned char *>(
      device_allocate(w.user_memory ? &w.allocator : nullptr, w.bytes, e));
  if (e == cudaErrorMemoryAllocation)
    return error_device_memory(static_cast<int64_t>(w.bytes));
  if (!w.device)
    return is_lost(e) ? error_lost_before(e) : error_cuda(e, -1);
  stager s;
  e = s.open(w.bytes < staging_bytes ? w.bytes : staging_bytes);
  if (e == cudaSuccess)
    e = s.copy(w.device, w.data, w.bytes);
  if (e != cudaSuccess)
    cudaGetLastError();
  return error_cuda(e, -1);
}

} // namespace

status load_weights(const cameo_model &model, const cameo_options &options, bool user_memory,
                    device_weights *&weights) {
  void *memory = host_allocate(options.allocator, sizeof(device_weights));
  if (!memory)
    return error_out_of_memory(sizeof(device_weights));
  auto *w = new (memory) device_weights;
  w->target = &target;
  w->allocator = options.allocator;
  w->ordinal = options.device;
  w->user_memory = user_memory;
  status s = open_weights(model, options, *w);
  if (ok(s))
    s = upload(*w);
  if (ok(s))
    weights = w;
  else
    release_weights(w);
  return s;
}

void release_weights(cameo_weights *base) {
  if (!weights_drop(*base))
    return;
  auto *w = static_cast<device_weights *>(base);
  const device_scope device(w->ordinal);
  device_release(w->user_memory ? &w->allocator : nullptr, w->device, w->bytes);
  close_weights(*w);
  host_release(w->allocator, w, sizeof(device_weights));
}

} // namespace cameo::cuda
