// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cameo/arena.h and cpu/host_arena.h. A late block and a block of scratch memory of the host
// begin with the struct that describes them.
#include "cameo/cpu/host_arena.h"

#include "cameo/late_blocks.h"

namespace cameo {

void arena_base::give(void *memory, size_t bytes) {
  begin_ = static_cast<unsigned char *>(memory);
  bytes_ = static_cast<int64_t>(bytes);
  given_ = true;
}

unsigned char *arena_base::late_base(int32_t number) const {
  late_block *first = late_;
  return late_blocks(first).base(number);
}

void arena_base::want(checked bytes) {
  if (bytes.fits() && bytes.value() > wanted_)
    wanted_ = bytes.value();
}

} // namespace cameo

namespace cameo::cpu {

struct host_arena::scratch_block {
  scratch_block *next;
  unsigned char *base;
  int64_t begin, end; ///< positions
};

status host_arena::reserve(int64_t bytes) {
  if (bytes <= bytes_)
    return success();
  if (given_)
    return error_arena(bytes_, bytes);
  host_release(owner_, begin_, static_cast<size_t>(bytes_));
  bytes_ = 0;
  begin_ = static_cast<unsigned char *>(host_allocate(owner_, static_cast<size_t>(bytes)));
  if (!begin_)
    return error_out_of_memory(bytes);
  bytes_ = bytes;
  return success();
}

status host_arena::plan(int64_t arena_bytes, int64_t scratch) {
  release_blocks();
  if (arena_bytes < 0 || scratch < 0)
    return error_extent_overflow();
  const checked begin = align_up(checked(arena_bytes), arena_alignment);
  checked end = begin + align_up(checked(scratch), arena_alignment);
  if (!given_)
    end = max(max(end, begin + checked(wanted_scratch_)), checked(wanted_));
  if (!end.fits())
    return error_extent_overflow();
  scratch_begin_ = begin.value();
  // NAME_memory knows of no more threads than default_threads(): what others take of scratch memory
  // comes from the allocator, if there is one.
  if (given_ && owner_.options.allocator.allocate)
    return reserve(begin.value());
  return reserve(end.value());
}

status host_arena::replan(buffer_table buffers, int32_t from) {
  int64_t bytes = 0;
  CAMEO_TRY(pack(buffers.rows, buffers.count, from, 0, bytes));
  if (bytes <= bytes_) {
    scratch_begin_ = bytes > scratch_begin_ ? bytes : scratch_begin_;
    return success();
  }
  if (given_)
    return error_arena(bytes_, bytes);
  want(checked(bytes) + checked(scratch_room()));
  const int32_t number = late_blocks(late_).number_for(from);
  CAMEO_TRY(pack(buffers.rows, buffers.count, from, number, bytes));
  return late_memory(from, bytes);
}

/// A late block for step `from`. Where there is one that is too short, its buffers are dead: this
/// is the same place of the program once more.
status host_arena::late_memory(int32_t from, int64_t bytes) {
  constexpr int64_t header = arena_alignment;
  static_assert(sizeof(late_block) <= header, "the header keeps the alignment");
  const auto need = static_cast<size_t>(bytes + header);
  late_block *b = late_blocks(late_).find(from);
  if (b && b->bytes >= need)
    return success();
  auto *memory = static_cast<unsigned char *>(host_allocate(owner_, need));
  if (!memory)
    return error_out_of_memory(bytes);
  auto *larger = new (memory)
      late_block{nullptr, memory + header, need, bytes, from, late_blocks(late_).number_for(from)};
  if (!b) {
    late_blocks(late_).add(larger);
    return success();
  }
  late_blocks(late_).replace(b, larger);
  host_release(owner_, b, b->bytes);
  return success();
}

void host_arena::release_blocks() {
  while (late_block *b = late_blocks(late_).take())
    host_release(owner_, b, b->bytes);
  while (scratch_block *b = more_scratch_) {
    more_scratch_ = b->next;
    host_release(owner_, b, static_cast<size_t>(b->end - b->begin + arena_alignment));
  }
}

bool host_arena::scratch(int64_t begin, int64_t bytes, int64_t &end, void *&memory) {
  if (begin + bytes > scratch_room()) {
    memory = more_scratch(begin, bytes, end);
    return memory != nullptr;
  }
  end = begin + bytes;
  memory = begin_ + scratch_begin_ + begin;
  return true;
}

void *host_arena::more_scratch(int64_t begin, int64_t bytes, int64_t &end) {
  scratch_block **link = &more_scratch_;
  int64_t next = scratch_room();
  next = begin > next ? begin : next;
  for (; *link; link = &(*link)->next) {
    scratch_block &b = **link;
    const int64_t at = begin > b.begin ? begin : b.begin;
    if (at + bytes <= b.end) {
      end = at + bytes;
      return b.base + (at - b.begin);
    }
    next = b.end > next ? b.end : next;
  }
  const int64_t length = align_up(checked(bytes), arena_alignment).value();
  auto *memory = static_cast<unsigned char *>(
      host_allocate(owner_, static_cast<size_t>(length + arena_alignment)));
  if (!memory)
    return nullptr;
  static_assert(sizeof(scratch_block) <= arena_alignment, "the header keeps the alignment");
  *link = new (memory) scratch_block{nullptr, memory + arena_alignment, next, next + length};
  end = next + bytes;
  wanted_scratch_ = next + length > wanted_scratch_ ? next + length : wanted_scratch_;
  return (*link)->base;
}

void host_arena::close() {
  release_blocks();
  if (!given_)
    host_release(owner_, begin_, static_cast<size_t>(bytes_));
}

} // namespace cameo::cpu
