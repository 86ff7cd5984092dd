// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax<LOG>: rows that fit a small buffer on the stack are loaded once, longer ones once per
// pass, a buffer at a time; short ones in groups.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/params.h"
#include "cameo/common/types.h"
#include "cameo/cpu/row_groups.h"
#include "cameo/cpu/store_bytes.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Values of a row that are added by themselves.
template <class A> constexpr int64_t row_part = 8192 / static_cast<int64_t>(sizeof(A));

/// Values of a row that softmax, of two rows at a time, and normalize keep on the stack: a part, or
/// as many as rows have where that is known.
template <class A, class P> constexpr int64_t row_buffer() {
  constexpr int64_t most = has_small_stack ? 256 / static_cast<int64_t>(sizeof(A)) : row_part<A>;
  if constexpr (P::reduced_rank == 0) {
    return lane_count;
  } else if constexpr (CAMEO_IS_STATIC(P, reduced)) {
    int64_t n = 1;
    for (int64_t extent : P::reduced)
      n = extent > 0 && n <= most ? n * extent : n;
    return n < most ? (n + lane_count - 1) / lane_count * lane_count : most;
  } else {
    return most;
  }
}

/// Values behind n of a buffer, up to whole lanes, become what changes no result of COMBINE.
template <class COMBINE, class A> CAMEO_INLINE void fill_lanes(A *buffer, int64_t n) {
  for (int64_t t = n; t < in_lanes(n); ++t)
    buffer[t] = COMBINE::identity();
}

/// The values of a row, converted, go to `buffer`, which has room for in_lanes(n); returns what
/// they combine to.
template <class COMBINE, class A, int R2, class V>
CAMEO_INLINE A fill_and_combine(const index<R2> &reduced, int64_t n, A *buffer, const V &value) {
  lanes<COMBINE> acc;
  const auto filled = [&](int64_t from) {
    fill_lanes<COMBINE>(buffer, n);
    acc.take(from, in_lanes(n) - from,
             [&](int64_t j) CAMEO_INLINE_BODY { return buffer[from + j]; });
    return acc.fold();
  };
  if constexpr (R2 > 1)
    if (reduced[R2 - 1] % lane_count != 0) {
      fill_row(reduced, 0, n, buffer, value);
      return filled(0);
    }
  const int64_t whole = n / lane_count * lane_count;
  for_runs(reduced, 0, whole, [&](const index<R2 - 1> &k, int64_t t, int64_t begin, int64_t end) {
    acc.fill(buffer + t, t, end - begin,
             [&](int64_t j) CAMEO_INLINE_BODY { return value(append(k, begin + j)); });
  });
  fill_row(reduced, whole, n, buffer + whole, value);
  return filled(whole);
}

/// Calls store(i..., k..., value(t, index<R2> k)) for the values [from, to) of a row.
template <int R1, int R2, class V, class STORE>
CAMEO_INLINE void store_row(const index<R1> &i, const index<R2> &reduced, int64_t from, int64_t to,
                            const V &value, const STORE &store) {
  const STORE own = store;
  for_runs(reduced, from, to, [&](const index<R2 - 1> &k, int64_t t, int64_t begin, int64_t end) {
    store_range(
        begin, end, own, [&](int64_t j) CAMEO_INLINE_BODY { return join(i, append(k, j)); },
        [&](int64_t j) CAMEO_INLINE_BODY { return value(t + j - begin, append(k, j)); });
  });
}

/// x becomes e^(x - m), m being the greatest, and is added; the values number t .. t + n - 1.
template <class A>
CAMEO_INLINE void add_exponentials(lanes<combine::sum<A>> &sum, A *x, int64_t t, int64_t n, A m) {
  sum.fill(x, t, n, [&](int64_t i) { return math::exp_of_negative(x[i] - m); });
}
/// The same for all values of a part, which has room for in_lanes(n); returns their sum.
template <class A> CAMEO_NOINLINE A exponentials(A *x, int64_t n, A m) {
  fill_lanes<greatest_number<A>>(x, n); // whose exponentials are 0
  lanes<combine::sum<A>> sum;
  add_exponentials(sum, x, 0, in_lanes(n), m);
  return sum.fold();
}

