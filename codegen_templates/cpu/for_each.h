// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// for_each: one call of a functor per point, last index innermost and vectorised (the bodies of two
// points are promised to be independent). copy: bytes.
#pragma once

#include "cameo/cpu/parallel.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// body(i...; j) for j in [begin, end) of the last dimension.
template <int R, class BODY>
CAMEO_INLINE void for_row(const index<R> &row, int64_t begin, int64_t end, const BODY &body) {
  const BODY own = body; // a copy, whose members no byte that is stored can be
  CAMEO_INDEPENDENT
  for (int64_t j = begin; j < end; ++j)
    own(append(row, j));
}

/// A thread's points of a space, an index<R> or a type that becomes one: rows, or of each row as
/// much as is its share. Whole rows are of constant length where the space is static. One copy,
/// whether the team works or a thread alone.
template <int R, class SPACE, class BODY>
CAMEO_NOINLINE void for_share(const SPACE &space, int thread, int threads, const BODY &body) {
  const index<R> extents = space;
  const index<R - 1> outer = slice<0, R - 1>(extents);
  const int64_t rows = volume(outer), length = extents[R - 1];
  const auto each = [&](const span &of, const span &columns) {
    walk(outer, of.begin, of.end,
         [&](const index<R - 1> &row) { for_row(row, columns.begin, columns.end, body); });
  };
  if (rows >= threads)
    each(share(rows, thread, threads), {0, length});
  else
    each({0, rows}, share(length, thread, threads, 64));
}

template <int R, class SPACE, class BODY>
CAMEO_INLINE void for_points(exec &e, const SPACE &space, const BODY &body) {
  const int64_t points = volume<R>(space);
  if (points > 0)
    e.parallel_if(points >= parallel_threshold,
                  [&](int thread, int threads) { for_share<R>(space, thread, threads, body); });
}

template <int R, class BODY> void for_each(exec &e, const index<R> &extents, BODY body) {
  if constexpr (R == 0)
    body(index<0>{});
  else
    for_points<R>(e, extents, body);
  (void)e;
  (void)extents;
}

/// body with the last of R axes, which is LAST long, unrolled: elements that lie beside each other
/// are made together, for a row of the axis in front.
template <int R, int64_t LAST, class BODY> struct unrolled_axis {
  BODY body;
  CAMEO_INLINE void operator()(const index<R - 1> &i) const {
    CAMEO_UNROLL_ALL
    for (int64_t j = 0; j < LAST; ++j)
      body(append(i, j));
  }
};
template <int64_t... N> constexpr bool ends_in_short_axis() {
  constexpr int rank = sizeof...(N);
  constexpr int64_t extents[] = {N..., 0};
  if constexpr (rank < 2)
    return false;
  else
    return extents[rank - 1] > 1 && extents[rank - 1] <= 4 && extents[rank - 2] > extents[rank - 1];
}
template <class SPACE, class I> struct front_axes;
template <int64_t... N, int... I>
struct front_axes<static_index<N...>, std::integer_sequence<int, I...>> {
  static constexpr int64_t all[sizeof...(N)] = {N...};
  using type = static_index<all[I]...>;
};

template <int64_t... N, class BODY> void for_each(exec &e, static_index<N...> extents, BODY body) {
  constexpr int rank = sizeof...(N);
  if constexpr (ends_in_short_axis<N...>()) {
    using front = front_axes<static_index<N...>, std::make_integer_sequence<int, rank - 1>>;
    constexpr int64_t all[] = {N...};
    for_points<rank - 1>(e, typename front::type{}, unrolled_axis<rank, all[rank - 1], BODY>{body});
  } else {
    for_points<rank>(e, extents, body);
  }
}

/// body(index<RO>) is called once per outer point (once per thread where there are few) and returns
/// what is called for each inner one.
template <int RO, int RI, class BODY>
void for_rows(exec &e, const index<RO> &outer, const index<RI> &inner, BODY body) {
  const int64_t rows = volume(outer), length = volume(inner);
  if (rows <= 0 || length <= 0)
    return;
  e.parallel_if(rows * length >= parallel_threshold, [&](int thread, int threads) {
    const bool by_rows = rows >= threads;
    const span s = by_rows ? share(rows, thread, threads) : span{0, rows};
    walk(outer, s.begin, s.end, [&](const index<RO> &i) {
      const auto row = body(i);
      if constexpr (RI == 0) {
        if (by_rows || thread == 0)
          row(index<0>{});
      } else {
        const span columns =
            by_rows ? span{0, inner[RI - 1]} : share(inner[RI - 1], thread, threads, 64);
        const index<RI - 1> middle = slice<0, RI - 1>(inner);
        walk(middle, 0, volume(middle),
             [&](const index<RI - 1> &k) { for_row(k, columns.begin, columns.end, row); });
      }
    });
  });
}

/// store({outer..., i...}, value[n]) for the points i number `first` and following of a row-major
/// space.
template <int RO, int RI, class V, class STORE>
CAMEO_INLINE void store_run(const index<RO> &outer, const index<RI> &extents, int64_t first,
                            int64_t count, const V *value, const STORE &store) {
  const STORE own = store; // a copy, whose members no byte that is stored can be
  index<RI> at = unflatten(first, extents);
  for (int64_t done = 0; done < count;) {
    const int64_t left = extents[RI - 1] - at[RI - 1];
    const int64_t here = count - done < left ? count - done : left;
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < here; ++j) {
      index<RI> i = at;
      i[RI - 1] += j;
      own(join(outer, i), value[done + j]);
    }
    done += here;
    at[RI - 1] = extents[RI - 1] - 1;
    advance(at, extents);
  }
}

inline CAMEO_NOINLINE void copy(exec &e, void *dst, const void *src, int64_t bytes) {
  parallel_range(e, (bytes + 4095) / 4096, 512, [&](int64_t begin, int64_t end) {
    const int64_t from = begin * 4096, to = end * 4096 < bytes ? end * 4096 : bytes;
    __builtin_memcpy(static_cast<char *>(dst) + from, static_cast<const char *>(src) + from,
                     static_cast<size_t>(to - from));
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
