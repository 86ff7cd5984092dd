// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of conditional nodes, each captured on a stream of its own or rehearsed.
#include "device_state.h"

namespace cameo::cuda {

/// Whether a graph takes such a node: a driver that is too old says no, and so may a device. Any
/// other failure comes again where the node is needed.
static bool takes_node(cudaGraphConditionalNodeType kind, int bodies) {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t made = nullptr;
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.type = kind;
  node.conditional.size = static_cast<unsigned>(bodies);
  cudaError_t e = cudaGraphCreate(&graph, 0);
  if (e == cudaSuccess)
    e = cudaGraphConditionalHandleCreate(&node.conditional.handle, graph, 0, 0);
  if (e == cudaSuccess)
    e = cudaGraphAddNode(&made, graph, nullptr, nullptr, 0, &node);
  if (e != cudaSuccess)
    cudaGetLastError();
  if (graph != nullptr)
    cudaGraphDestroy(graph);
  return e == cudaSuccess || e == cudaErrorMemoryAllocation || is_lost(e);
}

bool conditional::can_add(cudaGraphConditionalNodeType kind, int bodies) {
  context &c = context_;
  context::answer &has = c.has_nodes_[kind];
  if (has == context::answer::unknown)
    has = takes_node(kind, bodies) ? context::answer::yes : context::answer::no;
  if (has == context::answer::no)
    c.may(error_capture_conditional(c.state_.node));
  return has == context::answer::yes;
}

bool conditional::add_node(cudaGraphNodeParams &node, cudaGraph_t graph, cudaGraph_t *bodies,
                           int count) {
  context &c = context_;
  const cudaStream_t stream = c.compute.stream();
  cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
  cudaGraph_t around = nullptr;
  const cudaGraphNode_t *front = nullptr;
  size_t fronts = 0;
  if (c.captures() && !c.check(cudaStreamGetCaptureInfo(stream, &captured, nullptr, &around, &front,
                                                        nullptr, &fronts)))
    return false;
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.size = static_cast<unsigned>(count);
  cudaGraphNode_t made = nullptr;
  if (!c.check(cudaGraphAddNode(&made, graph, front, nullptr, fronts, &node)))
    return false;
  for (int i = 0; i < count; ++i)
    bodies[i] = node.conditional.phGraph_out[i];
  return around == nullptr || c.check(cudaStreamUpdateCaptureDependencies(
                                  stream, &made, nullptr, 1, cudaStreamSetCaptureDependencies));
}

bool conditional::begin_body(cudaGraph_t body) {
  context &c = context_;
  if (c.choice_depth_ == context::deepest_choice) {
    c.fail(error_capture_depth(c.state_.node, context::deepest_choice));
    return false;
  }
  cudaStream_t &stream = c.body_streams_[c.choice_depth_];
  if (stream == nullptr && !c.check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)))
    return false;
  if (body != nullptr && !c.check(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                                                cudaStreamCaptureModeThreadLocal)))
    return false;
  ++c.choice_depth_;
  inside_ = true;
  captures_ = body != nullptr;
  if (captures_)
    ++c.captured_bodies_;
  outside_ = c.compute;
  rehearsed_outside_ = c.state_.rehearsing;
  c.compute = exec(stream, &c.state_, &c.scratch_);
  c.state_.rehearsing = body == nullptr;
  return true;
}

void conditional::end_body() {
  if (!inside_)
    return;
  context &c = context_;
  cudaGraph_t ended = nullptr;
  if (captures_) {
    c.check(cudaStreamEndCapture(c.compute.stream(), &ended));
    --c.captured_bodies_;
  }
  c.compute = outside_;
  c.state_.rehearsing = rehearsed_outside_;
  --c.choice_depth_;
  inside_ = false;
}

} // namespace cameo::cuda
