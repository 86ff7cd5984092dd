// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// normalize: mean, then variance about it, then the normalised row. Rows that fit a small buffer on
// the stack are loaded once, short ones in groups, those of up to 256 values some in turn.
#pragma once

#include "cameo/cpu/softmax.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <class A> struct moments { A mean, inv_std; };

/// The moments of the n values that value(index<R>) gives, whose sum this is.
template <class A, int R, class V>
CAMEO_INLINE moments<A> row_moments(const index<R> &extents, int64_t n, A sum, bool centered,
                                    A epsilon, const V &value) {
  const A count = static_cast<A>(n);
  const A mean = centered ? div(sum, count) : A{0};
  const auto square = [&value, mean, centered](const index<R> &k) CAMEO_INLINE_BODY {
    const A d = centered ? sub(value(k), mean) : value(k);
    return mul(d, d);
  };
  const A squares = reduce_row<combine::sum<A>>(extents, n, square);
  return {mean, div(A{1}, sqrt(add(div(squares, count), epsilon)))};
}

/// The means and scales of the rows of a group.
template <class A, int W> struct group_moments {
  alignas(64) A mean[array_size(W)], inv_std[array_size(W)];

  /// Moments of n values each, value(index<R>, w).
  template <int R, class V>
  CAMEO_INLINE void take(const index<R> &extents, int64_t n, int64_t count, bool centered,
                         A epsilon, const V &value) {
    const A number = static_cast<A>(n);
    for (int w = 0; w < W; ++w)
      mean[w] = A{0};
    if (centered) {
      reduce_group<combine::sum<A>, W>(extents, n, count, value, mean);
      for (int w = 0; w < W; ++w)
        mean[w] = div(mean[w], number);
    }
    reduce_group<combine::sum<A>, W>(
        extents, n, count,
        [&](const index<R> &k, int64_t w) {
          const A d = centered ? sub(value(k, w), mean[w]) : value(k, w);
          return mul(d, d);
        },
        inv_std);
    for (int w = 0; w < W; ++w)
      inv_std[w] = div(A{1}, sqrt(add(div(inv_std[w], number), epsilon)));
  }
};

/// A group of rows whose values are value(index<R2>, w); put(k, w, result) takes what they become.
template <int W, class A, int R2, class V, class PUT>
CAMEO_INLINE group_moments<A, W> normalize_group(const index<R2> &reduced, int64_t n, int64_t count,
                                                 bool centered, A epsilon, const V &value,
                                                 const PUT &put) {
  group_moments<A, W> m;
  if (fits_group(n)) {
    alignas(64) A x[group_room<W>];
    fill_group<W>(reduced, n, count, value, x);
    m.take(index<1>{{n}}, n, W, centered, epsilon,
           [&](const index<1> &t, int64_t w) { return x[t[0] * W + w]; });
    store_group<W>(reduced, n, count, [&](const index<R2> &k, int64_t t, int64_t w) {
      put(k, w, mul(sub(x[t * W + w], m.mean[w]), m.inv_std[w]));
    });
  } else {
    m.take(reduced, n, count, centered, epsilon, value);
    store_group<W>(reduced, n, count, [&](const index<R2> &k, int64_t, int64_t w) {
      put(k, w, mul(sub(value(k, w), m.mean[w]), m.inv_std[w]));
    });
  }
  return m;
}

/// Groups of the rows [begin, end).
template <class A, int R1, int R2, class LOAD, class STORE, class STORE_MOMENTS>
CAMEO_INLINE void normalize_groups(const index<R1> &outer, const index<R2> &reduced, int64_t n,
                                   span rows, bool centered, A epsilon, const LOAD &load,
                                   const STORE &store, const STORE_MOMENTS &store_moments) {
  constexpr int width = group_rows<A>();
  for_row_groups<width>(outer, rows.begin, rows.end, [&](const row_group<R1> &group) {
    const group_moments<A, width> m = normalize_group<width>(
        reduced, n, group.count, centered, epsilon,
        [&](const index<R2> &k, int64_t w) { return cast<A>(load(join(group.row(w), k))); },
        [&](const index<R2> &k, int64_t w, A v) { store(join(group.row(w), k), v); });
    for_group<width>(group.count, [&](int64_t w) {
      store_moments(group.row(w), moments<A>{m.mean[w], m.inv_std[w]});
    });
  });
}

