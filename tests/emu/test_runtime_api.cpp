// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulated runtime API: what runs when, in which order, what is counted, and how calls fail.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "cameo/cuda/emulator.h"
#include "emu.h"
#include "report.h"

namespace emu = cameo::emu;

namespace {

void must(cudaError_t error) { REQUIRE(error == cudaSuccess); }

struct stream {
  cudaStream_t handle = nullptr;
  explicit stream(unsigned flags = cudaStreamNonBlocking) {
    must(cudaStreamCreateWithFlags(&handle, flags));
  }
  ~stream() { cudaStreamDestroy(handle); }
  stream(const stream &) = delete;
  stream &operator=(const stream &) = delete;
};

cameo_emu_counters counted() {
  cameo_emu_counters c;
  cameo_emu_get_counters(&c);
  return c;
}

int64_t beside(const char *one, const char *other) { return cameo_emu_beside(one, other); }

/// Host functions that append their letter: the order of execution.
std::string trace;
void append(void *letter) { trace += *static_cast<const char *>(letter); }
void note(cudaStream_t s, const char *letter) {
  must(cudaLaunchHostFunc(s, append, const_cast<char *>(letter)));
}

/// a, b on one stream, c, d on another, then both join in e.
std::string run_two_streams(cameo_emu_order order, uint64_t seed) {
  cameo_emu_schedule(order, seed);
  trace.clear();
  const stream s, t;
  cudaEvent_t event;
  must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  note(s.handle, "a");
  note(s.handle, "b");
  note(t.handle, "c");
  note(t.handle, "d");
  must(cudaEventRecord(event, t.handle));
  must(cudaStreamWaitEvent(s.handle, event, 0));
  note(s.handle, "e");
  REQUIRE(trace.empty()); // nothing runs when it is queued
  must(cudaStreamSynchronize(s.handle));
  must(cudaEventDestroy(event));
  cameo_emu_schedule(CAMEO_EMU_FORWARD, 1);
  return trace;
}

} // namespace

TEST_CASE("a sync runs what it depends on and nothing else", "[api]") {
  trace.clear();
  const stream s, t;
  note(s.handle, "a");
  note(t.handle, "x");
  note(s.handle, "b");
  CHECK(counted().pending == 3);
  must(cudaStreamSynchronize(s.handle));
  CHECK(trace == "ab");
  CHECK(counted().pending == 1);
  must(cudaDeviceSynchronize());
  CHECK(trace == "abx");
}

TEST_CASE("three orders of execution, all of them allowed", "[api]") {
  CHECK(run_two_streams(CAMEO_EMU_FORWARD, 1) == "abcde");
  CHECK(run_two_streams(CAMEO_EMU_REVERSE, 1) == "cdabe");
  bool differs = false;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const std::string once = run_two_streams(CAMEO_EMU_RANDOM, seed);
    CHECK(once == run_two_streams(CAMEO_EMU_RANDOM, seed));
    CHECK(once.find('a') < once.find('b'));
    CHECK(once.find('c') < once.find('d'));
    CHECK(once.back() == 'e');
    differs = differs || once != "abcde";
  }
  CHECK(differs);
}

TEST_CASE("the legacy stream is ordered against blocking streams only", "[api]") {
  trace.clear();
  const stream blocking(cudaStreamDefault), free_one;
  note(blocking.handle, "a");
  note(free_one.handle, "x");
  note(nullptr, "b");
  note(blocking.handle, "c");
  must(cudaStreamSynchronize(blocking.handle));
  CHECK(trace == "abc");
  must(cudaStreamSynchronize(free_one.handle));
}

TEST_CASE("an event stands for what was recorded last", "[api]") {
  trace.clear();
  const stream s;
  cudaEvent_t event;
  must(cudaEventCreateWithFlags(&event, cudaEventDefault));
  CHECK(cudaEventQuery(event) == cudaSuccess); // never recorded
  note(s.handle, "a");
  must(cudaEventRecord(event, s.handle));
  note(s.handle, "b");
  must(cudaEventSynchronize(event));
  CHECK(trace == "a");
  cudaEvent_t later;
  must(cudaEventCreateWithFlags(&later, cudaEventDefault));
  must(cudaEventRecord(later, s.handle));
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, event, later) == cudaErrorNotReady);
  must(cudaEventSynchronize(later));
  must(cudaEventElapsedTime(&ms, event, later));
  CHECK(ms >= 0);
  must(cudaEventDestroy(event));
  must(cudaEventDestroy(later));
}

