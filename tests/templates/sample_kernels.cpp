// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every template once, the way generated code calls it: functors and params in an unnamed
// namespace, kernel functions that say nothing but what they are. Compiled for each target under
// generated code's warnings, by nvcc where there is one, and looked at by weak_symbols.py.
#if defined(CAMEO_TEST_CUDA)
#define CAMEO_TEMPLATE(header) <cameo/cuda/header>
#define CAMEO_TARGET cuda
#include <cameo/cuda/gemm_tiles.h>
#else
#define CAMEO_TEMPLATE(header) <cameo/cpu/header>
#define CAMEO_TARGET cpu
#include <cameo/cpu/attention.h>
#include <cameo/cpu/conv_blocked_depthwise.h>
#include <cameo/cpu/conv_blocked_groups.h>
#include <cameo/cpu/conv_bytes.h>
#include <cameo/cpu/gemm_bytes.h>
#include <cameo/cpu/gemm_codes.h>
#include <cameo/cpu/gemm_codes_bytes.h>
#include <cameo/cpu/pool_blocked.h>
#include <cameo/cpu/repack.h>
#include <cameo/cpu/strings.h>
#include <cameo/cpu/sum_channels.h>
#endif
#include CAMEO_TEMPLATE(conv.h)
#include CAMEO_TEMPLATE(conv_transpose.h)
#include CAMEO_TEMPLATE(cumulative.h)
#include CAMEO_TEMPLATE(det.h)
#include CAMEO_TEMPLATE(for_each.h)
#include CAMEO_TEMPLATE(fourier.h)
#include CAMEO_TEMPLATE(gather.h)
#include CAMEO_TEMPLATE(gemm.h)
#include CAMEO_TEMPLATE(grid_sample.h)
#include CAMEO_TEMPLATE(linear_attention.h)
#include CAMEO_TEMPLATE(lookup.h)
#include CAMEO_TEMPLATE(max_roi_pool.h)
#include CAMEO_TEMPLATE(non_max_suppression.h)
#include CAMEO_TEMPLATE(nonzero.h)
#include CAMEO_TEMPLATE(normalize.h)
#include CAMEO_TEMPLATE(pack.h)
#include CAMEO_TEMPLATE(pad.h)
#include CAMEO_TEMPLATE(pool.h)
#include CAMEO_TEMPLATE(recurrent.h)
#include CAMEO_TEMPLATE(reduce.h)
#include CAMEO_TEMPLATE(resize.h)
#include CAMEO_TEMPLATE(roi_align.h)
#include CAMEO_TEMPLATE(scatter.h)
#include CAMEO_TEMPLATE(softmax.h)
#include CAMEO_TEMPLATE(topk.h)
#include CAMEO_TEMPLATE(tree_ensemble.h)
#include CAMEO_TEMPLATE(unique.h)