#if defined(CAMEO_SHUFFLES)
/// The moments of up to W rows x of n values, `ld` apart, of which they have room for in_lanes(n).
template <int W, class A>
CAMEO_NOINLINE void moments_of_rows(A *x, int64_t ld, int64_t n, int64_t count, bool centered,
                                    A epsilon, group_moments<A, W> &m) {
  alignas(64) A squares[array_size(rows_room)];
  const A number = static_cast<A>(n);
  for (int w = 0; w < W; ++w)
    m.mean[w] = A{0};
  if (centered) {
    fold_filled_rows<combine::sum<A>, W>(x, ld, n, count, m.mean);
    for (int w = 0; w < W; ++w)
      m.mean[w] = div(m.mean[w], number);
  }
  for (int64_t w = 0; w < count; ++w) {
    const A mean = m.mean[w];
    CAMEO_INDEPENDENT
    for (int64_t t = 0; t < n; ++t) {
      const A d = centered ? sub(x[w * ld + t], mean) : x[w * ld + t];
      squares[w * ld + t] = mul(d, d);
    }
  }
  fold_filled_rows<combine::sum<A>, W>(squares, ld, n, count, m.inv_std);
  for (int w = 0; w < W; ++w)
    m.inv_std[w] = div(A{1}, sqrt(add(div(m.inv_std[w], number), epsilon)));
}

/// The rows [begin, end), of which a few are loaded, summed and stored together.
template <class A, int R1, int R2, class LOAD, class STORE, class STORE_MOMENTS>
CAMEO_INLINE void normalize_in_turn(const index<R1> &outer, const index<R2> &reduced, int64_t n,
                                    span rows, bool centered, A epsilon, const LOAD &load,
                                    const STORE &store, const STORE_MOMENTS &store_moments) {
  constexpr int W = folded_rows<combine::sum<A>>();
  if constexpr (W > 0) {
    alignas(64) A x[array_size(rows_room)];
    group_moments<A, W> m;
    const int64_t ld = in_lanes(n);
    for_row_groups<W>(outer, rows.begin, rows.end, [&](const row_group<R1> &group) {
      for (int64_t w = 0; w < group.count; ++w)
        fill_row(reduced, 0, n, x + w * ld,
                 [&](const index<R2> &k) { return cast<A>(load(join(group.row(w), k))); });
      moments_of_rows<W>(x, ld, n, group.count, centered, epsilon, m);
      for (int64_t w = 0; w < group.count; ++w) {
        const moments<A> own = {m.mean[w], m.inv_std[w]};
        store_row(
            group.row(w), reduced, 0, n,
            [&](int64_t t, const index<R2> &)
                CAMEO_INLINE_BODY { return mul(sub(x[w * ld + t], own.mean), own.inv_std); },
            store);
        store_moments(group.row(w), own);
      }
    });
  }
}
#endif

template <class P, class LOAD, class STORE, class STORE_MEAN, class STORE_INV_STD>
void normalize(exec &e, const P &p, LOAD load, STORE store, STORE_MEAN store_mean,
               STORE_INV_STD store_inv_std) {
  constexpr int R1 = P::outer_rank, R2 = P::reduced_rank;
  using A = accumulator_t<loaded_t<LOAD, index<R1 + R2>>>;
  const index<R1> outer = outer_of<R1>(p);
  const index<R2> reduced = reduced_of<R2>(p);
  const int64_t n = volume(reduced);
  const A epsilon = static_cast<A>(p.epsilon);
  const bool centered = p.centered;
  constexpr int64_t buffer = row_buffer<A, P>();
  const auto store_moments = [&](const index<R1> &i, const moments<A> &m) {
    store_mean(i, m.mean);
    store_inv_std(i, m.inv_std);
  };
  parallel_range(e, volume(outer), n * 4, [&](int64_t begin, int64_t end) {
#if defined(CAMEO_SHUFFLES)
    if constexpr (R1 > 0)
      if (n > lane_count / 2 && !across_rows_or(p, false) && are_rows_in_turn<A>(p, n)) {
        normalize_in_turn<A>(outer, reduced, n, span{begin, end}, centered, epsilon, load, store,
                             store_moments);
        return;
      }
#endif
    if constexpr (R1 > 0)
      if (are_rows_together<A>(p, n, lane_count)) {
        normalize_groups<A>(outer, reduced, n, span{begin, end}, centered, epsilon, load, store,
                            store_moments);
        return;
      }
    walk(outer, begin, end, [&](const index<R1> &i) {
      const auto value = [&](const index<R2> &k)
                             CAMEO_INLINE_BODY { return cast<A>(load(join(i, k))); };
      moments<A> m;
      if (n <= buffer) {
        alignas(64) A x[array_size(buffer)];
        const A sum = fill_and_combine<combine::sum<A>>(reduced, n, x, value);
        m = row_moments<A>(index<1>{{n}}, n, sum, centered, epsilon,
                           [&](const index<1> &t) CAMEO_INLINE_BODY { return x[t[0]]; });
        store_row(
            i, reduced, 0, n,
            [&](int64_t t, const index<R2> &)
                CAMEO_INLINE_BODY { return mul(sub(x[t], m.mean), m.inv_std); },
            store);
      } else {
        const A sum = centered ? reduce_row<combine::sum<A>>(reduced, n, value) : A{0};
        m = row_moments<A>(reduced, n, sum, centered, epsilon, value);
        store_row(
            i, reduced, 0, n,
            [&](int64_t, const index<R2> &k)
                CAMEO_INLINE_BODY { return mul(sub(value(k), m.mean), m.inv_std); },
            store);
      }
      store_moments(i, m);
    });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