TEST_CASE("a loop of queries ends, and is counted", "[api]") {
  trace.clear();
  const stream s;
  for (int i = 0; i < 5; ++i)
    note(s.handle, "q");
  cameo_emu_reset_counters();
  int polls = 0;
  while (cudaStreamQuery(s.handle) == cudaErrorNotReady)
    ++polls;
  CHECK(polls == 5);
  CHECK(trace == "qqqqq");
  CHECK(counted().unfinished_queries == 5);
  CHECK(counted().blocking_syncs == 0);
  CHECK(cudaGetLastError() == cudaSuccess); // not ready is no error
}

TEST_CASE("allocations that CUDA may order with everything are counted, others are not", "[api]") {
  const stream s;
  cameo_emu_reset_counters();
  void *device = nullptr, *pinned = nullptr, *mapped = nullptr, *managed = nullptr,
       *queued = nullptr;
  must(cudaMalloc(&device, 8));
  CHECK(counted().implicit_syncs == 1);
  must(cudaMallocHost(&pinned, 8));
  must(cudaHostAlloc(&mapped, 8, cudaHostAllocDefault));
  must(cudaMallocManaged(&managed, 8, cudaMemAttachGlobal));
  CHECK(counted().implicit_syncs == 4);
  must(cudaMallocAsync(&queued, 8, s.handle));
  must(cudaFreeAsync(queued, s.handle));
  CHECK(counted().implicit_syncs == 4);
  CHECK(counted().blocking_syncs == 0);
  must(cudaFree(device));
  must(cudaFree(managed));
  must(cudaFreeHost(pinned));
  must(cudaFreeHost(mapped));
  CHECK(counted().implicit_syncs == 8);
}

TEST_CASE("fetches of outputs are counted apart", "[api]") {
  const stream s;
  void *device = nullptr, *pinned = nullptr;
  must(cudaMalloc(&device, 64));
  must(cudaMallocHost(&pinned, 64));
  must(cudaMemsetAsync(device, 1, 64, s.handle));
  auto *bytes = static_cast<unsigned char *>(pinned);
  cameo_emu_reset_counters();
  cameo_emu_add_output(bytes + 16, 16);
  const auto fetch = [&](size_t at, size_t count) {
    must(cudaMemcpyAsync(bytes + at, device, count, cudaMemcpyDeviceToHost, s.handle));
  };
  fetch(16, 16);
  fetch(20, 4);
  CHECK(counted().d2h_outputs == 2);
  CHECK(counted().d2h_output_bytes == 20);
  fetch(0, 16);
  fetch(15, 2); // not all of it
  CHECK(counted().d2h == 2);
  cameo_emu_clear_outputs();
  fetch(16, 16);
  CHECK(counted().d2h == 3);
  CHECK(counted().d2h_bytes == 34);
  CHECK(counted().d2h_outputs == 2);
  must(cudaStreamSynchronize(s.handle));
  must(cudaFree(device));
  must(cudaFreeHost(pinned));
}

