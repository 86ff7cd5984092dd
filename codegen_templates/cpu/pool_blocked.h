// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pool_blocked<KIND>: pools over the blocked layout (README.md). The taps of a window are found
// once for the channels of a block, which are then taken side by side, and so are neighbouring
// windows that lie inside the input. Maxima of large windows are those of each row of taps, which
// neighbouring outputs share, then of these.
#pragma once

#include "cameo/cpu/conv_blocked.h"
#include "cameo/cpu/pool.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Windows that are taken together: enough to do while a result is on its way.
constexpr int64_t pool_run = 8;

/// Taps of windows that are written out.
constexpr int64_t most_pool_taps = 16;

/// The taps of a window where they are few, neighbours, and constants, else 0.
template <class P> constexpr int static_pool_taps() {
  if constexpr (CAMEO_IS_STATIC(P, kernel) && CAMEO_IS_STATIC(P, dilation))
    return P::dilation[0] == 1 && P::dilation[1] == 1 &&
                   P::kernel[0] * P::kernel[1] <= most_pool_taps
               ? static_cast<int>(P::kernel[0] * P::kernel[1])
               : 0;
  else
    return 0;
}

/// The result of `taps` taps.
template <pool_kind KIND, class A> CAMEO_INLINE A pool_result(A acc, int64_t taps, int64_t power) {
  if constexpr (KIND == pool_kind::lp)
    return lp_root(acc, power);
  else if constexpr (KIND == pool_kind::average)
    return taps > 0 ? div(acc, static_cast<A>(taps)) : A{};
  else
    return acc;
}

/// A window inside the input, whose first tap is `at`: the lanes are a loop around all taps.
template <pool_kind KIND, class P, class A, class LOAD, int... T>
CAMEO_INLINE void pool_inside(const LOAD &from, const index<5> &at, A first, int64_t power,
                              A *result, std::integer_sequence<int, T...>) {
  constexpr int64_t columns = P::kernel[1], taps = sizeof...(T);
  CAMEO_INDEPENDENT
  for (int64_t l = 0; l < channel_block; ++l) {
    const A values[] = {
        cast<A>(from(index<5>{{at[0], at[1], at[2] + T / columns, at[3] + T % columns, l}}))...};
    if constexpr (KIND == pool_kind::max && std::is_floating_point_v<A>) {
      result[l] = greatest_of(values);
    } else {
      A acc = first;
      ((acc = pool_tap<KIND>(acc, pool_term<KIND>(values[T], power))), ...);
      result[l] = pool_result<KIND>(acc, taps, power);
    }
  }
}

