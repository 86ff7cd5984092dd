// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of conditional nodes, each captured on a stream of its own or rehearsed.
#include "device_state.h"

namespace cameo::cuda {

bool conditional::can_add(api::conditional_kind kind, int bodies) {
  return context_.bodies_.can_add(context_.call_, kind, bodies);
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
  api::stream stream = nullptr;
  if (!c.bodies_.begin(c.call_, body, stream))
    return false;
  inside_ = true;
  captures_ = body != nullptr;
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
  c.bodies_.end(c.call_, captures_);
  c.compute = outside_;
  c.state_.rehearsing = rehearsed_outside_;
  inside_ = false;
}

} // namespace cameo::cuda
