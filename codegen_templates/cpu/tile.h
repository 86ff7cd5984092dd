// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The multiply-accumulate loops, and with the exponentials of softmax.h the only CPU code in which
// a * b + c contracts to an FMA: plain arithmetic on packed operands, no functor of the caller is
// ever inlined here. Each register tile is its own function. T is float, double, uint32_t, uint64_t
// or a lane of several numbers (bytes.h).
#pragma once

#include "cameo/cpu/simd.h"
#include "cameo/index.h"
#include "cameo/sequences.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Columns of a block: what lies together in a row of the right operand whatever its layout.
constexpr int column_block = 16;

/// Rows of the right operand of a tile are `ld` apart, and a row's blocks of columns `block`:
/// column_block where rows lie whole.
template <class T> struct panel_rows {
  const T *data;
  int64_t ld, block;
};

/// Lines that will be read later: each step of a tile asks for the line that `data` is in, which
/// then advances by `pace` elements.
template <class T> struct prefetches {
  const T *data;
  int64_t pace;
};

/// How many numbers a lane of T has.
template <class T> inline constexpr int numbers_in = 1;

/// sum += a * b, in each lane; bytes.h has it for lanes of several numbers.
template <class T>
CAMEO_INLINE void add_product(typename vec<T>::type &sum, T a, typename vec<T>::type b) {
  CAMEO_CONTRACT_BODY;
  sum += a * b;
}

/// c[MR][NV * lanes] = a b for k steps, which are added to c where it `continues`: rows of a are
/// lda apart, of c ldc. One pointer for three rows of a, since an address has room for one or two
/// times lda.
template <class T, int MR, int NV>
CAMEO_CONTRACT void multiply_tile(int64_t k, const T *a, int64_t lda, const panel_rows<T> &panel,
                                  T *c, int64_t ldc, bool continues,
                                  [[maybe_unused]] prefetches<T> ahead) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<T>::lanes, pointers = (MR + 2) / 3;
  const T *b = panel.data, *rows[array_size(pointers)];
  const int64_t ldb = panel.ld, block = panel.block;
  CAMEO_UNROLL_ALL
  for (int i = 0; i < pointers; ++i)
    rows[i] = a + 3 * i * lda;
  typename vec<T>::type acc[array_size(MR)][array_size(NV)] = {};
  if (continues) {
    CAMEO_UNROLL_ALL
    for (int i = 0; i < MR; ++i)
      CAMEO_UNROLL_ALL
    for (int v = 0; v < NV; ++v)
      acc[i][v] = load_vector(c + i * ldc + v * lanes);
  }
  for (; k > 0; --k, b += ldb) {
    if constexpr (numbers_in<T> == 1) { // others are packed, just before
      CAMEO_PREFETCH(ahead.data);
      ahead.data += ahead.pace;
    }
    typename vec<T>::type row[array_size(NV)];
    CAMEO_UNROLL_ALL
    for (int v = 0; v < NV; ++v)
      row[v] = load_vector(b + v * lanes / column_block * block + v * lanes % column_block);
    CAMEO_UNROLL_ALL
    for (int i = 0; i < MR; ++i)
      CAMEO_UNROLL_ALL
    for (int v = 0; v < NV; ++v)
      add_product(acc[i][v], rows[i / 3][i % 3 * lda], row[v]);
    CAMEO_UNROLL_ALL
    for (int i = 0; i < pointers; ++i)
      ++rows[i];
  }
  CAMEO_UNROLL_ALL
  for (int i = 0; i < MR; ++i)
    CAMEO_UNROLL_ALL
  for (int v = 0; v < NV; ++v)
    store_vector(c + i * ldc + v * lanes, acc[i][v]);
}

/// A set of numbers from 1 to 64, a bit for each.
constexpr uint64_t number_set(int64_t n) { return uint64_t{1} << (n - 1); }
constexpr uint64_t numbers_to(int64_t most) { return ~uint64_t{0} >> (64 - most); }

/// make(nth<N>()) where that is WANTED; else it is not even made.
template <bool WANTED, int N, class MAKE>
constexpr auto made_or_none(MAKE make) -> decltype(make(nth<N>())) {
  if constexpr (WANTED)
    return make(nth<N>());
  else
    return nullptr;
}
template <uint64_t SET, class MAKE, int... I>
CAMEO_INLINE auto pick(int64_t n, MAKE make, std::integer_sequence<int, I...>) {
  constexpr decltype(make(nth<1>())) function[] = {made_or_none<(SET >> I & 1), I + 1>(make)...};
  return function[n - 1];
}

/// Picks the function for n among make(nth<N>()) for each number N of SET.
template <uint64_t SET, class MAKE> CAMEO_INLINE auto pick(int64_t n, MAKE make) {
  static_assert(SET != 0);
  return pick<SET>(n, make, std::make_integer_sequence<int, 64 - __builtin_clzll(SET)>());
}

