// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce and arg_reduce: one value per row. Rows are shared among the threads; a few long rows are
// cut into the blocks of lanes.h, whose results are combined in order.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/params.h"
#include "cameo/cpu/lanes.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Rows in [begin, end) of which neighbours lie adjacent in memory: a panel of them at a time, so
/// that vectors run across rows. Each row still sees the order of lanes.h.
template <class COMBINE, int R1, int R2, class LOAD, class STORE>
CAMEO_INLINE void reduce_across(const index<R1> &outer, const index<R2> &reduced, int64_t n,
                                span rows, const LOAD &load, const STORE &store) {
  using type = typename COMBINE::type;
  constexpr int most = 512 / (lane_count * static_cast<int>(sizeof(type)));
  constexpr int width = has_small_stack && most < 16 ? most : 16;
  for (int64_t row = rows.begin; row < rows.end;) {
    const index<R1> i = unflatten(row, outer);
    int64_t count = outer[R1 - 1] - i[R1 - 1];
    count = count < rows.end - row ? count : rows.end - row;
    count = count < width ? count : width;
    alignas(64) type lane[lane_count][array_size(width)];
    alignas(64) type result[array_size(width)];
    for (int64_t from = 0; from < n || from == 0; from += reduce_block) {
      for (int l = 0; l < lane_count; ++l)
        for (int w = 0; w < width; ++w)
          lane[l][w] = COMBINE::identity();
      int64_t t = from;
      walk(reduced, from, n - from < reduce_block ? n : from + reduce_block,
           [&](const index<R2> &k) {
             type *acc = lane[t++ % lane_count];
             index<R1> at = i;
             if (count == width) {
               CAMEO_INDEPENDENT
               for (int w = 0; w < width; ++w) {
                 at[R1 - 1] = i[R1 - 1] + w;
                 acc[w] = COMBINE::apply(acc[w], cast<type>(load(join(at, k))));
               }
             } else {
               for (int w = 0; w < count; ++w) {
                 at[R1 - 1] = i[R1 - 1] + w;
                 acc[w] = COMBINE::apply(acc[w], cast<type>(load(join(at, k))));
               }
             }
           });
      for (int half = lane_count / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l)
          for (int w = 0; w < width; ++w)
            lane[l][w] = COMBINE::apply(lane[l][w], lane[l + half][w]);
      for (int w = 0; w < width; ++w)
        result[w] = from == 0 ? lane[0][w] : COMBINE::apply(result[w], lane[0][w]);
    }
    const auto put = [&](int w) {
      index<R1> at = i;
      at[R1 - 1] += w;
      store(at, result[w]);
    };
    if (count == width) {
      CAMEO_INDEPENDENT
      for (int w = 0; w < width; ++w)
        put(w);
    } else {
      for (int w = 0; w < count; ++w)
        put(w);
    }
    row += count;
  }
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
    } else if (R1 > 0 && across_rows_or(p, false)) {
      if constexpr (R1 > 0)
        parallel_range(e, rows, n, [&](int64_t begin, int64_t end) {
          reduce_across<COMBINE>(outer, reduced, n, span{begin, end}, load, store);
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

template <class CMP, class P, class LOAD, class STORE>
void arg_reduce(exec &e, const P &p, LOAD load, STORE store) {
  using type = typename CMP::type;
  constexpr int R1 = P::outer_rank;
  static_assert(P::reduced_rank == 1);
  const index<R1> outer = outer_of<R1>(p);
  const int64_t n = row_length(p);
  parallel_range(e, volume(outer), n, [&](int64_t begin, int64_t end) {
    walk(outer, begin, end, [&](const index<R1> &i) {
      ranked<type> best = {n > 0 ? load(append(i, 0)) : type{}, 0};
      for (int64_t t = 1; t < n; ++t) {
        const ranked<type> next = {load(append(i, t)), t};
        if (CMP::better(next, best))
          best = next;
      }
      store(i, best.position);
    });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