/// Row i[2] of block i[1] of the results of image i[0]. Functors are copies, whose members no
/// element that is stored can be.
template <pool_kind KIND, class P, class LOAD, class STORE>
CAMEO_INLINE void pool_row(const P &p, const index<3> &i, LOAD load, STORE store) {
  using T = loaded_t<LOAD, index<5>>;
  using A = std::conditional_t<KIND == pool_kind::max, T, accumulator_t<T>>;
  constexpr int static_taps = static_pool_taps<P>();
  const A first = KIND == pool_kind::max ? lowest_value<A>() : A{};
  const index<2> input = input_of<2>(p), kernel = kernel_of<2>(p), output = output_of<2>(p);
  const index<2> stride = stride_of<2>(p), dilation = dilation_of<2>(p), pad = pad_of<2>(p),
                 pad_end = pad_end_of<2>(p);
  const int64_t power = params::pool_power<KIND>(p);
  const auto span_of = [&](int d, int64_t o) {
    return make_pool_span(o, input[d], kernel[d], stride[d], dilation[d], pad[d], pad_end[d]);
  };
  const auto is_inside = [&](int d, const pool_span &s) {
    return s.begin == 0 && s.end == kernel[d];
  };
  const pool_span down = span_of(0, i[2]);
  for (int64_t ox = 0, count = 1; ox < output[1]; ox += count) {
    const pool_span across = span_of(1, ox);
    count = 1;
    if constexpr (static_taps > 0) {
      if (is_inside(0, down) && is_inside(1, across)) {
        alignas(64) A result[channel_block];
        pool_inside<KIND, P>(load, index<5>{{i[0], i[1], down.start, across.start, 0}}, first,
                             power, result, std::make_integer_sequence<int, static_taps>());
        store_lanes(result, index<5>{{i[0], i[1], i[2], ox, 0}}, store);
        continue;
      }
    }
    while (count < pool_run && ox + count < output[1] && is_inside(1, across) &&
           is_inside(1, span_of(1, ox + count)))
      ++count;
    A acc[pool_run][channel_block];
    for (int64_t w = 0; w < count; ++w)
      for (A &lane : acc[w])
        lane = first;
    for (int64_t v = down.begin; v < down.end; ++v)
      for (int64_t u = across.begin; u < across.end; ++u) {
        const int64_t y = down.start + v * dilation[0], x = across.start + u * dilation[1];
        for (int64_t w = 0; w < count; ++w) {
          CAMEO_INDEPENDENT
          for (int64_t l = 0; l < channel_block; ++l)
            acc[w][l] = pool_tap<KIND>(
                acc[w][l],
                pool_term<KIND>(cast<A>(load(index<5>{{i[0], i[1], y, x + w * stride[1], l}})),
                                power));
        }
      }
    const int64_t taps = count_include_pad_or(p, false)
                             ? down.padded * across.padded
                             : (down.end - down.begin) * (across.end - across.begin);
    for (int64_t w = 0; w < count; ++w) {
      CAMEO_INDEPENDENT
      for (int64_t l = 0; l < channel_block; ++l)
        acc[w][l] = pool_result<KIND>(acc[w][l], taps, power);
      store_lanes(acc[w], index<5>{{i[0], i[1], i[2], ox + w, 0}}, store);
    }
  }
}

/// A tile of maxima: windows along a row, rows of maxima of rows of taps that it holds, and pixels
/// of a row of inputs that it reads.
constexpr int64_t block_strip = 8, block_rows_held = 32, block_row_read = 40;

/// Whether windows are constants that are taken by such tiles.
template <pool_kind KIND, class P> constexpr bool takes_block_tiles() {
  if constexpr (!has_small_stack && CAMEO_IS_STATIC(P, kernel) && CAMEO_IS_STATIC(P, stride) &&
                CAMEO_IS_STATIC(P, dilation))
    return takes_rows_first<KIND>(index<2>{{P::kernel[0], P::kernel[1]}},
                                  index<2>{{P::stride[0], P::stride[1]}}) &&
           static_pool_taps<P>() == 0 && P::stride[1] == 1 &&
           (P::kernel[0] - 1) * P::dilation[0] < block_rows_held &&
           block_strip + (P::kernel[1] - 1) * P::dilation[1] <= block_row_read;
  else
    return false;
}