/// Whether softmax takes several rows of n values in turn, step by step, of which a buffer has
/// room.
template <class A, class P> CAMEO_INLINE bool are_rows_in_turn(const P &p, int64_t n) {
  constexpr int W = folded_rows<combine::sum<A>>();
  return W > 0 && are_rows_folded<combine::sum<A>>(p, n) && in_lanes(n) * W <= rows_room;
}

#if defined(CAMEO_SHUFFLES)
/// The values x of up to W rows, `ld` apart, become exponentials; share[w] is one by their sum.
/// Rows have room for in_lanes(n).
template <class A, int W>
CAMEO_NOINLINE void exponentials_of_rows(A *x, int64_t ld, int64_t n, int64_t count, A *share) {
  constexpr int64_t lanes = vec<A>::lanes;
  alignas(64) A m[array_size(W)];
  fold_filled_rows<greatest_number<A>, W>(x, ld, n, count, m);
  for (int64_t w = 0; w < count; ++w)
    for (int64_t t = 0; t < n; t += lanes) {
      A *const row = x + w * ld + t;
      CAMEO_INDEPENDENT_LANES
      for (int l = 0; l < lanes; ++l)
        row[l] = math::exp_of_negative(row[l] - m[w]);
    }
  fold_filled_rows<combine::sum<A>, W>(x, ld, n, count, share);
  for (int w = 0; w < W; ++w)
    share[w] = div(A{1}, share[w]);
}

/// The rows [begin, end), of which a few are loaded, raised and stored together.
template <class A, int R1, int R2, class LOAD, class STORE>
CAMEO_INLINE void softmax_in_turn(const index<R1> &outer, const index<R2> &reduced, int64_t n,
                                  span rows, const LOAD &load, const STORE &store) {
  constexpr int W = folded_rows<combine::sum<A>>();
  if constexpr (W > 0) {
    alignas(64) A x[array_size(rows_room)], share[array_size(W)];
    const int64_t ld = in_lanes(n);
    for_row_groups<W>(outer, rows.begin, rows.end, [&](const row_group<R1> &group) {
      for (int64_t w = 0; w < group.count; ++w)
        fill_row(reduced, 0, n, x + w * ld,
                 [&](const index<R2> &k) { return cast<A>(load(join(group.row(w), k))); });
      exponentials_of_rows<A, W>(x, ld, n, group.count, share);
      for (int64_t w = 0; w < group.count; ++w)
        store_row(
            group.row(w), reduced, 0, n,
            [&](int64_t t, const index<R2> &) { return mul(x[w * ld + t], share[w]); }, store);
    });
  }
}
#endif

/// Calls f(from, to) for pieces of at most `length` of the values [begin, end).
template <class F>
CAMEO_INLINE void for_pieces(int64_t begin, int64_t end, int64_t length, const F &f) {
  for (int64_t from = begin; from < end; from += length)
    f(from, end - from < length ? end : from + length);
}

/// One row out of a buffer, of which m is the greatest; the exponentials replace the values.
template <bool LOG, class A, int R1, int R2, class STORE>
CAMEO_INLINE void softmax_buffered(const index<R1> &i, const index<R2> &reduced, int64_t n, A *x,
                                   A m, const STORE &store) {
  if constexpr (LOG) {
    const A s = reduce_row<combine::sum<A>>(index<1>{{n}}, n, [&](const index<1> &t) {
      return math::exp_of_negative(sub(x[t[0]], m));
    });
    const A log_s = log(s);
    store_row(
        i, reduced, 0, n, [&](int64_t t, const index<R2> &) { return sub(sub(x[t], m), log_s); },
        store);
  } else {
    const A share_of_one = div(A{1}, exponentials(x, n, m));
    store_row(
        i, reduced, 0, n, [&](int64_t t, const index<R2> &) { return mul(x[t], share_of_one); },
        store);
  }
}

/// Parts of a row that is longer than one which are kept until their sum is known.
constexpr int64_t kept_parts = 4;

