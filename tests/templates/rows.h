// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the tests of row templates: params of given ranks, and the rows of a dense tensor.
#pragma once

#include "machine.h"

namespace cameo::test {

/// Row members of p; REDUCED >= 1.
template <int OUTER, int REDUCED> struct row_params {
  static constexpr int outer_rank = OUTER, reduced_rank = REDUCED;
  int64_t outer[OUTER];
  int64_t reduced[REDUCED];
};
template <int REDUCED> struct row_params<0, REDUCED> {
  static constexpr int outer_rank = 0, reduced_rank = REDUCED;
  int64_t reduced[REDUCED];
};

template <int OUTER, int REDUCED>
row_params<OUTER, REDUCED> make_rows(const index<OUTER> &outer, const index<REDUCED> &reduced) {
  row_params<OUTER, REDUCED> p{};
  if constexpr (OUTER > 0)
    for (int d = 0; d < OUTER; ++d)
      p.outer[d] = outer[d];
  for (int d = 0; d < REDUCED; ++d)
    p.reduced[d] = reduced[d];
  return p;
}

/// Row number r of a tensor stored as rows of n values.
template <class T> std::vector<T> row_of(const std::vector<T> &values, int64_t r, int64_t n) {
  return {values.begin() + r * n, values.begin() + (r + 1) * n};
}

/// x(outer..., reduced...) in memory as (reduced..., outer...): neighbouring rows are adjacent.
template <class T, int R1, int R2> struct crosswise_load {
  const T *data;
  index<R1> outer;
  index<R2> reduced;
  CAMEO_DEVICE T operator()(const index<R1 + R2> &i) const {
    int64_t row = 0, value = 0;
    for (int d = 0; d < R1; ++d)
      row = row * outer[d] + i[d];
    for (int d = 0; d < R2; ++d)
      value = value * reduced[d] + i[R1 + d];
    return data[value * volume(outer) + row];
  }
};

/// Random values, some rows with NaN, infinities and ties.
template <class T> std::vector<T> awkward_values(uint64_t seed, int64_t count) {
  random_values random(seed);
  std::vector<T> v = random.vector<T>(count);
  if constexpr (std::is_floating_point_v<T>) {
    for (T &x : v) {
      const int64_t kind = random.below(60);
      x = kind == 0   ? static_cast<T>(NAN)
          : kind == 1 ? static_cast<T>(INFINITY)
          : kind == 2 ? static_cast<T>(-INFINITY)
          : kind < 20 ? static_cast<T>(random.below(3))
                      : x;
    }
  }
  return v;
}

} // namespace cameo::test
