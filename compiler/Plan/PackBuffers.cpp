// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/PackBuffers.h"

#include "Dialect/Core/IR/Limits.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace cameo;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

namespace {

int64_t getAligned(int64_t bytes) {
  return static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(bytes), core::kAlignment));
}

/// The buffers placed so far, to be asked which are alive between two steps: a tree over the
/// buffers sorted by their first step, each node with the last step that is reached below it.
class PlacedBuffers {
public:
  explicit PlacedBuffers(ArrayRef<PackedBuffer> buffers)
      : buffers(buffers), byFirst(buffers.size()) {
    std::iota(byFirst.begin(), byFirst.end(), 0);
    llvm::stable_sort(byFirst,
                      [&](size_t x, size_t y) { return buffers[x].first < buffers[y].first; });
    position.resize(buffers.size());
    for (auto [place, buffer] : llvm::enumerate(byFirst))
      position[buffer] = place;
    size_t leaves = llvm::PowerOf2Ceil(std::max<size_t>(buffers.size(), 1));
    lastBelow.assign(2 * leaves, INT64_MIN);
  }

  void add(size_t buffer) {
    size_t node = lastBelow.size() / 2 + position[buffer];
    for (; node != 0; node /= 2)
      lastBelow[node] = std::max(lastBelow[node], buffers[buffer].last);
  }

  void collect(int64_t first, int64_t last, SmallVectorImpl<size_t> &found) const {
    collect(1, 0, lastBelow.size() / 2, first, last, found);
  }

private:
  void collect(size_t node, size_t begin, size_t end, int64_t first, int64_t last,
               SmallVectorImpl<size_t> &found) const {
    if (lastBelow[node] < first || begin >= byFirst.size() || buffers[byFirst[begin]].first > last)
      return;
    if (end - begin == 1) {
      found.push_back(byFirst[begin]);
      return;
    }
    size_t middle = begin + (end - begin) / 2;
    collect(2 * node, begin, middle, first, last, found);
    collect(2 * node + 1, middle, end, first, last, found);
  }

  ArrayRef<PackedBuffer> buffers;
  SmallVector<size_t> byFirst, position;
  SmallVector<int64_t> lastBelow;
};

/// The tightest gap between `others`, or the end.
int64_t findOffset(ArrayRef<PackedBuffer> buffers, llvm::MutableArrayRef<size_t> others,
                   int64_t need) {
  llvm::sort(others, [&](size_t x, size_t y) {
    return std::pair(buffers[x].offset, x) < std::pair(buffers[y].offset, y);
  });
  int64_t free = 0, best = -1, bestGap = 0;
  for (size_t other : others) {
    int64_t gap = buffers[other].offset - free;
    if (gap >= need && (best < 0 || gap < bestGap)) {
      best = free;
      bestGap = gap;
    }
    free = std::max(free, buffers[other].offset + getAligned(buffers[other].bytes));
  }
  return best < 0 ? free : best;
}

using Order = llvm::function_ref<bool(size_t, size_t)>;

/// Larger first; among equals, longer-lived, then earlier.
bool isLarger(ArrayRef<PackedBuffer> buffers, size_t x, size_t y) {
  const PackedBuffer &a = buffers[x], &b = buffers[y];
  return std::tuple(-a.bytes, a.first - a.last, x) < std::tuple(-b.bytes, b.first - b.last, y);
}

/// The most bytes that are alive at once, and the first step at which they are.
struct LiveBytes {
  int64_t bytes = 0, step = 0;
};
LiveBytes findMostAlive(ArrayRef<PackedBuffer> buffers) {
  llvm::MapVector<int64_t, int64_t> changes; // of the bytes alive, by step
  for (const PackedBuffer &buffer : buffers) {
    changes[buffer.first] += getAligned(buffer.bytes);
    changes[buffer.last + 1] -= getAligned(buffer.bytes);
  }
  auto ordered = changes.takeVector();
  llvm::sort(ordered);
  LiveBytes most;
  int64_t alive = 0;
  for (auto [step, change] : ordered) {
    alive += change;
    if (alive > most.bytes)
      most = {alive, step};
  }
  return most;
}

/// Whether even all buffers side by side fit.
bool fits(ArrayRef<PackedBuffer> buffers) {
  int64_t total = 0;
  return llvm::all_of(buffers, [&](const PackedBuffer &buffer) {
    return buffer.bytes <= INT64_MAX - core::kAlignment &&
           !llvm::AddOverflow(total, getAligned(buffer.bytes), total);
  });
}

/// Each into the tightest gap, one after the other; the length of the arena.
int64_t packInOrder(llvm::MutableArrayRef<PackedBuffer> buffers, Order isBefore) {
  SmallVector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, isBefore);
  int64_t end = 0;
  PlacedBuffers placed(buffers);
  SmallVector<size_t> others;
  for (size_t number : order) {
    PackedBuffer &buffer = buffers[number];
    buffer.offset = 0;
    if (buffer.bytes == 0)
      continue;
    others.clear();
    placed.collect(buffer.first, buffer.last, others);
    buffer.offset = findOffset(buffers, others, getAligned(buffer.bytes));
    placed.add(number);
    end = std::max(end, buffer.offset + getAligned(buffer.bytes));
  }
  return end;
}

} // namespace

std::optional<int64_t> cameo::packBuffers(llvm::MutableArrayRef<PackedBuffer> buffers) {
  if (!fits(buffers))
    return std::nullopt;
  return packInOrder(buffers, [&](size_t x, size_t y) { return isLarger(buffers, x, y); });
}

std::optional<int64_t> cameo::packTightly(llvm::MutableArrayRef<PackedBuffer> buffers) {
  std::optional<int64_t> least = packBuffers(buffers);
  LiveBytes live = findMostAlive(buffers);
  if (!least || *least == live.bytes)
    return least;
  SmallVector<PackedBuffer> best(buffers);
  auto keep = [&](int64_t bytes) {
    if (bytes < *least) {
      least = bytes;
      best.assign(buffers.begin(), buffers.end());
    }
  };
  auto isAtPeak = [&](size_t number) {
    return buffers[number].first <= live.step && live.step <= buffers[number].last;
  };
  keep(packInOrder(buffers, [&](size_t x, size_t y) {
    return isAtPeak(x) != isAtPeak(y) ? isAtPeak(x) : isLarger(buffers, x, y);
  }));
  keep(packInOrder(buffers, [&](size_t x, size_t y) {
    int64_t ofX = buffers[x].last - buffers[x].first, ofY = buffers[y].last - buffers[y].first;
    return ofX != ofY ? ofX > ofY : isLarger(buffers, x, y);
  }));
  keep(packInOrder(buffers, [&](size_t x, size_t y) {
    return std::pair(buffers[x].first, x) < std::pair(buffers[y].first, y);
  }));
  llvm::copy(best, buffers.begin());
  return least;
}

int64_t cameo::getEnd(ArrayRef<PackedBuffer> buffers) {
  int64_t end = 0;
  for (const PackedBuffer &buffer : buffers)
    end = std::max(end, buffer.offset + getAligned(buffer.bytes));
  return end;
}

int64_t cameo::getLiveBytes(ArrayRef<PackedBuffer> buffers) { return findMostAlive(buffers).bytes; }
