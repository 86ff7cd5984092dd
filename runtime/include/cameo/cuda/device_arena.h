// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arena of a CUDA context, on the device, and the scratch memory of kernels behind its buffers.
// Kernels in flight may use a block that has become too short: it is retired, not freed.
#pragma once

#include "cameo/arena.h"
#include "cameo/cuda/device_memory.h"

namespace cameo::cuda {

class device_arena : public arena_base {
public:
  explicit device_arena(device_memory &memory) : memory_(memory) {}

  /// Scratch memory comes from the allocator that `memory` has by now.
  void open() { scratch_ = scratch_arena(memory_.allocator()); }
  scratch_arena &scratch() { return scratch_; }

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
  status late_memory(int32_t from, int64_t bytes);
  checked used_beside(int32_t from) const;

  device_memory &memory_;
  scratch_arena scratch_;
};

} // namespace cameo::cuda
