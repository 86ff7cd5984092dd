// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pool<KIND>: a strip of a row's outputs at once, tap by tap, so that vectors run along the row;
// each output still takes its taps row-major. With positions, and for short rows, output by output.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/pool.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Outputs of a row that are pooled at once, and how short a row is not worth it.
constexpr int64_t pool_strip = has_small_stack ? 16 : 64;
constexpr int64_t pool_short_row = 8;

/// The outputs first..first + count - 1 along the last dimension of a row.
template <pool_kind KIND, int S, class ROWS> struct pool_strip_of {
  using A = typename ROWS::A;

  const ROWS &rows;
  index<S + 1> at; // of the row
  int64_t first, count;

  /// Positions of the strip whose tap t along the last dimension lies in [0, limit) of the input.
  CAMEO_INLINE span reached(int64_t t, int64_t limit) const {
    constexpr int D = S - 1;
    const int64_t stride = rows.stride[D], shift = t * rows.dilation[D] - rows.pad[D];
    const int64_t from = -shift > 0 ? ceil_div(-shift, stride) : 0;
    const int64_t to = limit > shift ? ceil_div(limit - shift, stride) : 0;
    const int64_t begin = from < first ? 0 : from - first;
    const int64_t end = to < first ? 0 : to - first;
    return {begin, end < count ? end : count};
  }

  /// Takes the taps along the last dimension, the others being where `from` says.
  CAMEO_INLINE void take(index<S + 2> from, A *sums) const {
    constexpr int D = S - 1;
    for (int64_t t = 0; t < rows.kernel[D]; ++t) {
      const span s = reached(t, rows.input[D]);
      const int64_t start = first * rows.stride[D] + t * rows.dilation[D] - rows.pad[D];
      CAMEO_INDEPENDENT
      for (int64_t j = s.begin; j < s.end; ++j) {
        index<S + 2> tap = from;
        tap[S + 1] = start + j * rows.stride[D];
        const A v = cast<A>(rows.load(tap));
        if constexpr (KIND == pool_kind::max)
          sums[j] = max(sums[j], v);
        else if constexpr (KIND == pool_kind::lp)
          sums[j] = add(sums[j], lp_term(v, rows.p));
        else
          sums[j] = add(sums[j], v);
      }
    }
  }

  /// Adds to each output how many of its taps along the last dimension count.
  CAMEO_INLINE void count_taps(int64_t *taps) const {
    constexpr int D = S - 1;
    for (int64_t t = 0; t < rows.kernel[D]; ++t) {
      span s = reached(t, rows.input[D] + (rows.count_include_pad ? rows.pad_end[D] : 0));
      if (rows.count_include_pad)
        s.begin = 0;
      for (int64_t j = s.begin; j < s.end; ++j)
        ++taps[j];
    }
  }

  CAMEO_INLINE void run() const {
    alignas(64) A sums[pool_strip];
    for (int64_t j = 0; j < count; ++j)
      sums[j] = KIND == pool_kind::max ? lowest_value<A>() : A{};
    pool_span s[array_size(S)];
    int64_t others = 1;
    for (int d = 0; d < S - 1; ++d) {
      s[d] = rows.span(d, at[d + 2]);
      others *= rows.count_include_pad ? s[d].padded : s[d].end - s[d].begin;
    }
    s[S - 1] = {0, 0, 1, 1}; // once for all taps along the last dimension
    index<S + 2> from = append(at, int64_t{0});
    rows.template taps<0>(s, from, [&](const index<S + 2> &tap) { take(tap, sums); });
    if constexpr (KIND == pool_kind::average) {
      alignas(64) int64_t taps[pool_strip] = {};
      count_taps(taps);
      CAMEO_INDEPENDENT
      for (int64_t j = 0; j < count; ++j) {
        const int64_t all = others * taps[j];
        const A mean = div(sums[j], static_cast<A>(all));
        rows.store(append(at, first + j), all > 0 ? mean : A{});
      }
    } else {
      CAMEO_INDEPENDENT
      for (int64_t j = 0; j < count; ++j) {
        if constexpr (KIND == pool_kind::lp)
          rows.store(append(at, first + j), lp_root(sums[j], rows.p));
        else
          rows.store(append(at, first + j), sums[j]);
      }
    }
  }
};

template <pool_kind KIND, class P, class LOAD, class STORE, class STORE_INDEX = discard>
void pool(exec &e, const P &p, LOAD load, STORE store, STORE_INDEX store_index = {}) {
  constexpr int S = P::spatial_rank;
  const index<S> output = output_of<S>(p);
  const index<S + 1> outer = join(index<2>{{p.batch, p.channels}}, slice<0, S - 1>(output));
  const auto rows = make_pool_rows<KIND>(p, load, store, store_index);
  using body = std::remove_const_t<decltype(rows)>;
  if (body::indexed || output[S - 1] < pool_short_row) {
    for_rows(e, outer, slice<S - 1, 1>(output), rows);
    return;
  }
  const int64_t strips = ceil_div(output[S - 1], pool_strip);
  parallel_range(e, volume(outer) * strips, pool_strip * volume(kernel_of<S>(p)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t n = begin; n < end; ++n) {
                     const int64_t first = n % strips * pool_strip;
                     const int64_t rest = output[S - 1] - first;
                     pool_strip_of<KIND, S, body>{rows, unflatten(n / strips, outer), first,
                                                  rest < pool_strip ? rest : pool_strip}
                         .run();
                   }
                 });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
