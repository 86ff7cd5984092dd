// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs whose stream is being captured: what the graph then does with new contents of the same
// buffers, what is told of its launches, and every way in which a capture is refused before it has
// got anything.
#include <catch2/catch.hpp>

#include "calls.h"
#include "counted_model.h"

namespace cameo::gen::late {

// y = 2 x + w[0] by way of two large buffers, whose sizes become known one behind the other.
using namespace cameo::cuda;

namespace {

struct symbols {
  int64_t N;
};
struct state {
  memo<symbols> sized;
  buffer b[2];
};

extern const cameo_model model;

status generated(context &c, const cameo_tensor *in, cameo_tensor *out) {
  symbols s;
  CAMEO_TRY(check_dims(model, in, 1, &s.N));
  buffer(&b)[2] = c.state<state>().b;
  if (c.changed(c.state<state>().sized, s)) {
    b[0] = {unknown_bytes, 0, 3};
    b[1] = {unknown_bytes, 1, 3};
    CAMEO_TRY(c.plan(b));
    c.remember(c.state<state>().sized, s);
  }
  const float *x = c.input<float>(in[0]);
  float *y = c.output<float>(out[0], {s.N});
  CAMEO_TRY(c.ready());
  for (int32_t k = 0; k < 2; ++k) {
    b[k].bytes = bytes_of(checked(s.N) * checked(4000));
    CAMEO_TRY(c.replan(b, k));
    float *t = c.at<float>(b[k]);
    c.compute.copy(t, x, s.N * 4);
    x = t;
  }
  scaled::scale(c.compute, x, c.constants<float[16]>(), y, s.N);
  return c.done();
}

cameo_model model_of() {
  cameo_model m = scaled::model;
  m.name = "late";
  m.state_bytes = sizeof(state);
  scaled::set_calls<model, generated>(m);
  return m;
}
const cameo_model model = model_of();

} // namespace
} // namespace cameo::gen::late

namespace cameo::gen::resting {

// y = x, whose first element the host looks at when the run is over. Nothing raises an error.
using namespace cameo::cuda;

namespace {

int looked = 0;
float seen = 0;
extern const cameo_model model;

status generated(context &c, const cameo_tensor *in, cameo_tensor *out) {
  int64_t N = 0;
  CAMEO_TRY(check_dims(model, in, 1, &N));
  const float *x = c.input<float>(in[0]);
  float *y = c.output<float>(out[0], {N});
  CAMEO_TRY(c.ready());
  c.compute.copy(y, x, N * 4);
  const fetched first = c.fetch(y, 4);
  auto rest = [first](context &c) -> status {
    ++looked;
    return c.await(first, &seen);
  };
  return c.done(rest);
}

cameo_model model_of() {
  cameo_model m = scaled::model;
  m.name = "resting";
  scaled::set_calls<model, generated>(m);
  return m;
}
const cameo_model model = model_of();

} // namespace
} // namespace cameo::gen::resting

using namespace cameo;
using namespace calls;
using Catch::Contains;

namespace {

const cameo_model &counted_model = gen::counted::model;

/// A stream under capture, and what comes of it.
struct capture {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;

  capture() { must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~capture() {
    if (exec)
      cudaGraphExecDestroy(exec);
    if (graph)
      cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
  capture(const capture &) = delete;
  capture &operator=(const capture &) = delete;

  void begin() { must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)); }
  size_t end() {
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    size_t nodes = 0;
    must(cudaGraphGetNodes(graph, nullptr, &nodes));
    return nodes;
  }
  void launch() { must(cudaGraphLaunch(exec, stream)); }
  void launch_and_wait() {
    launch();
    must(cudaStreamSynchronize(stream));
  }
};

status run_on(cameo_context *c, vector_in &x, vector_in &y, cudaStream_t stream = nullptr,
              const cameo_model &m = scaled_model) {
  return m.run(c, &x.tensor, 1, &y.tensor, 1, stream);
}

void warm_up(owner &o, vector_in &x, vector_in &y) {
  well(run_on(o.c, x, y, nullptr, o.m));
  well(cameo_finish(o.c));
}

/// New contents in the same memory.
void refill(vector_in &x, const std::vector<float> &values) {
  must(cudaMemcpy(x.memory, values.data(), values.size() * 4, cudaMemcpyDefault));
}

std::vector<float> shifted(size_t n, float by) {
  std::vector<float> v = ramp(n);
  for (float &f : v)
    f += by;
  return v;
}

/// The call is refused with these words, the capture is whole, and the context works.
void refused(owner &o, vector_in &x, vector_in &y, const char *words) {
  capture g;
  g.begin();
  const status s = run_on(o.c, x, y, g.stream, o.m);
  CHECK(s.code == CAMEO_UNSUPPORTED);
  CHECK_THAT(text_of(s, o.m), Contains(words));
  CHECK(g.end() == 0);
  CHECK(cudaGetLastError() == cudaSuccess);
  well(run_on(o.c, x, y, nullptr, o.m));
  well(cameo_finish(o.c));
}

} // namespace

