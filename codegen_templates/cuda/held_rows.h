// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are read once and stay in registers, where their length is a constant: some rows a
// warp, a row for each, or a row a block. A member of a row's team holds chunks of neighbouring
// values, as many as the functors move at once: chunk c of member t is number c * members + t. How
// values are combined depends on the length and the functors' types alone, not on pointers.
#pragma once

#include "cameo/common/params.h"
#include "cameo/cuda/for_each.h"
#include "cameo/cuda/wide.h"
#include "cameo/scalar.h"

namespace cameo::cuda {

/// Values of a row that a thread holds at most.
constexpr int held_values = 32;
constexpr int held_block_threads = 256;
constexpr int64_t longest_held_warp_row = warp_threads * held_values;
constexpr int64_t longest_held_row = held_block_threads * held_values;

/// The length of rows, or -1 where a kernel does not know it as a constant.
template <class P> constexpr int64_t constant_row_length() {
  if constexpr (P::reduced_rank == 0)
    return -1;
  else if constexpr (CAMEO_IS_STATIC(P, reduced))
    return volume(params::copy<index<P::reduced_rank>, P::reduced_rank>(P::reduced));
  else
    return -1;
}
template <class P>
constexpr bool
    is_held = constant_row_length<P>() > 0 && constant_row_length<P>() <= longest_held_row;

/// How rows of P lie in registers when functors move at most WIDEST values at once.
template <class P, int WIDEST> struct held_form {
  static constexpr int rank = P::reduced_rank;
  static constexpr int length = static_cast<int>(constant_row_length<P>());

  /// Values of a chunk: chunks end where the last axis does.
  static constexpr int find_width() {
    int width = WIDEST;
    while (P::reduced[rank - 1] % width != 0)
      width /= 2;
    return width;
  }
  static constexpr int width = find_width();

  static constexpr int find_members() {
    if (length > longest_held_warp_row)
      return held_block_threads;
    int members = 1;
    while (members < warp_threads && members * width < length)
      members *= 2;
    return members;
  }
  static constexpr int members = find_members();
  static constexpr int chunks = (length + members * width - 1) / (members * width);
  /// Small blocks where rows need none, so that few rows use many multiprocessors.
  static constexpr int threads = members > warp_threads ? members : 4 * warp_threads;
  static constexpr int rows = threads / members;
};

/// A member's part of the team that shares a row. All threads of a block call its functions.
template <class FORM> class held_team {
  static constexpr int members = FORM::members;

public:
  CAMEO_DEVICE_ONLY int member() const { return static_cast<int>(thread()) % members; }
  /// The team's row of those that a block takes at once.
  CAMEO_DEVICE_ONLY int row() const { return static_cast<int>(thread()) / members; }

  /// Combines one value per member, by halves of the warp, then of its warps; all get the result.
  template <class COMBINE>
  CAMEO_DEVICE_ONLY typename COMBINE::type combine(typename COMBINE::type value) {
    using T = typename COMBINE::type;
    CAMEO_UNROLL
    for (int distance = (members < warp_threads ? members : warp_threads) / 2; distance > 0;
         distance /= 2)
      value = COMBINE::apply(value, shuffle_xor(value, distance));
    if constexpr (members > warp_threads) {
      constexpr int warps = members / warp_threads;
      // All who were at the last barrier have read the last but one results.
      T *const results = shared<T>(turn_ * size_t{warps} * sizeof(T));
      turn_ = 1 - turn_;
      if (lane() == 0)
        results[warp()] = value;
      barrier();
      value = results[lane() % warps];
      CAMEO_UNROLL
      for (int distance = warps / 2; distance > 0; distance /= 2)
        value = COMBINE::apply(value, shuffle_xor(value, distance));
    }
    return value;
  }

private:
  unsigned turn_ = 0;
};

/// A row whose values each thread has some of, or none that exists.
template <class FORM, class P> class held_row {
  static constexpr int R1 = P::outer_rank, R2 = P::reduced_rank, width = FORM::width;
  using point = index<R1 + R2>;

public:
  template <class T> using values = neighbours<T, width>[array_size(FORM::chunks)];

  CAMEO_DEVICE_ONLY held_row(held_team<FORM> &team, const P &p, int64_t row, int64_t rows,
                             bool is_wide)
      : outer(point_of(row < rows ? row : 0, rows, outer_of<R1>(p))), exists(row < rows),
        team_(team), is_wide_(is_wide) {}

  const index<R1> outer;
  const bool exists;

  CAMEO_DEVICE_ONLY bool is_first() const { return exists && team_.member() == 0; }

  /// Whether chunk c is of the row: only of the last one some members have none.
  CAMEO_DEVICE_ONLY bool has(int c) const {
    constexpr bool is_full = FORM::length == FORM::chunks * FORM::members * width;
    return is_full || c + 1 < FORM::chunks || begin(c) < FORM::length;
  }
  template <class T, class LOAD>
  CAMEO_DEVICE_ONLY void load(values<T> &to, const LOAD &load) const {
    if (width > 1 && is_wide_)
      each_chunk([&](int c, const point &at) {
        if constexpr (width > 1) {
          const auto loaded = load.template wide<width>(at);
          CAMEO_UNROLL
          for (int j = 0; j < width; ++j)
            to[c].item[j] = cast<T>(loaded.item[j]);
        }
      });
    else
      each_chunk([&](int c, const point &at) {
        CAMEO_UNROLL
        for (int j = 0; j < width; ++j)
          to[c].item[j] = cast<T>(load(advance(at, j)));
      });
  }
  template <class T, class STORE>
  CAMEO_DEVICE_ONLY void store(const values<T> &from, const STORE &store) const {
    if (width > 1 && is_wide_)
      each_chunk([&](int c, const point &at) {
        if constexpr (width > 1)
          store.template wide<width>(at, from[c]);
      });
    else
      each_chunk([&](int c, const point &at) {
        CAMEO_UNROLL
        for (int j = 0; j < width; ++j)
          store(advance(at, j), from[c].item[j]);
      });
  }
  /// Combines value(v) of all values v of the row; all members get the result. A member takes each
  /// place of its chunks by itself, in the chunks' order, then folds places by halves.
  template <class COMBINE, class T, class VALUE>
  CAMEO_DEVICE_ONLY typename COMBINE::type reduce(const values<T> &of, const VALUE &value) {
    typename COMBINE::type sums[array_size(width)];
    CAMEO_UNROLL
    for (int j = 0; j < width; ++j)
      sums[j] = has(0) ? value(of[0].item[j]) : COMBINE::identity();
    CAMEO_UNROLL
    for (int c = 1; c < FORM::chunks; ++c)
      if (has(c))
        CAMEO_UNROLL
    for (int j = 0; j < width; ++j)
      sums[j] = COMBINE::apply(sums[j], value(of[c].item[j]));
    CAMEO_UNROLL
    for (int half = width / 2; half > 0; half /= 2)
      CAMEO_UNROLL
    for (int j = 0; j < half; ++j)
      sums[j] = COMBINE::apply(sums[j], sums[j + half]);
    return team_.template combine<COMBINE>(sums[0]);
  }
  /// Puts value(v) in the place of all values v.
  template <class T, class VALUE>
  CAMEO_DEVICE_ONLY static void update(values<T> &of, const VALUE &value) {
    CAMEO_UNROLL
    for (int c = 0; c < FORM::chunks; ++c)
      CAMEO_UNROLL
    for (int j = 0; j < width; ++j)
      of[c].item[j] = value(of[c].item[j]);
  }

private:
  /// Where chunk c begins in the row.
  CAMEO_DEVICE_ONLY int begin(int c) const { return (c * FORM::members + team_.member()) * width; }
  template <class F> CAMEO_DEVICE_ONLY void each_chunk(const F &f) const {
    constexpr index<R2> reduced = params::copy<index<R2>, R2>(P::reduced);
    CAMEO_UNROLL
    for (int c = 0; c < FORM::chunks; ++c)
      if (exists && has(c))
        f(c, join(outer, point_of(begin(c), FORM::length, reduced)));
  }

  held_team<FORM> &team_;
  const bool is_wide_;
};

template <class FORM, class BODY>
CAMEO_KERNEL_BOUNDS(FORM::threads, 1)
void held_rows_kernel(BODY body) {
  body.load_counts();
  held_team<FORM> team;
  const int64_t rows = row_count(body.p);
  const bool is_wide = body.is_aligned();
  for (int64_t first = int64_t{block_index().x} * FORM::rows; first < rows;
       first += int64_t{grid_extent().x} * FORM::rows) {
    held_row<FORM, decltype(body.p)> row(team, body.p, first + team.row(), rows, is_wide);
    body(row);
  }
}

/// Calls body(row) for every row of body.p, which are of this form.
template <class FORM, class BODY> void for_each_held_row(exec &e, const BODY &body) {
  const int64_t rows = row_count(body.p);
  constexpr size_t most_bytes = 2 * size_t{held_block_threads / warp_threads} * 16;
  if (rows > 0)
    e.launch(&held_rows_kernel<FORM, BODY>, grid_for(rows, FORM::rows), dim3(FORM::threads),
             FORM::members > warp_threads ? most_bytes : 0, body);
}

} // namespace cameo::cuda
