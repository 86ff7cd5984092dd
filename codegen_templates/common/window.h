// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which input positions an output position of a sliding window sees, dimension by dimension. A
// convolution is one `taps`; a transposed convolution is one for every residue of its output
// modulo the stride, over the kernel taps that hit that residue, so that no tap is ever wasted on a
// gap between inputs.
#pragma once

#include "cameo/index.h"

namespace cameo {

/// Output q and tap u see input q * step + base + u * increment, the kernel's tap first + u *
/// every; q counts from 0 to `count` and is the output start + q * spread of the result.
struct taps {
  int64_t input, count, taps;
  int64_t step, base, increment;
  int64_t first, every;
  int64_t start, spread;

  CAMEO_DEVICE constexpr int64_t input_of(int64_t q, int64_t u) const {
    return q * step + base + u * increment;
  }
  CAMEO_DEVICE constexpr bool inside(int64_t i) const { return i >= 0 && i < input; }
  CAMEO_DEVICE constexpr int64_t kernel_of(int64_t u) const { return first + u * every; }
  CAMEO_DEVICE constexpr int64_t output_of(int64_t q) const { return start + q * spread; }
};

CAMEO_DEVICE constexpr taps conv_taps(int64_t input, int64_t output, int64_t kernel, int64_t stride,
                                      int64_t dilation, int64_t pad) {
  return {input, output, kernel, stride, -pad, dilation, 0, 1, 0, 1};
}

/// From a tap that reaches the outputs of a residue to the next one that does.
CAMEO_DEVICE constexpr int64_t taps_apart(int64_t stride, int64_t dilation) {
  int64_t every = 1;
  while (every * dilation % stride != 0)
    ++every;
  return every;
}

/// The outputs o with o % stride == residue; residue < stride.
CAMEO_DEVICE constexpr taps conv_transpose_taps(int64_t input, int64_t output, int64_t kernel,
                                                int64_t stride, int64_t dilation, int64_t pad,
                                                int64_t residue) {
  // Tap t reaches output o from input (o + pad - t * dilation) / stride where that is whole.
  int64_t first = 0;
  while (first < stride && (residue + pad - first * dilation) % stride != 0)
    ++first;
  const int64_t every = taps_apart(stride, dilation);
  // Every residue has as many where the kernel is whole strides long: a number known to a compiler
  // that does not know the residue.
  const bool whole = every == stride && kernel % stride == 0 && kernel > 0;
  const bool none = !whole && (first >= stride || first >= kernel);
  return {input,
          residue < output ? (output - residue - 1) / stride + 1 : 0,
          none    ? 0
          : whole ? kernel / stride
                  : (kernel - first - 1) / every + 1,
          1,
          none ? 0 : (residue + pad - first * dilation) / stride,
          none ? 0 : -(every * dilation / stride),
          first,
          every,
          residue,
          stride};
}

/// The taps of all S dimensions.
template <int S> struct window {
  taps at[array_size(S)];

  CAMEO_DEVICE constexpr index<S> counts() const {
    index<S> r{};
    for (int d = 0; d < S; ++d)
      r[d] = at[d].count;
    return r;
  }
  CAMEO_DEVICE constexpr index<S> tap_counts() const {
    index<S> r{};
    for (int d = 0; d < S; ++d)
      r[d] = at[d].taps;
    return r;
  }
  CAMEO_DEVICE constexpr index<S> inputs() const {
    index<S> r{};
    for (int d = 0; d < S; ++d)
      r[d] = at[d].input;
    return r;
  }
  /// The position in the result of output q.
  CAMEO_DEVICE constexpr index<S> output_of(const index<S> &q) const {
    index<S> r{};
    for (int d = 0; d < S; ++d)
      r[d] = at[d].output_of(q[d]);
    return r;
  }
  /// The flat position of tap u in a kernel of these extents.
  CAMEO_DEVICE constexpr int64_t kernel_of(const index<S> &u, const index<S> &kernel) const {
    int64_t flat = 0;
    for (int d = 0; d < S; ++d)
      flat = flat * kernel[d] + at[d].kernel_of(u[d]);
    return flat;
  }
  /// The input position that tap 0 of output q reads, and how far from it tap u does.
  CAMEO_DEVICE constexpr index<S> origin_of(const index<S> &q) const {
    index<S> r{};
    for (int d = 0; d < S; ++d)
      r[d] = at[d].input_of(q[d], 0);
    return r;
  }
  CAMEO_DEVICE constexpr index<S> away(const index<S> &u) const {
    index<S> r{};
    for (int d = 0; d < S; ++d)
      r[d] = u[d] * at[d].increment;
    return r;
  }
  /// Whether there is an input so far from an origin.
  CAMEO_DEVICE constexpr bool inside(const index<S> &origin, const index<S> &away) const {
    bool all = true;
    for (int d = 0; d < S; ++d)
      all &= at[d].inside(origin[d] + away[d]);
    return all;
  }
};

} // namespace cameo
