// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sum_channels: sums over neighbouring channels in the blocked layout (README.md). All channels of
// a few pixels are laid out in scratch memory, a line for each, with zeros around them: a tap is
// then a vector one element further on, whatever blocks it reaches into.
#pragma once

#include "cameo/cpu/conv_blocked.h"

#include "cameo/common/types.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// The pixels that a thread sums together, in scratch memory: a line of channels for each.
struct channel_lines {
  /// So many that what was stored last has reached the nearest cache when the first is read, and
  /// that all of them stay there.
  static constexpr int64_t pixels = 8;

  int64_t before, after; // taps, no more than there are other channels
  int64_t front, width;  // of a line: the zeros in front, and all of it

  template <class P> static channel_lines of(const P &p) {
    const int64_t others = p.channels > 1 ? p.channels - 1 : 0;
    const int64_t before = p.before < others ? p.before : others;
    const int64_t after = p.after < others ? p.after : others;
    const int64_t front = in_blocks(before);
    return {before, after, front, front + in_blocks(p.channels) + in_blocks(after)};
  }

  static int64_t in_blocks(int64_t channels) {
    return ceil_div(channels, channel_block) * channel_block;
  }
  int64_t elements() const { return pixels * width; }
  /// Where a block of a pixel's channels begins.
  int64_t start(int64_t pixel, int64_t block) const {
    return pixel * width + front + block * channel_block;
  }
};

/// Bytes that sum_channels takes from e.scratch for loads of type T.
template <class T, class P> int64_t sum_channels_scratch(const P &p, int threads) {
  return channel_lines::of(p).elements() * threads * static_cast<int64_t>(sizeof(accumulator_t<T>));
}

/// The channels of a block for the pixels from `at` on, zeros for those behind the last channel.
template <class A, class LOAD>
CAMEO_INLINE void load_block(const channel_lines &l, index<5> at, int64_t pixels, int64_t channels,
                             const LOAD &load, A *lines) {
  for (int64_t x = 0; x < pixels; ++x, ++at[3]) {
    A *line = lines + l.start(x, at[1]);
    CAMEO_INDEPENDENT
    for (int64_t c = 0; c < channel_block; ++c) {
      const A value = cast<A>(load(lane_of(at, c)));
      line[c] = at[1] * channel_block + c < channels ? value : A{};
    }
  }
}

/// The sums of the channels of a block for the pixels from `at` on.
template <class A, class STORE>
CAMEO_INLINE void sum_block(const channel_lines &l, index<5> at, int64_t pixels, const A *lines,
                            const STORE &store) {
  constexpr int lanes = vec<A>::lanes, vectors = channel_block / lanes;
  static_assert(vectors > 0, "a block is whole vectors");
  for (int64_t x = 0; x < pixels; ++x, ++at[3]) {
    const A *line = lines + l.start(x, at[1]);
    typename vec<A>::type acc[array_size(vectors)] = {};
    for (int64_t t = -l.before; t <= l.after; ++t)
      CAMEO_UNROLL_ALL
    for (int v = 0; v < vectors; ++v)
      acc[v] += load_vector(line + t + v * lanes);
    alignas(64) A sums[channel_block];
    CAMEO_UNROLL_ALL
    for (int v = 0; v < vectors; ++v)
      store_vector(sums + v * lanes, acc[v]);
    store_lanes(sums, at, store);
  }
}

template <class P, class LOAD, class STORE>
void sum_channels(exec &e, const P &p, LOAD load, STORE store) {
  using A = accumulator_t<loaded_t<LOAD, index<5>>>;
  const channel_lines l = channel_lines::of(p);
  auto *scratch =
      static_cast<A *>(e.scratch(static_cast<size_t>(l.elements() * e.threads()) * sizeof(A)));
  if (scratch == nullptr)
    return;
  const int64_t blocks = ceil_div(p.channels, channel_block);
  const index<3> runs = {{p.batch, p.rows, ceil_div(p.cols, channel_lines::pixels)}};
  const int64_t count = volume(runs), work = l.elements() * (l.before + l.after + 1);
  e.parallel_if(count * work >= parallel_threshold, [&](int thread, int threads) {
    // Copies, whose members no element that is stored can be.
    const LOAD from = load;
    const STORE to = store;
    A *lines = scratch + thread * l.elements();
    for (int64_t i = 0; i < l.elements(); ++i)
      lines[i] = A{};
    const span mine = share(count, thread, threads);
    walk(runs, mine.begin, mine.end, [&](const index<3> &i) {
      const int64_t first = i[2] * channel_lines::pixels, rest = p.cols - first;
      const int64_t pixels = rest < channel_lines::pixels ? rest : channel_lines::pixels;
      for (int64_t b = 0; b < blocks; ++b)
        load_block(l, {{i[0], b, i[1], first, 0}}, pixels, p.channels, from, lines);
      for (int64_t b = 0; b < blocks; ++b)
        sum_block(l, {{i[0], b, i[1], first, 0}}, pixels, lines, to);
    });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