namespace cameo::gen::sample {
using namespace cameo::CAMEO_TARGET;

void fc1(exec &e, const float *x, const float *w1, const float *b1, float *h, int64_t N);
void fc2(exec &e, const half *x, const half *w, half *y, int64_t N);
void conv1(exec &e, const half *x, const half *w, half *y, int64_t N);
void rows(exec &e, const float *x, float *y, int64_t *at, int64_t N);
void movement(exec &e, const float *x, const int64_t *indices, float *y, int64_t N);
void sampling(exec &e, const float *x, float *y, int64_t N);
void regions(exec &e, const float *x, const int64_t *indices, float *y, int64_t N);
void states(exec &e, const float *x, float *y, int64_t N);
void counted(exec &e, const float *x, int64_t *at, int64_t *count, int64_t N);
void nibbles(exec &e, const uint8_t *x, uint8_t *y, int64_t N);
void trees(exec &e, const float *x, const int32_t *nodes, float *y, int64_t N);
void layer(exec &e, const float *x, const float *w, const float *r, float *y, int64_t N);

namespace {

struct fc1_params {
  static constexpr int batch_rank = 0;
  int64_t m;
  static constexpr int64_t n = 32, k = 64;
  static constexpr bool trans_a = false, trans_b = true;
};
struct fc1_store {
  const float *b1;
  float *h;
  CAMEO_DEVICE void operator()(const index<2> &i, float acc) const {
    const float t0 = add(acc, b1[i[1]]);
    const float t1 = max(t0, 0.0f);
    h[i[0] * 32 + i[1]] = t1;
  }
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

#if defined(CAMEO_TEST_CUDA)
namespace {

struct fc2_store {
  half *y;
  CAMEO_DEVICE void operator()(const index<2> &i, float acc) const {
    y[i[0] * 32 + i[1]] = cast<half>(acc);
  }
};

} // namespace

// MatMul "fc2": [N, 64] x [32, 64] -> [N, 32]
void fc2(exec &e, const half *x, const half *w, half *y, int64_t N) {
  access_scope scope(e, "fc2", {read(x, N * 64 * 2), read(w, 4096), write(y, N * 32 * 2)});
  fc1_params p;
  p.m = N;
  gemm_tiles(e, p, x, w, fc2_store{y});
}
#endif

namespace {

struct conv1_params {
  static constexpr int spatial_rank = 2;
  int64_t batch;
  static constexpr int64_t groups = 1, in_channels = 3, out_channels = 8;
  static constexpr int64_t input[2] = {9, 9}, kernel[2] = {3, 3}, output[2] = {9, 9};
  static constexpr int64_t stride[2] = {1, 1}, dilation[2] = {1, 1}, pad[2] = {1, 1};
};
struct conv1_store {
  half *y;
  CAMEO_DEVICE void operator()(const index<4> &i, float acc) const {
    y[((i[0] * 8 + i[1]) * 9 + i[2]) * 9 + i[3]] = cast<half>(acc);
  }
};
struct pool1_params : conv1_params {
  static constexpr int64_t channels = 8, pad_end[2] = {1, 1};
};
struct pool1_load {
  const half *x;
  CAMEO_DEVICE half operator()(const index<4> &i) const {
    return x[((i[0] * 8 + i[1]) * 9 + i[2]) * 9 + i[3]];
  }
};
struct pool1_store {
  half *y;
  CAMEO_DEVICE void operator()(const index<4> &i, half v) const {
    y[((i[0] * 8 + i[1]) * 9 + i[2]) * 9 + i[3]] = v;
  }
};

} // namespace

// Conv "conv1", its gradient-like twin, MaxPool "pool1"
void conv1(exec &e, const half *x, const half *w, half *y, int64_t N) {
  access_scope scope(e, "conv1", {read(x, N * 486), read(w, 432), write(y, N * 1296)});
  pool1_params p;
  p.batch = N;
  conv(e, p, x, w, conv1_store{y});
  conv_transpose(e, p, x, w, conv1_store{y});
  pool<pool_kind::max>(e, p, pool1_load{x}, pool1_store{y});
  pool<pool_kind::average>(e, p, pool1_load{x}, conv1_store{y});
}

namespace {

struct row_params {
  static constexpr int outer_rank = 1, reduced_rank = 1;
  int64_t outer[1];
  static constexpr int64_t reduced[1] = {100};
  static constexpr float epsilon = 1e-5f;
  static constexpr bool centered = true, exclusive = false, reverse = false, largest = true,
                        sorted = true;
  static constexpr int64_t k = 7;
};
struct row_load {
  const float *x;
  CAMEO_DEVICE float operator()(const index<2> &i) const { return x[i[0] * 100 + i[1]]; }
};
struct row_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<2> &i, float v) const { y[i[0] * 100 + i[1]] = v; }
};
struct value_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<1> &i, float v) const { y[i[0]] = v; }
};
#if defined(CAMEO_TEST_CUDA)
/// A body and a store.
struct wide_row {
  const float *x;
  float *y;
  CAMEO_DEVICE void operator()(const index<2> &i) const { (*this)(i, x[i[0] * 100 + i[1]]); }
  CAMEO_DEVICE void operator()(const index<2> &i, float v) const { y[i[0] * 100 + i[1]] = v; }
  static constexpr int widest = 4;
  CAMEO_DEVICE bool is_aligned() const { return are_aligned(x, y); }
  template <int WIDTH> CAMEO_DEVICE_ONLY void wide(const index<2> &i) const {
    wide(i, load_wide<WIDTH>(x + i[0] * 100 + i[1]));
  }
  template <int WIDTH>
  CAMEO_DEVICE_ONLY void wide(const index<2> &i, const neighbours<float, WIDTH> &values) const {
    store_wide<WIDTH>(y + i[0] * 100 + i[1], values);
  }
};
#endif
struct position_store {
  int64_t *at;
  CAMEO_DEVICE void operator()(const index<1> &i, int64_t v) const { at[i[0]] = v; }
  CAMEO_DEVICE void operator()(const index<2> &i, int64_t v) const { at[i[0] * 7 + i[1]] = v; }
};

} // namespace

