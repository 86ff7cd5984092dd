// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of gemm_codes_tiles and of conv_transpose_tiles, and a step of a recurrent layer, as
// generated code of constant shapes has them, for codes.py.
#include <cameo/cuda/conv_transpose_tiles.h>
#include <cameo/cuda/gemm_codes_tiles.h>
#include <cameo/cuda/recurrent.h>

namespace cameo::gen::codes {
using namespace cameo::cuda;

template <class TILE, int BITS> struct product {
  static constexpr int bits = BITS;
  static constexpr int64_t m = TILE::rows, n = TILE::columns * 8, k = 2048;
  static constexpr int64_t group = 32, zero_point = 0;
};

template <class E, class P> struct stores {
  E *y;
  CAMEO_DEVICE void operator()(const index<2> &i, float sum) const {
    y[i[0] * P::n + i[1]] = cast<E>(sum);
  }
  static constexpr int widest = access_bytes / static_cast<int>(sizeof(E));
  CAMEO_DEVICE bool is_aligned() const { return true; }
  template <int WIDTH>
  CAMEO_DEVICE_ONLY void wide(const index<2> &i, const neighbours<float, WIDTH> &sums) const {
    neighbours<E, WIDTH> line;
    CAMEO_UNROLL
    for (int j = 0; j < WIDTH; ++j)
      line.item[j] = cast<E>(sums.item[j]);
    store_wide<WIDTH>(y + i[0] * P::n + i[1], line);
  }
};

template <class TILE, class E, int BITS>
void multiply(exec &e, const E *a, const uint32_t *codes, const E *scales, const uint32_t *zeros,
              E *y) {
  using P = product<TILE, BITS>;
  const codes_call<P, E, stores<E, P>> call{P{}, a, {P{}, codes, scales, zeros}, {y}};
  launch_codes_tile<TILE, 16>(e, call);
}
#define CAMEO_CODES(tile, E, BITS)                                                                 \
  template void multiply<tile, E, BITS>(exec &, const E *, const uint32_t *, const E *,            \
                                        const uint32_t *, E *);
CAMEO_CODES(coded_rows_tile, half, 4)
CAMEO_CODES(narrow_rows_tile, half, 4)
CAMEO_CODES(small_tile, half, 8)
CAMEO_CODES(middle_tile, half, 2)
CAMEO_CODES(coded_rows_tile, float, 4)
CAMEO_CODES(middle_tile, float, 8)

/// An image whose width and height are doubled.
struct doubled {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t batch = 1, groups = 1, in_channels = 64, out_channels = 128;
  static constexpr int64_t input[2] = {32, 32}, kernel[2] = {4, 4}, output[2] = {64, 64};
  static constexpr int64_t stride[2] = {2, 2}, dilation[2] = {1, 1}, pad[2] = {1, 1};
};
template <class E> struct pixel_stores {
  E *y;
  CAMEO_DEVICE void operator()(const index<4> &i, float sum) const {
    y[(i[1] * 64 + i[2]) * 64 + i[3]] = cast<E>(sum);
  }
};
template <class TILE, class E> void widen_images(exec &e, const E *x, const E *lines, E *y) {
  const conv_transpose_tiles_call<doubled, E, pixel_stores<E>> call{
      {{doubled{}, {}}, x, lines, {y}}};
  launch_image_tile<TILE, chunk_bytes>(e, call, shape_of_residues(call, 4), 4);
}
#define CAMEO_RESIDUES(tile, E)                                                                    \
  template void widen_images<tile, E>(exec &, const E *, const E *, E *);
CAMEO_RESIDUES(image_tile, half)
CAMEO_RESIDUES(large_image_tile, half)
CAMEO_RESIDUES(image_tile, float)

struct sum_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<3> &i, float sum) const { y[i[2]] = sum; }
};
template <class T> void step(exec &e, const float *h, const T *r, float *y) {
  const recurrent::product<int64_t> p{1, 1024, 256, {1}, {0}, {0}};
  multiply_states(e, p, 0, h, r, 0, sum_store{y});
}
template void step<half>(exec &, const float *, const half *, float *);
template void step<float>(exec &, const float *, const float *, float *);

} // namespace cameo::gen::codes
