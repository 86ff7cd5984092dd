// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm_tiles: gemm by the tiles of tensor_tiles.h. A product's constants choose its kernel when it
// is compiled, other members at its launch.
#pragma once

#include "cameo/cuda/gemm.h"
#include "cameo/cuda/tensor_tiles.h"

#include <tuple>
#include <type_traits>

namespace cameo::cuda {

/// Tiles that an operator chooses from, the smaller first. All fit into the shared memory of every
/// device from sm_80 on, which is 99 KB.
template <class... TILES> struct tile_list {
  static constexpr int count = static_cast<int>(sizeof...(TILES)), last = count - 1;
  static constexpr int64_t rows[count] = {TILES::rows...}, columns[count] = {TILES::columns...};
  template <int I> using at = std::tuple_element_t<static_cast<size_t>(I), std::tuple<TILES...>>;
  /// The place of one.
  template <class TILE> static constexpr int find() {
    constexpr bool is[count] = {std::is_same_v<TILE, TILES>...};
    int i = 0;
    while (!is[i])
      ++i;
    return i;
  }
};

// The tensor core takes 16 rows at least. A product of no more has tiles of its own.
using few_rows_tile = tensor_tile<16, 64, 16, 16, 8>;
using small_tile = tensor_tile<32, 32, 16, 16, 8>;
using middle_tile = tensor_tile<64, 64, 32, 32, 4>;
using large_tile = tensor_tile<128, 128, 64, 32, 3>;
using largest_tile = tensor_tile<128, 256, 64, 64, 2>;
using product_tiles = tile_list<small_tile, middle_tile, large_tile, largest_tile>;
// Constant products may take tiles in slices in place of the smallest ones: in two, if they are
// read by whole chunks, with larger parts for a warp; in four, if they are as deep as this.
using halved_tile = tensor_tile<32, 32, 32, 16, 4, 2>;
using wide_tile = tensor_tile<32, 64, 32, 16, 3, 2>;
constexpr int64_t sliced_depth = 256;
using sliced_rows_tile = tensor_tile<16, 32, 16, 16, 3, 4>;
using sliced_tile = tensor_tile<32, 16, 16, 16, 3, 4>;
using quartered_tile = tensor_tile<32, 32, 32, 16, 3, 4>;

/// How many tiles are enough to fill a device, of which the largest have so many multiprocessors.
constexpr int64_t enough_tiles = 128, multiprocessors = 132;

/// How many tiles of so many rows and columns products have.
constexpr int64_t count_tiles(int64_t batches, int64_t m, int64_t n, int64_t rows,
                              int64_t columns) {
  return batches * ((m + rows - 1) / rows) * ((n + columns - 1) / columns);
}

/// The largest tile of a list, up to the place `most`, of which there are enough; else the
/// smallest.
template <class LIST> constexpr int choose_tile(int64_t batches, int64_t m, int64_t n, int most) {
  int i = most;
  while (i > 0 && count_tiles(batches, m, n, LIST::rows[i], LIST::columns[i]) < enough_tiles)
    --i;
  return i;
}

/// Whether a constant product of small tiles takes those in four slices, which are twice as many: a
/// deep one, where all of those are on a device at once; a deeper one if small tiles are enough,
/// since each slice had a step or two.
constexpr bool takes_slices(int64_t batches, int64_t m, int64_t n, int64_t k) {
  const int64_t small = count_tiles(batches, m, n, small_tile::rows, small_tile::columns);
  if (small < enough_tiles)
    return k >= sliced_depth;
  return 2 * small <= 3 * enough_tiles && k >= 2 * sliced_depth;
}

/// How many results the busiest multiprocessor has.
template <class TILE> constexpr int64_t most_results(int64_t batches, int64_t m, int64_t n) {
  const int64_t tiles = count_tiles(batches, m, n, TILE::rows, TILE::columns);
  return (tiles + multiprocessors - 1) / multiprocessors * TILE::rows * TILE::columns;
}

/// Whether a constant product of small tiles takes wide ones: no multiprocessor has more to do
/// then.
constexpr bool takes_wide(int64_t batches, int64_t m, int64_t n, int64_t k_bytes) {
  return k_bytes >= 2 * line_bytes &&
         count_tiles(batches, m, n, wide_tile::rows, wide_tile::columns) >= enough_tiles &&
         most_results<wide_tile>(batches, m, n) <= most_results<small_tile>(batches, m, n);
}

/// Whether each half of a constant product's depth has two steps.
constexpr bool takes_halves(int64_t k_bytes) { return k_bytes >= 4 * line_bytes; }

/// The bytes by whose multiples an operand's lines begin, if it does: 16, 8 or 4; 0 for fewer.
template <class E, int R> constexpr int piece_of(int64_t extent, const index<R> &batch_stride) {
  int64_t all = extent;
  if constexpr (R > 0)
    for (int d = 0; d < R; ++d)
      all |= batch_stride[d];
  else
    (void)batch_stride;
  for (int piece = chunk_bytes; piece >= 4; piece /= 2)
    if (all * static_cast<int64_t>(sizeof(E)) % piece == 0)
      return piece;
  return 0;
}

/// In the place of a piece where only a launch knows it.
constexpr int maybe_chunks = -1;

/// Members of a product: the constant, or -1 where a launch knows it, -2 where only the device
/// does.
constexpr int64_t by_launch = -1, by_device = -2;
#define CAMEO_KNOWN(NAME)                                                                          \
  template <class P> constexpr int64_t known_##NAME() {                                            \
    if constexpr (CAMEO_IS_STATIC(P, NAME))                                                        \
      return P::NAME;                                                                              \
    else                                                                                           \
      return std::is_same_v<decltype(P::NAME), counted_extent> ? by_device : by_launch;            \
  }
