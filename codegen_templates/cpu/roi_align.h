// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// roi_align<MODE>: some bins of a region for all channels at a time, whose samples' elements are
// found once and read vector by vector; where samples are many, a row of bins. Where regions are
// many for their images, channels lie as lines, and an element of all is one load.
#pragma once

#include "cameo/cpu/channel_lines.h"
#include "cameo/cpu/for_each.h"

#include "cameo/common/roi_align.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// One row of bins.
template <class IMAGES, class STORE> struct roi_align_row {
  using A = typename IMAGES::A;
  static constexpr int64_t most_taps = has_small_stack ? 4 : 64;

  const IMAGES &images;
  const STORE &store;
  index<2> at; // region, row
  int64_t image;
  roi_axis<A> columns;
  roi_samples<A> rows;
  bool keeps_taps;
  roi_taps<A> vertical[array_size(most_taps)], horizontal[array_size(most_taps)];

  roi_align_row(const IMAGES &of, const STORE &to, const index<2> &i, int64_t number)
      : images(of), store(to), at(i), image(number), columns(of.axis(i[0], 1)),
        rows(of.axis(i[0], 0).samples(i[1])) {
    const int64_t bins = images.output[1], count = columns.samples(0).count;
    keeps_taps = rows.count <= most_taps && bins <= most_taps && count <= most_taps &&
                 bins * count <= most_taps;
    if (!keeps_taps)
      return;
    for (int64_t r = rows.begin; r < rows.end; ++r)
      vertical[r] = rows(r);
    for (int64_t bin = 0; bin < bins; ++bin) {
      const roi_samples<A> samples = columns.samples(bin);
      for (int64_t c = samples.begin; c < samples.end; ++c)
        horizontal[bin * count + c] = samples(c);
    }
  }

  /// Channel and column.
  void operator()(const index<2> &k) const {
    const index<4> i = {{at[0], k[0], at[1], k[1]}};
    if (image < 0) {
      store(i, A{0});
      return;
    }
    const auto *plane = images.plane(image, k[0]);
    const roi_samples<A> samples = columns.samples(k[1]);
    if (keeps_taps)
      store(i, images.pool(
                   plane, rows, [&](int64_t r) { return vertical[r]; }, samples,
                   [&](int64_t c) { return horizontal[k[1] * samples.count + c]; }));
    else
      store(i, images.pool(plane, rows, rows, samples, samples));
  }
};

/// Channels of a line.
constexpr int region_line = 16;
/// Some channels of an image: where they lie as lines, if they do, blocks of them one behind
/// another.
template <class A> struct region_channels {
  span channels;
  const A *lines;
};

