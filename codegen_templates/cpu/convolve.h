// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What conv and conv_transpose share on the CPU: a convolution (common/convolution.h) done in one
// of two ways. With a few output channels per group (depthwise above all) each
// input plane is copied once with its border, columns sorted by their residue modulo the step, so
// that the taps of a row of outputs are contiguous vectors without bounds checks. Otherwise a group
// is a matrix product, weights times the window's input values, which are packed out of such
// planes. Both form each output as one chain over (input channel, tap), ascending; outside taps
// read 0.
#pragma once

#include "cameo/cpu/multiply.h"

#include "cameo/common/convolution.h"
#include "cameo/common/types.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <class X, class W> using conv_element = wrapping_t<product_t<X, W>>;

/// Output channels of a group up to which packing for a matrix product does not pay.
constexpr int64_t direct_channels = 4;

// ---- Direct ----

/// acc[0..count) += sum of weight[t] * x[offset[t] + ...] over all taps, `count` a multiple of the
/// vector.
template <class T, int NV>
CAMEO_CONTRACT void direct_run(T *acc, const T *x, const int64_t *offset, const T *weight,
                               int64_t taps) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<T>::lanes;
  typename vec<T>::type sum[array_size(NV)];
  CAMEO_UNROLL_ALL
  for (int v = 0; v < NV; ++v)
    sum[v] = load_vector(acc + v * lanes);
  for (int64_t t = 0; t < taps; ++t) {
    const T w = weight[t];
    const T *from = x + offset[t];
    CAMEO_UNROLL_ALL
    for (int v = 0; v < NV; ++v)
      sum[v] += w * load_vector(from + v * lanes);
  }
  CAMEO_UNROLL_ALL
  for (int v = 0; v < NV; ++v)
    store_vector(acc + v * lanes, sum[v]);
}

/// Rows of outputs that direct_rows gives at a time, and how many of each.
template <class T> struct row_tile {
  static constexpr int rows = 4, vectors = tile_shape::rows * tile_shape::vectors > 12 ? 2 : 1;
  /// A tile has so many where rows have `outputs`.
  static CAMEO_INLINE int64_t columns_of(int64_t outputs) {
    return outputs <= vec<T>::lanes ? vec<T>::lanes : vectors * vec<T>::lanes;
  }
};

/// acc[rows][NV * lanes], rows of row_tile, = the sums of K x K neighbouring taps; x under the
/// first tap of the first output, its rows x_row apart. Each row of x is loaded once for all rows
/// of outputs that read it: a vector that does not lie on its alignment takes as long as two.
template <class T, int K, int NV>
CAMEO_CONTRACT void direct_rows(T *acc, const T *x, int64_t x_row, const T *weight) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<T>::lanes, rows = row_tile<T>::rows;
  typename vec<T>::type sum[array_size(rows)][array_size(NV)] = {};
  CAMEO_UNROLL_ALL
  for (int y = 0; y < K + rows - 1; ++y)
    CAMEO_UNROLL_ALL
  for (int c = 0; c < K; ++c)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < NV; ++v) {
    typename vec<T>::type from = load_vector(x + y * x_row + c + v * lanes);
    CAMEO_HOLD(from);
    CAMEO_UNROLL_ALL
    for (int r = 0; r < rows; ++r)
      if (y >= r && y - r < K)
        sum[r][v] += weight[K * (y - r) + c] * from;
  }
  CAMEO_UNROLL_ALL
  for (int r = 0; r < rows; ++r)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < NV; ++v)
    store_vector(acc + (r * NV + v) * lanes, sum[r][v]);
}

