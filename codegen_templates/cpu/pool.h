// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pool<KIND>: a tile of outputs, some rows of a plane and a strip of each, out of a copy of the
// inputs that they read, whose border holds what no tap changes; so vectors run along the rows,
// nothing asks where a tap lies, and a load is called once for all windows of the tile. Each output
// takes its taps row-major. Maxima of floats whose windows do not overlap, of which a copy would be
// most of the work: a strip of a row's outputs, tap by tap, out of the inputs. With positions, for
// short rows, and for windows that no copy has room for: output by output.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/pool.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Outputs that a loop takes at once, and at most along a row and in all of a tile.
constexpr int64_t pool_lanes = 16, pool_strip = has_small_stack ? 16 : 64,
                  pool_tile_outputs = has_small_stack ? 16 : 512;
/// Bytes of a tile's copy, and how short a row is not worth one.
constexpr int64_t pool_copy_bytes = has_small_stack ? 512 : 16 << 10, pool_short_row = 4;
/// Rows of outputs of a tile, and taps of its two axes that are written out.
constexpr int64_t pool_tile_rows = 8, most_plane_taps = 32;
/// Stride of which the columns of all residues are copied at once.
constexpr int64_t most_static_stride = 4;

/// A tap's value as a pool takes it: an lp pool by its power, all others as it is.
template <pool_kind KIND, class A> CAMEO_INLINE A pool_term(A value, int64_t power) {
  if constexpr (KIND == pool_kind::lp)
    return lp_term(value, power);
  else
    return (void)power, value;
}

/// acc with one more term.
template <pool_kind KIND, class A> CAMEO_INLINE A pool_tap(A acc, A term) {
  if constexpr (KIND == pool_kind::max)
    return max(acc, term);
  else
    return add(acc, term);
}

/// max() of floats one after the other, which by itself takes four steps for each: here numbers are
/// compared as if there were nothing else, and what is none is looked for in pairs.
template <class A, size_t COUNT> CAMEO_INLINE A greatest_of(const A (&values)[COUNT]) {
  A greatest = values[0];
  int32_t has_nan = 0;
  CAMEO_UNROLL_ALL
  for (size_t t = 0; t < COUNT; ++t) {
    greatest = greatest > values[t] ? greatest : values[t];
    if (t % 2 == 0)
      has_nan |= __builtin_isunordered(values[t], values[t + 1 < COUNT ? t + 1 : t]) ? -1 : 0;
  }
  return has_nan != 0 ? static_cast<A>(__builtin_nan("")) : greatest;
}

/// How the outputs of a plane, its last two axes, are cut into tiles; where there is but one axis,
/// a plane is a row.
struct pool_tiles {
  int64_t strip, rows; // of a tile; no tile where `rows` is 0
  int64_t columns, ld; // of a residue in a row of the copy, and between its rows
  int64_t copied;      // rows of the copy

  template <class A, int S>
  static pool_tiles of(const index<S> &output, const index<S> &kernel, const index<S> &stride,
                       const index<S> &dilation) {
    constexpr int D = S - 1, R = S > 1 ? S - 2 : 0;
    constexpr int64_t room = pool_copy_bytes / static_cast<int64_t>(sizeof(A));
    const int64_t most = S > 1 ? output[R] : 1, step = S > 1 ? stride[R] : 0;
    const int64_t high = S > 1 ? (kernel[R] - 1) * dilation[R] + 1 : 1;
    pool_tiles t{};
    const auto take = [&](int64_t rows) {
      const int64_t reach = (kernel[D] - 1) * dilation[D] / stride[D];
      t.columns = ceil_div(t.strip + reach, pool_lanes) * pool_lanes;
      t.ld = t.columns * stride[D];
      t.copied = (rows - 1) * step + high;
      if (t.copied * t.ld + pool_lanes > room || rows * t.strip > pool_tile_outputs)
        return false;
      t.rows = rows;
      return true;
    };
    if (output[D] < pool_short_row)
      return t;
    t.strip = ceil_div(output[D], pool_lanes) * pool_lanes;
    t.strip = t.strip < pool_strip ? t.strip : pool_strip;
    while (!take(1) && t.strip > pool_lanes)
      t.strip -= pool_lanes;
    int64_t rows = most < pool_tile_rows ? most : pool_tile_rows;
    while (t.rows > 0 && rows > 1 && !take(rows))
      --rows;
    if (rows == 1 && t.rows > 0)
      take(1);
    return t;
  }
};

