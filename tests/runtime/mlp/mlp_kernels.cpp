// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of mlp.
#include "mlp_kernels.h"

#include "cameo/cpu/gemm.h"
#include "cameo/cpu/softmax.h"

namespace cameo::gen::mlp {

namespace {

struct fc1_params {
  static constexpr int batch_rank = 0;
  int64_t m;
  static constexpr int64_t n = 32, k = 64;
  static constexpr bool trans_a = false, trans_b = true;
};
// Gemm "fc1", Relu "relu1"
struct fc1_store {
  const float *b1;
  float *h;
  CAMEO_DEVICE void operator()(const index<2> &i, float acc) const {
    const float t0 = add(acc, b1[i[1]]);
    const float t1 = max(t0, 0.0f);
    h[i[0] * 32 + i[1]] = t1;
  }
};

struct fc2_params {
  static constexpr int batch_rank = 0;
  int64_t m;
  static constexpr int64_t n = 10, k = 32;
  static constexpr bool trans_a = false, trans_b = true;
};
// Gemm "fc2"
struct fc2_store {
  const float *b2;
  float *z;
  CAMEO_DEVICE void operator()(const index<2> &i, float acc) const {
    const float t0 = add(acc, b2[i[1]]);
    z[i[0] * 10 + i[1]] = t0;
  }
};

struct soft_params {
  static constexpr int outer_rank = 1, reduced_rank = 1;
  int64_t outer[1];
  static constexpr int64_t reduced[1] = {10};
};
// Softmax "soft"
struct soft_load {
  const float *z;
  CAMEO_DEVICE float operator()(const index<2> &i) const { return z[i[0] * 10 + i[1]]; }
};
struct soft_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<2> &i, float v) const { y[i[0] * 10 + i[1]] = v; }
};

} // namespace

// Gemm "fc1", Relu "relu1": [N, 64] x [32, 64] -> [N, 32]
void fc1(exec &e, const float *x, const float *w1, const float *b1, float *h, int64_t N) {
  access_scope scope(e, "fc1",
                     {read(x, N * 64 * 4), read(w1, 8192), read(b1, 128), write(h, N * 32 * 4)});
  fc1_params p;
  p.m = N;
  gemm(e, p, x, w1, fc1_store{b1, h});
}

// Gemm "fc2": [N, 32] x [10, 32] -> [N, 10]
void fc2(exec &e, const float *h, const float *w2, const float *b2, float *z, int64_t N) {
  access_scope scope(e, "fc2",
                     {read(h, N * 32 * 4), read(w2, 1280), read(b2, 40), write(z, N * 10 * 4)});
  fc2_params p;
  p.m = N;
  gemm(e, p, h, w2, fc2_store{b2, z});
}

// Softmax "soft": [N, 10] -> [N, 10]
void soft(exec &e, const float *z, float *y, int64_t N) {
  access_scope scope(e, "soft", {read(z, N * 10 * 4), write(y, N * 10 * 4)});
  soft_params p;
  p.outer[0] = N;
  softmax<false>(e, p, soft_load{z}, soft_store{y});
}

int64_t scratch(int threads, int64_t N) {
  fc1_params p1;
  p1.m = N;
  fc2_params p2;
  p2.m = N;
  return max(gemm_scratch<float, float>(p1, threads), gemm_scratch<float, float>(p2, threads));
}

} // namespace cameo::gen::mlp
