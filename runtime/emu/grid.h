// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one kernel: every CUDA thread is a fiber, a block runs until all of its threads have ended,
// then its slot takes the next block (or all blocks live at once, for a cooperative launch).
// Deterministic for a given order and seed. Divided by idea: grid.cpp starts, schedules and ends
// threads; barrier.cpp is everything that waits for others; async.cpp is copies that complete
// later.
#pragma once

#include <functional>
#include <vector>

#include "cameo/cuda/emulator.h"
#include "fiber.h"

namespace cameo::emu {

struct cuda_block;
struct cuda_thread;

/// A warp-wide operation that some of its lanes have reached. Two alternating objects for the race
/// detector: a lane may reach the next operation of the same slot before others have left this one.
struct pending_collective {
  unsigned mask = 0;
  unsigned arrived = 0;
  unsigned generation = 0;
  evaluate_fn evaluate = nullptr;
  site at = {nullptr, 0};
  char order[2];
};

struct cuda_warp {
  static constexpr int max_pending = 8;
  unsigned first = 0;   ///< linear index of lane 0
  unsigned present = 0; ///< lanes that exist
  unsigned exited = 0;
  pending_collective pending[max_pending];
  site barrier_at = {nullptr, 0}; ///< where the first lane reached the current block barrier
  unsigned barrier_generation = ~0u;
};

struct barrier_state {
  unsigned expected = 0; ///< threads; 0 = free
  unsigned arrived = 0;
  unsigned generation = 0;
  int counted = 0; ///< of barrier_count
  int count_result = 0;
  std::vector<cuda_thread *> waiting;
  char order[2];
};

/// cp.async: lands in copy_async_wait of the thread that issued it.
struct pending_copy {
  unsigned char *target;
  const unsigned char *source;
  unsigned bytes, valid;
  unsigned group;
};

struct mbarrier_state {
  const uint64_t *object;
  unsigned expected;
  int missing; ///< arrivals
  int64_t bytes;
  unsigned phase;
  char order[2];
};

struct pending_bulk {
  unsigned char *target;
  const unsigned char *source;
  unsigned bytes;
  const uint64_t *barrier;
};

enum class wait_kind { none, barrier, collective, spin };

struct cuda_thread : thread_view {
  fiber context;
  cuda_block *home;
  cuda_warp *warp;
  void *argument; ///< of the warp-wide operation it waits in
  wait_kind waits;
  site waits_at;
  std::vector<pending_copy> copies; ///< the first `copies_landed` are done
  size_t copies_landed;
  unsigned copy_group;
};

struct cuda_block : block_view {
  static constexpr int named_barriers = 16;
  unsigned live = 0; ///< threads that have not exited
  cuda_thread *threads = nullptr;
  std::vector<cuda_warp> warps;
  barrier_state barriers[named_barriers];
  std::vector<mbarrier_state> mbarriers;
  std::vector<pending_bulk> bulk; ///< the first `bulk_landed` are done
  size_t bulk_landed;
};

constexpr unsigned max_block_threads = 1024;
constexpr size_t max_shared_bytes = 232448; // of a block, on any architecture

/// Runs all threads of a launch to their end, on the calling host thread.
void run_grid(const char *name, dim3 grid, dim3 block, size_t shared_bytes, bool cooperative,
              const std::function<void()> &thread_body);

/// The kernel under way, or null.
const char *running_kernel();

/// Accesses that the kernel under way has declared; for trace.cpp.
struct declared_access {
  std::vector<range> ranges;
  range error_slot;
};
extern const declared_access *declared;

/// `self` with everything the engine knows of it.
inline cuda_thread &current() { return static_cast<cuda_thread &>(*self); }

/// Whether a warp-wide operation is being evaluated, by one lane for all: its accesses are none of
/// that lane's.
extern bool evaluating;

// For barrier.cpp and async.cpp.
void suspend(wait_kind kind, site at); ///< until make_ready
void make_ready(cuda_thread *thread);
void yield(site at);  ///< lets every other thread that can run do so first
bool only_spinners(); ///< all that could run have spun since anything happened
void note_progress();

/// The exiting thread's part in barriers and warp-wide operations.
void thread_exits(cuda_thread &thread);
/// Lets the oldest bulk copy of the block land; false when there is none.
bool land_bulk_copy(cuda_block &block);

} // namespace cameo::emu
