// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// attention: the softmax of products of queries with keys, times values. Keys and values of a head
// are packed once, into the panels of tile.h; then, a panel of queries at a time, products, softmax
// and the product with the values run over memory of the nearest caches. Where one panel has all
// queries, keys and values are read where they lie, as far as they can be. Every number comes about
// as by gemm, softmax and gemm.
#pragma once

#include "cameo/cpu/gemm.h"
#include "cameo/cpu/softmax.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// How attention is cut, and where a thread has what in its memory, in elements.
struct attention_plan : row_panels { // of queries
  int64_t heads, queries, keys, depth, size;
  int64_t width;          // of a column panel
  int64_t q_ld, score_ld; // between rows of a panel
  int64_t k_at, v_at, q_at, score_at, out_at, elements;
};

template <class A, class P> CAMEO_INLINE attention_plan plan_attention(const P &p) {
  const auto whole = [](int64_t count, int64_t part) { return ceil_div(count, part) * part; };
  attention_plan plan{};
  plan.heads = volume(batch_of<P::batch_rank>(p));
  plan.queries = p.queries;
  plan.keys = p.keys;
  plan.depth = p.depth;
  plan.size = p.size;
  plan.width = tile_shape::vectors * vec<A>::lanes;
  plan.cut(plan.queries, tile_shape::rows);
  // A block more: rows that are pages apart would all lie in one set of the cache.
  plan.q_ld = whole(plan.depth, column_block) + column_block;
  plan.score_ld = whole(whole(plan.keys, plan.width), column_block) + column_block;
  plan.v_at = plan.k_at + whole(whole(plan.keys, plan.width) * plan.depth, column_block);
  plan.q_at = plan.v_at + whole(whole(plan.size, plan.width) * plan.keys, column_block);
  plan.score_at = plan.q_at + plan.height * plan.q_ld;
  plan.out_at = plan.score_at + plan.height * plan.score_ld;
  plan.elements = plan.out_at + whole(plan.height * plan.width, column_block);
  return plan;
}

/// Bytes that attention takes from e.scratch for queries, keys and values of type T.
template <class T, class P> int64_t attention_scratch(const P &p, int threads) {
  using A = accumulator_t<T>;
  return plan_attention<A>(p).elements * threads * static_cast<int64_t>(sizeof(A));
}

/// c[height][width] = a b for rows of a panel of b.
template <class A>
CAMEO_INLINE void multiply_by_panel(int64_t height, int64_t steps, const A *a, int64_t a_ld,
                                    const panel_rows<A> &b, A *c, int64_t c_ld) {
  pick_tile<A, tile_shape::vectors, tile_shape::rows>(height)(steps, a, a_ld, b, c, c_ld,
                                                              /*continues=*/false, {b.data, 0});
}

