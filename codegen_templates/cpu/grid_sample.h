// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// grid_sample<MODE, PADDING>: the neighbours of some pixels are found once for all channels, which
// then read them vector by vector; element by element where a pixel has many. Where pixels are many
// for their planes, channels lie as lines, and a pixel reads a neighbour of all by one load.
#pragma once

#include "cameo/cpu/channel_lines.h"
#include "cameo/cpu/for_each.h"

#include "cameo/common/grid_sample.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Neighbours of a pixel that have so many along each of these axes.
constexpr int grid_neighbours(int along, int axes) {
  return axes == 0 ? 1 : along * grid_neighbours(along, axes - 1);
}

/// Some pixels of an image, for all channels.
template <resize_mode MODE, grid_padding PADDING, int S, class T, class G, class STORE>
class grid_pixels {
  using body_type = grid_sample_body<MODE, PADDING, S, T, G, STORE>;
  using V = typename body_type::V;
  using W = typename body_type::sum_type;
  using A = typename body_type::A;
  static constexpr int along = body_type::along;
  static constexpr int64_t few_lanes = 4, lanes = has_small_stack ? few_lanes : 16;
  static constexpr int neighbours = grid_neighbours(along, S);

public:
  /// Whether tables of neighbours are worth finding.
  static constexpr bool are_few = neighbours <= 16;
  static constexpr int64_t most = has_small_stack ? lanes : 4 * lanes;

  explicit grid_pixels(const body_type &body) : body(body) {}

  /// Pixels [first, first + count) of an image.
  CAMEO_NOINLINE void sample(int64_t image, int64_t first, int64_t count) {
    find(body.grid + (image * volume(body.output) + first) * S, count);
    for (int64_t channel = 0; channel < body.channels; ++channel) {
      const T *plane = body.x + (image * body.channels + channel) * volume(body.input);
      alignas(64) V value[array_size(most)];
      int64_t j = 0;
      for (; j + lanes <= count; j += lanes)
        read<lanes>(plane, j, value);
      for (; j < count; j += few_lanes)
        read<few_lanes>(plane, j, value);
      store_run(index<2>{{image, channel}}, body.output, first, count, value, body.store);
    }
  }

  /// The same of an image's blocks of channels, which lie as lines of L.
  template <int L>
  CAMEO_NOINLINE void sample_lines(int64_t image, int64_t first, int64_t count, const span &blocks,
                                   const W *lines) {
    const int64_t plane = volume(body.input);
    find(body.grid + (image * volume(body.output) + first) * S, count);
    for (int n = 0; n < neighbours; ++n) {
      CAMEO_INDEPENDENT
      for (int64_t j = 0; j < most; ++j)
        place[n][j] = place[n][j] < 0 ? static_cast<int32_t>(plane) : place[n][j];
    }
    alignas(64) W by_pixel[array_size(most)][array_size(L)],
        by_channel[array_size(L)][array_size(most)];
    for (int64_t block = blocks.begin; block < blocks.end; ++block, lines += (plane + 1) * L) {
      for (int64_t j = 0; j < count; ++j)
        for (int part = 0; part < L; part += line_part<W, L>::lanes)
          line_part<W, L>::store(by_pixel[j] + part, line_value<0, L>(lines + part, 0, j));
      turn<L>(by_pixel[0], L, count, L, by_channel[0], most);
      for (int64_t c = 0; c < L && block * L + c < body.channels; ++c)
        store_run(index<2>{{image, block * L + c}}, body.output, first, count, by_channel[c],
                  body.store);
    }
  }

private:
  /// Fills the tables; pixels beyond the count have no neighbours.
  CAMEO_INLINE void find(const G *grid, int64_t count) {
    for (int n = 0; n < neighbours; ++n)
      for (int64_t j = 0; j < most; ++j)
        place[n][j] = j < count ? 0 : -1;
    for (int d = 0; d < S; ++d) {
      alignas(64) int32_t at[array_size(along)][array_size(most)];
      find_axis(grid + S - 1 - d, d, count, at);
      for (int n = 0; n < neighbours; ++n)
        append_axis(place[n], static_cast<int32_t>(body.input[d]),
                    at[n / grid_neighbours(along, S - 1 - d) % along], count);
    }
  }

