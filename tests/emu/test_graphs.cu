// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture and graphs by CUDA's rules. Runs on the emulator and, built with nvcc, on a GPU:
// only what CUDA documents is asked here; what the emulator adds is in test_graph_checks.cu.
#include <catch2/catch.hpp>

#include <thread>
#include <vector>

#include "device.h"
#include "session.h"

using namespace cameo::cuda;

namespace {

CAMEO_KERNEL void add_one(float *values, int n) {
  for (int i = static_cast<int>(thread()); i < n; i += static_cast<int>(block_extent().x))
    values[i] += 1;
}

CAMEO_KERNEL void add_to(const float *a, const float *b, float *sum, int n) {
  for (int i = static_cast<int>(thread()); i < n; i += static_cast<int>(block_extent().x))
    sum[i] = a[i] + b[i];
}

constexpr int count = 100;

struct pinned_array {
  float *data = nullptr;
  explicit pinned_array(float value) {
    must(cudaMallocHost(reinterpret_cast<void **>(&data), bytes()));
    fill(value);
  }
  ~pinned_array() { cudaFreeHost(data); }
  pinned_array(const pinned_array &) = delete;
  pinned_array &operator=(const pinned_array &) = delete;
  void fill(float value) {
    for (int i = 0; i < count; ++i)
      data[i] = value;
  }
  size_t bytes() const { return count * sizeof(float); }
};

/// Another stream, and an event.
struct beside {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  beside() {
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  ~beside() {
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
  }
  beside(const beside &) = delete;
  beside &operator=(const beside &) = delete;

  /// Orders work that `then` is given from now on behind all that `first` has been given so far.
  cudaError_t order(cudaStream_t first, cudaStream_t then) const {
    const cudaError_t error = cudaEventRecord(event, first);
    return error == cudaSuccess ? cudaStreamWaitEvent(then, event, 0) : error;
  }
};

void launch_add_one(session &s, device_array<float> &values) {
  access_scope scope(s.exec, "add_one", {values.reads(), values.writes()});
  s.exec.launch(add_one, dim3(1), dim3(32), 0, values.data, count);
}

void begin(cudaStream_t stream, cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
  must(cudaStreamBeginCapture(stream, mode));
}

cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  must(cudaStreamIsCapturing(stream, &status));
  return status;
}

/// Ends a capture that has been invalidated; it leaves no graph and no stream in capture mode.
void check_invalid(cudaStream_t origin) {
  CHECK(status_of(origin) == cudaStreamCaptureStatusInvalidated);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(origin, &graph) == cudaErrorStreamCaptureInvalidated);
  CHECK(graph == nullptr);
  CHECK(status_of(origin) == cudaStreamCaptureStatusNone);
  cudaGetLastError();
}

struct graph {
  cudaGraph_t handle = nullptr;
  cudaGraphExec_t exec = nullptr;
  explicit graph(cudaStream_t origin) {
    must(cudaStreamEndCapture(origin, &handle));
    must(cudaGraphInstantiate(&exec, handle, 0));
  }
  ~graph() {
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(handle);
  }
  graph(const graph &) = delete;
  graph &operator=(const graph &) = delete;

  std::vector<cudaGraphNodeType> types() const {
    size_t n = 0;
    must(cudaGraphGetNodes(handle, nullptr, &n));
    std::vector<cudaGraphNode_t> nodes(n);
    must(cudaGraphGetNodes(handle, nodes.data(), &n));
    std::vector<cudaGraphNodeType> result(n);
    for (size_t i = 0; i < n; ++i)
      must(cudaGraphNodeGetType(nodes[i], &result[i]));
    return result;
  }
};

} // namespace