// The row templates: [N, 100]
void rows(exec &e, const float *x, float *y, int64_t *at, int64_t N) {
  access_scope scope(e, "rows", {read(x, N * 400), write(y, N * 400), write(at, N * 56)});
  row_params p;
  p.outer[0] = N;
  reduce<combine::sum<float>>(e, p, row_load{x}, value_store{y});
  arg_reduce<arg_max<float>>(e, p, row_load{x}, position_store{at});
  softmax<false>(e, p, row_load{x}, row_store{y});
  normalize(e, p, row_load{x}, row_store{y}, discard{}, discard{});
  cumulative<combine::sum<float>>(e, p, row_load{x}, row_store{y});
  topk(e, p, row_load{x}, row_store{y}, position_store{at});
#if defined(CAMEO_TEST_CUDA)
  reduce_held<combine::sum<float>>(e, p, row_load{x}, value_store{y});
  softmax_held<false>(e, p, row_load{x}, wide_row{x, y});
  normalize_held(e, p, row_load{x}, row_store{y}, discard{}, discard{});
  for_each(e, index<2>{{N, 100}}, wide_row{x, y});
#endif
}

namespace {

struct counted_params {
  static constexpr int shape_rank = 2;
  int64_t shape[2], rows, slices, columns, batch, most;
  static constexpr int64_t classes = 2, boxes = 50;
  static constexpr bool sorted = true, center_point_box = false;
};
struct positive_load {
  const float *x;
  CAMEO_DEVICE bool operator()(const index<2> &i) const { return less(0.0f, x[i[0] * 100 + i[1]]); }
};
struct score_load {
  const float *x;
  CAMEO_DEVICE float operator()(const index<3> &i) const {
    return x[i[0] * 100 + i[1] * 50 + i[2]];
  }
};

} // namespace

// As many as the data say
void counted(exec &e, const float *x, int64_t *at, int64_t *count, int64_t N) {
  access_scope scope(e, "counted", {read(x, N * 400), write(at, N * 800), write(count, 8)});
  counted_params p;
  p.shape[0] = N;
  p.shape[1] = 100;
  p.rows = 1;
  p.slices = N;
  p.columns = 100;
  p.batch = N;
  p.most = 7;
  nonzero(e, p, at, count, positive_load{x});
  unique(e, p, x, at, at, at, count);
  non_max_suppression(e, p, x, x, at, score_load{x});
}

