// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// det: threads share matrices.
#pragma once

#include "cameo/cpu/parallel.h"

#include "cameo/common/det.h"
#include "cameo/common/params.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Bytes that det takes from e.scratch for matrices of T.
template <class T, class P> int64_t det_scratch(const P &p, int threads) {
  return threads * p.size * p.size * static_cast<int64_t>(sizeof(accumulator_t<T>));
}

template <class P, class T, class STORE> void det(exec &e, const P &p, const T *x, STORE store) {
  using A = accumulator_t<T>;
  constexpr int R = P::batch_rank;
  const index<R> batch = batch_of<R>(p);
  const int64_t size = p.size, elements = size * size;
  auto *memory = static_cast<A *>(e.scratch(static_cast<size_t>(det_scratch<T>(p, e.threads()))));
  if (memory == nullptr && elements > 0)
    return;
  const det_matrices<T> matrices = {x, size};
  const int64_t work = volume(batch) * elements * size;
  e.parallel_if(volume(batch) > 1 && work >= parallel_threshold, [&](int thread, int threads) {
    const span own = share(volume(batch), thread, threads);
    for (int64_t number = own.begin; number < own.end; ++number)
      store(unflatten(number, batch), matrices(number, memory + thread * elements));
  });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
