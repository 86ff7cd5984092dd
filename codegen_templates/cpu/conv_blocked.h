// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions over the blocked layout (README.md): channels in blocks of 16 innermost, a halo
// around the planes, so that no tap is ever checked. A register tile is a run of neighbouring
// output pixels times a few blocks of output channels; inputs are broadcast, weights are vectors:
// inputs may as well lie plane by plane. The stride is part of the tile's type where p has it
// static, so that addresses are constant offsets.
#pragma once

#include "cameo/cpu/parallel.h"
#include "cameo/cpu/tile.h"

#include "cameo/common/params.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

constexpr int channel_block = 16;

/// Pixels and channel blocks of the register tiles: accumulators fill about as many registers as in
/// tile_shape.
struct blocked_tile {
  static constexpr int block_vectors = channel_block / vec<float>::lanes;
  static constexpr int accumulators = tile_shape::rows * tile_shape::vectors;
  static constexpr int blocks = block_vectors == 1 ? 2 : 1;
  static constexpr int wanted = accumulators / (block_vectors * blocks);
  static constexpr int pixels = wanted > 1 ? wanted : 2;
};

/// What a convolution reads: blocks of channels, dense planes, or blocks of which each channel
/// gives its own result.
enum class blocked_form { blocks, planes, depthwise };

/// Floats between neighbouring elements of a row.
template <blocked_form FORM>
constexpr int64_t row_step = FORM == blocked_form::planes ? 1 : channel_block;

/// Where a tile finds its operands; distances in floats.
struct blocked_operands {
  const float *x; // under the first tap of the tile's first pixel
  const float *w;
  float *acc; // [blocks][pixels][16], blocks acc_block apart
  int64_t input_blocks, last_channels, kernel_rows, kernel_columns;
  int64_t x_block, x_channel;       // between input blocks, and between channels of one
  int64_t x_row, x_column, x_pixel; // between kernel rows, kernel columns, output pixels
  int64_t w_block, acc_block;       // between blocks of output channels
};

/// STRIDE: columns between output pixels, or 0: x_pixel tells.
template <blocked_form FORM, int PIXELS, int BLOCKS, int STRIDE>
CAMEO_CONTRACT void blocked_conv_tile(const blocked_operands &o) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<float>::lanes, vectors = blocked_tile::block_vectors;
  const int64_t pixel = STRIDE > 0 ? STRIDE * row_step<FORM> : o.x_pixel;
  const int64_t x_channel = FORM == blocked_form::planes ? o.x_channel : 1;
  const int64_t w_block = o.w_block;
  typename vec<float>::type acc[PIXELS][BLOCKS * vectors] = {};
  const float *w = o.w;
  for (int64_t block = 0; block < o.input_blocks; ++block) {
    const int64_t channels = block + 1 < o.input_blocks ? channel_block : o.last_channels;
    for (int64_t row = 0; row < o.kernel_rows; ++row)
      for (int64_t column = 0; column < o.kernel_columns; ++column) {
        const float *x = o.x + block * o.x_block + row * o.x_row + column * o.x_column;
        const float *from = w;
        for (int64_t c = 0; c < channels; ++c, x += x_channel, from += channel_block) {
          typename vec<float>::type weight[BLOCKS * vectors];
          CAMEO_UNROLL_ALL
          for (int b = 0; b < BLOCKS; ++b)
            CAMEO_UNROLL_ALL
          for (int v = 0; v < vectors; ++v)
            weight[b * vectors + v] = load_vector(from + b * w_block + v * lanes);
          CAMEO_UNROLL_ALL
          for (int p = 0; p < PIXELS; ++p)
            CAMEO_UNROLL_ALL
          for (int v = 0; v < BLOCKS * vectors; ++v)
            acc[p][v] += x[p * pixel] * weight[v];
        }
        w += channel_block * channel_block;
      }
  }
  CAMEO_UNROLL_ALL
  for (int b = 0; b < BLOCKS; ++b)
    CAMEO_UNROLL_ALL
  for (int p = 0; p < PIXELS; ++p)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < vectors; ++v)
    store_vector(o.acc + b * o.acc_block + p * channel_block + v * lanes, acc[p][b * vectors + v]);
}

