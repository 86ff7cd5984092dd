// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/device_arena.h. The structs of late blocks lie in memory of the host.
#include "cameo/cuda/device_arena.h"

#include "cameo/late_blocks.h"

namespace cameo::cuda {
namespace {

constexpr int64_t alignment = 256;
constexpr size_t smallest = size_t{1} << 16;

} // namespace

// ---- Scratch memory ----------------------------------------------------------------------------

void device_arena::open() {
  scratch_.use(memory_.allocator());
  transfer_scratch_.use(memory_.allocator());
}

void device_arena::freeze_scratch(bool frozen) {
  scratch_.freeze(frozen);
  transfer_scratch_.freeze(frozen);
}

void device_arena::consolidate_scratch() {
  scratch_.consolidate();
  transfer_scratch_.consolidate();
}

int64_t device_arena::count_scratch() {
  const int64_t before = scratch_allocations_;
  scratch_allocations_ = scratch_.allocations() + transfer_scratch_.allocations();
  return scratch_allocations_ - before;
}

/// Scratch memory is what the arena has from `begin` on.
void device_arena::lend_behind(int64_t begin) {
  scratch_.lend(begin_ + begin, static_cast<size_t>(bytes_ - begin));
}

// ---- Buffers -----------------------------------------------------------------------------------

status device_arena::reserve(int64_t bytes) {
  if (bytes <= bytes_)
    return success();
  if (given_)
    return error_arena(bytes_, bytes);
  if (!call_.may_allocate())
    return call_.error();
  memory_.retire(begin_, static_cast<size_t>(bytes_));
  begin_ = nullptr;
  bytes_ = 0;
  // Twice as much at once, unless the device has no room for that.
  const auto need = static_cast<size_t>(bytes);
  size_t size = device_memory::power_of_two(need, smallest);
  void *memory = memory_.allocate(need, size);
  if (!memory)
    return call_.first_error();
  begin_ = static_cast<unsigned char *>(memory);
  bytes_ = static_cast<int64_t>(size);
  return success();
}

status device_arena::plan(int64_t arena_bytes, int64_t scratch) {
  while (late_block *b = late_blocks(late_).take()) {
    memory_.retire(b->base, b->bytes);
    host_release(call_.owner(), b, sizeof(late_block));
  }
  const checked begin = align_up(checked(arena_bytes), alignment);
  const checked end = max(begin + align_up(checked(scratch), alignment), checked(wanted_));
  if (arena_bytes < 0 || scratch < 0 || !end.fits())
    return error_extent_overflow();
  scratch_.lend(nullptr, 0);
  CAMEO_TRY(reserve(given_ ? begin.value() + scratch : end.value()));
  lend_behind(begin.value());
  return success();
}

/// Bytes that buffers use in all late blocks but that of step `from`, each rounded up. There is
/// memory for them, so that the sum fits.
int64_t device_arena::used_beside(int32_t from) const {
  int64_t bytes = 0;
  for (const late_block *b = late_; b; b = b->next)
    if (b->from != from)
      bytes += (b->used + alignment - 1) & -alignment;
  return bytes;
}

status device_arena::replan(buffer_table buffers, int32_t from) {
  int64_t bytes = 0;
  CAMEO_TRY(pack(buffers.rows, buffers.count, from, 0, bytes));
  if (bytes <= bytes_) {
    // Scratch that kernels in flight use lies behind them in stream order: it may be taken over.
    const int64_t aligned = align_up(checked(bytes), alignment).value();
    lend_behind(aligned < bytes_ ? aligned : bytes_);
    return success();
  }
  if (given_)
    return error_arena(bytes_, bytes);
  // One arena for all, the next time: this part of it, and what now lies in other blocks.
  want(align_up(checked(bytes), alignment) + checked(used_beside(from)));
  const int32_t number = late_blocks(late_).number_for(from);
  CAMEO_TRY(pack(buffers.rows, buffers.count, from, number, bytes));
  return late_memory(from, number, bytes);
}

/// A late block for step `from`, of this number. Where there is one that is too short, its buffers
/// are dead: this is the same place of the program once more.
status device_arena::late_memory(int32_t from, int32_t number, int64_t bytes) {
  late_block *b = late_blocks(late_).find(from);
  if (b && b->bytes >= static_cast<size_t>(bytes)) {
    b->used = bytes;
    return success();
  }
  cameo_context &owner = call_.owner();
  const size_t size = device_memory::power_of_two(static_cast<size_t>(bytes), smallest);
  void *memory = memory_.allocate(size);
  if (!memory)
    return call_.first_error();
  if (b) {
    memory_.retire(b->base, b->bytes);
  } else {
    void *node = host_allocate(owner, sizeof(late_block));
    if (!node) {
      memory_.release(memory, size);
      return error_out_of_memory(sizeof(late_block));
    }
    b = new (node) late_block{nullptr, nullptr, 0, 0, from, number};
    late_blocks(late_).add(b);
  }
  b->used = bytes;
  b->base = static_cast<unsigned char *>(memory);
  b->bytes = size;
  return success();
}

void device_arena::close() {
  scratch_.release();
  transfer_scratch_.release();
  while (late_block *b = late_blocks(late_).take()) {
    memory_.release(b->base, b->bytes);
    host_release(call_.owner(), b, sizeof(late_block));
  }
  if (!given_)
    memory_.release(begin_, static_cast<size_t>(bytes_));
}

} // namespace cameo::cuda