/// A tile of the outputs: `at` is its first one, `count` are those along each of the last two axes.
template <pool_kind KIND, class P, class ROWS, class LOAD, class STORE> struct pool_tile {
  static constexpr int S = P::spatial_rank, D = S - 1, R = S > 1 ? S - 2 : 0;
  using T = typename ROWS::T;
  using A = accumulator_t<T>;

  const P &p;
  const ROWS &rows; // its extents are copies: those of p may be constants
  const pool_tiles &tiles;
  index<S + 2> at;
  int64_t high, count, wide; // rows, outputs of each, and as many as whole lanes have

  static CAMEO_INLINE A none() { return KIND == pool_kind::max ? lowest_value<A>() : A{}; }

  /// The inputs that the tile reads, where the taps of the axes in front are those of `from`.
  CAMEO_INLINE void copy_to(A *copy, index<S + 2> from) const {
    for (int64_t r = 0; r < tiles.copied; ++r, copy += tiles.ld) {
      if constexpr (S > 1)
        from[R + 2] = at[R + 2] * stride_of<S>(p)[R] - pad_of<S>(p)[R] + r;
      copy_row(copy, from, S == 1 || (from[R + 2] >= 0 && from[R + 2] < input_of<S>(p)[R]));
    }
  }

  /// A row of them. Columns a stride apart lie side by side, so that a tap is a run for all outputs
  /// of a row.
  CAMEO_INLINE void copy_row(A *copy, const index<S + 2> &from, bool inside) const {
    const int64_t stride = stride_of<S>(p)[D], input = input_of<S>(p)[D], columns = tiles.columns;
    const int64_t low = at[S + 1] * stride - pad_of<S>(p)[D];
    // Outputs all of whose `stride` columns are inputs.
    const int64_t whole = input - low >= stride ? (input - low) / stride : 0;
    const int64_t begin = low < 0 ? ceil_div(-low, stride) : 0;
    const int64_t end = whole < columns ? whole : columns;
    if (!inside)
      return clear(copy, tiles.ld);
    // Columns behind those that outputs read may hold anything.
    const int64_t read = count + (kernel_of<S>(p)[D] - 1) * dilation_of<S>(p)[D] / stride;
    if (begin > 0 || end < read)
      for (int64_t residue = 0; residue < stride; ++residue) {
        clear(copy + residue * columns, begin < columns ? begin : columns);
        clear(copy + residue * columns + end, read - end);
      }
    const LOAD load = rows.load; // a copy, whose members nothing that is stored can be
    const int64_t power = params::pool_power<KIND>(p);
    const auto put = [&](int64_t j, int64_t residue) {
      index<S + 2> tap = from;
      tap[S + 1] = low + j * stride + residue;
      copy[residue * columns + j] = pool_term<KIND>(cast<A>(load(tap)), power);
    };
    if constexpr (static_stride() <= most_static_stride) {
      in_overlapping_pieces<pool_lanes>(begin, end, [&](int64_t j) {
        put_all(put, j, std::make_integer_sequence<int, static_stride()>());
      });
    } else {
      for (int64_t residue = 0; residue < stride; ++residue)
        for (int64_t j = begin; j < end; ++j)
          put(j, residue);
    }
    const int64_t partly[] = {begin - 1, end > begin ? end : begin};
    for (int64_t j : partly)
      for (int64_t residue = 0; residue < stride && j >= 0 && j < columns; ++residue)
        if (const int64_t column = low + j * stride + residue; column >= 0 && column < input)
          put(j, residue);
  }

  /// Stores a value that no tap changes, so many times and up to a loop's lanes more.
  static CAMEO_INLINE void clear(A *to, int64_t count) {
    for (int64_t j = 0; j < count; j += pool_lanes) {
      CAMEO_INDEPENDENT_LANES
      for (int64_t l = 0; l < pool_lanes; ++l)
        to[j + l] = none();
    }
  }

  template <class PUT, int... I>
  static CAMEO_INLINE void put_all(const PUT &put, int64_t j, std::integer_sequence<int, I...>) {
    (put(j, I), ...);
  }

  /// Where tap t along a row of the copy has what the first output reads.
  CAMEO_INLINE int64_t along(int64_t t) const {
    const int64_t away = t * dilation_of<S>(p)[D], stride = stride_of<S>(p)[D];
    return away % stride * tiles.columns + away / stride;
  }

  /// Whether maxima of a copy have to look for NaNs: there are some.
  CAMEO_INLINE bool has_nan(const A *copy) const {
    alignas(64) int32_t found[pool_lanes] = {};
    const int64_t count = tiles.copied * tiles.ld;
    for (int64_t j = 0; j < count; j += pool_lanes) {
      CAMEO_INDEPENDENT_LANES
      for (int64_t l = 0; l < pool_lanes; ++l)
        found[l] |= copy[j + l] != copy[j + l] ? -1 : 0;
    }
    int32_t any = 0;
    for (int32_t lane : found)
      any |= lane;
    return any != 0;
  }

  /// sums of a row of outputs with the taps of the last two axes; copy: its first row.
  template <bool HAS_NAN> CAMEO_INLINE void take(const A *copy, A *sums) const {
    const int64_t down = S > 1 ? dilation_of<S>(p)[R] * tiles.ld : 0;
    if constexpr (static_taps() > 0) {
      take_all<HAS_NAN>(copy, down, sums, std::make_integer_sequence<int, static_taps()>());
    } else {
      for (int64_t v = 0; v < (S > 1 ? kernel_of<S>(p)[R] : 1); ++v)
        for (int64_t u = 0; u < kernel_of<S>(p)[D]; ++u) {
          const A *const tap = copy + v * down + along(u);
          CAMEO_INDEPENDENT
          for (int64_t j = 0; j < wide; ++j)
            sums[j] = pool_tap<KIND>(sums[j], tap[j]);
        }
    }
  }

  template <bool HAS_NAN, int... I>
  CAMEO_INLINE void take_all(const A *copy, int64_t down, A *sums,
                             std::integer_sequence<int, I...>) const {
    constexpr int taps = P::kernel[D];
    const A *const tap[] = {copy + I / taps * down + along(I % taps)...};
    for (int64_t j = 0; j < wide; j += pool_lanes) {
      CAMEO_INDEPENDENT_LANES
      for (int64_t l = 0; l < pool_lanes; ++l) {
        if constexpr (HAS_NAN) {
          const A values[] = {sums[j + l], tap[I][j + l]...};
          sums[j + l] = greatest_of(values);
        } else if constexpr (KIND == pool_kind::max) {
          A greatest = sums[j + l];
          ((greatest = tap[I][j + l] > greatest ? tap[I][j + l] : greatest), ...);
          sums[j + l] = greatest;
        } else {
          A acc = sums[j + l];
          ((acc = pool_tap<KIND>(acc, tap[I][j + l])), ...);
          sums[j + l] = acc;
        }
      }
    }
  }

  /// How many taps of each output along the last axis count.
  CAMEO_INLINE void count_taps(int32_t *taps) const {
    const int64_t stride = stride_of<S>(p)[D];
    const int64_t limit =
        input_of<S>(p)[D] + (rows.count_include_pad ? pad_end_of<S>(p)[D] : int64_t{0});
    for (int64_t j = 0; j < wide; ++j)
      taps[j] = 0;
    for (int64_t t = 0; t < kernel_of<S>(p)[D]; ++t) {
      const int64_t shift = at[S + 1] * stride + t * dilation_of<S>(p)[D] - pad_of<S>(p)[D];
      const int64_t begin =
          shift < 0 && !rows.count_include_pad ? ceil_div(-shift, stride) : int64_t{0};
      const int64_t most = limit > shift ? ceil_div(limit - shift, stride) : 0;
      const int64_t end = most < wide ? most : wide;
      CAMEO_INDEPENDENT
      for (int64_t j = begin; j < end; ++j)
        ++taps[j];
    }
  }

  template <bool HAS_NAN> CAMEO_INLINE void take_rows(const A *copy, A *sums) const {
    for (int64_t g = 0; g < high; ++g)
      take<HAS_NAN>(copy + g * (S > 1 ? stride_of<S>(p)[R] * tiles.ld : 0), sums + g * tiles.strip);
  }

  /// Stores row g of the tile. `others`: the taps of the axes in front of the last that count.
  CAMEO_INLINE void finish(int64_t g, const A *sums, const int32_t *taps, int64_t others) const {
    const STORE store = rows.store;
    index<S + 2> to = at;
    if constexpr (S > 1)
      to[R + 2] += g;
    in_pieces<pool_lanes>(0, count, [&](int64_t j) {
      index<S + 2> one = to;
      one[S + 1] += j;
      if constexpr (KIND == pool_kind::average) {
        const int64_t all = others * taps[j];
        store(one, all > 0 ? div(sums[j], static_cast<A>(all)) : A{});
      } else if constexpr (KIND == pool_kind::lp) {
        store(one, lp_root(sums[j], params::pool_power<KIND>(p)));
      } else {
        store(one, cast<T>(sums[j]));
      }
    });
  }

  /// `copy` has all of its elements, from whichever tile.
  CAMEO_NOINLINE void run(A *copy, A *sums) const {
    for (int64_t j = 0; j < high * tiles.strip; ++j)
      sums[j] = none();
    pool_span s[array_size(S)];
    int64_t others = 1;
    for (int d = 0; d < S; ++d) {
      s[d] = d < R ? rows.span(d, at[d + 2]) : pool_span{0, 0, 1, 1}; // a copy has all of those
      if (d < R)
        others *= rows.count_include_pad ? s[d].padded : s[d].end - s[d].begin;
    }
    index<S + 2> from = at;
    rows.template taps<0>(s, from, [&](const index<S + 2> &tap) {
      copy_to(copy, tap);
      if constexpr (KIND == pool_kind::max && std::is_floating_point_v<A>)
        if (has_nan(copy))
          return take_rows<true>(copy, sums);
      take_rows<false>(copy, sums);
    });
    int32_t taps[array_size(KIND == pool_kind::average ? pool_strip : 1)];
    if constexpr (KIND == pool_kind::average)
      count_taps(taps);
    for (int64_t g = 0; g < high; ++g) {
      int64_t counted = others;
      if constexpr (S > 1) {
        const pool_span down = rows.span(R, at[R + 2] + g);
        counted *= rows.count_include_pad ? down.padded : down.end - down.begin;
      }
      finish(g, sums + g * tiles.strip, taps, counted);
    }
  }

private:
  /// The stride along a row, many where it is not a constant.
  static constexpr int64_t static_stride() {
    if constexpr (CAMEO_IS_STATIC(P, stride))
      return P::stride[D];
    else
      return most_static_stride + 1;
  }
  /// The taps of the last two axes where they are few and constants, else 0.
  static constexpr int64_t static_taps() {
    if constexpr (CAMEO_IS_STATIC(P, kernel) && CAMEO_IS_STATIC(P, stride) &&
                  CAMEO_IS_STATIC(P, dilation)) {
      const int64_t taps = P::kernel[D] * (S > 1 ? P::kernel[R] : 1);
      return taps <= most_plane_taps ? taps : 0;
    } else {
      return 0;
    }
  }
};

