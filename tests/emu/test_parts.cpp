// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each part of a CUDA context by itself: its contract, and what it makes of calls that fail.
// test_memory_parts.cpp has the parts that own memory.
#include <catch2/catch.hpp>

#include "parts.h"

using namespace cameo;
using namespace cameo::cuda;
using namespace calls;

namespace {

/// Device memory and pinned memory of some_bytes each.
struct two_memories {
  void *device = nullptr, *pinned = nullptr;
  two_memories() {
    must(cudaMalloc(&device, some_bytes));
    must(cudaMallocHost(&pinned, some_bytes));
  }
  ~two_memories() {
    cudaFree(device);
    cudaFreeHost(pinned);
  }
  two_memories(const two_memories &) = delete;
  two_memories &operator=(const two_memories &) = delete;
};

/// How many operations on `one` may run beside one on the other, of what `enqueue` does.
template <class F> int64_t beside(const char *one, const char *other, F enqueue) {
  cameo_emu_record(1);
  enqueue();
  const int64_t found = cameo_emu_beside(one, other);
  cameo_emu_record(0);
  return found;
}

} // namespace

// ---- call_state --------------------------------------------------------------------------------

TEST_CASE("the first error of a call stays, until the next call", "[parts]") {
  two_streams parts;
  call_state &call = parts.call;
  CHECK(ok(call.first_error()));
  call.fail(error_not_run());
  call.fail(error_null_argument());
  CHECK(call.first_error().code == error_not_run().code);
  CHECK(call.error().code == error_not_run().code);
  call.forget_error();
  CHECK(ok(call.first_error()));
}

TEST_CASE("a failed call of the device is noted and taken from the caller", "[parts]") {
  two_streams parts;
  parts.state.node = 3;
  cameo_emu_fail("cudaEventRecord", 1, cudaErrorInvalidConfiguration, 0);
  CHECK_FALSE(parts.order.end_run(parts.caller.handle));
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  CHECK(parts.call.first_error().code == CAMEO_INTERNAL);
  CHECK(parts.call.first_error().node == 3);
  CHECK(parts.call.is_disordered());
  parts.call.reorder();
  CHECK_FALSE(parts.call.is_disordered());
  CHECK(ok(parts.call.lost()));
}

TEST_CASE("a failed call of a rehearsal disorders nothing", "[parts]") {
  two_streams parts;
  parts.call.set_pass(call_state::pass::rehearsing);
  CHECK_FALSE(parts.call.check(cudaErrorMemoryAllocation));
  CHECK_FALSE(parts.call.is_disordered());
}

TEST_CASE("a lost device is told for good, with the first suspect", "[parts]") {
  two_streams parts;
  call_state &call = parts.call;
  call.suspect(1);
  call.clear_suspects();
  call.suspect(5);
  call.suspect(6);
  CHECK_FALSE(call.check(cudaErrorIllegalAddress));
  CHECK(call.lost().code == CAMEO_DEVICE_LOST);
  CHECK(call.lost().node == 5);
  call.forget_error();
  CHECK(call.first_error().code == CAMEO_DEVICE_LOST);
}

TEST_CASE("kernels of both sides are heard", "[parts]") {
  two_streams parts;
  parts.host.get().fault.code = CAMEO_OUT_OF_RANGE;
  CHECK(parts.call.first_error().code == CAMEO_OUT_OF_RANGE);
  parts.state.error = cudaErrorLaunchOutOfResources;
  CHECK(parts.call.first_error().code == CAMEO_INTERNAL);
  parts.host.get().fault = {};
}

TEST_CASE("a run that is to be captured says what it may not do", "[parts]") {
  two_streams parts;
  call_state &call = parts.call;
  CHECK(call.may_allocate());
  CHECK_FALSE(call.captures());
  call.begin_captured_body();
  CHECK(call.captures());
  CHECK(call.may_allocate()); // in the body of a plain run's loop
  call.end_captured_body();
  CHECK_FALSE(call.captures());
  call.set_pass(call_state::pass::capturing);
  CHECK(call.captures());
  CHECK_FALSE(call.may_allocate());
  CHECK(text_of(call.error()) == text_of(error_capture_memory()));
  call.forget_error();
  call.set_pass(call_state::pass::rehearsing);
  parts.state.error = cudaErrorStreamCaptureUnsupported; // of scratch memory
  CHECK(text_of(call.first_error()) == text_of(error_capture_memory()));
}

// ---- stream_order ------------------------------------------------------------------------------