/// Geometry of the bordered copy of one input plane: per dimension the first input position that a
/// tap can read, and how many; the last dimension is stored as `step` rows of `columns`, one per
/// residue. Accumulators are runs of whole vectors: a row of outputs each or, where there are no
/// steps and that is less, one run that lies as the plane does, with its border, which is not
/// stored.
template <int S> struct bordered_plane {
  index<S> low, extent;
  int64_t step, columns, row; // row: elements of one stored row
  int64_t elements;           // of the plane
  bool whole;                 // the accumulators are one run
  int64_t runs, run;          // of accumulators, and how many are in one

  template <class T> CAMEO_INLINE static bordered_plane of(const window<S> &w) {
    constexpr int64_t slack = 8 * vec<T>::lanes; // vectors may read, and accumulate, past a row
    bordered_plane b{};
    for (int d = 0; d < S; ++d) {
      const cameo::taps &t = w.at[d];
      const int64_t reach = (t.taps - 1) * t.increment;
      b.low[d] = t.base + (reach < 0 ? reach : 0);
      b.extent[d] = (t.count - 1) * t.step + (reach < 0 ? -reach : reach) + 1;
    }
    b.step = w.at[S - 1].step;
    b.columns = ceil_div(b.extent[S - 1], b.step);
    b.row = b.step * b.columns;
    b.elements = b.row + slack;
    for (int d = 0; d < S - 1; ++d)
      b.elements = (b.elements - slack) * b.extent[d] + slack;
    const int64_t lanes = vec<T>::lanes, count = w.at[S - 1].count;
    bool steps = w.at[S - 1].step != 1;
    b.runs = 1;
    b.run = ceil_div(count, lanes) * lanes;
    index<S> last{};
    for (int d = 0; d < S - 1; ++d) {
      steps = steps || w.at[d].step != 1;
      b.runs *= w.at[d].count;
      last[d] = w.at[d].count - 1;
    }
    const int64_t all = ceil_div(b.offset_of(last) + count, lanes) * lanes;
    b.whole = !steps && all <= b.runs * b.run;
    if (b.whole) {
      b.runs = 1;
      b.run = all;
    }
    return b;
  }

  /// Where the input position that lies `i` past `low` is stored.
  CAMEO_INLINE int64_t offset_of(const index<S> &i) const {
    int64_t flat = 0;
    for (int d = 0; d < S - 1; ++d)
      flat = flat * extent[d] + i[d];
    return flat * row + i[S - 1] % step * columns + i[S - 1] / step;
  }

  /// Zeros everywhere, of which copy() leaves those of the border.
  template <class T> CAMEO_INLINE void clear(T *to) const {
    for (int64_t i = 0; i < elements; ++i)
      to[i] = T{};
  }
  /// The inputs into a plane that was cleared, or has another's.
  template <class T, class X> CAMEO_INLINE void copy(const window<S> &w, const X *x, T *to) const {
    const index<S - 1> rows = slice<0, S - 1>(extent), inputs = slice<0, S - 1>(w.inputs());
    const int64_t width = w.at[S - 1].input;
    walk(rows, 0, volume(rows), [&](const index<S - 1> &r) {
      bool inside = true;
      index<S - 1> from = r;
      if constexpr (S > 1)
        for (int d = 0; d < S - 1; ++d) {
          from[d] = r[d] + low[d];
          inside = inside && w.at[d].inside(from[d]);
        }
      if (!inside) {
        to += row;
        return;
      }
      const X *source = x + flatten(from, inputs) * width;
      for (int64_t phase = 0; phase < step; ++phase, to += columns) {
        const int64_t first = low[S - 1] + phase;
        if (step == 1)
          copy_phase(source, first, width, 1, to);
        else if (step == 2)
          copy_phase(source, first, width, 2, to);
        else
          copy_phase(source, first, width, step, to);
      }
    });
  }

  /// One stored row: positions first, first + by, ... of a row of the input.
  template <class T, class X>
  CAMEO_INLINE void copy_phase(const X *source, int64_t first, int64_t width, int64_t by,
                               T *to) const {
    const int64_t begin = first < 0 ? ceil_div(-first, by) : 0;
    const int64_t after = first < width ? ceil_div(width - first, by) : 0;
    const int64_t end = after < columns ? after : columns;
    if (by == 1)
      return in_overlapping_pieces<column_block>(
          begin, end, [&](int64_t c) { to[c] = cast<T>(source[first + c]); });
    CAMEO_INDEPENDENT
    for (int64_t c = begin; c < end; ++c)
      to[c] = cast<T>(source[first + c * by]);
  }
};

/// Elements of scratch one thread needs.
template <class T, int S> int64_t direct_elements(const convolution<S> &c) {
  const bordered_plane<S> b = bordered_plane<S>::template of<T>(c.window);
  const int64_t taps = volume(c.window.tap_counts());
  const int64_t offsets =
      ceil_div(taps * static_cast<int64_t>(sizeof(int64_t)), static_cast<int64_t>(sizeof(T)));
  constexpr int64_t line = 64 / static_cast<int64_t>(sizeof(T));
  return ceil_div(b.elements, line) * line +
         ceil_div(c.out_channels * b.runs * b.run, line) * line + ceil_div(taps, line) * line +
         ceil_div(offsets, line) * line;
}