TEST_CASE("what is captured does not run, and a graph runs it anew each time", "[graphs]") {
  session s;
  device_array<float> values(s, count);
  pinned_array in(5), out(-1);
  must(cudaMemsetAsync(values.data, 0, values.bytes(), s.stream));
  must(cudaStreamSynchronize(s.stream));
  begin(s.stream, cudaStreamCaptureModeGlobal);
  CHECK(status_of(s.stream) == cudaStreamCaptureStatusActive);
  must(cudaMemcpyAsync(values.data, in.data, in.bytes(), cudaMemcpyHostToDevice, s.stream));
  launch_add_one(s, values);
  launch_add_one(s, values);
  must(cudaMemcpyAsync(out.data, values.data, out.bytes(), cudaMemcpyDeviceToHost, s.stream));
  const graph g(s.stream);
  CHECK(status_of(s.stream) == cudaStreamCaptureStatusNone);
  CHECK(g.types() ==
        std::vector<cudaGraphNodeType>{cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeKernel,
                                       cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy});
  must(cudaStreamSynchronize(s.stream));
  CHECK(out.data[0] == -1);
  CHECK(values.values() == std::vector<float>(count, 0));
  for (const float x : {5.0f, 7.0f, -3.0f}) {
    in.fill(x);
    must(cudaGraphLaunch(g.exec, s.stream));
    must(cudaStreamSynchronize(s.stream));
    CHECK(out.data[0] == x + 2);
    CHECK(out.data[count - 1] == x + 2);
  }
}

TEST_CASE("a capture forks into another stream and joins again", "[graphs]") {
  session s;
  const beside other;
  device_array<float> a(s, std::vector<float>(count, 1)), b(s, std::vector<float>(count, 10)),
      sum(s, count);
  exec side(other.stream, &s.state, &s.scratch);
  must(cudaStreamSynchronize(s.stream));
  begin(s.stream);
  must(other.order(s.stream, other.stream));
  CHECK(status_of(other.stream) == cudaStreamCaptureStatusActive);
  launch_add_one(s, a);
  {
    access_scope scope(side, "add_one beside", {b.reads(), b.writes()});
    side.launch(add_one, dim3(1), dim3(32), 0, b.data, count);
  }
  must(other.order(other.stream, s.stream));
  {
    access_scope scope(s.exec, "add_to", {a.reads(), b.reads(), sum.writes()});
    s.exec.launch(add_to, dim3(1), dim3(32), 0, a.data, b.data, sum.data, count);
  }
  const graph g(s.stream);
  CHECK(g.types().size() == 3);
  CHECK(status_of(other.stream) == cudaStreamCaptureStatusNone);
  for (int i = 1; i <= 3; ++i) {
    must(cudaGraphLaunch(g.exec, s.stream));
    CHECK(sum.values() == std::vector<float>(count, static_cast<float>(11 + 2 * i)));
  }
  // One launch comes behind the one before, on whatever stream.
  must(cudaGraphLaunch(g.exec, other.stream));
  must(cudaGraphLaunch(g.exec, s.stream));
  CHECK(sum.values() == std::vector<float>(count, 21));
}

TEST_CASE("a graph outlives its template, a launch its executable graph", "[graphs]") {
  session s;
  device_array<float> values(s, std::vector<float>(count, 0));
  must(cudaStreamSynchronize(s.stream));
  begin(s.stream);
  launch_add_one(s, values);
  cudaGraph_t captured = nullptr;
  must(cudaStreamEndCapture(s.stream, &captured));
  cudaGraphExec_t exec = nullptr;
  must(cudaGraphInstantiate(&exec, captured, 0));
  must(cudaGraphDestroy(captured));
  must(cudaGraphLaunch(exec, s.stream));
  must(cudaGraphExecDestroy(exec));
  CHECK(values.values() == std::vector<float>(count, 1));
}

