// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine side of the CUDA emulator as device_emu.h and exec::launch see it; runtime/emu
// implements it. Under the emulator a kernel is an ordinary function that runs on one fiber per
// CUDA thread, so "which thread am I" is the global `self`, and everything that waits switches to
// another fiber. One kernel runs at a time, on the host thread that waits for it: nothing here is
// called from two threads at once. Generated code never uses this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <cuda_runtime_api.h>

#include "cameo/cuda/emulator_pointers.h"

namespace cameo::emu {

/// Where in the source a primitive was called; primitives take it as a default argument.
struct site {
  const char *file;
  int line;
};

constexpr site here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  return {file, line};
}

/// The block that the running thread belongs to, as far as primitives need it.
struct block_view {
  uint3 index;
  unsigned char *shared; // dynamic shared memory; ends at a guard page
  size_t shared_bytes;
};

/// The running thread, likewise.
struct thread_view {
  uint3 index;
  unsigned linear; // in the block
  unsigned lane;
  block_view *block;
};

extern thread_view *self;
extern dim3 grid_size;
extern dim3 block_size;

/// Prints one line that names the kernel and the thread, hands it to the report handler (emu.h),
/// and aborts.
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Barriers. A barrier that can never complete is reported with everyone who waits and where.
void block_barrier(site at);
int block_barrier_count(bool value, site at);
void named_barrier_wait(unsigned id, unsigned threads, site at);
void named_barrier_arrive(unsigned id, unsigned threads, site at);

/// Evaluates a warp-wide operation: lanes[i] is what lane i passed, for each lane i in `mask`.
using evaluate_fn = void (*)(void *const *lanes, unsigned mask);
/// Every lane of `mask` calls this with the same `evaluate` from the same place; the last to arrive
/// evaluates for all. `whole_warp` demands that all 32 lanes take part.
void warp_collective(unsigned mask, void *argument, evaluate_fn evaluate, bool whole_warp, site at);

/// Lets other threads run; a spin loop that nobody can end is reported.
void spin(site at);

// cp.async: the destination is poisoned at issue, bytes land only in copy_async_wait.
void copy_async(void *shared, const void *source, unsigned bytes, unsigned valid, site at);
void copy_async_commit();
void copy_async_wait(unsigned groups_left);

// mbarrier objects, by their address in shared memory.
void mbarrier_init(uint64_t *barrier, unsigned arrivals, site at);
void mbarrier_arrive(uint64_t *barrier, unsigned expected_bytes, site at);
void mbarrier_wait(uint64_t *barrier, unsigned parity, site at);
void copy_bulk(void *shared, const void *source, unsigned bytes, uint64_t *barrier, site at);

/// Who counts accesses (counters.h) gets those of primitives that no compiler sees; null otherwise.
/// Each of a warp's lanes tells its own.
extern void (*note_access)(const void *pointer, size_t bytes, bool write, site at);

/// Fails unless `pointer` is aligned to `bytes`, as the hardware would.
inline void check_aligned(const void *pointer, size_t bytes, const char *what, site at) {
  if (reinterpret_cast<uintptr_t>(pointer) % bytes != 0)
    fail("%s of %p, which is not %zu-byte aligned, at %s:%d", what, pointer, bytes, at.file,
         at.line);
}

/// A range of memory that an enqueued operation reads or writes.
struct range {
  const void *pointer;
  size_t bytes;
  bool write;
};

constexpr size_t max_ranges = 64; // of one launch

struct kernel_launch {
  const char *name;
  const void *function;
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
  bool cooperative; // all blocks live at once
  const range *ranges;
  size_t range_count;
  const void *error_slot; // which any kernel may use, in no order
  size_t error_slot_bytes;
};

/// Queues a kernel; `thread_body` runs once per CUDA thread, later. Nothing runs here.
cudaError_t enqueue_kernel(const kernel_launch &launch, std::function<void()> thread_body);

/// Fails if one of these pointers in the kernel's argument number `position` is of the host's
/// memory or of freed device memory.
void check_argument(const char *kernel, int position, const void *object,
                    const std::vector<size_t> &pointers);

template <class T> void check_argument(const char *kernel, int position, const T &argument) {
  check_argument(kernel, position, &argument, pointers_of<T>());
}

} // namespace cameo::emu