/// Bins of a region whose samples are few, for all channels.
template <roi_align_mode MODE, class IMAGES, class STORE> class roi_align_bins {
  using A = typename IMAGES::A;
  static constexpr int64_t lanes = has_small_stack ? 4 : 16, most_groups = has_small_stack ? 2 : 32;
  static constexpr int64_t most_taps = has_small_stack ? 4 : 64, strip = 64;

public:
  roi_align_bins(const IMAGES &images, const STORE &store, int64_t region)
      : images(images), store(store), region(region), rows(images.axis(region, 0)),
        columns(images.axis(region, 1)), down(rows.samples(0).count),
        across(columns.samples(0).count) {}

  /// Whether tables have room for them, and none of the samples is left out.
  bool are_taken() const {
    return has_room(down, images.output[0], rows.extent) &&
           has_room(across, images.output[1], columns.extent) && down * across <= most_groups &&
           rows.extent > 0 && columns.extent > 0 && rows.extent * columns.extent < int64_t{1} << 31;
  }

  /// All bins of some channels.
  void visit(int64_t image, const region_channels<A> &some) {
    const int64_t all = volume(images.output), groups = most_groups / (down * across);
    const int64_t most = groups * lanes;
    for (int64_t first = 0; first < all; first += most) {
      const int64_t count = all - first < most ? all - first : most;
      if constexpr (!has_small_stack)
        if (some.lines != nullptr) {
          visit_lines(some, first, count);
          continue;
        }
      visit(image, some.channels, first, count);
    }
  }

private:
  static bool has_room(int64_t count, int64_t bins, int64_t extent) {
    return count > 0 && count <= most_taps && bins <= most_taps && count * bins <= most_taps &&
           count <= 2 * extent + 4;
  }

  CAMEO_NOINLINE void visit(int64_t image, const span &channels, int64_t first, int64_t count) {
    find(first, count);
    for (int64_t channel = channels.begin; channel < channels.end; ++channel) {
      const auto *plane = images.plane(image, channel);
      alignas(64) A value[array_size(most_groups * lanes)];
      for (int64_t done = 0; done < count; done += lanes)
        read(plane, done / lanes * down * across, value + done);
      store_run(index<2>{{region, channel}}, images.output, first, count, value, store);
    }
  }

  CAMEO_NOINLINE void visit_lines(const region_channels<A> &some, int64_t first, int64_t count) {
    find(first, count);
    const auto plane = static_cast<int32_t>(rows.extent * columns.extent);
    const int64_t groups = ceil_div(count, lanes) * down * across;
    for (int64_t group = 0; group < groups; ++group)
      for (int k = 0; k < 4; ++k)
        for (int64_t l = 0; l < lanes; ++l)
          place[group][k][l] = place[group][k][l] < 0 ? plane : place[group][k][l];
    const A *lines = some.lines;
    for (int64_t c = some.channels.begin; c < some.channels.end; c += region_line) {
      const int64_t left = some.channels.end - c;
      for (int64_t done = 0; done < count; done += strip)
        read_strip(lines, c, left < region_line ? left : region_line, first, done,
                   count - done < strip ? count - done : strip);
      lines += (int64_t{plane} + 1) * region_line;
    }
  }
  /// Some bins of a block of channels.
  CAMEO_INLINE void read_strip(const A *lines, int64_t channel, int64_t channels, int64_t first,
                               int64_t done, int64_t count) {
    alignas(64) A by_bin[array_size(strip)][array_size(region_line)],
        by_channel[array_size(region_line)][array_size(strip)];
    for (int64_t j = 0; j < count; ++j)
      for (int part = 0; part < region_line; part += line_part<A, region_line>::lanes)
        line_part<A, region_line>::store(by_bin[j] + part, line_bin(lines + part, done + j));
    turn<region_line>(by_bin[0], region_line, count, region_line, by_channel[0], strip);
    for (int64_t c = 0; c < channels; ++c)
      store_run(index<2>{{region, channel + c}}, images.output, first + done, count, by_channel[c],
                store);
  }

  /// Fills the tables; bins beyond the count have samples that are 0.
  CAMEO_NOINLINE void find(int64_t first, int64_t count) {
    roi_taps<A> vertical[array_size(most_taps)], horizontal[array_size(most_taps)];
    find_axis(rows, images.output[0], down, vertical);
    find_axis(columns, images.output[1], across, horizontal);
    const roi_taps<A> none = {-1, -1, 0};
    for (int64_t i = 0; i < ceil_div(count, lanes) * lanes; ++i) {
      const int64_t bin = first + i, row = bin / images.output[1], column = bin % images.output[1];
      for (int64_t r = 0; r < down; ++r)
        for (int64_t c = 0; c < across; ++c)
          add_sample(i / lanes * down * across + r * across + c, i % lanes,
                     i < count ? vertical[row * down + r] : none,
                     i < count ? horizontal[column * across + c] : none);
    }
  }
  static CAMEO_INLINE void find_axis(const roi_axis<A> &axis, int64_t bins, int64_t count,
                                     roi_taps<A> *to) {
    for (int64_t bin = 0; bin < bins; ++bin) {
      const roi_samples<A> samples = axis.samples(bin);
      for (int64_t n = 0; n < count; ++n)
        to[bin * count + n] = samples(n);
    }
  }
  CAMEO_INLINE void add_sample(int64_t group, int64_t lane, const roi_taps<A> &v,
                               const roi_taps<A> &h) {
    const bool is_inside = v.low >= 0 && h.low >= 0;
    const int64_t of[4] = {v.low * columns.extent + h.low, v.low * columns.extent + h.high,
                           v.high * columns.extent + h.low, v.high * columns.extent + h.high};
    const A by[4] = {(1 - v.weight) * (1 - h.weight), (1 - v.weight) * h.weight,
                     v.weight * (1 - h.weight), v.weight * h.weight};
    for (int k = 0; k < 4; ++k) {
      place[group][k][lane] = is_inside ? static_cast<int32_t>(of[k]) : -1;
      weight[group][k][lane] = is_inside ? by[k] : A{0};
    }
  }

  /// max(a, b) without a branch, of numbers or of vectors.
  template <class V> static CAMEO_INLINE V greater(V a, V b) {
    const V number = a < b ? b : a;
    return b != b ? b : number;
  }
  /// A bin of some channels, whose lines begin there.
  CAMEO_INLINE auto line_bin(const A *lines, int64_t bin) const {
    constexpr bool is_max = MODE == roi_align_mode::max;
    using part = line_part<A, region_line>;
    using V = typename part::type;
    const int64_t group = bin / lanes * down * across, l = bin % lanes;
    V result = (is_max ? lowest_value<A>() : A{0}) - V{};
    for (int64_t sample = group; sample < group + down * across; ++sample) {
      const auto element = [&](int k) CAMEO_INLINE_BODY {
        return weight[sample][k][l] *
               part::load(lines + int64_t{place[sample][k][l]} * region_line);
      };
      const V a = element(0), b = element(1), c = element(2), d = element(3);
      if constexpr (is_max)
        result = greater(result, greater(greater(a, b), greater(c, d)));
      else
        result += a + b + c + d;
    }
    if constexpr (!is_max)
      result /= static_cast<A>(down) * static_cast<A>(across) - V{};
    return result;
  }
  /// The bins of a vector, whose samples are in the tables from a group on.
  template <class T> CAMEO_NOINLINE void read(const T *plane, int64_t group, A *to) const {
    constexpr bool is_max = MODE == roi_align_mode::max;
    alignas(64) A result[array_size(lanes)];
    for (int64_t l = 0; l < lanes; ++l)
      result[l] = is_max ? lowest_value<A>() : A{0};
    for (int64_t sample = group; sample < group + down * across; ++sample) {
      const auto element = [&](int k, int64_t l) CAMEO_INLINE_BODY {
        const int32_t at = place[sample][k][l];
        const A read = cast<A>(plane[at < 0 ? 0 : at]);
        return weight[sample][k][l] * (at < 0 ? A{0} : read);
      };
      CAMEO_INDEPENDENT_LANES
      for (int64_t l = 0; l < lanes; ++l) {
        const A a = element(0, l), b = element(1, l), c = element(2, l), d = element(3, l);
        result[l] = is_max ? greater(result[l], greater(greater(a, b), greater(c, d)))
                           : result[l] + (a + b + c + d);
      }
    }
    const A number = static_cast<A>(down) * static_cast<A>(across);
    for (int64_t l = 0; l < lanes; ++l)
      to[l] = is_max ? result[l] : result[l] / number;
  }

  const IMAGES &images;
  const STORE &store;
  const int64_t region;
  const roi_axis<A> rows, columns;
  /// Samples of a bin along either axis.
  const int64_t down, across;
  /// By samples of 16 bins: the four elements of a plane around it, -1 for one that is 0.
  alignas(64) int32_t place[array_size(most_groups)][4][array_size(lanes)];
  alignas(64) A weight[array_size(most_groups)][4][array_size(lanes)];
};

