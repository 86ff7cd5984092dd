// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places buffers in an arena: largest first, each into the tightest gap left by those already
// placed that are alive at the same time. Works in the caller's array without any memory of its
// own: `rank` holds a permutation (the order of placement), `next` a list sorted by offset.
#include "cameo/gen.h"

namespace cameo {

namespace {

constexpr int32_t none = -1;

int64_t aligned(int64_t bytes) { return (bytes + arena_alignment - 1) & -arena_alignment; }

bool together(const buffer &a, const buffer &b) { return a.first <= b.last && b.first <= a.last; }

/// Larger first; among equals, longer-lived, then earlier in the array: a total order, so that the
/// result does not depend on the sort.
bool goes_before(const buffer *b, int32_t x, int32_t y) {
  if (b[x].bytes != b[y].bytes)
    return b[x].bytes > b[y].bytes;
  const int64_t lx = int64_t{b[x].last} - b[x].first, ly = int64_t{b[y].last} - b[y].first;
  return lx != ly ? lx > ly : x < y;
}

/// Restores the heap below `root`; its top is what goes last.
void sift_down(buffer *b, int32_t root, int32_t count) {
  for (;;) {
    int32_t child = 2 * root + 1;
    if (child >= count)
      return;
    if (child + 1 < count && goes_before(b, b[child].rank, b[child + 1].rank))
      ++child;
    if (!goes_before(b, b[root].rank, b[child].rank))
      return;
    const int32_t t = b[root].rank;
    b[root].rank = b[child].rank;
    b[child].rank = t;
    root = child;
  }
}

void sort_by_size(buffer *b, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    b[i].rank = i;
  for (int32_t i = count / 2 - 1; i >= 0; --i)
    sift_down(b, i, count);
  for (int32_t i = count - 1; i > 0; --i) {
    const int32_t t = b[0].rank;
    b[0].rank = b[i].rank;
    b[i].rank = t;
    sift_down(b, 0, i);
  }
}

/// Puts buffer i into the list of placed ones.
void insert(buffer *b, int32_t &head, int32_t i) {
  int32_t *link = &head;
  while (*link != none && b[*link].offset <= b[i].offset)
    link = &b[*link].next;
  b[i].next = *link;
  *link = i;
}

/// The tightest gap that takes buffer i, or the end.
int64_t find_offset(const buffer *b, int32_t head, int32_t i) {
  const int64_t need = aligned(b[i].bytes);
  int64_t free = 0, best = -1, best_gap = 0;
  for (int32_t k = head; k != none; k = b[k].next) {
    if (!together(b[k], b[i]))
      continue;
    const int64_t gap = b[k].offset - free;
    if (gap >= need && (best < 0 || gap < best_gap)) {
      best = free;
      best_gap = gap;
    }
    const int64_t end = b[k].offset + aligned(b[k].bytes);
    if (end > free)
      free = end;
  }
  return best < 0 ? free : best;
}

bool alive(const buffer &b, int32_t step) {
  return b.bytes > 0 && b.first <= step && step <= b.last;
}

} // namespace

status pack(buffer *buffers, int32_t count, int32_t from, int32_t block, int64_t &bytes) {
  checked total = 0;
  int32_t head = none;
  bytes = 0;
  const auto extend = [&bytes](const buffer &b) {
    const int64_t end = b.offset + aligned(b.bytes);
    bytes = end > bytes ? end : bytes;
  };
  for (int32_t i = 0; i < count; ++i) {
    buffer &b = buffers[i];
    if (b.bytes == too_many_bytes)
      return error_extent_overflow();
    if (b.first >= from) {
      b.offset = b.bytes == 0 ? 0 : -1;
      b.block = block;
    }
    if (b.bytes <= 0 || b.block != block)
      continue;
    total = total + align_up(checked(b.bytes), arena_alignment);
    if (b.first < from && b.offset >= 0) {
      insert(buffers, head, i);
      extend(b);
    }
  }
  // No offset below can overflow: none is beyond what is placed already plus the sum of the rest.
  if (!(total + checked(bytes)).fits())
    return error_extent_overflow();
  sort_by_size(buffers, count);
  for (int32_t k = 0; k < count; ++k) {
    const int32_t i = buffers[k].rank;
    if (buffers[i].first < from || buffers[i].bytes <= 0)
      continue;
    buffers[i].offset = find_offset(buffers, head, i);
    insert(buffers, head, i);
    extend(buffers[i]);
  }
  return success();
}

int64_t live_bytes(const buffer *buffers, int32_t count, int32_t *largest) {
  int64_t most = 0;
  int32_t peak = none;
  // The sum only rises where a buffer begins.
  for (int32_t i = 0; i < count; ++i) {
    if (buffers[i].bytes <= 0)
      continue;
    int64_t sum = 0;
    for (int32_t k = 0; k < count; ++k)
      if (alive(buffers[k], buffers[i].first))
        sum += aligned(buffers[k].bytes);
    if (sum > most) {
      most = sum;
      peak = i;
    }
  }
  if (largest) {
    *largest = none;
    for (int32_t k = 0; peak != none && k < count; ++k)
      if (alive(buffers[k], buffers[peak].first) &&
          (*largest == none || buffers[k].bytes > buffers[*largest].bytes))
        *largest = k;
  }
  return most;
}

void describe_arena(const buffer *buffers, int32_t count, const char *const *names,
                    int64_t arena_bytes, cameo_memory &plan) {
  int32_t largest = none;
  (void)live_bytes(buffers, count, &largest);
  describe_arena(arena_bytes, largest == none ? 0 : buffers[largest].bytes,
                 largest == none || !names ? nullptr : names[largest], plan);
}

void describe_arena(int64_t arena_bytes, int64_t peak_bytes, const char *peak_tensor,
                    cameo_memory &plan) {
  plan.host_arena = static_cast<uint64_t>(arena_bytes);
  plan.alignment = static_cast<uint64_t>(arena_alignment);
  plan.peak_bytes = static_cast<uint64_t>(peak_bytes);
  plan.peak_tensor = peak_tensor;
}

} // namespace cameo
