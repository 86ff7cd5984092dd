// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pool_blocked<KIND>: pools over the blocked layout (README.md). The taps of a window are found
// once for the channels of a block, which are then taken side by side, and so are neighbouring
// windows that lie inside the input.
#pragma once

#include "cameo/cpu/conv_blocked.h"

#include "cameo/common/pool.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Windows that are taken together: enough to do while a result is on its way.
constexpr int64_t pool_run = 8;

template <pool_kind KIND, class P, class LOAD, class STORE>
void pool_blocked(exec &e, const P &p, LOAD load, STORE store) {
  static_assert(P::spatial_rank == 2, "only images are blocked");
  using T = loaded_t<LOAD, index<5>>;
  using A = std::conditional_t<KIND == pool_kind::max, T, accumulator_t<T>>;
  const index<2> input = input_of<2>(p), kernel = kernel_of<2>(p), output = output_of<2>(p);
  const index<2> stride = stride_of<2>(p), dilation = dilation_of<2>(p), pad = pad_of<2>(p),
                 pad_end = pad_end_of<2>(p);
  const int64_t power = params::pool_power<KIND>(p);
  const auto span_of = [&](int d, int64_t o) {
    return make_pool_span(o, input[d], kernel[d], stride[d], dilation[d], pad[d], pad_end[d]);
  };
  const auto is_inside = [&](const pool_span &s) { return s.begin == 0 && s.end == kernel[1]; };
  const index<3> rows = {{p.batch, ceil_div(p.channels, channel_block), output[0]}};
  const int64_t work = output[1] * channel_block * volume(kernel);
  parallel_range(e, volume(rows), work, [&](int64_t begin, int64_t end) {
    // Copies, whose members no element that is stored can be.
    const LOAD from = load;
    const STORE to = store;
    walk(rows, begin, end, [&](const index<3> &i) {
      const pool_span down = span_of(0, i[2]);
      for (int64_t ox = 0, count = 1; ox < output[1]; ox += count) {
        const pool_span across = span_of(1, ox);
        count = 1;
        while (count < pool_run && ox + count < output[1] && is_inside(across) &&
               is_inside(span_of(1, ox + count)))
          ++count;
        A acc[pool_run][channel_block];
        for (int64_t w = 0; w < count; ++w)
          for (A &lane : acc[w])
            lane = KIND == pool_kind::max ? lowest_value<A>() : A{};
        for (int64_t v = down.begin; v < down.end; ++v)
          for (int64_t u = across.begin; u < across.end; ++u) {
            const int64_t y = down.start + v * dilation[0], x = across.start + u * dilation[1];
            for (int64_t w = 0; w < count; ++w) {
              CAMEO_INDEPENDENT
              for (int64_t l = 0; l < channel_block; ++l) {
                const A value = cast<A>(from(index<5>{{i[0], i[1], y, x + w * stride[1], l}}));
                if constexpr (KIND == pool_kind::max)
                  acc[w][l] = max(acc[w][l], value);
                else
                  acc[w][l] = add(acc[w][l], KIND == pool_kind::lp ? lp_term(value, power) : value);
              }
            }
          }
        const int64_t taps = count_include_pad_or(p, false)
                                 ? down.padded * across.padded
                                 : (down.end - down.begin) * (across.end - across.begin);
        for (int64_t w = 0; w < count; ++w) {
          CAMEO_INDEPENDENT
          for (int64_t l = 0; l < channel_block; ++l) {
            A &result = acc[w][l];
            if constexpr (KIND == pool_kind::lp)
              result = lp_root(result, power);
            else if constexpr (KIND == pool_kind::average)
              result = taps > 0 ? div(result, static_cast<A>(taps)) : A{};
          }
          store_lanes(acc[w], index<5>{{i[0], i[1], i[2], ox + w, 0}}, to);
        }
      }
    });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