/// Some channels of a region whose samples are few, by a call of its own: the stack is not for both
/// ways at once.
template <roi_align_mode MODE, class A, class IMAGES, class STORE>
CAMEO_NOINLINE bool roi_align_few(const IMAGES &images, const STORE &store, int64_t region,
                                  int64_t image, const region_channels<A> &some) {
  roi_align_bins<MODE, IMAGES, STORE> bins(images, store, region);
  if (!bins.are_taken())
    return false;
  bins.visit(image, some);
  return true;
}

/// The same by rows, whatever the samples are.
template <class IMAGES, class STORE>
CAMEO_NOINLINE void roi_align_by_rows(const IMAGES &images, const STORE &store, int64_t region,
                                      int64_t image, const span &channels) {
  for (int64_t row = 0; row < images.output[0]; ++row) {
    const roi_align_row<IMAGES, STORE> bins(images, store, {{region, row}}, image);
    for (int64_t channel = channels.begin; channel < channels.end; ++channel)
      for_row(index<1>{{channel}}, 0, images.output[1], bins);
  }
}

/// Some channels of a region.
template <roi_align_mode MODE, class A, class IMAGES, class STORE>
CAMEO_NOINLINE void roi_align_region(const IMAGES &images, const STORE &store, int64_t region,
                                     const region_channels<A> &some) {
  const int64_t image = images.image_of(region);
  if (image < 0 || !roi_align_few<MODE>(images, store, region, image, some))
    roi_align_by_rows(images, store, region, image, some.channels);
}

