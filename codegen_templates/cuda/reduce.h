// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce and arg_reduce: a team of threads per row. reduce_held: all of a row is loaded at once.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/cuda/held_rows.h"
#include "cameo/cuda/rows.h"

namespace cameo::cuda {

template <class COMBINE, class P, class LOAD, class STORE> struct reduce_body {
  using type = typename COMBINE::type;
  P p;
  LOAD load;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store); }
  template <class TEAM> CAMEO_DEVICE_ONLY void operator()(const TEAM &team, int64_t row) const {
    const auto i = unflatten(row, outer_of<P::outer_rank>(p));
    const auto reduced = reduced_of<P::reduced_rank>(p);
    const type result = reduce_row<COMBINE>(team, volume(reduced), [&](int64_t t) {
      return cast<type>(load(join(i, unflatten(t, reduced))));
    });
    if (team.member() == 0)
      store(i, result);
  }
};

template <class COMBINE, class P, class LOAD, class STORE>
void reduce(exec &e, const P &p, LOAD load, STORE store) {
  (void)across_rows_or(p, false); // a hint for the CPU
  for_each_row(e, reduce_body<COMBINE, P, LOAD, STORE>{p, load, store});
}

/// Bytes that reduce takes from e.scratch.
template <class COMBINE, class P> int64_t reduce_scratch(const P &, int) { return 0; }

template <class COMBINE, class P, class LOAD, class STORE> struct held_reduce_body {
  using type = typename COMBINE::type;
  P p;
  LOAD load;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store); }
  CAMEO_DEVICE bool is_aligned() const { return cuda::is_aligned(load); }

  template <class ROW> CAMEO_DEVICE_ONLY void operator()(ROW &row) const {
    typename ROW::template values<type> held = {};
    row.load(held, load);
    const type result = row.template reduce<COMBINE>(held, [](type v) { return v; });
    if (row.is_first())
      store(row.outer, result);
  }
};

template <class COMBINE, class P, class LOAD, class STORE>
void reduce_held(exec &e, const P &p, LOAD load, STORE store) {
  (void)across_rows_or(p, false); // a hint for the CPU
  if constexpr (is_held<P>)
    for_each_held_row<held_form<P, widest_of<LOAD>>>(
        e, held_reduce_body<COMBINE, P, LOAD, STORE>{p, load, store});
  else
    reduce<COMBINE>(e, p, load, store);
}

template <class CMP, class P, class LOAD, class STORE> struct arg_reduce_body {
  using entry = ranked<typename CMP::type>;
  P p;
  LOAD load;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store); }

  /// The better of two entries; position -1 is none.
  struct best {
    CAMEO_DEVICE entry operator()(const entry &a, const entry &b) const {
      return b.position < 0 || (a.position >= 0 && CMP::better(a, b)) ? a : b;
    }
  };

  template <class TEAM> CAMEO_DEVICE_ONLY void operator()(const TEAM &team, int64_t row) const {
    const auto i = unflatten(row, outer_of<P::outer_rank>(p));
    const int64_t n = row_length(p);
    const entry none = {{}, -1};
    entry found = none;
    for (int64_t t = team.member(); t < n; t += TEAM::threads)
      found = best()(found, entry{load(append(i, t)), t});
    found = team.combine(found, none, best());
    if (team.member() == 0)
      store(i, found.position < 0 ? int64_t{0} : found.position);
  }
};

template <class CMP, class P, class LOAD, class STORE>
void arg_reduce(exec &e, const P &p, LOAD load, STORE store) {
  static_assert(P::reduced_rank == 1);
  (void)across_rows_or(p, false); // a hint for the CPU
  for_each_row(e, arg_reduce_body<CMP, P, LOAD, STORE>{p, load, store});
}

} // namespace cameo::cuda
