// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks beside an arena, for buffers whose sizes become known when it is in use and too short. For
// the arenas of both targets; not for generated code.
#pragma once

#include "cameo/gen.h"

namespace cameo {

/// A block beside an arena. Its owner says where the struct itself lies.
struct late_block {
  late_block *next;
  unsigned char *base; ///< of the buffers
  size_t bytes;        ///< that the owner allocated
  int64_t used;        ///< by the buffers
  int32_t from;        ///< the step at which the first buffer begins
  int32_t number;      ///< buffer::block of the buffers in it
};

/// The late blocks of an arena, numbered from 1: a list that begins at a pointer of the arena's,
/// with the latest.
class late_blocks {
public:
  explicit late_blocks(late_block *&first) : first_(first) {}

  /// Start of the block of this number, which is there.
  unsigned char *base(int32_t number) const {
    const late_block *b = first_;
    while (b->number != number)
      b = b->next;
    return b->base;
  }
  /// The block for step `from`: there is one where a loop comes by once more. Null: none.
  late_block *find(int32_t from) const {
    late_block *b = first_;
    while (b && b->from != from)
      b = b->next;
    return b;
  }
  /// The number of that block, or of the next one.
  int32_t number_for(int32_t from) const {
    const late_block *b = find(from);
    return b ? b->number : first_ ? first_->number + 1 : 1;
  }

  void add(late_block *b) {
    b->next = first_;
    first_ = b;
  }
  /// Puts `larger` in the place of `b`.
  void replace(late_block *b, late_block *larger) {
    late_block **link = &first_;
    while (*link != b)
      link = &(*link)->next;
    larger->next = b->next;
    *link = larger;
  }
  /// Takes the latest block out; null: there is none.
  late_block *take() {
    late_block *b = first_;
    first_ = b ? b->next : nullptr;
    return b;
  }

private:
  late_block *&first_;
};

} // namespace cameo
