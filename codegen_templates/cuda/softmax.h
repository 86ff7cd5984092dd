// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax<LOG>: a team of threads per row, three passes over it. softmax_held<LOG>: one pass, where
// rows are held in registers.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/types.h"
#include "cameo/cuda/held_rows.h"
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

/// max for a row that is only compared: either zero is as good.
template <class T> struct combine_greatest : combine::max<T> {
  CAMEO_DEVICE_ONLY static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, float>)
      return greater_of(a, b);
    else
      return cameo::max(a, b);
  }
};

/// exp(x) of a number up to 0. The hardware's power of two is better than T's 16 bits.
template <class T, class A> CAMEO_DEVICE_ONLY A exp_down(A x) {
  constexpr float log2_e = 1.4426950408889634f;
  if constexpr (sizeof(T) <= 2)
    return fast_exp2(x * log2_e);
  else
    return exp(x);
}

template <bool LOG, class P, class LOAD, class STORE> struct held_softmax_body {
  using T = loaded_t<LOAD, index<P::outer_rank + P::reduced_rank>>;
  using A = accumulator_t<T>;
  P p;
  LOAD load;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store); }
  CAMEO_DEVICE bool is_aligned() const { return cuda::is_aligned(load) && cuda::is_aligned(store); }

  template <class ROW> CAMEO_DEVICE_ONLY void operator()(ROW &row) const {
    const auto itself = [](A v) { return v; };
    typename ROW::template values<A> held = {};
    row.load(held, load);
    const A m = row.template reduce<combine_greatest<A>>(held, itself);
    if constexpr (LOG) {
      row.update(held, [&](A v) { return sub(v, m); });
      const A s = row.template reduce<combine::sum<A>>(held, [](A v) { return exp_down<T>(v); });
      const A log_s = log(s);
      row.update(held, [&](A v) { return sub(v, log_s); });
    } else {
      row.update(held, [&](A v) { return exp_down<T>(sub(v, m)); });
      const A scale = div(A{1}, row.template reduce<combine::sum<A>>(held, itself));
      row.update(held, [&](A v) { return mul(v, scale); });
    }
    row.store(held, store);
  }
};

template <bool LOG, class P, class LOAD, class STORE>
void softmax_held(exec &e, const P &p, LOAD load, STORE store) {
  (void)across_rows_or(p, false); // a hint for the CPU
  if constexpr (is_held<P>)
    for_each_held_row<held_form<P, widest_of_both<LOAD, STORE>>>(
        e, held_softmax_body<LOG, P, LOAD, STORE>{p, load, store});
  else
    softmax<LOG>(e, p, load, store);
}

} // namespace cameo::cuda
