// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm_codes_tiles: gemm by a matrix whose elements are codes of few bits, by the tiles of
// tensor_tiles.h. Codes come through registers, where they become the elements that are multiplied.
#pragma once

#include "cameo/cuda/gemm_tiles.h"
#include "cameo/pack/columns.h"

namespace cameo::cuda {

/// The tile of few rows where a constant depth is at least this: codes come through registers, so
/// that each step waits for memory, and slices do so side by side.
using coded_rows_tile = tensor_tile<16, 32, 16, 16, 3, 8>;
constexpr int64_t coded_depth = 512;

/// A word of codes, the scale that they have in common, and a word of zero points with theirs in
/// it: as they are loaded, so that nothing waits for them.
template <int BITS, class T> struct coded_word {
  static constexpr uint32_t two_to_23 = 0x4b000000; // as a float, whose last bits are a code
  static constexpr uint32_t mask = (1u << BITS) - 1;
  uint32_t codes, zeros, shift;
  T scale;

  /// The element that code `i` stands for; 0 where there is no word, whose scale is 0. The
  /// difference of two codes is exact, and no conversion.
  CAMEO_DEVICE_ONLY T element(int i) const {
    const uint32_t code = codes >> i * BITS & mask, zero = zeros >> shift & mask;
    const float distance = bit_cast<float>(two_to_23 | code) - bit_cast<float>(two_to_23 + zero);
    return cast<T>(distance * cast<float>(scale));
  }
};

/// The right operand as one of T: columns of codes, whose groups of steps have a scale and a zero
/// point in common. A column has less than 2^31 steps.
template <class P, class T> struct coded_operand {
  using element = T;
  static constexpr bool k_first = true;
  static constexpr int bits = P::bits, together = 32 / bits;
  static constexpr auto lanes = static_cast<uint32_t>(column_lanes);
  using word = coded_word<bits, T>;
  P p;
  const uint32_t *codes;
  const T *scales;
  const uint32_t *zero_points; // null: all are p.zero_point

  /// Where a column begins in each of them.
  struct column {
    const uint32_t *codes;
    const T *scales;
    const uint32_t *zero_points;
  };
  CAMEO_DEVICE_ONLY column find(int64_t number) const {
    const int64_t groups = (p.k + p.group - 1) / p.group;
    const column_blocks places = {p.n, p.k, column_lanes, together};
    const column_blocks scale_places = {p.n, groups, column_lanes, 1};
    const column_blocks zero_places = {p.n, groups, column_lanes, together};
    return {codes + places.number(number, 0), scales + scale_places.number(number, 0),
            zero_points == nullptr ? nullptr : zero_points + zero_places.number(number, 0)};
  }
  /// The word of a column that begins at step k.
  CAMEO_DEVICE_ONLY word load(const column &from, uint32_t k) const {
    const uint32_t group = k / static_cast<uint32_t>(p.group);
    word found;
    found.codes = from.codes[k / together * lanes];
    found.scale = from.scales[group * lanes];
    found.zeros = zero_points == nullptr ? static_cast<uint32_t>(p.zero_point)
                                         : from.zero_points[group / together * lanes];
    found.shift = zero_points == nullptr ? 0 : group % together * bits;
    return found;
  }

  CAMEO_DEVICE_ONLY int64_t line(int64_t, int64_t number) const { return number; }
  CAMEO_DEVICE_ONLY int64_t step(int64_t k) const { return k; }
  CAMEO_DEVICE_ONLY T at(int64_t number, int64_t k) const {
    const auto step = static_cast<uint32_t>(k);
    return load(find(number), step - step % together).element(static_cast<int>(step % together));
  }
};

/// Feeds a tile with the columns of a coded operand: neighbouring threads load neighbouring words,
/// two steps before they are stored.
template <class SHARED, int THREADS, class OPERAND> class codes_feed {
  using element = typename SHARED::element;
  static constexpr int together = OPERAND::together, rows = SHARED::depth / together;
  static constexpr int lanes = static_cast<int>(column_lanes);
  static constexpr int words = SHARED::lines * rows, loads = (words + THREADS - 1) / THREADS;
  /// Elements that are stored at once.
  static constexpr int width = together < SHARED::in_chunk ? together : SHARED::in_chunk;
  static_assert(SHARED::k_first && SHARED::lines % lanes == 0 && SHARED::depth % together == 0);

public:
  static constexpr int table_bytes = 0;
  CAMEO_DEVICE_ONLY codes_feed(int thread, const OPERAND &operand, int64_t, int64_t first)
      : thread_(thread), operand_(operand) {
    CAMEO_UNROLL
    for (int i = 0; i < loads; ++i) {
      const int number = thread_ + i * THREADS;
      const int64_t column = first + column_of(number);
      exists_[i] = is_word(number) && column < operand_.p.n;
      columns_[i] = operand_.find(exists_[i] ? column : 0);
    }
  }

  CAMEO_DEVICE_ONLY void begin_part(unsigned char *, const unsigned char *, int) const {}
  CAMEO_DEVICE_ONLY void prepare(unsigned char *, int64_t, int64_t) const {}
  CAMEO_DEVICE_ONLY void begin(unsigned char *, int64_t, int64_t) const {}
  /// Steps come one after the other.
  CAMEO_DEVICE_ONLY void load(const unsigned char *, int64_t k0, int64_t k) {
    const auto step = static_cast<uint32_t>(k0), end = static_cast<uint32_t>(k);
    if (!begun_)
      fetch(step, end);
    begun_ = true;
    CAMEO_UNROLL
    for (int i = 0; i < loads; ++i)
      words_[i] = ahead_[i];
    fetch(step + SHARED::depth, end);
  }
  CAMEO_DEVICE_ONLY void store(unsigned char *to) const {
    CAMEO_UNROLL
    for (int i = 0; i < loads; ++i) {
      const int number = thread_ + i * THREADS;
      if (!is_word(number))
        continue;
      CAMEO_UNROLL
      for (int from = 0; from < together; from += width) {
        pack<element, width> values;
        CAMEO_UNROLL
        for (int j = 0; j < width; ++j)
          values.item[j] = words_[i].element(from + j);
        const int step = row_of(number) * together + from;
        unsigned char *const chunk =
            to + SHARED::offset(column_of(number), step / SHARED::in_chunk);
        store_pack<width>(reinterpret_cast<element *>(chunk) + step % SHARED::in_chunk, values);
      }
    }
  }

private:
  CAMEO_DEVICE_ONLY static bool is_word(int number) {
    return words % THREADS == 0 || number < words;
  }
  CAMEO_DEVICE_ONLY static int column_of(int number) {
    const auto word = static_cast<unsigned>(number);
    return static_cast<int>(word / (lanes * rows) * lanes + word % lanes);
  }
  CAMEO_DEVICE_ONLY static int row_of(int number) {
    return static_cast<int>(static_cast<unsigned>(number) / lanes % rows);
  }
  CAMEO_DEVICE_ONLY void fetch(uint32_t step, uint32_t end) {
    CAMEO_UNROLL
    for (int i = 0; i < loads; ++i) {
      const uint32_t at = step + static_cast<uint32_t>(row_of(thread_ + i * THREADS) * together);
      ahead_[i] =
          exists_[i] && at < end ? operand_.load(columns_[i], at) : typename OPERAND::word{};
    }
  }

  int thread_;
  bool begun_ = false;
  const OPERAND &operand_;
  bool exists_[array_size(loads)];
  typename OPERAND::column columns_[array_size(loads)];
  typename OPERAND::word words_[array_size(loads)], ahead_[array_size(loads)];
};

template <class P, class T, class STORE> struct codes_call {
  P p;
  const T *a;
  coded_operand<P, T> matrix;
  STORE store;

  CAMEO_DEVICE void load_counts() { cameo::load_counts(p, store); }
  CAMEO_DEVICE multiply_shape shape() const { return {1, p.m, p.n, p.k}; }
  CAMEO_DEVICE auto left() const {
    return gemm_operand<T, true, 0>{a, p.m, p.k, index<0>{}, index<0>{}};
  }
  CAMEO_DEVICE const coded_operand<P, T> &right() const { return matrix; }
  CAMEO_DEVICE auto sink() const { return gemm_sink<product_t<T, T>, 0, STORE>{index<0>{}, store}; }
};

/// As tensor_form, but that the right operand is made of codes.
template <class TILE, int PIECE_A, bool FULL_A, factor_type FACTORS>
struct codes_form : tensor_form<TILE, PIECE_A, 0, FULL_A, false, FACTORS> {
  template <class B> using right = shared_lines<typename B::element, TILE::columns, true>;
  template <class B> using right_feed = codes_feed<right<B>, TILE::threads, B>;
};

template <class TILE, int PIECE_A, class P, class T, class STORE>
void launch_codes_tile(exec &e, const codes_call<P, T, STORE> &call) {
  constexpr bool full_a = known_m<P>() > 0 && known_m<P>() % TILE::rows == 0;
  const multiply_shape s = call.shape();
  const int64_t tiles =
      ((s.m + TILE::rows - 1) / TILE::rows) * ((s.n + TILE::columns - 1) / TILE::columns);
  using form = codes_form<TILE, PIECE_A, full_a, factors_v<P>>;
  e.launch(&tensor_kernel<form, codes_call<P, T, STORE>>, grid_for(tiles, 1),
           dim3(TILE::block_threads), TILE::shared_bytes, call);
}

/// The tile of the product; one of three where only a launch knows the rows.
template <int PIECE_A, class P, class T, class STORE>
void launch_codes(exec &e, const codes_call<P, T, STORE> &call) {
  constexpr int64_t m = known_m<P>(), n = known_n<P>();
  auto launch = [&](auto tile) { launch_codes_tile<decltype(tile), PIECE_A>(e, call); };
  auto launch_rows = [&] {
    if constexpr (n >= 0 && known_k<P>() >= coded_depth)
      launch(coded_rows_tile{});
    else
      launch(few_rows_tile{});
  };
  if constexpr (m >= 0 && m <= few_rows_tile::rows) {
    launch_rows();
  } else {
    const tile_size size = choose_tile(1, call.p.m, call.p.n, tile_size::middle);
    if constexpr (m < 0)
      if (size == tile_size::few_rows)
        return launch_rows();
    if (size == tile_size::middle)
      launch(middle_tile{});
    else
      launch(small_tile{});
  }
}

/// Bytes that gemm_codes_tiles takes from e.scratch at most: for a left operand that is not
/// aligned.
template <class A, class P> int64_t gemm_codes_tiles_scratch(const P &p, int) {
  return p.m * p.k * static_cast<int64_t>(sizeof(A));
}

template <class P, class T, class STORE>
void gemm_codes_tiles(exec &e, const P &p, const T *a, const uint32_t *codes, const T *scales,
                      const uint32_t *zero_points, STORE store) {
  codes_call<P, T, STORE> call{p, a, {p, codes, scales, zero_points}, store};
  if (p.m <= 0 || p.n <= 0)
    return;
  CAMEO_OPERATIONS(2 * p.m * p.n * p.k);
  CAMEO_DEPTH(p.k);
  constexpr int64_t k = known_k<P>();
  constexpr int piece = k < 0 ? 0 : piece_of<T>(k, index<0>{});
  if constexpr (piece != 0)
    call.a = align(e, a, p.m * p.k);
  launch_codes<piece>(e, call);
}

} // namespace cameo::cuda
