// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pool<KIND>: a tile of outputs, some rows of a plane and a strip of each, out of a copy of the
// inputs that they read, whose border holds what no tap changes; so vectors run along the rows,
// nothing asks where a tap lies, and a load is called once for all windows of the tile. Each output
// takes its taps row-major; maxima of large windows are those of each row of taps, which
// neighbouring outputs share, then of these. Maxima of floats whose windows do not overlap, of
// which a copy would be most of the work: a strip of a row's outputs, tap by tap, out of the
// inputs. With positions, for short rows, and for windows that no copy has room for: output by
// output.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/pool.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Outputs that a loop takes at once, and at most along a row and in all of a tile.
constexpr int64_t pool_lanes = 16, pool_strip = has_small_stack ? 16 : 64,
                  pool_tile_outputs = has_small_stack ? 16 : 1024;
/// Bytes of a tile's copy, and how short a row is not worth one.
constexpr int64_t pool_copy_bytes = has_small_stack ? 384 : 16 << 10, pool_short_row = 4;
/// Rows of outputs of a tile, and taps that are written out at once.
constexpr int64_t pool_tile_rows = 32, most_plane_taps = 32;
/// Rows of outputs that are summed up together, since a vector on no alignment of its own takes as
/// long to load as two.
constexpr int pool_together = has_small_stack ? 1 : 4;
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

/// The value that no tap changes.
template <pool_kind KIND, class A> CAMEO_INLINE A pool_none() {
  return KIND == pool_kind::max ? lowest_value<A>() : A{};
}

/// pool_tap() of terms that are no NaNs.
template <pool_kind KIND, class A> CAMEO_INLINE A pool_number(A acc, A term) {
  if constexpr (KIND == pool_kind::max)
    return term > acc ? term : acc;
  else
    return pool_tap<KIND>(acc, term);
}

/// Whether some of `count` elements, a multiple of a loop's lanes, are NaNs.
template <class A> CAMEO_INLINE bool pool_has_nan(const A *x, int64_t count) {
  if constexpr (std::is_floating_point_v<A>) {
    alignas(64) int32_t found[pool_lanes] = {};
    for (int64_t j = 0; j < count; j += pool_lanes) {
      CAMEO_INDEPENDENT_LANES
      for (int64_t l = 0; l < pool_lanes; ++l)
        found[l] |= x[j + l] != x[j + l] ? -1 : 0;
    }
    int32_t any = 0;
    for (int32_t lane : found)
      any |= lane;
    return any != 0;
  } else {
    return (void)x, (void)count, false;
  }
}

/// to[j], or what no tap changes where they are FRESH, with each of taps[...][j], for so many j
/// rounded up to a loop's lanes. `to` overlaps no tap.
template <pool_kind KIND, bool HAS_NAN, bool FRESH, class A, size_t TAPS, size_t... I>
CAMEO_INLINE void pool_combine(const A *const (&taps)[TAPS], A *to, int64_t count,
                               std::index_sequence<I...>) {
  for (int64_t j = 0; j < count; j += pool_lanes) {
    CAMEO_INDEPENDENT_LANES
    for (int64_t l = 0; l < pool_lanes; ++l) {
      const A before = !FRESH                   ? to[j + l]
                       : KIND == pool_kind::max ? taps[0][j + l]
                                                : pool_none<KIND, A>();
      if constexpr (HAS_NAN && std::is_floating_point_v<A>) {
        const A values[] = {before, taps[I][j + l]...};
        to[j + l] = greatest_of(values);
      } else {
        A acc = before;
        ((acc = pool_number<KIND>(acc, taps[I][j + l])), ...);
        to[j + l] = acc;
      }
    }
  }
}
template <pool_kind KIND, bool HAS_NAN, bool FRESH, class A, size_t TAPS>
CAMEO_INLINE void pool_combine(const A *const (&taps)[TAPS], A *to, int64_t count) {
  pool_combine<KIND, HAS_NAN, FRESH>(taps, to, count, std::make_index_sequence<TAPS>());
}

