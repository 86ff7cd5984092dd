// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a context, and memory that is counted and may run out.
#pragma once

#include "cameo/abi.h"

#include <cstdint>
#include <cstdlib>

inline cameo_options defaults(int32_t threads = 1) {
  cameo_options o{};
  o.abi = CAMEO_ABI_VERSION;
  o.threads = threads;
  return o;
}

/// Counts what it gives and fails on demand.
struct counting_allocator {
  int64_t live = 0;
  int given = 0, fail_at = -1;
  static void *allocate(void *self, size_t bytes, size_t alignment, int32_t) {
    auto *a = static_cast<counting_allocator *>(self);
    if (a->given++ == a->fail_at)
      return nullptr;
    a->live += static_cast<int64_t>(bytes);
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  static void release(void *self, void *memory, size_t bytes, int32_t) {
    static_cast<counting_allocator *>(self)->live -= static_cast<int64_t>(bytes);
    free(memory);
  }
  cameo_options options(int32_t threads = 1) {
    cameo_options o = defaults(threads);
    o.allocator = {this, allocate, release};
    return o;
  }
};
