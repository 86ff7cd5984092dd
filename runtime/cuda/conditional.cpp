// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of conditional nodes, each captured on a stream of its own or rehearsed.
#include "device_state.h"

namespace cameo::cuda {

bool conditional::add_node(api::conditional_kind kind, api::conditional_handle handle,
                           api::graph graph, api::graph *bodies, int count) {
  const api::stream stream = context_.compute.stream();
  api::graph around = nullptr;
  const api::graph_node *front = nullptr;
  size_t fronts = 0;
  if (call().captures() && !call().check(api::capture_info(stream, &around, &front, &fronts)))
    return false;
  api::node_params node = api::conditional_node(kind, handle, count);
  api::graph_node made = nullptr;
  if (!call().check(api::add_node(&made, graph, front, fronts, &node)))
    return false;
  for (int i = 0; i < count; ++i)
    bodies[i] = api::body(node, i);
  return around == nullptr || call().check(api::capture_behind(stream, &made));
}

bool conditional::begin_body(api::graph body) {
  api::stream stream = nullptr;
  if (!bodies_.begin(body, stream))
    return false;
  exec_state &state = call().device();
  inside_ = true;
  captures_ = body != nullptr;
  outside_ = context_.compute;
  rehearsed_outside_ = state.rehearsing;
  context_.compute = exec(stream, &state, &bodies_.scratch());
  state.rehearsing = body == nullptr;
  return true;
}

void conditional::end_body() {
  if (!inside_)
    return;
  bodies_.end(captures_);
  context_.compute = outside_;
  call().device().rehearsing = rehearsed_outside_;
  inside_ = false;
}

} // namespace cameo::cuda