/// A thread's part.
template <class T, class P, class SCORE, class WEIGHT, class STORE> struct attention_worker {
  using A = accumulator_t<T>;
  static constexpr int R = P::batch_rank;

  const P &p;
  const attention_plan &plan;
  const T *q, *k, *v;
  const SCORE &score;
  const WEIGHT &weight;
  const STORE &store;
  A *memory;

  CAMEO_INLINE int64_t columns_from(int64_t column, int64_t all) const {
    return all - column < plan.width ? all - column : plan.width;
  }

  /// Whether keys are dot products' second rows.
  CAMEO_INLINE bool uses_dots() const {
    return std::is_same_v<T, A> && P::trans_k && plan.queries <= dot_rows;
  }
  /// Whether a panel of rows with so many columns is read where it lies: packed it would be for one
  /// use.
  CAMEO_INLINE bool is_in_place(int64_t columns) const {
    return std::is_same_v<T, A> && plan.panels == 1 && columns == plan.width;
  }

  CAMEO_INLINE void pack_head(const index<R> &head) const {
    pack_keys(keys_of(head));
    const T *const values = values_of(head);
    for (int64_t column = 0; column < plan.size; column += plan.width)
      if (const int64_t columns = columns_from(column, plan.size); !is_in_place(columns))
        pack_rows(values + column, int64_t(p.v_stride), columns, plan.keys,
                  memory + plan.v_at + column * plan.keys, plan.width);
  }

  CAMEO_INLINE void run_panel(const index<R> &head, int64_t panel) const {
    const int64_t row = plan.panel_row(panel), height = plan.panel_height(panel);
    A *const queries = memory + plan.q_at, *const scores = memory + plan.score_at;
    pack_queries(head, row, height, queries);
    if (uses_dots())
      multiply_rows(height, keys_of(head));
    else
      for (int64_t column = 0; column < plan.keys; column += plan.width)
        multiply_by_panel(height, plan.depth, queries, plan.q_ld,
                          panel_of(keys_of(head), p.k_stride, plan.k_at, plan.depth, column,
                                   plan.keys, !P::trans_k),
                          scores + column, plan.score_ld);
    weigh(head, row, height, scores);
    for (int64_t column = 0; column < plan.size; column += plan.width)
      mix(head, row, height, column);
  }

private:
  CAMEO_INLINE const T *keys_of(const index<R> &head) const {
    return k + batch_offset(head, k_batch_stride_of<R>(p));
  }
  CAMEO_INLINE const T *values_of(const index<R> &head) const {
    return v + batch_offset(head, v_batch_stride_of<R>(p));
  }

  CAMEO_INLINE void pack_keys(const T *keys) const {
    if (uses_dots())
      return;
    const int64_t stride = p.k_stride;
    for (int64_t column = 0; column < plan.keys; column += plan.width) {
      A *const to = memory + plan.k_at + column * plan.depth;
      const int64_t columns = columns_from(column, plan.keys);
      if constexpr (P::trans_k)
        pack_columns(keys + column * stride, stride, columns, plan.depth, to, plan.width);
      else if (!is_in_place(columns))
        pack_rows(keys + column, stride, columns, plan.depth, to, plan.width);
    }
  }

  /// The panel from a column on, of `all`: where it lies, or packed at `at`.
  CAMEO_INLINE panel_rows<A> panel_of(const T *rows, int64_t stride, int64_t at, int64_t steps,
                                      int64_t column, int64_t all, bool are_rows) const {
    if constexpr (std::is_same_v<T, A>)
      if (are_rows && is_in_place(columns_from(column, all)))
        return {rows + column, stride, column_block};
    return {memory + at + column * steps, plan.width, column_block};
  }

  /// The products of up to dot_rows packed queries with keys where they lie.
  CAMEO_INLINE void multiply_rows(int64_t height, const T *keys) const {
    if constexpr (std::is_same_v<T, A> && P::trans_k) {
      if (height == 1)
        multiply_rows<1>(keys);
      else if (height == 2)
        multiply_rows<2>(keys);
      else if (height == 3)
        multiply_rows<3>(keys);
      else
        multiply_rows<4>(keys);
    } else {
      (void)height, (void)keys;
    }
  }
  template <int MR> CAMEO_INLINE void multiply_rows(const A *keys) const {
    const int64_t stride = p.k_stride;
    A *const scores = memory + plan.score_at;
    for (int64_t column = 0; column < plan.keys; column += dot_columns) {
      const int64_t left = plan.keys - column, columns = left < dot_columns ? left : dot_columns;
      const A *const rows = keys + column * stride;
      A out[array_size(MR)][array_size(dot_columns)];
      dot_block<A, MR>(plan.depth, columns, memory + plan.q_at, plan.q_ld, rows, stride,
                       left > dot_columns ? rows + dot_columns * stride : rows, out);
      for (int64_t r = 0; r < MR; ++r)
        for (int64_t c = 0; c < columns; ++c)
          scores[r * plan.score_ld + column + c] = out[r][c];
    }
  }

  CAMEO_INLINE void pack_queries(const index<R> &head, int64_t row, int64_t height, A *to) const {
    const int64_t stride = p.q_stride;
    const T *from = q + batch_offset(head, q_batch_stride_of<R>(p)) + row * stride;
    for (int64_t i = 0; i < height; ++i) {
      CAMEO_INDEPENDENT
      for (int64_t d = 0; d < plan.depth; ++d)
        to[i * plan.q_ld + d] = cast<A>(from[i * stride + d]);
    }
  }

  /// The products of some queries, from this one on, become weights.
  CAMEO_INLINE void weigh(const index<R> &head, int64_t row, int64_t height, A *scores) const {
    if (plan.keys <= 0)
      return;
#if defined(CAMEO_SHUFFLES)
    if constexpr (folded_rows<combine::sum<A>>() > 0)
      if (plan.keys <= folded_length)
        return weigh_in_turn(head, row, height, scores);
#endif
    const index<1> keys = {{plan.keys}};
    A greatest[tile_shape::rows];
    for (int64_t i = 0; i < height; ++i) {
      A *const x = scores + i * plan.score_ld;
      const index<R + 1> query = append(head, row + i);
      greatest[i] =
          fill_and_combine<greatest_number<A>>(keys, plan.keys, x, [&](const index<1> &j) {
            return cast<A>(score(append(query, j[0]), x[j[0]]));
          });
    }
    for (int64_t i = 0; i < height; ++i) {
      A *const x = scores + i * plan.score_ld;
      softmax_buffered<false>(
          append(head, row + i), keys, plan.keys, x, greatest[i],
          [&](const index<R + 2> &at, A value) { x[at[R + 1]] = cast<A>(weight(at, value)); });
    }
  }

#if defined(CAMEO_SHUFFLES)
  /// The same where a row is short: of several at once. A row of scores has room for whole lanes.
  CAMEO_INLINE void weigh_in_turn(const index<R> &head, int64_t row, int64_t height,
                                  A *scores) const {
    constexpr int W = folded_rows<combine::sum<A>>();
    static_assert(2 * column_block >= lane_count);
    for (int64_t i = 0; i < height; ++i) {
      A *const x = scores + i * plan.score_ld;
      const index<R + 1> query = append(head, row + i);
      const SCORE own = score;
      CAMEO_INDEPENDENT
      for (int64_t j = 0; j < plan.keys; ++j)
        x[j] = cast<A>(own(append(query, j), x[j]));
    }
    for (int64_t first = 0; first < height; first += W) {
      const int64_t count = height - first < W ? height - first : W;
      alignas(64) A share[array_size(W)];
      exponentials_of_rows<A, W>(scores + first * plan.score_ld, plan.score_ld, plan.keys, count,
                                 share);
      for (int64_t w = 0; w < count; ++w) {
        A *const x = scores + (first + w) * plan.score_ld;
        const index<R + 1> query = append(head, row + first + w);
        const WEIGHT own = weight;
        CAMEO_INDEPENDENT
        for (int64_t j = 0; j < plan.keys; ++j)
          x[j] = cast<A>(own(append(query, j), mul(x[j], share[w])));
      }
    }
  }
#endif

  /// A column panel of the results of some queries.
  CAMEO_INLINE void mix(const index<R> &head, int64_t row, int64_t height, int64_t column) const {
    A *const out = memory + plan.out_at;
    multiply_by_panel(
        height, plan.keys, memory + plan.score_at, plan.score_ld,
        panel_of(values_of(head), p.v_stride, plan.v_at, plan.keys, column, plan.size, true), out,
        plan.width);
    const int64_t columns = columns_from(column, plan.size);
    for (int64_t i = 0; i < height; ++i)
      for_columns<tile_shape::vectors * vec<A>::lanes>(columns, [&](int64_t j) {
        store(join(head, index<2>{{row + i, column + j}}), out[i * plan.width + j]);
      });
  }
};