template <class T>
using tile_function = void (*)(int64_t k, const T *a, int64_t lda, const panel_rows<T> &panel, T *c,
                               int64_t ldc, bool continues, prefetches<T> ahead);

/// The tile of 1..MAX rows.
template <class T, int NV, int MAX> CAMEO_INLINE tile_function<T> pick_tile(int64_t rows) {
  return pick<numbers_to(MAX)>(
      rows, [](auto n) -> tile_function<T> { return &multiply_tile<T, decltype(n)::value, NV>; });
}

/// The sum of a vector's elements: the upper half is added to the lower until one is left.
template <class T, int LANES, class V> CAMEO_INLINE T fold_lanes(V v) {
  if constexpr (LANES == 1) {
    return __builtin_bit_cast(T, v);
  } else {
    typedef T part __attribute__((vector_size(LANES / 2 * sizeof(T))));
    struct halves {
      part low, high;
    };
    const halves h = __builtin_bit_cast(halves, v);
    return fold_lanes<T, LANES / 2>(h.low + h.high);
  }
}

#if defined(CAMEO_SHUFFLES)
/// Groups of L elements of a, then those of b, each folded to half by adding its upper half to its
/// lower.
template <int L, class V, int... I>
CAMEO_INLINE auto fold_groups(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int half = L / 2;
  return __builtin_shufflevector(a, b, (I / half * L + I % half)...) +
         __builtin_shufflevector(a, b, (I / half * L + I % half + half)...);
}

/// The sum of every group of L elements of the vectors, in fold_lanes' order.
template <int L, class T, class V, size_t N>
CAMEO_INLINE void fold_vectors(const V (&v)[N], T *out) {
  constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(T));
  if constexpr (L == 1) {
    __builtin_memcpy(out, v, sizeof v);
  } else if constexpr (N > 1) {
    static_assert(N % 2 == 0);
    V half[N / 2];
    CAMEO_UNROLL_ALL
    for (size_t i = 0; i < N / 2; ++i)
      half[i] = fold_groups<L>(v[2 * i], v[2 * i + 1], std::make_integer_sequence<int, lanes>());
    fold_vectors<L / 2>(half, out);
  } else if constexpr (L < lanes) {
    const auto half = fold_groups<L>(v[0], v[0], std::make_integer_sequence<int, lanes / 2>());
    fold_vectors<L / 2>({half}, out);
  } else {
    *out = fold_lanes<T, lanes>(v[0]);
  }
}
#else
template <int L, class T, class V, size_t N>
CAMEO_INLINE void fold_vectors(const V (&v)[N], T *out) {
  CAMEO_UNROLL_ALL
  for (size_t i = 0; i < N; ++i)
    out[i] = fold_lanes<T, L>(v[i]);
}
#endif

/// Lanes over k of a dot product, whatever the vector width.
constexpr int dot_lanes = 16;

/// dot_lanes elements of every row.
template <class T, int MR, int NJ, int NV>
CAMEO_INLINE void
dot_step(const T *a, int64_t lda, const T *b, int64_t ldb,
         typename vec<T>::type (&acc)[array_size(MR)][array_size(NV)][array_size(NJ)]) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<T>::lanes;
  CAMEO_UNROLL_ALL
  for (int v = 0; v < NV; ++v) {
    typename vec<T>::type row[array_size(MR)];
    CAMEO_UNROLL_ALL
    for (int i = 0; i < MR; ++i)
      row[i] = load_vector(a + i * lda + v * lanes);
    CAMEO_UNROLL_ALL
    for (int j = 0; j < NJ; ++j) {
      const typename vec<T>::type column = load_vector(b + j * ldb + v * lanes);
      CAMEO_UNROLL_ALL
      for (int i = 0; i < MR; ++i)
        acc[i][v][j] += row[i] * column;
    }
  }
}

/// Copies `count` of WIDTH elements, followed by zeros: one load under a mask, where there is one.
template <int WIDTH, class T> CAMEO_INLINE void copy_lanes(const T *from, int64_t count, T *to) {
  CAMEO_INDEPENDENT_LANES
  for (int64_t l = 0; l < WIDTH; ++l)
    to[l] = l < count ? from[l] : T{};
}

/// Vectors of each of `sums` sums, out of `vectors`, that a tile takes at a time: those for which
/// there are registers beside all loads of a step, which g++ puts first for NEON.
constexpr int vectors_at_a_time(int vectors, int sums) {
  constexpr int registers = tile_shape::rows * tile_shape::vectors;
  constexpr int most = registers > 16 ? registers : 12;
  while (vectors > 1 && vectors * sums > most)
    vectors /= 2;
  return vectors;
}

