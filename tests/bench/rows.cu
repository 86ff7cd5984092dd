// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates of rows and of elements as generated code of constant shapes has them, for rows.py.
#include <cameo/cuda/normalize.h>
#include <cameo/cuda/reduce.h>
#include <cameo/cuda/softmax.h>

#include "wide_functors.h"

namespace cameo::gen::rows {
using namespace cameo::cuda;
using namespace cameo::test;

template <int64_t LENGTH> struct params {
  static constexpr int outer_rank = 1, reduced_rank = 1;
  static constexpr int64_t outer[1] = {4096}, reduced[1] = {LENGTH};
  static constexpr bool centered = true;
  static constexpr float epsilon = 1e-5f;
};

struct result_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<1> &i, float value) const { y[i[0]] = value; }
};

template <class T, int64_t LENGTH> void call(exec &e, const T *x, T *y, float *sums) {
  const params<LENGTH> p;
  const wide_load<T, LENGTH, true> load{x};
  const wide_store<T, LENGTH, true> store{y};
  softmax_held<false>(e, p, load, store);
  normalize_held(e, p, load, store, discard{}, discard{});
  reduce_held<combine::sum<float>>(e, p, load, result_store{sums});
}

#define CAMEO_ROWS(T, LENGTH) template void call<T, LENGTH>(exec &, const T *, T *, float *);
CAMEO_ROWS(half, 128)
CAMEO_ROWS(half, 1024)
CAMEO_ROWS(half, 8192)
CAMEO_ROWS(bfloat16, 1024)
CAMEO_ROWS(float, 1024)
CAMEO_ROWS(float, 8192)

/// y = max(x + z, 0), whose body is two instructions an element of float.
template <class T> struct add_relu {
  const T *x, *z;
  T *y;
  static constexpr int widest = access_bytes / static_cast<int>(sizeof(T));
  CAMEO_DEVICE bool is_aligned() const { return true; }
  CAMEO_DEVICE void operator()(const index<1> &i) const {
    y[i[0]] = max(add(x[i[0]], z[i[0]]), cast<T>(0));
  }
  template <int WIDTH> CAMEO_DEVICE_ONLY void wide(const index<1> &i) const {
    const auto x_line = cuda::load_wide<WIDTH>(x + i[0]);
    const auto z_line = cuda::load_wide<WIDTH>(z + i[0]);
    neighbours<T, WIDTH> line;
    CAMEO_UNROLL
    for (int j = 0; j < WIDTH; ++j)
      line.item[j] = max(add(x_line.item[j], z_line.item[j]), cast<T>(0));
    cuda::store_wide<WIDTH>(y + i[0], line);
  }
};
template <class T> void add(exec &e, const T *x, const T *z, T *y) {
  for_each(e, static_index<1 << 20>{}, add_relu<T>{x, z, y});
}
template void add<half>(exec &, const half *, const half *, half *);
template void add<bfloat16>(exec &, const bfloat16 *, const bfloat16 *, bfloat16 *);
template void add<float>(exec &, const float *, const float *, float *);

} // namespace cameo::gen::rows
