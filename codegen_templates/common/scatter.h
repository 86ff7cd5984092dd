// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scatter_elements, cut so that updates of one element are applied in order whatever runs in
// parallel: a line of indices along the axis at a time, since two lines never meet; and
// tensor_scatter by rows of what is written.
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

enum class scatter_mode { linear, circular };

/// The position `offset` behind `begin` on an axis; -1, with the error raised, where a linear one
/// ends in front of it.
template <scatter_mode MODE, class FLAG>
CAMEO_DEVICE int64_t written_position(int64_t begin, int64_t offset, int64_t extent,
                                      const FLAG &flag) {
  if constexpr (MODE == scatter_mode::circular) {
    const int64_t at = (begin % extent + offset) % extent;
    return at < 0 ? at + extent : at;
  }
  if (begin >= 0 && begin < extent - offset)
    return begin + offset;
  raise(flag, CAMEO_OUT_OF_RANGE, begin, extent - offset);
  return -1;
}

/// One row of what is written (its last dimension), into the row that starts at `to`; null:
/// nowhere.
template <scatter_mode MODE, class T, class LOAD, class FLAG, int R> struct tensor_scatter_row {
  T *to;
  index<R - 1> row;
  bool along; ///< the axis is the last one
  int64_t begin, extent;
  const LOAD &load;
  const FLAG &flag;

  CAMEO_DEVICE void operator()(const index<1> &j) const {
    const int64_t at = along ? written_position<MODE>(begin, j[0], extent, flag) : j[0];
    if (to != nullptr && at >= 0)
      to[at] = load(append(row, j[0]));
  }
};

template <scatter_mode MODE, class T, class LOAD, class FLAG, int R> struct tensor_scatter_rows {
  const int64_t *begin;
  T *out;
  LOAD load;
  FLAG flag;
  index<R> data_dims;
  int axis;

  CAMEO_DEVICE tensor_scatter_row<MODE, T, LOAD, FLAG, R>
  operator()(const index<R - 1> &row) const {
    const int64_t first = begin != nullptr ? begin[row[0]] : 0;
    int64_t start = 0;
    bool inside = true;
    for (int d = 0; d < R - 1; ++d) {
      const int64_t at =
          d == axis ? written_position<MODE>(first, row[d], data_dims[d], flag) : row[d];
      inside = inside && at >= 0;
      start = start * data_dims[d] + at;
    }
    T *to = inside ? out + start * data_dims[R - 1] : nullptr;
    return {to, row, axis == R - 1, first, data_dims[R - 1], load, flag};
  }
};

template <scatter_mode MODE, class P, class T, class LOAD, class FLAG>
CAMEO_DEVICE auto make_tensor_scatter_rows(const P &p, const int64_t *begin, T *out, LOAD load,
                                           FLAG flag) {
  constexpr int R = P::rank;
  return tensor_scatter_rows<MODE, T, LOAD, FLAG, R>{
      begin, out, load, flag, data_dims_of<R>(p), static_cast<int>(p.axis)};
}

} // namespace cameo
