// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the taps of a convolution read, as channels in blocks: out of such channels, or of planes.
#pragma once

#include "cameo/cpu/conv_blocked.h"
#include "cameo/pack/winograd.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// How many of `outputs` along an axis have the tap at `tap` in front of `extent`.
CAMEO_INLINE int64_t outputs_inside(int64_t tap, int64_t stride, int64_t extent, int64_t outputs) {
  const int64_t inside = tap < extent ? ceil_div(extent - tap, stride) : 0;
  return inside < outputs ? inside : outputs;
}

/// The elements that the taps of each output read, y[n][block][tap][oy][ox][16], as conv_blocked
/// has its x: a convolution of one tap. Lanes beyond the channels become 0, and so do elements
/// behind x.
template <class P> void pack_patches(exec &e, const P &p, const float *x, float *y) {
  const index<2> kernel = kernel_of<2>(p), output = output_of<2>(p), stride = stride_of<2>(p),
                 dilation = dilation_of<2>(p);
  const int64_t blocks = ceil_div(p.in_channels, channel_block), row = output[1] * channel_block;
  const patch_channels channels{volume(kernel), channel_block};
  const index<4> space = {{p.batch * blocks, kernel[0], kernel[1], output[0]}};
  parallel_range(e, volume(space), row, [&](int64_t begin, int64_t end) {
    walk(space, begin, end, [&](const index<4> &i) {
      const int64_t first = channels.number(i[0] * channel_block, i[1] * kernel[1] + i[2]);
      float *to = y + (first / channel_block * output[0] + i[3]) * row;
      const int64_t from_row = p.top + i[3] * stride[0] + i[1] * dilation[0];
      const int64_t from_column = p.left + i[2] * dilation[1];
      const float *from = x + ((i[0] * p.rows + from_row) * p.cols + from_column) * channel_block;
      const int64_t rest = p.in_channels - i[0] % blocks * channel_block;
      const int64_t inside =
          from_row < p.rows ? outputs_inside(from_column, stride[1], p.cols, output[1]) : 0;
      for (int64_t ox = 0; ox < inside; ++ox, to += channel_block) {
        const float *pixel = from + ox * stride[1] * channel_block;
        CAMEO_INDEPENDENT
        for (int64_t l = 0; l < channel_block; ++l)
          to[l] = l < rest ? pixel[l] : 0.0f;
      }
      for (int64_t left = (output[1] - inside) * channel_block; left > 0; --left)
        *to++ = 0;
    });
  });
}

/// A row of the outputs of a block, y[ox][16], whose channels are the `count` taps from `first` on,
/// of those of all planes of an image at x.
template <class P>
CAMEO_INLINE void pack_plane_row(const P &p, const float *x, int64_t first, int64_t count,
                                 int64_t oy, float *y) {
  const index<2> kernel = kernel_of<2>(p), stride = stride_of<2>(p), dilation = dilation_of<2>(p);
  const patch_channels channels{volume(kernel), 1};
  const int64_t outputs = output_of<2>(p)[1];
  const float *from[channel_block];
  int64_t inside[channel_block], all_inside = outputs;
  for (int64_t l = 0; l < channel_block; ++l) {
    inside[l] = 0;
    if (l < count) {
      const index<2> tap = unflatten(channels.tap(first + l), kernel);
      const int64_t row = p.top + oy * stride[0] + tap[0] * dilation[0];
      const int64_t column = p.left + tap[1] * dilation[1];
      from[l] = x + (channels.channel(first + l) * p.rows + row) * p.cols + column;
      inside[l] = row < p.rows ? outputs_inside(column, stride[1], p.cols, outputs) : 0;
      all_inside = inside[l] < all_inside ? inside[l] : all_inside;
    }
  }
  const auto pack = [&](int64_t ox, const auto &is_inside) {
    for (int64_t l = 0; l < channel_block; ++l)
      y[ox * channel_block + l] = is_inside(l) ? from[l][ox * stride[1]] : 0.0f;
  };
  int64_t ox = 0;
  for (; ox < all_inside; ++ox)
    pack(ox, [&](int64_t l) { return l < count; });
  for (; ox < outputs; ++ox)
    pack(ox, [&](int64_t l) { return ox < inside[l]; });
}

/// pack_patches for dense x[n][ic][rows][cols]: y[n][block][oy][ox][16], whose channels are those
/// of x, each with all of its taps.
template <class P> void pack_plane_patches(exec &e, const P &p, const float *x, float *y) {
  const int64_t channels = patch_channels{volume(kernel_of<2>(p)), 1}.count(p.in_channels);
  const int64_t plane = p.rows * p.cols, row = output_of<2>(p)[1] * channel_block;
  const index<3> space = {{p.batch, ceil_div(channels, channel_block), output_of<2>(p)[0]}};
  parallel_range(e, volume(space), row, [&](int64_t begin, int64_t end) {
    float *to = y + begin * row;
    walk(space, begin, end, [&](const index<3> &i) {
      const int64_t first = i[1] * channel_block, rest = channels - first;
      pack_plane_row(p, x + i[0] * p.in_channels * plane, first,
                     rest < channel_block ? rest : channel_block, i[2], to);
      to += row;
    });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