/// Maxima at first..first + count - 1 along the last axis of a row of outputs.
template <int S, class ROWS> struct max_strip {
  using A = typename ROWS::A;

  const ROWS &rows;
  index<S + 1> at; // of the row
  int64_t first, count;

  /// Positions of the strip whose tap t along the last axis is an input.
  CAMEO_INLINE span reached(int64_t t) const {
    constexpr int D = S - 1;
    const int64_t stride = rows.stride[D], shift = t * rows.dilation[D] - rows.pad[D];
    const int64_t from = -shift > 0 ? ceil_div(-shift, stride) : 0;
    const int64_t to = rows.input[D] > shift ? ceil_div(rows.input[D] - shift, stride) : 0;
    const int64_t begin = from < first ? 0 : from - first;
    const int64_t end = to < first ? 0 : to - first;
    return {begin, end < count ? end : count};
  }

  /// Takes the taps along the last axis, the others being where `from` says.
  CAMEO_INLINE void take(index<S + 2> from, A *greatest) const {
    constexpr int D = S - 1;
    for (int64_t t = 0; t < rows.kernel[D]; ++t) {
      const span s = reached(t);
      const int64_t start = first * rows.stride[D] + t * rows.dilation[D] - rows.pad[D];
      CAMEO_INDEPENDENT
      for (int64_t j = s.begin; j < s.end; ++j) {
        index<S + 2> tap = from;
        tap[S + 1] = start + j * rows.stride[D];
        greatest[j] = max(greatest[j], cast<A>(rows.load(tap)));
      }
    }
  }

  CAMEO_INLINE void run() const {
    alignas(64) A greatest[pool_strip];
    for (int64_t j = 0; j < count; ++j)
      greatest[j] = lowest_value<A>();
    pool_span s[array_size(S)];
    for (int d = 0; d < S - 1; ++d)
      s[d] = rows.span(d, at[d + 2]);
    s[S - 1] = {0, 0, 1, 1}; // once for all taps along the last axis
    index<S + 2> from = append(at, int64_t{0});
    rows.template taps<0>(s, from, [&](const index<S + 2> &tap) { take(tap, greatest); });
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < count; ++j)
      rows.store(append(at, first + j), greatest[j]);
  }

  /// All outputs.
  template <class P> static CAMEO_INLINE void take_all(exec &e, const P &p, const ROWS &rows) {
    const index<S> output = output_of<S>(p);
    const index<S + 1> outer = join(index<2>{{p.batch, p.channels}}, slice<0, S - 1>(output));
    const int64_t strips = ceil_div(output[S - 1], pool_strip);
    parallel_range(e, volume(outer) * strips, pool_strip * volume(kernel_of<S>(p)),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t n = begin; n < end; ++n) {
                       const int64_t first = n % strips * pool_strip;
                       const int64_t rest = output[S - 1] - first;
                       max_strip{rows, unflatten(n / strips, outer), first,
                                 rest < pool_strip ? rest : pool_strip}
                           .run();
                     }
                   });
  }
};

