// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions as tests ask for them, and by their definition.
#pragma once

#include "machine.h"

namespace cameo::test {

template <int S> struct conv_case {
  static constexpr int spatial_rank = S;
  int64_t batch, groups, in_channels, out_channels;
  int64_t input[S], kernel[S], output[S], stride[S], dilation[S], pad[S];

  index<S + 2> x_dims() const { return dims(batch, in_channels, input); }
  index<S + 2> y_dims() const { return dims(batch, out_channels, output); }
  index<S + 2> conv_w_dims() const { return dims(out_channels, in_channels / groups, kernel); }
  index<S + 2> transposed_w_dims() const {
    return dims(in_channels, out_channels / groups, kernel);
  }

private:
  static index<S + 2> dims(int64_t a, int64_t b, const int64_t (&rest)[S]) {
    index<S + 2> r{{a, b}};
    for (int d = 0; d < S; ++d)
      r[d + 2] = rest[d];
    return r;
  }
};

/// Calls f(spatial index) for every point of an S-dimensional space.
template <int S, class F> void each(const int64_t (&extents)[S], F f) {
  index<S> e{};
  for (int d = 0; d < S; ++d)
    e[d] = extents[d];
  for (int64_t i = 0; i < volume(e); ++i)
    f(unflatten(i, e));
}

/// Adds x * w to y at every (output, tap, input) that fits together; y is the larger side for
/// TRANSPOSED.
template <bool TRANSPOSED, class X, class W, int S>
std::vector<double> expected(const conv_case<S> &c, const std::vector<X> &x,
                             const std::vector<W> &w) {
  std::vector<double> y(static_cast<size_t>(volume(c.y_dims())));
  const int64_t in = c.in_channels / c.groups, out = c.out_channels / c.groups;
  const auto at = [](const auto &values, int64_t i) {
    return cast<double>(values[static_cast<size_t>(i)]);
  };
  // The strided side is the input of a convolution and the output of a transposed one.
  const auto &dense = TRANSPOSED ? c.input : c.output;
  const auto &strided = TRANSPOSED ? c.output : c.input;
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t oc = 0; oc < c.out_channels; ++oc)
      for (int64_t i = 0; i < in; ++i)
        each(dense, [&](const index<S> &q) {
          each(c.kernel, [&](const index<S> &t) {
            const int64_t g = oc / out, ic = g * in + i;
            index<S + 2> xi{{n, ic}}, wi{}, yi{{n, oc}};
            wi[0] = TRANSPOSED ? ic : oc;
            wi[1] = TRANSPOSED ? oc % out : i;
            for (int d = 0; d < S; ++d) {
              const int64_t far = q[d] * c.stride[d] + t[d] * c.dilation[d] - c.pad[d];
              if (far < 0 || far >= strided[d])
                return;
              xi[d + 2] = TRANSPOSED ? q[d] : far;
              yi[d + 2] = TRANSPOSED ? far : q[d];
              wi[d + 2] = t[d];
            }
            y[static_cast<size_t>(flatten(yi, c.y_dims()))] +=
                at(x, flatten(xi, c.x_dims())) *
                at(w, flatten(wi, TRANSPOSED ? c.transposed_w_dims() : c.conv_w_dims()));
          });
        });
  return y;
}

/// 3 x 3 over 6 x WIDTH pixels of two images, all of it constant.
template <int64_t GROUPS, int64_t IN, int64_t OUT, int64_t WIDTH> struct constant_conv {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t batch = 2, groups = GROUPS, in_channels = IN, out_channels = OUT;
  static constexpr int64_t input[2] = {6, WIDTH}, kernel[2] = {3, 3}, output[2] = {6, WIDTH};
  static constexpr int64_t stride[2] = {1, 1}, dilation[2] = {1, 1}, pad[2] = {1, 1};
  static conv_case<2> as_case() {
    return {batch, groups, IN, OUT, {6, WIDTH}, {3, 3}, {6, WIDTH}, {1, 1}, {1, 1}, {1, 1}};
  }
};

} // namespace cameo::test