/// The outputs at..., `high` x `wide` of block at[1] of image at[0].
template <class P, class LOAD, class STORE> struct block_tile {
  using T = loaded_t<LOAD, index<5>>;
  using A = accumulator_t<T>;
  static constexpr pool_kind KIND = pool_kind::max;
  static constexpr int64_t across = (P::kernel[1] - 1) * P::dilation[1],
                           over = (P::kernel[0] - 1) * P::dilation[0],
                           most_high = (block_rows_held - 1 - over) / P::stride[0] + 1,
                           ld = block_strip * channel_block;

  const P &p;
  LOAD load; // functors are copies, whose members no element that is stored can be
  STORE store;
  index<4> at;
  int64_t high, wide;

  /// A row of inputs, with borders that no maximum takes.
  CAMEO_INLINE void copy_row(int64_t y, A *row) const {
    const int64_t first = at[3] - pad_of<2>(p)[1];
    for (int64_t j = 0; j < wide + across; ++j) {
      const int64_t x = first + j;
      const bool is_inside = x >= 0 && x < input_of<2>(p)[1];
      CAMEO_INDEPENDENT_LANES
      for (int64_t l = 0; l < channel_block; ++l)
        row[j * channel_block + l] =
            is_inside ? cast<A>(load(index<5>{{at[0], at[1], y, x, l}})) : pool_none<KIND, A>();
    }
  }

  template <bool HAS_NAN, int... I>
  CAMEO_INLINE void combine(const A *first, int64_t apart, A *to,
                            std::integer_sequence<int, I...>) const {
    const A *const taps[] = {first + I * apart...};
    pool_combine<KIND, HAS_NAN, true>(taps, to, wide * channel_block);
  }

  /// Row r of the maxima of rows of taps. Returns whether there are NaNs.
  CAMEO_INLINE bool take_row(int64_t r, A *row, A *to) const {
    constexpr auto taps = std::make_integer_sequence<int, static_cast<int>(P::kernel[1])>();
    const int64_t y = at[2] * P::stride[0] - pad_of<2>(p)[0] + r;
    if (y < 0 || y >= input_of<2>(p)[0]) {
      for (int64_t j = 0; j < ld; ++j)
        to[j] = pool_none<KIND, A>();
      return false;
    }
    copy_row(y, row);
    constexpr int64_t apart = P::dilation[1] * channel_block;
    const bool has_nan = pool_has_nan(row, (wide + across) * channel_block);
    if (has_nan)
      combine<true>(row, apart, to, taps);
    else
      combine<false>(row, apart, to, taps);
    return has_nan;
  }

  CAMEO_NOINLINE void run() const {
    constexpr auto taps = std::make_integer_sequence<int, static_cast<int>(P::kernel[0])>();
    alignas(64) A row[block_row_read * channel_block];
    alignas(64) A held[block_rows_held * ld];
    alignas(64) A result[ld];
    bool has_nan = false;
    for (int64_t r = 0; r < (high - 1) * P::stride[0] + 1 + over; ++r)
      has_nan |= take_row(r, row, held + r * ld);
    for (int64_t g = 0; g < high; ++g) {
      const A *const first = held + g * P::stride[0] * ld;
      if (has_nan)
        combine<true>(first, P::dilation[0] * ld, result, taps);
      else
        combine<false>(first, P::dilation[0] * ld, result, taps);
      for (int64_t w = 0; w < wide; ++w) {
        const index<5> to = {{at[0], at[1], at[2] + g, at[3] + w, 0}};
        T lanes[channel_block];
        for (int64_t l = 0; l < channel_block; ++l)
          lanes[l] = cast<T>(result[w * channel_block + l]);
        store_lanes(lanes, to, store);
      }
    }
  }

  static void take_all(exec &e, const P &p, LOAD load, STORE store) {
    const index<2> output = output_of<2>(p);
    const index<4> tiles = {{p.batch, ceil_div(p.channels, channel_block),
                             ceil_div(output[0], most_high), ceil_div(output[1], block_strip)}};
    const int64_t work = most_high * ld * (P::kernel[0] + P::kernel[1]);
    parallel_range(e, volume(tiles), work, [&](int64_t begin, int64_t end) {
      walk(tiles, begin, end, [&](const index<4> &i) {
        block_tile tile = {p, load, store, i, 0, 0};
        tile.at[2] *= most_high, tile.at[3] *= block_strip;
        const int64_t below = output[0] - tile.at[2], right = output[1] - tile.at[3];
        tile.high = below < most_high ? below : most_high;
        tile.wide = right < block_strip ? right : block_strip;
        tile.run();
      });
    });
  }
};

template <pool_kind KIND, class P, class LOAD, class STORE>
void pool_blocked(exec &e, const P &p, LOAD load, STORE store) {
  static_assert(P::spatial_rank == 2, "only images are blocked");
  if constexpr (takes_block_tiles<KIND, P>())
    return block_tile<P, LOAD, STORE>::take_all(e, p, load, store);
  const index<2> output = output_of<2>(p);
  const index<3> rows = {{p.batch, ceil_div(p.channels, channel_block), output[0]}};
  const int64_t work = output[1] * channel_block * volume(kernel_of<2>(p));
  parallel_range(e, volume(rows), work, [&](int64_t begin, int64_t end) {
    walk(rows, begin, end, [&](const index<3> &i) { pool_row<KIND>(p, i, load, store); });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