TEST_CASE("copies and syncs are counted by kind", "[api]") {
  const stream s;
  void *a = nullptr, *b = nullptr, *pinned = nullptr;
  must(cudaMalloc(&a, 1000));
  must(cudaMalloc(&b, 1000));
  must(cudaMallocHost(&pinned, 1000));
  std::vector<unsigned char> pageable(1000, 7);
  const cameo_emu_counters before = counted();
  cameo_emu_reset_counters();
  must(cudaMemcpyAsync(a, pageable.data(), 1000, cudaMemcpyHostToDevice, s.handle));
  pageable.assign(1000, 9); // its bytes were taken at the call
  must(cudaMemcpyAsync(b, a, 1000, cudaMemcpyDeviceToDevice, s.handle));
  must(cudaMemcpyAsync(pinned, b, 500, cudaMemcpyDefault, s.handle));
  CHECK(counted().blocking_syncs == 0);
  must(cudaStreamSynchronize(s.handle));
  CHECK(static_cast<unsigned char *>(pinned)[499] == 7);
  must(cudaMemcpyAsync(pageable.data(), b, 100, cudaMemcpyDeviceToHost, s.handle)); // waits
  CHECK(pageable[99] == 7);
  must(cudaMemcpy(pageable.data(), b, 0, cudaMemcpyDeviceToHost)); // nothing
  const cameo_emu_counters c = counted();
  CHECK(c.h2d == 1);
  CHECK(c.h2d_bytes == 1000);
  CHECK(c.d2d == 1);
  CHECK(c.d2h == 2);
  CHECK(c.d2h_bytes == 600);
  CHECK(c.stream_syncs == 1);
  CHECK(c.blocking_copies == 1);
  CHECK(c.blocking_syncs == 2);
  must(cudaFree(a));
  must(cudaFree(b));
  must(cudaFreeHost(pinned));
  CHECK(counted().implicit_syncs == 3);
  CHECK(counted().blocking_syncs == 2);
  CHECK(counted().live_device_allocs == before.live_device_allocs - 2);
  CHECK(counted().live_pinned_allocs == before.live_pinned_allocs - 1);
}

TEST_CASE("fresh memory holds the poison, and addresses are not reused", "[api]") {
  cameo_emu_poison(0x5a);
  void *a = nullptr, *b = nullptr;
  must(cudaMalloc(&a, 300));
  std::vector<unsigned char> host(300);
  must(cudaMemcpy(host.data(), a, 300, cudaMemcpyDeviceToHost));
  CHECK(host == std::vector<unsigned char>(300, 0x5a));
  must(cudaFree(a));
  must(cudaMalloc(&b, 300));
  CHECK(a != b);
  CHECK(reinterpret_cast<uintptr_t>(b) % 256 == 0);
  must(cudaFree(b));
  cameo_emu_poison(0xff);
}

TEST_CASE("pointers know what they are", "[api]") {
  void *device = nullptr, *pinned = nullptr, *managed = nullptr;
  int local = 0;
  must(cudaMalloc(&device, 64));
  must(cudaMallocHost(&pinned, 64));
  must(cudaMallocManaged(&managed, 64));
  const auto type = [](const void *p) {
    cudaPointerAttributes a;
    must(cudaPointerGetAttributes(&a, p));
    return a.type;
  };
  CHECK(type(static_cast<char *>(device) + 63) == cudaMemoryTypeDevice);
  CHECK(type(pinned) == cudaMemoryTypeHost);
  CHECK(type(managed) == cudaMemoryTypeManaged);
  CHECK(type(&local) == cudaMemoryTypeUnregistered);
  CHECK(type(static_cast<char *>(device) + 64) == cudaMemoryTypeUnregistered);
  must(cudaFree(device));
  must(cudaFreeHost(pinned));
  must(cudaFree(managed));
}

TEST_CASE("the k-th call fails, once or from then on", "[api]") {
  void *p = nullptr;
  cameo_emu_fail("cudaMalloc", 2, cudaErrorMemoryAllocation, 0);
  must(cudaMalloc(&p, 16));
  must(cudaFree(p));
  CHECK(cudaMalloc(&p, 16) == cudaErrorMemoryAllocation);
  CHECK(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaSuccess);
  must(cudaMalloc(&p, 16));
  must(cudaFree(p));
  cameo_emu_fail("cudaMalloc", 1, cudaErrorMemoryAllocation, 1);
  CHECK(cudaMalloc(&p, 16) == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(&p, 16) == cudaErrorMemoryAllocation);
  cameo_emu_clear_failures();
  must(cudaMalloc(&p, 16));
  must(cudaFree(p));
  CHECK(cameo_emu_calls("cudaMalloc") >= 6);
  CHECK(cameo_emu_calls("cudaNonsense") == -1);
}

