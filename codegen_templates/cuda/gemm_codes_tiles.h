// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm_codes_tiles: gemm by a matrix whose elements are codes of few bits, by the tiles of
// tensor_tiles.h. Codes come through registers, where they become the elements that are multiplied.
#pragma once

#include "cameo/cuda/gemm_tiles.h"
#include "cameo/pack/columns.h"

namespace cameo::cuda {

/// The tiles of few rows where a constant depth is at least this: codes come through registers, so
/// that each step waits for memory, and slices do so side by side. The narrow one where the other
/// one's would not fill a device.
using coded_rows_tile = tensor_tile<16, 32, 16, 16, 3, 8>;
using narrow_rows_tile = tensor_tile<16, 16, 16, 16, 3, 16>;
constexpr int64_t coded_depth = 512;
constexpr bool takes_narrow_rows(int64_t n) {
  return (n + coded_rows_tile::columns - 1) / coded_rows_tile::columns < enough_tiles;
}

/// A word of codes and the scale that they have in common, as they are loaded, so that nothing
/// waits for them. Codes become elements as part of a number's significand: the difference of two
/// is then exact, and no conversion.
template <int BITS, class T> struct coded_word {
  static constexpr uint32_t mask = (1u << BITS) - 1;
  uint32_t codes;
  T scale;

  /// The element that code `i` stands for, whose zero point is `zero`; 0 where the scale is 0.
  CAMEO_DEVICE_ONLY T element(int i, uint32_t zero) const {
    const auto code = static_cast<int>(codes >> i * BITS & mask);
    return cast<T>(static_cast<float>(code - static_cast<int>(zero)) * cast<float>(scale));
  }
  /// COUNT neighbours from element(from) on.
  template <int COUNT> CAMEO_DEVICE_ONLY auto elements(int from, uint32_t zero) const {
    constexpr int in_register = 4 / static_cast<int>(sizeof(T));
    pack<uint32_t, COUNT / in_register> all;
    CAMEO_UNROLL
    for (int i = 0; i < COUNT / in_register; ++i) {
      const int first = from + i * in_register;
      if constexpr (std::is_same_v<T, half>)
        all.item[i] = two_halves(first, zero);
      else if constexpr (std::is_same_v<T, bfloat16>)
        all.item[i] = round_to_bf16x2(scaled(first, zero), scaled(first + 1, zero));
      else
        all.item[i] = bit_cast<uint32_t>(scaled(first, zero));
    }
    return all;
  }

private:
  /// A float from 2^23 on ends in a code that stays where it is in its half of the word.
  CAMEO_DEVICE_ONLY float scaled(int i, uint32_t zero) const {
    constexpr uint32_t two_to_23 = 0x4b000000, one = 0x3f800000, sign = 0x80000000;
    const uint32_t at = static_cast<uint32_t>(i) * BITS % 16, exponents = at << 23;
    const uint32_t half_word = i * BITS < 16 ? codes : codes >> 16;
    const auto moved = bit_cast<float>(and_or(half_word, mask << at, two_to_23));
    const auto base = bit_cast<float>((sign | (two_to_23 - exponents)) + (zero << at));
    return multiply_add(moved, bit_cast<float>(one - exponents), base) * cast<float>(scale);
  }
  /// Halves from 1024 on end in neighbouring codes, which stay where they are in their bytes.
  CAMEO_DEVICE_ONLY uint32_t two_halves(int i, uint32_t zero) const {
    constexpr uint32_t two_to_10 = 0x6400, one = 0x3c00, sign = 0x8000, exponent = 0x400;
    const uint32_t low = static_cast<uint32_t>(i) * BITS, high = low + BITS;
    const uint32_t low_at = low % 8, high_at = high % 8, bytes = low / 8 | high / 8 << 8;
    constexpr uint32_t begins = pair(two_to_10, two_to_10);
    const uint32_t moved = BITS == 8 // whose upper bytes are those of 1024
                               ? permute_bytes(codes, begins, 0x5050 | bytes)
                               : and_or(permute_bytes(codes, 0, 0x4040 | bytes),
                                        pair(mask << low_at, mask << high_at), begins);
    const uint32_t parts = pair(one - low_at * exponent, one - high_at * exponent);
    const uint32_t bases =
        pair((sign | two_to_10) - low_at * exponent, (sign | two_to_10) - high_at * exponent) +
        zero * pair(1u << low_at, 1u << high_at);
    const auto by = static_cast<uint32_t>(bit_cast<uint16_t>(scale));
    return multiply_f16x2(multiply_add_f16x2(moved, parts, bases), pair(by, by));
  }
  CAMEO_DEVICE static constexpr uint32_t pair(uint32_t low, uint32_t high) {
    return low | high << 16;
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
    return {hold_global(codes + places.number(number, 0)),
            hold_global(scales + scale_places.number(number, 0)),
            zero_points == nullptr ? nullptr
                                   : hold_global(zero_points + zero_places.number(number, 0))};
  }
  /// The codes of a column's word that begins at step k; the scale of a step, and the word that its
  /// zero point is in.
  CAMEO_DEVICE_ONLY uint32_t load_codes(const column &from, uint32_t k) const {
    return from.codes[k / together * lanes];
  }
  CAMEO_DEVICE_ONLY T load_scale(const column &from, uint32_t k) const {
    return from.scales[group_of(k) * lanes];
  }
  CAMEO_DEVICE_ONLY uint32_t load_zeros(const column &from, uint32_t k) const {
    uint32_t zeros = static_cast<uint32_t>(p.zero_point) * (0xffffffffu / word::mask);
    if (zero_points != nullptr)
      zeros = from.zero_points[group_of(k) / together * lanes];
    return zeros;
  }
  CAMEO_DEVICE_ONLY uint32_t zero_of(uint32_t zeros, uint32_t k) const {
    return zeros >> group_of(k) % together * bits & word::mask;
  }

  CAMEO_DEVICE_ONLY int64_t line(int64_t, int64_t number) const { return number; }
  CAMEO_DEVICE_ONLY int64_t step(int64_t k) const { return k; }
  CAMEO_DEVICE_ONLY T at(int64_t number, int64_t k) const {
    const auto step = static_cast<uint32_t>(k);
    const column from = find(number);
    const word of = {load_codes(from, step), load_scale(from, step)};
    return of.element(static_cast<int>(step % together), zero_of(load_zeros(from, step), step));
  }

private:
  CAMEO_DEVICE_ONLY uint32_t group_of(uint32_t k) const {
    return k / static_cast<uint32_t>(p.group);
  }
};

/// Feeds a tile with the columns of a coded operand: a thread has some words of a column, and loads
/// them two steps before they are stored. Threads of neighbouring columns load neighbouring words.
/// IS_FULL: all columns exist, and all of a tile's steps where one of them does.
template <class SHARED, int THREADS, class OPERAND, bool IS_FULL> class codes_feed {
  using element = typename SHARED::element;
  using P = decltype(OPERAND::p);
  using word = typename OPERAND::word;
  static constexpr int together = OPERAND::together, rows = SHARED::depth / together;
  static constexpr int words = SHARED::lines * rows, loads = (words + THREADS - 1) / THREADS;
  static constexpr int own_steps = loads * together;
  /// Elements of a word that a chunk has, of which a thread has whole ones.
  static constexpr int width = together < SHARED::in_chunk ? together : SHARED::in_chunk;
  static_assert(SHARED::k_first && SHARED::depth % together == 0 && rows % loads == 0 &&
                own_steps % SHARED::in_chunk == 0);

  /// How many scales a thread's words of a step have: one where they are of one group, and all or
  /// none of them exist.
  static constexpr int count_scales() {
    if constexpr (CAMEO_IS_STATIC(P, group) && CAMEO_IS_STATIC(P, k))
      return P::group % own_steps == 0 && P::k % own_steps == 0 ? 1 : loads;
    else
      return loads;
  }
  static constexpr int scale_count = count_scales();
  struct loaded {
    uint32_t codes[array_size(loads)], zeros[array_size(scale_count)];
    element scales[array_size(scale_count)];
  };

public:
  static constexpr int table_bytes = 0;
  CAMEO_DEVICE_ONLY codes_feed(int thread, const OPERAND &operand, int64_t, int64_t first)
      : column_(thread % SHARED::lines), part_(thread / SHARED::lines),
        exists_(IS_FULL || (part_ < rows / loads && first + column_ < operand.p.n)),
        operand_(operand), from_(operand.find(exists_ ? first + column_ : 0)) {}

  CAMEO_DEVICE_ONLY void begin_part(unsigned char *, const unsigned char *, int) const {}
  CAMEO_DEVICE_ONLY void prepare(unsigned char *, int64_t, int64_t) const {}
  CAMEO_DEVICE_ONLY void begin(unsigned char *, int64_t, int64_t) const {}
  /// Steps come one after the other.
  CAMEO_DEVICE_ONLY void load(const unsigned char *, int64_t k0, int64_t k) {
    const auto end = static_cast<uint32_t>(k);
    step_ = static_cast<uint32_t>(k0);
    if (!begun_)
      fetch(step_, end);
    begun_ = true;
    now_ = ahead_;
    fetch(step_ + SHARED::depth, end);
  }
  CAMEO_DEVICE_ONLY void store(unsigned char *to) const {
    if (words % THREADS != 0 && part_ >= rows / loads)
      return;
    CAMEO_UNROLL
    for (int step = 0; step < own_steps; step += SHARED::in_chunk) {
      pack<uint32_t, chunk_bytes / 4> values;
      CAMEO_UNROLL
      for (int part = 0; part < SHARED::in_chunk; part += width)
        put_elements(values, step + part, part);
      const int chunk = (part_ * own_steps + step) / SHARED::in_chunk;
      store_pack<chunk_bytes / 4>(reinterpret_cast<uint32_t *>(to + SHARED::offset(column_, chunk)),
                                  values);
    }
  }

private:
  /// The thread's elements from `step` on, as many as a word or a chunk has, to element `to`.
  template <class VALUES>
  CAMEO_DEVICE_ONLY void put_elements(VALUES &values, int step, int to) const {
    const int i = step / together, of = scale_count == 1 ? 0 : i;
    const word found = {now_.codes[i], now_.scales[of]};
    const uint32_t zero = operand_.zero_of(now_.zeros[of], step_ + own_step(of));
    const auto elements = found.template elements<width>(step % together, zero);
    constexpr int in_register = 4 / static_cast<int>(sizeof(element));
    CAMEO_UNROLL
    for (int j = 0; j < width / in_register; ++j)
      values.item[to / in_register + j] = elements.item[j];
  }
  /// Steps from the tile's first one to a word of the thread's.
  CAMEO_DEVICE_ONLY uint32_t own_step(int i) const {
    return static_cast<uint32_t>(part_ * own_steps + i * together);
  }
  /// A word that does not exist has no scale, so that its elements are 0; some word is loaded for
  /// it.
  CAMEO_DEVICE_ONLY void fetch(uint32_t step, uint32_t end) {
    const uint32_t whole = IS_FULL && step >= end ? 0 : step;
    CAMEO_UNROLL
    for (int i = 0; i < loads; ++i) {
      const bool exists = IS_FULL || (exists_ && step + own_step(i) < end);
      const uint32_t k = exists ? whole + own_step(i) : 0;
      ahead_.codes[i] = operand_.load_codes(from_, k);
      if (i < scale_count) {
        ahead_.scales[i] = exists ? operand_.load_scale(from_, k) : element{};
        ahead_.zeros[i] = operand_.load_zeros(from_, k);
      }
    }
  }

  int column_, part_;
  bool begun_ = false, exists_;
  uint32_t step_ = 0; // of the words that are stored next
  const OPERAND &operand_;
  typename OPERAND::column from_;
  loaded now_, ahead_;
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
template <class TILE, int PIECE_A, bool FULL_A, bool FULL_B, factor_type FACTORS>
struct codes_form : tensor_form<TILE, PIECE_A, 0, FULL_A, FULL_B, FACTORS> {
  template <class B> using right = shared_lines<typename B::element, TILE::columns, true>;
  template <class B> using right_feed = codes_feed<right<B>, TILE::threads, B, FULL_B>;
};

template <class TILE, int PIECE_A, class P, class T, class STORE>
void launch_codes_tile(exec &e, const codes_call<P, T, STORE> &call) {
  constexpr bool full_a = known_m<P>() > 0 && known_m<P>() % TILE::rows == 0;
  constexpr bool full_b = known_n<P>() > 0 && known_n<P>() % TILE::columns == 0 &&
                          known_k<P>() > 0 &&
                          known_k<P>() % (line_bytes / static_cast<int>(sizeof(T))) == 0;
  const multiply_shape s = call.shape();
  const int64_t tiles = count_tiles(1, s.m, s.n, TILE::rows, TILE::columns);
  using form = codes_form<TILE, PIECE_A, full_a, full_b, factors_v<P>>;
  e.launch(&tensor_kernel<form, codes_call<P, T, STORE>>, grid_for(tiles, 1),
           dim3(TILE::block_threads), TILE::shared_bytes, call);
}

/// The tile of the product; one of three where only a launch knows the rows.
template <int PIECE_A, class P, class T, class STORE>
void launch_codes(exec &e, const codes_call<P, T, STORE> &call) {
  constexpr int64_t m = known_m<P>(), n = known_n<P>();
  auto launch = [&](auto tile) { launch_codes_tile<decltype(tile), PIECE_A>(e, call); };
  auto launch_rows = [&] {
    if constexpr (n >= 0 && known_k<P>() >= coded_depth && takes_narrow_rows(n))
      launch(narrow_rows_tile{});
    else if constexpr (n >= 0 && known_k<P>() >= coded_depth)
      launch(coded_rows_tile{});
    else
      launch(few_rows_tile{});
  };
  if constexpr (m >= 0 && m <= few_rows_tile::rows) {
    launch_rows();
  } else {
    using tiles = tile_list<small_tile, middle_tile>;
    if constexpr (m < 0)
      if (call.p.m <= few_rows_tile::rows)
        return launch_rows();
    if (choose_tile<tiles>(1, call.p.m, call.p.n, tiles::last) == 0)
      launch(small_tile{});
    else
      launch(middle_tile{});
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
