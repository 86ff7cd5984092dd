// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pool<KIND>: the taps of a window that lie inside the input, and what is made of them. A row body:
// called with all output coordinates but the last, it returns what gives the last.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/coordinates.h"
#include "cameo/common/params.h"
#include "cameo/common/types.h"

namespace cameo {

enum class pool_kind { max, average, lp };

/// The taps [begin, end) of a window along one dimension that lie inside the input, where it
/// starts, and how many taps lie inside the padded input.
struct pool_span {
  int64_t start, begin, end, padded;
};

/// Taps t with start + t * dilation < limit, at most `kernel`.
CAMEO_DEVICE constexpr int64_t taps_below(int64_t limit, int64_t start, int64_t dilation,
                                          int64_t kernel) {
  const int64_t t = limit > start ? (limit - start + dilation - 1) / dilation : 0;
  return t < kernel ? t : kernel;
}

CAMEO_DEVICE constexpr pool_span make_pool_span(int64_t output, int64_t input, int64_t kernel,
                                                int64_t stride, int64_t dilation, int64_t pad,
                                                int64_t pad_end) {
  const int64_t start = output * stride - pad;
  const int64_t begin = taps_below(0, start, dilation, kernel);
  const int64_t end = taps_below(input, start, dilation, kernel);
  return {start, begin, end > begin ? end : begin,
          taps_below(input + pad_end, start, dilation, kernel)};
}

/// |x|^p and its inverse on sums.
template <class A> CAMEO_DEVICE A lp_term(A x, int64_t p) {
  const A a = abs(x);
  return p == 1 ? a : p == 2 ? mul(a, a) : pow(a, static_cast<A>(p));
}
template <class A> CAMEO_DEVICE A lp_root(A sum, int64_t p) {
  return p == 1 ? sum : p == 2 ? sqrt(sum) : pow(sum, A{1} / static_cast<A>(p));
}

template <pool_kind KIND, int S, class LOAD, class STORE, class STORE_INDEX> struct pool_rows {
  static constexpr bool indexed = !std::is_same_v<STORE_INDEX, discard>;
  using T = loaded_t<LOAD, index<S + 2>>;
  using A = std::conditional_t<KIND == pool_kind::max, T, accumulator_t<T>>;

  LOAD load;
  STORE store;
  STORE_INDEX store_index;
  index<S> input, kernel, stride, dilation, pad, pad_end;
  int64_t channels, p;
  bool count_include_pad, column_major;

  CAMEO_DEVICE pool_span span(int d, int64_t output) const {
    return make_pool_span(output, input[d], kernel[d], stride[d], dilation[d], pad[d], pad_end[d]);
  }

  /// One output row.
  struct row {
    const pool_rows &self;
    index<S + 1> at;
    pool_span spans[array_size(S)];

    CAMEO_DEVICE void operator()(const index<1> &j) const {
      pool_span s[array_size(S)];
      for (int d = 0; d < S - 1; ++d)
        s[d] = spans[d];
      s[S - 1] = self.span(S - 1, j[0]);
      self.window(append(at, j[0]), s);
    }
  };

  CAMEO_DEVICE row operator()(const index<S + 1> &i) const {
    row r = {*this, i, {}};
    for (int d = 0; d < S - 1; ++d)
      r.spans[d] = span(d, i[d + 2]);
    return r;
  }

  /// Calls take(input position) for the taps inside, row-major.
  template <int D, class TAKE>
  CAMEO_DEVICE void taps(const pool_span (&s)[array_size(S)], index<S + 2> &from,
                         const TAKE &take) const {
    if constexpr (D == S) {
      take(from);
    } else {
      for (int64_t t = s[D].begin; t < s[D].end; ++t) {
        from[D + 2] = s[D].start + t * dilation[D];
        taps<D + 1>(s, from, take);
      }
    }
  }

  CAMEO_DEVICE void window(const index<S + 2> &i, const pool_span (&s)[array_size(S)]) const {
    combine(i, s, [&](const auto &take) {
      index<S + 2> from = i;
      taps<0>(s, from, [&](const index<S + 2> &at) { take(load(at), at); });
    });
  }
  /// Stores an output. each_tap(take) calls take(value, input position) for the taps inside,
  /// row-major.
  template <class EACH_TAP>
  CAMEO_DEVICE void combine(const index<S + 2> &i, const pool_span (&s)[array_size(S)],
                            const EACH_TAP &each_tap) const {
    if constexpr (KIND == pool_kind::max) {
      T best = lowest_value<T>();
      int64_t position = -1;
      each_tap([&](T v, const index<S + 2> &at) {
        if constexpr (indexed) {
          if (position < 0 || ordered_less(best, v)) {
            best = v;
            position = flat_position(at);
          }
        } else {
          (void)at, best = max(best, v);
        }
      });
      store(i, best);
      store_index(i, position);
    } else {
      A sum{};
      int64_t count = 1;
      each_tap([&](T value, const index<S + 2> &) {
        const A v = cast<A>(value);
        sum = add(sum, KIND == pool_kind::lp ? lp_term(v, p) : v);
      });
      if constexpr (KIND == pool_kind::lp) {
        store(i, lp_root(sum, p));
      } else {
        for (int d = 0; d < S; ++d)
          count *= count_include_pad ? s[d].padded : s[d].end - s[d].begin;
        store(i, count > 0 ? div(sum, static_cast<A>(count)) : A{});
      }
    }
  }

  CAMEO_DEVICE int64_t flat_position(const index<S + 2> &at) const {
    int64_t flat = 0;
    for (int k = 0; k < S; ++k) {
      const int d = column_major ? S - 1 - k : k;
      flat = flat * input[d] + at[d + 2];
    }
    return (at[0] * channels + at[1]) * volume(input) + flat;
  }
};

namespace params {
template <pool_kind KIND, class P> CAMEO_DEVICE constexpr int64_t pool_power(const P &p) {
  if constexpr (KIND == pool_kind::lp)
    return p.p;
  else
    return (void)p, 0;
}
} // namespace params

template <pool_kind KIND, class P, class LOAD, class STORE, class STORE_INDEX>
CAMEO_DEVICE auto make_pool_rows(const P &p, LOAD load, STORE store, STORE_INDEX store_index) {
  constexpr int S = P::spatial_rank;
  return pool_rows<KIND, S, LOAD, STORE, STORE_INDEX>{load,
                                                      store,
                                                      store_index,
                                                      input_of<S>(p),
                                                      kernel_of<S>(p),
                                                      stride_of<S>(p),
                                                      dilation_of<S>(p),
                                                      pad_of<S>(p),
                                                      pad_end_of<S>(p),
                                                      p.channels,
                                                      params::pool_power<KIND>(p),
                                                      count_include_pad_or(p, false),
                                                      column_major_or(p, false)};
}

} // namespace cameo
