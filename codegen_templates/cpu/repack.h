// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between dense tensors and the blocked layout (README.md): a run of pixels at a time, all channels
// of a block, so that both sides stay in the cache. Squares of them are turned in registers.
#pragma once

#include "cameo/cpu/conv_blocked.h"
#include "cameo/cpu/turn.h"
#include "cameo/pack/blocks.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Calls f(dense, blocked, lanes, pixels) for runs of pixels in a row, or of a plane without a
/// halo, of one block of channels: the offsets of the first pixel on either side, and how many of
/// the lanes are channels.
template <class P, class F> CAMEO_INLINE void for_each_block_row(exec &e, const P &p, const F &f) {
  constexpr int64_t longest = 64;
  const index<2> halo = halo_of<2>(p);
  const int64_t block = lanes_or(p, channel_block);
  const blocked_axis channels{p.channels, block, 0}, rows{p.rows, 1, halo[0]},
      cols{p.cols, 1, halo[1]};
  // Without a halo the rows of a plane lie one behind the other.
  const bool is_whole = halo[0] == 0 && halo[1] == 0;
  const int64_t plane = p.rows * p.cols, piece = is_whole ? longest : p.cols;
  const index<3> space = {
      {p.batch, channels.blocks(), is_whole ? ceil_div(plane, longest) : p.rows}};
  parallel_range(e, volume(space), piece * block, [&](int64_t begin, int64_t end) {
    walk(space, begin, end, [&](const index<3> &i) {
      const int64_t first = i[1] * block, rest = p.channels - first, from = i[2] * piece;
      const int64_t dense = (i[0] * p.channels + first) * plane + from;
      const int64_t inside = is_whole ? from : rows.step(i[2]) * cols.steps() + cols.step(0);
      const int64_t before = (i[0] * channels.steps() + channels.step(first)) * rows.steps();
      const int64_t blocked = (before * cols.steps() + inside) * block;
      const int64_t here = plane - from < piece ? plane - from : piece;
      for (int64_t at = 0; at < here; at += longest)
        f(dense + at, blocked + at * block, rest < block ? rest : block,
          here - at < longest ? here - at : longest);
    });
  });
}

/// Whether rows of x, around which y has a halo, are too short for squares: several of them are
/// packed as one run of a plane, and their pixels put where they belong. Runs lie in the stack, 4
/// KB of it.
template <class P> CAMEO_INLINE bool has_short_rows(const P &p) {
  const index<2> halo = halo_of<2>(p);
  return lanes_or(p, channel_block) == channel_block && p.cols < channel_block &&
         p.rows * p.cols >= channel_block && (halo[0] > 0 || halo[1] > 0);
}

template <class P, class T>
CAMEO_NOINLINE void pack_short_rows(exec &e, const P &p, const T *x, T *y) {
  constexpr int64_t block = channel_block, longest = 64;
  const index<2> halo = halo_of<2>(p);
  const int64_t plane = p.rows * p.cols, blocks = ceil_div(p.channels, block);
  const int64_t row = p.cols + 2 * halo[1], padded = (p.rows + 2 * halo[0]) * row;
  const index<2> space = {{p.batch, blocks}};
  parallel_range(e, volume(space), plane * block, [&](int64_t begin, int64_t end) {
    alignas(64) T run[array_size(longest * block)];
    walk(space, begin, end, [&](const index<2> &i) {
      const int64_t first = i[1] * block, rest = p.channels - first;
      const int64_t lanes = rest < block ? rest : block;
      const T *const from = x + (i[0] * p.channels + first) * plane;
      T *const to = y + ((i[0] * blocks + i[1]) * padded + halo[0] * row + halo[1]) * block;
      for (int64_t at = 0; at < plane; at += longest) {
        const int64_t left = plane - at, pixels = left < longest ? left : longest;
        // As many that a square is full: those in front are there already.
        const int64_t again = pixels < block ? block - pixels : 0;
        turn(from + at - again, plane, lanes, pixels + again, run, block);
        int64_t r = at / p.cols, column = at % p.cols;
        for (int64_t j = again; j < pixels + again; ++j) {
          T *const pixel = to + (r * row + column) * block;
          __builtin_memcpy(pixel, run + j * block, sizeof(T) * block);
          for (int64_t l = lanes; l < block; ++l)
            pixel[l] = T{};
          if (++column == p.cols) {
            column = 0;
            ++r;
          }
        }
      }
    });
  });
}

