// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// topk: a heap of the k best entries seen, the worst on top, which is then emptied backwards into
// the output; many are sorted by their digits. A few of each of neighbouring rows that lie
// crosswise are kept in order, a lane of a vector for each row. 32 k bytes of scratch a thread.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/params.h"
#include "cameo/common/types.h"
#include "cameo/cpu/row_groups.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// A bounded heap over caller's memory; top() stands last in the output.
template <class V> class topk_heap {
public:
  CAMEO_INLINE topk_heap(ranked<V> *entries, bool largest) : entry_(entries), largest_(largest) {}

  CAMEO_INLINE int64_t size() const { return size_; }
  CAMEO_INLINE const ranked<V> &top() const { return entry_[0]; }
  CAMEO_INLINE bool before(const ranked<V> &a, const ranked<V> &b) const {
    return topk_before(a, b, largest_);
  }

  void push(const ranked<V> &v) {
    int64_t i = size_++;
    for (int64_t up = (i - 1) / 2; i > 0 && before(entry_[up], v); i = up, up = (i - 1) / 2)
      entry_[i] = entry_[up];
    entry_[i] = v;
  }
  void replace_top(const ranked<V> &v) { sink(v); }
  void pop() {
    const ranked<V> v = entry_[--size_];
    if (size_ > 0)
      sink(v);
  }

private:
  /// Puts v at the root and lets it sink.
  void sink(const ranked<V> &v) {
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

  ranked<V> *entry_;
  int64_t size_ = 0;
  bool largest_;
};

/// Elements that are compared at once with the worst of those that are kept.
constexpr int64_t topk_block = 32;

/// Whether one of a block's elements may stand before the heap's worst; value(j).
template <class V, class VALUE>
CAMEO_INLINE bool has_better(V bound, bool largest, const VALUE &value) {
  int32_t any = 0;
  if (largest) {
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < topk_block; ++j)
      any |= is_ordered_less(bound, cast<V>(value(j))) ? 1 : 0;
  } else {
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < topk_block; ++j)
      any |= is_ordered_less(cast<V>(value(j)), bound) ? 1 : 0;
  }
  return any != 0;
}

/// Puts the k best of n into a heap; value(t).
template <class V, class VALUE>
CAMEO_INLINE void select_by_heap(int64_t n, int64_t k, bool largest, topk_heap<V> &heap,
                                 const VALUE &value) {
  for (int64_t t = 0; t < n;) {
    // A block that has none better than the worst of the heap is passed over.
    if (heap.size() == k && t + topk_block <= n &&
        !has_better(heap.top().value, largest,
                    [&](int64_t j) CAMEO_INLINE_BODY { return value(t + j); })) {
      t += topk_block;
      continue;
    }
    const int64_t end = t + topk_block < n ? t + topk_block : n;
    for (; t < end; ++t) {
      const V x = cast<V>(value(t)), bound = heap.top().value;
      if (heap.size() < k)
        heap.push({x, t});
      else if (largest ? ordered_less(bound, x) : ordered_less(x, bound))
        heap.replace_top({x, t});
    }
  }
}

/// Whether values are numbers of at most 32 bits.
template <class T> constexpr bool is_topk_key = sizeof(compared_t<T>) == 4;

/// Values as numbers of one order: the lower comes first in the output.
template <class T> CAMEO_INLINE int32_t topk_key(T value, bool largest) {
  using V = compared_t<T>;
  static_assert(is_topk_key<T>);
  const V x = cast<V>(value);
  int32_t key = 0;
  if constexpr (std::is_same_v<V, float>) {
    // Zeros of both signs are equal, and so are all NaNs, which are greater than any number.
    const int32_t bits = bit_cast<int32_t>(x == 0 ? 0.0f : x);
    key = bits < 0 ? bits ^ INT32_MAX : bits;
    key = x != x ? INT32_MAX : key;
  } else if constexpr (std::is_signed_v<V>) {
    key = x;
  } else {
    key = static_cast<int32_t>(x ^ 0x80000000u);
  }
  return largest ? ~key : key;
}

/// A key and its position as one number.
struct topk_number {
  static constexpr uint32_t sign = 0x80000000u;
  CAMEO_INLINE static uint64_t make(int32_t key, int64_t position) {
    const uint32_t upper = static_cast<uint32_t>(key) ^ sign;
    return static_cast<uint64_t>(upper) << 32 | static_cast<uint32_t>(position);
  }
  CAMEO_INLINE static int32_t key(uint64_t number) {
    return static_cast<int32_t>(static_cast<uint32_t>(number >> 32) ^ sign);
  }
  CAMEO_INLINE static int64_t position(uint64_t number) { return static_cast<uint32_t>(number); }
};

