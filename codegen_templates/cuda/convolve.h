// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What conv and conv_transpose share on the device: a convolution (common/convolution.h) as a
// matrix product whose second operand is read through the window (nothing is unfolded into memory),
// or, with a few output channels per group (depthwise above all), a thread per output. Each output
// is one chain over (input channel, tap), ascending; outside taps read 0.
#pragma once

#include "cameo/common/convolution.h"
#include "cameo/cuda/multiply.h"
#include "cameo/cuda/wide.h"

namespace cameo::cuda {

/// The pixels of a row of outputs that only a launch knows, and of outputs that lie apart in
/// memory.
constexpr int64_t unknown_row = -1, outputs_apart = -2;

/// Output channels of a group up to which a tile would be mostly empty.
constexpr int64_t direct_channels = 4;

/// Row oc of the weights of a group.
template <class W, int S> struct conv_weights {
  using element = W;
  static constexpr bool k_first = true;
  const W *data;
  convolution<S> c;
  int64_t taps;

  CAMEO_DEVICE_ONLY int64_t line(int64_t group, int64_t oc) const {
    return group * c.group_stride + oc * c.oc_stride;
  }
  CAMEO_DEVICE_ONLY int64_t step(int64_t k) const {
    const quotient channel = divide(k, taps, c.in_channels * taps);
    const index<S> u = point_of(channel.rest, taps, c.window.tap_counts());
    return channel.whole * c.ic_stride + c.window.kernel_of(u, c.kernel);
  }
  CAMEO_DEVICE_ONLY W at(int64_t line, int64_t step) const { return data[line + step]; }
};

/// Column (image, pixel) of a group's inputs. TAPS: how many a window has, 0 if only a launch
/// knows.
template <class X, int S, int64_t TAPS> struct conv_inputs {
  using element = X;
  static constexpr int rank = S;
  static constexpr int64_t known_taps = TAPS;
  static constexpr bool k_first = false;
  const X *data;
  convolution<S> c;
  int64_t taps, plane, pixels;

  /// An element's place in memory and in its channel. A line's is where tap 0 of channel 0 reads, a
  /// step's how far from it another tap of another channel does, the same in every column.
  struct place {
    int64_t offset;
    index<S> at;
  };
  CAMEO_DEVICE_ONLY place line(int64_t group, int64_t n) const {
    const quotient image = divide(n, pixels, c.batch * pixels);
    const index<S> origin = c.window.origin_of(point_of(image.rest, pixels, c.window.counts()));
    const int64_t channel = (image.whole * c.groups + group) * c.in_channels;
    return {channel * plane + flatten(origin, c.window.inputs()), origin};
  }
  CAMEO_DEVICE_ONLY place step(int64_t k) const {
    const quotient channel = divide(k, taps, c.in_channels * taps);
    const index<S> away = c.window.away(point_of(channel.rest, taps, c.window.tap_counts()));
    return {channel.whole * plane + flatten(away, c.window.inputs()), away};
  }
  CAMEO_DEVICE_ONLY int64_t tap(int64_t k) const {
    return divide(k, taps, c.in_channels * taps).rest;
  }
  CAMEO_DEVICE_ONLY X at(const place &line, const place &step) const {
    return c.window.inside(line.at, step.at) ? data[line.offset + step.offset] : X{};
  }
};

/// Neighbours that a store takes of rows of `row` pixels: a power of two that divides a constant
/// row.
template <class STORE> constexpr int widest_of_rows(int64_t row) {
  int widest = row == outputs_apart ? 1 : widest_of<STORE>;
  while (row > 0 && row % widest != 0)
    widest /= 2;
  return widest;
}

/// ROW: the pixels of a row of outputs.
template <class RESULT, int S, int64_t ROW, class STORE> struct conv_sink {
  convolution<S> c;
  int64_t pixels;
  STORE store;

  template <class T>
  CAMEO_DEVICE_ONLY void operator()(int64_t group, int64_t oc, int64_t n, T value) const {
    store(output(group, oc, n), static_cast<RESULT>(value));
  }

  static constexpr int widest = widest_of_rows<STORE>(ROW);
  CAMEO_DEVICE bool is_aligned() const {
    return (ROW > 0 || c.window.at[S - 1].count % widest == 0) && cuda::is_aligned(store);
  }
  /// The same of the neighbours from pixel n, a multiple of them, on.
  template <int N>
  CAMEO_DEVICE_ONLY void wide(int64_t group, int64_t oc, int64_t n,
                              const neighbours<RESULT, N> &values) const {
    store.template wide<N>(output(group, oc, n), values);
  }

private:
  CAMEO_DEVICE_ONLY index<S + 2> output(int64_t group, int64_t oc, int64_t n) const {
    const quotient image = divide(n, pixels, c.batch * pixels);
    const index<S> q = point_of(image.rest, pixels, c.window.counts());
    return join(index<2>{{image.whole, group * c.out_channels + oc}}, c.window.output_of(q));
  }
};

/// One output at (group, oc, n), straight.
template <class T, class A, class B, class SINK> struct conv_direct {
  A a;
  B b;
  SINK sink;
  int64_t k;

  CAMEO_DEVICE_ONLY void operator()(const index<3> &i) const {
    const auto row = a.line(i[0], i[1]);
    const auto column = b.line(i[0], i[2]);
    T sum{};
    for (int64_t t = 0; t < k; ++t)
      sum = multiply_add(widen<T>(a.at(row, a.step(t))), widen<T>(b.at(column, b.step(t))), sum);
    sink(i[0], i[1], i[2], sum);
  }
};

/// GEOMETRY makes the convolution out of p, in the kernel: what p has as constants stays constant.
template <class GEOMETRY, class X, class W, class STORE> struct conv_call {
  using result = product_t<X, W>;
  using T = wrapping_t<result>;
  GEOMETRY geometry;
  const X *x;
  const W *w;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(geometry.p, store); }
  CAMEO_DEVICE multiply_shape shape() const {
    const auto c = geometry();
    return {c.groups, c.out_channels, c.batch * c.pixels(), c.depth()};
  }
  CAMEO_DEVICE auto left() const {
    const auto c = geometry();
    return conv_weights<W, GEOMETRY::S>{w, c, volume(c.window.tap_counts())};
  }
  CAMEO_DEVICE auto right() const {
    const auto c = geometry();
    return conv_inputs<X, GEOMETRY::S, GEOMETRY::taps>{x, c, volume(c.window.tap_counts()),
                                                       volume(c.window.inputs()), c.pixels()};
  }
  CAMEO_DEVICE auto sink() const {
    const auto c = geometry();
    return conv_sink<result, GEOMETRY::S, GEOMETRY::row, STORE>{c, c.pixels(), store};
  }
  // The thread per output.
  CAMEO_DEVICE index<3> extents() const {
    const multiply_shape s = shape();
    return {{s.batches, s.m, s.n}};
  }
  CAMEO_DEVICE auto body() const {
    return conv_direct<T, decltype(left()), decltype(right()), decltype(sink())>{left(), right(),
                                                                                 sink(), shape().k};
  }
};

/// A thread per output.
template <class CALL> void convolve_directly(exec &e, const CALL &c) {
  [[maybe_unused]] const multiply_shape s = c.shape();
  CAMEO_OPERATIONS(2 * s.batches * s.m * s.n * s.k);
  CAMEO_DEPTH(s.k);
  for_each_call(e, c);
}

template <class GEOMETRY, class X, class W, class STORE>
void convolve(exec &e, const GEOMETRY &geometry, const X *x, const W *w, STORE store) {
  using P = decltype(GEOMETRY::p);
  using call = conv_call<GEOMETRY, X, W, STORE>;
  using T = typename call::T;
  const call c = {geometry, x, w, store};
  // One of two kernels is compiled where the channels are constants.
  if constexpr (CAMEO_IS_STATIC(P, out_channels) && CAMEO_IS_STATIC(P, groups)) {
    if constexpr (P::out_channels / P::groups <= direct_channels)
      convolve_directly(e, c);
    else
      multiply_call<T>(e, c);
  } else if (c.shape().m <= direct_channels)
    convolve_directly(e, c);
  else
    multiply_call<T>(e, c);
}

} // namespace cameo::cuda
