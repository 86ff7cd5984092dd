// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of bytes by the tiles of AMX: registers of 16 rows of 64 bytes, of which one
// instruction multiplies two and adds to a third, 16 pixels times 16 channels over 64 inputs. Rows
// of a tile are apart by any distance, but a row lies in one piece, so an image is packed first,
// all channels of a pixel next to each other; one of a few channels is read as it lies, a row of
// taps at a time. Weights are as conv_blocked_bytes has them.
//
// Instructions by name, since a build need not be for such machines: who calls asks
// may_use_byte_tiles() first. Semantics: Intel's Software Developer's Manual, TDPBUSD.
#pragma once

#include "cameo/cpu/byte_tiles.h"
#include "cameo/cpu/bytes.h"
#include "cameo/cpu/conv_blocked.h"

/// 0 leaves tiles out of a build.
#ifndef CAMEO_BYTE_TILES
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && defined(__AVX512VNNI__)
#define CAMEO_BYTE_TILES 1
#else
#define CAMEO_BYTE_TILES 0
#endif
#endif

namespace cameo::cpu {
inline namespace CAMEO_ISA {

#if CAMEO_BYTE_TILES

/// Pixels and channels of a tile of sums, and bytes of a row.
constexpr int tile_rows = 16, tile_bytes = 64;

/// The operand of LDTILECFG.
struct tile_config {
  uint8_t palette = 1, first_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

/// The registers: sums of two runs of pixels times two blocks of channels, and what they are of.
enum byte_tile_register : int { tile_sums = 0, tile_inputs = 4, tile_weights = 6 };

template <int T> CAMEO_INLINE void clear_tile() { __asm__ volatile("tilezero %%tmm%c0" ::"i"(T)); }
template <int T> CAMEO_INLINE void load_tile(const void *from, int64_t distance) {
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(distance), "i"(T) : "memory");
}
template <int T> CAMEO_INLINE void store_tile(void *to, int64_t distance) {
  __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(distance), "i"(T) : "memory");
}
template <int RUN, int BLOCK> CAMEO_INLINE void multiply_tiles() {
  __asm__ volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(tile_sums + 2 * RUN + BLOCK),
                   "i"(tile_inputs + RUN), "i"(tile_weights + BLOCK));
}

/// Sets the registers of this thread up: `depth` input channels at a time.
inline CAMEO_NOINLINE void set_up_tiles(int64_t depth) {
  alignas(64) tile_config config;
  for (int t = 0; t < 8; ++t) {
    config.rows[t] = static_cast<uint8_t>(t >= tile_weights ? depth / quad : tile_rows);
    const bool is_input = t >= tile_inputs && t < tile_weights;
    config.row_bytes[t] = static_cast<uint16_t>(is_input ? depth : tile_bytes);
  }
  __asm__ volatile("ldtilecfg %0" ::"m"(config));
}

/// They are while it lives.
struct tile_scope {
  explicit tile_scope(int64_t depth) { set_up_tiles(depth); }
  ~tile_scope() { __asm__ volatile("tilerelease"); }
  tile_scope(const tile_scope &) = delete;
  tile_scope &operator=(const tile_scope &) = delete;
};

/// Where tiles find their operands; distances in bytes.
struct byte_tile_operands {
  const uint8_t *x[2]; // under the first tap of each run's first pixel
  const int8_t *w;
  int64_t rows, columns; // of the kernel
  int64_t steps;         // of `depth` channels each
  int64_t x_row, x_column, x_step, x_pixel;
  int64_t w_block, w_tap, w_step, w_quad; // a quad of channels is a row of a tile
  prefetches<int8_t> ahead;               // of the weights, of which a step asks for `pace` lines
};