namespace {

struct movement_params {
  static constexpr int outer_rank = 1, index_rank = 1, inner_rank = 0, rank = 2;
  static constexpr int tuple = 1;
  int64_t outer[1], index[1], data_dims[2], index_dims[2], axes[1], input[2], output[2];
  static constexpr int64_t axis_extent = 100, axis = 1, inner = 1, begin[2] = {0, 2};
  static constexpr int64_t up[2] = {1, 2}, down[2] = {1, 1};
  static constexpr coordinate_mode coordinate = coordinate_mode::half_pixel;
  static constexpr nearest_rounding nearest_mode = nearest_rounding::floor;
};
struct nd_params {
  static constexpr int batch_rank = 1, index_rank = 0, tuple = 1, inner_rank = 0;
  int64_t batch[1], axes[1];
};
struct scattered_params {
  static constexpr int rank = 2;
  int64_t data_dims[2], shape[2];
  static constexpr int64_t axis = 1;
};
struct table_params {
  static constexpr int outer_rank = 1;
  int64_t outer[1];
  static constexpr int64_t count = 50;
};
struct value_load {
  const float *x;
  CAMEO_DEVICE float operator()(const index<1> &i) const { return x[i[0]]; }
};
struct fill_load {
  const float *x;
  CAMEO_DEVICE float operator()(const index<0> &) const { return x[0]; }
};
struct pack_params {
  int64_t count;
};
struct nibble_load {
  packed<int4_t> x;
  CAMEO_DEVICE int4_t operator()(const index<1> &i) const { return x[i[0]]; }
};
struct doubling {
  const float *x;
  float *y;
  CAMEO_DEVICE void operator()(const index<1> &i) const { y[i[0]] = add(x[i[0]], x[i[0]]); }
};

struct sampled_params {
  static constexpr int spatial_rank = 1;
  int64_t output[1];
  static constexpr int64_t batch = 1, channels = 1, input[1] = {100};
  static constexpr bool align_corners = true;
};
struct wave_params {
  static constexpr int batch_rank = 1;
  static constexpr bool real_output = false, inverse = false;
  int64_t batch[1];
  static constexpr int64_t points = 100, terms = 100, bins = 51, parts = 1;
};
struct wave_load {
  const float *x;
  CAMEO_DEVICE float operator()(const index<3> &i) const { return x[i[0] * 100 + i[1]]; }
};
struct matrix_params {
  static constexpr int batch_rank = 1;
  int64_t batch[1];
  static constexpr int64_t size = 10;
};
struct token_params {
  int64_t batch;
  static constexpr int64_t tokens = 4, heads = 1, shared = 1, key_size = 5, value_size = 5,
                           decays = 1, rates = 1;
};
struct token_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<4> &i, float v) const {
    y[i[0] * 100 + i[1] * 5 + i[3]] = v;
  }
};
struct state_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<4> &i, float v) const {
    y[i[0] * 100 + 50 + i[2] * 5 + i[3]] = v;
  }
};

struct region_params {
  int64_t regions;
  static constexpr int64_t batch = 1, channels = 1, input[2] = {10, 10}, output[2] = {2, 2},
                           sampling_ratio = 0;
  static constexpr float spatial_scale = 0.25f;
  static constexpr bool half_pixel = true;
};
struct bin_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<4> &i, float v) const {
    y[(i[0] * 2 + i[2]) * 2 + i[3]] = v;
  }
};
struct cube_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<3> &i, float v) const { y[i[2]] = v; }
};

} // namespace

// The templates that move data
void movement(exec &e, const float *x, const int64_t *indices, float *y, int64_t N) {
  access_scope scope(e, "movement", {read(x, N * 400), read(indices, N * 8), write(y, N * 800)});
  const movement_params p = {{N}, {N}, {N, 100}, {N, 100}, {100}, {N, 100}, {N, 200}};
  for_each(e, index<1>{{N}}, doubling{x, y});
  for_each(e, static_index<8>{}, doubling{x, y});
  copy(e, y, x, N * 4);
  gather(e, p, x, indices, row_store{y});
  gather_elements(e, p, x, indices, row_store{y});
  gather_nd(e, nd_params{{N}, {100}}, x, indices, value_store{y});
  scatter_elements<scatter_reduction::add>(e, p, indices, x, y);
  scatter_nd<scatter_reduction::none>(e, p, indices, x, y);
  tensor_scatter<scatter_mode::circular>(e, scattered_params{{N, 100}, {N, 50}}, indices, y,
                                         row_load{x});
  pad<pad_mode::reflect>(e, p, x, fill_load{x}, row_store{y});
  lookup(e, table_params{{N}}, x, x, value_load{x}, value_store{y});
}

