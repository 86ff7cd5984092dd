// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of a run that is captured, and what launches of its graph leave, without a context
// around them.
#include <catch2/catch.hpp>

#include "cameo/cuda/graph_capture.h"

#include "parts.h"

using namespace cameo;
using namespace cameo::cuda;
using namespace calls;

namespace {

struct capturing : staging {
  error_report report;
  device_arena arena{memory};
  run_record run;
  graph_capture capture{memory, pool, arena, run, report};
  counted_extent room[1];

  capturing() {
    REQUIRE(report.open(memory));
    arena.open();
    run.extents.use(room);
    REQUIRE(ok(arena.plan(256, 256)));
  }
  ~capturing() {
    order.drain();
    run.rest.close(owner);
    arena.close();
    report.close(memory);
  }

  /// Both passes of a run, of which `enqueue` is the work and `complete` the end; the graph.
  template <class F> cudaGraph_t graph_of(F enqueue, bool complete = true) {
    must(cudaStreamBeginCapture(caller.handle, cudaStreamCaptureModeThreadLocal));
    capture.begin_rehearsal();
    enqueue();
    capture.end_rehearsal();
    capture.begin_recording(caller.handle);
    enqueue();
    capture.end_recording(caller.handle);
    capture.end(complete, tensors);
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(caller.handle, &graph));
    return graph;
  }
  /// The host has work behind the run.
  void owe() {
    const int nothing = 0;
    REQUIRE(run.rest.keep(
        call, [](context &, const void *) { return success(); }, &nothing, sizeof(nothing)));
  }

  bindings tensors;
};

size_t nodes_of(cudaGraph_t graph) {
  size_t nodes = 0;
  must(cudaGraphGetNodes(graph, nullptr, &nodes));
  must(cudaGraphDestroy(graph));
  return nodes;
}

void launch(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphExec_t executable = nullptr;
  must(cudaGraphInstantiate(&executable, graph, 0));
  must(cudaGraphLaunch(executable, stream));
  must(cudaStreamSynchronize(stream));
  must(cudaGraphExecDestroy(executable));
  must(cudaGraphDestroy(graph));
}

} // namespace

TEST_CASE("a rehearsal has the memory that is there, and its end gives back what it used",
          "[parts]") {
  capturing parts;
  call_state &call = parts.call;
  const int32_t slot = parts.pool.take(100);
  parts.pool.fly(slot); // of the run before, which is finished
  parts.capture.begin_rehearsal();
  CHECK(call.is_rehearsing());
  CHECK(parts.state.rehearsing);
  CHECK(parts.pool.take(100) == slot);
  parts.pool.hold(slot);
  CHECK(parts.arena.scratch().take(256) != nullptr);
  CHECK(parts.arena.scratch().take(size_t{1} << 20) == nullptr);
  CHECK(parts.arena.scratch().error() == api::capture_unsupported);
  CHECK(parts.arena.transfer_scratch().take(256) == nullptr);
  CHECK_FALSE(call.may_allocate());
  parts.state.error = api::capture_unsupported;
  parts.owner.counters.d2h = 3;
  parts.capture.end_rehearsal();
  CHECK_FALSE(parts.state.rehearsing);
  CHECK(parts.state.error == api::success);
  CHECK(parts.owner.counters.d2h == 0);
  CHECK(parts.pool.take(100) == slot);
  parts.capture.end(false, parts.tensors);
  CHECK(call.is_running());
  CHECK_FALSE(parts.capture.is_captured());
  call.forget_error();
  CHECK(parts.arena.scratch().take(size_t{1} << 20) != nullptr);
  CHECK(parts.arena.transfer_scratch().take(256) != nullptr);
}

TEST_CASE("a graph that raises nothing has nothing but its work", "[parts]") {
  capturing parts;
  const auto nothing = [] {};
  CHECK(nodes_of(parts.graph_of(nothing)) == 0);
  CHECK(parts.owner.counters.d2h == 0);
  CHECK(parts.capture.is_captured());
  CHECK(parts.capture.is_launched());
  parts.capture.take_error();
  CHECK(ok(parts.run.take_raised()));
  parts.capture.begin_pass();
  CHECK_FALSE(parts.capture.is_captured());
  CHECK(ok(parts.call.first_error()));
}

TEST_CASE("a graph that may raise an error clears the slot, and fetches it", "[parts]") {
  capturing parts;
  const auto raising = [&] { parts.state.may_raise = true; };
  CHECK(nodes_of(parts.graph_of(raising)) == 2);
  CHECK(parts.owner.counters.d2h == 1);
  CHECK(parts.owner.counters.d2h_bytes == sizeof(error_slot));
}

TEST_CASE("what a launch raises is noted by who asks behind it", "[parts]") {
  capturing parts;
  error_slot *error = static_cast<error_slot *>(parts.memory.allocate_pinned(sizeof(error_slot)));
  REQUIRE(error);
  *error = {0, CAMEO_OUT_OF_RANGE, 7, 2, 10, 9};
  const cudaGraph_t graph = parts.graph_of([&] {
    parts.state.may_raise = true;
    if (!parts.state.rehearsing)
      must(cudaMemcpyAsync(parts.state.slot, error, sizeof(*error), cudaMemcpyHostToDevice,
                           parts.caller.handle));
  });
  parts.capture.take_error(); // nothing was launched yet
  CHECK(ok(parts.run.take_raised()));
  launch(graph, parts.caller.handle);
  parts.capture.take_error();
  CHECK(parts.run.take_raised().code == CAMEO_OUT_OF_RANGE);
  parts.memory.release_pinned(error, sizeof(error_slot));
}

TEST_CASE("work of the host waits for a launch", "[parts]") {
  capturing parts;
  parts.owe();
  const cudaGraph_t graph = parts.graph_of([] {});
  CHECK_FALSE(parts.capture.is_launched());
  launch(graph, parts.caller.handle);
  CHECK(parts.capture.is_launched());
  parts.capture.take_error();
  CHECK(ok(parts.run.take_raised()));
}

TEST_CASE("extents are what they can be at most until a launch has counted them", "[parts]") {
  capturing parts;
  int64_t dim = 9;
  cameo_tensor output{};
  output.dims = &dim;
  parts.tensors.outputs = &output;
  const int32_t slot = parts.pool.take(sizeof(int64_t));
  const int64_t source = 0;
  const counted_extent which[] = {{0, 0}};
  parts.run.extents.begin({slot, sizeof(int64_t)}, &source, which, 1);
  parts.pool.keep(slot);
  must(cudaGraphDestroy(parts.graph_of([] {})));
  dim = 0;
  parts.capture.take_extents(parts.tensors);
  CHECK(dim == 9);
  *static_cast<int64_t *>(parts.pool.at(slot)) = 4;
  parts.capture.take_extents(parts.tensors);
  CHECK(dim == 4);
}

TEST_CASE("memory that a graph may use is not freed, even if the graph has failed", "[parts]") {
  capturing parts;
  must(cudaGraphDestroy(parts.graph_of([] {}, false)));
  CHECK(parts.memory.is_kept());
  CHECK_FALSE(parts.capture.is_captured());
}
