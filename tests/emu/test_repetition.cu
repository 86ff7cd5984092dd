// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that the device runs: y = x, doubled at least once and until y[0] is 1000 or more, by way
// of other memory. A negative x, or one of 5000 and more, raises OUT_OF_RANGE in the node "check".
// On a device with conditional nodes, and on one without.
#include <catch2/catch.hpp>

#include "calls.h"

namespace cameo::gen::doubled {

using namespace cameo::cuda;

namespace {

struct doubling {
  float *y;
  const float *before;
  error_flag flag;
  CAMEO_DEVICE void operator()(int64_t i) const {
    if (before[i] < 0 || before[i] >= 5000)
      raise(flag, CAMEO_OUT_OF_RANGE, static_cast<int64_t>(before[i]), 0);
    y[i] = 2 * before[i];
  }
};

void twice(exec &e, float *next, const float *y, int64_t n) {
  access_scope scope(e, "twice", {read(y, n * 4), write(next, n * 4)});
  auto *before = static_cast<float *>(e.scratch(static_cast<size_t>(n) * 4));
  e.copy(before, y, n * 4);
  e.launch(scaled::each<doubling>, dim3(1), dim3(64), 0, doubling{next, before, e.flag()}, n);
}

CAMEO_KERNEL void count(const float *y, int64_t *trips, bool *small) {
  if (grid_thread() == 0) {
    ++*trips;
    *small = y[0] < 1000;
  }
}

int64_t most = INT64_MAX;
bool begins = true;
extern const cameo_model model;

status generated(context &c, const cameo_tensor *in, cameo_tensor *out) {
  int64_t N = 0;
  CAMEO_TRY(check_dims(model, in, 1, &N));
  buffer b[3] = {{8, 0, 2, -1, 0, 0, 0}, {8, 0, 2, -1, 0, 0, 0}, {N * 4, 0, 2, -1, 0, 0, 0}};
  CAMEO_TRY(c.plan(b));
  const float *x = c.input<float>(in[0]);
  int64_t *trips = c.at<int64_t>(b[0]);
  bool *small = c.at<bool>(b[1]);
  float *next = c.at<float>(b[2]);
  float *y = c.output<float>(out[0], {N});
  CAMEO_TRY(c.ready());
  c.step(0);
  c.compute.copy(y, x, N * 4);
  c.compute.fill(trips, 0, 8);
  c.step(1);
  auto repeated = c.repeat(trips, begins, most);
  while (repeated.next()) {
    twice(c.compute, next, y, N);
    if (!repeated.confirmed())
      break;
    c.compute.copy(y, next, N * 4);
    {
      access_scope scope(c.compute, "count", {read(y, 4), write(trips, 8), write(small, 1)});
      c.compute.launch(count, dim3(1), dim3(1), 0, y, trips, small);
    }
    repeated.again(small);
  }
  CAMEO_TRY(repeated.end());
  return c.done();
}

/// y = x, doubled where x[0] is below 1000: a branch that the device chooses.
extern const cameo_model once;
status generated_once(context &c, const cameo_tensor *in, cameo_tensor *out) {
  int64_t N = 0;
  CAMEO_TRY(check_dims(once, in, 1, &N));
  buffer b[2] = {{8, 0, 2, -1, 0, 0, 0}, {8, 0, 2, -1, 0, 0, 0}};
  CAMEO_TRY(c.plan(b));
  const float *x = c.input<float>(in[0]);
  int64_t *trips = c.at<int64_t>(b[0]);
  bool *small = c.at<bool>(b[1]);
  float *y = c.output<float>(out[0], {N});
  CAMEO_TRY(c.ready());
  c.step(0);
  c.compute.fill(trips, 0, 8);
  {
    access_scope scope(c.compute, "count", {read(x, 4), write(trips, 8), write(small, 1)});
    c.compute.launch(count, dim3(1), dim3(1), 0, x, trips, small);
  }
  c.step(1);
  auto chosen = c.ask(small);
  for (auto branch = chosen.choose(0); branch.next();) {
    if (branch.taken())
      twice(c.compute, y, x, N);
    else
      c.compute.copy(y, x, N * 4);
  }
  CAMEO_TRY(chosen.end());
  return c.done();
}

template <const cameo_model &MODEL, body BODY> cameo_model model_of(const char *name) {
  cameo_model m = scaled::model;
  m.name = name;
  m.weights = {};
  scaled::set_calls<MODEL, BODY>(m);
  return m;
}
const cameo_model model = model_of<model, generated>("doubled");
const cameo_model once = model_of<once, generated_once>("once");

} // namespace
} // namespace cameo::gen::doubled

