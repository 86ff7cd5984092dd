// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax<LOG>: a team of threads per row, three passes over it.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/types.h"
#include "cameo/cuda/rows.h"

namespace cameo::cuda {

template <bool LOG, class P, class LOAD, class STORE> struct softmax_body {
  static constexpr int R1 = P::outer_rank, R2 = P::reduced_rank;
  using A = accumulator_t<loaded_t<LOAD, index<R1 + R2>>>;
  P p;
  LOAD load;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store); }

  template <class TEAM> CAMEO_DEVICE_ONLY void operator()(const TEAM &team, int64_t row) const {
    const index<R1> i = unflatten(row, outer_of<R1>(p));
    const index<R2> reduced = reduced_of<R2>(p);
    const int64_t n = volume(reduced);
    const auto value = [&](int64_t t) { return cast<A>(load(join(i, unflatten(t, reduced)))); };
    const A m = reduce_row<combine::max<A>>(team, n, value);
    const A s =
        reduce_row<combine::sum<A>>(team, n, [&](int64_t t) { return exp(sub(value(t), m)); });
    const A log_s = log(s);
    for (int64_t t = team.member(); t < n; t += TEAM::threads) {
      const A d = sub(value(t), m);
      store(join(i, unflatten(t, reduced)), LOG ? sub(d, log_s) : div(exp(d), s));
    }
  }
};

template <bool LOG, class P, class LOAD, class STORE>
void softmax(exec &e, const P &p, LOAD load, STORE store) {
  (void)across_rows_or(p, false); // a hint for the CPU
  if (row_length(p) > 0)
    for_each_row(e, softmax_body<LOG, P, LOAD, STORE>{p, load, store});
}

} // namespace cameo::cuda