TEST_CASE("a captured run, launched on new contents", "[capture]") {
  for (int32_t in_space : {CAMEO_SPACE_PINNED, CAMEO_SPACE_DEVICE, CAMEO_SPACE_MANAGED})
    for (int32_t out_space : {CAMEO_SPACE_PINNED, CAMEO_SPACE_DEVICE, CAMEO_SPACE_MANAGED}) {
      INFO("spaces " << in_space << ", " << out_space);
      owner o;
      vector_in x(in_space, ramp(300)), y(out_space, std::vector<float>(300));
      warm_up(o, x, y);
      capture g;
      cameo_emu_reset_counters();
      g.begin();
      well(run_on(o.c, x, y, g.stream));
      g.end();
      CHECK(emulator().launches == 0);
      CHECK(emulator().blocking_syncs == 0);
      CHECK(emulator().device_allocs + emulator().pinned_allocs == 0);
      for (float by : {0.0f, 10.0f, 20.0f}) {
        refill(x, shifted(300, by));
        cameo_emu_reset_counters();
        g.launch();
        CHECK(emulator().blocking_syncs == 0);
        CHECK(emulator().launches == 1);
        CHECK(emulator().h2d == (in_space == CAMEO_SPACE_PINNED));
        CHECK(emulator().d2h == 1 + (out_space == CAMEO_SPACE_PINNED)); // the error slot
        must(cudaStreamSynchronize(g.stream));
        well(cameo_finish(o.c));
        CHECK(emulator().blocking_syncs == 1); // ours: finish waits for nothing
        CHECK(y.values() == expected(shifted(300, by)));
      }
    }
}

TEST_CASE("strided memory of the device is captured, with its repack", "[capture]") {
  owner o;
  vector_in x(CAMEO_SPACE_DEVICE, ramp(100), 3), y(CAMEO_SPACE_DEVICE, std::vector<float>(100), 2);
  warm_up(o, x, y);
  capture g;
  g.begin();
  well(run_on(o.c, x, y, g.stream));
  g.end();
  g.launch_and_wait();
  CHECK(y.values() == expected(ramp(100)));
}

TEST_CASE("an error of a launch comes out of finish, each time anew", "[capture]") {
  owner o;
  vector_in x(CAMEO_SPACE_DEVICE, ramp(50)), y(CAMEO_SPACE_DEVICE, std::vector<float>(50));
  warm_up(o, x, y);
  capture g;
  g.begin();
  well(run_on(o.c, x, y, g.stream));
  well(cameo_finish(o.c)); // nothing has been launched; the capture is none the worse
  g.end();
  std::vector<float> bad = ramp(50);
  bad[20] = -3;
  for (bool wrong : {false, true, true, false}) {
    refill(x, wrong ? bad : ramp(50));
    g.launch_and_wait();
    const status s = cameo_finish(o.c);
    CHECK(s.code == (wrong ? CAMEO_OUT_OF_RANGE : CAMEO_OK));
    CHECK(s.node == (wrong ? 1 : -1));
    CHECK(cameo_finish(o.c).code == s.code);
  }
  refill(x, bad);
  g.launch_and_wait();
  refill(x, ramp(50));
  well(run_on(o.c, x, y)); // does not take the launch's error for its own
  well(cameo_finish(o.c));
}

TEST_CASE("what the host does behind a launch it does for launches only", "[capture]") {
  namespace resting = gen::resting;
  owner o(resting::model);
  vector_in x(CAMEO_SPACE_DEVICE, {4, 5, 6}), y(CAMEO_SPACE_DEVICE, {0, 0, 0});
  warm_up(o, x, y);
  CHECK(resting::seen == 4);
  capture g;
  g.begin();
  well(run_on(o.c, x, y, g.stream, o.m));
  g.end();
  resting::looked = 0;
  well(cameo_finish(o.c)); // nothing has been launched
  CHECK(resting::looked == 0);
  CHECK(resting::seen == 4);
  for (float first : {7.0F, -1.0F}) {
    refill(x, {first, 8, 9});
    g.launch_and_wait();
    well(cameo_finish(o.c));
    CHECK(resting::seen == first);
  }
  CHECK(resting::looked == 2);
}

