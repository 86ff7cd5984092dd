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

struct operation {
  std::string name;
  place where = place::device;
  std::vector<range> ranges;
  std::function<void()> run;

  // Filled in by enqueue.
  uint64_t number = 0;
  std::vector<uint64_t> after; ///< operations that must be done first
  unsigned stream = 0;
  uint64_t sequence = 0;
  vector_clock clock;
};

} // namespace cameo::emu

struct CUstream_st {
  unsigned number;
  int device;
  bool blocking; ///< ordered against the legacy stream
  uint64_t last; ///< number of the newest operation, 0 = none
  uint64_t sequence;
  cameo::emu::vector_clock clock; ///< of the newest operation
};

struct CUevent_st {
  unsigned flags;
  int device;
  bool recorded;
  uint64_t operation;
  cameo::emu::vector_clock clock;
  double seconds; ///< when it ran
  bool complete;
};

namespace cameo::emu {

/// The stream behind a handle (null = the legacy stream of the current device); null for what is no
/// stream.
CUstream_st *find_stream(cudaStream_t handle);
CUevent_st *find_event(cudaEvent_t handle);

CUstream_st *make_stream(bool blocking);
void destroy_stream(CUstream_st *stream);
CUevent_st *make_event(unsigned flags);
void destroy_event(CUevent_st *event);

/// Queues `op` behind everything on the stream (and behind operation `also`); checks its order
/// against all others. The number it got.
uint64_t enqueue(CUstream_st &stream, operation op, uint64_t also = 0,
                 const vector_clock *also_clock = nullptr);

bool is_pending(uint64_t operation);
/// Runs the operation and what it depends on; at most `limit` operations.
void run_until(uint64_t operation, size_t limit = SIZE_MAX);
void run_everything();

/// What the host enqueues from now on comes after this.
void host_waited_for(const vector_clock &clock);
void host_waited_for_everything();

int &current_device();

} // namespace cameo::emu
