// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of bytes over the blocked layout (README.md): as conv_blocked, but a step takes four
// neighbouring channels of each pixel at once, into sums of 32 bits. An image of up to four
// channels has blocks of four, whose pixels in a row are steps of one after the other. Where the
// machine has tiles of bytes, those do it (conv_byte_tiles.h).
#pragma once

#include "cameo/cpu/bytes.h"
#include "cameo/cpu/conv_byte_tiles.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Pixels and channel blocks of the register tiles: what both compilers keep in registers beside
/// the weights of a step and the inputs of a pixel.
struct byte_tile {
  static constexpr int block_vectors = channel_block / vec<int32_t>::lanes;
  static constexpr int blocks = block_vectors == 1 ? 2 : 1;
#if defined(CAMEO_DOTS_OF_BYTES) && CAMEO_VECTOR_BYTES == 64
  static constexpr int pixels = 14;
#elif CAMEO_VECTOR_BYTES == 64
  static constexpr int pixels = 11;
#elif defined(CAMEO_DOTS_OF_BYTES)
  static constexpr int pixels = 6;
#elif CAMEO_VECTOR_BYTES == 32
  static constexpr int pixels = 3;
#else
  static constexpr int pixels = 2;
#endif
};

/// Where a tile finds its operands; distances in bytes, but for acc.
struct byte_operands {
  const uint8_t *x; // under the first tap of the tile's first pixel
  const int8_t *w;
  int32_t *acc; // [blocks][rows][pixels][16], blocks acc_block apart
  int64_t input_blocks, kernel_rows, kernel_columns;
  int64_t steps, last_steps; // of a tap, in all input blocks but the last and in that
  int64_t x_block, x_row, x_column, x_step, x_pixel, x_line; // a line is a row of outputs
  int64_t w_tap, w_step;                                     // w has the steps of a block outermost
  int64_t w_block, acc_block;
  prefetches<int8_t> ahead; // of the weights, blocks of output channels w_block apart
};

/// PIXELS of each of ROWS rows of outputs. PIXEL: bytes between output pixels, or 0: x_pixel tells.
template <int ROWS, int PIXELS, int BLOCKS, int PIXEL>
CAMEO_NOINLINE void byte_conv_tile(const byte_operands &o) {
  constexpr int lanes = vec<int32_t>::lanes, vectors = byte_tile::block_vectors;
  constexpr int all = ROWS * PIXELS, weights = BLOCKS * vectors;
  constexpr bool by_pixel = all >= weights; // what is fewer stays in registers
  const int64_t line = o.x_line, pixel = PIXEL > 0 ? PIXEL : o.x_pixel;
  const int64_t x_step = o.x_step, w_step = o.w_step, w_block = o.w_block;
  quad_sums acc[array_size(all)][array_size(weights)] = {};
  const int8_t *w = o.w;
  [[maybe_unused]] const int8_t *ahead = o.ahead.data;
  for (int64_t block = 0; block < o.input_blocks; ++block) {
    const int64_t steps = block + 1 < o.input_blocks ? o.steps : o.last_steps;
    const int8_t *tap = w;
    for (int64_t row = 0; row < o.kernel_rows; ++row)
      for (int64_t column = 0; column < o.kernel_columns; ++column, tap += o.w_tap) {
        const uint8_t *x = o.x + block * o.x_block + row * o.x_row + column * o.x_column;
        const int8_t *from = tap;
        for (int64_t step = 0; step < steps; ++step, x += x_step, from += w_step) {
          if constexpr (PIXEL > 0) { // else addresses take all registers
            CAMEO_UNROLL_ALL
            for (int b = 0; b < BLOCKS; ++b)
              CAMEO_PREFETCH(ahead + b * w_block);
            ahead += o.ahead.pace;
          }
          CAMEO_UNROLL_ALL
          for (int n = 0; n < all * weights; ++n) {
            const int p = by_pixel ? n / weights : n % all, v = by_pixel ? n % weights : n / all;
            const quad_inputs inputs(x + p / PIXELS * line + p % PIXELS * pixel);
            const int8_t *at = from + v / vectors * w_block + v % vectors * lanes * quad;
            acc[p][v] = add_products(acc[p][v], inputs, quad_weights(at));
          }
        }
      }
    w += steps * w_step;
  }
  CAMEO_UNROLL_ALL
  for (int b = 0; b < BLOCKS; ++b)
    CAMEO_UNROLL_ALL
  for (int p = 0; p < all; ++p)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < vectors; ++v)
    store_vector(o.acc + b * o.acc_block + p * channel_block + v * lanes, acc[p][b * vectors + v]);
}

using byte_tile_function = void (*)(const byte_operands &);

/// The tile of ROWS rows of `pixels` each.
template <int ROWS, int BLOCKS, int PIXEL, uint64_t LENGTHS>
CAMEO_INLINE byte_tile_function pick_byte_tile(int64_t pixels) {
  return pick<LENGTHS>(pixels, [](auto n) -> byte_tile_function {
    return &byte_conv_tile<ROWS, decltype(n)::value, BLOCKS, PIXEL>;
  });
}

/// Whether a tile has room for two rows of outputs, whose weights it then reads once: where p has
/// the extents static, no function is made for what it cannot be.
template <class P> constexpr bool may_pair_rows() {
  if constexpr (CAMEO_IS_STATIC(P, output))
    return 2 * P::output[1] <= byte_tile::pixels;
  else
    return byte_tile::pixels >= 2;
}

