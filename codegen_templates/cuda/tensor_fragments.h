// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments of the tensor core's products: how a warp reads them from shared memory, and how they
// are multiplied, of 16-bit floats as they are, of floats as --precision says (factor_type).
#pragma once

#include "cameo/common/types.h"
#include "cameo/cuda/tensor_operands.h"

namespace cameo::cuda {

/// Reads fragments: 16 lines by two chunks of k, as mma has them of its left operand, whose
/// registers differ in the line first, or two of its right one's, IS_LEFT or not. INTERLEAVED: of
/// eight lines in the order 0, 4, 1, 5, 2, 6, 3, 7.
template <class SHARED, bool IS_LEFT, bool INTERLEAVED = false> class fragment_reader {
  static constexpr int row_bytes = SHARED::chunks * chunk_bytes;
  static_assert(!INTERLEAVED || SHARED::k_first || SHARED::by_words);

public:
  /// `line`: the warp's first one, a multiple of 16.
  CAMEO_DEVICE_ONLY explicit fragment_reader(int line) {
    const int l = static_cast<int>(lane()), number = l / 8;
    const int line_half = IS_LEFT ? number % 2 : number / 2;
    const int k_half = IS_LEFT ? number / 2 : number % 2;
    if constexpr (SHARED::k_first)
      first_ = SHARED::offset(line + line_half * 8 + line_of(l % 8), k_half);
    else if constexpr (!SHARED::by_words)
      first_ = SHARED::offset(k_half * 8 + l % 8, line / SHARED::in_chunk + line_half);
    else
      first_ = SHARED::offset(l % 4, line / SHARED::in_chunk + line_of(l / 4) / 4) +
               line_of(l / 4) % 4 * 4;
  }
  /// Keeps the place in a register where it would be computed again for each step.
  CAMEO_DEVICE_ONLY void hold() { first_ = cuda::hold(first_); }
  /// Lines `i` * 16 on, chunks `pair` * 2 of k. Chunks of a row are told apart by bits that places
  /// only turn, so what is more of a place than the first one is the same for all threads.
  CAMEO_DEVICE_ONLY void load(uint32_t (&r)[4], const unsigned char *tile, int i, int pair) const {
    if constexpr (SHARED::k_first) {
      load_matrix_x4<false>(r, tile + chunk_pair(pair) + i * 16 * row_bytes);
    } else if constexpr (!SHARED::by_words) {
      load_matrix_x4<true>(r, tile + chunk_pair(i) + pair * 16 * row_bytes);
    } else {
      CAMEO_UNROLL
      for (int part = 0; part < 4; ++part) {
        const int line_half = IS_LEFT ? part % 2 : part / 2;
        const int k_half = IS_LEFT ? part / 2 : part % 2;
        r[part] = *reinterpret_cast<const uint32_t *>(tile + chunk_pair(i * 2 + line_half) +
                                                      (pair * 8 + k_half * 4) * row_bytes);
      }
    }
  }

private:
  /// Where the `number`th pair of chunks of the row is: only places within a line of banks turn.
  CAMEO_DEVICE_ONLY int chunk_pair(int number) const {
    constexpr int in_line = line_chunks / 2;
    return (first_ ^ number % in_line * 2 * chunk_bytes) + number / in_line * line_bytes;
  }
  CAMEO_DEVICE_ONLY static int line_of(int number) {
    return INTERLEAVED ? number % 2 * 4 + number / 2 : number;
  }

  int first_;
};

template <int I, int J> struct tensor_fragments {
  uint32_t left[array_size(I)][4], right[array_size(J / 2)][4];

  /// Adds the products of two parts to sums: 16 rows by 8 columns each.
  template <class MMA>
  CAMEO_DEVICE_ONLY static void add(float (&sums)[array_size(I)][array_size(J)][4],
                                    const uint32_t (&left)[array_size(I)][4],
                                    const uint32_t (&right)[array_size(J / 2)][4], MMA mma) {
    CAMEO_UNROLL
    for (int i = 0; i < I; ++i)
      CAMEO_UNROLL
    for (int j = 0; j < J; ++j) {
      const uint32_t columns[2] = {right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]};
      mma(sums[i][j], left[i], columns);
    }
  }
};

template <int I> struct split_floats {
  uint32_t high[array_size(I)][4], low[array_size(I)][4];

  /// Both parts are tf32, the lower one when its last bit is cut, and their sum is the float to
  /// 2^-23 of it. Infinities and NaN have no such parts.
  CAMEO_DEVICE_ONLY explicit split_floats(const uint32_t (&bits)[array_size(I)][4]) {
    CAMEO_UNROLL
    for (int i = 0; i < I; ++i)
      CAMEO_UNROLL
    for (int r = 0; r < 4; ++r) {
      high[i][r] = (bits[i][r] + 0x1000u) & 0xffffe000u;
      low[i][r] = bit_cast<uint32_t>(bit_cast<float>(bits[i][r]) - bit_cast<float>(high[i][r]));
    }
  }
};

