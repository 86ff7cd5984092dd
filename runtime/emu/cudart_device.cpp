// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime API on devices, kernel attributes and errors. The device has the limits of an sm_90
// data centre part, but for shared memory, which is as its compute capability says; that and how
// many there are can be set (emu.h).
#include <algorithm>
#include <map>
#include <utility>

#include "grid.h"
#include "settings.h"
#include "stream.h"

using namespace cameo::emu;

namespace {

constexpr int emulated_version = 13000;
constexpr int multiprocessors = 132;

/// How much dynamic shared memory each kernel has been allowed, by function and device.
auto &allowed_shared = *new std::map<std::pair<const void *, int>, size_t>; // see stream.cpp

bool has_device(int device) { return device >= 0 && device < settings().devices; }

struct error_text {
  cudaError_t error;
  const char *name, *text;
};

#define CAMEO_EMU_ERROR(error, text)                                                               \
  { error, #error, text }
constexpr error_text error_texts[] = {
    CAMEO_EMU_ERROR(cudaSuccess, "no error"),
    CAMEO_EMU_ERROR(cudaErrorInvalidValue, "invalid argument"),
    CAMEO_EMU_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    CAMEO_EMU_ERROR(cudaErrorInitializationError, "initialization error"),
    CAMEO_EMU_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    CAMEO_EMU_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction"),
    CAMEO_EMU_ERROR(cudaErrorInsufficientDriver, "the driver is too old for this runtime"),
    CAMEO_EMU_ERROR(cudaErrorDevicesUnavailable, "all devices are busy or unavailable"),
    CAMEO_EMU_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    CAMEO_EMU_ERROR(cudaErrorNoDevice, "no device is present"),
    CAMEO_EMU_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    CAMEO_EMU_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image for this device"),
    CAMEO_EMU_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    CAMEO_EMU_ERROR(cudaErrorIllegalState, "the call does not fit the state of its object"),
    CAMEO_EMU_ERROR(cudaErrorNotReady, "not ready"),
    CAMEO_EMU_ERROR(cudaErrorIllegalAddress, "a kernel touched an illegal address"),
    CAMEO_EMU_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    CAMEO_EMU_ERROR(cudaErrorLaunchFailure, "a kernel failed"),
    CAMEO_EMU_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in a cooperative launch"),
    CAMEO_EMU_ERROR(cudaErrorNotSupported, "not supported"),
    CAMEO_EMU_ERROR(cudaErrorStreamCaptureUnsupported, "not permitted while a stream is captured"),
    CAMEO_EMU_ERROR(cudaErrorStreamCaptureInvalidated, "an earlier error has ended the capture"),
    CAMEO_EMU_ERROR(cudaErrorStreamCaptureMerge, "the wait would join two captures"),
    CAMEO_EMU_ERROR(cudaErrorStreamCaptureUnmatched, "the capture began in another stream"),
    CAMEO_EMU_ERROR(cudaErrorStreamCaptureUnjoined,
                    "captured work of another stream is not joined"),
    CAMEO_EMU_ERROR(cudaErrorStreamCaptureIsolation, "a captured wait for what is not captured"),
    CAMEO_EMU_ERROR(cudaErrorStreamCaptureImplicit,
                    "the legacy stream is used while a blocking stream is captured"),
    CAMEO_EMU_ERROR(cudaErrorCapturedEvent, "the event was recorded in a capture"),
    CAMEO_EMU_ERROR(cudaErrorStreamCaptureWrongThread, "the capture began in another thread"),
    CAMEO_EMU_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef CAMEO_EMU_ERROR

const error_text &text_of(cudaError_t error) {
  for (const error_text &t : error_texts)
    if (t.error == error)
      return t;
  return error_texts[sizeof(error_texts) / sizeof(error_texts[0]) - 1];
}

} // namespace

namespace cameo::emu {

shared_limits shared_memory() {
  constexpr size_t kib = 1024;
  const int arch = settings().compute_capability;
  if (arch == 80 || arch == 87)
    return {163 * kib, 164 * kib};
  if (arch == 86 || arch == 89 || arch >= 120)
    return {99 * kib, 100 * kib};
  return {max_shared_bytes, 228 * kib};
}

size_t dynamic_shared_limit(const void *function) {
  const auto allowed = allowed_shared.find({function, current_device()});
  const size_t bytes = allowed == allowed_shared.end() ? shared_for_all : allowed->second;
  return std::min(bytes, shared_memory().block); // the architecture may have been set since
}

} // namespace cameo::emu

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 0;
  CAMEO_EMU_API(cudaGetDeviceCount);
  *count = settings().devices;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  CAMEO_EMU_API(cudaGetDevice);
  *device = current_device();
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  CAMEO_EMU_API(cudaSetDevice);
  if (!has_device(device))
    return call.result(cudaErrorInvalidDevice);
  current_device() = device;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
  CAMEO_EMU_API(cudaDeviceGetAttribute);
  if (!has_device(device))
    return call.result(cudaErrorInvalidDevice);
  switch (attr) {
  case cudaDevAttrMaxThreadsPerBlock:
    *value = max_block_threads;
    return cudaSuccess;
  case cudaDevAttrMaxGridDimX:
    *value = 0x7fffffff;
    return cudaSuccess;
  case cudaDevAttrMaxGridDimY:
  case cudaDevAttrMaxGridDimZ:
    *value = 65535;
    return cudaSuccess;
  case cudaDevAttrWarpSize:
    *value = 32;
    return cudaSuccess;
  case cudaDevAttrMultiProcessorCount:
    *value = multiprocessors;
    return cudaSuccess;
  case cudaDevAttrL2CacheSize:
    *value = 50 << 20;
    return cudaSuccess;
  case cudaDevAttrComputeCapabilityMajor:
    *value = settings().compute_capability / 10;
    return cudaSuccess;
  case cudaDevAttrComputeCapabilityMinor:
    *value = settings().compute_capability % 10;
    return cudaSuccess;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    *value = static_cast<int>(shared_memory().multiprocessor);
    return cudaSuccess;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *value = static_cast<int>(shared_memory().block);
    return cudaSuccess;
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrCooperativeLaunch:
    *value = 1;
    return cudaSuccess;
  }
  return call.result(cudaErrorInvalidValue);
}

cudaError_t cudaDriverGetVersion(int *driverVersion) {
  *driverVersion = settings().devices < 0 ? 0 : emulated_version;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion) {
  *runtimeVersion = emulated_version;
  return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = lost_device != cudaSuccess ? lost_device : last_error();
  last_error() = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) {
  return lost_device != cudaSuccess ? lost_device : last_error();
}

const char *cudaGetErrorName(cudaError_t error) { return text_of(error).name; }

const char *cudaGetErrorString(cudaError_t error) { return text_of(error).text; }

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value) {
  CAMEO_EMU_API(cudaFuncSetAttribute);
  const bool is_size = attr == cudaFuncAttributeMaxDynamicSharedMemorySize;
  if (func == nullptr ||
      (is_size && (value < 0 || static_cast<size_t>(value) > shared_memory().block)))
    return call.result(cudaErrorInvalidValue);
  if (is_size)
    allowed_shared[{func, current_device()}] = static_cast<size_t>(value);
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func) {
  CAMEO_EMU_API(cudaFuncGetAttributes);
  if (attr == nullptr || func == nullptr)
    return call.result(cudaErrorInvalidValue);
  if (settings().compute_capability < 80)
    return call.result(cudaErrorNoKernelImageForDevice);
  *attr = {};
  attr->maxThreadsPerBlock = max_block_threads;
  attr->binaryVersion = attr->ptxVersion = settings().compute_capability;
  attr->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(func));
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                          int blockSize, size_t dynamicSMemSize) {
  CAMEO_EMU_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor);
  if (numBlocks == nullptr || func == nullptr || blockSize <= 0)
    return call.result(cudaErrorInvalidValue);
  constexpr size_t max_threads = 2048, max_blocks = 32, reserved_shared = 1024;
  const size_t by_threads = max_threads / static_cast<size_t>(blockSize);
  const size_t by_shared =
      dynamicSMemSize > dynamic_shared_limit(func)
          ? 0
          : shared_memory().multiprocessor / (dynamicSMemSize + reserved_shared);
  *numBlocks = static_cast<int>(std::min({by_threads, by_shared, max_blocks}));
  return cudaSuccess;
}

} // extern "C"