/// Lanes of a first image of bytes (conv_bytes.h).
constexpr int64_t short_block = 4;

/// A run of pixels in blocks of short_block lanes, LANES of which are channels `plane` apart. Bytes
/// of a pixel are a number, which vectors can put together.
template <int LANES, class T>
CAMEO_NOINLINE void pack_short_blocks(const T *from, int64_t plane, int64_t pixels, T *to) {
  CAMEO_INDEPENDENT
  for (int64_t j = 0; j < pixels; ++j) {
    if constexpr (sizeof(T) == 1) {
      uint32_t pixel = 0;
      CAMEO_UNROLL_ALL
      for (int l = 0; l < LANES; ++l)
        pixel |= static_cast<uint32_t>(static_cast<uint8_t>(from[l * plane + j])) << 8 * l;
      __builtin_memcpy(to + j * short_block, &pixel, sizeof pixel);
    } else {
      CAMEO_UNROLL_ALL
      for (int l = 0; l < short_block; ++l)
        to[j * short_block + l] = l < LANES ? from[l * plane + j] : T{};
    }
  }
}

template <class P, class T> void pack_channels(exec &e, const P &p, const T *x, T *y) {
  const int64_t plane = p.rows * p.cols, block = lanes_or(p, channel_block);
  if constexpr (!has_small_stack)
    if (has_short_rows(p))
      return pack_short_rows(e, p, x, y);
  for_each_block_row(e, p, [&](int64_t dense, int64_t blocked, int64_t lanes, int64_t pixels) {
    const T *from = x + dense;
    T *to = y + blocked;
    if (block == short_block) {
      if (lanes == 1)
        return pack_short_blocks<1>(from, plane, pixels, to);
      if (lanes == 2)
        return pack_short_blocks<2>(from, plane, pixels, to);
      if (lanes == 3)
        return pack_short_blocks<3>(from, plane, pixels, to);
      return pack_short_blocks<4>(from, plane, pixels, to);
    }
    turn(from, plane, lanes, pixels, to, block);
    for (int64_t l = lanes; l < block; ++l)
      for (int64_t j = 0; j < pixels; ++j)
        to[j * block + l] = T{};
  });
}

template <class P, class T> void unpack_channels(exec &e, const P &p, const T *x, T *y) {
  const int64_t plane = p.rows * p.cols, block = lanes_or(p, channel_block);
  for_each_block_row(e, p, [&](int64_t dense, int64_t blocked, int64_t lanes, int64_t pixels) {
    turn(x + blocked, block, pixels, lanes, y + dense, plane);
  });
}

/// y is planes x (rows + 2 halo) x (cols + 2 halo) x lanes.
template <class P, class T> void clear_halo(exec &e, const P &p, T *y) {
  const index<2> halo = halo_of<2>(p);
  const int64_t padded_rows = p.rows + 2 * halo[0], side = halo[1] * p.lanes;
  const int64_t row = (p.cols + 2 * halo[1]) * p.lanes;
  const T fill = static_cast<T>(fill_or(p, 0));
  const auto clear = [fill](T *to, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = fill;
  };
  parallel_range(e, p.planes, 2 * (halo[0] * row + p.rows * side), [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      T *const plane = y + n * padded_rows * row;
      clear(plane, halo[0] * row);
      for (int64_t r = halo[0]; r < halo[0] + p.rows; ++r) {
        clear(plane + r * row, side);
        clear(plane + (r + 1) * row - side, side);
      }
      clear(plane + (halo[0] + p.rows) * row, halo[0] * row);
    }
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
