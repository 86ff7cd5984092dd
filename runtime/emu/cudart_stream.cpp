// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime API on streams and events, and the launch of kernels. A query runs one operation, so
// that a loop of them ends, and is counted as what it is.
#include <chrono>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "cameo/cuda/emulator.h"
#include "capture.h"
#include "grid.h"
#include "memory.h"
#include "settings.h"
#include "stream.h"

using namespace cameo::emu;

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

cudaError_t query(const point &asked) {
  if (is_pending(asked.operation)) {
    run_until(asked.operation, 1);
    if (lost_device != cudaSuccess)
      return lost_device;
    ++counters.unfinished_queries;
    return cudaErrorNotReady;
  }
  host_waited_for(asked.clock);
  return lost_device;
}

cudaError_t check_configuration(const kernel_launch &launch) {
  const size_t threads = size_t{launch.block.x} * launch.block.y * launch.block.z;
  const bool grid_fits = launch.grid.x != 0 && launch.grid.x <= 0x7fffffffu && launch.grid.y != 0 &&
                         launch.grid.y <= 65535 && launch.grid.z != 0 && launch.grid.z <= 65535;
  if (!grid_fits || threads == 0 || threads > max_block_threads || launch.block.z > 64)
    return cudaErrorInvalidConfiguration;
  if (launch.shared_bytes > dynamic_shared_limit(launch.function))
    return cudaErrorInvalidValue;
  if (settings().compute_capability < 80)
    return cudaErrorNoKernelImageForDevice;
  if (!launch.cooperative)
    return cudaSuccess;
  int per_multiprocessor = 0, multiprocessors = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, launch.function,
                                                static_cast<int>(threads), launch.shared_bytes);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, current_device());
  const size_t blocks = size_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  const bool fits =
      blocks <= static_cast<size_t>(per_multiprocessor) * static_cast<size_t>(multiprocessors);
  return fits ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
}

bool is_mapped(uintptr_t address) {
  static const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident;
  return mincore(reinterpret_cast<void *>(address / page * page), 1, &resident) == 0;
}

} // namespace

