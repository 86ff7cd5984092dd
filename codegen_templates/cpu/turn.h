// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a matrix that become its columns. Squares of elements are turned in registers.
#pragma once

#include "cameo/cpu/simd.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

#if defined(CAMEO_SHUFFLES) && CAMEO_VECTOR_BYTES > 0
#define CAMEO_TURNS_SQUARES
/// Numbers of so many bytes, of which vectors are made.
template <size_t BYTES> struct bits_of;
template <> struct bits_of<1> { typedef uint8_t type; };
template <> struct bits_of<2> { typedef uint16_t type; };
template <> struct bits_of<4> { typedef uint32_t type; };
template <> struct bits_of<8> { typedef uint64_t type; };

/// Rows and columns that are turned at once: 16, as a block of channels has, where a vector has so
/// many.
template <class T>
constexpr int square_side = 16 * sizeof(T) <= CAMEO_VECTOR_BYTES
                                ? 16
                                : CAMEO_VECTOR_BYTES / static_cast<int>(sizeof(T));

/// A square: rows from_ld apart become columns of rows to_ld apart.
template <class T, int side = square_side<T>>
CAMEO_NOINLINE void turn_square(const T *from, int64_t from_ld, T *to, int64_t to_ld) {
  typedef typename bits_of<sizeof(T)>::type bits;
  typedef bits row __attribute__((vector_size(static_cast<size_t>(side) * sizeof(T))));
  row v[array_size(side)];
  CAMEO_UNROLL_ALL
  for (int i = 0; i < side; ++i)
    __builtin_memcpy(&v[i], from + i * from_ld, sizeof(row));
  transpose_square<side / 2>(v);
  CAMEO_UNROLL_ALL
  for (int i = 0; i < side; ++i)
    __builtin_memcpy(to + i * to_ld, &v[i], sizeof(row));
}
#endif

/// The same of `rows` times `columns` elements, in squares of at most MOST; what no square is left
/// for is turned twice.
template <int MOST = 16, class T>
CAMEO_INLINE void turn(const T *from, int64_t from_ld, int64_t rows, int64_t columns, T *to,
                       int64_t to_ld) {
#if defined(CAMEO_TURNS_SQUARES)
  constexpr int side = square_side<T> < MOST ? square_side<T> : MOST;
  if (rows >= side && columns >= side) {
    for (int64_t r = 0; r < rows; r += side)
      for (int64_t c = 0; c < columns; c += side) {
        const int64_t row = r < rows - side ? r : rows - side;
        const int64_t column = c < columns - side ? c : columns - side;
        turn_square<T, side>(from + row * from_ld + column, from_ld, to + column * to_ld + row,
                             to_ld);
      }
    return;
  }
#endif
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      to[c * to_ld + r] = from[r * from_ld + c];
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
