// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cameo/arena.h and cameo/late_blocks.h.
#include "cameo/arena.h"

#include "cameo/late_blocks.h"

namespace cameo {

// ---- Late blocks -------------------------------------------------------------------------------

unsigned char *late_blocks::base(int32_t number) const {
  const late_block *b = first_;
  while (b->number != number)
    b = b->next;
  return b->base;
}

late_block *late_blocks::find(int32_t from) const {
  late_block *b = first_;
  while (b && b->from != from)
    b = b->next;
  return b;
}

int32_t late_blocks::number_for(int32_t from) const {
  const late_block *b = find(from);
  return b ? b->number : first_ ? first_->number + 1 : 1;
}

checked late_blocks::used_beside(int32_t from, int64_t alignment) const {
  checked bytes = 0;
  for (const late_block *b = first_; b; b = b->next)
    if (b->from != from)
      bytes = bytes + align_up(checked(b->used), alignment);
  return bytes;
}

void late_blocks::add(late_block *b) {
  b->next = first_;
  first_ = b;
}

void late_blocks::replace(late_block *b, late_block *larger) {
  late_block **link = &first_;
  while (*link != b)
    link = &(*link)->next;
  larger->next = b->next;
  *link = larger;
}

late_block *late_blocks::take() {
  late_block *b = first_;
  first_ = b ? b->next : nullptr;
  return b;
}

// ---- Arena -------------------------------------------------------------------------------------

void arena_base::give(void *memory, size_t bytes) {
  begin_ = static_cast<unsigned char *>(memory);
  bytes_ = static_cast<int64_t>(bytes);
  given_ = true;
}

status arena_base::place(buffer_table buffers, int32_t from, int64_t &bytes, bool &fits) const {
  CAMEO_TRY(pack(buffers.rows, buffers.count, from, 0, bytes));
  fits = bytes <= bytes_;
  return fits || !given_ ? success() : error_arena(bytes_, bytes);
}

status arena_base::place_late(buffer_table buffers, int32_t from, int64_t &bytes) {
  return pack(buffers.rows, buffers.count, from, late_blocks(late_).number_for(from), bytes);
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
