// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scatter_elements, tensor_scatter and scatter_nd, in place. scatter_nd gives each thread a part of
// the rows; with wide rows it walks the tuples once and updates whole rows.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/scatter.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <scatter_reduction RED, class P, class T, class I>
void scatter_elements(exec &e, const P &p, const I *indices, const T *updates, T *out) {
  const index<P::rank> lines = scatter_lines(p);
  const auto line = make_scatter_line<RED>(p, indices, updates, out, e.flag());
  parallel_range(e, volume(lines), index_dims_of<P::rank>(p)[static_cast<int>(p.axis)],
                 [&](int64_t begin, int64_t end) { walk(lines, begin, end, line); });
}

template <scatter_reduction RED, class P, class T, class I>
void scatter_nd(exec &e, const P &p, const I *indices, const T *updates, T *out) {
  constexpr int RX = P::index_rank, N = P::tuple;
  const index<N> axes = axes_of<N>(p);
  const int64_t rows = volume(axes), tuples = volume(index_of<RX>(p)), inner = p.inner;
  const error_flag flag = e.flag();
  if (inner <= 0)
    return;
  e.parallel_if(tuples * inner >= parallel_threshold, [&](int thread, int threads) {
    const span mine = share(rows, thread, threads);
    for (int64_t t = 0; t < tuples; ++t) {
      const int64_t row = resolve_tuple(indices + t * N, axes, flag);
      if (row < mine.begin || row >= mine.end)
        continue;
      T *to = out + row * inner;
      const T *from = updates + t * inner;
      CAMEO_INDEPENDENT
      for (int64_t j = 0; j < inner; ++j)
        to[j] = scattered<RED>(to[j], from[j]);
    }
  });
}

template <scatter_mode MODE, class P, class T, class LOAD>
void tensor_scatter(exec &e, const P &p, const int64_t *begin, T *out, LOAD load) {
  constexpr int R = P::rank;
  const index<R> shape = shape_of<R>(p);
  for_rows(e, slice<0, R - 1>(shape), slice<R - 1, 1>(shape),
           make_tensor_scatter_rows<MODE>(p, begin, out, load, e.flag()));
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