/// Share of the weights of the next `blocks` blocks (at `next`) that call `call` of `calls`
/// prefetches: a step of a tile asks for as many lines as it has read.
CAMEO_INLINE prefetches<int8_t> ask_ahead(const byte_tile_operands &o, const int8_t *next,
                                          int64_t blocks, int64_t call, int64_t calls) {
  const int64_t lines = blocks * o.w_block / tile_bytes, steps = o.rows * o.columns * o.steps;
  const int64_t pace = ceil_div(lines, steps * calls), first = call * pace * steps;
  return {next + first * tile_bytes, first < lines ? pace : 0};
}

/// The sums of RUNS runs of pixels and BLOCKS blocks, in registers.
template <int RUNS, int BLOCKS> CAMEO_NOINLINE void byte_tile_sums(const byte_tile_operands &o) {
  static_assert(RUNS <= 2 && BLOCKS <= 2);
  clear_tile<tile_sums>();
  if constexpr (BLOCKS > 1)
    clear_tile<tile_sums + 1>();
  if constexpr (RUNS > 1)
    clear_tile<tile_sums + 2>();
  if constexpr (RUNS > 1 && BLOCKS > 1)
    clear_tile<tile_sums + 3>();
  const int8_t *tap = o.w, *ahead = o.ahead.data;
  for (int64_t row = 0; row < o.rows; ++row)
    for (int64_t column = 0; column < o.columns; ++column, tap += o.w_tap) {
      int64_t x = row * o.x_row + column * o.x_column;
      const int8_t *w = tap;
      for (int64_t step = 0; step < o.steps; ++step, x += o.x_step, w += o.w_step) {
        for (int64_t line = 0; line < o.ahead.pace; ++line, ahead += tile_bytes)
          CAMEO_PREFETCH(ahead);
        load_tile<tile_weights>(w, o.w_quad);
        if constexpr (BLOCKS > 1)
          load_tile<tile_weights + 1>(w + o.w_block, o.w_quad);
        load_tile<tile_inputs>(o.x[0] + x, o.x_pixel);
        multiply_tiles<0, 0>();
        if constexpr (BLOCKS > 1)
          multiply_tiles<0, 1>();
        if constexpr (RUNS > 1) {
          load_tile<tile_inputs + 1>(o.x[1] + x, o.x_pixel);
          multiply_tiles<1, 0>();
          if constexpr (BLOCKS > 1)
            multiply_tiles<1, 1>();
        }
      }
    }
}

/// The sums of a run as blocked_store has them: [BLOCKS][pixels][16]. The rows that a tile has
/// beyond them are written over by the next block's.
template <int RUN, int BLOCKS> CAMEO_INLINE void store_tile_sums(int32_t *acc, int64_t pixels) {
  store_tile<tile_sums + 2 * RUN>(acc, tile_bytes);
  if constexpr (BLOCKS > 1)
    store_tile<tile_sums + 2 * RUN + 1>(acc + pixels * channel_block, tile_bytes);
}

/// Input channels of a tile: the most quads that the channels are a multiple of.
CAMEO_INLINE int64_t byte_tile_depth(int64_t channels) {
  const int64_t quads = ceil_div(channels, quad);
  for (int64_t d = tile_rows; d > 1; --d)
    if (quads % d == 0)
      return d * quad;
  return quad;
}

/// Whether tiles are worth while: channels fill them, or a row of taps does.
template <class P> CAMEO_INLINE bool takes_byte_tiles(const P &p) {
  const int64_t taps = kernel_of<2>(p)[1] * quad; // bytes
  const auto fills = [&] {
    if (P::lanes == quad)
      return taps >= 3 * quad && taps <= tile_bytes && dilation_of<2>(p)[1] == 1;
    return p.in_channels <= tile_bytes ? p.in_channels >= channel_block
                                       : byte_tile_depth(p.in_channels) >= tile_bytes / 2;
  };
  return p.groups == 1 && fills() && may_use_byte_tiles();
}