TEST_CASE("device memory runs out", "[api]") {
  const auto used = static_cast<size_t>(counted().live_device_bytes);
  cameo_emu_devices(1, used + (1 << 20), 90);
  void *a = nullptr, *b = nullptr;
  must(cudaMalloc(&a, 700000));
  CHECK(cudaMalloc(&b, 700000) == cudaErrorMemoryAllocation);
  CHECK(b == nullptr);
  size_t free_bytes = 0, total = 0;
  must(cudaMemGetInfo(&free_bytes, &total));
  CHECK(total == used + (1 << 20));
  CHECK(free_bytes == (1 << 20) - 700000);
  must(cudaFree(a));
  must(cudaMalloc(&b, 700000));
  must(cudaFree(b));
  cameo_emu_devices(1, size_t{16} << 30, 90);
  cudaGetLastError();
}

TEST_CASE("devices: none, and the current one of several", "[api]") {
  int n = -1, device = -1;
  cameo_emu_devices(0, 1 << 20, 90);
  CHECK(cudaGetDeviceCount(&n) == cudaErrorNoDevice);
  CHECK(n == 0);
  cameo_emu_devices(2, size_t{16} << 30, 80);
  must(cudaGetDeviceCount(&n));
  CHECK(n == 2);
  must(cudaSetDevice(1));
  must(cudaGetDevice(&device));
  CHECK(device == 1);
  int major = 0;
  must(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 1));
  CHECK(major == 8);
  must(cudaSetDevice(0));
  CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice);
  cameo_emu_devices(1, size_t{16} << 30, 90);
  cudaGetLastError();
}

TEST_CASE("handles that are none, or were one", "[api]") {
  char nothing = 0;
  auto *none = reinterpret_cast<cudaStream_t>(&nothing);
  CHECK(cudaStreamSynchronize(none) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamDestroy(none) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  cudaStream_t gone = nullptr, next = nullptr;
  must(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
  must(cudaStreamDestroy(gone));
  CHECK(report_of([&] { cudaStreamSynchronize(gone); }) ==
        "cameo-emu: a stream is used that has been destroyed\n");
  must(cudaStreamCreateWithFlags(&next, cudaStreamNonBlocking));
  CHECK(next == gone); // a driver may do so any time, the emulator always
  must(cudaStreamDestroy(next));
}

namespace {

cudaError_t launch_with(const void *function, size_t shared_bytes) {
  const emu::kernel_launch launch = {"shared", function, 1,       32, shared_bytes, nullptr, false,
                                     nullptr,  0,        nullptr, 0};
  const cudaError_t error = emu::enqueue_kernel(launch, [] {});
  must(cudaStreamSynchronize(nullptr));
  cudaGetLastError();
  return error;
}

} // namespace

TEST_CASE("shared memory is what the architecture has and the kernel has been allowed", "[api]") {
  static char kernels[3]; // any address is a function's name
  const struct {
    int arch;
    size_t block;
  } known[] = {{80, 163 << 10}, {89, 99 << 10}, {90, 227 << 10}};
  for (int i = 0; i < 3; ++i) {
    cameo_emu_devices(1, size_t{16} << 30, known[i].arch);
    INFO("sm_" << known[i].arch);
    const void *kernel = &kernels[i];
    const size_t most = known[i].block;
    int said = 0;
    must(cudaDeviceGetAttribute(&said, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(static_cast<size_t>(said) == most);
    const auto allow = [&](size_t bytes) {
      return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes));
    };
    CHECK(launch_with(kernel, 48 << 10) == cudaSuccess);
    CHECK(launch_with(kernel, (48 << 10) + 1) == cudaErrorInvalidValue);
    CHECK(allow(most + 1) == cudaErrorInvalidValue);
    CHECK(allow(64 << 10) == cudaSuccess);
    CHECK(launch_with(kernel, 64 << 10) == cudaSuccess);
    CHECK(launch_with(kernel, (64 << 10) + 1) == cudaErrorInvalidValue);
    CHECK(allow(most) == cudaSuccess);
    CHECK(launch_with(kernel, most) == cudaSuccess);
    int blocks = -1;
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32, most));
    CHECK(blocks == 1);
  }
  cameo_emu_devices(1, size_t{16} << 30, 90);
  cudaGetLastError();
}

