// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// grid_sample<MODE, PADDING>: an element of the output from the neighbours of the place that the
// grid names for it. A body over the whole output.
#pragma once

#include "cameo/common/params.h"
#include "cameo/common/resize.h"

namespace cameo {

enum class grid_padding { zeros, border, reflection };

/// The neighbours of a place along one axis: `count` from `first` on, with their weights.
template <class V> struct grid_taps {
  int64_t first;
  int count;
  V weight[4];
};

template <resize_mode MODE, grid_padding PADDING, int S, class T, class G, class STORE>
struct grid_sample_body {
  static constexpr bool nearest = MODE == resize_mode::nearest;
  /// Neighbours along an axis, and how many of them are before the one at the left.
  static constexpr int along = nearest ? 1 : MODE == resize_mode::linear ? 2 : 4;
  static constexpr int before = MODE == resize_mode::cubic ? 1 : 0;
  using A = accumulator_t<G>;
  using sum_type = std::conditional_t<std::is_same_v<T, double>, double, float>;
  using V = std::conditional_t<nearest, T, sum_type>;

  const T *x;
  const G *grid;
  STORE store;
  index<S> input, output;
  int64_t channels;
  bool align_corners;

  /// The edges: the coordinates of -1 and, `range` further, of 1.
  CAMEO_DEVICE A lowest() const { return align_corners ? A{0} : A(-0.5); }
  CAMEO_DEVICE A range(int64_t extent) const {
    return static_cast<A>(align_corners ? extent - 1 : extent);
  }

  /// Mirrored at the edges until it lies between them.
  CAMEO_DEVICE A reflect(A at, int64_t extent) const {
    const A low = lowest(), width = range(extent);
    if (width <= 0)
      return low;
    const A beyond = at < low ? low - at : at > low + width ? at - low - width : A{-1};
    if (!(beyond >= 0))
      return at;
    const int64_t turns = cast<int64_t>(beyond / width);
    const A rest = beyond - static_cast<A>(turns) * width;
    return (at < low) == (turns % 2 == 0) ? low + rest : low + width - rest;
  }

  /// The coordinate that a place from -1 to 1 stands for.
  CAMEO_DEVICE A coordinate(A place, int64_t extent) const {
    const A n = static_cast<A>(extent);
    A at = align_corners ? (place + 1) / 2 * (n - 1) : ((place + 1) * n - 1) / 2;
    if constexpr (nearest)
      at = round(at);
    // Elements at the edge go on for ever: cubic still mixes within two of them.
    constexpr A mixed = MODE == resize_mode::cubic ? 2 : 0;
    if constexpr (PADDING == grid_padding::border)
      at = min(max(at, -mixed), n - 1 + mixed);
    if constexpr (PADDING == grid_padding::reflection)
      at = reflect(at, extent);
    return at;
  }

  /// The weight of neighbour k, r behind the one at the left.
  CAMEO_DEVICE static sum_type weight(int k, sum_type r) {
    if constexpr (nearest)
      return 1;
    else if constexpr (MODE == resize_mode::linear)
      return k == 0 ? 1 - r : r;
    else
      return cubic_weight(k == 0 ? r + 1 : k == 1 ? r : k == 2 ? 1 - r : 2 - r, sum_type(-0.75));
  }

  CAMEO_DEVICE grid_taps<sum_type> taps(A at, int64_t extent) const {
    const A whole = nearest ? at : floor(at);
    // As far outside as no neighbour is inside, which NaN is too.
    const int64_t left = min(max(cast<int64_t>(whole), int64_t{-4}), extent + 3);
    const sum_type r = static_cast<sum_type>(at - whole);
    grid_taps<sum_type> t = {left - before, along, {}};
    for (int k = 0; k < along; ++k)
      t.weight[k] = weight(k, r);
    return t;
  }

  /// The position that a neighbour is read at; -1 for one that is 0.
  CAMEO_DEVICE int64_t position(int64_t i, int64_t extent) const {
    if (i >= 0 && i < extent)
      return i;
    if (PADDING == grid_padding::zeros || extent <= 0)
      return -1;
    if constexpr (PADDING == grid_padding::reflection)
      i = cast<int64_t>(reflect(static_cast<A>(i), extent));
    return i < 0 ? 0 : i < extent ? i : extent - 1;
  }

  /// The value of axes D.. at flat position `at` of the axes before.
  template <int D>
  CAMEO_DEVICE V value(const grid_taps<sum_type> (&t)[array_size(S)], int64_t at) const {
    if constexpr (D == S) {
      return cast<V>(x[at]);
    } else if constexpr (nearest) {
      const int64_t i = position(t[D].first, input[D]);
      return i < 0 ? V{} : value<D + 1>(t, at * input[D] + i);
    } else {
      V sum = 0;
      for (int k = 0; k < t[D].count; ++k) {
        const int64_t i = position(t[D].first + k, input[D]);
        if (i >= 0)
          sum += t[D].weight[k] * value<D + 1>(t, at * input[D] + i);
      }
      return sum;
    }
  }

  CAMEO_DEVICE void operator()(const index<S + 2> &i) const {
    // Coordinates of a place are those of the last axis first.
    int64_t place = i[0];
    for (int d = 0; d < S; ++d)
      place = place * output[d] + i[d + 2];
    grid_taps<sum_type> t[array_size(S)];
    for (int d = 0; d < S; ++d)
      t[d] = taps(coordinate(cast<A>(grid[place * S + S - 1 - d]), input[d]), input[d]);
    store(i, value<0>(t, i[0] * channels + i[1]));
  }
};

template <resize_mode MODE, grid_padding PADDING, class P, class T, class G, class STORE>
CAMEO_DEVICE auto make_grid_sample(const P &p, const T *x, const G *grid, STORE store) {
  constexpr int S = P::spatial_rank;
  return grid_sample_body<MODE, PADDING, S, T, G, STORE>{
      x, grid, store, input_of<S>(p), output_of<S>(p), p.channels, p.align_corners};
}

} // namespace cameo