/// Depthwise: one block of channels, one weight vector a tap.
template <int PIXELS, int BLOCKS, int STRIDE>
CAMEO_CONTRACT void blocked_depthwise_tile(const blocked_operands &o) {
  CAMEO_CONTRACT_BODY;
  static_assert(BLOCKS == 1);
  constexpr int lanes = vec<float>::lanes, vectors = blocked_tile::block_vectors;
  const int64_t pixel = STRIDE > 0 ? STRIDE * channel_block : o.x_pixel;
  typename vec<float>::type acc[PIXELS][vectors] = {};
  const float *w = o.w;
  for (int64_t row = 0; row < o.kernel_rows; ++row)
    for (int64_t column = 0; column < o.kernel_columns; ++column, w += channel_block) {
      const float *x = o.x + row * o.x_row + column * o.x_column;
      CAMEO_UNROLL_ALL
      for (int v = 0; v < vectors; ++v) {
        const typename vec<float>::type weight = load_vector(w + v * lanes);
        CAMEO_UNROLL_ALL
        for (int p = 0; p < PIXELS; ++p)
          acc[p][v] += load_vector(x + p * pixel + v * lanes) * weight;
      }
    }
  CAMEO_UNROLL_ALL
  for (int p = 0; p < PIXELS; ++p)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < vectors; ++v)
    store_vector(o.acc + p * channel_block + v * lanes, acc[p][v]);
}

using blocked_tile_function = void (*)(const blocked_operands &);

template <blocked_form FORM, int BLOCKS, int STRIDE, int... I>
CAMEO_INLINE blocked_tile_function pick_blocked_tile(int64_t pixels,
                                                     std::integer_sequence<int, I...>) {
  if constexpr (FORM == blocked_form::depthwise) {
    constexpr blocked_tile_function tile[] = {&blocked_depthwise_tile<I + 1, BLOCKS, STRIDE>...};
    return tile[pixels - 1];
  } else {
    constexpr blocked_tile_function tile[] = {&blocked_conv_tile<FORM, I + 1, BLOCKS, STRIDE>...};
    return tile[pixels - 1];
  }
}

/// p.stride[1] where it is a constant small enough to be in a tile's type, else 0.
template <class P> constexpr int static_column_stride() {
  if constexpr (std::is_member_object_pointer_v<decltype(&P::stride)>)
    return 0;
  else
    return P::stride[1] <= 2 ? static_cast<int>(P::stride[1]) : 0;
}

/// The rows of BLOCKS neighbouring channel blocks from `block` on: rows [begin, end) of the output.
template <blocked_form FORM, int BLOCKS, class P, class STORE>
CAMEO_INLINE void blocked_rows(const P &p, const float *x, const float *w, int64_t image,
                               int64_t block, int64_t begin, int64_t end, const STORE &store) {
  constexpr int stride = static_column_stride<P>();
  using sizes = std::make_integer_sequence<int, blocked_tile::pixels>;
  const index<2> kernel = kernel_of<2>(p), output = output_of<2>(p), strides = stride_of<2>(p),
                 dilation = dilation_of<2>(p);
  constexpr int64_t step = row_step<FORM>;
  constexpr bool planes = FORM == blocked_form::planes;
  const int64_t plane = p.rows * p.cols * step;
  const int64_t input_blocks = ceil_div(p.in_channels, channel_block);
  const int64_t taps = kernel[0] * kernel[1];
  alignas(64) float acc[BLOCKS * blocked_tile::pixels * channel_block];
  blocked_operands o{};
  o.acc = acc;
  o.kernel_rows = kernel[0];
  o.kernel_columns = kernel[1];
  o.x_block = planes ? channel_block * plane : plane;
  o.x_channel = plane;
  o.x_row = dilation[0] * p.cols * step;
  o.x_column = dilation[1] * step;
  o.x_pixel = strides[1] * step;
  if constexpr (FORM == blocked_form::depthwise) {
    o.w = w + block * taps * channel_block;
    x += block * plane;
  } else {
    o.input_blocks = input_blocks;
    o.last_channels = p.in_channels - (input_blocks - 1) * channel_block;
    o.w_block = input_blocks * taps * channel_block * channel_block;
    o.w = w + block * o.w_block;
  }
  x += image * (planes ? p.in_channels : input_blocks) * plane + (p.top * p.cols + p.left) * step;
  const int64_t tiles = ceil_div(output[1], blocked_tile::pixels);
  for (int64_t oy = begin; oy < end; ++oy)
    for (int64_t t = 0; t < tiles; ++t) {
      const span run = share(output[1], static_cast<int>(t), static_cast<int>(tiles));
      const int64_t pixels = run.end - run.begin;
      o.acc_block = pixels * channel_block;
      o.x = x + (oy * strides[0] * p.cols + run.begin * strides[1]) * step;
      pick_blocked_tile<FORM, BLOCKS, stride>(pixels, sizes())(o);
      for (int b = 0; b < BLOCKS; ++b)
        for (int64_t i = 0; i < pixels; ++i) {
          const float *from = acc + (b * pixels + i) * channel_block;
          CAMEO_INDEPENDENT
          for (int64_t l = 0; l < channel_block; ++l)
            store(index<5>{{image, block + b, oy, run.begin + i, l}}, from[l]);
        }
    }
}

