// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pad<MODE>: where each output element comes from, in what negative pads leave of the input.
#pragma once

#include "cameo/common/coordinates.h"
#include "cameo/common/params.h"
#include "cameo/scalar.h"

namespace cameo {

enum class pad_mode { constant, reflect, edge, wrap };

/// The position that position i of an axis of this extent reads, possibly outside, or -1 for the
/// value.
template <pad_mode MODE> CAMEO_DEVICE constexpr int64_t pad_source(int64_t i, int64_t extent) {
  if (i >= 0 && i < extent)
    return i;
  if (MODE == pad_mode::constant || extent <= 0)
    return -1;
  if constexpr (MODE == pad_mode::edge)
    return i < 0 ? 0 : extent - 1;
  if constexpr (MODE == pad_mode::wrap) {
    const int64_t r = i % extent;
    return r < 0 ? r + extent : r;
  }
  // Reflection repeats with this period; its second half runs backwards.
  const int64_t period = extent > 1 ? 2 * (extent - 1) : 1;
  int64_t r = i % period;
  r = r < 0 ? r + period : r;
  return r < extent ? r : period - r;
}

/// The part of the input that negative pads leave: `extent` positions from `first` on. The output
/// has them from `shift` on, and modes repeat nothing else.
template <int R> struct padded_input { index<R> first, extent, shift; };

template <int R>
CAMEO_DEVICE constexpr padded_input<R> keep_of(const index<R> &input, const index<R> &output,
                                               const index<R> &begin) {
  padded_input<R> kept{};
  for (int d = 0; d < R; ++d) {
    kept.first[d] = begin[d] >= 0 ? 0 : begin[d] > -input[d] ? -begin[d] : input[d];
    kept.shift[d] = max(begin[d], int64_t{0});
    // Pads at the end are negative where the output is shorter than what is left.
    kept.extent[d] = max(min(input[d] - kept.first[d], output[d] - kept.shift[d]), int64_t{0});
  }
  return kept;
}

/// One row of the output (its last dimension); `from`, the first element that is left, is null
/// where all of it is the value.
template <pad_mode MODE, class T, class STORE, int R> struct padded_row {
  const T *from;
  T value;
  index<R - 1> row;
  int64_t shift, extent;
  STORE store; // no reference, as in gather.h

  CAMEO_DEVICE void operator()(const index<1> &j) const {
    const int64_t at = pad_source<MODE>(j[0] - shift, extent);
    store(append(row, j[0]), from != nullptr && at >= 0 ? from[at] : value);
  }
};

template <pad_mode MODE, class T, class VALUE, class STORE, int R> struct pad_rows {
  const T *x;
  VALUE value;
  STORE store;
  index<R> input;
  padded_input<R> kept;

  CAMEO_DEVICE padded_row<MODE, T, STORE, R> operator()(const index<R - 1> &i) const {
    int64_t row = 0;
    bool inside = true;
    if constexpr (R > 1)
      for (int d = 0; d < R - 1; ++d) {
        const int64_t at = pad_source<MODE>(i[d] - kept.shift[d], kept.extent[d]);
        inside = inside && at >= 0;
        row = row * input[d] + kept.first[d] + at;
      }
    return {inside ? x + row * input[R - 1] + kept.first[R - 1] : nullptr,
            value(index<0>{}),
            i,
            kept.shift[R - 1],
            kept.extent[R - 1],
            store};
  }
};

template <pad_mode MODE, class P, class T, class VALUE, class STORE>
CAMEO_DEVICE auto make_pad_rows(const P &p, const T *x, VALUE value, STORE store) {
  constexpr int R = P::rank;
  const index<R> input = input_of<R>(p);
  return pad_rows<MODE, T, VALUE, STORE, R>{x, value, store, input,
                                            keep_of(input, output_of<R>(p), begin_of<R>(p))};
}

} // namespace cameo