// Templates that read between elements
void sampling(exec &e, const float *x, float *y, int64_t N) {
  access_scope scope(e, "sampling", {read(x, N * 400), write(y, N * 800)});
  const movement_params p = {{N}, {N}, {N, 100}, {N, 100}, {100}, {N, 100}, {N, 200}};
  resize<resize_mode::linear>(e, p, x, row_store{y});
  grid_sample<resize_mode::cubic, grid_padding::reflection>(e, sampled_params{{N}}, x, x,
                                                            cube_store{y});
}
void regions(exec &e, const float *x, const int64_t *indices, float *y, int64_t N) {
  access_scope scope(e, "regions", {read(x, N * 400), read(indices, N * 8), write(y, N * 800)});
  roi_align<roi_align_mode::avg>(e, region_params{N}, x, x, indices, bin_store{y});
  max_roi_pool(e, region_params{N}, x, x, bin_store{y});
}

// A matrix, or a state, that one thread works on
void states(exec &e, const float *x, float *y, int64_t N) {
  access_scope scope(e, "states", {read(x, N * 400), write(y, N * 400)});
  det(e, matrix_params{{N}}, x, value_store{y});
  fourier(e, wave_params{{N}}, x, wave_load{x}, cube_store{y});
  linear_attention(e, token_params{N}, x, x, x, x, x, x, token_store{y}, state_store{y});
}

namespace {

struct forest_params {
  int64_t rows;
  static constexpr int64_t columns = 100, trees = 3, targets = 100;
};

} // namespace

// Trees
void trees(exec &e, const float *x, const int32_t *nodes, float *y, int64_t N) {
  access_scope scope(e, "trees", {read(x, N * 400), read(nodes, 12), write(y, N * 800)});
  tree_ensemble<tree_aggregate::sum, tree_rule::missing>(
      e, forest_params{N}, x, nodes, nodes, x, nodes, nodes, x, nodes,
      static_cast<const int32_t *>(nullptr), static_cast<const int32_t *>(nullptr), row_store{y});
}

// Elements below a byte
void nibbles(exec &e, const uint8_t *x, uint8_t *y, int64_t N) {
  access_scope scope(e, "nibbles", {read(x, floor_div(N + 1, 2)), write(y, floor_div(N + 1, 2))});
  pack_elements(e, pack_params{N}, y, nibble_load{x});
}

namespace {

struct layer_params {
  static constexpr int directions = 1, layout = 0;
  int64_t seq;
  static constexpr int64_t batch = 2, input = 8, hidden = 16;
  static constexpr bool reverse = false, input_forget = false, linear_before_reset = true;
  static constexpr float clip = 0;
};
struct sigmoid_activation {
  CAMEO_DEVICE float operator()(const index<1> &, float v) const { return sigmoid(v); }
};
struct tanh_activation {
  CAMEO_DEVICE float operator()(const index<1> &, float v) const { return tanh(v); }
};

} // namespace

// The recurrent templates
void layer(exec &e, const float *x, const float *w, const float *r, float *y, int64_t N) {
  access_scope scope(e, "layer",
                     {read(x, N * 64), read(w, 2048), read(r, 4096), write(y, N * 128)});
  layer_params p;
  p.seq = N;
  lstm(e, p, x, w, r, nullptr, nullptr, nullptr, nullptr, nullptr, y, nullptr, nullptr,
       sigmoid_activation{}, tanh_activation{}, tanh_activation{});
  gru(e, p, x, w, r, nullptr, nullptr, nullptr, y, nullptr, sigmoid_activation{},
      tanh_activation{});
  rnn(e, p, x, w, r, nullptr, nullptr, nullptr, y, nullptr, tanh_activation{});
}

#if !defined(CAMEO_TEST_CUDA)
void blocked(exec &e, const float *x, const float *w, float *y);
void channels(exec &e, const float *x, float *y);
void groups(exec &e, const float *x, const float *w, const int32_t *channels, float *y);
void blocked_bytes(exec &e, const uint8_t *planes, const int8_t *w, const int32_t *zero,
                   const float *scale, uint8_t *x, uint8_t *y);
void heads(exec &e, const float *qkv, const float *mask, float *y, int64_t N);
void words(exec &e, const cameo_string *x, const uint8_t *chars, const int64_t *ends,
           int64_t *places, cameo_string *y, int64_t N);

