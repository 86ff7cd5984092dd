// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pad<MODE>: all coordinates but the last are mapped once per row, and the part of a row that lies
// in the input as a whole is a run.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/pad.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// The elements [begin, end) of a row.
template <pad_mode MODE, class T, class STORE, int R>
CAMEO_INLINE void fill_padded_row(const padded_row<MODE, T, STORE, R> &row, int64_t begin,
                                  int64_t end) {
  const auto within = [&](int64_t j) { return j < begin ? begin : j < end ? j : end; };
  const bool is_inside = row.from != nullptr;
  const int64_t first = is_inside ? within(row.shift) : end;
  const int64_t last = is_inside ? within(row.shift + row.extent) : end;
  const STORE own = row.store;
  const index<R - 1> at = row.row;
  const T *const from = row.from, value = row.value;
  const int64_t shift = row.shift, extent = row.extent;
  const auto repeat = [&](int64_t j) {
    const int64_t source = is_inside ? pad_source<MODE>(j - shift, extent) : -1;
    own(append(at, j), source >= 0 ? from[source] : value);
  };
  for (int64_t j = begin; j < first; ++j)
    repeat(j);
  CAMEO_INDEPENDENT
  for (int64_t j = first; j < last; ++j)
    own(append(at, j), from[j - shift]);
  for (int64_t j = last; j < end; ++j)
    repeat(j);
}

/// Rows of `length` elements.
template <int ROWS, class BODY>
CAMEO_INLINE void fill_padded_rows(exec &e, const index<ROWS> &rows, int64_t length,
                                   const BODY &body) {
  const int64_t count = volume(rows);
  if (count <= 0 || length <= 0)
    return;
  e.parallel_if(count * length >= parallel_threshold, [&](int thread, int threads) {
    const bool by_rows = count >= threads;
    const span s = by_rows ? share(count, thread, threads) : span{0, count};
    const span columns = by_rows ? span{0, length} : share(length, thread, threads, 64);
    walk(rows, s.begin, s.end,
         [&](const auto &i) { fill_padded_row(body(i), columns.begin, columns.end); });
  });
}

template <pad_mode MODE, class P, class T, class VALUE, class STORE>
void pad(exec &e, const P &p, const T *x, VALUE value, STORE store) {
  constexpr int R = P::rank;
  const index<R> output = output_of<R>(p);
  fill_padded_rows(e, slice<0, R - 1>(output), output[R - 1],
                   make_pad_rows<MODE>(p, x, value, store));
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
