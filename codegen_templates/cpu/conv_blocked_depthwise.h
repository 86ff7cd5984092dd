// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolutions over the blocked layout: each lane of a block is a channel by itself, of
// weights as of pixels. A register tile is a run of neighbouring output pixels of one block. Where
// kernel and stride are static, a pixel of x that several taps of a row read is loaded once, while
// the weights of that row stay in registers: a load for every product leaves none for the results.
#pragma once

#include "cameo/cpu/conv_blocked.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Where a depthwise tile finds its operands; distances in floats.
struct depthwise_operands {
  const float *x; // under the first tap of the tile's first pixel
  const float *w; // [kernel_rows][kernel_columns][16]
  float *acc;     // [pixels][16]
  int64_t kernel_rows, kernel_columns;
  int64_t x_row, x_column, x_pixel; // between kernel rows, kernel columns, output pixels
};

template <int PIXELS, int VECTORS>
using depthwise_sum = typename vec<float>::type[array_size(PIXELS)][array_size(VECTORS)];

/// acc += the taps of a row, one after the other.
template <int PIXELS, int VECTORS, int STRIDE>
CAMEO_INLINE void depthwise_taps(const depthwise_operands &o, const float *x, const float *w,
                                 depthwise_sum<PIXELS, VECTORS> &acc) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<float>::lanes;
  pixel_row<PIXELS, STRIDE, channel_block> pixels(x, o.x_pixel);
  for (int64_t column = 0; column < o.kernel_columns; ++column, w += channel_block) {
    CAMEO_UNROLL_ALL
    for (int v = 0; v < VECTORS; ++v) {
      const typename vec<float>::type weight = load_vector(w + v * lanes);
      CAMEO_UNROLL_ALL
      for (int p = 0; p < PIXELS; ++p)
        acc[p][v] += load_vector(pixels.at(p) + v * lanes) * weight;
    }
    pixels.advance(o.x_column);
  }
}

/// acc += a row of COLUMNS neighbouring taps, pixel of x by pixel of x.
template <int PIXELS, int VECTORS, int STRIDE, int COLUMNS>
CAMEO_INLINE void depthwise_row(const float *x, const float *w,
                                depthwise_sum<PIXELS, VECTORS> &acc) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<float>::lanes, count = (PIXELS - 1) * STRIDE + COLUMNS;
  CAMEO_UNROLL_ALL
  for (int v = 0; v < VECTORS; ++v) {
    typename vec<float>::type weight[array_size(COLUMNS)];
    CAMEO_UNROLL_ALL
    for (int t = 0; t < COLUMNS; ++t)
      weight[t] = load_vector(w + t * channel_block + v * lanes);
    CAMEO_UNROLL_ALL
    for (int i = 0; i < count; ++i) {
      typename vec<float>::type from = load_vector(x + i * channel_block + v * lanes);
      CAMEO_HOLD(from);
      CAMEO_UNROLL_ALL
      for (int t = 0; t < COLUMNS; ++t)
        if (i >= t && (i - t) % STRIDE == 0 && (i - t) / STRIDE < PIXELS)
          acc[(i - t) / STRIDE][v] += from * weight[t];
    }
  }
}

/// Vectors of a block that a tile takes at a time, so that their sums, their weights of a row,
/// which compilers load together, a pixel and a product are in registers.
constexpr int depthwise_vectors(int pixels, int columns) {
  constexpr int registers = blocked_tile::accumulators > 12 ? 32 : 16;
  int vectors = vectors_at_a_time(blocked_tile::block_vectors, pixels);
  while (vectors > 1 && vectors * (pixels + columns) + 2 > registers)
    vectors /= 2;
  return vectors;
}

