// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both tiles of attention_tiles for heads of 64 and 128, as generated code of constant shapes has
// them, for attention.py.
#include <cameo/cuda/attention_tiles.h>

namespace cameo::gen::attention {
using namespace cameo::cuda;

template <int HEAD, bool TRANS_K, int64_t QUERIES> struct heads {
  static constexpr int batch_rank = 1;
  static constexpr bool trans_k = TRANS_K;
  static constexpr int64_t queries = QUERIES, keys = 1024, depth = HEAD, size = HEAD;
  static constexpr int64_t batch[1] = {12};
  static constexpr int64_t q_batch_stride[1] = {QUERIES * HEAD};
  static constexpr int64_t k_batch_stride[1] = {1024 * HEAD}, v_batch_stride[1] = {1024 * HEAD};
  static constexpr int64_t q_stride = HEAD, k_stride = TRANS_K ? HEAD : 1024, v_stride = HEAD;
};

struct scaled {
  CAMEO_DEVICE float operator()(const index<3> &, float product) const {
    return mul(product, 0.125f);
  }
};

template <class E, class P> struct stores {
  E *y;
  CAMEO_DEVICE void operator()(const index<3> &i, float sum) const {
    y[(i[0] * P::queries + i[1]) * P::size + i[2]] = cast<E>(sum);
  }
  static constexpr int widest = access_bytes / static_cast<int>(sizeof(E));
  CAMEO_DEVICE bool is_aligned() const { return true; }
  template <int WIDTH>
  CAMEO_DEVICE_ONLY void wide(const index<3> &i, const neighbours<float, WIDTH> &sums) const {
    neighbours<E, WIDTH> line;
    CAMEO_UNROLL
    for (int j = 0; j < WIDTH; ++j)
      line.item[j] = cast<E>(sums.item[j]);
    store_wide<WIDTH>(y + (i[0] * P::queries + i[1]) * P::size + i[2], line);
  }
};

template <class E, int HEAD, bool TRANS_K, int64_t QUERIES>
void attend(exec &e, const E *q, const E *k, const E *v, E *y) {
  using P = heads<HEAD, TRANS_K, QUERIES>;
  attention_tiles(e, P{}, q, k, v, scaled{}, stores<E, P>{y});
}

#define CAMEO_ATTENTION(E, HEAD, TRANS_K)                                                          \
  template void attend<E, HEAD, TRANS_K, 16>(exec &, const E *, const E *, const E *, E *);        \
  template void attend<E, HEAD, TRANS_K, 1024>(exec &, const E *, const E *, const E *, E *);
CAMEO_ATTENTION(half, 64, true)
CAMEO_ATTENTION(half, 64, false)
CAMEO_ATTENTION(half, 128, true)
CAMEO_ATTENTION(bfloat16, 64, true)
CAMEO_ATTENTION(float, 64, true)
CAMEO_ATTENTION(float, 64, false)
CAMEO_ATTENTION(float, 128, true)

} // namespace cameo::gen::attention