/// Whether the taps of an output of a plane are more than those of a row for each row of inputs
/// and output, stored between the two, and a column of these.
template <pool_kind KIND, int S>
CAMEO_INLINE constexpr bool takes_rows_first(const index<S> &kernel, const index<S> &stride) {
  if constexpr (KIND == pool_kind::max && S > 1)
    return kernel[S - 2] * kernel[S - 1] > stride[S - 2] * (kernel[S - 1] + 1) + kernel[S - 2];
  else
    return (void)kernel, (void)stride, false;
}

/// How the outputs of a plane, its last two axes, are cut into tiles; where there is but one axis,
/// a plane is a row.
struct pool_tiles {
  int64_t strip, rows; // of a tile; no tile where `rows` is 0
  int64_t columns, ld; // of a residue in a row of the copy, and between its rows
  int64_t copied;      // rows of the copy
  int64_t before;      // elements in front of them: a row where rows of taps are taken first

  /// Elements of the copy, behind which outputs read up to a loop's lanes.
  CAMEO_INLINE int64_t elements() const { return before + copied * ld + pool_lanes; }

  template <pool_kind KIND, class A, int S>
  static pool_tiles of(const index<S> &output, const index<S> &kernel, const index<S> &stride,
                       const index<S> &dilation) {
    constexpr int D = S - 1, R = S > 1 ? S - 2 : 0;
    constexpr int64_t room = pool_copy_bytes / static_cast<int64_t>(sizeof(A));
    const int64_t most = S > 1 ? output[R] : 1, step = S > 1 ? stride[R] : 0;
    const int64_t high = S > 1 ? (kernel[R] - 1) * dilation[R] + 1 : 1;
    pool_tiles t{};
    const auto take = [&](int64_t rows) {
      const int64_t reach = (kernel[D] - 1) * dilation[D] / stride[D];
      const int64_t wide = t.strip < output[D] ? t.strip : output[D];
      t.columns = ceil_div(wide + reach, pool_lanes) * pool_lanes;
      t.ld = t.columns * stride[D];
      t.copied = (rows - 1) * step + high;
      t.before = takes_rows_first<KIND>(kernel, stride) ? t.ld : 0;
      if (t.elements() > room || rows * t.strip > pool_tile_outputs)
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

/// How many taps of the outputs of an average's row count, along the row and in all; `at` is the
/// first output, `others` the taps of the other axes.
template <pool_kind KIND, class A> struct pool_counts {
  static constexpr int64_t most = KIND == pool_kind::average ? pool_strip : 1;
  int64_t at = -1, others = -1;
  A taps[array_size(most)], counts[array_size(most)];
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

  /// A copy has all taps of an output, and no results are there before.
  static constexpr bool is_fresh = S <= 2;

  static CAMEO_INLINE A none() { return pool_none<KIND, A>(); }

  /// Columns of a residue in a row of the copy: those whose `stride` columns are inputs, before
  /// `read` all that outputs read, and the input that the first one is.
  struct copied_columns {
    int64_t begin, end, read, low;
  };
  CAMEO_INLINE copied_columns find_columns() const {
    const int64_t stride = stride_of<S>(p)[D], input = input_of<S>(p)[D], columns = tiles.columns;
    const int64_t low = at[S + 1] * stride - pad_of<S>(p)[D];
    const int64_t whole = input - low >= stride ? (input - low) / stride : 0;
    const int64_t begin = low < 0 ? ceil_div(-low, stride) : 0;
    return {begin < columns ? begin : columns, whole < columns ? whole : columns,
            count + (kernel_of<S>(p)[D] - 1) * dilation_of<S>(p)[D] / stride, low};
  }

  /// The inputs that the tile reads, where the taps of the axes in front are those of `from`.
  CAMEO_INLINE void copy_to(A *copy, index<S + 2> from) const {
    const copied_columns c = find_columns();
    for (int64_t r = 0; r < tiles.copied; ++r, copy += tiles.ld) {
      if constexpr (S > 1)
        from[R + 2] = at[R + 2] * stride_of<S>(p)[R] - pad_of<S>(p)[R] + r;
      if (S == 1 || (from[R + 2] >= 0 && from[R + 2] < input_of<S>(p)[R]))
        copy_row(copy, from, c);
      else
        clear(copy, tiles.ld);
    }
  }

  /// A row of them. Columns a stride apart lie side by side, so that a tap is a run for all outputs
  /// of a row. Columns behind those that outputs read may hold anything.
  CAMEO_INLINE void copy_row(A *copy, const index<S + 2> &from, const copied_columns &c) const {
    const int64_t stride = stride_of<S>(p)[D], columns = tiles.columns;
    if (c.begin > 0 || c.end < c.read)
      for (int64_t residue = 0; residue < stride; ++residue) {
        clear(copy + residue * columns, c.begin);
        clear(copy + residue * columns + c.end, c.read - c.end);
      }
    const LOAD load = rows.load; // a copy, whose members nothing that is stored can be
    const int64_t power = params::pool_power<KIND>(p);
    const auto put = [&](int64_t j, int64_t residue) {
      index<S + 2> tap = from;
      tap[S + 1] = c.low + j * stride + residue;
      copy[residue * columns + j] = pool_term<KIND>(cast<A>(load(tap)), power);
    };
    if constexpr (static_stride() <= most_static_stride) {
      in_overlapping_pieces<pool_lanes>(c.begin, c.end, [&](int64_t j) {
        put_all(put, j, std::make_integer_sequence<int, static_stride()>());
      });
    } else {
      for (int64_t residue = 0; residue < stride; ++residue)
        for (int64_t j = c.begin; j < c.end; ++j)
          put(j, residue);
    }
    if (stride == 1)
      return;
    const int64_t partly[] = {c.begin - 1, c.end > c.begin ? c.end : c.begin};
    for (int64_t j : partly)
      for (int64_t residue = 0; residue < stride && j >= 0 && j < columns; ++residue)
        if (const int64_t column = c.low + j * stride + residue;
            column >= 0 && column < input_of<S>(p)[D])
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

  /// The taps of an output along axis d, as `rows` finds them, by what p has as constants.
  CAMEO_INLINE pool_span span_of(int d, int64_t output) const {
    return make_pool_span(output, input_of<S>(p)[d], kernel_of<S>(p)[d], stride_of<S>(p)[d],
                          dilation_of<S>(p)[d], pad_of<S>(p)[d], pad_end_of<S>(p)[d]);
  }

  /// From one row of taps to the next.
  CAMEO_INLINE int64_t down() const { return S > 1 ? dilation_of<S>(p)[R] * tiles.ld : 0; }

  /// Where tap t along a row of the copy has what the first output reads.
  CAMEO_INLINE int64_t along(int64_t t) const {
    const int64_t away = t * dilation_of<S>(p)[D], stride = stride_of<S>(p)[D];
    return away % stride * tiles.columns + away / stride;
  }

  /// Whether maxima of a copy have to look for NaNs.
  CAMEO_INLINE bool has_nan(const A *copy) const {
    if constexpr (KIND == pool_kind::max)
      return pool_has_nan(copy, tiles.copied * tiles.ld);
    else
      return (void)copy, false;
  }

  /// Some rows of outputs, so that they share what each row of taps reads.
  CAMEO_INLINE void take_together(const A *copy, A *to) const {
    constexpr int read = (pool_together - 1) * static_cast<int>(P::stride[R]) +
                         (static_rows() - 1) * static_cast<int>(P::dilation[R]) + 1;
    take_together(copy, to, std::make_integer_sequence<int, pool_together>(),
                  std::make_integer_sequence<int, read * static_columns()>());
  }
  template <int... G, int... I>
  CAMEO_INLINE void take_together(const A *copy, A *to, std::integer_sequence<int, G...>,
                                  std::integer_sequence<int, I...>) const {
    constexpr int columns = static_columns();
    const A *const taps[] = {copy + I / columns * tiles.ld + along(I % columns)...};
    const int64_t strip = tiles.strip;
    for (int64_t j = 0; j < wide; j += pool_lanes) {
      CAMEO_INDEPENDENT_LANES
      for (int64_t l = 0; l < pool_lanes; ++l) {
        A acc[] = {is_fresh ? none() : to[G * strip + j + l]...};
        (share<I / columns>(acc, taps[I][j + l], std::integer_sequence<int, G...>()), ...);
        ((to[G * strip + j + l] = acc[G]), ...);
      }
    }
  }
  /// A tap in the row ROW of those that they read.
  template <int ROW, int... G>
  static CAMEO_INLINE void share(A *acc, A term, std::integer_sequence<int, G...>) {
    ((acc[G] = is_row_of<ROW, G>() ? pool_number<KIND>(acc[G], term) : acc[G]), ...);
  }
  template <int ROW, int G> static constexpr bool is_row_of() {
    constexpr int64_t below = ROW - G * P::stride[R];
    return below >= 0 && below % P::dilation[R] == 0 && below / P::dilation[R] < P::kernel[R];
  }

  /// The taps of ROWS rows, each of them COLUMNS.
  template <bool HAS_NAN, bool FRESH, int COLUMNS, int... I>
  CAMEO_INLINE void take_taps(const A *copy, A *to, std::integer_sequence<int, I...>) const {
    const A *const taps[] = {copy + I / COLUMNS * down() + along(I % COLUMNS)...};
    pool_combine<KIND, HAS_NAN, FRESH>(taps, to, wide);
  }

  /// A row of outputs with the taps of the last two axes; copy: its first row.
  template <bool HAS_NAN> CAMEO_INLINE void take(const A *copy, A *to) const {
    if constexpr (static_rows() * static_columns() > 0 &&
                  static_rows() * static_columns() <= most_plane_taps) {
      take_taps<HAS_NAN, is_fresh, static_columns()>(
          copy, to, std::make_integer_sequence<int, static_rows() * static_columns()>());
    } else {
      if (is_fresh)
        clear(to, wide);
      for (int64_t v = 0; v < (S > 1 ? kernel_of<S>(p)[R] : 1); ++v)
        take_row<HAS_NAN, false>(copy + v * down(), to);
    }
  }

  /// The taps of a row.
  template <bool HAS_NAN, bool FRESH> CAMEO_INLINE void take_row(const A *copy, A *to) const {
    if constexpr (static_columns() > 0) {
      take_taps<HAS_NAN, FRESH, static_columns()>(
          copy, to, std::make_integer_sequence<int, static_columns()>());
    } else {
      if (FRESH)
        clear(to, wide);
      for (int64_t u = 0; u < kernel_of<S>(p)[D]; ++u)
        take_one(copy + along(u), to);
    }
  }

  /// The taps of a column.
  template <bool HAS_NAN> CAMEO_INLINE void take_column(const A *copy, A *to) const {
    if constexpr (static_rows() > 0) {
      take_taps<HAS_NAN, is_fresh, 1>(copy, to, std::make_integer_sequence<int, static_rows()>());
    } else {
      if (is_fresh)
        clear(to, wide);
      for (int64_t v = 0; v < (S > 1 ? kernel_of<S>(p)[R] : 1); ++v)
        take_one(copy + v * down(), to);
    }
  }

  CAMEO_INLINE void take_one(const A *tap, A *to) const {
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < wide; ++j)
      to[j] = pool_tap<KIND>(to[j], tap[j]);
  }

  /// How many taps of each output along the last axis count.
  CAMEO_INLINE void count_taps(A *taps) const {
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
        taps[j] = static_cast<A>(taps[j] + 1);
    }
  }

  /// counts: what each output of a row is divided by, where so many taps of the other axes count. A
  /// sum of no taps is 0, by whatever it is divided.
  CAMEO_INLINE void count_all(int64_t others, pool_counts<KIND, A> &c) const {
    if (c.at != at[S + 1])
      count_taps(c.taps);
    if (c.at != at[S + 1] || c.others != others)
      for (int64_t j = 0; j < wide; ++j) {
        const A all = static_cast<A>(static_cast<A>(others) * c.taps[j]);
        c.counts[j] = all < A{1} ? A{1} : all;
      }
    c.at = at[S + 1], c.others = others;
  }

  /// The results of all rows, out of the copy, whose rows may become maxima of the rows of taps:
  /// each takes the place of the row in front of it, which nothing reads any more.
  template <bool HAS_NAN> CAMEO_INLINE void take_rows(A *copy, A *sums) const {
    const int64_t step = S > 1 ? stride_of<S>(p)[R] * tiles.ld : 0;
    if (takes_rows_first<KIND>(kernel_of<S>(p), stride_of<S>(p))) {
      for (int64_t r = 0; r < tiles.copied; ++r)
        take_row<HAS_NAN, true>(copy + r * tiles.ld, copy + (r - 1) * tiles.ld);
      for (int64_t g = 0; g < high; ++g)
        take_column<HAS_NAN>(copy - tiles.ld + g * step, sums + g * tiles.strip);
    } else {
      int64_t g = 0;
      if constexpr (!HAS_NAN && shares_rows())
        for (; g + pool_together <= high; g += pool_together)
          take_together(copy + g * step, sums + g * tiles.strip);
      for (; g < high; ++g)
        take<HAS_NAN>(copy + g * step, sums + g * tiles.strip);
    }
  }

  /// Stores row g of the tile; `counts`: how many taps of each output count.
  CAMEO_INLINE void finish(int64_t g, const A *sums, const A *counts) const {
    const STORE store = rows.store;
    const int64_t power = params::pool_power<KIND>(p);
    index<S + 2> to = at;
    if constexpr (S > 1)
      to[R + 2] += g;
    in_pieces<pool_lanes>(0, count, [&](int64_t j) {
      index<S + 2> one = to;
      one[S + 1] += j;
      if constexpr (KIND == pool_kind::average)
        store(one, div(sums[j], counts[j]));
      else if constexpr (KIND == pool_kind::lp)
        store(one, lp_root(sums[j], power));
      else
        store(one, cast<T>(sums[j]));
    });
  }

  /// `copy` has all of its elements, and `counts` holds, from whichever tile.
  CAMEO_NOINLINE void run(A *copy, A *sums, pool_counts<KIND, A> &counts) const {
    copy += tiles.before;
    if constexpr (!is_fresh)
      for (int64_t g = 0; g < high; ++g)
        clear(sums + g * tiles.strip, wide);
    pool_span s[array_size(S)];
    int64_t others = 1;
    for (int d = 0; d < S; ++d) {
      s[d] = d < R ? span_of(d, at[d + 2]) : pool_span{0, 0, 1, 1}; // a copy has all of those
      if (d < R)
        others *= rows.count_include_pad ? s[d].padded : s[d].end - s[d].begin;
    }
    index<S + 2> from = at;
    rows.template taps<0>(s, from, [&](const index<S + 2> &tap) {
      copy_to(copy, tap);
      if (has_nan(copy))
        return take_rows<true>(copy, sums);
      take_rows<false>(copy, sums);
    });
    for (int64_t g = 0; g < high; ++g) {
      if constexpr (KIND == pool_kind::average) {
        const pool_span over = S > 1 ? span_of(R, at[R + 2] + g) : pool_span{0, 0, 1, 1};
        count_all(others * (rows.count_include_pad ? over.padded : over.end - over.begin), counts);
      }
      finish(g, sums + g * tiles.strip, counts.counts);
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
  /// The taps along one of the last two axes where they are few and constants, else 0.
  static constexpr int static_taps(int d) {
    if constexpr (CAMEO_IS_STATIC(P, kernel) && CAMEO_IS_STATIC(P, stride) &&
                  CAMEO_IS_STATIC(P, dilation))
      return P::kernel[d] <= most_plane_taps ? static_cast<int>(P::kernel[d]) : 0;
    else
      return 0;
  }
  static constexpr int static_rows() { return S > 1 ? static_taps(R) : 1; }
  static constexpr int static_columns() { return static_taps(D); }
  /// Whether rows of inputs are read by several rows of outputs, whose taps are few enough.
  static constexpr bool shares_rows() {
    if constexpr (S > 1 && static_taps(R) > 0 && static_taps(D) > 0)
      return P::kernel[R] * P::kernel[D] <= most_plane_taps &&
             (P::kernel[R] - 1) * P::dilation[R] >= P::stride[R];
    else
      return false;
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
    const auto tiles = pool_tiles::of<KIND, typename tile::A>(output, kernel_of<S>(p),
                                                              stride_of<S>(p), dilation_of<S>(p));
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
        pool_counts<KIND, A> counts;
        tile::clear(copy, tiles.elements()); // whole lanes of it are looked at
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
          one.run(copy, sums, counts);
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