/// The first input position that a row of outputs reads, counted from the border.
template <int S> CAMEO_INLINE index<S> origin_of(const window<S> &w, const index<S - 1> &row) {
  index<S> origin{};
  if constexpr (S > 1)
    for (int d = 0; d < S - 1; ++d)
      origin[d] = row[d] * w.at[d].step;
  return origin;
}

/// Taps along a side where a bordered plane is for direct_rows, else 0: one channel in and out, a
/// square of 3, 5 or 7 neighbouring taps, rows long enough that tiles are nearly full.
template <class T, int S>
CAMEO_INLINE int64_t takes_rows(const convolution<S> &c, const bordered_plane<S> &plane,
                                const int64_t *offset) {
  if constexpr (S != 2) {
    return 0;
  } else {
    const index<2> counts = c.window.counts(), taps = c.window.tap_counts();
    const int64_t side = taps[1], columns = row_tile<T>::columns_of(counts[1]);
    bool is_square = c.in_channels == 1 && c.out_channels == 1 && taps[0] == side &&
                     (side == 3 || (!has_small_stack && (side == 5 || side == 7))) &&
                     c.window.at[0].step == 1 && plane.step == 1;
    for (int64_t t = 0; t < side * side && is_square; ++t)
      is_square = offset[t] == offset[0] + t / side * plane.row + t % side;
    const bool is_full = 4 * counts[1] >= 3 * ceil_div(counts[1], columns) * columns;
    return is_square && is_full && counts[0] >= row_tile<T>::rows ? side : 0;
  }
}

/// The outputs of such a plane; x under the first tap of the first. The last rows are a tile too,
/// with rows that are there already.
template <int K, int NV, class V, class T, class STORE>
CAMEO_INLINE void convolve_rows(const convolution<2> &c, int64_t row, const T *x, const T *weight,
                                const index<2> &channel, const STORE &store) {
  constexpr int64_t rows = row_tile<T>::rows, columns = NV * vec<T>::lanes;
  const index<2> counts = c.window.counts();
  alignas(64) T acc[array_size(rows * columns)];
  for (int64_t next = 0; next < counts[0]; next += rows) {
    const int64_t first = next + rows <= counts[0] ? next : counts[0] - rows;
    for (int64_t column = 0; column < counts[1]; column += columns) {
      direct_rows<T, K, NV>(acc, x + first * row + column, row, weight);
      const int64_t rest = counts[1] - column, count = rest < columns ? rest : columns;
      for (int64_t r = next - first; r < rows; ++r) {
        const T *const from = acc + r * columns;
        in_pieces<column_block>(0, count, [&](int64_t j) {
          store(join(channel, c.window.output_of(index<2>{{first + r, column + j}})),
                static_cast<V>(from[j]));
        });
      }
    }
  }
}

/// By the tile for the plane's rows.
template <int K, class V, class T, class STORE>
CAMEO_INLINE void convolve_rows_of(const convolution<2> &c, int64_t row, const T *x,
                                   const T *weight, const index<2> &channel, const STORE &store) {
  if (row_tile<T>::columns_of(c.window.counts()[1]) == vec<T>::lanes)
    convolve_rows<K, 1, V>(c, row, x, weight, channel, store);
  else
    convolve_rows<K, row_tile<T>::vectors, V>(c, row, x, weight, channel, store);
}

