// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// topk: a heap of the k best values seen, the worst on top, which is then emptied backwards into
// the output. n log k time, k entries of scratch a thread.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/params.h"
#include "cameo/common/types.h"
#include "cameo/cpu/parallel.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// A bounded heap over caller's memory; top() stands last in the output.
template <class T> class topk_heap {
public:
  CAMEO_INLINE topk_heap(ranked<T> *entries, bool largest) : entry_(entries), largest_(largest) {}

  CAMEO_INLINE int64_t size() const { return size_; }
  CAMEO_INLINE const ranked<T> &top() const { return entry_[0]; }
  CAMEO_INLINE bool before(const ranked<T> &a, const ranked<T> &b) const {
    return topk_before(a, b, largest_);
  }

  void push(const ranked<T> &v) {
    int64_t i = size_++;
    for (int64_t up = (i - 1) / 2; i > 0 && before(entry_[up], v); i = up, up = (i - 1) / 2)
      entry_[i] = entry_[up];
    entry_[i] = v;
  }
  void replace_top(const ranked<T> &v) { sink(v); }
  void pop() {
    const ranked<T> v = entry_[--size_];
    if (size_ > 0)
      sink(v);
  }

private:
  /// Puts v at the root and lets it sink.
  void sink(const ranked<T> &v) {
    int64_t i = 0;
    for (int64_t down = 1; down < size_; i = down, down = 2 * i + 1) {
      if (down + 1 < size_ && before(entry_[down], entry_[down + 1]))
        ++down;
      if (!before(v, entry_[down]))
        break;
      entry_[i] = entry_[down];
    }
    entry_[i] = v;
  }

  ranked<T> *entry_;
  int64_t size_ = 0;
  bool largest_;
};

/// Elements that are compared at once with the worst of the heap.
constexpr int64_t topk_block = 32;

/// Whether one of a block's elements may stand before the heap's worst; load(j).
template <class T, class LOAD>
CAMEO_INLINE bool has_better(T worst, bool largest, const LOAD &load) {
  using V = compared_t<T>;
  const V bound = cast<V>(worst);
  int32_t any = 0;
  if (largest) {
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < topk_block; ++j)
      any |= is_ordered_less(bound, cast<V>(load(j))) ? 1 : 0;
  } else {
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < topk_block; ++j)
      any |= is_ordered_less(cast<V>(load(j)), bound) ? 1 : 0;
  }
  return any != 0;
}

/// Bytes that topk takes from e.scratch, for values of type T.
template <class T, class P> int64_t topk_scratch(const P &p, int threads) {
  return int64_t{threads} * p.k * static_cast<int64_t>(sizeof(ranked<T>));
}

template <class P, class LOAD, class STORE_VALUE, class STORE_INDEX>
void topk(exec &e, const P &p, LOAD load, STORE_VALUE store_value, STORE_INDEX store_index) {
  constexpr int R1 = P::outer_rank;
  static_assert(P::reduced_rank == 1);
  using T = loaded_t<LOAD, index<R1 + 1>>;
  const index<R1> outer = outer_of<R1>(p);
  const int64_t rows = volume(outer), n = row_length(p), k = p.k;
  (void)p.sorted;
  if (rows <= 0 || k <= 0)
    return;
  auto *entries =
      static_cast<ranked<T> *>(e.scratch(static_cast<size_t>(topk_scratch<T>(p, e.threads()))));
  if (entries == nullptr)
    return;
  e.parallel_if(rows * n * 4 >= parallel_threshold, [&](int thread, int threads) {
    const span s = share(rows, thread, threads);
    walk(outer, s.begin, s.end, [&](const index<R1> &i) {
      topk_heap<T> heap(entries + thread * k, p.largest);
      for (int64_t t = 0; t < n;) {
        // A block that has none better than the worst of the heap is passed over.
        if (heap.size() == k && t + topk_block <= n &&
            !has_better(heap.top().value, p.largest,
                        [&](int64_t j) CAMEO_INLINE_BODY { return load(append(i, t + j)); })) {
          t += topk_block;
          continue;
        }
        const int64_t end = t + topk_block < n ? t + topk_block : n;
        for (; t < end; ++t) {
          const ranked<T> v = {load(append(i, t)), t};
          if (heap.size() < k)
            heap.push(v);
          else if (heap.before(v, heap.top()))
            heap.replace_top(v);
        }
      }
      while (heap.size() > 0) {
        const ranked<T> v = heap.top();
        heap.pop();
        store_value(append(i, heap.size()), v.value);
        store_index(append(i, heap.size()), v.position);
      }
    });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
