// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture: what a call would put into a stream becomes a node of a graph instead. Every call
// that uses a stream or an event, or that a capture forbids, asks here first; a call that breaks a
// rule invalidates the captures concerned, as the driver does.
#pragma once

#include "stream.h"

namespace cameo::emu {

/// Ends nothing, but nothing more can be captured.
void invalidate(capture &broken);

/// Puts an operation into the stream, or into the graph that the stream is captured to. `queued`
/// gets its number, 0 if it was captured.
cudaError_t submit(CUstream_st &stream, operation op, uint64_t *queued = nullptr);

/// Whether the stream may be used at all: the legacy stream not while a blocking one is captured.
cudaError_t use_stream(const CUstream_st &stream);

/// For calls whose nodes are not known here: as use_stream; a capture is invalid from there on.
cudaError_t use_uncaptured(const CUstream_st &stream);

/// Whether the host may wait for the stream, or ask about it.
cudaError_t wait_for_stream(const CUstream_st &stream);
cudaError_t wait_for_event(const CUevent_st &event);
cudaError_t wait_for_device();

/// For calls that CUDA calls potentially unsafe, because no capture sees what they do: whether the
/// calling thread may make them now. Taken as such are allocating, freeing, and every wait and
/// query.
cudaError_t unsafe_call();

/// The event stands for what has been captured in the stream so far.
void record_captured(CUevent_st &event, const CUstream_st &stream);
/// The stream's side of a wait for an event, if either is part of a capture: the stream joins the
/// event's. `done` says that there is nothing left to do.
cudaError_t join_capture(CUstream_st &stream, const CUevent_st &event, bool &done);

/// Without a graph to a new one.
cudaError_t begin_capture(CUstream_st &stream, cudaStreamCaptureMode mode, CUgraph_st *graph,
                          std::vector<cudaGraphNode_t> front);
/// Nodes that the stream's next depends on, too or only.
void depend_on(CUstream_st &stream, const std::vector<cudaGraphNode_t> &nodes, bool only);
cudaError_t end_capture(CUstream_st &stream, cudaGraph_t *graph);
cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode);

struct capture_info {
  cudaStreamCaptureStatus status;
  unsigned long long id;
  cudaGraph_t graph;
};
cudaError_t capture_info_of(const CUstream_st &stream, capture_info &info);

} // namespace cameo::emu