/// Whether an input is in several windows.
template <class P> CAMEO_INLINE bool windows_overlap(const P &p) {
  constexpr int S = P::spatial_rank;
  const index<S> kernel = kernel_of<S>(p), stride = stride_of<S>(p), dilation = dilation_of<S>(p);
  for (int d = 0; d < S; ++d)
    if ((kernel[d] - 1) * dilation[d] >= stride[d])
      return true;
  return false;
}

template <pool_kind KIND, class P, class LOAD, class STORE, class STORE_INDEX = discard>
void pool(exec &e, const P &p, LOAD load, STORE store, STORE_INDEX store_index = {}) {
  constexpr int S = P::spatial_rank, R = S > 1 ? S - 2 : 0;
  const index<S> output = output_of<S>(p);
  const auto rows = make_pool_rows<KIND>(p, load, store, store_index);
  using body = std::remove_const_t<decltype(rows)>;
  if constexpr (!body::indexed) {
    if constexpr (KIND == pool_kind::max && std::is_floating_point_v<typename body::A>)
      if (!windows_overlap(p) && output[S - 1] >= 2 * pool_short_row)
        return max_strip<S, body>::take_all(e, p, rows);
    using tile = pool_tile<KIND, P, body, LOAD, STORE>;
    const auto tiles = pool_tiles::of<typename tile::A>(output, kernel_of<S>(p), stride_of<S>(p),
                                                        dilation_of<S>(p));
    if (tiles.rows > 0) {
      const int64_t high = S > 1 ? output[R] : 1, wide = output[S - 1];
      index<S + 2> outer = join(index<2>{{p.batch, p.channels}}, output);
      outer[S + 1] = ceil_div(wide, tiles.strip);
      if constexpr (S > 1)
        outer[R + 2] = ceil_div(high, tiles.rows);
      const int64_t work = tiles.rows * tiles.strip * volume(kernel_of<S>(p));
      parallel_range(e, volume(outer), work, [&](int64_t begin, int64_t end) {
        using A = typename tile::A;
        alignas(64) A copy[array_size(pool_copy_bytes / static_cast<int64_t>(sizeof(A)))];
        alignas(64) A sums[array_size(pool_tile_outputs)];
        tile::clear(copy, tiles.copied * tiles.ld + 1); // whole lanes of it are looked at
        walk(outer, begin, end, [&](const index<S + 2> &i) {
          tile one = {p, rows, tiles, i, 1, 0, 0};
          const auto rest = [&](int axis, int64_t size, int64_t all) {
            one.at[axis] *= size;
            const int64_t left = all - one.at[axis];
            return left < size ? left : size;
          };
          if constexpr (S > 1)
            one.high = rest(R + 2, tiles.rows, high);
          one.count = rest(S + 1, tiles.strip, wide);
          one.wide = ceil_div(one.count, pool_lanes) * pool_lanes;
          one.run(copy, sums);
        });
      });
      return;
    }
  }
  for_rows(e, join(index<2>{{p.batch, p.channels}}, slice<0, S - 1>(output)),
           slice<S - 1, 1>(output), rows);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
