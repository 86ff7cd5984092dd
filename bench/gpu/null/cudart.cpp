// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the CUDA runtime that generated programs call, and those by which nvcc's objects
// register their kernels. Graphs are refused, as by a driver without them.
#include "null_device.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>

namespace {

std::FILE *file = nullptr;

/// The mangled names of kernels, by their host functions. Static objects of other files register.
std::unordered_map<const void *, std::string> &kernel_names() {
  static std::unordered_map<const void *, std::string> names;
  return names;
}

template <class... A> void log(const char *format, A... arguments) {
  if (file != nullptr)
    std::fprintf(file, format, arguments...);
}

cudaError_t allocate(void **memory, size_t bytes) {
  constexpr size_t alignment = 256;
  *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  log("{\"allocate\": %zu, \"at\": %zu}\n", bytes, reinterpret_cast<size_t>(*memory));
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t launch(const void *kernel, const dim3 &grid, const dim3 &block, size_t shared_bytes) {
  if (file != nullptr)
    log("{\"launch\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"shared\": %zu}\n",
        kernel_names()[kernel].c_str(), grid.x, grid.y, grid.z, block.x, block.y, block.z,
        shared_bytes);
  return cudaSuccess;
}

} // namespace

namespace null_device {

void log_to(std::FILE *to) { file = to; }
std::FILE *log_file() { return file; }

} // namespace null_device

extern "C" {

// ---- What nvcc's objects call ----

void **__cudaRegisterFatBinary(void *) {
  static void *handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterFunction(void **, const char *host, char *, const char *name, int, void *,
                            void *, void *, void *, int *) {
  kernel_names()[host] = name;
}
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *) { return 0; }
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *) { return cudaSuccess; }
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void *>(host));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **,
                               size_t shared_bytes, cudaStream_t) {
  return launch(kernel, grid, block, shared_bytes);
}

// ---- The device ----

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
  // Capability 9.0 and as many multiprocessors as an H100 has.
  *value = attribute == cudaDevAttrComputeCapabilityMajor ? 9
           : attribute == cudaDevAttrMultiProcessorCount  ? 132
           : attribute == cudaDevAttrCooperativeLaunch    ? 1
                                                          : 0;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
const char *cudaGetErrorName(cudaError_t) { return "an error of the null device"; }
const char *cudaGetErrorString(cudaError_t) { return "an error of the null device"; }

// ---- Memory ----

cudaError_t cudaMalloc(void **memory, size_t bytes) { return allocate(memory, bytes); }
cudaError_t cudaMallocHost(void **memory, size_t bytes) { return allocate(memory, bytes); }
cudaError_t cudaFree(void *memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void *memory) { return cudaFree(memory); }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  *attributes = {};
  attributes->type = cudaMemoryTypeDevice;
  attributes->devicePointer = const_cast<void *>(pointer);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void *target, const void *source, size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(target, source, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  log("{\"copy\": %zu, \"kind\": %d}\n", bytes, static_cast<int>(kind));
  std::memcpy(target, source, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t) {
  log("{\"set\": %zu}\n", bytes);
  std::memset(memory, value, bytes);
  return cudaSuccess;
}

// ---- Streams, events, graphs ----

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  *stream = static_cast<cudaStream_t>(std::malloc(1));
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  std::free(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  log("{\"%s\": 1}\n", "wait");
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  log("{\"%s\": 1}\n", "order");
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *) { return cudaErrorNotSupported; }
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t, cudaGraph_t, const cudaGraphNode_t *,
                                          const cudaGraphEdgeData *, size_t,
                                          cudaStreamCaptureMode) {
  return cudaErrorNotSupported;
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t *,
                                                const cudaGraphEdgeData *, size_t, unsigned) {
  return cudaErrorNotSupported;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus *, unsigned long long *,
                                     cudaGraph_t *, const cudaGraphNode_t **,
                                     const cudaGraphEdgeData **, size_t *) {
  return cudaErrorNotSupported;
}
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *, cudaGraph_t, unsigned,
                                             unsigned) {
  return cudaErrorNotSupported;
}
cudaError_t cudaGraphCreate(cudaGraph_t *, unsigned) { return cudaErrorNotSupported; }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long) {
  return cudaErrorNotSupported;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return cudaErrorNotSupported; }
cudaError_t cudaGraphAddNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                             const cudaGraphEdgeData *, size_t, cudaGraphNodeParams *) {
  return cudaErrorNotSupported;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  *event = static_cast<cudaEvent_t>(std::malloc(1));
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  std::free(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  log("{\"%s\": 1}\n", "record");
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  log("{\"%s\": 1}\n", "wait");
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }

// ---- Kernels ----

cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *) {
  *attributes = {};
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int, size_t) {
  *blocks = 2;
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **,
                             size_t shared_bytes, cudaStream_t) {
  return launch(kernel, grid, block, shared_bytes);
}
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **,
                                        size_t shared_bytes, cudaStream_t) {
  return launch(kernel, grid, block, shared_bytes);
}
}
