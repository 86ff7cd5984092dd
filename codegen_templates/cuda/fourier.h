// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fourier: a thread per result, quadratic in their number; roots of unity come from the table.
// Order: 32 terms at a time, then their sums.
#pragma once

#include "cameo/common/params.h"
#include "cameo/cuda/for_each.h"

namespace cameo::cuda {

/// Bytes that fourier takes from e.scratch.
template <class T, class P> int64_t fourier_scratch(const P &, int) { return 0; }

template <class P, class T, class LOAD, class STORE> struct fourier_call {
  static constexpr int R = P::batch_rank;
  P p;
  const T *roots;
  LOAD load;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, load, store); }
  CAMEO_DEVICE index<R + 1> extents() const { return append(batch_of<R>(p), p.bins); }
  CAMEO_DEVICE const fourier_call &body() const { return *this; }

  CAMEO_DEVICE void operator()(const index<R + 1> &at) const {
    constexpr int64_t piece = 32;
    const int64_t points = p.points, terms = p.terms, k = at[R];
    T re = 0, im = 0;
    int64_t turn = 0; // k * n modulo the points
    for (int64_t first = 0; first < terms; first += piece) {
      T sum_re = 0, sum_im = 0;
      for (int64_t n = first; n < first + piece && n < terms; ++n) {
        add(append(slice<0, R>(at), n), turn, sum_re, sum_im);
        turn += k < points - turn ? k : k - points;
      }
      re += sum_re;
      im += sum_im;
    }
    store(append(at, 0), re);
    if constexpr (!P::real_output)
      store(append(at, 1), im);
  }

private:
  /// Adds the term at `from`, turned so far.
  CAMEO_DEVICE void add(const index<R + 1> &from, int64_t turn, T &re, T &im) const {
    const int64_t points = p.points, n = from[R];
    const T cosine = roots[turn], sine = p.inverse ? roots[points + turn] : -roots[points + turn];
    const T x = load(append(from, 0));
    if (p.parts == 1) {
      re += x * cosine;
      im += x * sine;
      return;
    }
    const T y = load(append(from, 1)), term = x * cosine - y * sine;
    if constexpr (P::real_output) {
      const bool is_alone = n == 0 || n == points - n;
      re += is_alone ? x * cosine : term + term;
    } else {
      re += term;
      im += x * sine + y * cosine;
    }
  }
};

template <class P, class T, class LOAD, class STORE>
void fourier(exec &e, const P &p, const T *roots, LOAD load, STORE store) {
  for_each_call(e, fourier_call<P, T, LOAD, STORE>{p, roots, load, store});
}

} // namespace cameo::cuda