namespace {

struct blocked_gemm_params {
  static constexpr int64_t m = 30, n = 40, k = 20;
  static constexpr bool trans_a = false;
};
struct blocked_gemm_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<2> &i, float v) const { y[i[0] * 40 + i[1]] = v; }
};

struct byte_gemm_store {
  int32_t *y;
  CAMEO_DEVICE void operator()(const index<2> &i, int32_t v) const { y[i[0] * 40 + i[1]] = v; }
};

struct blocked_params {
  static constexpr int64_t groups = 1, batch = 1, in_channels = 20, out_channels = 40;
  static constexpr int64_t rows = 9, cols = 9, top = 0, left = 0;
  static constexpr int64_t kernel[2] = {3, 3}, output[2] = {7, 7};
  static constexpr int64_t stride[2] = {1, 1}, dilation[2] = {1, 1};
};
struct blocked_group_params : blocked_params {
  static constexpr int64_t groups = 4;
};
struct blocked_byte_params {
  static constexpr int64_t groups = 1, batch = 1, in_channels = 3, out_channels = 40, lanes = 4;
  static constexpr int64_t rows = 9, cols = 9, top = 0, left = 0;
  static constexpr int64_t kernel[2] = {3, 3}, output[2] = {7, 7};
  static constexpr int64_t stride[2] = {1, 1}, dilation[2] = {1, 1};
};
struct blocked_pool_params {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t batch = 1, channels = 40;
  static constexpr int64_t input[2] = {9, 9}, kernel[2] = {3, 3}, output[2] = {7, 7};
  static constexpr int64_t stride[2] = {1, 1}, dilation[2] = {1, 1}, pad[2] = {0, 0};
  static constexpr int64_t pad_end[2] = {0, 0};
  static constexpr bool count_include_pad = true;
};
struct sum_params {
  static constexpr int64_t batch = 1, channels = 40, rows = 7, cols = 7, before = 2, after = 2;
};
struct repack_params {
  static constexpr int64_t batch = 1, channels = 20, rows = 9, cols = 9;
  static constexpr int64_t halo[2] = {1, 1};
};
struct byte_repack_params {
  static constexpr int64_t batch = 1, channels = 3, rows = 7, cols = 7, lanes = 4;
  static constexpr int64_t halo[2] = {1, 1};
};
struct halo_params {
  static constexpr int64_t planes = 2, rows = 9, cols = 9, lanes = 16;
  static constexpr int64_t halo[2] = {1, 1};
};
struct byte_halo_params {
  static constexpr int64_t planes = 1, rows = 7, cols = 7, lanes = 4, fill = 128;
  static constexpr int64_t halo[2] = {1, 1};
};
struct blocked_load {
  const float *x;
  CAMEO_DEVICE float operator()(const index<5> &i) const {
    return x[((i[1] * 9 + i[2]) * 9 + i[3]) * 16 + i[4]];
  }
};
struct blocked_byte_store {
  const int32_t *zero;
  const float *scale;
  uint8_t *y;
  CAMEO_DEVICE void operator()(const index<5> &i, int32_t v) const {
    const int64_t c = i[1] * 16 + i[4];
    const float scaled = static_cast<float>(v - zero[c]) * scale[c];
    y[((i[1] * 7 + i[2]) * 7 + i[3]) * 16 + i[4]] = cast<uint8_t>(min(max(scaled, 0.0f), 255.0f));
  }
};
struct blocked_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<5> &i, float v) const {
    y[((i[1] * 7 + i[2]) * 7 + i[3]) * 16 + i[4]] = max(v, 0.0f);
  }
};

} // namespace