template <class T, int S, class X, class W, class STORE>
CAMEO_INLINE void convolve_direct(exec &e, const convolution<S> &c, const X *x, const W *w,
                                  const STORE &store) {
  constexpr int64_t line = 64 / static_cast<int64_t>(sizeof(T));
  constexpr int lanes = vec<T>::lanes;
  const int64_t per_thread = direct_elements<T>(c);
  auto *memory =
      static_cast<T *>(e.scratch(static_cast<size_t>(per_thread * e.threads()) * sizeof(T)));
  if (memory == nullptr)
    return;
  const bordered_plane<S> plane = bordered_plane<S>::template of<T>(c.window);
  const index<S> counts = c.window.counts(), tap_counts = c.window.tap_counts();
  const index<S - 1> rows = slice<0, S - 1>(counts);
  const int64_t taps = volume(tap_counts), length = counts[S - 1];
  const int64_t accumulators = plane.runs * plane.run; // of a channel
  const int64_t input_plane = volume(c.window.inputs());
  const int64_t units = c.batch * c.groups;
  const bool worth_it = units * c.out_channels * c.depth() * c.pixels() >= 8 * parallel_threshold;
  e.parallel_if(worth_it, [&](int thread, int threads) {
    T *const bordered = memory + thread * per_thread;
    T *const acc = bordered + ceil_div(plane.elements, line) * line;
    T *const weight = acc + ceil_div(c.out_channels * accumulators, line) * line;
    auto *const offset = reinterpret_cast<int64_t *>(weight + ceil_div(taps, line) * line);
    int64_t t = 0;
    walk(tap_counts, 0, taps, [&](const index<S> &u) {
      index<S> i = u;
      for (int d = 0; d < S; ++d)
        i[d] = c.window.at[d].base + u[d] * c.window.at[d].increment - plane.low[d];
      offset[t++] = plane.offset_of(i);
    });
    plane.clear(bordered);
    const int64_t side = takes_rows<T>(c, plane, offset);
    const span mine = share(units, thread, threads);
    for (int64_t unit = mine.begin; unit < mine.end; ++unit) {
      const int64_t image = unit / c.groups, group = unit % c.groups;
      if constexpr (S == 2)
        if (side > 0) {
          plane.copy(c.window, x + unit * input_plane, bordered);
          walk(tap_counts, 0, taps, [&](const index<S> &u) {
            weight[u[0] * side + u[1]] =
                cast<T>(w[group * c.group_stride + c.window.kernel_of(u, c.kernel)]);
          });
          const auto by_rows = [&](auto taps) {
            convolve_rows_of<decltype(taps)::value, product_t<X, W>>(
                c, plane.row, bordered + offset[0], weight, index<2>{{image, group}}, store);
          };
          if (side == 3)
            by_rows(std::integral_constant<int, 3>());
          if constexpr (!has_small_stack) {
            if (side == 5)
              by_rows(std::integral_constant<int, 5>());
            if (side == 7)
              by_rows(std::integral_constant<int, 7>());
          }
          continue;
        }
      for (int64_t i = 0; i < c.out_channels * accumulators; ++i)
        acc[i] = T{};
      for (int64_t ic = 0; ic < c.in_channels && taps > 0; ++ic) {
        plane.copy(c.window, x + (unit * c.in_channels + ic) * input_plane, bordered);
        for (int64_t oc = 0; oc < c.out_channels; ++oc) {
          const W *from = w + group * c.group_stride + oc * c.oc_stride + ic * c.ic_stride;
          t = 0;
          walk(tap_counts, 0, taps, [&](const index<S> &u) {
            weight[t++] = cast<T>(from[c.window.kernel_of(u, c.kernel)]);
          });
          T *to = acc + oc * accumulators;
          walk(rows, 0, plane.runs, [&](const index<S - 1> &r) {
            const T *at = bordered + plane.offset_of(origin_of(c.window, r));
            int64_t j = 0;
            for (; j + 8 * lanes <= plane.run; j += 8 * lanes)
              direct_run<T, 8>(to + j, at + j, offset, weight, taps);
            for (; j + 4 * lanes <= plane.run; j += 4 * lanes)
              direct_run<T, 4>(to + j, at + j, offset, weight, taps);
            for (; j < plane.run; j += lanes)
              direct_run<T, 1>(to + j, at + j, offset, weight, taps);
            to += plane.run;
          });
        }
      }
      for (int64_t oc = 0; oc < c.out_channels; ++oc) {
        const T *channel = acc + oc * accumulators, *from = channel;
        walk(rows, 0, volume(rows), [&](const index<S - 1> &r) {
          if (plane.whole)
            from = channel + plane.offset_of(origin_of(c.window, r));
          in_pieces<column_block>(0, length, [&](int64_t j) {
            store(join(index<2>{{image, group * c.out_channels + oc}},
                       c.window.output_of(append(r, j))),
                  static_cast<product_t<X, W>>(from[j]));
          });
          from += plane.run;
        });
      }
    }
  });
}

// ---- As a matrix product: group = batch, rows = output channels, columns = (image, pixel), k =
// (input channel, tap) ----

