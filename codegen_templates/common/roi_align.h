// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// roi_align<MODE>: a region of an image in bins, each made of bilinear samples. A row body: called
// with region, channel and row of bins, it returns what gives the bins of that row.
#pragma once

#include "cameo/abi.h"
#include "cameo/common/combine.h"
#include "cameo/common/coordinates.h"
#include "cameo/common/params.h"
#include "cameo/common/types.h"

namespace cameo {

enum class roi_align_mode { avg, max };

/// A region along one axis: where it begins, and how long each of its bins is.
template <class A> struct roi_axis { A start, bin; };

/// The samples of a bin along one axis: `count`, of which those outside [begin, end) are 0.
template <class A> struct roi_samples {
  A start, bin;
  int64_t count, begin, end;

  CAMEO_DEVICE A place(int64_t i) const {
    return start + (static_cast<A>(i) + A(0.5)) * bin / static_cast<A>(count);
  }

  /// The first of the samples from `first` on for which `holds`, which then does for all that
  /// follow.
  template <class HOLDS> CAMEO_DEVICE int64_t find(int64_t first, const HOLDS &holds) const {
    int64_t last = count;
    while (first < last) {
      const int64_t middle = first + (last - first) / 2;
      if (holds(place(middle)))
        last = middle;
      else
        first = middle + 1;
    }
    return first;
  }
};

/// The elements around a place, and the second one's weight.
template <class A> struct roi_taps {
  int64_t low, high;
  A weight;
};

template <roi_align_mode MODE, class T, class STORE, class FLAG> struct roi_align_rows {
  using A = accumulator_t<T>;

  const T *x, *rois;
  const int64_t *batch_indices;
  STORE store;
  FLAG flag;
  int64_t batch, channels;
  index<2> input, output;
  int64_t sampling_ratio;
  A spatial_scale;
  bool half_pixel;

  CAMEO_DEVICE static bool is_near(A place, int64_t extent) {
    return place >= -1 && place <= static_cast<A>(extent);
  }

  CAMEO_DEVICE static roi_taps<A> taps(A place, int64_t extent) {
    const A inside = max(place, A{0});
    const int64_t low = cast<int64_t>(inside);
    if (low >= extent - 1)
      return {extent - 1, extent - 1, 0};
    return {low, low + 1, inside - static_cast<A>(low)};
  }

  /// Axis d of a region.
  CAMEO_DEVICE roi_axis<A> axis(const T *region, int d) const {
    const A offset = half_pixel ? A(0.5) : A{0};
    const A start = cast<A>(region[1 - d]) * spatial_scale - offset;
    const A end = cast<A>(region[3 - d]) * spatial_scale - offset;
    const A length = half_pixel ? end - start : max(end - start, A{1});
    return {start, length / static_cast<A>(output[d])};
  }

  CAMEO_DEVICE roi_samples<A> samples(const roi_axis<A> &along, int64_t bin, int64_t extent) const {
    const A start = along.start + static_cast<A>(bin) * along.bin;
    if (sampling_ratio > 0)
      return {start, along.bin, sampling_ratio, 0, sampling_ratio};
    // Of a region of any size only the samples near the image are visited.
    roi_samples<A> s = {start, along.bin, cast<int64_t>(ceil(along.bin)), 0, 0};
    s.begin = s.find(0, [](A place) { return place >= -1; });
    s.end = s.find(s.begin, [&](A place) { return !(place <= static_cast<A>(extent)); });
    // They are more than half an element apart, unless places are too large to tell them apart.
    const int64_t most = 2 * extent + 4;
    s.end = s.end - s.begin > most ? s.begin + most : s.end;
    return s;
  }

  /// One row of bins; `image` is null where the region has none.
  struct row {
    const roi_align_rows &self;
    index<3> at;
    const T *image;
    roi_axis<A> x;
    roi_samples<A> rows;

    CAMEO_DEVICE void operator()(const index<1> &j) const {
      const index<4> i = append(at, j[0]);
      if (image == nullptr)
        self.store(i, A{0});
      else
        self.store(i, self.bin(image, rows, self.samples(x, j[0], self.input[1])));
    }
  };

  CAMEO_DEVICE row operator()(const index<3> &i) const {
    const T *region = rois + i[0] * 4;
    const int64_t image = batch_indices[i[0]];
    const bool is_there = image >= 0 && image < batch;
    if (!is_there)
      raise(flag, CAMEO_OUT_OF_RANGE, image, batch);
    return {*this, i, is_there ? x + (image * channels + i[1]) * volume(input) : nullptr,
            axis(region, 1), samples(axis(region, 0), i[2], input[0])};
  }

  CAMEO_DEVICE A bin(const T *image, const roi_samples<A> &rows,
                     const roi_samples<A> &columns) const {
    if (rows.count <= 0 || columns.count <= 0)
      return A{0};
    const bool visits_all = rows.begin == 0 && rows.end == rows.count && columns.begin == 0 &&
                            columns.end == columns.count;
    A result = MODE == roi_align_mode::max && visits_all ? lowest_value<A>() : A{0};
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      const A y = rows.place(r);
      const roi_taps<A> v = taps(y, input[0]);
      for (int64_t c = columns.begin; c < columns.end; ++c) {
        const A x_place = columns.place(c);
        if (volume(input) > 0 && is_near(y, input[0]) && is_near(x_place, input[1]))
          result = with_sample(result, image, v, taps(x_place, input[1]));
        else if (MODE == roi_align_mode::max)
          result = max(result, A{0});
      }
    }
    if (MODE == roi_align_mode::max)
      return result;
    return result / (static_cast<A>(rows.count) * static_cast<A>(columns.count));
  }

  /// `result` with one more sample.
  CAMEO_DEVICE A with_sample(A result, const T *image, const roi_taps<A> &v,
                             const roi_taps<A> &h) const {
    const T *low = image + v.low * input[1], *high = image + v.high * input[1];
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

template <roi_align_mode MODE, class P, class T, class STORE, class FLAG>
CAMEO_DEVICE auto make_roi_align_rows(const P &p, const T *x, const T *rois,
                                      const int64_t *batch_indices, STORE store, FLAG flag) {
  return roi_align_rows<MODE, T, STORE, FLAG>{x,
                                              rois,
                                              batch_indices,
                                              store,
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
