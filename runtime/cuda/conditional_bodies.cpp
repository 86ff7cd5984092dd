// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/conditional_bodies.h.
#include "cameo/cuda/conditional_bodies.h"

#include "cameo/cuda/errors.h"

namespace cameo::cuda {
namespace {

/// Whether a graph takes such a node: a driver that is too old says no, and so may a device. Any
/// other failure comes again where the node is needed.
bool takes_node(api::conditional_kind kind, int bodies) {
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

} // namespace

bool conditional_bodies::can_add(api::conditional_kind kind, int bodies) {
  answer &has = has_nodes_[kind];
  if (has == answer::unknown)
    has = takes_node(kind, bodies) ? answer::yes : answer::no;
  if (has == answer::no)
    call_.may(error_capture_conditional(call_.device().node));
  return has == answer::yes;
}

bool conditional_bodies::begin(api::graph body, api::stream &stream) {
  if (is_deepest()) {
    call_.fail(error_capture_depth(call_.device().node, deepest));
    return false;
  }
  stream = streams_[depth_];
  if (stream == nullptr && !call_.check(api::create_stream(&stream)))
    return false;
  streams_[depth_] = stream;
  if (body != nullptr && !call_.check(api::begin_capture(stream, body)))
    return false;
  ++depth_;
  if (body != nullptr)
    call_.begin_captured_body();
  return true;
}

void conditional_bodies::end(bool captured) {
  --depth_;
  if (!captured)
    return;
  api::graph ended = nullptr;
  call_.check(api::end_capture(streams_[depth_], &ended));
  call_.end_captured_body();
}

void conditional_bodies::close() {
  for (const api::stream stream : streams_)
    if (stream)
      api::destroy_stream(stream);
}

} // namespace cameo::cuda
