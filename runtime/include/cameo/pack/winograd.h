// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Winograd's algorithms and the phases of images that stride. For kernels, and for the compiler,
// which transforms constants.
#pragma once

#include "cameo/config.h"

namespace cameo {

/// Elements along a side of what is multiplied, and the fewest outputs and taps along a side.
constexpr int winograd_sizes[] = {4, 6};
constexpr int least_winograd_tile = 2, least_winograd_taps = 2;

constexpr bool is_winograd(int64_t tile, int64_t taps) {
  bool is_size = false;
  for (int size : winograd_sizes)
    is_size |= tile + taps - 1 == size;
  return is_size && tile >= least_winograd_tile && taps >= least_winograd_taps;
}

/// Polynomials are multiplied by their values at 0, at a number of pairs, 1 and -1, then 2 and -2,
/// and at infinity. Taps are scaled at 0 and at both of a pair.
template <int SIZE, class T> struct winograd_scales;

template <class T> struct winograd_scales<4, T> {
  static constexpr T at_zero = 1, at_pair[] = {T(1) / 2};
};

template <class T> struct winograd_scales<6, T> {
  static constexpr T at_zero = T(1) / 4, at_pair[] = {T(-1) / 6, T(1) / 24};
};

/// The point of pair `pair` that is positive, to the power of `exponent`.
CAMEO_DEVICE constexpr int winograd_power(int pair, int exponent) { return 1 << pair * exponent; }

/// Channels of what is read at a number of taps: each channel is there once for every tap, `block`
/// neighbours together. The phases of an image are those of a square of the stride.
struct patch_channels {
  int64_t taps, block;

  CAMEO_DEVICE constexpr int64_t number(int64_t channel, int64_t tap) const {
    return (channel / block * taps + tap) * block + channel % block;
  }
  /// Which channel number `number` is, and at which tap.
  CAMEO_DEVICE constexpr int64_t channel(int64_t number) const {
    return number / (taps * block) * block + number % block;
  }
  CAMEO_DEVICE constexpr int64_t tap(int64_t number) const { return number / block % taps; }
  /// How many there are of `channels`, in whole blocks.
  CAMEO_DEVICE constexpr int64_t count(int64_t channels) const {
    return (channels / block + (channels % block != 0)) * block * taps;
  }
};

} // namespace cameo
