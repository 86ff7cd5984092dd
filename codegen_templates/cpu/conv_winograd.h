// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of 2 x 2 to 5 x 5 taps over the blocked layout by Winograd's algorithm (Lavin and
// Gray, "Fast Algorithms for Convolutional Neural Networks", 2015): a tile of TILE x TILE outputs
// is a product of (TILE + TAPS - 1)^2 elements, each summed over the input channels by the register
// tiles of conv_blocked. Tiles are taken a group at a time, inputs -> products -> outputs, so that
// what is between the transforms stays near. Weights come transformed: those of the model by the
// compiler, others by winograd_weights.
#pragma once

#include "cameo/cpu/conv_blocked.h"
#include "cameo/pack/winograd.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Follows from an algorithm's points: a row of inputs becomes a value at each.
template <int SIZE> struct winograd_points;

template <> struct winograd_points<4> : winograd_scales<4, float> {
  static constexpr int size = 4;
  struct inputs {
    static constexpr int from = 4, to = 4;
    template <class V> CAMEO_INLINE static void apply(const V (&d)[from], V (&o)[to]) {
      o[0] = d[0] - d[2];
      o[1] = d[1] + d[2];
      o[2] = d[2] - d[1];
      o[3] = d[3] - d[1];
    }
  };
};

template <> struct winograd_points<6> : winograd_scales<6, float> {
  static constexpr int size = 6;
  struct inputs {
    static constexpr int from = 6, to = 6;
    template <class V> CAMEO_INLINE static void apply(const V (&d)[from], V (&o)[to]) {
      const V a = d[4] - d[2] * 4.0f, b = d[3] - d[1] * 4.0f;
      const V c = d[4] - d[2], e = (d[3] - d[1]) * 2.0f;
      o[0] = d[0] * 4.0f - d[2] * 5.0f + d[4];
      o[1] = a + b;
      o[2] = a - b;
      o[3] = c + e;
      o[4] = c - e;
      o[5] = d[1] * 4.0f - d[3] * 5.0f + d[5];
    }
  };
};

/// TAPS along a side for TILE outputs along a side: besides, a row of taps as a polynomial's
/// values, and a row of outputs as the coefficients of that which has the products for values.
template <int TILE, int TAPS> struct winograd : winograd_points<TILE + TAPS - 1> {
  static_assert(is_winograd(TILE, TAPS));
  using points = winograd_points<TILE + TAPS - 1>;
  static constexpr int tile = TILE, taps = TAPS, pairs = points::size / 2 - 1;

  static constexpr float power(int pair, int exponent) {
    return static_cast<float>(winograd_power(pair, exponent));
  }

  struct weights {
    static constexpr int from = TAPS, to = points::size;
    template <class V>
    CAMEO_INLINE static void apply(const V (&k)[array_size(from)], V (&o)[array_size(to)]) {
      o[0] = k[0] * points::at_zero;
      CAMEO_UNROLL_ALL
      for (int pair = 0; pair < pairs; ++pair) {
        V even = k[0], odd = k[1] * power(pair, 1);
        CAMEO_UNROLL_ALL
        for (int t = 2; t < TAPS; ++t)
          (t % 2 == 0 ? even : odd) += k[t] * power(pair, t);
        o[2 * pair + 1] = (even + odd) * points::at_pair[pair];
        o[2 * pair + 2] = (even - odd) * points::at_pair[pair];
      }
      o[to - 1] = k[TAPS - 1];
    }
  };
  struct outputs {
    static constexpr int from = points::size, to = TILE;
    template <class V>
    CAMEO_INLINE static void apply(const V (&m)[array_size(from)], V (&o)[array_size(to)]) {
      CAMEO_UNROLL_ALL
      for (int t = 0; t < TILE; ++t)
        o[t] = t % 2 == 0 ? m[1] + m[2] : m[1] - m[2];
      CAMEO_UNROLL_ALL
      for (int pair = 1; pair < pairs; ++pair) {
        const V even = m[2 * pair + 1] + m[2 * pair + 2], odd = m[2 * pair + 1] - m[2 * pair + 2];
        CAMEO_UNROLL_ALL
        for (int t = 0; t < TILE; ++t)
          o[t] += (t % 2 == 0 ? even : odd) * power(pair, t);
      }
      o[0] += m[0];
      o[TILE - 1] += m[from - 1];
    }
  };
};

template <class P> using winograd_of = winograd<P::tile, P::taps>;

/// Where the elements of squares are, each a run of floats: rows and columns so far apart.
struct winograd_square {
  int64_t row, column;
};

