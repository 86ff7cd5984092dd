// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of calls.txt, for a program that is linked with --wrap=NAME for each: a call of
// NAME comes here, __real_NAME is the runtime API's own. Each calls that and counts what succeeded,
// by the rules of the emulator's counters, which must agree where there is an emulator.
#include "calls.h"

#if CAMEO_DRIVER_CALLS

#include <cuda_runtime_api.h>

#include <vector>

namespace witness::calls {
namespace {

struct piece {
  const unsigned char *first;
  size_t bytes;
};

counts seen;
std::vector<piece> outputs;

bool is_output(const void *memory, size_t bytes) {
  const auto *first = static_cast<const unsigned char *>(memory);
  for (const piece &p : outputs)
    if (first >= p.first && first + bytes <= p.first + p.bytes)
      return true;
  return false;
}

cudaMemoryType type_of(const void *memory) {
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess)
    return cudaMemoryTypeUnregistered;
  return attributes.type;
}

bool on_device(cudaMemoryType type) {
  return type == cudaMemoryTypeDevice || type == cudaMemoryTypeManaged;
}

void count_copy(const void *target, const void *source, size_t bytes, bool waits) {
  if (bytes == 0)
    return;
  const cudaMemoryType to = type_of(target);
  const bool to_device = on_device(to), from_device = on_device(type_of(source));
  if (to_device && from_device) {
    ++seen.d2d;
  } else if (to_device) {
    ++seen.h2d;
    seen.h2d_bytes += static_cast<int64_t>(bytes);
  } else if (from_device && is_output(target, bytes)) {
    ++seen.d2h_outputs;
  } else if (from_device) {
    ++seen.d2h;
    seen.d2h_bytes += static_cast<int64_t>(bytes);
  }
  if (waits || to == cudaMemoryTypeUnregistered) // the driver stages a copy into pageable memory
    ++seen.blocking_syncs;
}

/// Counts a call that succeeded and did something.
cudaError_t counted(cudaError_t error, bool did, int64_t counts::*first,
                    int64_t counts::*second = nullptr) {
  if (error != cudaSuccess || !did)
    return error;
  ++(seen.*first);
  if (second)
    ++(seen.*second);
  return error;
}

} // namespace

bool counted() { return true; }
counts total() { return seen; }
void add_output(const void *memory, size_t bytes) {
  outputs.push_back({static_cast<const unsigned char *>(memory), bytes});
}
void clear_outputs() { outputs.clear(); }

} // namespace witness::calls

using namespace witness;
using namespace witness::calls;

extern "C" {

/// Declares what the linker defines, opens what it looks for.
#define CAMEO_CALL(name, parameters)                                                               \
  cudaError_t __real_##name parameters;                                                            \
  cudaError_t __wrap_##name parameters

CAMEO_CALL(cudaMalloc, (void **memory, size_t bytes)) {
  return counted(__real_cudaMalloc(memory, bytes), bytes > 0, &counts::device_allocs,
                 &counts::implicit_syncs);
}
CAMEO_CALL(cudaMallocAsync, (void **memory, size_t bytes, cudaStream_t stream)) {
  return counted(__real_cudaMallocAsync(memory, bytes, stream), bytes > 0, &counts::device_allocs);
}
CAMEO_CALL(cudaMallocManaged, (void **memory, size_t bytes, unsigned int flags)) {
  return counted(__real_cudaMallocManaged(memory, bytes, flags), bytes > 0,
                 &counts::implicit_syncs);
}
CAMEO_CALL(cudaMallocHost, (void **memory, size_t bytes)) {
  return counted(__real_cudaMallocHost(memory, bytes), bytes > 0, &counts::implicit_syncs);
}
CAMEO_CALL(cudaHostAlloc, (void **memory, size_t bytes, unsigned int flags)) {
  return counted(__real_cudaHostAlloc(memory, bytes, flags), bytes > 0, &counts::implicit_syncs);
}
CAMEO_CALL(cudaFree, (void *memory)) {
  return counted(__real_cudaFree(memory), memory != nullptr, &counts::implicit_syncs);
}
CAMEO_CALL(cudaFreeHost, (void *memory)) {
  return counted(__real_cudaFreeHost(memory), memory != nullptr, &counts::implicit_syncs);
}

CAMEO_CALL(cudaMemcpy, (void *target, const void *source, size_t bytes, cudaMemcpyKind kind)) {
  const cudaError_t error = __real_cudaMemcpy(target, source, bytes, kind);
  if (error == cudaSuccess)
    count_copy(target, source, bytes, true);
  return error;
}
CAMEO_CALL(cudaMemcpyAsync, (void *target, const void *source, size_t bytes, cudaMemcpyKind kind,
                             cudaStream_t stream)) {
  const cudaError_t error = __real_cudaMemcpyAsync(target, source, bytes, kind, stream);
  if (error == cudaSuccess)
    count_copy(target, source, bytes, false);
  return error;
}

CAMEO_CALL(cudaStreamSynchronize, (cudaStream_t stream)) {
  return counted(__real_cudaStreamSynchronize(stream), true, &counts::blocking_syncs);
}
CAMEO_CALL(cudaEventSynchronize, (cudaEvent_t event)) {
  return counted(__real_cudaEventSynchronize(event), true, &counts::blocking_syncs);
}
CAMEO_CALL(cudaDeviceSynchronize, (void)) {
  return counted(__real_cudaDeviceSynchronize(), true, &counts::blocking_syncs);
}

#if defined(CAMEO_CUDA_EMULATED)
// The emulator has its own way to launch: nothing to see here.
#else
CAMEO_CALL(cudaLaunchKernel, (const void *kernel, dim3 grid, dim3 block, void **arguments,
                              size_t shared_bytes, cudaStream_t stream)) {
  return counted(__real_cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream),
                 true, &counts::launches);
}
CAMEO_CALL(cudaLaunchCooperativeKernel,
           (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
            cudaStream_t stream)) {
  return counted(
      __real_cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared_bytes, stream),
      true, &counts::launches);
}
#endif

#undef CAMEO_CALL

} // extern "C"

#else

namespace witness::calls {

bool counted() { return false; }
counts total() { return {}; }
void add_output(const void *, size_t) {}
void clear_outputs() {}

} // namespace witness::calls

#endif