TEST_CASE("an extent that the device counts is there for the run behind", "[capture]") {
  owner o(counted_model);
  own_stream s;
  vector_in x(CAMEO_SPACE_DEVICE, {1, -2, 3, 4}), y(CAMEO_SPACE_DEVICE, {0, 0, 0, 0});
  well(run_on(o.c, x, y, s.handle, counted_model));
  cameo_emu_counters before, after;
  cameo_emu_get_counters(&before);
  cameo_tensor extent{};
  well(cameo_extent(o.c, 0, 0, &extent));
  CHECK((extent.dtype == CAMEO_INT64 && extent.rank == 0 && extent.bytes == 8));
  REQUIRE(extent.space == CAMEO_SPACE_DEVICE);
  int64_t *count = nullptr;
  must(cudaMallocHost(reinterpret_cast<void **>(&count), sizeof(*count)));
  must(cudaMemcpyAsync(count, extent.data, sizeof(*count), cudaMemcpyDefault, s.handle));
  cameo_emu_get_counters(&after);
  CHECK(after.blocking_syncs == before.blocking_syncs);
  must(cudaStreamSynchronize(s.handle));
  CHECK(*count == 3);
  must(cudaFreeHost(count));
  // Behind finish() the host knows it.
  well(cameo_finish(o.c));
  well(cameo_extent(o.c, 0, 0, &extent));
  REQUIRE(extent.space == CAMEO_SPACE_HOST);
  CHECK(*static_cast<const int64_t *>(extent.data) == 3);
}

TEST_CASE("counted extents of a launch", "[capture]") {
  owner o(counted_model);
  vector_in x(CAMEO_SPACE_DEVICE, {1, -1, 2, -2, 3}), y(CAMEO_SPACE_DEVICE, std::vector<float>(5));
  warm_up(o, x, y);
  capture g;
  g.begin();
  well(run_on(o.c, x, y, g.stream, counted_model));
  g.end();
  int64_t dims[1];
  cameo_tensor told = y.tensor;
  told.dims = dims;
  well(cameo_output(o.c, 0, &told));
  CHECK(dims[0] == 5); // before any launch: at most
  for (const auto &[values, count] : std::initializer_list<std::pair<std::vector<float>, int64_t>>{
           {{1, -1, 2, -2, 3}, 3}, {{-1, -1, -1, -1, -1}, 0}, {{9, 8, 7, 6, 5}, 5}}) {
    refill(x, values);
    cameo_emu_reset_counters();
    g.launch();
    CHECK(emulator().d2h == 1);
    CHECK(emulator().d2h_bytes == 8);
    must(cudaStreamSynchronize(g.stream));
    well(cameo_output(o.c, 0, &told));
    CHECK(emulator().blocking_syncs == 1);
    CHECK(dims[0] == count);
  }
}

TEST_CASE("what a graph uses stays, whatever the context does after it", "[capture]") {
  owner o(counted_model);
  vector_in x(CAMEO_SPACE_PINNED, {1, -1, 2}), y(CAMEO_SPACE_PINNED, std::vector<float>(3));
  warm_up(o, x, y);
  capture g;
  g.begin();
  well(run_on(o.c, x, y, g.stream, counted_model));
  g.end();
  for (size_t n : {size_t{3}, size_t{100000}, size_t{3000000}}) { // everything grows
    vector_in more(CAMEO_SPACE_HOST, ramp(n)), out(CAMEO_SPACE_HOST, std::vector<float>(n));
    well(run_on(o.c, more, out, nullptr, counted_model));
    well(cameo_finish(o.c));
    g.launch_and_wait();
    CHECK(std::vector<float>(y.host.size(), 0) != y.values());
    CHECK(y.values()[1] == 2);
  }
  capture second; // the first one's memory is its own
  vector_in more(CAMEO_SPACE_PINNED, {5, 6, 7, -1}), out(CAMEO_SPACE_PINNED, ramp(4));
  warm_up(o, more, out);
  second.begin();
  well(run_on(o.c, more, out, second.stream, counted_model));
  second.end();
  second.launch_and_wait();
  g.launch_and_wait();
  CHECK(out.values()[1] == 6);
  int64_t dims[1];
  cameo_tensor told = out.tensor;
  told.dims = dims;
  well(cameo_output(o.c, 0, &told)); // of the capture that came last
  CHECK(dims[0] == 3);
}

