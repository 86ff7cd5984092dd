// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See capture.h. The rules are those of the CUDA programming guide and of the runtime API's
// reference; where they say "invalid" without a code, the code is the one whose description fits.
#include "capture.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "graph.h"

namespace cameo::emu {

struct capture {
  unsigned long long id;
  CUstream_st *origin;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool valid;
  CUgraph_st *graph;
  bool made;                       ///< the graph, for it
  std::set<CUstream_st *> streams; ///< that are captured to it, the origin among them
};

namespace {

auto &captures = *new std::map<unsigned long long, capture>; // never destroyed: see stream.cpp
unsigned long long next_capture = 1;

cudaStreamCaptureMode &thread_mode() {
  static thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

/// The capture in which the event was recorded last, if that is still going on.
capture *capture_of(const CUevent_st &event) {
  const auto found = captures.find(event.capture);
  return found == captures.end() ? nullptr : &found->second;
}

cudaError_t break_rule(capture &broken, cudaError_t error) {
  const bool first = broken.valid;
  invalidate(broken);
  return first ? error : cudaErrorStreamCaptureInvalidated;
}

/// Whether the capture forbids unsafe calls to the calling thread.
bool forbids(const capture &c) {
  if (thread_mode() == cudaStreamCaptureModeRelaxed)
    return false;
  if (c.thread == std::this_thread::get_id())
    return c.mode != cudaStreamCaptureModeRelaxed;
  return c.mode == cudaStreamCaptureModeGlobal && thread_mode() == cudaStreamCaptureModeGlobal;
}

bool has_blocking_stream(const capture &c, int device) {
  return std::any_of(c.streams.begin(), c.streams.end(),
                     [=](const CUstream_st *s) { return s->blocking && s->device == device; });
}

void add_to(std::vector<cudaGraphNode_t> &front, const std::vector<cudaGraphNode_t> &more) {
  for (const cudaGraphNode_t node : more)
    if (std::find(front.begin(), front.end(), node) == front.end())
      front.push_back(node);
}

/// Whether all that its streams have captured last comes before what the origin is given next.
bool all_joined(const capture &c) {
  std::set<cudaGraphNode_t> seen;
  std::vector<cudaGraphNode_t> open = c.origin->front;
  while (!open.empty()) {
    const cudaGraphNode_t node = open.back();
    open.pop_back();
    if (seen.insert(node).second)
      open.insert(open.end(), node->after.begin(), node->after.end());
  }
  return std::all_of(c.streams.begin(), c.streams.end(), [&](const CUstream_st *s) {
    return std::all_of(s->front.begin(), s->front.end(),
                       [&](cudaGraphNode_t node) { return seen.count(node) != 0; });
  });
}

} // namespace

void invalidate(capture &broken) { broken.valid = false; }

cudaError_t submit(CUstream_st &stream, operation op, uint64_t *queued) {
  const cudaError_t error = use_stream(stream);
  if (error != cudaSuccess)
    return error;
  if (stream.capturing == nullptr) {
    const uint64_t number = enqueue(stream, std::move(op));
    if (queued != nullptr)
      *queued = number;
    return cudaSuccess;
  }
  // How often a body runs the device says: its operations are counted once.
  if (stream.capturing->graph->is_body && op.issued)
    std::exchange(op.issued, nullptr)();
  auto node = std::make_unique<CUgraphNode_st>();
  node->work = std::move(op);
  node->after = stream.front;
  stream.front = {node.get()};
  stream.capturing->graph->nodes.push_back(std::move(node));
  if (queued != nullptr)
    *queued = 0;
  return cudaSuccess;
}

cudaError_t use_stream(const CUstream_st &stream) {
  if (stream.capturing != nullptr)
    return stream.capturing->valid ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  cudaError_t error = cudaSuccess;
  if (is_legacy(stream))
    for (auto &[id, c] : captures)
      if (has_blocking_stream(c, stream.device)) {
        invalidate(c);
        error = cudaErrorStreamCaptureImplicit;
      }
  return error;
}

cudaError_t use_uncaptured(const CUstream_st &stream) {
  const cudaError_t error = use_stream(stream);
  if (error != cudaSuccess || stream.capturing == nullptr)
    return error;
  invalidate(*stream.capturing);
  return cudaErrorNotSupported;
}

cudaError_t wait_for_stream(const CUstream_st &stream) {
  if (stream.capturing != nullptr)
    return break_rule(*stream.capturing, cudaErrorStreamCaptureUnsupported);
  const cudaError_t error = use_stream(stream);
  return error != cudaSuccess ? error : unsafe_call();
}

cudaError_t wait_for_event(const CUevent_st &event) {
  if (event.capture == 0)
    return unsafe_call();
  if (capture *c = capture_of(event))
    invalidate(*c);
  return cudaErrorCapturedEvent;
}

cudaError_t wait_for_device() {
  cudaError_t error = cudaSuccess;
  for (auto &[id, c] : captures)
    if (c.origin->device == current_device()) {
      invalidate(c);
      error = cudaErrorStreamCaptureUnsupported;
    }
  return error;
}

cudaError_t unsafe_call() {
  cudaError_t error = cudaSuccess;
  for (auto &[id, c] : captures)
    if (forbids(c)) {
      invalidate(c);
      error = cudaErrorStreamCaptureUnsupported;
    }
  return error;
}

void record_captured(CUevent_st &event, const CUstream_st &stream) {
  event.capture = stream.capturing->id;
  event.front = stream.front;
}

cudaError_t join_capture(CUstream_st &stream, const CUevent_st &event, bool &done) {
  done = true;
  capture *c = capture_of(event);
  if (stream.capturing == nullptr && event.capture == 0) {
    done = false;
    return cudaSuccess;
  }
  if (stream.capturing != nullptr && !stream.capturing->valid)
    return cudaErrorStreamCaptureInvalidated;
  if (event.capture == 0) // nothing recorded is nothing to wait for
    return event.recorded ? break_rule(*stream.capturing, cudaErrorStreamCaptureIsolation)
                          : cudaSuccess;
  if (c == nullptr) { // of a capture that has ended
    if (stream.capturing != nullptr)
      invalidate(*stream.capturing);
    return cudaErrorCapturedEvent;
  }
  if (stream.capturing != nullptr && stream.capturing != c) {
    invalidate(*stream.capturing);
    return break_rule(*c, cudaErrorStreamCaptureMerge);
  }
  if (!c->valid)
    return cudaErrorStreamCaptureInvalidated;
  if (is_legacy(stream))
    return break_rule(*c, cudaErrorStreamCaptureUnsupported);
  stream.capturing = c;
  c->streams.insert(&stream);
  add_to(stream.front, event.front);
  return cudaSuccess;
}

cudaError_t begin_capture(CUstream_st &stream, cudaStreamCaptureMode mode, CUgraph_st *graph,
                          std::vector<cudaGraphNode_t> front) {
  if (is_legacy(stream))
    return cudaErrorStreamCaptureUnsupported;
  if (stream.capturing != nullptr)
    return cudaErrorIllegalState;
  const unsigned long long id = next_capture++;
  capture &c = captures[id];
  c.id = id;
  c.origin = &stream;
  c.mode = mode;
  c.thread = std::this_thread::get_id();
  c.valid = true;
  c.made = graph == nullptr;
  c.graph = c.made ? publish_graph(std::make_unique<CUgraph_st>()) : graph;
  c.streams = {&stream};
  stream.capturing = &c;
  stream.front = std::move(front);
  return cudaSuccess;
}

void depend_on(CUstream_st &stream, const std::vector<cudaGraphNode_t> &nodes, bool only) {
  if (only)
    stream.front.clear();
  add_to(stream.front, nodes);
}

cudaError_t end_capture(CUstream_st &stream, cudaGraph_t *graph) {
  *graph = nullptr;
  if (stream.capturing == nullptr)
    return cudaErrorIllegalState;
  capture &c = *stream.capturing;
  if (c.origin != &stream)
    return break_rule(c, cudaErrorStreamCaptureUnmatched);
  if (c.mode != cudaStreamCaptureModeRelaxed && c.thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  cudaError_t error = cudaErrorStreamCaptureInvalidated;
  if (c.valid)
    error = all_joined(c) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
  if (error == cudaSuccess)
    *graph = c.graph;
  else if (c.made)
    destroy_graph(c.graph);
  for (CUstream_st *s : c.streams) {
    s->capturing = nullptr;
    s->front.clear();
  }
  captures.erase(c.id);
  return error;
}

cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode) {
  std::swap(thread_mode(), mode);
  return mode;
}

cudaError_t capture_info_of(const CUstream_st &stream, capture_info &info) {
  info = {cudaStreamCaptureStatusNone, 0, nullptr};
  if (is_legacy(stream)) {
    for (const auto &[id, c] : captures)
      if (has_blocking_stream(c, stream.device))
        return cudaErrorStreamCaptureImplicit; // and no capture is the worse for it
    return cudaSuccess;
  }
  if (const capture *c = stream.capturing)
    info = {c->valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated, c->id,
            c->graph};
  return cudaSuccess;
}

} // namespace cameo::emu
