// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scatter_elements, cut so that updates of one element are applied in order whatever runs in
// parallel: a line of indices along the axis at a time, since two lines never meet.
#pragma once

#include "cameo/common/combine.h"
#include "cameo/common/indexing.h"
#include "cameo/common/params.h"

namespace cameo {

/// Called with the coordinates of a line, 0 at the axis.
template <scatter_reduction RED, class T, class I, class FLAG, int R> struct scatter_line {
  const I *indices;
  const T *updates;
  T *out;
  FLAG flag;
  index<R> data_dims, index_dims;
  int axis;

  CAMEO_DEVICE void operator()(const index<R> &line) const {
    index<R> from = line, to = line;
    for (int64_t t = 0; t < index_dims[axis]; ++t) {
      from[axis] = t;
      const int64_t source = flatten(from, index_dims);
      const int64_t at = resolve_index(indices[source], data_dims[axis], flag);
      if (at < 0)
        continue;
      to[axis] = at;
      T &target = out[flatten(to, data_dims)];
      target = scattered<RED>(target, updates[source]);
    }
  }
};

template <scatter_reduction RED, class P, class T, class I, class FLAG>
CAMEO_DEVICE auto make_scatter_line(const P &p, const I *indices, const T *updates, T *out,
                                    FLAG flag) {
  constexpr int R = P::rank;
  return scatter_line<RED, T, I, FLAG, R>{indices,
                                          updates,
                                          out,
                                          flag,
                                          data_dims_of<R>(p),
                                          index_dims_of<R>(p),
                                          static_cast<int>(p.axis)};
}

/// The lines of indices: their space with extent 1 at the axis.
template <class P> CAMEO_DEVICE index<P::rank> scatter_lines(const P &p) {
  index<P::rank> lines = index_dims_of<P::rank>(p);
  lines[static_cast<int>(p.axis)] = lines[static_cast<int>(p.axis)] > 0 ? 1 : 0;
  return lines;
}

} // namespace cameo