TEST_CASE("capture tells what it has", "[graphs]") {
  session s;
  device_array<float> values(s, std::vector<float>(count, 0));
  must(cudaStreamSynchronize(s.stream));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  must(cudaStreamGetCaptureInfo(s.stream, &status, nullptr, nullptr, nullptr, nullptr, nullptr));
  CHECK(status == cudaStreamCaptureStatusNone);
  unsigned long long ids[2] = {};
  for (unsigned long long &id : ids) {
    begin(s.stream);
    cudaGraph_t inside = nullptr;
    const cudaGraphNode_t *front = nullptr;
    size_t fronts = 7;
    must(cudaStreamGetCaptureInfo(s.stream, &status, &id, &inside, &front, nullptr, &fronts));
    CHECK(status == cudaStreamCaptureStatusActive);
    CHECK(fronts == 0);
    launch_add_one(s, values);
    must(cudaStreamGetCaptureInfo(s.stream, &status, &id, &inside, &front, nullptr, &fronts));
    REQUIRE(fronts == 1);
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    must(cudaGraphNodeGetType(front[0], &type));
    CHECK(type == cudaGraphNodeTypeKernel);
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(s.stream, &graph));
    CHECK(graph == inside);
    must(cudaGraphDestroy(graph));
  }
  CHECK(ids[0] != ids[1]);
}

TEST_CASE("where a capture may begin and end", "[graphs]") {
  const beside one, other;
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed) != cudaSuccess);
  CHECK(cudaStreamEndCapture(one.stream, &graph) != cudaSuccess); // of none
  begin(one.stream);
  CHECK(cudaStreamBeginCapture(one.stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess);
  cudaStreamEndCapture(one.stream, &graph);
  if (graph != nullptr)
    cudaGraphDestroy(graph);
  cudaGetLastError();
  SECTION("not in a stream that has joined it") {
    begin(one.stream);
    must(one.order(one.stream, other.stream));
    CHECK(cudaStreamEndCapture(other.stream, &graph) == cudaErrorStreamCaptureUnmatched);
    cudaStreamEndCapture(one.stream, &graph);
    cudaGetLastError();
  }
  SECTION("not with work that is not joined") {
    session s;
    device_array<float> values(s, std::vector<float>(count, 0));
    must(cudaStreamSynchronize(s.stream));
    begin(one.stream);
    must(one.order(one.stream, s.stream));
    launch_add_one(s, values);
    graph = reinterpret_cast<cudaGraph_t>(&s);
    CHECK(cudaStreamEndCapture(one.stream, &graph) == cudaErrorStreamCaptureUnjoined);
    CHECK(graph == nullptr);
    CHECK(status_of(s.stream) == cudaStreamCaptureStatusNone);
    cudaGetLastError();
  }
  SECTION("in another thread only if it is relaxed") {
    begin(one.stream);
    cudaError_t error = cudaSuccess;
    std::thread([&] { error = cudaStreamEndCapture(one.stream, &graph); }).join();
    CHECK(error == cudaErrorStreamCaptureWrongThread);
    cudaStreamEndCapture(one.stream, &graph);
    if (graph != nullptr)
      cudaGraphDestroy(graph);
    begin(one.stream, cudaStreamCaptureModeRelaxed);
    std::thread([&] { error = cudaStreamEndCapture(one.stream, &graph); }).join();
    CHECK(error == cudaSuccess);
    cudaGraphDestroy(graph);
  }
}

