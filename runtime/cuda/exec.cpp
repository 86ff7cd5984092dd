// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of cuda::exec that does not launch: scratch memory, copies, occupancy. Allocating in the
// middle of a run does not make the host wait; freeing would, so nothing is freed before the run
// has ended.
#include "cameo/cuda/exec.h"

namespace cameo::cuda {
namespace {

constexpr size_t alignment = 256;
constexpr size_t smallest_chunk = size_t{1} << 20;

constexpr size_t round_up(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

} // namespace

void *device_allocate(const cameo_allocator *allocator, size_t bytes, api::error &error) {
  void *memory = nullptr;
  if (allocator != nullptr) {
    memory = allocator->allocate(allocator->user, bytes, alignment, CAMEO_SPACE_DEVICE);
    error = memory != nullptr ? api::success : api::out_of_memory;
    return memory;
  }
  error = api::allocate(&memory, bytes);
  if (error == api::success)
    return memory;
  api::take_error(); // reported by the caller of this, and not to be found by the next
  return nullptr;
}

void device_release(const cameo_allocator *allocator, void *memory, size_t bytes) {
  if (memory == nullptr)
    return;
  if (allocator != nullptr)
    allocator->release(allocator->user, memory, bytes, CAMEO_SPACE_DEVICE);
  else
    api::release(memory);
}

void *scratch_arena::take(size_t bytes) {
  bytes = round_up(bytes);
  if (bytes == 0)
    return nullptr;
  size_t start = 0; // of the chunk, in the concatenation
  for (int i = 0;; ++i) {
    if (i == count_ && !grow(bytes))
      return nullptr;
    const chunk &c = chunks_[i];
    const size_t offset = used_ > start ? used_ - start : 0;
    if (offset <= c.bytes && c.bytes - offset >= bytes) {
      used_ = start + offset + bytes;
      return c.memory + offset;
    }
    start += c.bytes;
  }
}

bool scratch_arena::grow(size_t bytes) {
  error_ = frozen_ ? api::capture_unsupported : api::out_of_memory;
  if (frozen_ || count_ == max_chunks)
    return false;
  size_t size = smallest_chunk;
  if (2 * chunks_[count_ - 1].bytes > size)
    size = 2 * chunks_[count_ - 1].bytes;
  while (size < bytes)
    size *= 2;
  void *memory = device_allocate(allocator_, size, error_);
  if (error_ == api::out_of_memory) {
    size = bytes; // what is needed now, rather than nothing
    memory = device_allocate(allocator_, size, error_);
  }
  if (memory == nullptr)
    return false;
  ++allocations_;
  chunks_[count_++] = {static_cast<unsigned char *>(memory), size};
  return true;
}

void scratch_arena::lend(void *memory, size_t bytes) {
  chunks_[0] = {static_cast<unsigned char *>(memory), bytes / alignment * alignment};
}

void scratch_arena::consolidate() {
  used_ = 0;
  if (count_ <= 2)
    return;
  size_t total = 0;
  for (int i = 1; i < count_; ++i)
    total += chunks_[i].bytes;
  release();
  chunks_[0].bytes = 0; // the lent piece did not do: one that does alone is better
  grow(total);
}

void scratch_arena::release() {
  for (int i = 1; i < count_; ++i)
    device_release(allocator_, chunks_[i].memory, chunks_[i].bytes);
  count_ = 1;
  used_ = 0;
}

void exec::copy(void *target, const void *source, int64_t bytes) {
  if (state_->error != api::success || state_->rehearsing || bytes <= 0)
    return;
  ++state_->copies;
  check(api::copy_on_device(target, source, static_cast<size_t>(bytes), stream_));
}

void exec::fill(void *target, int value, int64_t bytes) {
  if (state_->error == api::success && !state_->rehearsing && bytes > 0)
    check(api::fill(target, value, static_cast<size_t>(bytes), stream_));
}

int exec::resident_blocks(const void *kernel, int block_threads, size_t shared_bytes) {
  int device = 0, multiprocessors = 0, each = 0;
  const bool known = check(api::get_device(&device)) &&
                     check(api::multiprocessors(&multiprocessors, device)) &&
                     check(api::resident_blocks(&each, kernel, block_threads, shared_bytes));
  return known && each > 0 ? each * multiprocessors : 1;
}

} // namespace cameo::cuda
