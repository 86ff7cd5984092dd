// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cumulative: running combination along a row, strictly sequential.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/params.h"
#include "cameo/cpu/parallel.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <class COMBINE, class P, class LOAD, class STORE>
void cumulative(exec &e, const P &p, LOAD load, STORE store) {
  using type = typename COMBINE::type;
  constexpr int R1 = P::outer_rank, R2 = P::reduced_rank;
  const index<R1> outer = outer_of<R1>(p);
  const index<R2> reduced = reduced_of<R2>(p);
  const int64_t n = row_length(p);
  parallel_range(e, volume(outer), n, [&](int64_t begin, int64_t end) {
    walk(outer, begin, end, [&](const index<R1> &i) {
      type running = COMBINE::identity();
      for (int64_t t = 0; t < n; ++t) {
        const index<R1 + R2> at = join(i, unflatten(p.reverse ? n - 1 - t : t, reduced));
        const type before = running;
        running = COMBINE::apply(running, cast<type>(load(at)));
        store(at, p.exclusive ? before : running);
      }
    });
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
