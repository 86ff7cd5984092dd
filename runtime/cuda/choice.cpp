// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches on a bool of the device. A captured run has no value to go by: a kernel hands it to a
// conditional node, whose two bodies are captured on a stream of their own.
#include "device_state.h"

namespace cameo::cuda {

choice::choice(context &c, const bool *condition)
    : conditional(c), condition_(condition), value_{-1, sizeof(bool)} {
  if (c.pass_ == context::pass::running && !c.state_.rehearsing)
    value_ = c.fetch(condition, sizeof(bool));
}

choice::~choice() {
  end_body();
  // Of a branch around this one that was not taken: nobody awaits the value.
  if (value_.slot >= 0 && context_.slots_[value_.slot].use == context::staging_slot::held)
    context_.slots_[value_.slot].use = context::staging_slot::flying;
}

bool choice::next() {
  end_body();
  const int turn = turn_++;
  if (!ok(context_.device_status()))
    return false;
  return turn == 0 ? take_first() : turn == 1 && take_second();
}

status choice::end() { return context_.device_status(); }

bool choice::take_first() {
  context &c = context_;
  decides_ = c.pass_ == context::pass::running && !c.state_.rehearsing;
  if (decides_) {
    const fetched value = value_;
    value_.slot = -1;
    return ok(c.await(value, &taken_));
  }
  taken_ = true;
  if (c.pass_ == context::pass::capturing && !add_branches())
    return false;
  return begin_body(bodies_[0]);
}

bool choice::take_second() {
  context &c = context_;
  taken_ = !taken_;
  const bool sizes_are_new = c.planned_ || c.run_number_ <= 1;
  if (decides_ && (!sizes_are_new || c.choice_depth_ == context::deepest_choice))
    return false;
  return begin_body(bodies_[taken_ ? 0 : 1]);
}

/// What is enqueued from now on comes behind a node that chooses between `bodies_`.
bool choice::add_branches() {
  context &c = context_;
  cudaGraph_t graph = nullptr;
  cudaGraphNodeParams node = {};
  cudaStreamCaptureStatus captured;
  if (!c.check(cudaStreamGetCaptureInfo(c.compute.stream(), &captured, nullptr, &graph, nullptr,
                                        nullptr, nullptr)) ||
      !c.check(cudaGraphConditionalHandleCreate(&node.conditional.handle, graph, 0, 0)))
    return false;
  launch_decide(c.compute, condition_, node.conditional.handle);
  node.conditional.type = cudaGraphCondTypeIf;
  return ok(c.device_status()) && add_node(node, graph, bodies_, 2);
}

} // namespace cameo::cuda