/// Whether planes become lines: of enough channels, and not much larger than what is read of them.
template <class P> bool has_region_lines(const P &p) {
  const int64_t plane = volume(input_of<2>(p)), bins = volume(output_of<2>(p));
  return !has_small_stack && p.channels > region_line / 4 && p.batch > 0 && plane > 0 &&
         plane < int64_t{1} << 31 && p.regions > 0 && bins > 0 &&
         p.batch * plane / 8 <= p.regions * bins;
}
/// Blocks of one image: how many are made at a time follows from that.
template <class P> line_blocks<region_line> region_lines_of(const P &p) {
  return {1, p.channels, volume(input_of<2>(p))};
}

/// Bytes that roi_align takes from e.scratch for elements of T.
template <class T, class P> int64_t roi_align_scratch(const P &p, int) {
  return has_region_lines(p) ? region_lines_of(p).template bytes<accumulator_t<T>>() : 0;
}

/// The regions of an image, some blocks of channels at a time; with those of the first image those
/// that have none.
template <roi_align_mode MODE, class A, class P, class IMAGES, class STORE>
CAMEO_NOINLINE void roi_align_image(exec &e, const P &p, const IMAGES &images, int64_t image,
                                    A *lines, const STORE &store) {
  const line_blocks<region_line> blocks = region_lines_of(p);
  const int64_t all = blocks.all(), together = blocks.template together<A>();
  for (int64_t first = 0; first < all; first += together) {
    const int64_t behind = all - first < together ? all : first + together;
    blocks.make(e, images.plane(image, 0), span{first, behind}, lines);
    const int64_t end = behind * region_line < p.channels ? behind * region_line : p.channels;
    const region_channels<A> some = {{first * region_line, end}, lines};
    const int64_t work = (end - first * region_line) * volume(images.output);
    parallel_range(e, p.regions, work, [&](int64_t from, int64_t to) {
      for (int64_t region = from; region < to; ++region) {
        const int64_t of = images.batch_indices[region];
        if (of == image || (image == 0 && (of < 0 || of >= p.batch)))
          roi_align_region<MODE>(images, store, region, some);
      }
    });
  }
}

template <roi_align_mode MODE, class P, class T, class STORE>
void roi_align(exec &e, const P &p, const T *x, const T *rois, const int64_t *batch_indices,
               STORE store) {
  using A = accumulator_t<T>;
  const auto images = make_roi_align<MODE>(p, x, rois, batch_indices, e.flag());
  const int64_t elements = p.channels * volume(images.output);
  if (elements <= 0)
    return;
  if constexpr (!has_small_stack)
    if (has_region_lines(p)) {
      const auto bytes = static_cast<size_t>(roi_align_scratch<T>(p, e.threads()));
      auto *const lines = static_cast<A *>(e.scratch(bytes));
      if (lines == nullptr)
        return;
      for (int64_t image = 0; image < p.batch; ++image)
        roi_align_image<MODE>(e, p, images, image, lines, store);
      return;
    }
  e.parallel_if(p.regions * elements >= parallel_threshold, [&](int thread, int threads) {
    const bool by_regions = p.regions >= threads;
    const span regions = by_regions ? share(p.regions, thread, threads) : span{0, p.regions};
    const span channels = by_regions ? span{0, p.channels} : share(p.channels, thread, threads);
    for (int64_t region = regions.begin; region < regions.end; ++region)
      roi_align_region<MODE>(images, store, region, region_channels<A>{channels, nullptr});
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
