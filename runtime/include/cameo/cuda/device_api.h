// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that the device runtime takes of the vendor's API: types, codes, calls. No other file of the
// runtime names the vendor's (tests/policy/device_api.py), so a device of another vendor is another
// file of this name. Each call returns the vendor's code and has the vendor's contract; nothing is
// added but the flags that every call of the runtime has.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace cameo::cuda {

/// A struct, not a namespace: generated code that says `using namespace cameo::cuda` gets one name
/// of it.
struct api {
  // ---- Types -----------------------------------------------------------------------------------

  using error = cudaError_t;
  using stream = cudaStream_t;
  using event = cudaEvent_t;
  using graph = cudaGraph_t;
  using graph_node = cudaGraphNode_t;
  using graph_exec = cudaGraphExec_t;
  using node_params = cudaGraphNodeParams;
  using conditional_handle = cudaGraphConditionalHandle;
  using conditional_kind = cudaGraphConditionalNodeType;
  using capture_status = cudaStreamCaptureStatus;
  using pointer_attributes = cudaPointerAttributes;

  // ---- Codes -----------------------------------------------------------------------------------

  static constexpr error success = cudaSuccess;
  static constexpr error out_of_memory = cudaErrorMemoryAllocation;
  static constexpr error not_ready = cudaErrorNotReady;
  /// A call that a capture does not allow.
  static constexpr error capture_unsupported = cudaErrorStreamCaptureUnsupported;
  /// The default stream was used while a stream that waits for it is being captured.
  static constexpr error capture_implicit = cudaErrorStreamCaptureImplicit;

  static constexpr capture_status not_capturing = cudaStreamCaptureStatusNone;
  static constexpr capture_status capture_invalidated = cudaStreamCaptureStatusInvalidated;
  static constexpr conditional_kind conditional_if = cudaGraphCondTypeIf;
  static constexpr conditional_kind conditional_while = cudaGraphCondTypeWhile;