/// Bytes of a pixel of what tiles read, and of a packed image with what they may read behind it; 0
/// where none is packed.
template <class P> CAMEO_INLINE int64_t packed_pixel(const P &p) {
  return ceil_div(p.in_channels, P::lanes) * P::lanes;
}
template <class P> CAMEO_INLINE int64_t packed_image(const P &p) {
  if (P::lanes == quad)
    return 0;
  return (p.rows * p.cols + tile_rows * stride_of<2>(p)[1]) * packed_pixel(p);
}

/// x[block][pixel][16] to y[pixel][block][16], pixels of `pixel` bytes, by up to 64 of them at a
/// time.
inline CAMEO_NOINLINE void pack_pixels(exec &e, int64_t rows, int64_t cols, int64_t pixel,
                                       const uint8_t *x, uint8_t *y) {
  constexpr int64_t together = tile_bytes / channel_block;
  const int64_t plane = rows * cols * channel_block;
  parallel_range(e, rows, cols * pixel / 16 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t from = 0; from < pixel; from += together * channel_block) {
      const int64_t blocks = (pixel - from) / channel_block;
      const uint8_t *at = x + from / channel_block * plane + begin * cols * channel_block;
      uint8_t *to = y + begin * cols * pixel + from;
      for (int64_t i = begin * cols; i < end * cols; ++i, at += channel_block, to += pixel)
        if (blocks >= together) {
          CAMEO_UNROLL_ALL
          for (int64_t b = 0; b < together; ++b)
            __builtin_memcpy(to + b * channel_block, at + b * plane, channel_block);
        } else {
          for (int64_t b = 0; b < blocks; ++b)
            __builtin_memcpy(to + b * channel_block, at + b * plane, channel_block);
        }
    }
  });
}

template <class P>
CAMEO_INLINE byte_tile_operands make_byte_tile_operands(const P &p, const int8_t *w) {
  const index<2> kernel = kernel_of<2>(p), dilation = dilation_of<2>(p);
  const int64_t taps = kernel[0] * kernel[1], pixel = packed_pixel(p);
  const int64_t quads = ceil_div(p.in_channels, quad);
  constexpr int64_t weights = channel_block * quad; // of a quad of inputs
  byte_tile_operands o{};
  o.w = w;
  o.rows = kernel[0];
  o.x_row = dilation[0] * p.cols * pixel;
  o.x_pixel = stride_of<2>(p)[1] * pixel;
  o.w_block = quads * taps * weights;
  if constexpr (P::lanes == quad) { // a row of taps
    o.columns = o.steps = 1;
    o.x_step = kernel[1] * quad;
    o.w_tap = kernel[1] * weights;
    o.w_quad = weights;
  } else {
    const int64_t depth = byte_tile_depth(p.in_channels);
    o.columns = kernel[1];
    o.steps = quads * quad / depth;
    o.x_column = dilation[1] * pixel;
    o.x_step = depth;
    o.w_tap = weights;
    o.w_quad = taps * weights;
    o.w_step = depth / quad * o.w_quad;
  }
  return o;
}

/// The next two runs, or the one that is left, and where they lie in x, under the first tap of
/// output 0, 0; returns how many. Tiles wait for this: it stands alone and works on a copy, since
/// g++ would read as a vector what was just stored number by number, which a processor is slow at.
inline CAMEO_NOINLINE int64_t take_tile_runs(blocked_runs &runs, const uint8_t *x, int64_t line,
                                             int64_t pixel, blocked_run *run, const uint8_t **at) {
  blocked_runs rest = runs;
  const int64_t count = rest.left() > 1 ? 2 : 1;
  for (int64_t r = 0; r < count; ++r) {
    run[r] = rest.take();
    at[r] = x + run[r].oy * line + run[r].ox * pixel;
  }
  runs = rest;
  return count;
}