CAMEO_KNOWN(m)
CAMEO_KNOWN(n)
CAMEO_KNOWN(k)
CAMEO_KNOWN(queries)
#undef CAMEO_KNOWN
template <class P> constexpr int64_t known_batches() {
  if constexpr (P::batch_rank == 0)
    return 1;
  else if constexpr (CAMEO_IS_STATIC(P, batch))
    return volume(params::copy<index<P::batch_rank>, P::batch_rank>(P::batch));
  else
    return by_launch;
}

/// An operand's pieces, of its extent in memory and of its member of strides.
#define CAMEO_PIECE(NAME, STRIDE, EXTENT)                                                          \
  template <class P, class E> constexpr int NAME##_piece() {                                       \
    constexpr int R = P::batch_rank;                                                               \
    constexpr int64_t extent = EXTENT;                                                             \
    if constexpr (extent < 0)                                                                      \
      return extent == by_launch ? maybe_chunks : 0;                                               \
    else if constexpr (R == 0)                                                                     \
      return piece_of<E>(extent, index<0>{});                                                      \
    else if constexpr (CAMEO_IS_STATIC(P, STRIDE))                                                 \
      return piece_of<E>(extent, params::copy<index<R>, R>(P::STRIDE));                            \
    else                                                                                           \
      return std::is_same_v<decltype(P::STRIDE), counted_extent[array_size(R)]> ? 0                \
                                                                                : maybe_chunks;    \
  }
CAMEO_PIECE(left, a_batch_stride, P::trans_a ? known_m<P>() : known_k<P>())
CAMEO_PIECE(right, b_batch_stride, P::trans_b ? known_k<P>() : known_n<P>())
#undef CAMEO_PIECE

/// How many elements an operand has from its first to its last one, whose matrices have `elements`.
template <int R>
int64_t all_elements(int64_t elements, const index<R> &batch, const index<R> &stride) {
  if constexpr (R > 0)
    for (int d = 0; d < R; ++d)
      elements += (batch[d] - 1) * stride[d];
  else
    (void)batch, (void)stride;
  return elements;
}

/// The operand, or a copy of it at a multiple of 16 bytes.
template <class E> const E *align(exec &e, const E *data, int64_t elements) {
  if (reinterpret_cast<uintptr_t>(data) % chunk_bytes == 0)
    return data;
  const int64_t bytes = elements * static_cast<int64_t>(sizeof(E));
  void *const aligned = e.scratch(static_cast<size_t>(bytes));
  if (aligned != nullptr)
    e.copy(aligned, data, bytes);
  return static_cast<const E *>(aligned);
}

template <class TILE, int PIECE_A, int PIECE_B, class P, class E, class STORE>
void launch_tile(exec &e, const gemm_call<P, E, E, STORE> &call, const multiply_shape &s) {
  constexpr bool full_a = known_m<P>() > 0 && known_m<P>() % TILE::rows == 0;
  constexpr bool full_b = known_n<P>() > 0 && known_n<P>() % TILE::columns == 0;
  using form = tensor_form<TILE, PIECE_A, PIECE_B, full_a, full_b, factors_v<P>>;
  const int64_t tiles = count_tiles(s.batches, s.m, s.n, TILE::rows, TILE::columns);
  e.launch(&tensor_kernel<form, gemm_call<P, E, E, STORE>>, grid_for(tiles, 1),
           dim3(TILE::block_threads), TILE::shared_bytes, call);
}

/// Whether a constant product of a few rows has too few tiles.
template <class P> constexpr bool has_sliced_rows() {
  constexpr int64_t batches = known_batches<P>(), n = known_n<P>();
  return batches >= 0 && n >= 0 && known_k<P>() >= sliced_depth &&
         count_tiles(batches, 1, n, 1, few_rows_tile::columns) < enough_tiles;
}