/// How the tensor core multiplies elements.
template <class E, factor_type FACTORS> struct tensor_factors {
  static constexpr bool are_floats = std::is_same_v<E, float>;
  /// Into parts, so that products are as exact as floats.
  static constexpr bool are_split = are_floats && FACTORS == factor_type::parts;
  static constexpr bool are_tf32 = are_floats && FACTORS == factor_type::tf32;
  /// To 16 bits, so that two pairs of chunks of k are multiplied at once.
  static constexpr bool are_narrowed = are_floats && !are_split && !are_tf32;
  static constexpr int pairs = are_narrowed ? 2 : 1;
  static constexpr bool are_f16 =
      are_floats ? FACTORS == factor_type::fp16 : std::is_same_v<E, half>;
};

/// Adds products of fragments to sums, a pair of chunks of k after the other.
template <class E, factor_type FACTORS, int I, int J> class tensor_products {
  using factors = tensor_factors<E, FACTORS>;
  using fragments = tensor_fragments<I, J>;
  using sums = float[array_size(I)][array_size(J)][4];

public:
  /// The `number`th pair, of a multiple of factors::pairs in all.
  CAMEO_DEVICE_ONLY void add(sums &to, const fragments &of, int number) {
    if constexpr (factors::are_split) {
      add_parts(to, of);
    } else if constexpr (factors::are_tf32) {
      add_tf32(to, of);
    } else if constexpr (factors::are_narrowed) {
      narrow<true>(narrowed_.left, of.left, number % 2);
      narrow<false>(narrowed_.right, of.right, number % 2);
      if (number % 2 == 1)
        add_16_bits(to, narrowed_);
    } else {
      add_16_bits(to, of);
    }
  }

private:
  /// The small ones first.
  CAMEO_DEVICE_ONLY static void add_parts(sums &to, const fragments &of) {
    auto mma = [](auto &d, const auto &a, const auto &b) { mma_tf32(d, a, b); };
    const split_floats<I> left(of.left);
    const split_floats<J / 2> right(of.right);
    of.add(to, left.low, right.high, mma);
    of.add(to, left.high, right.low, mma);
    of.add(to, left.high, right.high, mma);
  }
  CAMEO_DEVICE_ONLY static void add_tf32(sums &to, const fragments &of) {
    fragments rounded;
    round(rounded.left, of.left);
    round(rounded.right, of.right);
    of.add(to, rounded.left, rounded.right,
           [](auto &d, const auto &a, const auto &b) { mma_tf32(d, a, b); });
  }
  CAMEO_DEVICE_ONLY static void add_16_bits(sums &to, const fragments &of) {
    of.add(to, of.left, of.right, [](auto &d, const auto &a, const auto &b) {
      if constexpr (factors::are_f16)
        mma_f16(d, a, b);
      else
        mma_bf16(d, a, b);
    });
  }

  template <size_t N>
  CAMEO_DEVICE_ONLY static void round(uint32_t (&to)[N][4], const uint32_t (&bits)[N][4]) {
    CAMEO_UNROLL
    for (size_t i = 0; i < N; ++i)
      CAMEO_UNROLL
    for (int r = 0; r < 4; ++r)
      to[i][r] = round_to_tf32(bit_cast<float>(bits[i][r]));
  }
  /// Half of the registers of two pairs: neighbours along k are what a thread has of a line in both
  /// chunks of a pair, on the left and on the right alike.
  template <bool IS_LEFT, size_t N>
  CAMEO_DEVICE_ONLY static void narrow(uint32_t (&to)[N][4], const uint32_t (&bits)[N][4],
                                       int number) {
    CAMEO_UNROLL
    for (size_t i = 0; i < N; ++i)
      CAMEO_UNROLL
    for (int lines = 0; lines < 2; ++lines) {
      const uint32_t *const low = bits[i] + (IS_LEFT ? lines : lines * 2);
      const float first = bit_cast<float>(low[0]), second = bit_cast<float>(low[IS_LEFT ? 2 : 1]);
      to[i][IS_LEFT ? number * 2 + lines : lines * 2 + number] =
          factors::are_f16 ? round_to_f16x2(first, second) : round_to_bf16x2(first, second);
    }
  }

  fragments narrowed_;
};

} // namespace cameo::cuda
