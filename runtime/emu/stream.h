// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events and what is queued on them. Nothing runs when it is queued: a sync runs what it
// depends on, in one of three orders, and nothing else. Beside the real dependencies each operation
// carries a vector clock: what it is ordered after, by streams, events and syncs of the host. Two
// operations that use the same bytes, one writing, must be ordered by it, whatever order they
// happen to run in; both are named when they are not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "cameo/cuda/emulator.h"

namespace cameo::emu {

/// How much of each stream's work (by number) has happened before.
using vector_clock = std::vector<uint64_t>;

/// Where an operation runs, and so whether device memory is open while it does.
enum class place { device, host };

/// A caller's request. It can be queued any number of times, as a node of a graph is.
struct operation {
  std::string name;
  place where = place::device;
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty; ///< that it is when it is captured
  std::vector<range> ranges;
  std::vector<range> pinned;    ///< host memory that the host may not use until it has run
  std::function<void()> issued; ///< counts it, each time it is queued; null once that is done
  std::function<void()> run;

  // Filled in by enqueue.
  uint64_t number = 0;
  std::vector<uint64_t> after; ///< operations that must be done first
  unsigned stream = 0;
  uint64_t sequence = 0;
  vector_clock clock;
};

/// Something queued that others can be ordered after.
struct point {
  uint64_t operation = 0; ///< 0 = nothing
  vector_clock clock;
};

struct capture;

} // namespace cameo::emu

struct CUstream_st {
  unsigned number;
  int device;
  bool blocking; ///< ordered against the legacy stream
  uint64_t last; ///< number of the newest operation, 0 = none
  uint64_t sequence;
  cameo::emu::vector_clock clock;     ///< of the newest operation
  cameo::emu::capture *capturing;     ///< what is put into the stream goes here, unless null
  std::vector<cudaGraphNode_t> front; ///< nodes that the next captured one depends on
};

struct CUevent_st {
  unsigned flags;
  int device;
  bool recorded;
  cameo::emu::point at;
  double seconds;                     ///< when it ran
  unsigned long long capture;         ///< in which it was recorded last, 0 = in none
  std::vector<cudaGraphNode_t> front; ///< of the stream it was captured in
};

namespace cameo::emu {

/// The stream behind a handle (null = the legacy stream of the current device); null for what is no
/// stream.
CUstream_st *find_stream(cudaStream_t handle);
CUevent_st *find_event(cudaEvent_t handle);

/// Whether it is the legacy stream of its device.
bool is_legacy(const CUstream_st &stream);

CUstream_st *make_stream(bool blocking);
void destroy_stream(CUstream_st *stream);
CUevent_st *make_event(unsigned flags);
void destroy_event(CUevent_st *event);

/// A stream that nobody has a handle of: a line of nodes of an executable graph.
CUstream_st *make_lane(int device);
void destroy_lane(CUstream_st *lane);

/// Queues `op` behind everything on the stream (and behind `also`); checks its order against all
/// others. The number it got.
uint64_t enqueue(CUstream_st &stream, operation op, const std::vector<point> &also = {});

bool is_pending(uint64_t operation);
/// Runs the operation and what it depends on; at most `limit` operations.
void run_until(uint64_t operation, size_t limit = SIZE_MAX);
void run_everything();

/// Orders operations that the host enqueues from now on behind this.
void host_waited_for(const vector_clock &clock);
void host_waited_for_everything();

int &current_device();

} // namespace cameo::emu