template <class T, class W, int S> struct conv_weights {
  const W *data;
  const convolution<S> &c;
  const int64_t *taps; // where each tap of the window lies among a channel's weights
  bool in_order;       // (input channel, tap) is how a row lies

  CAMEO_INLINE left_rows<T> rows(int64_t group, int64_t row, int64_t k0) const {
    if constexpr (std::is_same_v<T, W>)
      if (in_order && lie_in_many_sets(c.oc_stride * static_cast<int64_t>(sizeof(T))))
        return {data + group * c.group_stride + row * c.oc_stride + k0, c.oc_stride};
    return {nullptr, 0};
  }
  CAMEO_INLINE void pack(int64_t group, int64_t row, int64_t k0, int64_t steps, T *to) const {
    const int64_t all = volume(c.window.tap_counts());
    const W *from = data + group * c.group_stride + row * c.oc_stride;
    if (in_order) {
      CAMEO_INDEPENDENT
      for (int64_t k = 0; k < steps; ++k)
        to[k] = cast<T>(from[k0 + k]);
      return;
    }
    from += steps > 0 ? k0 / all * c.ic_stride : 0;
    for (int64_t k = 0, t = steps > 0 ? k0 % all : 0; k < steps; ++k) {
      to[k] = cast<T>(from[taps[t]]);
      if (++t == all) {
        t = 0;
        from += c.ic_stride;
      }
    }
  }
};

/// Elements of bordered planes that are made at a time, if that is enough for an image's.
constexpr int64_t bordered_elements = 1 << 18;

/// The inputs of some images as a product reads them: bordered planes, or the inputs themselves
/// where each output reads the one that lies as it does.
template <class T, int S> struct product_inputs {
  bordered_plane<S> plane;
  bool pointwise;
  int64_t images; // at a time
  int64_t taps;

  static product_inputs of(const convolution<S> &c) {
    product_inputs p{bordered_plane<S>::template of<T>(c.window), true, c.batch, 0};
    for (int d = 0; d < S; ++d) {
      const cameo::taps &t = c.window.at[d];
      p.pointwise = p.pointwise && t.taps == 1 && t.step == 1 && t.base == 0 && t.count == t.input;
    }
    p.taps = volume(c.window.tap_counts());
    const int64_t channels = c.groups * c.in_channels;
    if (!p.pointwise && channels > 0) {
      const int64_t fitting = bordered_elements / (channels * p.elements());
      p.images = fitting < 1 ? 1 : fitting < c.batch ? fitting : c.batch;
    }
    return p;
  }
  /// From a plane to the next one.
  CAMEO_INLINE int64_t elements() const { return ceil_div(plane.elements, 16) * 16; }
  /// Elements of T for the planes, then of two tables of the taps.
  CAMEO_INLINE int64_t planes(const convolution<S> &c) const {
    return pointwise ? 0 : images * c.groups * c.in_channels * elements();
  }
  CAMEO_INLINE int64_t tables() const {
    const int64_t bytes = 2 * taps * static_cast<int64_t>(sizeof(int64_t));
    return ceil_div(ceil_div(bytes, static_cast<int64_t>(sizeof(T))), 64) * 64;
  }
};