/// Rows of the output are shared by the team, channel blocks outermost.
template <blocked_form FORM, class P, class STORE>
CAMEO_INLINE void conv_blocked_any(exec &e, const P &p, int64_t blocks, int64_t work,
                                   const float *x, const float *w, const STORE &store) {
  constexpr int together = FORM == blocked_form::depthwise ? 1 : blocked_tile::blocks;
  const int64_t rows = output_of<2>(p)[0], groups = ceil_div(blocks, together);
  if (output_of<2>(p)[1] <= 0)
    return;
  parallel_range(e, p.batch * groups * rows, work, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t unit = begin / rows, row = begin % rows;
      const int64_t stop = rows - row < end - begin ? rows : row + end - begin;
      const int64_t image = unit / groups, block = unit % groups * together;
      if (block + together <= blocks)
        blocked_rows<FORM, together>(p, x, w, image, block, row, stop, store);
      else
        blocked_rows<FORM, 1>(p, x, w, image, block, row, stop, store);
      begin += stop - row;
    }
  });
}

/// Multiplications and additions of all outputs of a channel, out of one channel of x.
template <class P> CAMEO_INLINE int64_t blocked_plane_operations(const P &p) {
  return 2 * p.batch * volume(output_of<2>(p)) * volume(kernel_of<2>(p));
}

/// Element operations that a row of outputs takes in one block.
template <class P> CAMEO_INLINE int64_t blocked_row_work(const P &p) {
  return output_of<2>(p)[1] * p.in_channels * volume(kernel_of<2>(p)) / 4 + 1;
}

template <class P, class STORE>
void conv_blocked(exec &e, const P &p, const float *x, const float *w, STORE store) {
  CAMEO_OPERATIONS(blocked_plane_operations(p) * p.in_channels * p.out_channels);
  conv_blocked_any<blocked_form::blocks>(e, p, ceil_div(p.out_channels, channel_block),
                                         blocked_row_work(p), x, w, store);
}

template <class P, class STORE>
void conv_blocked_planes(exec &e, const P &p, const float *x, const float *w, STORE store) {
  CAMEO_OPERATIONS(blocked_plane_operations(p) * p.in_channels * p.out_channels);
  conv_blocked_any<blocked_form::planes>(e, p, ceil_div(p.out_channels, channel_block),
                                         blocked_row_work(p), x, w, store);
}

template <class P, class STORE>
void conv_blocked_depthwise(exec &e, const P &p, const float *x, const float *w, STORE store) {
  CAMEO_OPERATIONS(blocked_plane_operations(p) * p.in_channels);
  const int64_t work = output_of<2>(p)[1] * volume(kernel_of<2>(p)) * 2 + 1;
  conv_blocked_any<blocked_form::depthwise>(e, p, ceil_div(p.in_channels, channel_block), work, x,
                                            w, store);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
