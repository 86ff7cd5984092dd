// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime API on memory: allocation, copies, fills. Stricter than the real one where that is
// silent: a copy whose direction is not that of its pointers, or that leaves its allocations, is
// reported at the call. Copies from pageable memory take its bytes at the call; copies into it make
// the host wait, as the driver does.
#include <cstring>
#include <memory>

#include "capture.h"
#include "memory.h"
#include "settings.h"
#include "stream.h"

using namespace cameo::emu;

namespace {

cudaError_t allocate_in_order(void **result, memory_kind kind, size_t bytes) {
  if (result == nullptr)
    return cudaErrorInvalidValue;
  *result = nullptr;
  if (bytes == 0)
    return cudaSuccess;
  const allocation *a = allocate(kind, bytes, current_device());
  if (a == nullptr)
    return cudaErrorMemoryAllocation;
  *result = a->user;
  return cudaSuccess;
}

cudaError_t allocate_now(void **result, memory_kind kind, size_t bytes) {
  cudaError_t error = unsafe_call();
  if (error == cudaSuccess)
    error = allocate_in_order(result, kind, bytes);
  if (error == cudaSuccess && bytes > 0)
    ++counters.implicit_syncs;
  return error;
}

/// Every call that makes the host wait for all devices does this.
void wait_for_everything() {
  run_everything();
  host_waited_for_everything();
}

cudaError_t free_now(void *pointer, bool device_memory) {
  if (pointer == nullptr)
    return cudaSuccess;
  allocation *a = find_start(pointer);
  if (a == nullptr || (a->kind == memory_kind::pinned) == device_memory)
    fail("%s(%p), which is %s", device_memory ? "cudaFree" : "cudaFreeHost", pointer,
         describe(pointer).c_str());
  const cudaError_t error = unsafe_call();
  if (error != cudaSuccess)
    return error;
  ++counters.implicit_syncs;
  wait_for_everything();
  check_guards(device_memory ? "something before cudaFree" : "something before cudaFreeHost");
  release(*a);
  return lost_device;
}

bool is_device_memory(const void *pointer) {
  const allocation *a = find_allocation(pointer);
  return in_device_range(pointer) || (a != nullptr && a->kind == memory_kind::managed);
}

bool is_pageable(const void *pointer) { return find_allocation(pointer) == nullptr; }

const char *const kind_names[] = {"host to host", "host to device", "device to host",
                                  "device to device", "default"};

cudaMemcpyKind direction(const void *target, const void *source, cudaMemcpyKind asked) {
  const bool to_device = is_device_memory(target), from_device = is_device_memory(source);
  const cudaMemcpyKind real = to_device
                                  ? from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
                              : from_device ? cudaMemcpyDeviceToHost
                                            : cudaMemcpyHostToHost;
  if (asked != cudaMemcpyDefault && asked != real)
    fail("wrong copy direction: asked for %s, but the target is %s and the source is %s",
         kind_names[asked], describe(target).c_str(), describe(source).c_str());
  return real;
}

void count_copy(cudaMemcpyKind kind, const void *target, size_t bytes) {
  const auto n = static_cast<int64_t>(bytes);
  switch (kind) {
  case cudaMemcpyHostToDevice:
    ++counters.h2d;
    counters.h2d_bytes += n;
    break;
  case cudaMemcpyDeviceToHost:
    if (is_output(target, bytes)) {
      ++counters.d2h_outputs;
      counters.d2h_output_bytes += n;
    } else {
      ++counters.d2h;
      counters.d2h_bytes += n;
    }
    break;
  case cudaMemcpyDeviceToDevice:
    ++counters.d2d;
    counters.d2d_bytes += n;
    break;
  default:
    break;
  }
}

/// Whether a copy may be queued now. A captured one must not need memory that the driver would have
/// to stage: the real API lets some of that pass, and the copy then reads at each launch what may
/// long be gone.
cudaError_t may_copy(const CUstream_st &stream, bool pageable, bool host_waits) {
  const cudaError_t error = use_stream(stream);
  if (error != cudaSuccess)
    return error;
  if (stream.capturing != nullptr && (pageable || host_waits))
    return wait_for_stream(stream);
  return host_waits ? unsafe_call() : cudaSuccess;
}

cudaError_t copy(void *target, const void *source, size_t bytes, cudaMemcpyKind asked,
                 cudaStream_t handle, bool host_waits) {
  CUstream_st *stream = find_stream(handle);
  if (stream == nullptr)
    return cudaErrorInvalidResourceHandle;
  if (asked < cudaMemcpyHostToHost || asked > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes == 0)
    return cudaSuccess;
  const cudaMemcpyKind kind = direction(target, source, asked);
  const bool pageable = is_pageable(target) || is_pageable(source);
  const cudaError_t error = may_copy(*stream, pageable, host_waits || is_pageable(target));
  if (error != cudaSuccess)
    return error;

  operation op;
  op.type = cudaGraphNodeTypeMemcpy;
  op.issued = [=] { count_copy(kind, target, bytes); };
  op.name = std::string("copy ") + kind_names[kind];
  if (!is_pageable(target)) {
    check_device_visible(op.name + " into", target, bytes);
    op.ranges.push_back({target, bytes, true});
  } else {
    host_waits = true;
  }
  if (!is_pageable(source)) {
    check_device_visible(op.name + " from", source, bytes);
    op.ranges.push_back({source, bytes, false});
  }

  if (is_pageable(source) && !host_waits) {
    const auto *first = static_cast<const unsigned char *>(source);
    auto snapshot = std::make_shared<std::vector<unsigned char>>(first, first + bytes);
    op.run = [=] {
      const host_window open(target, bytes);
      memcpy(target, snapshot->data(), bytes);
    };
  } else {
    op.run = [=] {
      const host_window open_target(target, bytes), open_source(source, bytes);
      memmove(target, source, bytes);
    };
  }
  if (!is_device_memory(source))
    op.pinned.push_back({source, bytes, false});
  if (!is_device_memory(target))
    op.pinned.push_back({target, bytes, true});
  uint64_t number = 0;
  submit(*stream, std::move(op), &number); // may_copy has asked
  if (host_waits) {
    ++counters.blocking_copies;
    run_until(number);
    host_waited_for(stream->clock);
  }
  return lost_device;
}

cudaError_t fill(void *target, int value, size_t bytes, cudaStream_t handle) {
  CUstream_st *stream = find_stream(handle);
  if (stream == nullptr)
    return cudaErrorInvalidResourceHandle;
  if (bytes == 0)
    return cudaSuccess;
  check_device_visible("memset of", target, bytes);
  operation op;
  op.name = "memset";
  op.type = cudaGraphNodeTypeMemset;
  op.issued = [] { ++counters.memsets; };
  op.ranges.push_back({target, bytes, true});
  op.run = [=] { memset(target, value, bytes); };
  return submit(*stream, std::move(op));
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void **devPtr, size_t size) {
  CAMEO_EMU_API(cudaMalloc);
  return call.result(allocate_now(devPtr, memory_kind::device, size));
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream) {
  CAMEO_EMU_API(cudaMallocAsync);
  CUstream_st *stream = find_stream(hStream);
  if (stream == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  cudaError_t error = use_uncaptured(*stream);
  if (error == cudaSuccess)
    error = allocate_in_order(devPtr, memory_kind::device, size);
  if (error == cudaSuccess && *devPtr != nullptr) {
    operation op; // only what is ordered after it may use the memory
    op.name = "cudaMallocAsync";
    op.ranges.push_back({*devPtr, size, true});
    enqueue(*stream, std::move(op));
  }
  return call.result(error);
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags) {
  CAMEO_EMU_API(cudaMallocManaged);
  if (flags != cudaMemAttachGlobal)
    return call.result(cudaErrorNotSupported);
  return call.result(allocate_now(devPtr, memory_kind::managed, size));
}

cudaError_t cudaFree(void *devPtr) {
  CAMEO_EMU_API(cudaFree);
  return call.result(free_now(devPtr, true));
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream) {
  CAMEO_EMU_API(cudaFreeAsync);
  CUstream_st *stream = find_stream(hStream);
  if (stream == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  if (devPtr == nullptr)
    return cudaSuccess;
  const cudaError_t error = use_uncaptured(*stream);
  if (error != cudaSuccess)
    return call.result(error);
  allocation *a = find_start(devPtr);
  if (a == nullptr || a->kind != memory_kind::device)
    fail("cudaFreeAsync(%p), which is %s", devPtr, describe(devPtr).c_str());
  operation op;
  op.name = "cudaFreeAsync";
  op.ranges.push_back({devPtr, a->bytes, true});
  op.run = [a] {
    check_guards("something before cudaFreeAsync");
    release(*a);
  };
  enqueue(*stream, std::move(op));
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void **ptr, size_t size) {
  CAMEO_EMU_API(cudaMallocHost);
  return call.result(allocate_now(ptr, memory_kind::pinned, size));
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags) {
  CAMEO_EMU_API(cudaHostAlloc);
  (void)flags; // portability and mapping: all pinned memory is alike here
  return call.result(allocate_now(pHost, memory_kind::pinned, size));
}

cudaError_t cudaFreeHost(void *ptr) {
  CAMEO_EMU_API(cudaFreeHost);
  return call.result(free_now(ptr, false));
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr) {
  CAMEO_EMU_API(cudaPointerGetAttributes);
  if (attributes == nullptr)
    return call.result(cudaErrorInvalidValue);
  const allocation *a = find_allocation(ptr);
  const bool inside = a != nullptr && a->live && ptr >= a->user && ptr < a->user + a->bytes;
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  attributes->device = -2; // what the driver says of memory it does not know
  if (inside) {
    void *pointer = const_cast<void *>(ptr);
    attributes->type = a->kind == memory_kind::device   ? cudaMemoryTypeDevice
                       : a->kind == memory_kind::pinned ? cudaMemoryTypeHost
                                                        : cudaMemoryTypeManaged;
    attributes->device = a->device;
    attributes->devicePointer = pointer;
    attributes->hostPointer = a->kind == memory_kind::device ? nullptr : pointer;
  } else {
    attributes->hostPointer = in_device_range(ptr) ? nullptr : const_cast<void *>(ptr);
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
  CAMEO_EMU_API(cudaMemcpy);
  return call.result(copy(dst, src, count, kind, nullptr, true));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  CAMEO_EMU_API(cudaMemcpyAsync);
  return call.result(copy(dst, src, count, kind, stream, false));
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count) {
  CAMEO_EMU_API(cudaMemset);
  return call.result(fill(devPtr, value, count, nullptr));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream) {
  CAMEO_EMU_API(cudaMemsetAsync);
  return call.result(fill(devPtr, value, count, stream));
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  CAMEO_EMU_API(cudaMemGetInfo);
  *total = settings().device_bytes;
  *free = *total - live_device_bytes(current_device());
  return cudaSuccess;
}

} // extern "C"
