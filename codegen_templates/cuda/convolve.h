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
    return conv_weights<T, W, GEOMETRY::S>{w, c, volume(c.window.tap_counts())};
  }
  CAMEO_DEVICE auto right() const {
    const auto c = geometry();
    return conv_inputs<T, X, GEOMETRY::S>{x, c, volume(c.window.tap_counts()),
                                          volume(c.window.inputs()), c.pixels()};
  }
  CAMEO_DEVICE auto sink() const {
    const auto c = geometry();
    return conv_sink<result, GEOMETRY::S, STORE>{c, c.pixels(), store};
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

template <class GEOMETRY, class X, class W, class STORE>
void convolve(exec &e, const GEOMETRY &geometry, const X *x, const W *w, STORE store) {
  using call = conv_call<GEOMETRY, X, W, STORE>;
  const call c = {geometry, x, w, store};
  const multiply_shape s = c.shape();
  if (s.m <= direct_channels) {
    CAMEO_OPERATIONS(2 * s.batches * s.m * s.n * s.k);
    CAMEO_DEPTH(s.k);
    for_each_call(e, c);
  } else
    multiply_call<typename call::T>(e, c);
}

} // namespace cameo::cuda
