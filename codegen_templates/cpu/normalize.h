// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// normalize: mean, then variance about it, then the normalised row. Rows that fit a small buffer on
// the stack are loaded once.
#pragma once

#include "cameo/cpu/softmax.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <class A> struct moments { A mean, inv_std; };

/// The moments of the n values that value(index<R>) gives, whose sum this is.
template <class A, int R, class V>
CAMEO_INLINE moments<A> row_moments(const index<R> &extents, int64_t n, A sum, bool centered,
                                    A epsilon, const V &value) {
  const A count = static_cast<A>(n);
  const A mean = centered ? div(sum, count) : A{0};
  const A squares = reduce_row<combine::sum<A>>(extents, n, [&](const index<R> &k) {
    const A d = centered ? sub(value(k), mean) : value(k);
    return mul(d, d);
  });
  return {mean, div(A{1}, sqrt(add(div(squares, count), epsilon)))};
}

template <class P, class LOAD, class STORE, class STORE_MEAN, class STORE_INV_STD>
void normalize(exec &e, const P &p, LOAD load, STORE store, STORE_MEAN store_mean,
               STORE_INV_STD store_inv_std) {
  constexpr int R1 = P::outer_rank, R2 = P::reduced_rank;
  using A = accumulator_t<loaded_t<LOAD, index<R1 + R2>>>;
  const index<R1> outer = outer_of<R1>(p);
  const index<R2> reduced = reduced_of<R2>(p);
  const int64_t n = volume(reduced);
  const A epsilon = static_cast<A>(p.epsilon);
  const bool centered = p.centered;
  constexpr int64_t buffer = row_buffer<A, P>();
  parallel_range(e, volume(outer), n * 4, [&](int64_t begin, int64_t end) {
    walk(outer, begin, end, [&](const index<R1> &i) {
      const auto value = [&](const index<R2> &k) { return cast<A>(load(join(i, k))); };
      moments<A> m;
      if (n <= buffer) {
        alignas(64) A x[array_size(buffer)];
        const A sum = fill_and_combine<combine::sum<A>>(reduced, n, x, value);
        m = row_moments<A>(index<1>{{n}}, n, sum, centered, epsilon,
                           [&](const index<1> &t) { return x[t[0]]; });
        store_row(
            i, reduced, 0, n,
            [&](int64_t t, const index<R2> &) { return mul(sub(x[t], m.mean), m.inv_std); }, store);
      } else {
        const A sum = centered ? reduce_row<combine::sum<A>>(reduced, n, value) : A{0};
        m = row_moments<A>(reduced, n, sum, centered, epsilon, value);
        store_row(
            i, reduced, 0, n,
            [&](int64_t, const index<R2> &k) { return mul(sub(value(k), m.mean), m.inv_std); },
            store);
      }
      store_mean(i, m.mean);
      store_inv_std(i, m.inv_std);
    });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
