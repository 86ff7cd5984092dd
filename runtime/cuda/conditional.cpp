// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of conditional nodes, each captured on a stream of its own or rehearsed.
#include "device_state.h"

namespace cameo::cuda {

/// Whether a graph takes such a node: a driver that is too old says no, and so may a device. Any
/// other failure comes again where the node is needed.
static bool takes_node(api::conditional_kind kind, int bodies) {
  api::graph graph = nullptr;
  api::graph_node made = nullptr;
  api::conditional_handle handle = 0;
  api::error e = api::create_graph(&graph);
  if (e == api::success)
    e = api::create_handle(&handle, graph);
  if (e == api::success) {
    api::node_params node = api::conditional_node(kind, handle, bodies);
    e = api::add_node(&made, graph, nullptr, 0, &node);
  }
  if (e != api::success)
    api::take_error();
  if (graph != nullptr)
    api::destroy_graph(graph);
  return e == api::success || e == api::out_of_memory || api::is_lost(e);
}

bool conditional::can_add(api::conditional_kind kind, int bodies) {
  context &c = context_;
  context::answer &has = c.has_nodes_[kind];
  if (has == context::answer::unknown)
    has = takes_node(kind, bodies) ? context::answer::yes : context::answer::no;
  if (has == context::answer::no)
    c.call_.may(error_capture_conditional(c.state_.node));
  return has == context::answer::yes;
}

bool conditional::add_node(api::conditional_kind kind, api::conditional_handle handle,
                           api::graph graph, api::graph *bodies, int count) {
  context &c = context_;
  const api::stream stream = c.compute.stream();
  api::graph around = nullptr;
  const api::graph_node *front = nullptr;
  size_t fronts = 0;
  if (c.call_.captures() && !c.call_.check(api::capture_info(stream, &around, &front, &fronts)))
    return false;
  api::node_params node = api::conditional_node(kind, handle, count);
  api::graph_node made = nullptr;
  if (!c.call_.check(api::add_node(&made, graph, front, fronts, &node)))
    return false;
  for (int i = 0; i < count; ++i)
    bodies[i] = api::body(node, i);
  return around == nullptr || c.call_.check(api::capture_behind(stream, &made));
}

bool conditional::begin_body(api::graph body) {
  context &c = context_;
  if (c.choice_depth_ == context::deepest_choice) {
    c.call_.fail(error_capture_depth(c.state_.node, context::deepest_choice));
    return false;
  }
  api::stream &stream = c.body_streams_[c.choice_depth_];
  if (stream == nullptr && !c.call_.check(api::create_stream(&stream)))
    return false;
  if (body != nullptr && !c.call_.check(api::begin_capture(stream, body)))
    return false;
  ++c.choice_depth_;
  inside_ = true;
  captures_ = body != nullptr;
  if (captures_)
    c.call_.begin_captured_body();
  outside_ = c.compute;
  rehearsed_outside_ = c.state_.rehearsing;
  c.compute = exec(stream, &c.state_, &c.arena_.scratch());
  c.state_.rehearsing = body == nullptr;
  return true;
}

void conditional::end_body() {
  if (!inside_)
    return;
  context &c = context_;
  api::graph ended = nullptr;
  if (captures_) {
    c.call_.check(api::end_capture(c.compute.stream(), &ended));
    c.call_.end_captured_body();
  }
  c.compute = outside_;
  c.state_.rehearsing = rehearsed_outside_;
  --c.choice_depth_;
  inside_ = false;
}

} // namespace cameo::cuda