/// A row of some parts, loaded once.
template <class A, int R1, int R2, class V, class STORE>
CAMEO_INLINE void softmax_parts(const index<R1> &i, const index<R2> &reduced, int64_t n,
                                const V &value, const STORE &store) {
  alignas(64) A x[array_size(kept_parts * row_part<A>)];
  const A m = fill_and_combine<greatest_number<A>>(reduced, n, x, value);
  A s = A{0};
  for_pieces(0, n, row_part<A>, [&](int64_t begin, int64_t end) {
    s = add(s, exponentials(x + begin, end - begin, m));
  });
  const A share_of_one = div(A{1}, s);
  store_row(
      i, reduced, 0, n, [&](int64_t t, const index<R2> &) { return mul(x[t], share_of_one); },
      store);
}

/// A row that is longer than a buffer of BUFFER values.
template <bool LOG, int64_t BUFFER, class A, int R1, int R2, class V, class STORE>
CAMEO_INLINE void softmax_long(const index<R1> &i, const index<R2> &reduced, int64_t n,
                               const V &value, const STORE &store) {
  if constexpr (!LOG && BUFFER == row_part<A>)
    if (n <= kept_parts * row_part<A>)
      return softmax_parts<A>(i, reduced, n, value, store);
  const A m = reduce_row<greatest_number<A>>(reduced, n, value);
  if constexpr (LOG) {
    const A log_s = log(reduce_row<combine::sum<A>>(
        reduced, n, [&](const index<R2> &k) { return math::exp_of_negative(sub(value(k), m)); }));
    store_row(
        i, reduced, 0, n, [&](int64_t, const index<R2> &k) { return sub(sub(value(k), m), log_s); },
        store);
  } else {
    alignas(64) A x[array_size(BUFFER)];
    A s = A{0};
    for_pieces(0, n, row_part<A>, [&](int64_t begin, int64_t end) {
      if constexpr (BUFFER == row_part<A>) {
        fill_row(reduced, begin, end, x, value);
        s = add(s, exponentials(x, end - begin, m));
      } else {
        lanes<combine::sum<A>> sum;
        for_pieces(begin, end, BUFFER, [&](int64_t from, int64_t to) {
          fill_row(reduced, from, to, x, value);
          add_exponentials(sum, x, from - begin, to - from, m);
        });
        s = add(s, sum.fold());
      }
    });
    const A share_of_one = div(A{1}, s);
    for_pieces(0, n, BUFFER, [&](int64_t from, int64_t to) {
      fill_row(reduced, from, to, x, value);
      exponentials(x, to - from, m);
      store_row(
          i, reduced, from, to,
          [&](int64_t t, const index<R2> &) { return mul(x[t - from], share_of_one); }, store);
    });
  }
}

/// Rows of a group, whose values are value(index<R2>, w); put(k, w, result) takes what they become.
template <bool LOG, int W, class A, int R2, class V, class PUT>
CAMEO_INLINE void softmax_group(const index<R2> &reduced, int64_t n, int64_t count, const V &value,
                                const PUT &put) {
  alignas(64) A m[array_size(W)], s[array_size(W)];
  reduce_group<greatest_number<A>, W>(reduced, n, count, value, m);
  reduce_group<combine::sum<A>, W>(
      reduced, n, count,
      [&](const index<R2> &k, int64_t w) { return math::exp_of_negative(sub(value(k, w), m[w])); },
      s);
  for (int w = 0; w < W; ++w)
    s[w] = LOG ? log(s[w]) : div(A{1}, s[w]);
  store_group<W>(reduced, n, count, [&](const index<R2> &k, int64_t, int64_t w) {
    const A d = sub(value(k, w), m[w]);
    put(k, w, LOG ? sub(d, s[w]) : mul(math::exp_of_negative(d), s[w]));
  });
}

