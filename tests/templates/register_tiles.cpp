// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every register tile that the CPU templates can pick, for register_tiles.py, which reads the
// assembly: each is picked from the table that its template picks from.
#include "cameo/cpu/conv_blocked_depthwise.h"
#include "cameo/cpu/conv_blocked_groups.h"
#include "cameo/cpu/conv_bytes.h"
#include "cameo/cpu/convolve.h"
#include "cameo/cpu/gemm.h"
#include "cameo/cpu/gemm_codes_bytes.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {
namespace {

template <class T>
using dot_function = void (*)(int64_t k, const T *a, int64_t lda, const T *b, int64_t ldb,
                              const T *next, T *out, int64_t ldo);
template <class T>
using direct_function = void (*)(T *acc, const T *x, const int64_t *offset, const T *weight,
                                 int64_t taps);

template <class T> tile_function<T> products(int rows, bool wide) {
  using limits = tile_limits<T>;
  constexpr int half = limits::vectors / 2, wide_half = limits::wide_vectors / 2;
  if (rows < 0)
    return wide ? pick_tile<T, wide_half, limits::wide_rows>(-rows)
                : pick_tile<T, half, limits::rows>(-rows);
  return wide ? pick_tile<T, limits::wide_vectors, limits::wide_rows>(rows)
              : pick_tile<T, limits::vectors, limits::rows>(rows);
}

template <class T> dot_function<T> dots(int number) {
  constexpr int groups = dot_groups<T>(4), three = dot_groups<T>(3);
  constexpr dot_function<T> all[] = {&dot_tile<T, 1, 4, groups>, &dot_tile<T, 1, 4, 1>,
                                     &dot_tile<T, 1, 1, 1>,      &dot_tile<T, 2, 2, groups>,
                                     &dot_tile<T, 2, 2, 1>,      &dot_tile<T, 2, 1, 1>,
                                     &dot_tile<T, 3, 1, three>,  &dot_tile<T, 3, 1, 1>,
                                     &dot_tile<T, 4, 1, groups>, &dot_tile<T, 4, 1, 1>};
  return all[number];
}

template <class T>
using stream_function = void (*)(const few_rows<T> &few, const T *b, int64_t ldb, int64_t columns,
                                 T *sums, int64_t ld, bool continues);
template <class T, int MR> stream_function<T> streams_of(int number) {
  constexpr int depth = stream_depth<MR>(), half = depth > 3 ? depth / 2 : 1;
  constexpr stream_function<T> all[] = {&stream_tile<T, MR, depth>, &stream_tile<T, MR, half>,
                                        &stream_tile<T, MR, 1>};
  return all[number];
}
template <class T> stream_function<T> streams(int rows, int number) {
  return rows == 1   ? streams_of<T, 1>(number)
         : rows == 2 ? streams_of<T, 2>(number)
         : rows == 3 ? streams_of<T, 3>(number)
                     : streams_of<T, 4>(number);
}

template <class T> direct_function<T> runs(int number) {
  constexpr direct_function<T> all[] = {&direct_run<T, 8>, &direct_run<T, 4>, &direct_run<T, 1>};
  return all[number];
}

template <blocked_form FORM, int BLOCKS, bool POINTWISE>
blocked_tile_function blocked(int pixels, int stride) {
  constexpr uint64_t all = numbers_to(blocked_tile::pixels);
  return stride == 0   ? pick_blocked_tile<FORM, BLOCKS, 0, POINTWISE, all>(pixels)
         : stride == 1 ? pick_blocked_tile<FORM, BLOCKS, 1, POINTWISE, all>(pixels)
                       : pick_blocked_tile<FORM, BLOCKS, 2, POINTWISE, all>(pixels);
}

template <int COLUMNS> depthwise_tile_function depthwise(int pixels, int stride) {
  constexpr uint64_t all = numbers_to(blocked_tile::pixels);
  return stride == 0   ? pick_depthwise_tile<0, COLUMNS, all>(pixels)
         : stride == 1 ? pick_depthwise_tile<1, COLUMNS, all>(pixels)
                       : pick_depthwise_tile<2, COLUMNS, all>(pixels);
}

template <int ROWS, int BLOCKS, int LANES> byte_tile_function bytes(int pixels, int stride) {
  constexpr uint64_t all = numbers_to(byte_tile::pixels / ROWS);
  return stride == 0   ? pick_byte_tile<ROWS, BLOCKS, 0, all>(pixels)
         : stride == 1 ? pick_byte_tile<ROWS, BLOCKS, LANES, all>(pixels)
                       : pick_byte_tile<ROWS, BLOCKS, 2 * LANES, all>(pixels);
}

template <int BITS> struct coded_params {
  static constexpr int bits = BITS;
  int64_t m, n, k, group, zero_point;
};
template <int BITS>
using coded_function = void (*)(const rounded_plan<coded_params<BITS>> &, const rows_of_bytes &,
                                const coded_matrix<coded_params<BITS>> &, int64_t, float *);
template <int BITS> coded_function<BITS> coded_products(int rows, bool wide) {
  constexpr int blocks = coded_blocks, vectors = 3 - coded_blocks;
  if (wide)
    return pick<numbers_to(wide_rounded_rows)>(rows, [](auto n) -> coded_function<BITS> {
      return &multiply_bytes<decltype(n)::value, blocks, vectors, coded_params<BITS>>;
    });
  return pick<numbers_to(rounded_tile_rows)>(rows, [](auto n) -> coded_function<BITS> {
    return &multiply_bytes<decltype(n)::value, 1, 1, coded_params<BITS>>;
  });
}

} // namespace