  /// Neighbours and weights along axis d, whose places are S apart. As taps of the body, in numbers
  /// of 32 bits: a vector has as many of them as of coordinates.
  CAMEO_INLINE void find_axis(const G *grid, int d, int64_t count,
                              int32_t (&at)[array_size(along)][array_size(most)]) {
    const int64_t extent = body.input[d];
    const A above = static_cast<A>(extent + 3);
    alignas(64) W behind[array_size(most)];
    alignas(64) int32_t first[array_size(most)];
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < count; ++j) {
      const A coordinate = body.coordinate(cast<A>(grid[j * S]), extent);
      const A whole = body_type::nearest ? coordinate : floor(coordinate);
      const A inside = whole > A{-4} ? whole : A{-4}; // which NaN is not
      first[j] = static_cast<int32_t>(inside < above ? inside : above) - body_type::before;
      behind[j] = static_cast<W>(coordinate - whole);
    }
    CAMEO_UNROLL_ALL
    for (int k = 0; k < along; ++k) {
      CAMEO_INDEPENDENT
      for (int64_t j = 0; j < count; ++j) {
        at[k][j] = position(first[j] + k, extent);
        weight[d][k][j] = at[k][j] < 0 ? W{} : body_type::weight(k, behind[j]);
      }
    }
  }
  CAMEO_INLINE int32_t position(int32_t i, int64_t extent) const {
    const auto end = static_cast<int32_t>(extent);
    if constexpr (PADDING == grid_padding::zeros)
      return i >= 0 && i < end ? i : -1;
    else if constexpr (PADDING == grid_padding::border)
      return i < 0 ? 0 : i < end ? i : end - 1;
    else
      return static_cast<int32_t>(body.position(i, extent));
  }

  static CAMEO_INLINE void append_axis(int32_t *places, int32_t extent, const int32_t *at,
                                       int64_t count) {
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < count; ++j) {
      const int32_t inside = places[j] * extent + at[j];
      places[j] = at[j] < 0 || places[j] < 0 ? -1 : inside;
    }
  }
  /// The value of axes D.. of pixel j, whose neighbours from number n on these are.
  template <int D> CAMEO_INLINE V value(const T *plane, int n, int64_t j) const {
    if constexpr (D == S) {
      const int32_t at = place[n][j];
      const V element = cast<V>(plane[at < 0 ? 0 : at]);
      return at < 0 ? V{} : element;
    } else if constexpr (along == 1) {
      return value<D + 1>(plane, n, j);
    } else {
      V sum = 0;
      CAMEO_UNROLL_ALL
      for (int k = 0; k < along; ++k)
        sum += weight[D][k][j] * value<D + 1>(plane, n + k * grid_neighbours(along, S - 1 - D), j);
      return sum;
    }
  }

  /// value<D>() of some channels.
  template <int D, int L>
  CAMEO_INLINE typename line_part<W, L>::type line_value(const W *lines, int n, int64_t j) const {
    if constexpr (D == S) {
      return line_part<W, L>::load(lines + int64_t{place[n][j]} * L);
    } else {
      typename line_part<W, L>::type sum = {};
      CAMEO_UNROLL_ALL
      for (int k = 0; k < along; ++k)
        sum += weight[D][k][j] *
               line_value<D + 1, L>(lines, n + k * grid_neighbours(along, S - 1 - D), j);
      return sum;
    }
  }

  template <int64_t COUNT> CAMEO_NOINLINE void read(const T *plane, int64_t first, V *to) const {
    CAMEO_INDEPENDENT_LANES
    for (int64_t j = first; j < first + COUNT; ++j)
      to[j] = value<0>(plane, 0, j);
  }

  const body_type &body;
  /// Elements of a plane, -1 for one that is 0.
  alignas(64) int32_t place[array_size(neighbours)][array_size(most)];
  alignas(64) W weight[array_size(S)][array_size(along)][array_size(most)];
};

/// Channels of a line: few where there are few.
constexpr int short_line = 4, long_line = 16;

