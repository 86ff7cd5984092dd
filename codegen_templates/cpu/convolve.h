// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What conv and conv_transpose share on the CPU: a convolution (common/convolution.h) done in one
// of two ways. With a few output channels per group (depthwise above all) each
// input plane is copied once with its border, columns sorted by their residue modulo the step, so
// that the taps of a row of outputs are contiguous vectors without bounds checks. Otherwise a group
// is a matrix product, weights times the window's input values, which are gathered while packing.
// Both form each output as one chain over (input channel, tap), ascending; outside taps read 0.
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
  static constexpr int64_t columns = vectors * vec<T>::lanes;
};

/// acc[rows][columns] of row_tile = the sums of 3 x 3 neighbouring taps; x under the first tap of
/// the first output, its rows x_row apart. Each row of x is loaded once for all rows of outputs
/// that read it: a vector that does not lie on its alignment takes as long as two.
template <class T>
CAMEO_CONTRACT void direct_rows(T *acc, const T *x, int64_t x_row, const T *weight) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<T>::lanes, rows = row_tile<T>::rows, vectors = row_tile<T>::vectors;
  typename vec<T>::type sum[array_size(rows)][array_size(vectors)] = {};
  CAMEO_UNROLL_ALL
  for (int y = 0; y < rows + 2; ++y)
    CAMEO_UNROLL_ALL
  for (int c = 0; c < 3; ++c)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < vectors; ++v) {
    typename vec<T>::type from = load_vector(x + y * x_row + c + v * lanes);
    CAMEO_HOLD(from);
    CAMEO_UNROLL_ALL
    for (int r = 0; r < rows; ++r)
      if (y >= r && y - r < 3)
        sum[r][v] += weight[3 * (y - r) + c] * from;
  }
  CAMEO_UNROLL_ALL
  for (int r = 0; r < rows; ++r)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < vectors; ++v)
    store_vector(acc + (r * vectors + v) * lanes, sum[r][v]);
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

  template <class T, class X> CAMEO_INLINE void fill(const window<S> &w, const X *x, T *to) const {
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
      const X *source = inside ? x + flatten(from, inputs) * width : x;
      for (int64_t phase = 0; phase < step; ++phase, to += columns) {
        const int64_t first = low[S - 1] + phase;
        if (!inside)
          fill_phase(source, 0, 0, 1, to);
        else if (step == 1)
          fill_phase(source, first, width, 1, to);
        else if (step == 2)
          fill_phase(source, first, width, 2, to);
        else
          fill_phase(source, first, width, step, to);
      }
    });
  }

  /// One stored row: positions first, first + by, ... of a row of the input, zeros outside it.
  template <class T, class X>
  CAMEO_INLINE void fill_phase(const X *source, int64_t first, int64_t width, int64_t by,
                               T *to) const {
    const int64_t before = first < 0 ? ceil_div(-first, by) : 0;
    const int64_t after = first < width ? ceil_div(width - first, by) : 0;
    const int64_t begin = before < columns ? before : columns;
    const int64_t end = after > columns ? columns : after > begin ? after : begin;
    for (int64_t c = 0; c < begin; ++c)
      to[c] = T{};
    CAMEO_INDEPENDENT
    for (int64_t c = begin; c < end; ++c)
      to[c] = cast<T>(source[first + c * by]);
    for (int64_t c = end; c < columns; ++c)
      to[c] = T{};
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

/// Whether a bordered plane is for direct_rows: one channel in and out, neighbouring taps, rows
/// long enough that tiles are nearly full.
template <class T, int S>
CAMEO_INLINE bool takes_rows(const convolution<S> &c, const bordered_plane<S> &plane,
                             const int64_t *offset) {
  if constexpr (S != 2) {
    return false;
  } else {
    const index<2> counts = c.window.counts(), taps = c.window.tap_counts();
    const int64_t room = ceil_div(counts[1], row_tile<T>::columns) * row_tile<T>::columns;
    bool is_square = c.in_channels == 1 && c.out_channels == 1 && taps[0] == 3 && taps[1] == 3 &&
                     c.window.at[0].step == 1 && plane.step == 1;
    for (int64_t t = 0; t < 9 && is_square; ++t)
      is_square = offset[t] == offset[0] + t / 3 * plane.row + t % 3;
    return is_square && counts[0] >= row_tile<T>::rows && 4 * counts[1] >= 3 * room;
  }
}

/// The outputs of such a plane; x under the first tap of the first. The last rows are a tile too,
/// with rows that are there already.
template <class V, class T, class STORE>
CAMEO_INLINE void convolve_rows(const convolution<2> &c, int64_t row, const T *x, const T *weight,
                                const index<2> &channel, const STORE &store) {
  constexpr int64_t rows = row_tile<T>::rows, columns = row_tile<T>::columns;
  const index<2> counts = c.window.counts();
  alignas(64) T acc[array_size(rows * columns)];
  for (int64_t next = 0; next < counts[0]; next += rows) {
    const int64_t first = next + rows <= counts[0] ? next : counts[0] - rows;
    for (int64_t column = 0; column < counts[1]; column += columns) {
      direct_rows(acc, x + first * row + column, row, weight);
      const int64_t rest = counts[1] - column, count = rest < columns ? rest : columns;
      for (int64_t r = next - first; r < rows; ++r) {
        const T *const from = acc + r * columns;
        CAMEO_INDEPENDENT
        for (int64_t j = 0; j < count; ++j)
          store(join(channel, c.window.output_of(index<2>{{first + r, column + j}})),
                static_cast<V>(from[j]));
      }
    }
  }
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
    for (int64_t i = 0; i < plane.elements; ++i)
      bordered[i] = T{}; // the slack is read
    const bool by_rows = takes_rows<T>(c, plane, offset);
    const span mine = share(units, thread, threads);
    for (int64_t unit = mine.begin; unit < mine.end; ++unit) {
      const int64_t image = unit / c.groups, group = unit % c.groups;
      if constexpr (S == 2)
        if (by_rows) {
          plane.fill(c.window, x + unit * input_plane, bordered);
          walk(tap_counts, 0, taps, [&](const index<S> &u) {
            weight[u[0] * 3 + u[1]] =
                cast<T>(w[group * c.group_stride + c.window.kernel_of(u, c.kernel)]);
          });
          convolve_rows<product_t<X, W>>(c, plane.row, bordered + offset[0], weight,
                                         index<2>{{image, group}}, store);
          continue;
        }
      for (int64_t i = 0; i < c.out_channels * accumulators; ++i)
        acc[i] = T{};
      for (int64_t ic = 0; ic < c.in_channels && taps > 0; ++ic) {
        plane.fill(c.window, x + (unit * c.in_channels + ic) * input_plane, bordered);
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
          CAMEO_INDEPENDENT
          for (int64_t j = 0; j < length; ++j)
            store(join(index<2>{{image, group * c.out_channels + oc}},
                       c.window.output_of(append(r, j))),
                  static_cast<product_t<X, W>>(from[j]));
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

  CAMEO_INLINE left_rows<T> rows(int64_t, int64_t, int64_t) const { return {nullptr, 0}; }
  CAMEO_INLINE void pack(int64_t group, int64_t row, int64_t k0, int64_t steps, T *to) const {
    const index<S> tap_counts = c.window.tap_counts();
    const index<S + 1> extents = join(index<1>{{c.in_channels}}, tap_counts);
    const W *from = data + group * c.group_stride + row * c.oc_stride;
    walk(extents, k0, k0 + steps, [&](const index<S + 1> &k) {
      index<S> u{};
      for (int d = 0; d < S; ++d)
        u[d] = k[d + 1];
      *to++ = cast<T>(from[k[0] * c.ic_stride + c.window.kernel_of(u, c.kernel)]);
    });
  }
};

template <class T, class X, int S> struct conv_inputs {
  const X *data;
  const convolution<S> &c;
  bool in_place; // 1x1, and row panels are few

  /// `length` neighbouring outputs of one row, from column `at` of a panel.
  struct run {
    const X *image;
    index<S> q;
    int64_t at, length;
  };

  CAMEO_INLINE panel_rows<T> panel(int64_t group, int64_t column, int64_t columns, int64_t k0,
                                   int64_t steps, T *buffer, int64_t width) const {
    const int64_t pixels = c.pixels(), plane = volume(c.window.inputs());
    const X *first_channel = data + group * c.in_channels * plane;
    const int64_t image_stride = c.groups * c.in_channels * plane;
    if constexpr (std::is_same_v<T, X>) {
      if (in_place && columns == width && column % pixels + columns <= pixels)
        return {first_channel + column / pixels * image_stride + column % pixels + k0 * pixels,
                pixels, column_block};
    }
    constexpr int most_runs = 2 * tile_shape::vectors * vec<T>::lanes;
    run runs[array_size(most_runs)];
    int count = 0;
    const index<S + 1> outputs = join(index<1>{{c.batch}}, c.window.counts());
    for (int64_t at = 0; at < columns;) {
      const index<S + 1> i = unflatten(column + at, outputs);
      run &r = runs[count++];
      r.image = first_channel + i[0] * image_stride;
      for (int d = 0; d < S; ++d)
        r.q[d] = i[d + 1];
      r.at = at;
      r.length = outputs[S] - i[S] < columns - at ? outputs[S] - i[S] : columns - at;
      at += r.length;
    }
    T *to = buffer;
    walk(join(index<1>{{c.in_channels}}, c.window.tap_counts()), k0, k0 + steps,
         [&](const index<S + 1> &k) {
           for (int i = 0; i < count; ++i)
             gather(runs[i], k, plane, to + runs[i].at);
           for (int64_t j = columns; j < width; ++j)
             to[j] = T{};
           to += width;
         });
    return {buffer, width, column_block};
  }

  CAMEO_INLINE panel_rows<T> ahead(int64_t, int64_t) const { return {nullptr, 0, 0}; }

  /// The inputs that one tap of one channel gives to a run.
  CAMEO_INLINE void gather(const run &r, const index<S + 1> &k, int64_t plane, T *to) const {
    const X *from = r.image + k[0] * plane;
    int64_t row = 0;
    bool inside = true;
    for (int d = 0; d < S - 1; ++d) {
      const int64_t i = c.window.at[d].input_of(r.q[d], k[d + 1]);
      inside = inside && c.window.at[d].inside(i);
      row = row * c.window.at[d].input + i;
    }
    const cameo::taps &last = c.window.at[S - 1];
    const int64_t start = last.input_of(r.q[S - 1], k[S]);
    if (!inside) {
      for (int64_t j = 0; j < r.length; ++j)
        to[j] = T{};
      return;
    }
    from += row * last.input;
    if (last.step == 1) {
      const int64_t missing = start < 0 ? (-start < r.length ? -start : r.length) : 0;
      const int64_t available = last.input - start;
      const int64_t end =
          available < r.length ? (available > missing ? available : missing) : r.length;
      for (int64_t j = 0; j < missing; ++j)
        to[j] = T{};
      CAMEO_INDEPENDENT
      for (int64_t j = missing; j < end; ++j)
        to[j] = cast<T>(from[start + j]);
      for (int64_t j = end; j < r.length; ++j)
        to[j] = T{};
    } else {
      for (int64_t j = 0; j < r.length; ++j) {
        const int64_t i = start + j * last.step;
        to[j] = last.inside(i) ? cast<T>(from[i]) : T{};
      }
    }
  }
};

template <class T, int S, class X, class W, class STORE>
CAMEO_INLINE void convolve_product(exec &e, const convolution<S> &c, const X *x, const W *w,
                                   const STORE &store) {
  const int64_t pixels = c.pixels();
  const multiply_plan plan =
      plan_multiply<T>(c.groups, c.out_channels, c.batch * pixels, c.depth());
  auto *memory =
      static_cast<T *>(e.scratch(static_cast<size_t>(plan.elements(e.threads())) * sizeof(T)));
  if (memory == nullptr)
    return;
  bool pointwise = plan.panels <= 2;
  for (int d = 0; d < S; ++d) {
    const cameo::taps &t = c.window.at[d];
    pointwise = pointwise && t.taps == 1 && t.step == 1 && t.base == 0 && t.count == t.input;
  }
  const index<S + 1> outputs = join(index<1>{{c.batch}}, c.window.counts());
  const conv_weights<T, W, S> left = {w, c};
  const conv_inputs<T, X, S> right = {x, c, pointwise};
  multiply<T>(e, plan, memory, left, right,
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
                    store(join(index<2>{{i[0], oc}}, c.window.output_of(q)),
                          static_cast<product_t<X, W>>(values[done + j]));
                  }
                  done += length;
                }
              });
}

/// Bytes of scratch of either way.
template <class X, class W, int S> int64_t convolve_scratch(const convolution<S> &c, int threads) {
  using T = conv_element<X, W>;
  if (c.batch * c.groups * c.out_channels * c.pixels() <= 0)
    return 0;
  const int64_t elements =
      c.out_channels <= direct_channels
          ? direct_elements<T>(c) * threads
          : plan_multiply<T>(c.groups, c.out_channels, c.batch * c.pixels(), c.depth())
                .elements(threads);
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
