// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// resize<MODE>: which input elements an output element is made of, and with what weights, axis by
// axis (ONNX Resize). Coordinates are computed in double, sums in the accumulator's type.
#pragma once

#include "cameo/common/coordinates.h"
#include "cameo/common/params.h"
#include "cameo/common/types.h"

namespace cameo {

enum class resize_mode { nearest, linear, cubic };
enum class coordinate_mode {
  half_pixel,
  half_pixel_symmetric,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_crop_and_resize
};
enum class nearest_rounding { round_prefer_floor, round_prefer_ceil, floor, ceil };

/// The geometry of one axis. Its scale is up / down: a coordinate is multiplied by the one before
/// it is divided by the other, so that one which lies halfway between two elements is exact.
struct resize_axis {
  int64_t input, output;
  double up, down, roi_start, roi_end;
  CAMEO_DEVICE constexpr double scale() const { return up / down; }
  CAMEO_DEVICE constexpr double from_output(double x) const { return x * down / up; }
};

/// The position on the input axis that output position o stands for.
template <coordinate_mode COORDINATE>
CAMEO_DEVICE constexpr double resize_coordinate(const resize_axis &a, int64_t o) {
  const double x = static_cast<double>(o), input = static_cast<double>(a.input);
  const double width = a.up * input / a.down; // the output's, before rounding
  if constexpr (COORDINATE == coordinate_mode::half_pixel)
    return a.from_output(x + 0.5) - 0.5;
  else if constexpr (COORDINATE == coordinate_mode::half_pixel_symmetric)
    return input / 2 * (1 - static_cast<double>(a.output) / width) + a.from_output(x + 0.5) - 0.5;
  else if constexpr (COORDINATE == coordinate_mode::pytorch_half_pixel)
    return a.output > 1 ? a.from_output(x + 0.5) - 0.5 : 0;
  else if constexpr (COORDINATE == coordinate_mode::align_corners)
    return width == 1 ? 0 : x * (input - 1) / (width - 1);
  else if constexpr (COORDINATE == coordinate_mode::asymmetric)
    return a.from_output(x);
  else
    return a.roi_start * (input - 1) +
           (width == 1 ? (a.roi_end - a.roi_start) * (input - 1) / 2
                       : x * (a.roi_end - a.roi_start) * (input - 1) / (width - 1));
}

/// The cubic kernel at distance x.
template <class A> CAMEO_DEVICE constexpr A cubic_weight(A x, A a) {
  x = abs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2)
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

/// The inputs of one output position along one axis: `count` neighbours from `first` on, positions
/// beyond an edge standing for the edge.
template <class A> struct resize_taps {
  int64_t first, count, input;
  A ratio;          // where the coordinate lies between neighbours count/2 - 1 and count/2
  A scale, divisor; // antialiasing: the kernel is stretched by 1 / scale, weights sum to divisor
  A cubic_coeff_a;
  bool exclude_outside;

  CAMEO_DEVICE bool inside(int64_t k) const { return first + k >= 0 && first + k < input; }
  CAMEO_DEVICE int64_t position(int64_t k) const {
    const int64_t i = first + k;
    return i < 0 ? 0 : i < input ? i : input - 1;
  }
  template <resize_mode MODE> CAMEO_DEVICE A kernel(int64_t k) const {
    if (exclude_outside && !inside(k))
      return 0;
    const A distance = (static_cast<A>(k - count / 2 + 1) - ratio) * scale;
    if constexpr (MODE == resize_mode::cubic)
      return cubic_weight(distance, cubic_coeff_a);
    const A w = 1 - abs(distance);
    return w > 0 ? w : 0;
  }
  template <resize_mode MODE> CAMEO_DEVICE A weight(int64_t k) const {
    return count == 1 ? A{1} : kernel<MODE>(k) / divisor;
  }
};

/// MODE, COORDINATE, NEAREST as in p; a row body over the last axis.
template <resize_mode MODE, coordinate_mode COORDINATE, nearest_rounding NEAREST, bool ANTIALIAS,
          class T, class STORE, int R>
struct resize_rows {
  static constexpr bool nearest = MODE == resize_mode::nearest;
  using sum_type = std::conditional_t<std::is_same_v<T, double>, double, float>;
  using V = std::conditional_t<nearest, T, sum_type>;
  using taps = resize_taps<sum_type>;

  const T *x;
  STORE store;
  resize_axis axes[array_size(R)];
  sum_type cubic_coeff_a;
  bool exclude_outside;
  V extrapolation_value;

  static constexpr bool crops = COORDINATE == coordinate_mode::tf_crop_and_resize;
  static constexpr int64_t radius = MODE == resize_mode::cubic ? 2 : 1;