/// The same of values x[t][W], loaded once.
template <bool LOG, int W, class A, int R2, class V, class PUT>
CAMEO_INLINE void softmax_filled_group(const index<R2> &reduced, int64_t n, int64_t count,
                                       const V &value, const PUT &put) {
  alignas(64) A x[group_room<W>], m[array_size(W)], s[array_size(W)];
  const index<1> row{{n}};
  const auto filled = [&](const index<1> &t, int64_t w) { return x[t[0] * W + w]; };
  fill_group<W>(reduced, n, count, value, x);
  reduce_group<greatest_number<A>, W>(row, n, W, filled, m);
  reduce_group<combine::sum<A>, W>(
      row, n, W,
      [&](const index<1> &t, int64_t w) {
        A &v = x[t[0] * W + w];
        const A d = sub(v, m[w]), power = math::exp_of_negative(d);
        v = LOG ? d : power;
        return power;
      },
      s);
  for (int w = 0; w < W; ++w)
    s[w] = LOG ? log(s[w]) : div(A{1}, s[w]);
  store_group<W>(reduced, n, count, [&](const index<R2> &k, int64_t t, int64_t w) {
    put(k, w, LOG ? sub(x[t * W + w], s[w]) : mul(x[t * W + w], s[w]));
  });
}

/// Groups of the rows [begin, end).
template <bool LOG, class A, int R1, int R2, class LOAD, class STORE>
CAMEO_INLINE void softmax_groups(const index<R1> &outer, const index<R2> &reduced, int64_t n,
                                 span rows, const LOAD &load, const STORE &store) {
  constexpr int width = group_rows<A>();
  for_row_groups<width>(outer, rows.begin, rows.end, [&](const row_group<R1> &group) {
    const auto value = [&](const index<R2> &k, int64_t w) {
      return cast<A>(load(join(group.row(w), k)));
    };
    const auto put = [&](const index<R2> &k, int64_t w, A v) { store(join(group.row(w), k), v); };
    if (fits_group(n))
      softmax_filled_group<LOG, width, A>(reduced, n, group.count, value, put);
    else
      softmax_group<LOG, width, A>(reduced, n, group.count, value, put);
  });
}

template <bool LOG, class P, class LOAD, class STORE>
void softmax(exec &e, const P &p, LOAD load, STORE store) {
  constexpr int R1 = P::outer_rank, R2 = P::reduced_rank;
  using A = accumulator_t<loaded_t<LOAD, index<R1 + R2>>>;
  const index<R1> outer = outer_of<R1>(p);
  const index<R2> reduced = reduced_of<R2>(p);
  const int64_t n = volume(reduced);
  if (n <= 0)
    return;
  const auto value_of = [&](const index<R1> &i) {
    return [&load, i](const index<R2> &k) { return cast<A>(load(join(i, k))); };
  };
  constexpr int64_t buffer = row_buffer<A, P>();
  parallel_range(e, volume(outer), n * 8, [&](int64_t begin, int64_t end) {
    if constexpr (R1 > 0)
      if (are_rows_together<A>(p, n)) {
        softmax_groups<LOG, A>(outer, reduced, n, span{begin, end}, load, store);
        return;
      }
#if defined(CAMEO_SHUFFLES)
    if constexpr (R1 > 0 && !LOG)
      if (are_rows_in_turn<A>(p, n)) {
        softmax_in_turn<A>(outer, reduced, n, span{begin, end}, load, store);
        return;
      }
#endif
    if (n > buffer) {
      walk(outer, begin, end, [&](const index<R1> &i) {
        softmax_long<LOG, buffer, A>(i, reduced, n, value_of(i), store);
      });
      return;
    }
    // A row is loaded before the one in front of it is finished: neither waits for the other.
    alignas(64) A x[2][array_size(buffer)];
    const auto fill = [&](int64_t row, const index<R1> &i) {
      return fill_and_combine<greatest_number<A>>(reduced, n, x[row % 2], value_of(i));
    };
    index<R1> i = unflatten(begin, outer);
    A m = fill(begin, i);
    for (int64_t row = begin; row < end; ++row) {
      index<R1> next = i;
      advance(next, outer);
      const A next_m = row + 1 < end ? fill(row + 1, next) : A{0};
      softmax_buffered<LOG>(i, reduced, n, x[row % 2], m, store);
      i = next;
      m = next_m;
    }
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
