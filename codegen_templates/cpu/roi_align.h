// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// roi_align<MODE>: a row of bins for all channels at a time; where its samples are few, their taps
// are found once for them.
#pragma once

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
  roi_taps<A> vertical[most_taps], horizontal[most_taps];

  roi_align_row(const IMAGES &of, const STORE &to, const index<2> &i)
      : images(of), store(to), at(i), image(of.image_of(i[0])), columns(of.axis(i[0], 1)),
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

template <class IMAGES, class STORE> struct roi_align_rows {
  IMAGES images;
  STORE store;
  roi_align_row<IMAGES, STORE> operator()(const index<2> &i) const { return {images, store, i}; }
};

template <roi_align_mode MODE, class P, class T, class STORE>
void roi_align(exec &e, const P &p, const T *x, const T *rois, const int64_t *batch_indices,
               STORE store) {
  auto images = make_roi_align<MODE>(p, x, rois, batch_indices, e.flag());
  for_rows(e, index<2>{{p.regions, images.output[0]}}, index<2>{{p.channels, images.output[1]}},
           roi_align_rows<decltype(images), STORE>{images, store});
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