/// acc += NV vectors, from `lane` of dot_lanes on, of the sums of all products of MR rows with NJ.
template <class T, int MR, int NJ, int NV>
CAMEO_INLINE void
dot_part(int64_t k, int lane, const T *a, int64_t lda, const T *b, int64_t ldb, const T *next,
         typename vec<T>::type (&acc)[array_size(MR)][array_size(NV)][array_size(NJ)]) {
  constexpr int width = NV * vec<T>::lanes;
  int64_t t = 0;
  for (; t + dot_lanes <= k; t += dot_lanes) {
    CAMEO_UNROLL_ALL
    for (int j = 0; j < NJ; ++j)
      CAMEO_PREFETCH(next + j * ldb + t);
    dot_step<T, MR, NJ, NV>(a + t + lane, lda, b + t + lane, ldb, acc);
  }
  t += lane;
  if (t < k) { // the rest, filled up with zeros
    alignas(typename vec<T>::type) T last_a[array_size(MR)][array_size(width)];
    alignas(typename vec<T>::type) T last_b[array_size(NJ)][array_size(width)];
    // One bound: with two, g++ takes products out of the block of their sums and contracts neither.
    const int64_t rest = k - t < width ? k - t : width;
    CAMEO_UNROLL_ALL
    for (int i = 0; i < MR; ++i)
      copy_lanes<width>(a + i * lda + t, rest, last_a[i]);
    CAMEO_UNROLL_ALL
    for (int j = 0; j < NJ; ++j)
      copy_lanes<width>(b + j * ldb + t, rest, last_b[j]);
    dot_step<T, MR, NJ, NV>(last_a[0], width, last_b[0], width, acc);
  }
}

/// out[MR][NJ], rows ldo apart: the sums of dot_lanes lanes, folded by halves.
template <class T, int MR, int NJ, int NV>
CAMEO_INLINE void
fold_dots(typename vec<T>::type (&acc)[array_size(MR)][array_size(NV)][array_size(NJ)], T *out,
          int64_t ldo) {
  CAMEO_UNROLL_ALL
  for (int i = 0; i < MR; ++i) {
    CAMEO_UNROLL_ALL
    for (int half = NV / 2; half > 0; half /= 2)
      CAMEO_UNROLL_ALL
    for (int v = 0; v < half; ++v)
      CAMEO_UNROLL_ALL
    for (int j = 0; j < NJ; ++j)
      acc[i][v][j] += acc[i][v + half][j];
    fold_vectors<vec<T>::lanes>(acc[i][0], out + i * ldo);
  }
}

/// Groups of columns that dot_tile multiplies, NJ each, before it folds them all: 16 sums fold by
/// as many instructions as four.
template <class T> constexpr int dot_groups(int sums) {
  constexpr int registers = tile_shape::rows * tile_shape::vectors;
  return vec<T>::lanes == dot_lanes && 4 * sums <= registers ? 4 : 1;
}

/// out[MR][NJ * GROUPS] = a bT for rows of length k, those of out ldo apart; every product is
/// summed in dot_lanes lanes, which are then folded by halves. `next` is the b of the next tile:
/// rows are too short for the processor to foresee where the next ones lie.
template <class T, int MR, int NJ, int GROUPS>
CAMEO_CONTRACT void dot_tile(int64_t k, const T *a, int64_t lda, const T *b, int64_t ldb,
                             const T *next, T *out, int64_t ldo) {
  CAMEO_CONTRACT_BODY;
  constexpr int lanes = vec<T>::lanes, NV = dot_lanes / lanes, columns = NJ * GROUPS;
  constexpr int part = vectors_at_a_time(NV, MR * NJ);
  static_assert(NV * lanes == dot_lanes && NV % part == 0);
  typename vec<T>::type acc[array_size(MR)][array_size(NV)][array_size(columns)];
  CAMEO_UNROLL_ALL
  for (int g = 0; g < GROUPS; ++g) {
    const T *const from = b + g * NJ * ldb, *const then = g + 1 < GROUPS ? from + NJ * ldb : next;
    for (int first = 0; first < NV; first += part) {
      typename vec<T>::type sums[array_size(MR)][array_size(part)][array_size(NJ)] = {};
      dot_part<T, MR, NJ, part>(k, first * lanes, a, lda, from, ldb, then, sums);
      CAMEO_UNROLL_ALL
      for (int i = 0; i < MR * part * NJ; ++i)
        acc[i / (part * NJ)][first + i / NJ % part][g * NJ + i % NJ] =
            sums[i / (part * NJ)][i / NJ % part][i % NJ];
    }
  }
  fold_dots<T, MR, columns, NV>(acc, out, ldo);
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