  /// The driver is missing, or too old for the runtime.
  static bool is_driver_error(error e) {
    return e == cudaErrorInsufficientDriver || e == cudaErrorSystemDriverMismatch;
  }
  /// The device is gone for this process.
  static bool is_lost(error e) {
    switch (e) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
    }
  }
  /// The build has no code for the device.
  static bool is_wrong_arch(error e) {
    return e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidKernelImage ||
           e == cudaErrorInvalidDeviceFunction || e == cudaErrorUnsupportedPtxVersion;
  }
  /// The device cannot run a grid of this shape.
  static bool is_launch_error(error e) {
    return e == cudaErrorInvalidConfiguration || e == cudaErrorLaunchOutOfResources ||
           e == cudaErrorCooperativeLaunchTooLarge;
  }

  // ---- Devices ---------------------------------------------------------------------------------

  static error device_count(int *count) { return cudaGetDeviceCount(count); }
  static error get_device(int *device) { return cudaGetDevice(device); }
  static error set_device(int device) { return cudaSetDevice(device); }
  static error driver_version(int *version) { return cudaDriverGetVersion(version); }
  static error runtime_version(int *version) { return cudaRuntimeGetVersion(version); }
  static error multiprocessors(int *count, int device) {
    return cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device);
  }
  /// The version of the instructions that the device runs.
  static error architecture(int *major, int *minor, int device) {
    const error e = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    const error f = cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device);
    return e != success ? e : f;
  }
  /// The thread's last error; taking it clears it.
  static error take_error() { return cudaGetLastError(); }
  static error peek_error() { return cudaPeekAtLastError(); }

  // ---- Memory ----------------------------------------------------------------------------------

  static error allocate(void **memory, size_t bytes) { return cudaMalloc(memory, bytes); }
  static error release(void *memory) { return cudaFree(memory); }
  static error allocate_pinned(void **memory, size_t bytes) {
    return cudaMallocHost(memory, bytes);
  }
  static error release_pinned(void *memory) { return cudaFreeHost(memory); }
  static error attributes(pointer_attributes *found, const void *memory) {
    return cudaPointerGetAttributes(found, memory);
  }
  static bool is_device(const pointer_attributes &a) { return a.type == cudaMemoryTypeDevice; }
  static bool is_managed(const pointer_attributes &a) { return a.type == cudaMemoryTypeManaged; }
  static bool is_pinned(const pointer_attributes &a) { return a.type == cudaMemoryTypeHost; }

  static error copy_to_device(void *target, const void *source, size_t bytes, stream s) {
    return cudaMemcpyAsync(target, source, bytes, cudaMemcpyHostToDevice, s);
  }
  static error copy_to_host(void *target, const void *source, size_t bytes, stream s) {
    return cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToHost, s);
  }
  /// The same, and waits.
  static error copy_to_host(void *target, const void *source, size_t bytes) {
    return cudaMemcpy(target, source, bytes, cudaMemcpyDeviceToHost);
  }
  static error copy_on_device(void *target, const void *source, size_t bytes, stream s) {
    return cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, s);
  }
  /// Between any two kinds of memory.
  static error copy(void *target, const void *source, size_t bytes, stream s) {
    return cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, s);
  }
  static error fill(void *target, int value, size_t bytes, stream s) {
    return cudaMemsetAsync(target, value, bytes, s);
  }

  // ---- Streams and events ----------------------------------------------------------------------

  /// A stream that the default one does not wait for.
  static error create_stream(stream *s) {
    return cudaStreamCreateWithFlags(s, cudaStreamNonBlocking);
  }
  static error destroy_stream(stream s) { return cudaStreamDestroy(s); }
  static error wait(stream s) { return cudaStreamSynchronize(s); }
  /// Later work of `s` comes behind `e`.
  static error wait_for(stream s, event e) { return cudaStreamWaitEvent(s, e, 0); }

  /// An event that takes no times.
  static error create_event(event *e) {
    return cudaEventCreateWithFlags(e, cudaEventDisableTiming);
  }
  static error destroy_event(event e) { return cudaEventDestroy(e); }
  static error record(event e, stream s) { return cudaEventRecord(e, s); }
  static error wait(event e) { return cudaEventSynchronize(e); }
  static error query(event e) { return cudaEventQuery(e); }

  // ---- Graphs ----------------------------------------------------------------------------------

  static error is_capturing(stream s, capture_status *status) {
    return cudaStreamIsCapturing(s, status);
  }
  /// The graph that `s` is captured into, and its nodes that the next one comes behind; `front` and
  /// `fronts` may both be null.
  static error capture_info(stream s, graph *into, const graph_node **front, size_t *fronts) {
    capture_status status = not_capturing;
    return cudaStreamGetCaptureInfo(s, &status, nullptr, into, front, nullptr, fronts);
  }
  /// The next node of the capture of `s` comes behind `node` alone.
  static error capture_behind(stream s, graph_node *node) {
    return cudaStreamUpdateCaptureDependencies(s, node, nullptr, 1,
                                               cudaStreamSetCaptureDependencies);
  }
  static error begin_capture(stream s, graph into) {
    return cudaStreamBeginCaptureToGraph(s, into, nullptr, nullptr, 0,
                                         cudaStreamCaptureModeThreadLocal);
  }
  static error end_capture(stream s, graph *captured) { return cudaStreamEndCapture(s, captured); }

  static error create_graph(graph *g) { return cudaGraphCreate(g, 0); }
  static error destroy_graph(graph g) { return cudaGraphDestroy(g); }
  static error instantiate(graph_exec *e, graph g) { return cudaGraphInstantiate(e, g, 0); }
  static error launch(graph_exec e, stream s) { return cudaGraphLaunch(e, s); }
  static error destroy_exec(graph_exec e) { return cudaGraphExecDestroy(e); }

  /// A handle whose value kernels set.
  static error create_handle(conditional_handle *handle, graph g) {
    return cudaGraphConditionalHandleCreate(handle, g, 0, 0);
  }
  /// A handle that is `value` at each launch of the graph.
  static error create_handle(conditional_handle *handle, graph g, unsigned value) {
    return cudaGraphConditionalHandleCreate(handle, g, value, cudaGraphCondAssignDefault);
  }
  /// The parameters of a conditional node of `count` bodies.
  static node_params conditional_node(conditional_kind kind, conditional_handle handle, int count) {
    node_params params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.type = kind;
    params.conditional.handle = handle;
    params.conditional.size = static_cast<unsigned>(count);
    return params;
  }
  /// Body `i` of a node that has been added with `params`.
  static graph body(const node_params &params, int i) { return params.conditional.phGraph_out[i]; }
  static error add_node(graph_node *made, graph g, const graph_node *behind, size_t count,
                        node_params *params) {
    return cudaGraphAddNode(made, g, behind, nullptr, count, params);
  }

  // ---- Kernels ---------------------------------------------------------------------------------

#if defined(__CUDACC__)
  static error launch_kernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, stream s) {
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, s);
  }
  /// All blocks of the grid are resident.
  static error launch_cooperative(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                  size_t shared_bytes, stream s) {
    return cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared_bytes, s);
  }
  /// Called by kernels.
  static __device__ void set_conditional(conditional_handle handle, unsigned value) {
    cudaGraphSetConditional(handle, value);
  }
#elif defined(CAMEO_CUDA_EMULATED)
  /// Called by kernels. The emulator launches by itself (exec.h).
  static void set_conditional(conditional_handle handle, unsigned value) {
    cudaGraphSetConditional(handle, value);
  }
#endif
  static error allow_shared(const void *kernel, int bytes) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  }
  /// Fails where the build has no code for the current device.
  static error probe(const void *kernel) {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, kernel);
  }
  static error resident_blocks(int *count, const void *kernel, int threads, size_t shared_bytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(count, kernel, threads, shared_bytes);
  }
};

} // namespace cameo::cuda