using namespace cameo;
using namespace calls;
using Catch::Contains;
using gen::doubled::begins;
using gen::doubled::most;

namespace {

const cameo_model &doubled_model = gen::doubled::model;

/// The device that a test has.
struct device {
  explicit device(bool has_nodes) { cameo_emu_conditional_nodes(has_nodes); }
  ~device() { cameo_emu_conditional_nodes(true); }
};

struct limits {
  explicit limits(int64_t iterations, bool any = true) { most = iterations, begins = any; }
  ~limits() { most = INT64_MAX, begins = true; }
};

status run_on(owner &o, vector_in &x, vector_in &y, cudaStream_t stream = nullptr) {
  return o.m.run(o.c, &x.tensor, 1, &y.tensor, 1, stream);
}

std::vector<float> run_once(owner &o, const std::vector<float> &values) {
  vector_in x(CAMEO_SPACE_DEVICE, values), y(CAMEO_SPACE_DEVICE, std::vector<float>(values.size()));
  well(run_on(o, x, y));
  well(cameo_finish(o.c));
  return y.values();
}

} // namespace

TEST_CASE("a loop of the device's ends where it says", "[repetition]") {
  const device one(GENERATE(true, false));
  owner o(doubled_model);
  CHECK(run_once(o, {3, 1}) == std::vector<float>{1536, 512});
  CHECK(run_once(o, {2000, 1}) == std::vector<float>{4000, 2});
  CHECK(run_once(o, {1, 5, 7}) == std::vector<float>{1024, 5120, 7168});
}

TEST_CASE("a loop of the device's makes no more iterations than it may", "[repetition]") {
  const device one(GENERATE(true, false));
  owner o(doubled_model);
  const limits few(3);
  CHECK(run_once(o, {3, 1}) == std::vector<float>{24, 8});
  most = 0;
  CHECK(run_once(o, {3, 1}) == std::vector<float>{3, 1});
  most = INT64_MAX;
  begins = false;
  CHECK(run_once(o, {3, 1}) == std::vector<float>{3, 1});
}

TEST_CASE("a loop of the device's neither copies nor waits, nor allocates again", "[repetition]") {
  owner o(doubled_model);
  vector_in x(CAMEO_SPACE_DEVICE, {3, 1}), y(CAMEO_SPACE_DEVICE, {0, 0});
  for (int run = 0; run < 3; ++run) {
    well(run_on(o, x, y));
    const cameo_counters n = o.counters();
    CHECK(n.d2h == 0);
    CHECK(n.blocking_syncs == 0);
    CHECK((run == 0 || n.device_allocs == 0));
    well(cameo_finish(o.c));
  }
  CHECK(y.values() == std::vector<float>{1536, 512});
}

TEST_CASE("without conditional nodes a run waits once an iteration, one ahead", "[repetition]") {
  const device one(false);
  owner o(doubled_model);
  vector_in x(CAMEO_SPACE_DEVICE, {1, 5, 7}), y(CAMEO_SPACE_DEVICE, {0, 0, 0});
  for (int run = 0; run < 3; ++run) {
    well(run_on(o, x, y));
    const cameo_counters n = o.counters();
    CHECK(n.blocking_syncs == 10);
    CHECK(n.d2h == 10);
    CHECK(n.launches == 10 * 3 + 1); // an iteration in vain, up to what stays
    CHECK((run == 0 || n.device_allocs == 0));
    well(cameo_finish(o.c)); // what ran in vain has raised nothing
    CHECK(y.values() == std::vector<float>{1024, 5120, 7168});
  }
  const limits as_many(10);
  well(run_on(o, x, y));
  CHECK(o.counters().blocking_syncs == 9);
  CHECK(o.counters().launches == 10 * 3);
  well(cameo_finish(o.c));
  CHECK(y.values() == std::vector<float>{1024, 5120, 7168});
}