/// The tile of a constant product of more than a few rows; IS_WHOLE: it is read by whole chunks.
template <class P, class E, bool IS_WHOLE> constexpr auto choose_constant_tile() {
  constexpr int64_t batches = known_batches<P>(), m = known_m<P>(), n = known_n<P>();
  constexpr int64_t k_bytes = IS_WHOLE ? known_k<P>() * static_cast<int64_t>(sizeof(E)) : 0;
  constexpr bool fits = IS_WHOLE && sizeof(E) == 2; // the registers
  constexpr int most = fits ? product_tiles::last : product_tiles::find<middle_tile>();
  constexpr int chosen = choose_tile<product_tiles>(batches, m, n, most);
  constexpr int64_t small = count_tiles(batches, m, n, small_tile::rows, small_tile::columns);
  constexpr bool in_quarters = IS_WHOLE && !fits && 4 * small >= 3 * enough_tiles;
  if constexpr (chosen > 0)
    return product_tiles::at<chosen>{};
  else if constexpr (takes_slices(batches, m, n, known_k<P>()))
    return std::conditional_t<in_quarters, quartered_tile, sliced_tile>{};
  else if constexpr (takes_wide(batches, m, n, k_bytes))
    return wide_tile{};
  else
    return std::conditional_t<takes_halves(k_bytes), halved_tile, small_tile>{};
}

/// The tile of a constant product; of another one, one of three.
template <int PIECE_A, int PIECE_B, class P, class E, class STORE>
void launch_tiles(exec &e, const gemm_call<P, E, E, STORE> &call, const multiply_shape &s) {
  constexpr bool whole = PIECE_A == chunk_bytes && PIECE_B == chunk_bytes;
  constexpr int64_t m = known_m<P>();
  constexpr bool few = m >= 0 && m <= few_rows_tile::rows, many = m > few_rows_tile::rows;
  auto launch = [&](auto tile) { launch_tile<decltype(tile), PIECE_A, PIECE_B>(e, call, s); };
  if constexpr (few && has_sliced_rows<P>()) {
    launch(sliced_rows_tile{});
  } else if constexpr (few) {
    launch(few_rows_tile{});
  } else if constexpr (m >= 0 && known_n<P>() >= 0 && known_batches<P>() >= 0) {
    launch(choose_constant_tile<P, E, whole>());
  } else {
    constexpr bool fits = whole && sizeof(E) == 2; // the registers
    using tiles = tile_list<small_tile, std::conditional_t<fits, large_tile, middle_tile>>;
    if constexpr (!many)
      if (s.m <= few_rows_tile::rows)
        return launch(few_rows_tile{});
    if (choose_tile<tiles>(s.batches, s.m, s.n, tiles::last) == 0)
      return launch(small_tile{});
    launch(typename tiles::template at<1>{});
  }
}

/// Bytes that gemm_tiles takes from e.scratch at most: for operands that are not aligned.
template <class A, class P> int64_t gemm_tiles_scratch(const P &p, int) {
  const int64_t elements = volume(batch_of<P::batch_rank>(p)) * (p.m + p.n) * p.k;
  return elements * static_cast<int64_t>(sizeof(A));
}

template <class P, class E, class STORE>
void gemm_tiles(exec &e, const P &p, const E *a, const E *b, STORE store) {
  constexpr int R = P::batch_rank;
  constexpr int left = left_piece<P, E>(), right = right_piece<P, E>();
  gemm_call<P, E, E, STORE> call{p, a, b, store};
  const multiply_shape s = call.shape();
  if (s.batches <= 0 || s.m <= 0 || s.n <= 0)
    return;
  CAMEO_OPERATIONS(2 * s.batches * s.m * s.n * s.k);
  CAMEO_DEPTH(s.k);
  const index<R> batch = batch_of<R>(p), a_stride = a_batch_stride_of<R>(p),
                 b_stride = b_batch_stride_of<R>(p);
  if constexpr (left != 0)
    call.a = align(e, a, all_elements(s.m * s.k, batch, a_stride));
  if constexpr (right != 0)
    call.b = align(e, b, all_elements(s.k * s.n, batch, b_stride));
  if constexpr (left == maybe_chunks || right == maybe_chunks) {
    if constexpr (left != 0 && right != 0)
      if (piece_of<E>(P::trans_a ? s.m : s.k, a_stride) == chunk_bytes &&
          piece_of<E>(P::trans_b ? s.k : s.n, b_stride) == chunk_bytes)
        return launch_tiles<chunk_bytes, chunk_bytes>(e, call, s);
  }
  launch_tiles<(left > 0 ? left : 0), (right > 0 ? right : 0)>(e, call, s);
}

} // namespace cameo::cuda