/// So many entries are sorted by their digits; fewer by the heap.
constexpr int64_t fewest_by_digits = 48;
constexpr int digit_bits = has_small_stack ? 4 : 8;

/// Sorts numbers by the digits from bit `bit` on, by whose lower ones they are in order; `other`
/// has room for as many. Returns where they are.
inline CAMEO_NOINLINE uint64_t *sort_by_digits(uint64_t *number, uint64_t *other, int64_t count,
                                               int bit) {
  constexpr int values = 1 << digit_bits;
  for (; bit < 64; bit += digit_bits) {
    const auto digit = [&](int64_t t) CAMEO_INLINE_BODY {
      return static_cast<int>(number[t] >> bit) & (values - 1);
    };
    int64_t place[values + 1] = {};
    for (int64_t t = 0; t < count; ++t)
      ++place[digit(t) + 1];
    if (place[digit(0) + 1] == count)
      continue;
    for (int d = 1; d < values; ++d)
      place[d] += place[d - 1];
    for (int64_t t = 0; t < count; ++t)
      other[place[digit(t)]++] = number[t];
    uint64_t *const sorted = other;
    other = number;
    number = sorted;
  }
  return number;
}

/// The k best of n in order, in memory for four times as many; value(t). Numbers that are better
/// than the worst so far are put behind the others; where there is no room, these are sorted.
template <class VALUE>
CAMEO_INLINE const uint64_t *select_by_digits(int64_t n, int64_t k, bool largest, uint64_t *memory,
                                              const VALUE &value) {
  uint64_t *number = memory, *other = memory + 2 * k;
  int64_t count = 0, bound = INT64_MAX;
  // Numbers come in the order of positions, their lower half.
  const auto sort = [&] {
    uint64_t *const sorted = sort_by_digits(number, other, count, 32);
    other = sorted == number ? other : number;
    number = sorted;
  };
  for (int64_t t = 0; t < n; t += topk_block) {
    const int64_t here = n - t < topk_block ? n - t : topk_block;
    if (count + here > 2 * k) {
      sort();
      count = k;
      bound = topk_number::key(number[k - 1]);
    }
    alignas(64) int32_t key[topk_block];
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < here; ++j)
      key[j] = topk_key(value(t + j), largest);
    for (int64_t j = 0; j < here; ++j)
      if (key[j] < bound)
        number[count++] = topk_number::make(key[j], t + j);
  }
  sort();
  return number;
}

/// The k best of several rows side by side, in order: `take` at rising positions.
struct topk_lanes {
  // Vectors, since a loop over lanes would store by masks, and what is stored so is slow to load.
  typedef typename vec<int32_t>::type numbers;
  static constexpr int lanes = vec<int32_t>::lanes;
  static constexpr int count = has_small_stack ? lanes : 32;
  static constexpr int64_t most = has_small_stack ? 4 : 16;

  alignas(64) int32_t key[array_size(most)][array_size(count)];
  alignas(64) int32_t at[array_size(most)][array_size(count)];

  /// An element that another one has pushed away goes on, and is better than all that follow.
  CAMEO_INLINE void take(const int32_t (&next)[array_size(count)], int64_t t, int64_t k) {
    const int64_t size = t < k ? t : k;
    for (int w = 0; w < count; w += lanes) {
      const numbers mine = load_vector(next + w);
      numbers carried = mine, from = numbers{} + static_cast<int32_t>(t);
      for (int64_t j = 0; j < size; ++j) {
        const numbers old = load_vector(key[j] + w), was = load_vector(at[j] + w);
        store_vector(key[j] + w, mine < old ? carried : old);
        store_vector(at[j] + w, mine < old ? from : was);
        carried = mine < old ? old : carried;
        from = mine < old ? was : from;
      }
      if (t < k) {
        store_vector(key[t] + w, carried);
        store_vector(at[t] + w, from);
      }
    }
  }
};

