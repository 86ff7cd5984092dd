// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions over blocks of channels in groups that begin and end anywhere in a block, each of
// whose inputs is named: a list says which channel of x it is, so that channels that were shuffled
// are read where they lay before. A tile computes all lanes of its blocks for one group; of a block
// that several groups share each gives its own lanes, so that nothing passes between groups, NaN
// and infinities neither.
#pragma once

#include "cameo/cpu/conv_blocked.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Where a channel lies, from the first one on.
CAMEO_INLINE int64_t place_of_channel(int64_t channel, int64_t plane) {
  return channel / channel_block * plane + channel % channel_block;
}

/// The part of a group in some blocks of outputs.
struct group_part {
  int64_t group;
  int64_t first, last; // lanes, counted from the first of the blocks
  int64_t from, count; // of the blocks, those that have such
};

/// The group's part of `blocks` blocks from `block` on. `width`: channels of a group. Lanes behind
/// all channels belong to the last group.
CAMEO_INLINE group_part part_of_group(int64_t group, int64_t width, int64_t channels, int64_t block,
                                      int64_t blocks) {
  const int64_t begin = block * channel_block, lanes = blocks * channel_block;
  const int64_t first = group * width - begin, last = first + width;
  group_part part{};
  part.group = group;
  part.first = first > 0 ? first : 0;
  part.last = last < lanes && begin + last < channels ? last : lanes;
  part.from = part.first / channel_block;
  part.count = ceil_div(part.last, channel_block) - part.from;
  return part;
}

/// Products of several runs of pixels, which read the same weights one after the other.
template <int BLOCKS> struct group_runs {
  static constexpr int64_t most = has_small_stack ? 1 : 8;
  static constexpr int64_t step = BLOCKS * blocked_tile::pixels * channel_block; // between runs
  static constexpr int64_t side = most * step;
  int64_t count = 0;
  blocked_run run[most];
  const float *x[most]; // under the first tap
  /// The results, and, `side` behind them, those of a group in a block that it enters last.
  alignas(64) float acc[array_size(2 * side)];

  /// The group's lanes of its first block, out of those behind.
  CAMEO_INLINE void merge(const group_part &part) {
    const int64_t first = part.first % channel_block, end = part.last - part.from * channel_block;
    int32_t is_own[channel_block];
    for (int64_t l = 0; l < channel_block; ++l)
      is_own[l] = l >= first && l < end;
    for (int64_t r = 0; r < count; ++r) {
      float *to = acc + r * step + part.from * run[r].pixels * channel_block;
      for (int64_t i = 0; i < run[r].pixels; ++i, to += channel_block)
        CAMEO_UNROLL_ALL
      for (int64_t l = 0; l < channel_block; l += vec<float>::lanes)
        store_vector(to + l, load_vector(is_own + l) != 0 ? load_vector(to + side + l)
                                                          : load_vector(to + l));
    }
  }
};

/// Runs the tiles of BLOCKS blocks, the first of them block `block` of the results, for all runs;
/// where `enters`, that one goes behind the results.
template <int BLOCKS, class P, class RUNS>
CAMEO_INLINE void group_tiles(const P &p, blocked_operands &o, RUNS &runs, int64_t block,
                              bool enters) {
  static_assert(BLOCKS <= 2);
  const int64_t behind = enters ? RUNS::side : 0;
  const int64_t steps = o.input_blocks * volume(kernel_of<2>(p)) * channel_block;
  for (int64_t r = 0; r < runs.count; ++r) {
    const int64_t pixels = runs.run[r].pixels, size = pixels * channel_block;
    o.x = runs.x[r];
    o.acc = runs.acc + r * RUNS::step + block * size + behind;
    o.acc_block = size - behind;
    o.ahead = ask_ahead(o.w + steps * channel_block, r, runs.count, steps);
    pick_blocked_tile<blocked_form::listed, BLOCKS, static_column_stride<P>(), is_pointwise<P>(),
                      run_lengths<P, blocked_tile::pixels>()>(pixels)(o);
  }
}

/// The products of one group, as many input channels at a time as fill half of a first-level cache
/// with weights of one tap.
template <int BLOCKS, class P>
CAMEO_INLINE void group_products(const P &p, const float *w, const int32_t *channels,
                                 const group_part &part, bool enters, blocked_operands &o,
                                 group_runs<BLOCKS> &runs) {
  constexpr int64_t chunk = has_small_stack ? 1 : 16 / BLOCKS;
  const int64_t depth = p.in_channels / p.groups, input_blocks = ceil_div(depth, channel_block);
  const int64_t plane = p.rows * p.cols * channel_block;
  const int64_t taps = volume(kernel_of<2>(p)), tap = channel_block * channel_block;
  o.w_block = input_blocks * taps * tap;
  for (int64_t from = 0; from < input_blocks; from += chunk) {
    const int64_t first = from * channel_block, rest = depth - first;
    const int64_t count = rest < chunk * channel_block ? rest : chunk * channel_block;
    int64_t listed[array_size(chunk * channel_block)];
    const int32_t *names = channels + part.group * depth + first;
    for (int64_t c = 0; c < count; ++c)
      listed[c] = place_of_channel(names[c], plane);
    o.x_listed = listed;
    o.input_blocks = ceil_div(count, channel_block);
    o.last_channels = count - (o.input_blocks - 1) * channel_block;
    o.continues = from > 0;
    o.w = w + part.from * o.w_block + from * taps * tap;
    if (part.count == BLOCKS)
      group_tiles<BLOCKS>(p, o, runs, part.from, enters);
    else
      for (int64_t b = 0; b < part.count; ++b, o.w += o.w_block)
        group_tiles<1>(p, o, runs, part.from + b, enters && b == 0);
  }
}