TEST_CASE("a graph's work is counted at each launch, not at its capture", "[api]") {
  const stream s;
  void *device = nullptr, *pinned = nullptr;
  must(cudaMalloc(&device, 64));
  must(cudaMallocHost(&pinned, 64));
  cameo_emu_reset_counters();
  must(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeGlobal));
  must(cudaMemsetAsync(device, 1, 64, s.handle));
  must(cudaMemcpyAsync(pinned, device, 64, cudaMemcpyDeviceToHost, s.handle));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  must(cudaStreamEndCapture(s.handle, &graph));
  must(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(counted().memsets == 0);
  CHECK(counted().d2h == 0);
  CHECK(counted().pending == 0);
  for (int64_t launches = 1; launches <= 3; ++launches) {
    must(cudaGraphLaunch(exec, s.handle));
    CHECK(counted().graph_launches == launches);
    CHECK(counted().memsets == launches);
    CHECK(counted().d2h == launches);
  }
  CHECK(counted().blocking_syncs == 0);
  must(cudaStreamSynchronize(s.handle));
  CHECK(static_cast<unsigned char *>(pinned)[63] == 1);
  must(cudaGraphExecDestroy(exec));
  must(cudaGraphDestroy(graph));
  must(cudaFree(device));
  must(cudaFreeHost(pinned));
}

TEST_CASE("branches of a graph run in any order, what joins them behind both", "[api]") {
  const stream s, t;
  cudaEvent_t event;
  must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  must(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeRelaxed));
  note(s.handle, "a");
  must(cudaEventRecord(event, s.handle));
  must(cudaStreamWaitEvent(t.handle, event, 0));
  note(s.handle, "b");
  note(t.handle, "c");
  note(t.handle, "d");
  must(cudaEventRecord(event, t.handle));
  must(cudaStreamWaitEvent(s.handle, event, 0));
  note(s.handle, "e");
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  must(cudaStreamEndCapture(s.handle, &graph));
  must(cudaGraphInstantiate(&exec, graph, 0));
  const auto launch = [&](cameo_emu_order order) {
    cameo_emu_schedule(order, 1);
    trace.clear();
    must(cudaGraphLaunch(exec, s.handle));
    CHECK(trace.empty());
    must(cudaStreamSynchronize(s.handle));
    cameo_emu_schedule(CAMEO_EMU_FORWARD, 1);
    return trace;
  };
  CHECK(launch(CAMEO_EMU_FORWARD) == "abcde");
  CHECK(launch(CAMEO_EMU_REVERSE) == "acdbe");
  must(cudaGraphExecDestroy(exec));
  must(cudaGraphDestroy(graph));
  must(cudaEventDestroy(event));
}

TEST_CASE("what the driver would stage is not captured", "[api]") {
  const stream s;
  void *device = nullptr;
  char pageable[64] = {};
  must(cudaMalloc(&device, 64));
  const auto refused = [&](cudaError_t error) {
    CHECK(error == cudaErrorStreamCaptureUnsupported);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(s.handle, &graph) == cudaErrorStreamCaptureInvalidated);
  };
  for (const cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost}) {
    must(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeRelaxed));
    const bool up = kind == cudaMemcpyHostToDevice;
    refused(cudaMemcpyAsync(up ? device : pageable, up ? pageable : device, 64, kind, s.handle));
  }
  must(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeGlobal));
  refused(cudaMemcpy(device, pageable, 64, cudaMemcpyHostToDevice));
  cudaEvent_t event;
  must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  must(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeGlobal));
  refused(cudaEventQuery(event)); // of any event
  cudaGetLastError();
  must(cudaEventDestroy(event));
  must(cudaFree(device));
}