TEST_CASE("transfers run beside kernels until they are ordered", "[parts]") {
  two_streams parts;
  two_memories m;
  stream_order &order = parts.order;
  const cudaStream_t compute = parts.caller.handle;
  const auto transfer = [&] {
    must(
        cudaMemcpyAsync(m.pinned, m.device, some_bytes, cudaMemcpyDeviceToHost, order.transfers()));
  };
  const auto work = [&] { must(cudaMemsetAsync(m.device, 0, some_bytes, compute)); };
  order.begin_pass();
  const auto forked = [&] { work(), order.fork(compute), transfer(); };
  CHECK(beside("set", "copy", forked) == 0);
  order.drain();
  const auto joined = [&] { transfer(), order.join(compute), work(); };
  CHECK(beside("set", "copy", joined) == 0);
  order.drain();
}

TEST_CASE("what is joined is joined once", "[parts]") {
  two_streams parts;
  stream_order &order = parts.order;
  const cudaStream_t compute = parts.caller.handle;
  const auto records = [] { return cameo_emu_calls("cudaEventRecord"); };
  order.begin_pass();
  const int64_t before = records() < 0 ? 0 : records();
  order.join_uploads(compute);
  order.join_all(compute);
  CHECK((records() < 0 ? 0 : records()) == before);
  order.fork(compute); // for no upload: kernels do not read what is transferred
  order.join_uploads(compute);
  CHECK(records() == before + 1);
  order.join_all(compute);
  CHECK(records() == before + 2);
  order.note_upload();
  order.join_uploads(compute);
  order.join_all(compute);
  CHECK(records() == before + 3);
}

TEST_CASE("uploads come behind the run before, and are ordered once", "[parts]") {
  two_streams parts;
  two_memories m;
  stream_order &order = parts.order;
  REQUIRE(order.begin_run(parts.caller.handle));
  order.begin_pass();
  const auto runs = [&] {
    must(cudaMemsetAsync(m.device, 0, some_bytes, parts.caller.handle)); // the run before
    CHECK(order.end_run(parts.caller.handle));
    order.end_call();
    order.begin_pass();
    CHECK(order.before_uploads(parts.caller.handle));
    must(
        cudaMemcpyAsync(m.device, m.pinned, some_bytes, cudaMemcpyHostToDevice, order.transfers()));
  };
  CHECK(beside("set", "copy", runs) == 0);
  const int64_t waits = cameo_emu_calls("cudaStreamWaitEvent");
  CHECK(order.before_uploads(parts.caller.handle));
  CHECK(cameo_emu_calls("cudaStreamWaitEvent") == waits);
}

TEST_CASE("a rehearsal puts nothing on the streams", "[parts]") {
  two_streams parts;
  parts.call.set_pass(call_state::pass::rehearsing);
  const cameo_emu_counters before = emulator();
  const int64_t records = cameo_emu_calls("cudaEventRecord");
  parts.order.begin_pass();
  parts.order.fork(parts.caller.handle);
  parts.order.join(parts.caller.handle);
  CHECK(parts.order.before_uploads(parts.caller.handle));
  CHECK(emulator().pending == before.pending);
  CHECK(cameo_emu_calls("cudaEventRecord") == records);
}

TEST_CASE("the streams are waited for without the caller's when that may be gone", "[parts]") {
  two_streams parts;
  {
    const own_stream gone;
    REQUIRE(parts.order.begin_run(gone.handle));
    CHECK(parts.order.end_run(gone.handle));
    parts.order.end_call();
  }
  CHECK(parts.order.drain() == cudaSuccess);
}

TEST_CASE("streams that cannot be made leave nothing behind", "[parts]") {
  const int64_t streams = emulator().live_streams, events = emulator().live_events;
  for (const char *call : {"cudaStreamCreateWithFlags", "cudaEventCreateWithFlags"}) {
    host_half host;
    cameo_context owner{};
    call_state calls(owner, host.get());
    stream_order order(calls);
    cameo_emu_fail(call, 1, cudaErrorMemoryAllocation, 0);
    CHECK_FALSE(order.open());
    CHECK_FALSE(order.is_open());
    CHECK(calls.error().code == CAMEO_OUT_OF_MEMORY);
    order.close();
  }
  CHECK(emulator().live_streams == streams);
  CHECK(emulator().live_events == events);
}

// ---- error_report ------------------------------------------------------------------------------

namespace {

struct reporting : staging {
  error_report report;

