// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arena of a context, and the blocks beside it for buffers whose sizes became known too late.
#include "device_state.h"

#include <new>

namespace cameo::cuda {
namespace {

constexpr int64_t device_alignment = 256;

} // namespace

status context::reserve(int64_t bytes) {
  if (bytes <= arena_bytes_)
    return success();
  if (arena_given_)
    return error_arena(arena_bytes_, bytes);
  if (!call_.may_allocate())
    return call_.error();
  memory_.retire(arena_, static_cast<size_t>(arena_bytes_));
  arena_ = nullptr;
  arena_bytes_ = 0;
  // Twice as much at once, unless the device has no room for that.
  const auto need = static_cast<size_t>(bytes);
  size_t size = device_memory::power_of_two(need, size_t{1} << 16);
  void *memory = memory_.allocate(need, size);
  if (!memory)
    return call_.first_error();
  arena_ = static_cast<unsigned char *>(memory);
  arena_bytes_ = static_cast<int64_t>(size);
  return success();
}

status context::plan(int64_t arena_bytes, int64_t scratch) {
  release_late_blocks();
  if (arena_bytes < 0 || scratch < 0)
    return error_extent_overflow();
  const checked begin = align_up(checked(arena_bytes), device_alignment);
  const checked end =
      max(begin + align_up(checked(scratch), device_alignment), checked(wanted_arena_));
  if (!end.fits())
    return error_extent_overflow();
  scratch_.lend(nullptr, 0);
  CAMEO_TRY(reserve(arena_given_ ? (begin + checked(scratch)).value() : end.value()));
  scratch_.lend(arena_ + begin.value(), static_cast<size_t>(arena_bytes_ - begin.value()));
  return success();
}

status context::plan(buffer_table buffers, int64_t scratch) {
  int64_t bytes = 0;
  CAMEO_TRY(pack(buffers.rows, buffers.count, INT32_MIN, 0, bytes));
  return plan(bytes, scratch);
}

status context::replan(buffer_table buffers, int32_t from) {
  int64_t bytes = 0;
  CAMEO_TRY(pack(buffers.rows, buffers.count, from, 0, bytes));
  if (bytes <= arena_bytes_) {
    // Scratch that kernels in flight use lies behind them in stream order: it may be taken over.
    const int64_t begin = align_up(checked(bytes), device_alignment).value();
    scratch_.lend(arena_ + (begin < arena_bytes_ ? begin : arena_bytes_),
                  static_cast<size_t>(begin < arena_bytes_ ? arena_bytes_ - begin : 0));
    return success();
  }
  if (arena_given_)
    return error_arena(arena_bytes_, bytes);
  // One arena for all, the next time: this part of it, and what now lies in other blocks.
  checked wanted = align_up(checked(bytes), device_alignment);
  late_block *b = nullptr;
  for (late_block *other = late_; other; other = other->next) {
    if (other->from == from)
      b = other;
    else
      wanted = wanted + align_up(checked(other->used), device_alignment);
  }
  if (wanted.fits() && wanted.value() > wanted_arena_)
    wanted_arena_ = wanted.value();
  const int32_t number = b ? b->number : late_ ? late_->number + 1 : 1;
  CAMEO_TRY(pack(buffers.rows, buffers.count, from, number, bytes));
  if (b && b->bytes >= static_cast<size_t>(bytes)) {
    b->used = bytes;
    return success();
  }
  const size_t size = device_memory::power_of_two(static_cast<size_t>(bytes), size_t{1} << 16);
  void *memory = memory_.allocate(size);
  if (!memory)
    return call_.first_error();
  if (b) { // the same place of the program once more: the old block's buffers are dead
    memory_.retire(b->base, b->bytes);
  } else {
    void *node = host_allocate(*this, sizeof(late_block));
    if (!node) {
      memory_.release(memory, size);
      return error_out_of_memory(sizeof(late_block));
    }
    late_ = b = new (node) late_block{late_, nullptr, 0, 0, from, number};
  }
  b->used = bytes;
  b->base = static_cast<unsigned char *>(memory);
  b->bytes = size;
  return success();
}

void context::release_late_blocks() {
  while (late_) {
    late_block *b = late_;
    late_ = b->next;
    memory_.retire(b->base, b->bytes);
    host_release(*this, b, sizeof(late_block));
  }
}

} // namespace cameo::cuda
