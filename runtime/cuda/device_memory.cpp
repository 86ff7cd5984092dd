// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/device_memory.h.
#include "cameo/cuda/device_memory.h"

#include "cameo/cuda/errors.h"

#include <new>

namespace cameo::cuda {
namespace {

constexpr size_t alignment = 256;

} // namespace

size_t device_memory::power_of_two(size_t bytes, size_t least) {
  size_t size = least;
  while (size < bytes && size <= SIZE_MAX / 2)
    size *= 2;
  return size < bytes ? bytes : size;
}

void device_memory::wait_for_device() {
  ++owner().counters.blocking_syncs;
  call_.check(order_.drain());
}

// ---- Allocation --------------------------------------------------------------------------------

/// Counts memory that there is; notes why there is none.
void *device_memory::note(void *memory, api::error error, size_t bytes) {
  if (memory)
    ++owner().counters.device_allocs;
  else if (error == api::out_of_memory)
    call_.fail(error_device_memory(static_cast<int64_t>(bytes)));
  else
    call_.check(error);
  return memory;
}

void *device_memory::allocate(size_t bytes) {
  if (!call_.may_allocate())
    return nullptr;
  api::error error = api::success;
  void *memory = device_allocate(allocator(), bytes, error);
  if (error == api::out_of_memory && retired_) {
    wait_for_device();
    release_retired();
    memory = device_allocate(allocator(), bytes, error);
  }
  return note(memory, error, bytes);
}

void *device_memory::allocate(size_t least, size_t &bytes) {
  if (!call_.may_allocate())
    return nullptr;
  api::error error = api::success;
  void *memory = device_allocate(allocator(), bytes, error);
  if (memory || error != api::out_of_memory)
    return note(memory, error, bytes);
  bytes = least;
  return allocate(least);
}

void *device_memory::grow(growing_block &block, int64_t bytes) {
  const auto need = static_cast<size_t>(bytes);
  if (block.data && block.bytes >= need)
    return block.data;
  if (!call_.may_allocate())
    return nullptr;
  retire(block.data, block.bytes);
  block = {};
  const size_t size = power_of_two(need, alignment);
  if (void *memory = allocate(size))
    block = {memory, size};
  return block.data;
}

void *device_memory::allocate_pinned(size_t bytes) {
  if (!call_.may_allocate())
    return nullptr;
  void *memory = nullptr;
  api::error error = api::out_of_memory;
  const cameo_allocator &callers = owner().options.allocator;
  if (callers_)
    memory = callers.allocate(callers.user, bytes, alignment, CAMEO_SPACE_PINNED);
  else
    error = api::allocate_pinned(&memory, bytes);
  if (memory) {
    ++owner().counters.host_allocs;
  } else if (error == api::out_of_memory) {
    api::take_error();
    call_.fail(error_out_of_memory(static_cast<int64_t>(bytes)));
  } else {
    call_.check(error);
  }
  return memory;
}

void device_memory::release_pinned(void *memory, size_t bytes) {
  if (!memory)
    return;
  const cameo_allocator &callers = owner().options.allocator;
  if (callers_)
    callers.release(callers.user, memory, bytes, CAMEO_SPACE_PINNED);
  else
    api::release_pinned(memory);
}

// ---- Retired blocks ----------------------------------------------------------------------------

void device_memory::retire(void *memory, size_t bytes) {
  if (!memory)
    return;
  void *node = host_allocate(owner(), sizeof(retired_block));
  if (node) {
    retired_ = new (node) retired_block{retired_, memory, bytes};
    return;
  }
  wait_for_device();
  release(memory, bytes);
}

void device_memory::release_retired() {
  if (kept_)
    return;
  while (retired_block *b = retired_) {
    retired_ = b->next;
    release(b->memory, b->bytes);
    host_release(owner(), b, sizeof(retired_block));
  }
}

void device_memory::close() {
  kept_ = false;
  release_retired();
}

} // namespace cameo::cuda