template <class T, class X, int S> struct conv_inputs {
  static constexpr int lanes = vec<T>::lanes;

  const X *data; // of the first image of a pass
  const T *planes;
  const convolution<S> &c;
  const product_inputs<T, S> &from;
  const int64_t *taps; // where each tap lies in a plane, from an output's origin
  bool in_place;       // pointwise, and row panels are few

  /// `length` neighbouring outputs of one row, from column `at` of a panel, and where their inputs
  /// begin.
  struct run {
    int64_t offset, at, length;
  };

  CAMEO_INLINE panel_rows<T> panel(int64_t group, int64_t column, int64_t columns, int64_t k0,
                                   int64_t steps, T *buffer, int64_t width) const {
    if (from.pointwise || steps == 0)
      return panel_of_pixels(group, column, columns, k0, steps, buffer, width);
    constexpr int most_runs = 2 * tile_shape::vectors * vec<T>::lanes;
    run runs[array_size(most_runs)];
    const int count = find_runs(column, columns, runs);
    const T *const first = planes + (group * c.in_channels + k0 / from.taps) * from.elements();
    for (int i = 0; i < count; ++i)
      copy_runs(first + runs[i].offset, runs[i].length, k0 % from.taps, steps, buffer + runs[i].at,
                width, width - runs[i].at);
    for (int64_t k = 0; k < steps; ++k)
      for (int64_t j = columns; j < width; ++j)
        buffer[k * width + j] = T{};
    return {buffer, width, column_block};
  }

  CAMEO_INLINE panel_rows<T> ahead(int64_t, int64_t) const { return {nullptr, 0, 0}; }

private:
  CAMEO_INLINE int find_runs(int64_t column, int64_t columns, run *runs) const {
    const int64_t image_stride = c.groups * c.in_channels * from.elements();
    const index<S + 1> outputs = join(index<1>{{from.images}}, c.window.counts());
    int count = 0;
    for (int64_t at = 0; at < columns;) {
      const index<S + 1> i = unflatten(column + at, outputs);
      index<S> origin{};
      for (int d = 0; d < S; ++d)
        origin[d] = i[d + 1] * c.window.at[d].step;
      run &r = runs[count++];
      r.offset = i[0] * image_stride + from.plane.offset_of(origin);
      r.at = at;
      r.length = outputs[S] - i[S] < columns - at ? outputs[S] - i[S] : columns - at;
      at += r.length;
    }
    return count;
  }

  /// A run of each step from tap t of a channel on, to rows `width` apart. Its last vector may end
  /// behind it, where what comes there is written later: within `room`.
  CAMEO_INLINE void copy_runs(const T *channel, int64_t length, int64_t t, int64_t steps, T *to,
                              int64_t width, int64_t room) const {
    const int64_t all = ceil_div(length, lanes) * lanes;
    const int64_t whole = all <= room ? all : length / lanes * lanes;
    const auto each_step = [&](const auto &copy) {
      for (int64_t k = 0; k < steps; ++k, to += width) {
        copy(channel + taps[t], to);
        if (++t == from.taps) {
          t = 0;
          channel += from.elements();
        }
      }
    };
    if (whole == lanes && whole >= length)
      each_step([&](const T *run, T *row) { store_vector(row, load_vector(run)); });
    else
      each_step([&](const T *run, T *row) {
        int64_t j = 0;
        for (; j < whole; j += lanes)
          store_vector(row + j, load_vector(run + j));
        copy_rest<lanes / 2>(run, row, j, length);
      });
  }
  /// [j, length), fewer than a vector's.
  template <int PIECE>
  static CAMEO_INLINE void copy_rest(const T *run, T *row, int64_t j, int64_t length) {
    if constexpr (PIECE > 0) {
      if (j + PIECE <= length) {
        __builtin_memcpy(row + j, run + j, PIECE * sizeof(T));
        j += PIECE;
      }
      copy_rest<PIECE / 2>(run, row, j, length);
    }
  }

  /// Pixels, which are outputs and inputs, lie in one run an image.
  CAMEO_INLINE panel_rows<T> panel_of_pixels(int64_t group, int64_t column, int64_t columns,
                                             int64_t k0, int64_t steps, T *buffer,
                                             int64_t width) const {
    const int64_t pixels = c.pixels(), image_stride = c.groups * c.in_channels * pixels;
    const X *const first = data + (group * c.in_channels + k0) * pixels;
    if constexpr (std::is_same_v<T, X>) {
      if (in_place && columns == width && column % pixels + columns <= pixels)
        return {first + column / pixels * image_stride + column % pixels, pixels, column_block};
    }
    for (int64_t at = 0; at < columns;) {
      const int64_t pixel = (column + at) % pixels, rest = pixels - pixel;
      const int64_t length = rest < columns - at ? rest : columns - at;
      const X *image = first + (column + at) / pixels * image_stride + pixel;
      T *to = buffer + at;
      for (int64_t k = 0; k < steps; ++k, image += pixels, to += width) {
        CAMEO_INDEPENDENT
        for (int64_t j = 0; j < length; ++j)
          to[j] = cast<T>(image[j]);
      }
      at += length;
    }
    for (int64_t k = 0; k < steps; ++k)
      for (int64_t j = columns; j < width; ++j)
        buffer[k * width + j] = T{};
    return {buffer, width, column_block};
  }
};

/// How the images of a pass are multiplied.
template <class T, int S>
CAMEO_INLINE multiply_plan plan_product(const convolution<S> &c, int64_t images) {
  return plan_multiply<T>(c.groups, c.out_channels, images * c.pixels(), c.depth());
}

/// Elements of scratch.
template <class T, int S> int64_t product_elements(const convolution<S> &c, int threads) {
  const auto inputs = product_inputs<T, S>::of(c);
  const int64_t last = c.batch % inputs.images; // fewer, whose panels may be cut in another way
  const int64_t more = plan_product<T>(c, inputs.images).elements(threads);
  const int64_t less = last > 0 ? plan_product<T>(c, last).elements(threads) : 0;
  return inputs.planes(c) + inputs.tables() + (more > less ? more : less);
}

