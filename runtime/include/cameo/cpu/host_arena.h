// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arena of a CPU context, in memory of the context's allocator or of the caller, and the
// scratch memory of kernels behind its buffers.
#pragma once

#include "cameo/arena.h"
#include "cameo/context_base.h"

namespace cameo::cpu {

/// Scratch memory is a stack of positions. The first lie in the arena; those beyond it in blocks,
/// each of which has positions of its own, so that an access_scope gives everything back by one
/// assignment.
class host_arena : public arena_base {
public:
  /// Allocates by the options of `owner`, and counts there.
  explicit host_arena(cameo_context &owner) : owner_(owner) {}

  /// Makes the arena long enough for buffers that have been placed in `arena_bytes` bytes, and for
  /// `scratch` bytes behind them. Late blocks are gone.
  status plan(int64_t arena_bytes, int64_t scratch);
  /// See context::replan.
  status replan(buffer_table buffers, int32_t from);

  /// Scratch memory in the arena, in bytes.
  int64_t scratch_room() const { return bytes_ - scratch_begin_; }
  /// `bytes` bytes at position `begin`, which is aligned, or behind it; `end` gets the position
  /// behind them. False when there is no memory; no bytes need none.
  bool scratch(int64_t begin, int64_t bytes, int64_t &end, void *&memory);
  /// Releases everything but what is the caller's.
  void close();

private:
  struct scratch_block;

  status reserve(int64_t bytes);
  status late_memory(int32_t from, int64_t bytes);
  void *more_scratch(int64_t begin, int64_t bytes, int64_t &end);
  void release_blocks();

  cameo_context &owner_;
  int64_t scratch_begin_ = 0; ///< in the arena, behind the planned buffers
  scratch_block *more_scratch_ = nullptr;
  int64_t wanted_scratch_ = 0; ///< bytes that the next plan() keeps for scratch
};

} // namespace cameo::cpu
