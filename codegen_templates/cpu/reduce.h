// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce and arg_reduce: one value per row. Rows are shared among the threads, short ones in
// groups; a few long rows are cut into the blocks of lanes.h, whose results are combined in order.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/params.h"
#include "cameo/common/types.h"
#include "cameo/cpu/row_groups.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Groups of the rows [begin, end).
template <class COMBINE, int R1, int R2, class LOAD, class STORE>
CAMEO_INLINE void reduce_groups(const index<R1> &outer, const index<R2> &reduced, int64_t n,
                                span rows, const LOAD &load, const STORE &store) {
  using type = typename COMBINE::type;
  constexpr int width = group_rows<type>();
  for_row_groups<width>(outer, rows.begin, rows.end, [&](const row_group<R1> &group) {
    alignas(64) type result[array_size(width)];
    const auto value = [&](const index<R2> &k, int64_t w) {
      return cast<type>(load(join(group.row(w), k)));
    };
    if (fits_group(n)) {
      // Elements that are loaded one by one are combined in vectors.
      alignas(64) type x[group_room<width>];
      fill_group<width>(reduced, n, group.count, value, x);
      reduce_filled_group<COMBINE, width>(n, x, result);
    } else {
      reduce_group<COMBINE, width>(reduced, n, group.count, value, result);
    }
    for_group<width>(group.count, [&](int64_t w) { store(group.row(w), result[w]); });
  });
}

/// The same of longer ones, of which a vector's lanes are folded together; extremes of more than
/// lane_count in another way, since fewer combine nothing until they are folded.
template <class COMBINE, bool ARE_EXTREMES, int R1, int R2, class LOAD, class STORE>
CAMEO_INLINE void
reduce_folded([[maybe_unused]] const index<R1> &outer, [[maybe_unused]] const index<R2> &reduced,
              [[maybe_unused]] int64_t n, [[maybe_unused]] span rows,
              [[maybe_unused]] const LOAD &load, [[maybe_unused]] const STORE &store) {
#if defined(CAMEO_SHUFFLES)
  using type = typename COMBINE::type;
  constexpr int width = folded_rows<COMBINE>();
  if constexpr (R1 > 0 && width > 0) {
    alignas(64) type x[array_size(rows_room)], result[array_size(width)];
    const int64_t whole = in_lanes(n);
    const int64_t ld = n % width != 0 && whole * width <= rows_room ? whole : 0;
    for (int64_t t = 0; t < (ld > 0 ? whole * width : whole); ++t)
      x[t] = COMBINE::identity();
    for_row_groups<width>(outer, rows.begin, rows.end, [&](const row_group<R1> &group) {
      const auto value = [&](const index<R2> &k, int64_t w) {
        return cast<type>(load(join(group.row(w), k)));
      };
      if constexpr (ARE_EXTREMES)
        fold_extremes<COMBINE, width>(reduced, n, group.count, x, ld, value, result);
      else
        fold_rows<COMBINE, width>(reduced, n, group.count, x, ld, value, result);
      for_group<width>(group.count, [&](int64_t w) { store(group.row(w), result[w]); });
    });
  }
#endif
}

template <class COMBINE, class P, class LOAD, class STORE>
void reduce(exec &e, const P &p, LOAD load, STORE store) {
  using type = typename COMBINE::type;
  constexpr int R1 = P::outer_rank, R2 = P::reduced_rank;
  const index<R1> outer = outer_of<R1>(p);
  const index<R2> reduced = reduced_of<R2>(p);
  const int64_t rows = volume(outer), n = volume(reduced);
  if (rows <= 0)
    return;
  if constexpr (R2 == 0) {
    parallel_range(e, rows, 1, [&](int64_t begin, int64_t end) {
      walk(outer, begin, end, [&](const index<R1> &i) {
        store(i, COMBINE::apply(COMBINE::identity(), cast<type>(load(i))));
      });
    });
  } else {
    const int64_t blocks = ceil_div(n, reduce_block);
    if (e.threads() > 1 && rows < e.threads() && blocks > 1) {
      auto *part =
          static_cast<type *>(e.scratch(static_cast<size_t>(rows * blocks) * sizeof(type)));
      if (part == nullptr)
        return;
      parallel_range(e, rows * blocks, reduce_block, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          const index<R1> i = unflatten(b / blocks, outer);
          const int64_t from = b % blocks * reduce_block;
          part[b] = reduce_part<COMBINE>(
              reduced, from, n - from < reduce_block ? n : from + reduce_block,
              [&](const index<R2> &k) { return cast<type>(load(join(i, k))); });
        }
      });
      int64_t b = 0;
      walk(outer, 0, rows, [&](const index<R1> &i) {
        type result = part[b++];
        for (int64_t k = 1; k < blocks; ++k)
          result = COMBINE::apply(result, part[b++]);
        store(i, result);
      });
    } else if (are_rows_together<type>(p, n)) {
      if constexpr (R1 > 0)
        parallel_range(e, rows, n, [&](int64_t begin, int64_t end) {
          reduce_groups<COMBINE>(outer, reduced, n, span{begin, end}, load, store);
        });
    } else if (are_rows_folded<COMBINE>(p, n)) {
      parallel_range(e, rows, n, [&](int64_t begin, int64_t end) {
        if constexpr (!is_arithmetic<COMBINE>())
          if (n > lane_count)
            return reduce_folded<COMBINE, true>(outer, reduced, n, span{begin, end}, load, store);
        reduce_folded<COMBINE, false>(outer, reduced, n, span{begin, end}, load, store);
      });
    } else {
      parallel_range(e, rows, n, [&](int64_t begin, int64_t end) {
        walk(outer, begin, end, [&](const index<R1> &i) {
          store(i, reduce_row<COMBINE>(reduced, n, [&](const index<R2> &k) {
                  return cast<type>(load(join(i, k)));
                }));
        });
      });
    }
  }
}