  reporting() { REQUIRE(report.open(memory)); }
  ~reporting() {
    order.drain();
    report.close(memory);
  }
  /// A kernel of the caller's stream raises an error.
  void raise(error_slot error) {
    must(cudaMemcpyAsync(state.slot, &error, sizeof(error), cudaMemcpyHostToDevice, caller.handle));
    must(cudaStreamSynchronize(caller.handle));
    REQUIRE(order.end_run(caller.handle));
  }
};

} // namespace

TEST_CASE("what kernels raise is fetched once, behind the run", "[parts]") {
  reporting parts;
  error_report &report = parts.report;
  REQUIRE(report.clear(parts.call, parts.caller.handle));
  parts.raise({0, CAMEO_OUT_OF_RANGE, 7, 2, 10, 9});
  report.restart();
  CHECK_FALSE(report.is_started());
  const int64_t copies = cameo_emu_calls("cudaMemcpyAsync");
  CHECK(report.start(parts.order));
  CHECK(report.start(parts.order));
  CHECK(report.is_started());
  CHECK(cameo_emu_calls("cudaMemcpyAsync") == copies + 1);
  must(cudaEventSynchronize(report.event()));
  REQUIRE(report.is_raised());
  const fault_slot fault = report.fault();
  CHECK(fault.code == CAMEO_OUT_OF_RANGE);
  CHECK(fault.fault_node == 2);
  CHECK(fault.fault_step == 7);
  CHECK(fault.got == 10);
  CHECK(fault.limit == 9);
}

TEST_CASE("the slot is cleared in front of a run where there may be an error in it", "[parts]") {
  reporting parts;
  error_report &report = parts.report;
  const auto fills = [] { return emulator().memsets; };
  const int64_t before = fills();
  REQUIRE(report.clear(parts.call, parts.caller.handle)); // fresh memory
  must(cudaStreamSynchronize(parts.caller.handle));
  CHECK(fills() == before + 1);
  REQUIRE(report.clear(parts.call, parts.caller.handle));
  must(cudaStreamSynchronize(parts.caller.handle));
  CHECK(fills() == before + 1);
  report.soil();
  cameo_emu_fail("cudaMemsetAsync", 1, cudaErrorInvalidConfiguration, 0);
  CHECK_FALSE(report.clear(parts.call, parts.caller.handle));
  CHECK(report.clear(parts.call, parts.caller.handle)); // the run after one that failed
  must(cudaStreamSynchronize(parts.caller.handle));
  CHECK(fills() == before + 2);
}

TEST_CASE("a graph that was not launched has raised nothing", "[parts]") {
  reporting parts;
  parts.report.expect_launch(false);
  CHECK(parts.report.is_launched());
  CHECK_FALSE(parts.report.is_raised());
  parts.report.expect_launch(true);
  CHECK_FALSE(parts.report.is_launched());
}

// ---- run_record --------------------------------------------------------------------------------

TEST_CASE("the first error behind a run is told once", "[parts]") {
  run_record run;
  CHECK(ok(run.take_raised()));
  run.note(error_not_run());
  run.note(error_null_argument());
  CHECK(run.take_raised().code == error_not_run().code);
  CHECK(ok(run.take_raised()));
}

TEST_CASE("a run is unfinished until somebody has waited for it", "[parts]") {
  run_record run;
  CHECK_FALSE(run.is_unfinished());
  run.begin_pass();
  run.begin();
  run.end(error_not_run());
  CHECK(run.is_unfinished());
  CHECK(run.returned().code == error_not_run().code);
  run.finish();
  CHECK_FALSE(run.is_unfinished());
}

TEST_CASE("the sizes of the first run are new, and those that a run says are", "[parts]") {
  run_record run;
  run.begin_pass();
  CHECK(run.has_new_sizes());
  run.begin_pass();
  CHECK_FALSE(run.has_new_sizes());
  run.note_new_sizes();
  CHECK(run.has_new_sizes());
  run.begin_pass();
  CHECK_FALSE(run.has_new_sizes());
}

TEST_CASE("counted extents reach the outputs that they are of", "[parts]") {
  counted_extent room[3];
  int64_t dims[2][2] = {{5, 6}, {7, 8}};
  cameo_tensor outputs[2]{};
  outputs[0].dims = dims[0];
  outputs[1].dims = dims[1];
  bindings tensors;
  tensors.outputs = outputs;
  run_record run;
  counted_extents &extents = run.extents;
  extents.use(room);
  CHECK(extents.is_empty());
  const int64_t source[2] = {};
  const counted_extent which[2] = {{1, 0}, {0, 1}};
  extents.begin({-1, 16}, source, which, 2); // the fetch failed
  CHECK(extents.is_empty());
  extents.begin({4, 16}, source, which, 2);
  CHECK(extents.slot() == 4);
  CHECK(extents.find(1, 0) == source);
  CHECK(extents.find(0, 1) == source + 1);
  CHECK(extents.find(0, 0) == nullptr);
  int64_t values[2] = {};
  extents.expect(values, tensors);
  CHECK(values[0] == 7);
  CHECK(values[1] == 6);
  values[0] = 3;
  values[1] = 2;
  extents.give(values, tensors);
  CHECK(dims[1][0] == 3);
  CHECK(dims[0][1] == 2);
  CHECK(dims[0][0] == 5);
  run.abandon();
  CHECK(extents.is_empty());
  CHECK(extents.find(1, 0) == nullptr);
}