/// The operands of all tiles, where they do not depend on the tile.
template <class P> CAMEO_INLINE byte_operands make_byte_operands(const P &p) {
  const index<2> kernel = kernel_of<2>(p), dilation = dilation_of<2>(p);
  const int64_t depth = p.in_channels / p.groups, taps = kernel[0] * kernel[1];
  constexpr int64_t weights = channel_block * quad; // of a step
  byte_operands o{};
  o.kernel_rows = kernel[0];
  o.x_block = p.rows * p.cols * P::lanes;
  o.x_row = dilation[0] * p.cols * P::lanes;
  o.x_column = dilation[1] * P::lanes;
  o.x_pixel = stride_of<2>(p)[1] * P::lanes;
  o.x_line = stride_of<2>(p)[0] * p.cols * P::lanes;
  o.input_blocks = ceil_div(depth, P::lanes);
  o.w_block = ceil_div(depth, quad) * taps * weights;
  if constexpr (P::lanes == quad) { // a row of taps
    o.kernel_columns = 1;
    o.steps = o.last_steps = kernel[1];
    o.x_step = o.x_column;
    o.w_step = weights;
    o.w_tap = kernel[1] * weights;
  } else {
    o.kernel_columns = kernel[1];
    o.steps = P::lanes / quad;
    o.last_steps = ceil_div(depth - (o.input_blocks - 1) * P::lanes, quad);
    o.x_step = quad;
    o.w_step = taps * weights;
    o.w_tap = weights;
  }
  return o;
}

/// Share of the next weights (at `next`) that call `call` of `calls` prefetches: each step some
/// bytes further than the one before.
CAMEO_INLINE prefetches<int8_t> ask_ahead(const byte_operands &o, const int8_t *next, int64_t call,
                                          int64_t calls) {
  constexpr int64_t line = channel_block * quad;
  const int64_t pace = ceil_div(line, calls), steps = o.w_block / line;
  return {next + call * pace * steps, call * pace < line ? pace : 0};
}

/// The rows of BLOCKS neighbouring channel blocks from `block` on: rows [begin, end) of the output.
template <int BLOCKS, class P, class STORE>
CAMEO_INLINE void byte_rows(const P &p, const uint8_t *x, const int8_t *w, int64_t image,
                            int64_t block, int64_t begin, int64_t end, const STORE &store) {
  static_assert(P::lanes == channel_block || P::lanes == quad);
  constexpr int pixel = static_column_stride<P>() * static_cast<int>(P::lanes);
  const index<2> output = output_of<2>(p);
  const int64_t group_blocks = ceil_div(p.out_channels, channel_block) / p.groups;
  alignas(64) int32_t acc[array_size(BLOCKS * byte_tile::pixels * channel_block)];
  byte_operands o = make_byte_operands(p);
  o.acc = acc;
  o.w = w + block * o.w_block;
  x += (image * p.groups + block / group_blocks) * o.input_blocks * o.x_block +
       (p.top * p.cols + p.left) * P::lanes;
  const bool are_joined = are_rows_joined(p);
  blocked_runs runs(begin, end - begin, output[1], are_joined, byte_tile::pixels);
  const bool pairs = may_pair_rows<P>() && !are_joined && 2 * output[1] <= byte_tile::pixels;
  const int64_t calls = pairs ? ceil_div(end - begin, 2) : runs.left();
  int64_t call = 0;
  const auto compute = [&](auto number, const blocked_run &run) {
    constexpr int rows = decltype(number)::value;
    constexpr uint64_t lengths =
        run_lengths<P, byte_tile::pixels / rows>(rows == 1 && may_join_rows<P>());
    o.ahead = ask_ahead(o, o.w + BLOCKS * o.w_block, call++, calls);
    o.x = x + run.oy * o.x_line + run.ox * o.x_pixel;
    o.acc_block = run.pixels * channel_block;
    pick_byte_tile<rows, BLOCKS, pixel, lengths>(run.pixels / rows)(o);
    blocked_store<BLOCKS>(acc, image, block, run, output[1], store);
  };
  if constexpr (may_pair_rows<P>())
    if (pairs) {
      for (; end - begin >= 2; begin += 2)
        compute(nth<2>(), blocked_run{begin, 0, 2 * output[1]});
      runs = blocked_runs(begin, end - begin, output[1], are_joined, byte_tile::pixels);
    }
  while (runs.left() > 0) {
    blocked_run run;
    runs.take(&run, 1);
    compute(nth<1>(), run);
  }
}

/// Bytes that conv_blocked_bytes takes from e.scratch.
template <class P> int64_t conv_blocked_bytes_scratch(const P &p, int) {
#if CAMEO_BYTE_TILES
  if (takes_byte_tiles(p))
    return packed_image(p);
#endif
  (void)p;
  return 0;
}

template <class P, class STORE>
void conv_blocked_bytes(exec &e, const P &p, const uint8_t *x, const int8_t *w, STORE store) {
  CAMEO_OPERATIONS(blocked_plane_operations(p) * (p.in_channels / p.groups) * p.out_channels);
  const int64_t blocks = ceil_div(p.out_channels, channel_block);
  const int64_t work = blocked_row_work(p) / quad / p.groups + 1;
  const auto rows = [&](auto together, int64_t image, int64_t block, int64_t begin, int64_t end) {
    byte_rows<together>(p, x, w, image, block, begin, end, store);
  };
#if CAMEO_BYTE_TILES
  if (takes_byte_tiles(p)) {
    const int64_t bytes = packed_image(p);
    uint8_t *const packed =
        bytes > 0 ? static_cast<uint8_t *>(e.scratch(static_cast<size_t>(bytes))) : nullptr;
    if (packed != nullptr || bytes == 0)
      conv_byte_tiles(e, p, x, w, packed, work / 4 + output_of<2>(p)[1] * channel_block, store,
                      rows);
    return;
  }
#endif
  share_blocked_rows<byte_tile::blocks>(e, p, p.batch, blocks, p.groups, work, rows);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