template <class T, int S, class X, class W, class STORE>
CAMEO_INLINE void convolve_product(exec &e, const convolution<S> &c, const X *x, const W *w,
                                   const STORE &store) {
  product_inputs<T, S> inputs = product_inputs<T, S>::of(c);
  auto *memory = static_cast<T *>(
      e.scratch(static_cast<size_t>(product_elements<T>(c, e.threads())) * sizeof(T)));
  if (memory == nullptr)
    return;
  T *const planes = memory, *const own = memory + inputs.planes(c) + inputs.tables();
  auto *const weight_taps = reinterpret_cast<int64_t *>(memory + inputs.planes(c));
  int64_t *const plane_taps = weight_taps + inputs.taps;
  bool in_order = c.ic_stride == inputs.taps;
  int64_t t = 0;
  walk(c.window.tap_counts(), 0, inputs.taps, [&](const index<S> &u) {
    index<S> i = u;
    for (int d = 0; d < S; ++d)
      i[d] = c.window.at[d].base + u[d] * c.window.at[d].increment - inputs.plane.low[d];
    weight_taps[t] = c.window.kernel_of(u, c.kernel);
    plane_taps[t] = inputs.plane.offset_of(i);
    in_order = in_order && weight_taps[t] == t;
    ++t;
  });
  const int64_t channels = c.groups * c.in_channels, input_plane = volume(c.window.inputs());
  for (int64_t first = 0, images; first < c.batch; first += images) {
    images = c.batch - first < inputs.images ? c.batch - first : inputs.images;
    inputs.images = images;
    const X *const pass = x + first * channels * input_plane;
    const int64_t filled = inputs.pointwise ? 0 : images * channels;
    parallel_range(e, filled, inputs.elements(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T *const to = planes + i * inputs.elements();
        if (first == 0)
          inputs.plane.clear(to);
        inputs.plane.copy(c.window, pass + i * input_plane, to);
      }
    });
    const multiply_plan plan = plan_product<T>(c, images);
    const index<S + 1> outputs = join(index<1>{{images}}, c.window.counts());
    const conv_weights<T, W, S> left = {w, c, weight_taps, in_order};
    const conv_inputs<T, X, S> right = {pass,   planes,     c,
                                        inputs, plane_taps, inputs.pointwise && plan.panels <= 2};
    multiply<T>(e, plan, own, left, right,
                [&](int64_t group, int64_t row, int64_t column, int64_t count, const T *values) {
                  const int64_t oc = group * c.out_channels + row;
                  for (int64_t done = 0; done < count;) {
                    const index<S + 1> i = unflatten(column + done, outputs);
                    const int64_t rest = outputs[S] - i[S];
                    const int64_t length = rest < count - done ? rest : count - done;
                    CAMEO_INDEPENDENT
                    for (int64_t j = 0; j < length; ++j) {
                      index<S> q{};
                      for (int d = 0; d < S; ++d)
                        q[d] = i[d + 1];
                      q[S - 1] += j;
                      store(join(index<2>{{first + i[0], oc}}, c.window.output_of(q)),
                            static_cast<product_t<X, W>>(values[done + j]));
                    }
                    done += length;
                  }
                });
  }
}

/// Bytes of scratch of either way.
template <class X, class W, int S> int64_t convolve_scratch(const convolution<S> &c, int threads) {
  using T = conv_element<X, W>;
  if (c.batch * c.groups * c.out_channels * c.pixels() <= 0)
    return 0;
  const int64_t elements = c.out_channels <= direct_channels ? direct_elements<T>(c) * threads
                                                             : product_elements<T>(c, threads);
  return elements * static_cast<int64_t>(sizeof(T));
}

template <int S, class X, class W, class STORE>
CAMEO_INLINE void convolve(exec &e, const convolution<S> &c, const X *x, const W *w,
                           const STORE &store) {
  using T = conv_element<X, W>;
  if (c.batch * c.groups * c.out_channels * c.pixels() <= 0)
    return;
  CAMEO_OPERATIONS(2 * c.batch * c.groups * c.out_channels * c.pixels() * c.depth());
  if (c.out_channels <= direct_channels)
    convolve_direct<T>(e, c, x, w, store);
  else
    convolve_product<T>(e, c, x, w, store);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