namespace cameo::emu {

void check_argument(const char *kernel, int position, const void *object,
                    const std::vector<size_t> &pointers) {
  const std::lock_guard<std::recursive_mutex> lock(engine_lock);
  for (const size_t at : pointers) {
    if (at == pointer_finder::unknown)
      fail("argument %d of kernel '%s' has members that do not lie as their types say", position,
           kernel);
    uintptr_t word;
    memcpy(&word, static_cast<const unsigned char *>(object) + at, sizeof(word));
    // Code and data of a position-independent program, its heap, stacks and mappings all lie above
    // 2^40; extents and counts, which a class may have beside a pointer, do not.
    constexpr uintptr_t lowest = uintptr_t{1} << 40, highest = uintptr_t{1} << 47;
    if (word < lowest || word >= highest)
      continue;
    const void *pointer = reinterpret_cast<const void *>(word);
    const allocation *a = find_allocation(pointer);
    const bool allowed = a != nullptr && a->live && a->kind != memory_kind::pinned;
    if (allowed || (a == nullptr && !in_device_range(pointer) && !is_mapped(word)))
      continue;
    fail("argument %d of kernel '%s' holds %p (byte %zu of it), which is %s", position, kernel,
         pointer, at, describe(pointer).c_str());
  }
}

cudaError_t enqueue_kernel(const kernel_launch &launch, std::function<void()> thread_body) {
  CAMEO_EMU_API(cudaLaunchKernel);
  CUstream_st *stream = find_stream(launch.stream);
  if (stream == nullptr || stream->device != current_device())
    return call.result(cudaErrorInvalidResourceHandle);
  const cudaError_t error = check_configuration(launch);
  if (error != cudaSuccess)
    return call.result(error);
  operation op;
  op.name = launch.name;
  for (size_t i = 0; i < launch.range_count; ++i) {
    const range &r = launch.ranges[i];
    check_device_visible("kernel '" + op.name + "' declares that it " +
                             (r.write ? "writes" : "reads"),
                         r.pointer, r.bytes);
    op.ranges.push_back(r);
  }
  op.type = cudaGraphNodeTypeKernel;
  op.issued = [] { ++counters.launches; };
  declared_access access = {op.ranges, {launch.error_slot, launch.error_slot_bytes, true}};
  op.run = [name = op.name, grid = launch.grid, block = launch.block, shared = launch.shared_bytes,
            cooperative = launch.cooperative, access = std::move(access),
            body = std::move(thread_body)] {
    static api_function execution("kernel");
    const cudaError_t fault = execution.count();
    if (fault != cudaSuccess) {
      lost_device = fault;
      return;
    }
    declared = &access;
    run_grid(name.c_str(), grid, block, shared, cooperative, body);
    declared = nullptr;
    check_guards("kernel '" + name + "'");
  };
  return call.result(submit(*stream, std::move(op)));
}

} // namespace cameo::emu

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags) {
  CAMEO_EMU_API(cudaStreamCreateWithFlags);
  if (pStream == nullptr || flags > cudaStreamNonBlocking)
    return call.result(cudaErrorInvalidValue);
  *pStream = make_stream(flags == cudaStreamDefault);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  CAMEO_EMU_API(cudaStreamDestroy);
  CUstream_st *s = stream == nullptr ? nullptr : find_stream(stream);
  if (s == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  if (s->capturing != nullptr)
    return call.result(wait_for_stream(*s));
  destroy_stream(s);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  CAMEO_EMU_API(cudaStreamSynchronize);
  const CUstream_st *s = find_stream(stream);
  if (s == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  const cudaError_t error = wait_for_stream(*s);
  if (error != cudaSuccess)
    return call.result(error);
  ++counters.stream_syncs;
  run_until(s->last);
  host_waited_for(s->clock);
  return call.result(lost_device);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  CAMEO_EMU_API(cudaStreamQuery);
  const CUstream_st *s = find_stream(stream);
  if (s == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  const cudaError_t error = wait_for_stream(*s);
  return call.result(error != cudaSuccess ? error : query({s->last, s->clock}));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  CAMEO_EMU_API(cudaStreamWaitEvent);
  CUstream_st *s = find_stream(stream);
  const CUevent_st *e = find_event(event);
  if (s == nullptr || e == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  if (flags != 0)
    return call.result(cudaErrorInvalidValue);
  bool done = false;
  cudaError_t error = join_capture(*s, *e, done);
  if (!done)
    error = use_stream(*s);
  if (done || error != cudaSuccess)
    return call.result(error);
  if (e->recorded) {
    operation op;
    op.name = "event wait";
    op.where = place::host;
    enqueue(*s, std::move(op), {e->at});
  }
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData) {
  CAMEO_EMU_API(cudaLaunchHostFunc);
  CUstream_st *s = find_stream(stream);
  if (s == nullptr || fn == nullptr)
    return call.result(cudaErrorInvalidValue);
  operation op;
  op.name = "host function";
  op.where = place::host;
  op.type = cudaGraphNodeTypeHost;
  op.run = [=] { fn(userData); };
  return call.result(submit(*s, std::move(op)));
}

cudaError_t cudaDeviceSynchronize(void) {
  CAMEO_EMU_API(cudaDeviceSynchronize);
  const cudaError_t error = wait_for_device();
  if (error != cudaSuccess)
    return call.result(error);
  ++counters.device_syncs;
  run_everything();
  host_waited_for_everything();
  return call.result(lost_device);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  CAMEO_EMU_API(cudaEventCreateWithFlags);
  if (event == nullptr || flags > (cudaEventBlockingSync | cudaEventDisableTiming))
    return call.result(cudaErrorInvalidValue);
  *event = make_event(flags);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  CAMEO_EMU_API(cudaEventDestroy);
  CUevent_st *e = find_event(event);
  if (e == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  destroy_event(e);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CAMEO_EMU_API(cudaEventRecord);
  CUstream_st *s = find_stream(stream);
  CUevent_st *e = find_event(event);
  if (s == nullptr || e == nullptr || s->device != e->device)
    return call.result(cudaErrorInvalidResourceHandle);
  const cudaError_t error = use_stream(*s);
  if (error != cudaSuccess)
    return call.result(error);
  if (s->capturing != nullptr) {
    record_captured(*e, *s);
    return cudaSuccess;
  }
  operation op;
  op.name = "event record";
  op.where = place::host;
  op.run = [event] {
    if (CUevent_st *recorded = find_event(event))
      recorded->seconds = seconds_now();
  };
  enqueue(*s, std::move(op));
  e->at = {s->last, s->clock};
  e->recorded = true;
  e->capture = 0;
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  CAMEO_EMU_API(cudaEventSynchronize);
  const CUevent_st *e = find_event(event);
  if (e == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  const cudaError_t error = wait_for_event(*e);
  if (error != cudaSuccess)
    return call.result(error);
  ++counters.event_syncs;
  run_until(e->at.operation);
  host_waited_for(e->at.clock);
  return call.result(lost_device);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  CAMEO_EMU_API(cudaEventQuery);
  const CUevent_st *e = find_event(event);
  if (e == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  const cudaError_t error = wait_for_event(*e);
  return call.result(error != cudaSuccess ? error : query(e->at));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
  CAMEO_EMU_API(cudaEventElapsedTime);
  const CUevent_st *a = find_event(start), *b = find_event(end);
  if (ms == nullptr || a == nullptr || b == nullptr)
    return call.result(cudaErrorInvalidValue);
  if (!a->recorded || !b->recorded || ((a->flags | b->flags) & cudaEventDisableTiming) != 0)
    return call.result(cudaErrorInvalidResourceHandle);
  if (a->capture != 0 || b->capture != 0)
    return call.result(cudaErrorCapturedEvent);
  if (is_pending(a->at.operation) || is_pending(b->at.operation))
    return call.result(cudaErrorNotReady);
  *ms = static_cast<float>((b->seconds - a->seconds) * 1e3);
  return cudaSuccess;
}

} // extern "C"