/// Rows [begin, end) of BLOCKS neighbouring blocks of outputs, of all groups that have some.
template <int BLOCKS, class P, class STORE>
CAMEO_INLINE void group_rows(const P &p, const float *x, const float *w, const int32_t *channels,
                             int64_t image, int64_t block, int64_t begin, int64_t end,
                             const STORE &store) {
  const index<2> output = output_of<2>(p), strides = stride_of<2>(p), kernel = kernel_of<2>(p),
                 dilation = dilation_of<2>(p);
  const int64_t plane = p.rows * p.cols * channel_block;
  const int64_t width = p.out_channels / p.groups; // of a group
  const int64_t stop = (block + BLOCKS) * channel_block;
  const int64_t last = (stop < p.out_channels ? stop : p.out_channels) - 1;
  const int64_t first_group = block * channel_block / width;
  w += block * ceil_div(p.in_channels / p.groups, channel_block) * volume(kernel) * channel_block *
       channel_block;
  blocked_operands o{};
  o.kernel_rows = kernel[0];
  o.kernel_columns = kernel[1];
  o.x_row = dilation[0] * p.cols * channel_block;
  o.x_column = dilation[1] * channel_block;
  o.x_pixel = strides[1] * channel_block;
  x += image * ceil_div(p.in_channels, channel_block) * plane +
       (p.top * p.cols + p.left) * channel_block;
  blocked_runs lines(begin, end - begin, output[1], are_rows_joined(p), blocked_tile::pixels);
  group_runs<BLOCKS> runs;
  while (lines.left() > 0) {
    runs.count = lines.left() < runs.most ? lines.left() : runs.most;
    lines.take(runs.run, runs.count);
    for (int64_t r = 0; r < runs.count; ++r)
      runs.x[r] =
          x + (runs.run[r].oy * strides[0] * p.cols + runs.run[r].ox * strides[1]) * channel_block;
    for (int64_t group = first_group; group <= last / width; ++group) {
      const group_part part = part_of_group(group, width, p.out_channels, block, BLOCKS);
      const bool enters = part.first % channel_block > 0;
      group_products(p, w, channels, part, enters, o, runs);
      if (enters)
        runs.merge(part);
    }
    for (int64_t r = 0; r < runs.count; ++r)
      blocked_store<BLOCKS>(runs.acc + r * runs.step, image, block, runs.run[r], output[1], store);
  }
}

template <class P, class STORE>
void conv_blocked_groups(exec &e, const P &p, const float *x, const float *w,
                         const int32_t *channels, STORE store) {
  CAMEO_OPERATIONS(blocked_plane_operations(p) * (p.in_channels / p.groups) * p.out_channels);
  share_blocked_rows<blocked_tile::blocks>(
      e, p, p.batch, ceil_div(p.out_channels, channel_block), 1, blocked_row_work(p) / p.groups + 1,
      [&](auto count, int64_t image, int64_t block, int64_t begin, int64_t end) {
        group_rows<count>(p, x, w, channels, image, block, begin, end, store);
      });
}

template <class P, class STORE>
void pick_channels(exec &e, const P &p, const float *x, const int32_t *channels, STORE store) {
  const int64_t columns = output_of<2>(p)[1], plane = p.rows * p.cols * channel_block;
  const index<3> space = {{p.batch, ceil_div(p.out_channels, channel_block), output_of<2>(p)[0]}};
  parallel_range(e, volume(space), columns * channel_block, [&](int64_t begin, int64_t end) {
    walk(space, begin, end, [&](const index<3> &i) {
      const float *from = x + i[0] * ceil_div(p.in_channels, channel_block) * plane +
                          ((p.top + i[2]) * p.cols + p.left) * channel_block;
      int64_t listed[channel_block];
      for (int64_t l = 0; l < channel_block; ++l) { // behind the last channel: any
        const int64_t c = i[1] * channel_block + l;
        listed[l] = place_of_channel(channels[c < p.out_channels ? c : 0], plane);
      }
      for (int64_t ox = 0; ox < columns; ++ox, from += channel_block) {
        CAMEO_INDEPENDENT
        for (int64_t l = 0; l < channel_block; ++l)
          store(index<5>{{i[0], i[1], i[2], ox, l}}, from[listed[l]]);
      }
    });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