TEST_CASE("what cannot be captured is refused before anything is enqueued", "[capture]") {
  vector_in x(CAMEO_SPACE_DEVICE, ramp(64)), y(CAMEO_SPACE_DEVICE, std::vector<float>(64));
  SECTION("a first run, which allocates") {
    owner o;
    refused(o, x, y, "run it before on the same shapes, and finish that");
  }
  SECTION("larger shapes than before") {
    owner o;
    warm_up(o, x, y);
    vector_in more(CAMEO_SPACE_DEVICE, ramp(100000)),
        out(CAMEO_SPACE_DEVICE, std::vector<float>(100000));
    refused(o, more, out, "run it before on the same shapes, and finish that");
  }
  SECTION("a run that is not finished") {
    owner o;
    well(run_on(o.c, x, y));
    refused(o, x, y, "finish it before the stream is captured");
  }
  SECTION("an input in pageable memory") {
    owner o;
    vector_in pageable(CAMEO_SPACE_HOST, ramp(64));
    warm_up(o, pageable, y);
    refused(o, pageable, y, "input \"x\": only dense pinned memory of the host can be copied");
  }
  SECTION("an output in pageable memory") {
    owner o;
    vector_in pageable(CAMEO_SPACE_HOST, std::vector<float>(64));
    warm_up(o, x, pageable);
    refused(o, x, pageable, "output \"y\": only dense pinned memory of the host can be copied");
  }
  SECTION("strided pinned memory") {
    owner o;
    vector_in strided(CAMEO_SPACE_PINNED, ramp(64), 2);
    warm_up(o, strided, y);
    refused(o, strided, y, "input \"x\": only dense pinned memory");
  }
  SECTION("an event") {
    owner o;
    warm_up(o, x, y);
    cudaEvent_t event;
    must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    y.tensor.done = event;
    refused(o, x, y, "output \"y\": an event cannot be waited for or recorded");
    must(cudaEventDestroy(event));
  }
  SECTION("a wait for a value of the device") {
    owner o(counted_model);
    gen::counted::on_host = true;
    warm_up(o, x, y);
    refused(o, x, y, "the host waits here for a value of the device");
    gen::counted::on_host = false;
  }
}

TEST_CASE("sizes that become known in a run are known to the second one", "[capture]") {
  owner o(gen::late::model);
  vector_in x(CAMEO_SPACE_DEVICE, ramp(300)), y(CAMEO_SPACE_DEVICE, std::vector<float>(300));
  warm_up(o, x, y);
  refused(o, x, y, "twice, where sizes become known only as it runs"); // and run the second time
  capture g;
  g.begin();
  well(run_on(o.c, x, y, g.stream, o.m));
  g.end();
  g.launch_and_wait();
  CHECK(y.values() == expected(ramp(300)));
  cameo_emu_reset_counters();
  warm_up(o, x, y);
  CHECK(emulator().device_allocs == 0);
}

TEST_CASE("streams that cannot take a captured run", "[capture]") {
  owner o;
  vector_in x(CAMEO_SPACE_DEVICE, ramp(64)), y(CAMEO_SPACE_DEVICE, std::vector<float>(64));
  warm_up(o, x, y);
  SECTION("the default stream while one that waits for it is captured") {
    cudaStream_t blocking = nullptr;
    must(cudaStreamCreateWithFlags(&blocking, cudaStreamDefault));
    must(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    const status s = run_on(o.c, x, y);
    CHECK(s.code == CAMEO_UNSUPPORTED);
    CHECK_THAT(text_of(s), Contains("run on the one that is captured"));
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(blocking, &graph));
    must(cudaGraphDestroy(graph));
    must(cudaStreamDestroy(blocking));
  }
  SECTION("one whose capture has failed") {
    capture g;
    g.begin();
    CHECK(cudaStreamSynchronize(g.stream) == cudaErrorStreamCaptureUnsupported);
    cudaGetLastError();
    const status s = run_on(o.c, x, y, g.stream);
    CHECK(s.code == CAMEO_UNSUPPORTED);
    CHECK_THAT(text_of(s), Contains("has failed before the call: end it"));
    CHECK(cudaStreamEndCapture(g.stream, &g.graph) == cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
  }
  warm_up(o, x, y);
  CHECK(y.values() == expected(ramp(64)));
}

TEST_CASE("a call that fails in a capture leaves a context that works", "[capture]") {
  for (const char *function :
       {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync", "cudaEventRecord",
        "cudaStreamWaitEvent", "cudaPointerGetAttributes"}) {
    INFO(function);
    owner o;
    vector_in x(CAMEO_SPACE_PINNED, ramp(64)), y(CAMEO_SPACE_PINNED, std::vector<float>(64));
    warm_up(o, x, y);
    capture g;
    g.begin();
    cameo_emu_fail(function, 1, cudaErrorNotSupported, 0);
    CHECK(run_on(o.c, x, y, g.stream).code == CAMEO_UNSUPPORTED);
    cameo_emu_clear_failures();
    cudaStreamEndCapture(g.stream, &g.graph);
    cudaGetLastError();
    warm_up(o, x, y);
    CHECK(y.values() == expected(ramp(64)));
    capture again;
    again.begin();
    well(run_on(o.c, x, y, again.stream));
    again.end();
    again.launch_and_wait();
    CHECK(y.values() == expected(ramp(64)));
  }
}
