// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every tile of gemm_tiles with operands along k and across it, and of conv_tiles, as generated
// code of constant shapes has them, for tiles.py.
#include <cameo/cuda/conv_tiles.h>

namespace cameo::gen::tiles {
using namespace cameo::cuda;

template <class TILE, bool TRANS_A, bool TRANS_B, factor_type FACTORS> struct product {
  static constexpr factor_type factors = FACTORS;
  static constexpr int batch_rank = 0;
  static constexpr bool trans_a = TRANS_A, trans_b = TRANS_B;
  static constexpr int64_t m = TILE::rows * 4, n = TILE::columns * 8, k = 1024;
};

template <class E, class P> struct stores {
  const E *bias;
  E *y;
  CAMEO_DEVICE void operator()(const index<2> &i, float sum) const {
    y[i[0] * P::n + i[1]] = cast<E>(max(add(sum, cast<float>(bias[i[1]])), 0.0f));
  }
  static constexpr int widest = access_bytes / static_cast<int>(sizeof(E));
  CAMEO_DEVICE bool is_aligned() const { return true; }
  template <int WIDTH>
  CAMEO_DEVICE_ONLY void wide(const index<2> &i, const neighbours<float, WIDTH> &sums) const {
    const auto bias_line = load_wide<WIDTH>(bias + i[1]);
    neighbours<E, WIDTH> line;
    CAMEO_UNROLL
    for (int j = 0; j < WIDTH; ++j)
      line.item[j] = cast<E>(max(add(sums.item[j], cast<float>(bias_line.item[j])), 0.0f));
    store_wide<WIDTH>(y + i[0] * P::n + i[1], line);
  }
};

template <class TILE, class E, bool TRANS_A, bool TRANS_B, factor_type FACTORS>
void multiply(exec &e, const E *a, const E *b, const E *bias, E *y) {
  using P = product<TILE, TRANS_A, TRANS_B, FACTORS>;
  const gemm_call<P, E, E, stores<E, P>> call{P{}, a, b, {bias, y}};
  launch_tile<TILE, 16, 16>(e, call, call.shape());
}

#define CAMEO_TILE_OF(tile, E, FACTORS)                                                            \
  template void multiply<tile, E, false, false, factor_type::FACTORS>(exec &, const E *,           \
                                                                      const E *, const E *, E *);  \
  template void multiply<tile, E, true, true, factor_type::FACTORS>(exec &, const E *, const E *,  \
                                                                    const E *, E *);
#define CAMEO_TILE(tile, E) CAMEO_TILE_OF(tile, E, parts)
CAMEO_TILE(few_rows_tile, half)
CAMEO_TILE(small_tile, half)
CAMEO_TILE(middle_tile, half)
CAMEO_TILE(large_tile, half)
CAMEO_TILE(largest_tile, half)
CAMEO_TILE(middle_tile, bfloat16)
CAMEO_TILE(few_rows_tile, float)
CAMEO_TILE(small_tile, float)
CAMEO_TILE(middle_tile, float)
CAMEO_TILE_OF(middle_tile, float, tf32)
CAMEO_TILE_OF(middle_tile, float, bf16)
CAMEO_TILE_OF(middle_tile, float, fp16)
CAMEO_TILE(sliced_rows_tile, half)
CAMEO_TILE(sliced_tile, half)
CAMEO_TILE(halved_tile, half)
CAMEO_TILE(wide_tile, half)
CAMEO_TILE(sliced_rows_tile, float)
CAMEO_TILE(sliced_tile, float)
CAMEO_TILE(halved_tile, float)
CAMEO_TILE(wide_tile, float)
CAMEO_TILE(quartered_tile, float)

template <class TILE> struct convolution {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t batch = 1, groups = 1, in_channels = 64, out_channels = TILE::rows * 4;
  static constexpr int64_t input[2] = {56, 56}, kernel[2] = {3, 3}, output[2] = {56, 56};
  static constexpr int64_t stride[2] = {1, 1}, dilation[2] = {1, 1}, pad[2] = {1, 1};
};

template <class E> struct pixel_stores {
  const E *bias;
  E *y;
  CAMEO_DEVICE void operator()(const index<4> &i, float sum) const {
    y[(i[1] * 56 + i[2]) * 56 + i[3]] = cast<E>(max(add(sum, cast<float>(bias[i[1]])), 0.0f));
  }
  static constexpr int widest = access_bytes / static_cast<int>(sizeof(E));
  CAMEO_DEVICE bool is_aligned() const { return true; }
  template <int WIDTH>
  CAMEO_DEVICE_ONLY void wide(const index<4> &i, const neighbours<float, WIDTH> &sums) const {
    neighbours<E, WIDTH> line;
    CAMEO_UNROLL
    for (int j = 0; j < WIDTH; ++j)
      line.item[j] = cast<E>(max(add(sums.item[j], cast<float>(bias[i[1]])), 0.0f));
    store_wide<WIDTH>(y + (i[1] * 56 + i[2]) * 56 + i[3], line);
  }
};

template <class TILE, class E> void convolve(exec &e, const E *x, const E *w, const E *bias, E *y) {
  using P = convolution<TILE>;
  const conv_tiles_call<P, E, pixel_stores<E>> call{{{P{}}, x, w, {bias, y}}};
  launch_image_tile<TILE, 16>(e, call, call.shape());
}

#define CAMEO_IMAGE_TILE(tile, E)                                                                  \
  template void convolve<tile, E>(exec &, const E *, const E *, const E *, E *);
CAMEO_IMAGE_TILE(few_channels_tile, half)
CAMEO_IMAGE_TILE(image_tile, half)
CAMEO_IMAGE_TILE(large_image_tile, half)
CAMEO_IMAGE_TILE(sliced_tile, half)
CAMEO_IMAGE_TILE(wide_tile, half)
CAMEO_IMAGE_TILE(few_channels_tile, float)
CAMEO_IMAGE_TILE(image_tile, float)
CAMEO_IMAGE_TILE(large_image_tile, float)
CAMEO_IMAGE_TILE(sliced_tile, float)
CAMEO_IMAGE_TILE(halved_tile, float)
CAMEO_IMAGE_TILE(wide_tile, float)

} // namespace cameo::gen::tiles
