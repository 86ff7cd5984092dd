// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// normalize: a team of threads per row; mean, variance about it, then the row. normalize_held: the
// same of rows that are held in registers.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/types.h"
#include "cameo/cuda/held_rows.h"
#include "cameo/cuda/rows.h"

namespace cameo::cuda {

template <class P, class LOAD, class STORE, class STORE_MEAN, class STORE_INV_STD>
struct normalize_body {
  static constexpr int R1 = P::outer_rank, R2 = P::reduced_rank;
  using A = accumulator_t<loaded_t<LOAD, index<R1 + R2>>>;
  P p;
  LOAD load;
  STORE store;
  STORE_MEAN store_mean;
  STORE_INV_STD store_inv_std;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store, store_mean, store_inv_std); }

  template <class TEAM> CAMEO_DEVICE_ONLY void operator()(const TEAM &team, int64_t row) const {
    const index<R1> i = unflatten(row, outer_of<R1>(p));
    const index<R2> reduced = reduced_of<R2>(p);
    const bool centered = p.centered;
    const A epsilon = static_cast<A>(p.epsilon);
    const int64_t n = volume(reduced);
    const A count = static_cast<A>(n);
    const auto value = [&](int64_t t) { return cast<A>(load(join(i, unflatten(t, reduced)))); };
    const A mean = centered ? div(reduce_row<combine::sum<A>>(team, n, value), count) : A{0};
    const A squares = reduce_row<combine::sum<A>>(team, n, [&](int64_t t) {
      const A d = centered ? sub(value(t), mean) : value(t);
      return mul(d, d);
    });
    const A inv_std = div(A{1}, sqrt(add(div(squares, count), epsilon)));
    for (int64_t t = team.member(); t < n; t += TEAM::threads)
      store(join(i, unflatten(t, reduced)), mul(sub(value(t), mean), inv_std));
    if (team.member() == 0) {
      store_mean(i, mean);
      store_inv_std(i, inv_std);
    }
  }
};

template <class P, class LOAD, class STORE, class STORE_MEAN, class STORE_INV_STD>
void normalize(exec &e, const P &p, LOAD load, STORE store, STORE_MEAN store_mean,
               STORE_INV_STD store_inv_std) {
  (void)across_rows_or(p, false); // a hint for the CPU
  using body = normalize_body<P, LOAD, STORE, STORE_MEAN, STORE_INV_STD>;
  for_each_row(e, body{p, load, store, store_mean, store_inv_std});
}

template <class P, class LOAD, class STORE, class STORE_MEAN, class STORE_INV_STD>
struct held_normalize_body {
  using A = accumulator_t<loaded_t<LOAD, index<P::outer_rank + P::reduced_rank>>>;
  P p;
  LOAD load;
  STORE store;
  STORE_MEAN store_mean;
  STORE_INV_STD store_inv_std;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store, store_mean, store_inv_std); }
  CAMEO_DEVICE bool is_aligned() const { return cuda::is_aligned(load) && cuda::is_aligned(store); }

  template <class ROW> CAMEO_DEVICE_ONLY void operator()(ROW &row) const {
    const A epsilon = static_cast<A>(p.epsilon), count = static_cast<A>(row_length(p));
    typename ROW::template values<A> held = {};
    row.load(held, load);
    A mean = 0;
    if (p.centered) {
      mean = div(row.template reduce<combine::sum<A>>(held, [](A v) { return v; }), count);
      row.update(held, [&](A v) { return sub(v, mean); });
    }
    const A squares = row.template reduce<combine::sum<A>>(held, [](A v) { return mul(v, v); });
    const A inv_std = div(A{1}, sqrt(add(div(squares, count), epsilon)));
    row.update(held, [&](A v) { return mul(v, inv_std); });
    row.store(held, store);
    if (row.is_first()) {
      store_mean(row.outer, mean);
      store_inv_std(row.outer, inv_std);
    }
  }
};

template <class P, class LOAD, class STORE, class STORE_MEAN, class STORE_INV_STD>
void normalize_held(exec &e, const P &p, LOAD load, STORE store, STORE_MEAN store_mean,
                    STORE_INV_STD store_inv_std) {
  (void)across_rows_or(p, false); // a hint for the CPU
  using body = held_normalize_body<P, LOAD, STORE, STORE_MEAN, STORE_INV_STD>;
  if constexpr (is_held<P>)
    for_each_held_row<held_form<P, widest_of_both<LOAD, STORE>>>(
        e, body{p, load, store, store_mean, store_inv_std});
  else
    normalize(e, p, load, store, store_mean, store_inv_std);
}

} // namespace cameo::cuda
