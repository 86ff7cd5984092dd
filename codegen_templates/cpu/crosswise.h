// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// for_each of points some of whose operands lie crosswise: neighbours in memory are neighbours
// along dim D, not along the last. Tiles of those are turned first, so that all sides are read and
// written by whole lines.
//
// BODY is a functor of for_each with, for `crossed` operands each: line(i, nth<N>), where the
// element for point i lies; apart(nth<N>), how many elements behind it that of the next point along
// the last dim does; and with(i, element...), which is the functor given these elements.
#pragma once

#include "cameo/cpu/for_each.h"
#include "cameo/cpu/turn.h"
#include "cameo/pack/crosswise.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <class BODY, int R, int N>
using crossed_element = std::remove_const_t<
    std::remove_reference_t<decltype(*std::declval<BODY>().line(index<R>{}, nth<N>()))>>;

/// Along either side of a tile: a cache line of the widest operand, 16 points at the least.
constexpr int64_t crossed_side(size_t widest) {
  if (has_small_stack)
    return 8;
  return widest < 4 ? static_cast<int64_t>(64 / widest) : 16;
}

/// The elements of one operand, as rows along the last dim.
template <int N, class T, int64_t SIDE> struct crossed_tile {
  alignas(64) T element[array_size(SIDE * SIDE)];
};

/// Tiles of all operands.
template <int D, int R, class BODY, class NUMBERS> class crossed_tiles;
template <int D, int R, class BODY, int... N>
class crossed_tiles<D, R, BODY, std::integer_sequence<int, N...>> {
  static constexpr size_t widest() {
    size_t most = 1;
    ((most =
          sizeof(crossed_element<BODY, R, N>) > most ? sizeof(crossed_element<BODY, R, N>) : most),
     ...);
    return most;
  }

public:
  static constexpr int64_t side = crossed_side(widest());

  crossed_tiles(const index<R> &extents, const BODY &body) : extents(extents), body(body) {}

  /// The tile whose first point is `first`: where less than a tile is left, turned from further
  /// back, so that squares are whole.
  CAMEO_INLINE void visit(const index<R> &first) {
    index<R> from = first;
    from[D] = begin(first[D], extents[D]);
    from[R - 1] = begin(first[R - 1], extents[R - 1]);
    (turn(body.line(from, nth<N>()), body.apart(nth<N>()), least(side, extents[R - 1]),
          least(side, extents[D]), tile<N>().element, side),
     ...);
    const int64_t end = least(first[D] + side, extents[D]);
    for (index<R> row = first; row[D] < end; ++row[D])
      visit_row(row, ((row[D] - from[D]) * side + first[R - 1] - from[R - 1]));
  }

private:
  static CAMEO_INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
  static CAMEO_INLINE int64_t begin(int64_t first, int64_t extent) {
    return extent < side ? 0 : least(first, extent - side);
  }
  template <int I> auto &tile() {
    return static_cast<crossed_tile<I, crossed_element<BODY, R, I>, side> &>(tiles);
  }

  /// The points of a row of the tile, whose elements begin with number `at`.
  CAMEO_INLINE void visit_row(const index<R> &row, int64_t at) {
    const BODY own = body; // a copy, whose members no byte that is stored can be
    const int64_t count = least(side, extents[R - 1] - row[R - 1]);
    const auto visit = [&](int64_t j) CAMEO_INLINE_BODY {
      index<R> i = row;
      i[R - 1] += j;
      own.with(i, tile<N>().element[at + j]...);
    };
    if (count == side) {
      CAMEO_INDEPENDENT
      for (int64_t j = 0; j < side; ++j)
        visit(j);
    } else {
      CAMEO_INDEPENDENT
      for (int64_t j = 0; j < count; ++j)
        visit(j);
    }
  }

  struct all : crossed_tile<N, crossed_element<BODY, R, N>, side>... {};
  const index<R> extents;
  const BODY &body;
  all tiles;
};

/// A thread's tiles, or its points where rows along D or along the last dim are short.
template <int D, int R, class SPACE, class BODY>
CAMEO_NOINLINE void for_crosswise_share(const SPACE &space, int thread, int threads,
                                        const BODY &body) {
  const index<R> extents = space;
  if (extents[D] < fewest_crossed || extents[R - 1] < fewest_crossed)
    return for_share<R>(space, thread, threads, body);
  crossed_tiles<D, R, BODY, std::make_integer_sequence<int, BODY::crossed>> tiles(extents, body);
  // One tile follows the other along the longer side.
  const int inner = extents[D] > extents[R - 1] ? D : R - 1, other = D + R - 1 - inner;
  index<R> count = extents;
  count[R - 1] = ceil_div(extents[inner], tiles.side);
  count[D] = ceil_div(extents[other], tiles.side);
  const span s = share(volume(count), thread, threads);
  walk(count, s.begin, s.end, [&](const index<R> &tile) {
    index<R> first = tile;
    first[inner] = tile[R - 1] * tiles.side;
    first[other] = tile[D] * tiles.side;
    tiles.visit(first);
  });
}

template <int D, int R, class SPACE, class BODY>
CAMEO_INLINE void for_crosswise_points(exec &e, const SPACE &space, const BODY &body) {
  const int64_t points = volume<R>(space);
  if (points > 0)
    e.parallel_if(points >= parallel_threshold, [&](int thread, int threads) {
      for_crosswise_share<D, R>(space, thread, threads, body);
    });
}
template <int D, int R, class BODY>
void for_crosswise(exec &e, const index<R> &extents, BODY body) {
  for_crosswise_points<D, R>(e, extents, body);
}
template <int D, int64_t... N, class BODY>
void for_crosswise(exec &e, static_index<N...> extents, BODY body) {
  for_crosswise_points<D, sizeof...(N)>(e, extents, body);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