/// The rows of a call.
template <class P, class LOAD, class STORE_VALUE, class STORE_INDEX> struct topk_rows {
  static constexpr int R1 = P::outer_rank;
  using T = loaded_t<LOAD, index<R1 + 1>>;
  using V = compared_t<T>;

  P p;
  LOAD load;
  STORE_VALUE store_value;
  STORE_INDEX store_index;

  CAMEO_INLINE void put(const index<R1> &i, int64_t place, T value, int64_t position) const {
    store_value(append(i, place), value);
    store_index(append(i, place), position);
  }
  /// The same of an element that is loaded again, since only its key was kept.
  CAMEO_INLINE void put(const index<R1> &i, int64_t place, int64_t position) const {
    put(i, place, load(append(i, position)), position);
  }

  void visit(const index<R1> &i, void *memory) const {
    const int64_t n = row_length(p), k = p.k;
    const bool largest = p.largest; // a constant where p's member is
    const auto value = [&](int64_t t) CAMEO_INLINE_BODY { return load(append(i, t)); };
    if constexpr (is_topk_key<T>) {
      if (k >= fewest_by_digits && are_positions_short(n)) {
        const uint64_t *const best =
            select_by_digits(n, k, largest, static_cast<uint64_t *>(memory), value);
        for (int64_t place = 0; place < k; ++place)
          put(i, place, topk_number::position(best[place]));
        return;
      }
    }
    topk_heap<V> heap(static_cast<ranked<V> *>(memory), largest);
    select_by_heap(n, k, largest, heap, value);
    while (heap.size() > 0) {
      const ranked<V> best = heap.top();
      heap.pop();
      put(i, heap.size(), cast<T>(best.value), best.position);
    }
  }

  bool are_lanes() const {
    return across_rows_or(p, false) && p.k <= topk_lanes::most &&
           are_positions_short(row_length(p));
  }
  void visit(const row_group<R1> &group) const {
    const int64_t n = row_length(p), k = p.k;
    const bool largest = p.largest;
    topk_lanes best;
    for (int64_t t = 0; t < n; ++t) {
      alignas(64) int32_t next[topk_lanes::count];
      CAMEO_INDEPENDENT_LANES
      for (int w = 0; w < topk_lanes::count; ++w)
        next[w] = topk_key(load(append(group.row(w), t)), largest);
      best.take(next, t, k);
    }
    for (int64_t place = 0; place < k; ++place) {
      CAMEO_INDEPENDENT_LANES
      for (int w = 0; w < topk_lanes::count; ++w)
        put(group.row(w), place, best.at[place][w]);
    }
  }
};

/// Bytes for each of the k best of a row: four numbers, or a heap's entry.
constexpr int64_t topk_room = 32;
/// Bytes that topk takes from e.scratch, for values of type T.
template <class T, class P> int64_t topk_scratch(const P &p, int threads) {
  static_assert(sizeof(ranked<compared_t<T>>) <= topk_room);
  return int64_t{threads} * p.k * topk_room;
}

template <class P, class LOAD, class STORE_VALUE, class STORE_INDEX>
void topk(exec &e, const P &p, LOAD load, STORE_VALUE store_value, STORE_INDEX store_index) {
  constexpr int R1 = P::outer_rank;
  static_assert(P::reduced_rank == 1);
  using rows_type = topk_rows<P, LOAD, STORE_VALUE, STORE_INDEX>;
  using T = typename rows_type::T;
  const index<R1> outer = outer_of<R1>(p);
  const int64_t rows = volume(outer), room = p.k * topk_room;
  (void)p.sorted;
  if (rows <= 0 || room <= 0)
    return;
  auto *memory =
      static_cast<char *>(e.scratch(static_cast<size_t>(topk_scratch<T>(p, e.threads()))));
  if (memory == nullptr)
    return;
  const rows_type of = {p, load, store_value, store_index};
  e.parallel_if(rows * row_length(p) * 4 >= parallel_threshold, [&](int thread, int threads) {
    const span s = share(rows, thread, threads);
    const auto one_row = [&](const index<R1> &i) { of.visit(i, memory + thread * room); };
    if constexpr (is_topk_key<T> && R1 > 0) {
      if (of.are_lanes())
        return for_row_groups<topk_lanes::count>(outer, s.begin, s.end,
                                                 [&](const row_group<R1> &group) {
                                                   if (group.count == topk_lanes::count)
                                                     return of.visit(group);
                                                   for (int64_t w = 0; w < group.count; ++w)
                                                     one_row(group.row(w));
                                                 });
    }
    walk(outer, s.begin, s.end, one_row);
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