/// Bytes that reduce takes from e.scratch.
template <class COMBINE, class P> int64_t reduce_scratch(const P &p, int threads) {
  const int64_t rows = row_count(p), blocks = ceil_div(row_length(p), reduce_block);
  return threads > 1 && rows < threads && blocks > 1
             ? rows * blocks * static_cast<int64_t>(sizeof(typename COMBINE::type))
             : 0;
}

/// The extremes of some rows side by side, or of one row in turns, so far: `take` at rising
/// positions.
template <class CMP> struct arg_lanes {
  using V = compared_t<typename CMP::type>;
  using values = typename CMP::template of<V>;
  using position = std::conditional_t<sizeof(V) == 8, int64_t, int32_t>;
  static constexpr int count = has_small_stack ? 4 : 16;

  alignas(64) V value[count];
  alignas(64) position at[count];

  template <class LOAD> CAMEO_INLINE void begin(const LOAD &load, position apart) {
    for (int l = 0; l < count; ++l) {
      value[l] = cast<V>(load(l));
      at[l] = l * apart;
    }
  }
  template <class LOAD> CAMEO_INLINE void take(const LOAD &load, position first, position apart) {
    CAMEO_INDEPENDENT
    for (int l = 0; l < count; ++l) {
      const V next = cast<V>(load(l));
      const bool wins =
          CMP::is_last ? !values::beats(value[l], next) : values::beats(next, value[l]);
      value[l] = wins ? next : value[l];
      at[l] = wins ? first + l * apart : at[l];
    }
  }
  /// The best of all, in lane 0.
  template <int HALF = count / 2> CAMEO_INLINE void fold() {
    if constexpr (HALF > 0) {
      CAMEO_INDEPENDENT_LANES
      for (int l = 0; l < HALF; ++l) {
        const V other = value[l + HALF];
        const position there = at[l + HALF];
        const bool is_first = CMP::is_last ? there > at[l] : there < at[l];
        const bool ahead = values::beats(other, value[l]);
        const bool behind = values::beats(value[l], other);
        const bool wins = ahead | (is_first & !behind);
        value[l] = wins ? other : value[l];
        at[l] = wins ? there : at[l];
      }
      fold<HALF / 2>();
    }
  }
};

/// The position of the extreme of n values, a lane's elements at a time; value(t).
template <class CMP, class VALUE> CAMEO_INLINE int64_t arg_of_row(int64_t n, const VALUE &value) {
  using lanes = arg_lanes<CMP>;
  using V = typename lanes::V;
  using position = typename lanes::position;
  int64_t t = 0;
  ranked<V> best = {V{}, 0};
  if (n >= 2 * lanes::count && are_positions_short(n)) {
    lanes all;
    const auto from = [&](int l) CAMEO_INLINE_BODY { return value(t + l); };
    all.begin(from, 1);
    for (t = lanes::count; t + lanes::count <= n; t += lanes::count)
      all.take(from, static_cast<position>(t), 1);
    all.fold();
    best = {all.value[0], all.at[0]};
  } else if (n > 0) {
    best.value = cast<V>(value(t++));
  }
  for (; t < n; ++t) {
    const ranked<V> next = {cast<V>(value(t)), t};
    if (lanes::values::better(next, best))
      best = next;
  }
  return best.position;
}

template <class CMP, class P, class LOAD, class STORE>
void arg_reduce(exec &e, const P &p, LOAD load, STORE store) {
  using lanes = arg_lanes<CMP>;
  using position = typename lanes::position;
  constexpr int R1 = P::outer_rank;
  static_assert(P::reduced_rank == 1);
  const index<R1> outer = outer_of<R1>(p);
  const int64_t n = row_length(p);
  parallel_range(e, volume(outer), n, [&](int64_t begin, int64_t end) {
    const auto one_row = [&](const index<R1> &i) {
      store(i, arg_of_row<CMP>(n, [&](int64_t t) CAMEO_INLINE_BODY { return load(append(i, t)); }));
    };
    if constexpr (R1 > 0) {
      if (across_rows_or(p, false) && n > 0 && are_positions_short(n)) {
        for_row_groups<lanes::count>(outer, begin, end, [&](const row_group<R1> &group) {
          if (group.count < lanes::count) {
            for (int64_t w = 0; w < group.count; ++w)
              one_row(group.row(w));
            return;
          }
          lanes all;
          int64_t t = 0;
          const auto from = [&](int l) CAMEO_INLINE_BODY { return load(append(group.row(l), t)); };
          all.begin(from, 0);
          for (t = 1; t < n; ++t)
            all.take(from, static_cast<position>(t), 0);
          for (int w = 0; w < lanes::count; ++w)
            store(group.row(w), static_cast<int64_t>(all.at[w]));
        });
        return;
      }
    } else {
      (void)across_rows_or(p, false);
    }
    walk(outer, begin, end, one_row);
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
