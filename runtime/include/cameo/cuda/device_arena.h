// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arena of a CUDA context, on the device, and the scratch memory of kernels: behind its buffers
// for those of the caller's stream, apart for those of the stream of transfers. Kernels in flight
// may use a block that has become too short: it is retired, not freed.
#pragma once

#include "cameo/arena.h"
#include "cameo/cuda/device_memory.h"

namespace cameo::cuda {

class device_arena : public arena_base {
public:
  explicit device_arena(device_memory &memory) : call_(memory.call()), memory_(memory) {}

  /// Scratch memory comes from the allocator that `memory` has by now.
  void open();
  scratch_arena &scratch() { return scratch_; }
  scratch_arena &transfer_scratch() { return transfer_scratch_; }
  /// Scratch memory has to do with what there is of it, as long as it is frozen.
  void freeze_scratch(bool frozen);
  /// Has each scratch memory in one piece. Only while no kernel is in flight.
  void consolidate_scratch();
  /// How often scratch memory has grown since the last call of this.
  int64_t count_scratch();

  /// Makes the arena long enough for buffers that have been placed in `arena_bytes` bytes, and for
  /// `scratch` bytes behind them; by powers of two, and it stays where it is otherwise. Late blocks
  /// are gone.
  status plan(int64_t arena_bytes, int64_t scratch);
  /// See context::replan.
  status replan(buffer_table buffers, int32_t from);

  /// Frees everything but what is the caller's. The host has waited.
  void close();

private:
  status reserve(int64_t bytes);
  status late_memory(int32_t from, int32_t number, int64_t bytes);
  int64_t used_beside(int32_t from) const;

  void lend_behind(int64_t begin);

  call_state &call_;
  device_memory &memory_;
  scratch_arena scratch_, transfer_scratch_;
  int64_t scratch_allocations_ = 0; ///< counted so far
};

} // namespace cameo::cuda
