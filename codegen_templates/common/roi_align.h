// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// roi_align<MODE>: a region of an image in bins, each made of bilinear samples. Here is the result
// of a region and of a bin; the targets differ in what their threads share.
#pragma once

#include "cameo/abi.h"
#include "cameo/common/combine.h"
#include "cameo/common/coordinates.h"
#include "cameo/common/params.h"
#include "cameo/common/types.h"

namespace cameo {

enum class roi_align_mode { avg, max };

/// The elements around a sample, and the second one's weight; without elements (-1) it is 0.
template <class A> struct roi_taps {
  int64_t low, high;
  A weight;
};

/// The samples of a bin along one axis: `count`, of which those outside [begin, end) are 0.
template <class A> struct roi_samples {
  A start, bin;
  int64_t extent, count, begin, end;

  CAMEO_DEVICE A coordinate(int64_t i) const {
    return start + (static_cast<A>(i) + A(0.5)) * bin / static_cast<A>(count);
  }

  CAMEO_DEVICE roi_taps<A> operator()(int64_t i) const {
    const A at = coordinate(i);
    if (extent <= 0 || !(at >= -1 && at <= static_cast<A>(extent)))
      return {-1, -1, 0};
    const A inside = max(at, A{0});
    const int64_t low = cast<int64_t>(inside);
    if (low >= extent - 1)
      return {extent - 1, extent - 1, 0};
    return {low, low + 1, inside - static_cast<A>(low)};
  }

  /// Leaves those that can lie on the image, for bins that are longer than any image.
  CAMEO_DEVICE void narrow() {
    begin = find(0, false);
    end = find(begin, true);
    // They are more than half an element apart, unless places are too large to tell them apart.
    const int64_t most = 2 * extent + 4;
    end = end - begin > most ? begin + most : end;
  }

  /// The first sample from `first` on that is not before the image or, if so asked, is behind it.
  /// Without a lambda: its call operator would be a weak symbol without the name of an ISA.
  CAMEO_DEVICE int64_t find(int64_t first, bool is_behind) const {
    int64_t last = count;
    while (first < last) {
      const int64_t middle = first + (last - first) / 2;
      const A at = coordinate(middle);
      if (is_behind ? !(at <= static_cast<A>(extent)) : at >= -1)
        last = middle;
      else
        first = middle + 1;
    }
    return first;
  }
};

/// A region along one axis: where it begins, and how long each of its bins is.
template <class A> struct roi_axis {
  A start, bin;
  int64_t extent, sampling_ratio;

  CAMEO_DEVICE roi_samples<A> samples(int64_t number) const {
    const A from = start + static_cast<A>(number) * bin;
    if (sampling_ratio > 0)
      return {from, bin, extent, sampling_ratio, 0, sampling_ratio};
    const int64_t count = max(cast<int64_t>(ceil(bin)), int64_t{0});
    roi_samples<A> s = {from, bin, extent, count, 0, count};
    if (count > 2 * extent + 4)
      s.narrow();
    return s;
  }
};

template <roi_align_mode MODE, class T, class FLAG> struct roi_align_images {
  using A = accumulator_t<T>;

  const T *x, *rois;
  const int64_t *batch_indices;
  FLAG flag;
  int64_t batch, channels;
  index<2> input, output;
  int64_t sampling_ratio;
  A spatial_scale;
  bool half_pixel;

  /// Axis d of a region.
  CAMEO_DEVICE roi_axis<A> axis(int64_t number, int d) const {
    const T *region = rois + number * 4;
    const A offset = half_pixel ? A(0.5) : A{0};
    const A start = cast<A>(region[1 - d]) * spatial_scale - offset;
    const A end = cast<A>(region[3 - d]) * spatial_scale - offset;
    const A length = half_pixel ? end - start : max(end - start, A{1});
    return {start, length / static_cast<A>(output[d]), input[d], sampling_ratio};
  }

  /// The image of a region; -1, with the error raised, when there is none.
  CAMEO_DEVICE int64_t image_of(int64_t number) const {
    const int64_t image = batch_indices[number];
    if (image >= 0 && image < batch)
      return image;
    raise(flag, CAMEO_OUT_OF_RANGE, image, batch);
    return -1;
  }

  CAMEO_DEVICE const T *plane(int64_t image, int64_t channel) const {
    return x + (image * channels + channel) * volume(input);
  }

  /// The value of a bin whose samples along the axes are those of `rows` and `columns`, their taps
  /// `v(i)` and `h(i)`.
  template <class V, class H>
  CAMEO_DEVICE A pool(const T *from, const roi_samples<A> &rows, const V &v,
                      const roi_samples<A> &columns, const H &h) const {
    if (rows.count <= 0 || columns.count <= 0)
      return A{0};
    const bool visits_all =
        rows.end - rows.begin == rows.count && columns.end - columns.begin == columns.count;
    A result = MODE == roi_align_mode::max && visits_all ? lowest_value<A>() : A{0};
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      const roi_taps<A> row = v(r);
      for (int64_t c = columns.begin; c < columns.end; ++c) {
        const roi_taps<A> column = h(c);
        if (row.low >= 0 && column.low >= 0)
          result = with_sample(result, from, row, column);
        else if (MODE == roi_align_mode::max)
          result = max(result, A{0});
      }
    }
    if (MODE == roi_align_mode::max)
      return result;
    return result / (static_cast<A>(rows.count) * static_cast<A>(columns.count));
  }

  CAMEO_DEVICE A with_sample(A result, const T *from, const roi_taps<A> &v,
                             const roi_taps<A> &h) const {
    const T *low = from + v.low * input[1], *high = from + v.high * input[1];
    const A a = (1 - v.weight) * (1 - h.weight) * cast<A>(low[h.low]);
    const A b = (1 - v.weight) * h.weight * cast<A>(low[h.high]);
    const A c = v.weight * (1 - h.weight) * cast<A>(high[h.low]);
    const A d = v.weight * h.weight * cast<A>(high[h.high]);
    if constexpr (MODE == roi_align_mode::max)
      return max(result, max(max(a, b), max(c, d)));
    else
      return result + (a + b + c + d);
  }
};

template <roi_align_mode MODE, class P, class T, class FLAG>
CAMEO_DEVICE auto make_roi_align(const P &p, const T *x, const T *rois,
                                 const int64_t *batch_indices, FLAG flag) {
  return roi_align_images<MODE, T, FLAG>{x,
                                         rois,
                                         batch_indices,
                                         flag,
                                         p.batch,
                                         p.channels,
                                         input_of<2>(p),
                                         output_of<2>(p),
                                         p.sampling_ratio,
                                         cast<accumulator_t<T>>(p.spatial_scale),
                                         p.half_pixel};
}

} // namespace cameo