template <class P, class T, class SCORE, class WEIGHT, class STORE>
void attention(exec &e, const P &p, const T *q, const T *k, const T *v, SCORE score, WEIGHT weight,
               STORE store) {
  using A = accumulator_t<T>;
  const index<P::batch_rank> heads = batch_of<P::batch_rank>(p);
  const attention_plan plan = plan_attention<A>(p);
  if (plan.heads <= 0 || plan.queries <= 0)
    return;
  CAMEO_OPERATIONS(2 * plan.heads * plan.queries * plan.keys * (plan.depth + plan.size));
  auto *memory =
      static_cast<A *>(e.scratch(static_cast<size_t>(plan.elements * e.threads()) * sizeof(A)));
  if (memory == nullptr)
    return;
  const int64_t work = plan.height * plan.keys * (plan.depth + plan.size) / 16 + 1;
  const bool worth_it = plan.heads * plan.panels * work >= parallel_threshold;
  e.parallel_if(worth_it, [&](int thread, int threads) {
    const attention_worker<T, P, SCORE, WEIGHT, STORE> worker = {
        p, plan, q, k, v, score, weight, store, memory + thread * plan.elements};
    const span units = share(plan.heads * plan.panels, thread, threads);
    for (int64_t i = units.begin; i < units.end; ++i) {
      const index<P::batch_rank> head = unflatten(i / plan.panels, heads);
      if (i == units.begin || i % plan.panels == 0)
        worker.pack_head(head);
      worker.run_panel(head, i % plan.panels);
    }
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
