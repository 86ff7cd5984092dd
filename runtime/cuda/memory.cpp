// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a context on the device and pinned on the host: the arena, ports, staging slots. A
// block that has grown stays so. The smaller block before it may be in use by kernels in flight,
// and freeing it would make the host wait for them: it is retired, and freed when the host has
// waited anyway.
#include "device_state.h"

#include <new>

namespace cameo::cuda {
namespace {

constexpr int64_t device_alignment = 256;
constexpr size_t smallest_slot = 4096; // one transfer per page: see tests/emu

size_t power_of_two(size_t bytes, size_t least) {
  size_t size = least;
  while (size < bytes && size <= SIZE_MAX / 2)
    size *= 2;
  return size < bytes ? bytes : size;
}

} // namespace

void context::retire_device(void *memory, size_t bytes) {
  if (!memory)
    return;
  void *node = host_allocate(*this, sizeof(retired_block));
  if (node) {
    retired_ = new (node) retired_block{retired_, memory, bytes};
    return;
  }
  wait_for_device();
  device_release(device_allocator(), memory, bytes);
}

/// But for what a graph may use.
void context::release_retired() {
  if (keeps_memory_)
    return;
  while (retired_block *b = retired_) {
    retired_ = b->next;
    device_release(device_allocator(), b->memory, b->bytes);
    host_release(*this, b, sizeof(retired_block));
  }
}

void context::wait_for_device() {
  ++counters.blocking_syncs;
  call_.check(order_.drain());
}

/// Notes why there is no memory of the device.
void context::fail_memory(api::error error, size_t bytes) {
  if (error == api::out_of_memory)
    call_.fail(error_device_memory(static_cast<int64_t>(bytes)));
  else
    call_.check(error);
}

/// Memory of the device; where it is short, the retired blocks are given back first.
void *context::allocate_device(size_t bytes) {
  if (!call_.may_allocate())
    return nullptr;
  api::error error = api::success;
  void *memory = device_allocate(device_allocator(), bytes, error);
  if (error == api::out_of_memory && retired_) {
    wait_for_device();
    release_retired();
    memory = device_allocate(device_allocator(), bytes, error);
  }
  if (memory)
    ++counters.device_allocs;
  else
    fail_memory(error, bytes);
  return memory;
}

void *context::allocate_pinned(size_t bytes) {
  if (!call_.may_allocate())
    return nullptr;
  void *memory = nullptr;
  api::error error = api::out_of_memory;
  if (user_memory_)
    memory = options.allocator.allocate(options.allocator.user, bytes, device_alignment,
                                        CAMEO_SPACE_PINNED);
  else
    error = api::allocate_pinned(&memory, bytes);
  if (memory) {
    ++counters.host_allocs;
  } else if (error == api::out_of_memory) {
    api::take_error();
    call_.fail(error_out_of_memory(static_cast<int64_t>(bytes)));
  } else {
    call_.check(error);
  }
  return memory;
}

void context::release_pinned(void *memory, size_t bytes) {
  if (!memory)
    return;
  if (user_memory_)
    options.allocator.release(options.allocator.user, memory, bytes, CAMEO_SPACE_PINNED);
  else
    api::release_pinned(memory);
}

void *context::grow_device(block &b, int64_t bytes) {
  const auto need = static_cast<size_t>(bytes);
  if (b.data && b.bytes >= need)
    return b.data;
  if (!call_.may_allocate())
    return nullptr;
  retire_device(b.data, b.bytes);
  b = {};
  const size_t size = power_of_two(need, static_cast<size_t>(device_alignment));
  if (void *memory = allocate_device(size))
    b = {memory, size};
  return b.data;
}

// ---- Arena -------------------------------------------------------------------------------------

status context::reserve(int64_t bytes) {
  if (bytes <= arena_bytes_)
    return success();
  if (arena_given_)
    return error_arena(arena_bytes_, bytes);
  if (!call_.may_allocate())
    return call_.error();
  retire_device(arena_, static_cast<size_t>(arena_bytes_));
  arena_ = nullptr;
  arena_bytes_ = 0;
  // Twice as much at once, unless the device has no room for that.
  size_t size = power_of_two(static_cast<size_t>(bytes), size_t{1} << 16);
  api::error error = api::success;
  void *memory = device_allocate(device_allocator(), size, error);
  if (memory) {
    ++counters.device_allocs;
  } else if (error == api::out_of_memory) {
    size = static_cast<size_t>(bytes);
    memory = allocate_device(size);
  } else {
    call_.check(error);
  }
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
  const size_t size = power_of_two(static_cast<size_t>(bytes), size_t{1} << 16);
  void *memory = allocate_device(size);
  if (!memory)
    return call_.first_error();
  if (b) { // the same place of the program once more: the old block's buffers are dead
    retire_device(b->base, b->bytes);
  } else {
    void *node = host_allocate(*this, sizeof(late_block));
    if (!node) {
      device_release(device_allocator(), memory, size);
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
    retire_device(b->base, b->bytes);
    host_release(*this, b, sizeof(late_block));
  }
}

// ---- Staging -----------------------------------------------------------------------------------

/// One more slot, or -1.
int32_t context::add_slot() {
  if (slot_count_ == slot_room_) {
    const int32_t room = slot_room_ > 0 ? 2 * slot_room_ : 8;
    const size_t bytes = static_cast<size_t>(room) * sizeof(staging_slot);
    auto *slots = static_cast<staging_slot *>(host_allocate(*this, bytes));
    if (!slots) {
      call_.fail(error_out_of_memory(static_cast<int64_t>(bytes)));
      return -1;
    }
    for (int32_t i = 0; i < slot_count_; ++i)
      slots[i] = slots_[i];
    host_release(*this, slots_, static_cast<size_t>(slot_room_) * sizeof(staging_slot));
    slots_ = slots;
    slot_room_ = room;
  }
  slots_[slot_count_] = {};
  return slot_count_++;
}

/// An idle slot of at least `bytes` bytes, or -1. Waits when many are in use by transfers; of a run
/// that is captured none is.
int32_t context::take_slot(int64_t bytes) {
  constexpr int32_t many = 64;
  const auto need = static_cast<size_t>(bytes);
  int32_t found = -1, flying = -1;
  for (int32_t i = 0; i < slot_count_; ++i) {
    staging_slot &s = slots_[i];
    // Not twice in a run, even if its transfer is done: a run must leave what one that is captured
    // needs, however fast the device was.
    const bool may_be_done = s.run != run_number_ || slot_count_ >= many;
    if (s.use == staging_slot::flying && s.bytes >= need && may_be_done &&
        query(s.event) == api::success)
      s.use = staging_slot::idle;
    if (s.use == staging_slot::flying)
      flying = flying < 0 ? i : flying;
    if (s.use != staging_slot::idle)
      continue;
    // The smallest that does, else the smallest.
    const bool fits = s.bytes >= need;
    if (found < 0 || (fits && (slots_[found].bytes < need || s.bytes < slots_[found].bytes)) ||
        (!fits && slots_[found].bytes < need && s.bytes < slots_[found].bytes))
      found = i;
  }
  const bool fits = found >= 0 && slots_[found].bytes >= need;
  if (!fits && slot_count_ < many) {
    found = add_slot();
  } else if (found < 0 && flying >= 0) {
    ++counters.blocking_syncs;
    if (!call_.check(api::wait(slots_[flying].event)))
      return -1;
    found = flying;
    slots_[found].use = staging_slot::idle;
  } else if (found < 0) { // all hold something for the host
    found = add_slot();
  }
  if (found < 0)
    return -1;
  staging_slot &s = slots_[found];
  if (!s.event && !call_.check(api::create_event(&s.event)))
    return -1;
  if (s.bytes < need && !call_.may_allocate())
    return -1;
  if (s.bytes < need) {
    release_pinned(s.memory, s.bytes);
    s.bytes = power_of_two(need, smallest_slot);
    s.memory = allocate_pinned(s.bytes);
    if (!s.memory) {
      s.bytes = 0;
      return -1;
    }
  }
  s.run = run_number_;
  return found;
}

} // namespace cameo::cuda