// Templates for the blocked layout
void blocked(exec &e, const float *x, const float *w, float *y) {
  access_scope scope(e, "blocked", {});
  gemm_blocked(e, blocked_gemm_params{}, x, w, blocked_gemm_store{y});
  conv_blocked(e, blocked_params{}, x, w, blocked_store{y});
  conv_blocked_planes(e, blocked_params{}, x, w, blocked_store{y});
  conv_blocked_depthwise(e, blocked_params{}, x, w, blocked_store{y});
  pool_blocked<pool_kind::max>(e, blocked_pool_params{}, blocked_load{x}, blocked_store{y});
  pool_blocked<pool_kind::average>(e, blocked_pool_params{}, blocked_load{x}, blocked_store{y});
}
struct coded_gemm_params {
  static constexpr int bits = 4;
  static constexpr int64_t n = 40, k = 64, group = 32, zero_point = 0;
  int64_t m;
};
void codes(exec &e, int64_t m, const float *x, const uint32_t *w, const float *scales,
           const uint32_t *zero_points, float *y) {
  access_scope scope(e, "codes", {});
  gemm_codes(e, coded_gemm_params{m}, x, w, scales, zero_points, blocked_gemm_store{y});
  gemm_codes_bytes(e, coded_gemm_params{m}, x, w, scales, zero_points, blocked_gemm_store{y});
}
void channels(exec &e, const float *x, float *y) {
  access_scope scope(e, "channels", {});
  sum_channels(e, sum_params{}, blocked_load{x}, blocked_store{y});
  pack_channels(e, repack_params{}, x, y);
  clear_halo(e, halo_params{}, y);
  unpack_channels(e, repack_params{}, x, y);
}
void groups(exec &e, const float *x, const float *w, const int32_t *channels, float *y) {
  access_scope scope(e, "groups", {});
  conv_blocked_groups(e, blocked_group_params{}, x, w, channels, blocked_store{y});
  pick_channels(e, blocked_params{}, x, channels, blocked_store{y});
}
void blocked_bytes(exec &e, const uint8_t *planes, const int8_t *w, const int32_t *zero,
                   const float *scale, uint8_t *x, uint8_t *y, int32_t *sums) {
  access_scope scope(e, "blocked_bytes", {});
  gemm_blocked_bytes(e, blocked_gemm_params{}, planes, w, byte_gemm_store{sums});
  pack_channels(e, byte_repack_params{}, planes, x);
  clear_halo(e, byte_halo_params{}, x);
  conv_blocked_bytes(e, blocked_byte_params{}, x, w, blocked_byte_store{zero, scale, y});
}

namespace {

struct attention_params {
  static constexpr int batch_rank = 1;
  static constexpr int64_t batch[1] = {4};
  int64_t queries, keys;
  static constexpr int64_t depth = 16, size = 16;
  static constexpr bool trans_k = true;
  static constexpr int64_t q_batch_stride[1] = {16}, k_batch_stride[1] = {16},
                           v_batch_stride[1] = {16};
  static constexpr int64_t q_stride = 64, k_stride = 64, v_stride = 64;
};
struct score_apply {
  const float *mask;
  CAMEO_DEVICE float operator()(const index<3> &i, float v) const {
    return add(mul(v, 0.25f), mask[i[2]]);
  }
};
struct weight_apply {
  CAMEO_DEVICE float operator()(const index<3> &, float v) const { return v; }
};
struct heads_store {
  float *y;
  CAMEO_DEVICE void operator()(const index<3> &i, float v) const {
    y[i[1] * 64 + i[0] * 16 + i[2]] = v;
  }
};

} // namespace

// Attention over heads that lie side by side
void heads(exec &e, const float *qkv, const float *mask, float *y, int64_t N) {
  access_scope scope(e, "heads", {});
  attention(e, attention_params{N, N}, qkv, qkv, qkv, score_apply{mask}, weight_apply{},
            heads_store{y});
}

namespace {

struct table_of_strings_params {
  int64_t elements;
  static constexpr int64_t count = 5;
};

} // namespace

// Tables of strings
void words(exec &e, const cameo_string *x, const uint8_t *chars, const int64_t *ends,
           int64_t *places, cameo_string *y, int64_t N) {
  access_scope scope(e, "words", {});
  lookup_strings(e, table_of_strings_params{N}, x, chars, ends, ends, places);
  strings_at(e, table_of_strings_params{N}, chars, ends, places, y);
}
#endif

} // namespace cameo::gen::sample
