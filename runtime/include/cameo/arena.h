// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arena of a context: one block of memory that buffers are placed in, and late blocks beside it
// for buffers whose sizes become known when it is in use and too short. Each target derives its
// own, which knows how to get memory; nothing here allocates.
#pragma once

#include "cameo/gen.h"

namespace cameo {

struct late_block; // late_blocks.h

/// Memory that grows on demand and loses its contents then.
struct growing_block {
  void *data;
  size_t bytes;
};

class arena_base {
public:
  /// Uses memory of the caller's, which does not grow.
  void give(void *memory, size_t bytes);
  bool is_given() const { return given_; }
  /// Whether all buffers of the runs so far would fit; else the next plan() makes it so.
  bool is_long_enough() const { return given_ || wanted_ <= bytes_; }

  unsigned char *at(int64_t offset) const { return begin_ + offset; }
  unsigned char *at(const buffer &b) const {
    return (b.block == 0 ? begin_ : late_base(b.block)) + b.offset;
  }

protected:
  unsigned char *late_base(int32_t number) const;
  /// The next plan() makes the arena so long, if that can be.
  void want(checked bytes);

  unsigned char *begin_ = nullptr;
  int64_t bytes_ = 0;
  int64_t wanted_ = 0;
  late_block *late_ = nullptr; ///< the latest
  bool given_ = false;
};

} // namespace cameo