  /// Whether an axis is copied through.
  CAMEO_DEVICE static bool is_copied(const resize_axis &a) {
    return !crops && a.input == a.output && a.up == a.down;
  }
  /// Neighbours on each side of a coordinate.
  CAMEO_DEVICE static int64_t reach_of(const resize_axis &a) {
    if (ANTIALIAS && a.up < a.down)
      return 1 - cast<int64_t>(floor(-static_cast<double>(radius) / a.scale()) + 1);
    return radius;
  }
  /// The count of the taps of an axis, except where it extrapolates.
  CAMEO_DEVICE static int64_t count_of(const resize_axis &a) {
    return nearest || is_copied(a) ? 1 : 2 * reach_of(a);
  }

  /// The taps of output position o; count 0: extrapolate.
  CAMEO_DEVICE taps axis_taps(const resize_axis &a, int64_t o) const {
    taps t = {o, 1, a.input, 0, 1, 1, cubic_coeff_a, exclude_outside};
    if (is_copied(a))
      return t;
    const double at = resize_coordinate<COORDINATE>(a, o);
    if (crops && !(at >= 0 && at <= static_cast<double>(a.input - 1))) {
      t.count = 0;
      return t;
    }
    // A whole coordinate lies at ratio 1 behind its left neighbour, as in ONNX's reference.
    const double left = ceil(at) - 1;
    const double ratio = at - left;
    const int64_t base = cast<int64_t>(left);
    if constexpr (nearest) {
      const bool right = NEAREST == nearest_rounding::round_prefer_floor  ? ratio > 0.5
                         : NEAREST == nearest_rounding::round_prefer_ceil ? ratio >= 0.5
                         : NEAREST == nearest_rounding::floor             ? ratio == 1
                                                                          : true;
      t.first = base + right;
      return t;
    } else {
      const int64_t reach = reach_of(a);
      if (ANTIALIAS && a.up < a.down)
        t.scale = static_cast<sum_type>(a.scale());
      t.first = base + 1 - reach;
      t.count = 2 * reach;
      t.ratio = static_cast<sum_type>(ratio);
      if (ANTIALIAS || exclude_outside) {
        t.divisor = 0;
        for (int64_t k = 0; k < t.count; ++k)
          t.divisor += t.template kernel<MODE>(k);
      }
      return t;
    }
  }

  /// The value of axes D.. at flat position `at` of the axes before.
  template <int D> CAMEO_DEVICE V value(const taps (&t)[array_size(R)], int64_t at) const {
    if constexpr (D == R) {
      return cast<V>(x[at]);
    } else if constexpr (nearest) {
      return value<D + 1>(t, at * axes[D].input + t[D].position(0));
    } else {
      if (t[D].count == 1)
        return value<D + 1>(t, at * axes[D].input + t[D].position(0));
      V sum = 0;
      for (int64_t k = 0; k < t[D].count; ++k) {
        const V w = t[D].template weight<MODE>(k);
        if (w != 0)
          sum += w * value<D + 1>(t, at * axes[D].input + t[D].position(k));
      }
      return sum;
    }
  }

  struct row {
    const resize_rows &self;
    index<R - 1> at;
    taps t[array_size(R)];
    bool outside;

    CAMEO_DEVICE void operator()(const index<1> &j) const {
      taps all[array_size(R)];
      for (int d = 0; d < R - 1; ++d)
        all[d] = t[d];
      all[R - 1] = self.axis_taps(self.axes[R - 1], j[0]);
      self.store(append(at, j[0]), outside || all[R - 1].count == 0
                                       ? self.extrapolation_value
                                       : self.template value<0>(all, 0));
    }
  };

  CAMEO_DEVICE row operator()(const index<R - 1> &i) const {
    row r = {*this, i, {}, false};
    if constexpr (R > 1)
      for (int d = 0; d < R - 1; ++d) {
        r.t[d] = axis_taps(axes[d], i[d]);
        r.outside = r.outside || r.t[d].count == 0;
      }
    return r;
  }
};

template <resize_mode MODE, class P, class T, class STORE>
CAMEO_DEVICE auto make_resize_rows(const P &p, const T *x, STORE store) {
  constexpr int R = P::rank;
  resize_rows<MODE, P::coordinate, P::nearest_mode, antialias_v<P>, T, STORE, R> rows = {
      x, store, {}, {}, exclude_outside_or(p, false), {}};
  using body = decltype(rows);
  rows.cubic_coeff_a = static_cast<typename body::sum_type>(cubic_coeff_a_or(p, -0.75f));
  rows.extrapolation_value = cast<typename body::V>(extrapolation_value_or(p, 0.0f));
  const index<R> input = input_of<R>(p), output = output_of<R>(p);
  const scale_fractions<R> scales = scales_of<R>(p);
  const real_array<2 *R> roi = roi_or_all<R>(p);
  for (int d = 0; d < R; ++d)
    rows.axes[d] = {input[d], output[d], scales.up[d], scales.down[d], roi[d], roi[R + d]};
  return rows;
}

} // namespace cameo