/// A transform of the rows and the columns of a square, for COUNT floats of each element.
template <class TRANSFORM, int COUNT>
CAMEO_CONTRACT void winograd_transform(const float *x, winograd_square from, float *y,
                                       winograd_square to) {
  CAMEO_CONTRACT_BODY;
  using V = typename vec<float>::type;
  constexpr int n = TRANSFORM::from, m = TRANSFORM::to;
  for (int i = 0; i < COUNT; i += vec<float>::lanes) {
    V half[array_size(m)][array_size(n)], d[array_size(n)], o[array_size(m)];
    CAMEO_UNROLL_ALL
    for (int c = 0; c < n; ++c) {
      CAMEO_UNROLL_ALL
      for (int r = 0; r < n; ++r)
        d[r] = load_vector(x + r * from.row + c * from.column + i);
      TRANSFORM::apply(d, o);
      CAMEO_UNROLL_ALL
      for (int r = 0; r < m; ++r)
        half[r][c] = o[r];
    }
    CAMEO_UNROLL_ALL
    for (int r = 0; r < m; ++r) {
      TRANSFORM::apply(half[r], o);
      CAMEO_UNROLL_ALL
      for (int c = 0; c < m; ++c)
        store_vector(y + r * to.row + c * to.column + i, o[c]);
    }
  }
}

/// The inputs of a tile in a block of channels, rows `row` apart; v: elements `step` apart.
template <class W>
CAMEO_INLINE void winograd_inputs(const float *x, int64_t row, float *v, int64_t step) {
  winograd_transform<typename W::inputs, channel_block>(x, {row, channel_block}, v,
                                                        {W::size * step, step});
}

/// The same where only the first `rows` and `columns` of the tile are there: zeros stand for the
/// others, which no output that is wanted reads.
template <class W>
CAMEO_NOINLINE void winograd_inputs_of_part(const float *x, int64_t row, int64_t rows,
                                            int64_t columns, float *v, int64_t step) {
  constexpr int64_t size = W::size, whole_row = size * channel_block;
  alignas(64) float whole[array_size(size * whole_row)] = {};
  for (int64_t r = 0; r < rows && r < size; ++r)
    for (int64_t i = 0; i < whole_row && i < columns * channel_block; ++i)
      whole[r * whole_row + i] = x[r * row + i];
  winograd_inputs<W>(whole, whole_row, v, step);
}

/// How the work is cut: tiles of all images into `groups` of nearly the same number, at most
/// `group`, each of which reads its weights once and keeps its inputs and products in a buffer: a
/// few while weights are near, else so many that the buffer is as large as the weights. Where
/// weights are far and tiles few, output channels are cut into `parts` besides, between the blocks
/// that register tiles take together: a thread that transforms all inputs and reads some of the
/// weights is done before one that reads all of them.
/// A buffer has `room` for a group, which more tiles never make smaller, so that the most tiles
/// need the most scratch. All for one of `channel_groups`, each of which has its own blocks.
template <class W> struct winograd_plan {
  static constexpr int elements = W::size * W::size, together = blocked_tile::blocks;
  static constexpr int64_t near = 64 << 10, far = 256 << 10; // floats
  static constexpr int64_t few = ceil_div(12, blocked_tile::pixels) * blocked_tile::pixels;

  int64_t channel_groups, input_blocks, output_blocks, last_channels;
  index<3> tiles;
  int64_t groups, group, parts, room;

  template <class P> CAMEO_INLINE static winograd_plan of(const P &p, int threads) {
    const index<2> output = output_of<2>(p);
    const int64_t in_channels = p.in_channels / p.groups, out_channels = p.out_channels / p.groups;
    const int64_t in = ceil_div(in_channels, channel_block);
    winograd_plan plan{p.groups,
                       in,
                       ceil_div(out_channels, channel_block),
                       in_channels - (in - 1) * channel_block,
                       {{p.batch, ceil_div(output[0], W::tile), ceil_div(output[1], W::tile)}},
                       0,
                       0,
                       1,
                       0};
    const int64_t count = volume(plan.tiles), weights = plan.weights();
    const int64_t large = weights > near ? weights / plan.buffer(1) : 0;
    const int64_t most = large < few ? few : large;
    const auto fitting = [&](int64_t wanted) { return wanted < most ? wanted : most; };
    plan.group = plan.room = fitting(ceil_div(count, threads));
    if (weights > far) {
      const int64_t parts = threads < plan.units() ? threads : plan.units();
      const int64_t limit = out_channels / 4; // inputs are a quarter of the weights
      const int64_t few_tiles = count < limit ? count : limit;
      const int64_t group = fitting(ceil_div(few_tiles, ceil_div(threads, parts)));
      plan.room = group > plan.room ? group : plan.room;
      if (count < limit) {
        plan.parts = parts;
        plan.group = group;
      }
    }
    plan.groups = count > 0 ? ceil_div(count, plan.group) : 0;
    return plan;
  }
  int64_t weights() const {
    return elements * output_blocks * input_blocks * channel_block * channel_block;
  }
  /// Blocks of output channels by as many as are taken together.
  int64_t units() const { return ceil_div(output_blocks, together); }
  span blocks(int64_t part) const {
    const span of = share(units(), static_cast<int>(part), static_cast<int>(parts));
    const int64_t end = of.end * together;
    return {of.begin * together, end < output_blocks ? end : output_blocks};
  }
  /// Floats between the inputs, or products, of an element of `count` tiles and those of the next.
  /// All elements of a tile would lie in a few sets of the cache where this is half a page, or two:
  /// then it is a line more.
  int64_t input_step(int64_t count) const { return apart(input_blocks * count * channel_block); }
  int64_t product_step(int64_t count) const { return apart(output_blocks * count * channel_block); }
  static int64_t apart(int64_t step) { return step % 512 == 0 ? step + channel_block : step; }
  /// Floats of the inputs, or of the products, of `count` tiles, and of both.
  int64_t inputs(int64_t count) const { return elements * input_step(count); }
  int64_t products(int64_t count) const { return elements * product_step(count); }
  int64_t buffer(int64_t count) const { return inputs(count) + products(count); }
};

