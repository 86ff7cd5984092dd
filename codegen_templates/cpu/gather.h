// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gather, gather_elements, gather_nd: an index is resolved once per slice it selects; those of
// gather_elements, an element each, some at a time.
#pragma once

#include "cameo/cpu/for_each.h"

#include "cameo/common/gather.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

template <class P, class T, class I, class STORE>
void gather(exec &e, const P &p, const T *data, const I *indices, STORE store) {
  constexpr int RO = P::outer_rank, RX = P::index_rank, RI = P::inner_rank;
  for_rows(e, join(outer_of<RO>(p), index_of<RX>(p)), inner_of<RI>(p),
           make_gather_rows(p, data, indices, store, e.flag()));
}

/// Elements of a row of the indices that are found together, and the fewest that are worth it.
constexpr int64_t gathered_run = has_small_stack ? 16 : 64, fewest_gathered = 16;

/// Columns [begin, end) of a row, gathered by `body`: first where each is, then what is there. A
/// run with an index that is out of range goes element by element.
template <class BODY, class T, class I, class STORE, int RO>
CAMEO_INLINE void gather_run(const BODY &body, const T *data, const I *indices, const STORE &store,
                             const index<RO> &row, int64_t begin, int64_t end) {
  constexpr int R = RO + 1;
  const index<R> first = append(row, int64_t{0});
  const int axis = body.axis;
  const int64_t extent = body.data_dims[axis];
  index<R> at_0 = first, at_1 = first;
  at_0[axis] = 0;
  at_1[axis] = 1;
  const bool is_last = axis == R - 1;
  const int64_t base = flatten(at_0, body.data_dims), step = flatten(at_1, body.data_dims) - base;
  const I *const given = indices + flatten(first, body.index_dims);
  const STORE own = store;
  for (int64_t from = begin; from < end; from += gathered_run) {
    const int64_t count = end - from < gathered_run ? end - from : gathered_run;
    int64_t place[array_size(gathered_run)];
    int64_t outside = 0;
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < count; ++j) {
      const auto i = static_cast<int64_t>(given[from + j]);
      const int64_t at = i < 0 ? i + extent : i;
      outside |= static_cast<int64_t>(at < 0) | static_cast<int64_t>(at >= extent);
      place[j] = static_cast<int64_t>(static_cast<uint64_t>(at) * static_cast<uint64_t>(step)) +
                 (is_last ? 0 : from + j);
    }
    if (outside != 0) {
      for (int64_t j = 0; j < count; ++j)
        body(append(row, from + j));
      continue;
    }
    CAMEO_INDEPENDENT
    for (int64_t j = 0; j < count; ++j)
      own(append(row, from + j), data[base + place[j]]);
  }
}

template <class P, class T, class I, class STORE>
void gather_elements(exec &e, const P &p, const T *data, const I *indices, STORE store) {
  constexpr int RO = P::rank - 1; // by name: g++ 12 for ARM stops at R - 1 within a lambda
  const auto body = make_gather_elements_body(p, data, indices, store, e.flag());
  const index<RO + 1> extents = index_dims_of<RO + 1>(p);
  const index<RO> outer = slice<0, RO>(extents);
  const int64_t rows = volume(outer), length = extents[RO];
  if (length < fewest_gathered)
    return for_each(e, index_dims_of<RO + 1>(p), body);
  e.parallel_if(rows * length >= parallel_threshold, [&](int thread, int threads) {
    const bool by_rows = rows >= threads;
    const span some = by_rows ? share(rows, thread, threads) : span{0, rows};
    const span columns = by_rows ? span{0, length} : share(length, thread, threads, 64);
    walk(outer, some.begin, some.end, [&](const index<RO> &row) {
      gather_run(body, data, indices, store, row, columns.begin, columns.end);
    });
  });
}

template <class P, class T, class I, class STORE>
void gather_nd(exec &e, const P &p, const T *data, const I *indices, STORE store) {
  constexpr int RB = P::batch_rank, RX = P::index_rank, RI = P::inner_rank;
  for_rows(e, join(batch_of<RB>(p), index_of<RX>(p)), inner_of<RI>(p),
           make_gather_nd_rows(p, data, indices, store, e.flag()));
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
