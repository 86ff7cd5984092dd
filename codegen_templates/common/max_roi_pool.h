// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// max_roi_pool: the greatest element of each bin of a region. A body over the whole output.
#pragma once

#include "cameo/abi.h"
#include "cameo/common/combine.h"
#include "cameo/common/coordinates.h"
#include "cameo/common/params.h"
#include "cameo/common/types.h"

namespace cameo {

/// The elements of a bin along one axis.
struct roi_bin {
  int64_t begin, end;
};

template <class T, class FLAG, class STORE> struct max_roi_pool_body {
  using A = accumulator_t<T>;

  const T *x, *rois;
  STORE store;
  FLAG flag;
  int64_t batch, channels;
  index<2> input, output;
  A spatial_scale;

  /// An edge of a region as the number of an element.
  CAMEO_DEVICE int64_t element(T edge) const {
    const A at = cast<A>(edge) * spatial_scale, size = abs(at), whole = floor(size);
    const A away = size - whole >= A(0.5) ? whole + 1 : whole;
    return cast<int32_t>(at < 0 ? -away : away);
  }

  CAMEO_DEVICE roi_bin bin(const T *region, int d, int64_t number) const {
    const int64_t first = element(region[2 - d]), last = element(region[4 - d]);
    const A size = static_cast<A>(max(last - first + 1, int64_t{1})) / static_cast<A>(output[d]);
    const int64_t begin = first + cast<int64_t>(floor(static_cast<A>(number) * size));
    const int64_t end = first + cast<int64_t>(ceil(static_cast<A>(number + 1) * size));
    return {min(max(begin, int64_t{0}), input[d]), min(max(end, int64_t{0}), input[d])};
  }

  /// Region, channel, row and column.
  CAMEO_DEVICE void operator()(const index<4> &i) const {
    const T *region = rois + i[0] * 5;
    const int64_t image = cast<int64_t>(cast<A>(region[0]));
    const roi_bin rows = bin(region, 0, i[2]), columns = bin(region, 1, i[3]);
    if (image < 0 || image >= batch) {
      raise(flag, CAMEO_OUT_OF_RANGE, image, batch);
      store(i, A{0});
      return;
    }
    const T *plane = x + (image * channels + i[1]) * volume(input);
    const bool is_empty = rows.begin >= rows.end || columns.begin >= columns.end;
    A result = is_empty ? A{0} : lowest_value<A>();
    for (int64_t row = rows.begin; row < rows.end; ++row)
      for (int64_t column = columns.begin; column < columns.end; ++column)
        result = max(result, cast<A>(plane[row * input[1] + column]));
    store(i, result);
  }
};

template <class P, class T, class FLAG, class STORE>
CAMEO_DEVICE auto make_max_roi_pool(const P &p, const T *x, const T *rois, FLAG flag, STORE store) {
  return max_roi_pool_body<T, FLAG, STORE>{x,
                                           rois,
                                           store,
                                           flag,
                                           p.batch,
                                           p.channels,
                                           input_of<2>(p),
                                           output_of<2>(p),
                                           cast<accumulator_t<T>>(p.spatial_scale)};
}

} // namespace cameo