/// Bytes that conv_winograd takes from e.scratch.
template <class P> int64_t conv_winograd_scratch(const P &p, int threads) {
  const auto plan = winograd_plan<winograd_of<P>>::of(p, threads);
  return threads * plan.buffer(plan.room) * static_cast<int64_t>(sizeof(float));
}

/// The products of a group of `count` tiles with some blocks of output channels, for all
/// convolutions: v [element][block][tile][16], elements input_step apart, to m, laid as v. u:
/// weights of the group's channels. PAIRED: no block is alone.
template <class W, bool PAIRED>
CAMEO_NOINLINE void winograd_products(const winograd_plan<W> &plan, int64_t count, span blocks,
                                      const float *v, const float *u, float *m) {
  constexpr int together = winograd_plan<W>::together;
  constexpr blocked_form form = blocked_form::blocks;
  constexpr uint64_t lengths = numbers_to(blocked_tile::pixels);
  const int64_t runs = ceil_div(count, blocked_tile::pixels);
  blocked_operands o{};
  o.kernel_rows = o.kernel_columns = 1;
  o.input_blocks = plan.input_blocks;
  o.last_channels = plan.last_channels;
  o.x_block = count * channel_block;
  o.w_block = plan.input_blocks * channel_block * channel_block;
  for (int64_t element = 0; element < plan.elements; ++element)
    for (int64_t b = blocks.begin; b < blocks.end; b += together)
      for (int64_t r = 0; r < runs; ++r) {
        const span run = share(count, static_cast<int>(r), static_cast<int>(runs));
        const int64_t pixels = run.end - run.begin;
        o.x = v + element * plan.input_step(count) + run.begin * channel_block;
        o.w = u + (element * plan.channel_groups * plan.output_blocks + b) * o.w_block;
        o.acc = m + element * plan.product_step(count) + (b * count + run.begin) * channel_block;
        o.acc_block = count * channel_block;
        o.ahead = ask_ahead(o.w + together * o.w_block, r, runs, plan.input_blocks * channel_block);
        if (PAIRED || b + together <= blocks.end)
          pick_blocked_tile<form, together, 1, true, lengths>(pixels)(o);
        else if constexpr (!PAIRED)
          pick_blocked_tile<form, 1, 1, true, lengths>(pixels)(o);
      }
}