/// The rows [begin, end) of outputs of BLOCKS neighbouring blocks from `block` on, of one image as
/// tiles read it.
template <int BLOCKS, class P, class STORE>
CAMEO_INLINE void byte_tile_rows(const P &p, const uint8_t *x, const int8_t *w, int64_t image,
                                 int64_t block, int64_t begin, int64_t end, const STORE &store) {
  const index<2> output = output_of<2>(p);
  const int64_t line = stride_of<2>(p)[0] * p.cols * packed_pixel(p);
  constexpr int64_t size = BLOCKS * tile_rows * channel_block;
  alignas(64) int32_t acc[2 * size];
  x += (p.top * p.cols + p.left) * packed_pixel(p);
  byte_tile_operands o = make_byte_tile_operands(p, w);
  o.w += block * o.w_block;
  const tile_scope scope(o.x_step);
  blocked_runs runs(begin, end - begin, output[1], are_rows_joined(p), tile_rows);
  const int64_t calls = ceil_div(runs.left(), 2);
  for (int64_t call = 0; call < calls; ++call) {
    o.ahead = ask_ahead(o, o.w + BLOCKS * o.w_block, BLOCKS, call, calls);
    blocked_run run[2];
    const int64_t count = take_tile_runs(runs, x, line, o.x_pixel, run, o.x);
    if (count == 2)
      byte_tile_sums<2, BLOCKS>(o);
    else
      byte_tile_sums<1, BLOCKS>(o);
    store_tile_sums<0, BLOCKS>(acc, run[0].pixels);
    if (count == 2)
      store_tile_sums<1, BLOCKS>(acc + size, run[1].pixels);
    for (int64_t r = 0; r < count; ++r)
      blocked_store<BLOCKS>(acc + r * size, image, block, run[r], output[1], store);
  }
}

/// The rows of outputs of which no tile reads behind the end of an image that is not packed: a run
/// may begin at any pixel, and reads as many as a tile has, and the taps of the last.
template <class P> CAMEO_INLINE int64_t rows_for_tiles(const P &p) {
  const index<2> kernel = kernel_of<2>(p), output = output_of<2>(p), strides = stride_of<2>(p);
  const int64_t first = p.top + (kernel[0] - 1) * dilation_of<2>(p)[0]; // under the last tap's row
  const int64_t pixels =
      p.left + (output[1] - 1 + tile_rows - 1) * strides[1] + kernel[1]; // from its begin
  const int64_t room = (p.rows - first) * p.cols - pixels, row = strides[0] * p.cols;
  const int64_t rows = room < 0 ? 0 : room / row + 1;
  return rows < output[0] ? rows : output[0];
}

/// Works image by image, since each is packed. The last rows of an image that is not packed are
/// left to `rest(N, image, block, begin, end)`: tiles would read behind its end.
template <class P, class STORE, class REST>
CAMEO_INLINE void conv_byte_tiles(exec &e, const P &p, const uint8_t *x, const int8_t *w,
                                  uint8_t *packed, int64_t work, const STORE &store,
                                  const REST &rest) {
  constexpr bool packs = P::lanes != quad;
  const int64_t image_bytes = p.rows * p.cols * packed_pixel(p);
  const int64_t safe = packs ? output_of<2>(p)[0] : rows_for_tiles(p);
  for (int64_t image = 0; image < p.batch; ++image) {
    const uint8_t *const from = packs ? packed : x + image * image_bytes;
    if constexpr (packs)
      pack_pixels(e, p.rows, p.cols, packed_pixel(p), x + image * image_bytes, packed);
    share_blocked_rows<2>(e, p, 1, ceil_div(p.out_channels, channel_block), 1, work,
                          [&](auto together, int64_t, int64_t block, int64_t begin, int64_t end) {
                            const int64_t stop = end < safe ? end : safe;
                            if (begin < stop)
                              byte_tile_rows<together>(p, from, w, image, block, begin, stop,
                                                       store);
                            if (stop < end)
                              rest(together, image, block, begin < stop ? stop : begin, end);
                          });
  }
}

#endif

} // namespace CAMEO_ISA
} // namespace cameo::cpu