TEST_CASE("counted extents have room for every dim of every output", "[parts]") {
  cameo_port ports[2]{};
  ports[0].rank = 3;
  ports[1].rank = -1;
  cameo_model m{};
  m.outputs = ports;
  m.output_count = 2;
  CHECK(counted_extents::bytes(m) == (3 + CAMEO_MAX_RANK) * sizeof(counted_extent));
}

TEST_CASE("work behind a run is kept as bytes, in memory that is used again", "[parts]") {
  staging parts;
  deferred_work work;
  CHECK_FALSE(work.is_pending());
  const auto f = [](context &, const void *kept) {
    return *static_cast<const int *>(kept) == 3 ? error_not_run() : success();
  };
  struct {
    int first = 3, rest[15] = {};
  } large;
  REQUIRE(work.keep(parts.call, f, &large, sizeof(large)));
  const int64_t allocations = parts.owner.counters.host_allocs;
  large.first = 0; // it was copied
  CHECK(work.is_pending());
  work.drop();
  CHECK_FALSE(work.is_pending());
  const int small = 3;
  REQUIRE(work.keep(parts.call, f, &small, sizeof(small)));
  CHECK(parts.owner.counters.host_allocs == allocations);
  CHECK(work.is_pending());
  CHECK_FALSE(work.is_running());
  work.close(parts.owner);
}

// ---- port_table --------------------------------------------------------------------------------

namespace {

/// Ports of a model with one input and two outputs.
struct three_ports {
  cameo_model model{};
  port ports[3] = {};
  int64_t bound[2] = {};
  port_table table;

  three_ports() {
    model.input_count = 1;
    model.output_count = 2;
    table.use(model, ports, bound);
  }
};

} // namespace

TEST_CASE("inputs are first among the ports", "[parts]") {
  three_ports t;
  CHECK(&t.table.input(0) == t.ports);
  CHECK(&t.table.output(0) == t.ports + 1);
  CHECK(&t.table.output(1) == t.ports + 2);
  CHECK(&t.table.at(2) == &t.table.output(1));
}

TEST_CASE("a pass begins with nothing bound and nothing to do", "[parts]") {
  three_ports t;
  float data = 0;
  port &p = t.table.output(1);
  p.data = &data;
  p.slot = 4;
  p.left = port::staged;
  t.table.bound()[1] = 12;
  CHECK(t.table.has_staged());
  CHECK(p.is_coming());
  t.table.abandon();
  CHECK_FALSE(t.table.has_staged());
  CHECK_FALSE(p.is_coming());
  CHECK(p.slot == -1);
  CHECK(p.data == &data); // cameo_fetch finds it
  t.table.begin_pass();
  CHECK(p.data == nullptr);
  CHECK(t.bound[0] == -1);
  CHECK(t.bound[1] == -1);
}

TEST_CASE("only what waits in a slot is owed to the host", "[parts]") {
  three_ports t;
  t.table.input(0).left = port::staged; // of an input it means nothing
  for (const auto left :
       {port::nothing, port::to_host, port::to_strided, port::to_device, port::copying})
    for (int32_t k = 0; k < 2; ++k) {
      t.table.output(k).left = left;
      CHECK_FALSE(t.table.has_staged());
      CHECK(t.table.output(k).is_coming() == (left == port::copying));
    }
}

TEST_CASE("ports free what they have", "[parts]") {
  const cameo_emu_counters before = emulator();
  staging parts;
  three_ports t;
  CHECK(parts.memory.grow(t.table.input(0).lent, 100));
  CHECK(parts.memory.grow(t.table.output(1).device, 100));
  must(cudaEventCreateWithFlags(&t.table.output(0).complete, cudaEventDisableTiming));
  CHECK(emulator().live_device_allocs == before.live_device_allocs + 2);
  t.table.close(parts.memory);
  CHECK(emulator().live_device_allocs == before.live_device_allocs);
}

// ---- conditional_bodies ------------------------------------------------------------------------