/// Keeps the tables.
struct register_tiles {
  tile_function<float> (*float_products)(int, bool) = &products<float>;
  tile_function<double> (*double_products)(int, bool) = &products<double>;
  tile_function<uint32_t> (*integer_products)(int, bool) = &products<uint32_t>;
  tile_function<uint64_t> (*long_products)(int, bool) = &products<uint64_t>;
  dot_function<float> (*float_dots)(int) = &dots<float>;
  dot_function<double> (*double_dots)(int) = &dots<double>;
  stream_function<float> (*float_streams)(int, int) = &streams<float>;
  stream_function<double> (*double_streams)(int, int) = &streams<double>;
  direct_function<float> (*float_runs)(int) = &runs<float>;
  direct_function<double> (*double_runs)(int) = &runs<double>;
  direct_function<uint32_t> (*integer_runs)(int) = &runs<uint32_t>;
  direct_function<uint64_t> (*long_runs)(int) = &runs<uint64_t>;
  static constexpr int blocks = blocked_tile::blocks, byte_blocks = byte_tile::blocks;
  blocked_tile_function (*convolutions[10])(int, int) = {
      &blocked<blocked_form::blocks, 1, false>, &blocked<blocked_form::blocks, blocks, false>,
      &blocked<blocked_form::blocks, 1, true>,  &blocked<blocked_form::blocks, blocks, true>,
      &blocked<blocked_form::listed, 1, false>, &blocked<blocked_form::listed, blocks, false>,
      &blocked<blocked_form::listed, 1, true>,  &blocked<blocked_form::listed, blocks, true>,
      &blocked<blocked_form::planes, 1, false>, &blocked<blocked_form::planes, blocks, false>};
  depthwise_tile_function (*depthwise_convolutions[4])(int, int) = {
      &depthwise<0>, &depthwise<3>, &depthwise<5>, &depthwise<most_depthwise_columns>};
  byte_tile_function (*byte_convolutions[8])(int, int) = {
      &bytes<1, 1, quad>,          &bytes<1, byte_blocks, quad>,
      &bytes<2, 1, quad>,          &bytes<2, byte_blocks, quad>,
      &bytes<1, 1, channel_block>, &bytes<1, byte_blocks, channel_block>,
      &bytes<2, 1, channel_block>, &bytes<2, byte_blocks, channel_block>};
  coded_function<4> (*products_of_4_bits)(int, bool) = &coded_products<4>;
  coded_function<8> (*products_of_8_bits)(int, bool) = &coded_products<8>;
  /// More accumulators than any machine has registers: what must be reported, or nothing is.
  tile_function<float> too_large = &multiply_tile<float, 40, 2>;
};

extern const register_tiles all_register_tiles;
const register_tiles all_register_tiles;

} // namespace CAMEO_ISA
} // namespace cameo::cpu