/// Tiles [begin, begin + count) of all images, through v and m, to blocks of a group of channels.
template <class P, class STORE>
CAMEO_INLINE void winograd_group(const P &p, const winograd_plan<winograd_of<P>> &plan,
                                 int64_t channels, int64_t begin, int64_t count, span blocks,
                                 const float *x, const float *u, float *v, float *m,
                                 const STORE &store) {
  using algorithm = winograd_of<P>;
  constexpr int tile = algorithm::tile, size = algorithm::size;
  const index<2> output = output_of<2>(p);
  const int64_t plane = p.rows * p.cols * channel_block, row_step = p.cols * channel_block;
  const int64_t first_block = channels * plan.output_blocks;
  for (int64_t t = 0; t < count; ++t) {
    const index<3> at = unflatten(begin + t, plan.tiles);
    const int64_t row = p.top + at[1] * tile, column = p.left + at[2] * tile;
    const int64_t rows = p.rows - row, columns = p.cols - column;
    const float *from = x + (at[0] * plan.channel_groups + channels) * plan.input_blocks * plane +
                        row * row_step + column * channel_block;
    const int64_t step = plan.input_step(count);
    for (int64_t b = 0; b < plan.input_blocks; ++b) {
      float *const to = v + (b * count + t) * channel_block;
      if (rows >= size && columns >= size)
        winograd_inputs<algorithm>(from + b * plane, row_step, to, step);
      else
        winograd_inputs_of_part<algorithm>(from + b * plane, row_step, rows, columns, to, step);
    }
  }
  winograd_products<algorithm, are_blocks_together<blocked_tile::blocks, P>()>(
      plan, count, blocks, v, u + first_block * plan.input_blocks * channel_block * channel_block,
      m);
  alignas(64) float y[array_size(tile * tile * channel_block)];
  for (int64_t b = blocks.begin; b < blocks.end; ++b)
    for (int64_t t = 0; t < count; ++t) {
      const int64_t step = plan.product_step(count);
      winograd_transform<typename algorithm::outputs, channel_block>(
          m + (b * count + t) * channel_block, {size * step, step}, y,
          {tile * channel_block, channel_block});
      const index<3> at = unflatten(begin + t, plan.tiles);
      const int64_t row = at[1] * tile, column = at[2] * tile;
      for (int64_t r = 0; r < tile && row + r < output[0]; ++r)
        for (int64_t c = 0; c < tile && column + c < output[1]; ++c) {
          const float *from = y + (r * tile + c) * channel_block;
          CAMEO_INDEPENDENT
          for (int64_t l = 0; l < channel_block; ++l)
            store(index<5>{{at[0], first_block + b, row + r, column + c, l}}, from[l]);
        }
    }
}

/// w [block][block][taps][taps][16][16], as conv_blocked has it, to u
/// [element][block][block][16][16]. `in_channels`: those of a group.
template <class P> void winograd_weights(exec &e, const P &p, const float *w, float *u) {
  using algorithm = winograd_of<P>;
  constexpr int64_t block = channel_block * channel_block, size = algorithm::size,
                    taps = algorithm::taps;
  constexpr int part = block / 4;
  const int64_t all =
      ceil_div(p.out_channels, channel_block) * ceil_div(p.in_channels, channel_block) * block;
  parallel_range(e, all / part, size * size * part / 8, [&](int64_t begin, int64_t end) {
    // Elements lie so far apart that lines of all of them are more than a set of the cache holds.
    alignas(64) float elements[array_size(size * size * part)];
    for (int64_t at = begin * part; at < end * part; at += part) {
      const float *from = w + at / block * taps * taps * block + at % block;
      winograd_transform<typename algorithm::weights, part>(from, {taps * block, block}, elements,
                                                            {size * part, part});
      for (int64_t i = 0; i < size * size; ++i)
        for (int64_t l = 0; l < part; ++l)
          u[i * all + at + l] = elements[i * part + l];
    }
  });
}

/// A thread's groups of tiles, part by part. One copy, whether the team works or a thread alone.
template <class P, class STORE>
CAMEO_NOINLINE void winograd_groups(const P &p, const winograd_plan<winograd_of<P>> &plan,
                                    span mine, const float *x, const float *u, float *v,
                                    STORE store) {
  for (int64_t i = mine.begin; i < mine.end; ++i) {
    const span of =
        share(volume(plan.tiles), static_cast<int>(i % plan.groups), static_cast<int>(plan.groups));
    const int64_t part = i / plan.groups;
    winograd_group(p, plan, part / plan.parts, of.begin, of.end - of.begin,
                   plan.blocks(part % plan.parts), x, u, v, v + plan.inputs(plan.group), store);
  }
}

template <class P, class STORE>
void conv_winograd(exec &e, const P &p, const float *x, const float *u, STORE store) {
  const auto plan = winograd_plan<winograd_of<P>>::of(p, e.threads());
  const int64_t tiles = volume(plan.tiles);
  // Algorithms are compared by the operations of the definition.
  CAMEO_OPERATIONS(2 * P::taps * P::taps * p.batch * volume(output_of<2>(p)) *
                   (p.in_channels / p.groups) * p.out_channels);
  float *const buffers =
      static_cast<float *>(e.scratch(static_cast<size_t>(conv_winograd_scratch(p, e.threads()))));
  if (buffers == nullptr || tiles <= 0)
    return;
  const int64_t units = plan.channel_groups * plan.parts * plan.groups;
  const bool worth_it =
      units > 1 && tiles * plan.channel_groups * plan.weights() >= 32 * parallel_threshold;
  e.parallel_if(worth_it, [&](int thread, int threads) {
    winograd_groups(p, plan, share(units, thread, threads), x, u,
                    buffers + thread * plan.buffer(plan.room), store);
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