/// STRIDE and COLUMNS: columns between output pixels and taps of a row, which are neighbours; or 0:
/// `o` tells.
template <int PIXELS, int STRIDE, int COLUMNS>
CAMEO_CONTRACT void depthwise_tile(const depthwise_operands &o) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<float>::lanes, part = depthwise_vectors(PIXELS, COLUMNS);
  const int64_t w_row = (COLUMNS > 0 ? COLUMNS : o.kernel_columns) * channel_block;
  for (int64_t lane = 0; lane < channel_block; lane += part * lanes) {
    depthwise_sum<PIXELS, part> acc = {};
    const float *x = o.x + lane, *w = o.w + lane;
    for (int64_t row = 0; row < o.kernel_rows; ++row, x += o.x_row, w += w_row)
      if constexpr (STRIDE > 0 && COLUMNS > 0)
        depthwise_row<PIXELS, part, STRIDE, COLUMNS>(x, w, acc);
      else
        depthwise_taps<PIXELS, part, STRIDE>(o, x, w, acc);
    float *const to = o.acc + lane;
    CAMEO_UNROLL_ALL
    for (int p = 0; p < PIXELS; ++p)
      CAMEO_UNROLL_ALL
    for (int v = 0; v < part; ++v)
      store_vector(to + p * channel_block + v * lanes, acc[p][v]);
  }
}

/// Taps of a row whose weights have room beside the results.
constexpr int64_t most_depthwise_columns = 7;

/// p.kernel[1] where the taps of a row are neighbours and few enough, all of it constant, else 0.
template <class P> constexpr int static_kernel_columns() {
  if constexpr (CAMEO_IS_STATIC(P, kernel) && CAMEO_IS_STATIC(P, dilation))
    return P::kernel[1] <= most_depthwise_columns && P::dilation[1] == 1
               ? static_cast<int>(P::kernel[1])
               : 0;
  else
    return 0;
}

using depthwise_tile_function = void (*)(const depthwise_operands &);

template <int STRIDE, int COLUMNS, uint64_t LENGTHS>
CAMEO_INLINE depthwise_tile_function pick_depthwise_tile(int64_t pixels) {
  return pick<LENGTHS>(pixels, [](auto n) -> depthwise_tile_function {
    return &depthwise_tile<decltype(n)::value, STRIDE, COLUMNS>;
  });
}

/// Rows [begin, end) of the outputs of a block of channels.
template <class P, class STORE>
CAMEO_INLINE void depthwise_rows(const P &p, const float *x, const float *w, int64_t image,
                                 int64_t block, int64_t begin, int64_t end, const STORE &store) {
  constexpr uint64_t lengths = run_lengths<P, blocked_tile::pixels>(/*may_join=*/false);
  const index<2> kernel = kernel_of<2>(p), output = output_of<2>(p), stride = stride_of<2>(p),
                 dilation = dilation_of<2>(p);
  const int64_t plane = image * ceil_div(p.in_channels, channel_block) + block;
  x += ((plane * p.rows + p.top) * p.cols + p.left) * channel_block;
  alignas(64) float acc[blocked_tile::pixels * channel_block];
  depthwise_operands o{};
  o.w = w + block * volume(kernel) * channel_block;
  o.acc = acc;
  o.kernel_rows = kernel[0];
  o.kernel_columns = kernel[1];
  o.x_row = dilation[0] * p.cols * channel_block;
  o.x_column = dilation[1] * channel_block;
  o.x_pixel = stride[1] * channel_block;
  blocked_runs runs(begin, end - begin, output[1], false, blocked_tile::pixels);
  while (runs.left() > 0) {
    const blocked_run run = runs.take();
    o.x = x + run.oy * stride[0] * p.cols * channel_block + run.ox * o.x_pixel;
    pick_depthwise_tile<static_column_stride<P>(), static_kernel_columns<P>(), lengths>(run.pixels)(
        o);
    blocked_store<1>(acc, image, block, run, output[1], store);
  }
}

template <class P, class STORE>
void conv_blocked_depthwise(exec &e, const P &p, const float *x, const float *w, STORE store) {
  CAMEO_OPERATIONS(blocked_plane_operations(p) * p.in_channels);
  const int64_t work = output_of<2>(p)[1] * volume(kernel_of<2>(p)) * 2 + 1;
  share_blocked_rows<1>(e, p, p.batch, ceil_div(p.in_channels, channel_block), 1, work,
                        [&](auto, int64_t image, int64_t block, int64_t begin, int64_t end) {
                          depthwise_rows(p, x, w, image, block, begin, end, store);
                        });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
