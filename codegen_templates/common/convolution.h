// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution as both targets compute it, out of the params of conv, or of conv_transpose for one
// residue of the output.
#pragma once

#include "cameo/common/params.h"
#include "cameo/common/window.h"

namespace cameo {

/// A convolution of x (N C [S]) with weights addressed oc * oc_stride + ic * ic_stride + tap, oc
/// and ic counted in the group, whose first weight is group * group_stride.
template <int S> struct convolution {
  int64_t batch, groups, in_channels, out_channels; // channels of one group
  cameo::window<S> window;
  index<S> kernel;
  int64_t oc_stride, ic_stride, group_stride;

  CAMEO_DEVICE constexpr int64_t pixels() const { return volume(window.counts()); }
  CAMEO_DEVICE constexpr int64_t depth() const { return in_channels * volume(window.tap_counts()); }
};

/// convolution_of where p is a constant: a constexpr function is inlined more, which costs stack.
template <class P>
CAMEO_DEVICE constexpr convolution<P::spatial_rank> constant_convolution_of(const P &p) {
  constexpr int S = P::spatial_rank;
  const index<S> kernel = kernel_of<S>(p), input = input_of<S>(p), output = output_of<S>(p);
  const index<S> stride = stride_of<S>(p), dilation = dilation_of<S>(p), pad = pad_of<S>(p);
  const int64_t taps = volume(kernel), depth = p.in_channels / p.groups * taps;
  convolution<S> c = {
      p.batch, p.groups, p.in_channels / p.groups,         p.out_channels / p.groups, {}, kernel,
      depth,   taps,     p.out_channels / p.groups * depth};
  for (int d = 0; d < S; ++d)
    c.window.at[d] = conv_taps(input[d], output[d], kernel[d], stride[d], dilation[d], pad[d]);
  return c;
}
/// The convolution that p describes.
template <class P> CAMEO_DEVICE convolution<P::spatial_rank> convolution_of(const P &p) {
  return constant_convolution_of(p);
}

/// The convolution that gives the outputs with these residues.
template <class P>
CAMEO_DEVICE convolution<P::spatial_rank>
transposed_convolution_of(const P &p, const index<P::spatial_rank> &residue) {
  constexpr int S = P::spatial_rank;
  const index<S> kernel = kernel_of<S>(p), input = input_of<S>(p), output = output_of<S>(p);
  const index<S> stride = stride_of<S>(p), dilation = dilation_of<S>(p), pad = pad_of<S>(p);
  const int64_t taps = volume(kernel), in = p.in_channels / p.groups,
                out = p.out_channels / p.groups;
  convolution<S> c = {p.batch, p.groups, in, out, {}, kernel, taps, out * taps, in * out * taps};
  for (int d = 0; d < S; ++d)
    c.window.at[d] = conv_transpose_taps(input[d], output[d], kernel[d], stride[d], dilation[d],
                                         pad[d], residue[d]);
  return c;
}

} // namespace cameo
