// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that the device runs, as conditional nodes: of the caller's graph, or of one that the run
// launches. A device without such nodes has the host enqueue each iteration.
#include "device_state.h"

namespace cameo::cuda {

repetition::repetition(context &c, conditional_bodies &bodies, const int64_t *trips, bool begins,
                       int64_t most)
    : conditional(c, bodies), trips_(trips), most_(most),
      left_(begins && most > 0 ? 1 : 0), look_{-1, sizeof(bool)},
      scratch_mark_(bodies.scratch().mark()) {
  if (left_ == 0)
    return;
  // A capture finds the scratch memory that a rehearsal has taken.
  const bool rehearsed = bodies.is_recorded();
  // The body may hold branches.
  const bool has_nodes =
      bodies.can_add(api::conditional_while, 1) && bodies.can_add(api::conditional_if, 2);
  // A profile times each kernel, by events that are no nodes of a graph.
  by_host_ = (!has_nodes || CAMEO_PROFILE) && !rehearsed;
  if (by_host_)
    left_ = most;
  else if (!rehearsed && bodies.has_new_sizes())
    left_ = 2;
}

repetition::~repetition() {
  end_body();
  if (graph_ != nullptr)
    api::destroy_graph(graph_);
  if (trips_begun_ == 0)
    return;
  context_.compute = outside_;
  context_.drop(look_);
  bodies_.scratch().rewind(scratch_mark_);
}

bool repetition::next() {
  end_body();
  if (left_ == 0 || !call().is_well())
    return false;
  --left_;
  if (by_host_)
    return begin_trip();
  first_ = call().device().kernels + 1;
  const bool captures = left_ == 0 && !call().device().rehearsing;
  return (!captures || add_loop()) && begin_body(body_);
}

/// Nobody knows yet whether there is another iteration: until then its kernels raise nothing.
bool repetition::begin_trip() {
  context &c = context_;
  if (trips_begun_ == 0) {
    outside_ = c.compute;
    first_ = call().device().kernels + 1;
    goes_on_ = static_cast<bool *>(c.compute.scratch(2));
  } else {
    c.compute = outside_.masked_by(flag_of(trips_begun_));
  }
  ++trips_begun_;
  return call().is_well();
}

bool repetition::confirmed() {
  if (!by_host_)
    return true;
  context_.compute = outside_;
  if (look_.slot < 0)
    return call().is_well();
  bool goes_on = false;
  const fetched look = look_;
  look_.slot = -1;
  return ok(context_.await(look, &goes_on)) && goes_on;
}

/// A node that repeats `body_`, until `handle_` is 0; in a graph of its own in a plain run.
bool repetition::add_loop() {
  api::graph graph = nullptr;
  const bool has_graph =
      call().captures()
          ? call().check(api::capture_info(context_.compute.stream(), &graph, nullptr, nullptr))
          : call().check(api::create_graph(&graph_));
  if (graph == nullptr)
    graph = graph_;
  if (!has_graph || !call().check(api::create_handle(&handle_, graph, 1)))
    return false;
  return add_node(api::conditional_while, handle_, graph, &body_, 1);
}

void repetition::again(const bool *condition) {
  context &c = context_;
  bool *flag = by_host_ ? flag_of(trips_begun_) : nullptr;
  launch_again(c.compute, condition,
               {handle_, flag, trips_, most_, c.options.max_loop_trips, first_});
  if (by_host_ && left_ > 0)
    look_ = c.fetch(flag, sizeof(bool));
}

status repetition::end() {
  start();
  return call().first_error();
}

/// The executable graph is freed when it has run.
void repetition::start() {
  if (graph_ == nullptr || !call().is_well())
    return;
  api::graph_exec executable = nullptr;
  if (!call().check(api::instantiate(&executable, graph_)))
    return;
  call().check(api::launch(executable, context_.compute.stream()));
  call().check(api::destroy_exec(executable));
}

} // namespace cameo::cuda