TEST_CASE("nobody waits for what has not run", "[graphs]") {
  const beside one, other;
  begin(one.stream, cudaStreamCaptureModeRelaxed); // not even then
  SECTION("the stream") {
    CHECK(cudaStreamSynchronize(one.stream) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("a query of the stream") {
    CHECK(cudaStreamQuery(one.stream) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("an event") {
    must(cudaEventRecord(one.event, one.stream));
    CHECK(cudaEventSynchronize(one.event) == cudaErrorCapturedEvent);
  }
  SECTION("a query of an event") {
    must(cudaEventRecord(one.event, one.stream));
    CHECK(cudaEventQuery(one.event) == cudaErrorCapturedEvent);
  }
  SECTION("the device") { CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported); }
  check_invalid(one.stream);
}

TEST_CASE("nothing crosses the border of a capture", "[graphs]") {
  const beside one, other;
  SECTION("an event from outside") {
    must(cudaEventRecord(other.event, other.stream));
    begin(one.stream);
    CHECK(cudaStreamWaitEvent(one.stream, other.event, 0) == cudaErrorStreamCaptureIsolation);
    check_invalid(one.stream);
  }
  SECTION("an event of another capture") {
    begin(one.stream);
    begin(other.stream);
    must(cudaEventRecord(other.event, other.stream));
    CHECK(cudaStreamWaitEvent(one.stream, other.event, 0) == cudaErrorStreamCaptureMerge);
    check_invalid(one.stream);
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(other.stream, &graph);
    cudaGetLastError();
  }
  SECTION("the legacy stream beside a blocking one") {
    cudaStream_t blocking = nullptr;
    must(cudaStreamCreateWithFlags(&blocking, cudaStreamDefault));
    begin(blocking, cudaStreamCaptureModeRelaxed);
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(cudaStreamLegacy, &status) == cudaErrorStreamCaptureImplicit);
    CHECK(status_of(blocking) == cudaStreamCaptureStatusActive); // asking does no harm
    cudaGetLastError();
    CHECK(cudaEventRecord(one.event, cudaStreamLegacy) == cudaErrorStreamCaptureImplicit);
    check_invalid(blocking);
    must(cudaStreamDestroy(blocking));
  }
  SECTION("the legacy stream beside one that does not block is free") {
    begin(one.stream);
    must(cudaEventRecord(other.event, cudaStreamLegacy));
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(one.stream, &graph));
    must(cudaGraphDestroy(graph));
  }
}

TEST_CASE("an invalid capture takes nothing more", "[graphs]") {
  session s;
  device_array<float> values(s, std::vector<float>(count, 0));
  must(cudaStreamSynchronize(s.stream));
  begin(s.stream);
  CHECK(cudaStreamSynchronize(s.stream) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaMemsetAsync(values.data, 0, values.bytes(), s.stream) ==
        cudaErrorStreamCaptureInvalidated);
  launch_add_one(s, values);
  CHECK(s.state.error == cudaErrorStreamCaptureInvalidated);
  s.state.error = cudaSuccess;
  check_invalid(s.stream);
  CHECK(values.values() == std::vector<float>(count, 0));
}

TEST_CASE("allocating is unsafe unless the mode allows it", "[graphs]") {
  const beside one;
  void *memory = nullptr;
  const auto allocate = [&] { return cudaMalloc(&memory, 64); };
  SECTION("of this thread") {
    begin(one.stream, cudaStreamCaptureModeThreadLocal);
    CHECK(allocate() == cudaErrorStreamCaptureUnsupported);
    check_invalid(one.stream);
    return;
  }
  const auto from_beside = [&] {
    cudaError_t error = cudaSuccess;
    std::thread([&] { error = allocate(); }).join();
    return error;
  };
  cudaGraph_t graph = nullptr;
  SECTION("of another thread, where that is ignored") {
    begin(one.stream, cudaStreamCaptureModeThreadLocal);
    CHECK(from_beside() == cudaSuccess);
    must(cudaStreamEndCapture(one.stream, &graph));
  }
  SECTION("of another thread, where it is not") {
    begin(one.stream, cudaStreamCaptureModeGlobal);
    CHECK(from_beside() == cudaErrorStreamCaptureUnsupported);
    check_invalid(one.stream);
    return;
  }
  SECTION("a relaxed capture") {
    begin(one.stream, cudaStreamCaptureModeRelaxed);
    CHECK(allocate() == cudaSuccess);
    must(cudaStreamEndCapture(one.stream, &graph));
  }
  SECTION("a relaxed thread") {
    begin(one.stream, cudaStreamCaptureModeGlobal);
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    must(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == cudaStreamCaptureModeGlobal);
    CHECK(allocate() == cudaSuccess);
    must(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == cudaStreamCaptureModeRelaxed);
    must(cudaStreamEndCapture(one.stream, &graph));
  }
  must(cudaGraphDestroy(graph));
  must(cudaFree(memory));
}

namespace {

CAMEO_KERNEL void set_condition(cudaGraphConditionalHandle handle, unsigned value) {
  if (thread() == 0)
    cudaGraphSetConditional(handle, value);
}

/// Goes on until the first element has reached `most`.
CAMEO_KERNEL void go_on_until(const float *values, float most, cudaGraphConditionalHandle handle) {
  if (thread() == 0)
    cudaGraphSetConditional(handle, values[0] < most);
}

/// Puts work of the session's stream behind a new conditional node from now on; returns its bodies.
cudaGraph_t *add_conditional(session &s, cudaGraphConditionalHandle handle,
                             cudaGraphConditionalNodeType kind, unsigned size = 1) {
  cudaStreamCaptureStatus status;
  cudaGraph_t inside = nullptr;
  const cudaGraphNode_t *front = nullptr;
  size_t fronts = 0;
  must(cudaStreamGetCaptureInfo(s.stream, &status, nullptr, &inside, &front, nullptr, &fronts));
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = kind;
  params.conditional.size = size;
  cudaGraphNode_t node = nullptr;
  must(cudaGraphAddNode(&node, inside, front, nullptr, fronts, &params));
  must(cudaStreamUpdateCaptureDependencies(s.stream, &node, nullptr, 1,
                                           cudaStreamSetCaptureDependencies));
  return params.conditional.phGraph_out;
}

cudaGraphConditionalHandle make_handle(session &s, unsigned value = 0, unsigned flags = 0) {
  cudaStreamCaptureStatus status;
  cudaGraph_t inside = nullptr;
  must(cudaStreamGetCaptureInfo(s.stream, &status, nullptr, &inside, nullptr, nullptr, nullptr));
  cudaGraphConditionalHandle handle = 0;
  must(cudaGraphConditionalHandleCreate(&handle, inside, value, flags));
  return handle;
}

/// Captures `work`, given to the executor, as the body.
template <class F> void fill_body(session &s, const beside &own, cudaGraph_t body, F work) {
  must(cudaStreamBeginCaptureToGraph(own.stream, body, nullptr, nullptr, 0,
                                     cudaStreamCaptureModeThreadLocal));
  exec e(own.stream, &s.state, &s.scratch);
  work(e);
  cudaGraph_t ended = nullptr;
  must(cudaStreamEndCapture(own.stream, &ended));
  CHECK(ended == body);
}

void add_one_on(exec &e, device_array<float> &values) {
  access_scope scope(e, "add_one", {values.reads(), values.writes()});
  e.launch(add_one, dim3(1), dim3(32), 0, values.data, count);
}

} // namespace

TEST_CASE("a node runs its body if a kernel has said so", "[graphs]") {
  session s;
  const beside own;
  device_array<float> values(s, std::vector<float>(count, 0)), flag(s, std::vector<float>(1, 0));
  must(cudaStreamSynchronize(s.stream));
  begin(s.stream);
  const cudaGraphConditionalHandle handle = make_handle(s);
  {
    access_scope scope(s.exec, "decide", {flag.reads()});
    s.exec.launch(go_on_until, dim3(1), dim3(32), 0, flag.data, 1.0f, handle);
  }
  cudaGraph_t *bodies = add_conditional(s, handle, cudaGraphCondTypeIf, 2);
  launch_add_one(s, values); // behind the node
  fill_body(s, own, bodies[0], [&](exec &e) { add_one_on(e, values); });
  fill_body(s, own, bodies[1],
            [&](exec &e) { e.fill(values.data, 0, static_cast<int64_t>(values.bytes())); });
  const graph g(s.stream);
  CHECK(g.types() == std::vector<cudaGraphNodeType>{cudaGraphNodeTypeKernel,
                                                    cudaGraphNodeTypeConditional,
                                                    cudaGraphNodeTypeKernel});
  must(cudaGraphLaunch(g.exec, s.stream));
  CHECK(values.values() == std::vector<float>(count, 2));
  must(cudaGraphLaunch(g.exec, s.stream));
  CHECK(values.values() == std::vector<float>(count, 4));
  const float one = 1;
  must(cudaMemcpyAsync(flag.data, &one, sizeof(one), cudaMemcpyHostToDevice, s.stream));
  must(cudaGraphLaunch(g.exec, s.stream));
  CHECK(values.values() == std::vector<float>(count, 1));
}

TEST_CASE("a node runs its body while kernels in it say so", "[graphs]") {
  session s;
  const beside own;
  device_array<float> values(s, std::vector<float>(count, 0));
  must(cudaStreamSynchronize(s.stream));
  begin(s.stream);
  const cudaGraphConditionalHandle handle = make_handle(s, 1, cudaGraphCondAssignDefault);
  cudaGraph_t *bodies = add_conditional(s, handle, cudaGraphCondTypeWhile);
  fill_body(s, own, bodies[0], [&](exec &e) {
    add_one_on(e, values);
    access_scope scope(e, "go_on_until", {values.reads()});
    e.launch(go_on_until, dim3(1), dim3(32), 0, values.data, 5.0f, handle);
  });
  const graph g(s.stream);
  must(cudaGraphLaunch(g.exec, s.stream));
  CHECK(values.values() == std::vector<float>(count, 5));
  must(cudaGraphLaunch(g.exec, s.stream)); // from its default again, and so once
  CHECK(values.values() == std::vector<float>(count, 6));
}

TEST_CASE("a node runs the body of a number, or none", "[graphs]") {
  session s;
  const beside own;
  device_array<float> values(s, std::vector<float>(count, 0));
  must(cudaStreamSynchronize(s.stream));
  for (unsigned chosen = 0; chosen < 4; ++chosen) {
    must(cudaMemsetAsync(values.data, 0, values.bytes(), s.stream));
    must(cudaStreamSynchronize(s.stream));
    begin(s.stream);
    const cudaGraphConditionalHandle handle = make_handle(s);
    s.exec.launch(set_condition, dim3(1), dim3(32), 0, handle, chosen);
    cudaGraph_t *bodies = add_conditional(s, handle, cudaGraphCondTypeSwitch, 3);
    for (unsigned body = 0; body < 3; ++body)
      fill_body(s, own, bodies[body], [&](exec &e) {
        for (unsigned i = 0; i <= body; ++i)
          add_one_on(e, values);
      });
    const graph g(s.stream);
    must(cudaGraphLaunch(g.exec, s.stream));
    const float sum = chosen < 3 ? static_cast<float>(chosen + 1) : 0;
    CHECK(values.values() == std::vector<float>(count, sum));
  }
}

TEST_CASE("what conditional nodes forbid their graph", "[graphs]") {
  session s;
  const beside own;
  device_array<float> values(s, std::vector<float>(count, 0));
  must(cudaStreamSynchronize(s.stream));
  begin(s.stream);
  const cudaGraphConditionalHandle handle = make_handle(s, 1, cudaGraphCondAssignDefault);
  cudaGraph_t *bodies = add_conditional(s, handle, cudaGraphCondTypeIf);
  fill_body(s, own, bodies[0], [&](exec &e) { add_one_on(e, values); });
  const graph g(s.stream);
  cudaGraph_t clone = nullptr;
  cudaGraphExec_t second = nullptr;
  CHECK(cudaGraphClone(&clone, g.handle) != cudaSuccess);
  CHECK(cudaGraphInstantiate(&second, g.handle, 0) != cudaSuccess); // one at a time
  cudaGetLastError();
  must(cudaGraphLaunch(g.exec, s.stream));
  CHECK(values.values() == std::vector<float>(count, 1));
}

TEST_CASE("a clone shares nothing with its graph", "[graphs]") {
  session s;
  device_array<float> values(s, std::vector<float>(count, 0));
  must(cudaStreamSynchronize(s.stream));
  begin(s.stream);
  launch_add_one(s, values);
  launch_add_one(s, values);
  cudaGraph_t captured = nullptr, clone = nullptr;
  cudaGraphExec_t exec = nullptr;
  must(cudaStreamEndCapture(s.stream, &captured));
  must(cudaGraphClone(&clone, captured));
  must(cudaGraphDestroy(captured));
  must(cudaGraphInstantiate(&exec, clone, 0));
  must(cudaGraphLaunch(exec, s.stream));
  CHECK(values.values() == std::vector<float>(count, 2));
  must(cudaGraphExecDestroy(exec));
  must(cudaGraphDestroy(clone));
}