namespace {

struct with_bodies : staging {
  device_arena arena{memory};
  run_record run;
  conditional_bodies bodies{call, arena, run};
};

} // namespace

TEST_CASE("bodies inside each other have a stream each, made once", "[parts]") {
  with_bodies parts;
  conditional_bodies &bodies = parts.bodies;
  const int64_t streams = emulator().live_streams;
  for (int repeat = 0; repeat < 2; ++repeat) {
    api::stream outer = nullptr, inner = nullptr;
    REQUIRE(bodies.begin(nullptr, outer));
    REQUIRE(bodies.begin(nullptr, inner));
    CHECK(outer != inner);
    CHECK_FALSE(parts.call.captures()); // a rehearsal
    bodies.end(false);
    bodies.end(false);
    CHECK(emulator().live_streams == streams + 2);
  }
  parts.bodies.close();
  CHECK(emulator().live_streams == streams);
}

TEST_CASE("what a body is given goes to its graph", "[parts]") {
  with_bodies parts;
  two_memories m;
  conditional_bodies &bodies = parts.bodies;
  cudaGraph_t graph = nullptr;
  must(cudaGraphCreate(&graph, 0));
  api::stream stream = nullptr;
  REQUIRE(bodies.begin(graph, stream));
  CHECK(parts.call.captures());
  must(cudaMemsetAsync(m.device, 0, some_bytes, stream));
  bodies.end(true);
  CHECK_FALSE(parts.call.captures());
  size_t nodes = 0;
  must(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 1);
  CHECK(ok(parts.call.first_error()));
  must(cudaGraphDestroy(graph));
  bodies.close();
}

TEST_CASE("bodies are inside each other up to a depth", "[parts]") {
  with_bodies parts;
  conditional_bodies &bodies = parts.bodies;
  api::stream stream = nullptr;
  parts.state.node = 6;
  for (int depth = 0; depth < conditional_bodies::deepest; ++depth) {
    CHECK_FALSE(bodies.is_deepest());
    REQUIRE(bodies.begin(nullptr, stream));
  }
  CHECK(bodies.is_deepest());
  CHECK_FALSE(bodies.begin(nullptr, stream));
  CHECK(text_of(parts.call.error()) ==
        text_of(error_capture_depth(6, conditional_bodies::deepest)));
  for (int depth = 0; depth < conditional_bodies::deepest; ++depth)
    bodies.end(false);
  CHECK_FALSE(bodies.is_deepest());
  bodies.close();
}

TEST_CASE("a body whose stream cannot be made is not begun", "[parts]") {
  with_bodies parts;
  conditional_bodies &bodies = parts.bodies;
  api::stream stream = nullptr;
  cameo_emu_fail("cudaStreamCreateWithFlags", 1, cudaErrorMemoryAllocation, 0);
  CHECK_FALSE(bodies.begin(nullptr, stream));
  parts.call.forget_error();
  REQUIRE(bodies.begin(nullptr, stream));
  bodies.end(false);
  bodies.close();
}

TEST_CASE("whether the device has conditional nodes is asked once", "[parts]") {
  for (const bool has : {true, false}) {
    with_bodies parts;
    conditional_bodies &bodies = parts.bodies;
    cameo_emu_conditional_nodes(has);
    CHECK(bodies.can_add(api::conditional_if, 2) == has);
    cameo_emu_conditional_nodes(!has);
    CHECK(bodies.can_add(api::conditional_if, 2) == has);
    CHECK(ok(parts.call.first_error())); // a plain run does without
    parts.call.set_pass(call_state::pass::rehearsing);
    CHECK(bodies.can_add(api::conditional_if, 2) == has);
    CHECK(ok(parts.call.first_error()) == has);
    cameo_emu_conditional_nodes(1);
  }
}

TEST_CASE("work is recorded in a run that is captured, and in bodies of any run", "[parts]") {
  with_bodies parts;
  conditional_bodies &bodies = parts.bodies;
  CHECK_FALSE(bodies.is_recorded());
  for (const auto pass : {call_state::pass::rehearsing, call_state::pass::capturing}) {
    parts.call.set_pass(pass);
    CHECK(bodies.is_recorded());
  }
  parts.call.set_pass(call_state::pass::running);
  parts.call.begin_captured_body();
  CHECK(bodies.is_recorded());
  parts.call.end_captured_body();
  parts.state.rehearsing = true; // the body of a branch that is not taken
  CHECK(bodies.is_recorded());
  parts.state.rehearsing = false;
  CHECK_FALSE(bodies.is_recorded());
}