/// Whether planes become lines: where elements are mixed, of enough channels and of planes that are
/// not much larger than the outputs.
template <resize_mode MODE, class T, class P> bool has_grid_lines(const P &p) {
  constexpr int S = P::spatial_rank;
  constexpr int along = MODE == resize_mode::linear ? 2 : 4;
  if (has_small_stack || MODE == resize_mode::nearest || grid_neighbours(along, S) > 16)
    return false;
  const int64_t plane = volume(input_of<S>(p)), all = volume(output_of<S>(p));
  return p.batch > 0 && p.channels > 2 && plane > 0 && all > 0 && plane <= 4 * all &&
         plane < int64_t{1} << 30;
}
template <int L, class P> line_blocks<L> grid_lines_of(const P &p) {
  return {p.batch, p.channels, volume(input_of<P::spatial_rank>(p))};
}

/// Bytes that grid_sample takes from e.scratch for elements of T.
template <resize_mode MODE, class T, class P> int64_t grid_sample_scratch(const P &p, int) {
  using W = std::conditional_t<std::is_same_v<T, double>, double, float>;
  if (!has_grid_lines<MODE, T>(p))
    return 0;
  return p.channels <= short_line ? grid_lines_of<short_line>(p).template bytes<W>()
                                  : grid_lines_of<long_line>(p).template bytes<W>();
}

/// All pixels, of blocks of channels as lines of L.
template <int L, class PIXELS, class P, class BODY>
CAMEO_NOINLINE void sample_by_lines(exec &e, const P &p, const BODY &body) {
  using W = typename BODY::sum_type;
  const line_blocks<L> all = grid_lines_of<L>(p);
  auto *const lines = static_cast<W *>(e.scratch(static_cast<size_t>(all.template bytes<W>())));
  if (lines == nullptr)
    return;
  const int64_t of_image = all.of_image(), together = all.template together<W>();
  const int64_t pixels = volume(body.output), pieces = ceil_div(pixels, PIXELS::most);
  for (int64_t first = 0; first < all.all(); first += together) {
    const int64_t behind = all.all() - first < together ? all.all() : first + together;
    all.make(e, body.x, span{first, behind}, lines);
    const int64_t image = first / of_image, images = ceil_div(behind, of_image) - image;
    const auto some = [&](int64_t begin, int64_t end) {
      PIXELS table(body);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t of = image + i / pieces, at = i % pieces * PIXELS::most;
        const int64_t from = of * of_image > first ? of * of_image : first;
        const int64_t to = (of + 1) * of_image < behind ? (of + 1) * of_image : behind;
        table.template sample_lines<L>(of, at,
                                       pixels - at < PIXELS::most ? pixels - at : PIXELS::most,
                                       span{from - of * of_image, to - of * of_image},
                                       lines + (from - first) * all.elements());
      }
    };
    parallel_range(e, images * pieces, PIXELS::most * (behind - first) * L / images, some);
  }
}

template <resize_mode MODE, grid_padding PADDING, class P, class T, class G, class STORE>
void grid_sample(exec &e, const P &p, const T *x, const G *grid, STORE store) {
  constexpr int S = P::spatial_rank;
  const auto body = make_grid_sample<MODE, PADDING>(p, x, grid, store);
  const index<S> output = output_of<S>(p);
  using pixels = grid_pixels<MODE, PADDING, S, T, G, STORE>;
  if constexpr (pixels::are_few && MODE != resize_mode::nearest && !has_small_stack)
    if (has_grid_lines<MODE, T>(p))
      return p.channels <= short_line ? sample_by_lines<short_line, pixels>(e, p, body)
                                      : sample_by_lines<long_line, pixels>(e, p, body);
  if constexpr (pixels::are_few) {
    const int64_t plane = volume(body.input), all = volume(output);
    if (plane > 0 && plane < int64_t{1} << 30 && all > 0) {
      const index<2> blocks = {{p.batch, ceil_div(all, pixels::most)}};
      return parallel_range(
          e, volume(blocks), pixels::most * p.channels, [&](int64_t begin, int64_t end) {
            pixels some(body);
            walk(blocks, begin, end, [&](const index<2> &i) {
              const int64_t first = i[1] * pixels::most;
              some.sample(i[0], first, all - first < pixels::most ? all - first : pixels::most);
            });
          });
    }
  }
  for_each(e, join(index<2>{{p.batch, p.channels}}, output), body);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