TEST_CASE("a condition needs its node, a body what can be one", "[api]") {
  const stream s;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaGraphConditionalHandle handle = 0;
  must(cudaGraphCreate(&graph, 0));
  must(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  CHECK(cudaGraphInstantiate(&exec, graph) == cudaErrorInvalidValue);
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 2;
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params) == cudaErrorInvalidValue);
  params.conditional.type = cudaGraphCondTypeIf;
  must(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params) == cudaErrorInvalidValue);
  must(cudaGraphInstantiate(&exec, graph));
  must(cudaGraphExecDestroy(exec));
  cudaGraph_t *bodies = params.conditional.phGraph_out, ended = nullptr;
  CHECK(cudaGraphInstantiate(&exec, bodies[0]) == cudaErrorInvalidValue);
  CHECK(cudaGraphDestroy(bodies[0]) == cudaErrorInvalidValue);
  must(cudaStreamBeginCaptureToGraph(s.handle, bodies[1], nullptr, nullptr, 0,
                                     cudaStreamCaptureModeGlobal));
  note(s.handle, "-");
  must(cudaStreamEndCapture(s.handle, &ended));
  CHECK(cudaGraphInstantiate(&exec, graph) == cudaErrorInvalidValue); // a host function in a body
  must(cudaGraphDestroy(graph));
  cudaGetLastError();
}

TEST_CASE("graphs leave nothing behind", "[api]") {
  const stream s;
  const cameo_emu_counters before = counted();
  for (int i = 0; i < 1000; ++i) {
    must(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeGlobal));
    note(s.handle, "-");
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    must(cudaStreamEndCapture(s.handle, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, s.handle));
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    must(cudaStreamSynchronize(s.handle));
  }
  CHECK(counted().live_streams == before.live_streams);
  CHECK(counted().pending == before.pending);
}

TEST_CASE("ten thousand streams leave nothing behind", "[api]") {
  const cameo_emu_counters before = counted();
  for (int i = 0; i < 10000; ++i) {
    const stream s;
    note(s.handle, "-");
    must(cudaStreamSynchronize(s.handle));
  }
  CHECK(counted().live_streams == before.live_streams);
  CHECK(counted().pending == before.pending);
}

TEST_CASE("what nothing orders may run side by side", "[api]") {
  const stream up, down;
  cudaEvent_t event = nullptr;
  void *device[2], *host[2];
  for (int i = 0; i < 2; ++i) {
    must(cudaMalloc(&device[i], 64));
    must(cudaMallocHost(&host[i], 64));
    must(cudaMemset(device[i], 0, 64));
  }
  must(cudaDeviceSynchronize());
  must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  constexpr const char *to_device = "copy host to device", *to_host = "copy device to host";

  cameo_emu_record(1);
  must(cudaMemcpyAsync(device[0], host[0], 64, cudaMemcpyHostToDevice, up.handle));
  must(cudaMemcpyAsync(host[1], device[1], 64, cudaMemcpyDeviceToHost, down.handle));
  CHECK(beside(to_device, to_host) == 1);
  CHECK(beside(to_host, to_device) == 1);
  CHECK(beside(to_device, to_device) == 0); // with itself

  must(cudaEventRecord(event, down.handle));
  must(cudaStreamWaitEvent(up.handle, event, 0));
  must(cudaMemcpyAsync(device[1], host[0], 64, cudaMemcpyHostToDevice, up.handle));
  CHECK(beside(to_device, to_host) == 1); // not the new one

  cameo_emu_record(1);
  must(cudaMemcpyAsync(host[1], device[1], 64, cudaMemcpyDeviceToHost, up.handle));
  must(cudaStreamSynchronize(up.handle));
  must(cudaMemcpyAsync(device[0], host[0], 64, cudaMemcpyHostToDevice, down.handle));
  CHECK(beside(to_device, to_host) == 0); // the host has waited
  cameo_emu_record(0);
  must(cudaDeviceSynchronize());
  CHECK(beside("", "") == 0);
  must(cudaEventDestroy(event));
  for (int i = 0; i < 2; ++i) {
    must(cudaFree(device[i]));
    must(cudaFreeHost(host[i]));
  }
}
