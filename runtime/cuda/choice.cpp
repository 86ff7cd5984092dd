// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches on a bool of the device. A captured run has no value to go by: a kernel hands it to a
// conditional node, whose two bodies are captured on a stream of their own.
#include "device_state.h"

namespace cameo::cuda {

choice::choice(context &c, const bool *condition)
    : context_(c), condition_(condition), value_{-1, sizeof(bool)} {
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
  if (c.pass_ == context::pass::capturing && !add_node())
    return false;
  return begin_body();
}

bool choice::take_second() {
  context &c = context_;
  taken_ = !taken_;
  const bool sizes_are_new = c.planned_ || c.run_number_ <= 1;
  if (decides_ && (!sizes_are_new || c.choice_depth_ == context::deepest_choice))
    return false;
  return begin_body();
}

/// What is enqueued from now on comes behind a node that chooses between `bodies_`.
bool choice::add_node() {
  context &c = context_;
  const cudaStream_t stream = c.compute.stream();
  cudaStreamCaptureStatus captured;
  cudaGraph_t graph = nullptr;
  cudaGraphConditionalHandle handle = 0;
  if (!c.check(cudaStreamGetCaptureInfo(stream, &captured, nullptr, &graph, nullptr, nullptr,
                                        nullptr)) ||
      !c.check(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0)))
    return false;
  launch_decide(c.compute, condition_, handle);
  const cudaGraphNode_t *front = nullptr;
  size_t fronts = 0;
  if (!ok(c.device_status()) || !c.check(cudaStreamGetCaptureInfo(
                                    stream, &captured, nullptr, &graph, &front, nullptr, &fronts)))
    return false;
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.handle = handle;
  node.conditional.type = cudaGraphCondTypeIf;
  node.conditional.size = 2;
  cudaGraphNode_t made = nullptr;
  if (!c.check(cudaGraphAddNode(&made, graph, front, nullptr, fronts, &node)) ||
      !c.check(cudaStreamUpdateCaptureDependencies(stream, &made, nullptr, 1,
                                                   cudaStreamSetCaptureDependencies)))
    return false;
  bodies_[0] = node.conditional.phGraph_out[0];
  bodies_[1] = node.conditional.phGraph_out[1];
  return true;
}

bool choice::begin_body() {
  context &c = context_;
  if (c.choice_depth_ == context::deepest_choice) {
    c.fail(error_capture_depth(c.state_.node, context::deepest_choice));
    return false;
  }
  cudaStream_t &stream = c.body_streams_[c.choice_depth_];
  if (stream == nullptr && !c.check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)))
    return false;
  if (c.pass_ == context::pass::capturing &&
      !c.check(cudaStreamBeginCaptureToGraph(stream, bodies_[taken_ ? 0 : 1], nullptr, nullptr, 0,
                                             cudaStreamCaptureModeThreadLocal)))
    return false;
  ++c.choice_depth_;
  inside_ = true;
  outside_ = c.compute;
  rehearsed_outside_ = c.state_.rehearsing;
  c.compute = exec(stream, &c.state_, &c.scratch_);
  c.state_.rehearsing = c.pass_ != context::pass::capturing;
  return true;
}

void choice::end_body() {
  if (!inside_)
    return;
  context &c = context_;
  cudaGraph_t ended = nullptr;
  if (c.pass_ == context::pass::capturing)
    c.check(cudaStreamEndCapture(c.compute.stream(), &ended));
  c.compute = outside_;
  c.state_.rehearsing = rehearsed_outside_;
  --c.choice_depth_;
  inside_ = false;
}

} // namespace cameo::cuda
