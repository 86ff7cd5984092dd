// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A topk, for its PTX to be looked at: a kernel that is launched with more threads than any kernel
// may have whatever its registers (256: 255 registers of 65536 each) must promise so.
#include "cameo/cuda/topk.h"

namespace cameo::test {

struct topk_params {
  static constexpr int outer_rank = 1, reduced_rank = 1;
  int64_t outer[1], reduced[1];
  int64_t k;
  bool largest, sorted;
};

struct load {
  const float *x;
  CAMEO_DEVICE float operator()(const index<2> &i) const { return x[i[0] * 9000 + i[1]]; }
};
template <class T> struct store {
  T *y;
  CAMEO_DEVICE void operator()(const index<2> &i, T value) const { y[i[0] * 9000 + i[1]] = value; }
};

void launch(cuda::exec &e, const float *x, float *values, int64_t *positions) {
  const topk_params p{{2}, {9000}, 9000, true, true};
  cuda::topk(e, p, load{x}, store<float>{values}, store<int64_t>{positions});
}

} // namespace cameo::test