TEST_CASE("a capture is refused where there are no conditional nodes", "[repetition]") {
  const device one(false);
  const bool branches = GENERATE(false, true);
  owner o(branches ? gen::doubled::once : doubled_model);
  const std::vector<float> expected =
      branches ? std::vector<float>{6, 2} : std::vector<float>{1536, 512};
  vector_in x(CAMEO_SPACE_DEVICE, {3, 1}), y(CAMEO_SPACE_DEVICE, {0, 0});
  well(run_on(o, x, y));
  well(cameo_finish(o.c));
  own_stream s;
  cudaGraph_t graph = nullptr;
  must(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeGlobal));
  const status refused = run_on(o, x, y, s.handle);
  must(cudaStreamEndCapture(s.handle, &graph));
  CHECK(refused.code == CAMEO_UNSUPPORTED);
  CHECK_THAT(text_of(refused, o.m), Contains("check") && Contains("conditional nodes"));
  size_t nodes = 1;
  must(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 0);
  must(cudaGraphDestroy(graph));
  CHECK(run_once(o, {3, 1}) == expected);
}

TEST_CASE("a loop of the device's in a captured run", "[repetition]") {
  owner o(doubled_model);
  vector_in x(CAMEO_SPACE_DEVICE, {3, 1}), y(CAMEO_SPACE_DEVICE, {0, 0});
  well(run_on(o, x, y));
  well(cameo_finish(o.c));
  own_stream s;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  must(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeGlobal));
  well(run_on(o, x, y, s.handle));
  must(cudaStreamEndCapture(s.handle, &graph));
  must(cudaGraphInstantiate(&exec, graph, 0));
  for (const float first : {3.0f, 300.0f, 1.0f}) {
    const float values[] = {first, 1};
    must(cudaMemcpy(x.memory, values, sizeof(values), cudaMemcpyDefault));
    must(cudaGraphLaunch(exec, s.handle));
    must(cudaStreamSynchronize(s.handle));
    const float factor = first == 3 ? 512 : first == 300 ? 4 : 1024;
    CHECK(y.values() == std::vector<float>{first * factor, factor});
  }
  must(cudaGraphExecDestroy(exec));
  must(cudaGraphDestroy(graph));
}

TEST_CASE("an error in a loop of the device's ends it, and the context goes on", "[repetition]") {
  const device one(GENERATE(true, false));
  owner o(doubled_model);
  vector_in x(CAMEO_SPACE_DEVICE, {-3, 1}), y(CAMEO_SPACE_DEVICE, {0, 0});
  well(run_on(o, x, y));
  const status s = cameo_finish(o.c);
  CHECK(s.code == CAMEO_OUT_OF_RANGE);
  CHECK_THAT(text_of(s, o.m), Contains("check") && Contains("-3"));
  CHECK(y.values() == std::vector<float>{-6, 2});
  CHECK(run_once(o, {3, 1}) == std::vector<float>{1536, 512});
}

TEST_CASE("the caller's limit holds for loops of the device's", "[repetition]") {
  const device one(GENERATE(true, false));
  cameo_options options = defaults();
  options.max_loop_trips = 5;
  owner o(doubled_model, options);
  CHECK(run_once(o, {500, 1}) == std::vector<float>{1000, 2});
  vector_in x(CAMEO_SPACE_DEVICE, {1, 1}), y(CAMEO_SPACE_DEVICE, {0, 0});
  well(run_on(o, x, y));
  const status s = cameo_finish(o.c);
  CHECK(s.code == CAMEO_LIMIT);
  CHECK_THAT(text_of(s, o.m), Contains("check") && Contains("5"));
  CHECK(y.values()[0] == 32);
  const limits few(4);
  CHECK(run_once(o, {1, 1}) == std::vector<float>{16, 16});
}

TEST_CASE("a loop of the device's leaks nothing where a call fails", "[repetition]") {
  for (const char *call :
       {"cudaGraphCreate", "cudaGraphConditionalHandleCreate", "cudaGraphAddNode",
        "cudaStreamBeginCaptureToGraph", "cudaGraphInstantiate", "cudaGraphLaunch"}) {
    INFO(call);
    owner o(doubled_model);
    CHECK(run_once(o, {3, 1}) == std::vector<float>{1536, 512}); // the device is known then
    vector_in x(CAMEO_SPACE_DEVICE, {3, 1}), y(CAMEO_SPACE_DEVICE, {0, 0});
    cameo_emu_fail(call, 1, cudaErrorNotSupported, 0);
    const status s = run_on(o, x, y);
    CHECK(s.code != CAMEO_OK);
    cameo_emu_clear_failures();
    CHECK(run_once(o, {3, 1}) == std::vector<float>{1536, 512});
  }
}
