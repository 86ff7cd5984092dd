// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planes of channels that lie, for a while, as a line of L channels for each pixel, converted to A:
// where a place of an image is read for all channels, one load has L of them. A block of lines has
// one more, of zeros, for what lies outside. Results are turned back.
#pragma once

#include "cameo/cpu/parallel.h"
#include "cameo/cpu/turn.h"

#include "cameo/common/types.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// A line's numbers, as many at a time as a vector has.
template <class A, int L> struct line_part {
#if CAMEO_VECTOR_BYTES > 0
  static constexpr int lanes = vec<A>::lanes < L ? vec<A>::lanes : L;
  typedef A type __attribute__((vector_size(lanes * sizeof(A))));
#else
  static constexpr int lanes = 1;
  typedef A type;
#endif
  static constexpr int parts = L / lanes;

  static CAMEO_INLINE type load(const A *from) {
    type v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  static CAMEO_INLINE void store(A *to, const type &v) { __builtin_memcpy(to, &v, sizeof v); }
};

/// `count` pixels of up to L channels, planes that lie `plane` apart, become lines.
template <int L, class T, class A>
CAMEO_NOINLINE void make_lines(const T *planes, int64_t plane, int64_t channels, int64_t count,
                               A *lines) {
  if constexpr (std::is_same_v<T, A>)
    if (channels == L)
      return turn<L>(planes, plane, L, count, lines, L);
  constexpr int64_t strip = 64;
  alignas(64) A some[array_size(L)][array_size(strip)] = {};
  for (int64_t first = 0; first < count; first += strip) {
    const int64_t here = count - first < strip ? count - first : strip;
    for (int64_t c = 0; c < channels; ++c) {
      const T *const from = planes + c * plane + first;
      CAMEO_INDEPENDENT
      for (int64_t j = 0; j < here; ++j)
        some[c][j] = cast<A>(from[j]);
    }
    turn<L>(some[0], strip, L, here, lines + first * L, L);
  }
}

/// Blocks of lines of `images` times `channels` planes, of which scratch memory has `together` at a
/// time.
template <int L> struct line_blocks {
  int64_t images, channels, plane;

  int64_t of_image() const { return ceil_div(channels, L); }
  int64_t all() const { return images * of_image(); }
  int64_t elements() const { return (plane + 1) * L; }
  /// As many as a second-level cache has room for, or one.
  template <class A> int64_t together() const {
    const int64_t fitting = (int64_t{1} << 20) / (elements() * static_cast<int64_t>(sizeof(A)));
    return fitting < 1 ? 1 : fitting < all() ? fitting : all();
  }
  template <class A> int64_t bytes() const {
    return together<A>() * elements() * static_cast<int64_t>(sizeof(A));
  }

  /// Makes the blocks [begin, end) of x.
  template <class T, class A>
  CAMEO_INLINE void make(exec &e, const T *x, const span &blocks, A *lines) const {
    constexpr int64_t piece = 1024;
    const int64_t pieces = ceil_div(plane, piece);
    parallel_range(
        e, (blocks.end - blocks.begin) * pieces, piece * L / 4, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t number = i / pieces, first = i % pieces * piece;
            const int64_t block = blocks.begin + number, channel = block % of_image() * L;
            const int64_t planes = block / of_image() * channels + channel;
            const int64_t left = channels - channel, rest = plane - first;
            A *const to = lines + number * elements();
            make_lines<L>(x + planes * plane + first, plane, left < L ? left : L,
                          rest < piece ? rest : piece, to + first * L);
            if (rest <= piece)
              for (int64_t l = 0; l < L; ++l)
                to[plane * L + l] = A{};
          }
        });
  }
};

} // namespace CAMEO_ISA
} // namespace cameo::cpu
