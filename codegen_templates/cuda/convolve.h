// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What conv and conv_transpose share on the device: a convolution (common/convolution.h) as a
// matrix product whose second operand is read through the window (nothing is unfolded into memory),
// or, with a few output channels per group (depthwise above all), a thread per output. Each output
// is one chain over (input channel, tap), ascending; outside taps read 0.
#pragma once

#include "cameo/common/convolution.h"
#include "cameo/cuda/multiply.h"

namespace cameo::cuda {

/// Output channels of a group up to which a tile would be mostly empty.
constexpr int64_t direct_channels = 4;

/// Row oc of the weights of a group.
template <class T, class W, int S> struct conv_weights {
  static constexpr bool k_first = true;
  const W *data;
  convolution<S> c;
  int64_t taps;

  CAMEO_DEVICE_ONLY const W *line(int64_t group, int64_t oc) const {
    return data + group * c.group_stride + oc * c.oc_stride;
  }
  CAMEO_DEVICE_ONLY T at(const W *from, int64_t k) const {
    const index<S> u = point_of(k % taps, taps, c.window.tap_counts());
    return static_cast<T>(cast<T>(from[k / taps * c.ic_stride + c.window.kernel_of(u, c.kernel)]));
  }
};

/// Column (image, pixel) of a group's inputs.
template <class T, class X, int S> struct conv_inputs {
  static constexpr bool k_first = false;
  const X *data;
  convolution<S> c;
  int64_t taps, plane, pixels;

  struct column {
    const X *from;
    index<S> q;
  };
  CAMEO_DEVICE_ONLY column line(int64_t group, int64_t n) const {
    const int64_t channel = (n / pixels * c.groups + group) * c.in_channels;
    return {data + channel * plane, point_of(n % pixels, pixels, c.window.counts())};
  }
  CAMEO_DEVICE_ONLY T at(const column &l, int64_t k) const {
    const int64_t i = c.window.input_of(l.q, point_of(k % taps, taps, c.window.tap_counts()));
    return i < 0 ? T{} : static_cast<T>(cast<T>(l.from[k / taps * plane + i]));
  }
};

template <class RESULT, int S, class STORE> struct conv_sink {
  convolution<S> c;
  int64_t pixels;
  STORE store;

  template <class T>
  CAMEO_DEVICE_ONLY void operator()(int64_t group, int64_t oc, int64_t n, T value) const {
    const index<S> q = point_of(n % pixels, pixels, c.window.counts());
    store(join(index<2>{{n / pixels, group * c.out_channels + oc}}, c.window.output_of(q)),
          static_cast<RESULT>(value));
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
      sum = multiply_add(a.at(row, t), b.at(column, t), sum);
    sink(i[0], i[1], i[2], sum);
  }
};

template <int S, class X, class W, class STORE>
void convolve(exec &e, const convolution<S> &c, const X *x, const W *w, STORE store) {
  using result = product_t<X, W>;
  using T = wrapping_t<result>;
  const int64_t pixels = c.pixels(), taps = volume(c.window.tap_counts());
  const int64_t columns = c.batch * pixels, depth = c.depth();
  if (c.groups * c.out_channels * columns <= 0)
    return;
  const conv_weights<T, W, S> a = {w, c, taps};
  const conv_inputs<T, X, S> b = {x, c, taps, volume(c.window.inputs()), pixels};
  const conv_sink<result, S, STORE> sink = {c, pixels, store};
  if (c.out_channels <= direct_channels)
    for_each(
        e, index<3>{{c.groups, c.out_channels, columns}},
        conv_direct<T, conv_weights<T, W, S>, conv_inputs<T, X, S>, conv_sink<result, S, STORE>>{
            a, b, sink, depth});
  else
    multiply<T>(e, multiply_shape{c.groups, c.out_channels, columns, depth}, a, b, sink);
}

} // namespace cameo::cuda
