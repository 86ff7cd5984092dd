// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products of bytes, four neighbours at a time: by one instruction where the machine has it
// (VNNI), by pairs of 16-bit products where it has those, else by plain arithmetic. Nothing
// saturates on the way: all give the same integers, modulo 2^32.
#pragma once

#include "cameo/cpu/tile.h"
#include "cameo/standard.h"

#if CAMEO_VECTOR_BYTES == 64 && defined(__AVX512VNNI__)
#define CAMEO_DOTS_OF_BYTES
#elif CAMEO_VECTOR_BYTES == 32 && defined(__AVXVNNI__)
#define CAMEO_DOTS_OF_BYTES
#elif (CAMEO_VECTOR_BYTES == 64 && defined(__AVX512BW__)) ||                                       \
    (CAMEO_VECTOR_BYTES == 32 && defined(__AVX2__)) ||                                             \
    (CAMEO_VECTOR_BYTES == 16 && defined(__SSE2__))
#define CAMEO_PAIRS_OF_SHORTS
#if CAMEO_VECTOR_BYTES > 16 || defined(__SSSE3__)
#define CAMEO_PAIRS_OF_BYTES
#endif
#endif

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Bytes of a lane: their products are added up at once.
constexpr int quad = 4;

using quad_sums = vec<int32_t>::type;
using quad_bytes = vec<uint32_t>::type;

/// A quad of inputs, and one of weights for each lane; both in whatever order the machine loads
/// them. quad_weights and quad_inputs are these as add_products wants them, which is worth doing
/// once for many products.
CAMEO_INLINE uint32_t load_quad(const uint8_t *x) {
  uint32_t bytes;
  __builtin_memcpy(&bytes, x, sizeof bytes);
  return bytes;
}
CAMEO_INLINE quad_bytes load_quads(const int8_t *w) {
  quad_bytes bytes;
  __builtin_memcpy(&bytes, w, sizeof bytes);
  return bytes;
}

#if defined(CAMEO_DOTS_OF_BYTES)

struct quad_weights {
  quad_sums all;
  CAMEO_INLINE explicit quad_weights(quad_bytes w) : all(__builtin_bit_cast(quad_sums, w)) {}
  CAMEO_INLINE explicit quad_weights(const int8_t *w) : quad_weights(load_quads(w)) {}
};
struct quad_inputs {
  quad_sums all;
  CAMEO_INLINE explicit quad_inputs(uint32_t x) : all(static_cast<int32_t>(x) - quad_sums{}) {}
  CAMEO_INLINE explicit quad_inputs(quad_bytes x) : all(__builtin_bit_cast(quad_sums, x)) {}
  CAMEO_INLINE explicit quad_inputs(const uint8_t *x) : quad_inputs(load_quad(x)) {}
};

CAMEO_INLINE quad_sums add_products(quad_sums sums, const quad_inputs &x, const quad_weights &w) {
#if CAMEO_VECTOR_BYTES == 64 && defined(__clang__)
  return __builtin_ia32_vpdpbusd512(sums, x.all, w.all);
#elif CAMEO_VECTOR_BYTES == 64
  return __builtin_ia32_vpdpbusd_v16si(sums, x.all, w.all);
#elif defined(__clang__)
  return __builtin_ia32_vpdpbusd256(sums, x.all, w.all);
#else
  return __builtin_ia32_vpdpbusd_v8si(sums, x.all, w.all);
#endif
}

#elif defined(CAMEO_PAIRS_OF_SHORTS)

/// The first and third bytes of all quads, and the second and fourth.
using quad_shorts = vec<int16_t>::type;

struct quad_weights {
  quad_shorts even, odd;
  CAMEO_INLINE explicit quad_weights(const int8_t *w) : quad_weights(load_quads(w)) {}
  CAMEO_INLINE explicit quad_weights(quad_bytes w) {
    const auto all = __builtin_bit_cast(vec<uint16_t>::type, w);
    even = __builtin_bit_cast(quad_shorts, all << 8) >> 8;
    odd = __builtin_bit_cast(quad_shorts, all) >> 8;
  }
};
struct quad_inputs {
  quad_shorts even, odd;
  CAMEO_INLINE explicit quad_inputs(const uint8_t *x) : quad_inputs(load_quad(x) - quad_bytes{}) {}
  CAMEO_INLINE explicit quad_inputs(quad_bytes x) {
    const auto all = __builtin_bit_cast(vec<uint16_t>::type, x);
    even = __builtin_bit_cast(quad_shorts, all & 0xff);
    odd = __builtin_bit_cast(quad_shorts, all >> 8);
  }
};

/// Sums of neighbours, in 32 bits.
CAMEO_INLINE quad_sums sum_pairs(quad_shorts a, quad_shorts b) {
#if CAMEO_VECTOR_BYTES == 64 && defined(__clang__)
  return __builtin_ia32_pmaddwd512(a, b);
#elif CAMEO_VECTOR_BYTES == 64
  return __builtin_ia32_pmaddwd512_mask(a, b, quad_sums{}, static_cast<unsigned short>(-1));
#elif CAMEO_VECTOR_BYTES == 32
  return __builtin_ia32_pmaddwd256(a, b);
#else
  return __builtin_ia32_pmaddwd128(a, b);
#endif
}
CAMEO_INLINE quad_sums add_products(quad_sums sums, const quad_inputs &x, const quad_weights &w) {
  return sums + sum_pairs(x.even, w.even) + sum_pairs(x.odd, w.odd);
}

#if defined(CAMEO_PAIRS_OF_BYTES)
/// Sums of two neighbours' products in 16 bits, which saturate.
CAMEO_INLINE quad_shorts sum_byte_pairs(quad_bytes x, quad_bytes w) {
  using bytes = vec<char>::type;
  const auto a = __builtin_bit_cast(bytes, x), b = __builtin_bit_cast(bytes, w);
#if CAMEO_VECTOR_BYTES == 64 && defined(__clang__)
  return __builtin_ia32_pmaddubsw512(a, b);
#elif CAMEO_VECTOR_BYTES == 64
  return __builtin_ia32_pmaddubsw512_mask(a, b, quad_shorts{}, ~uint32_t{0});
#elif CAMEO_VECTOR_BYTES == 32
  return __builtin_ia32_pmaddubsw256(a, b);
#else
  return __builtin_ia32_pmaddubsw128(a, b);
#endif
}
#endif

#else

struct quad_weights {
  quad_bytes each[quad];
  CAMEO_INLINE explicit quad_weights(const int8_t *w) {
    const quad_bytes all = load_quads(w);
    CAMEO_UNROLL_ALL
    for (int i = 0; i < quad; ++i)
      each[i] = __builtin_bit_cast(
          quad_bytes,
          __builtin_bit_cast(quad_sums, all << static_cast<uint32_t>(24 - 8 * i)) >> 24);
  }
};
struct quad_inputs {
  uint32_t each[quad];
  CAMEO_INLINE explicit quad_inputs(const uint8_t *x) {
    const uint32_t all = load_quad(x);
    CAMEO_UNROLL_ALL
    for (int i = 0; i < quad; ++i)
      each[i] = all >> 8 * i & 0xff;
  }
};

/// Unsigned, since these wrap.
CAMEO_INLINE quad_sums add_products(quad_sums sums, const quad_inputs &x, const quad_weights &w) {
  auto all = __builtin_bit_cast(quad_bytes, sums);
  CAMEO_UNROLL_ALL
  for (int i = 0; i < quad; ++i)
    all += x.each[i] * w.each[i];
  return __builtin_bit_cast(quad_sums, all);
}

#endif

/// A lane of a product of small integers: several numbers next to each other, whose
/// products are added up at once. byte_quad: of unsigned bytes by signed ones. short_pair: of any
/// that 16 bits hold with their sign.
struct byte_quad {
  uint32_t bits;
};
struct short_pair {
  uint32_t bits;
};
template <> struct vec<byte_quad> : vec<uint32_t> {};
template <> struct vec<short_pair> : vec<uint32_t> {};
template <> inline constexpr int numbers_in<byte_quad> = 4;
template <> inline constexpr int numbers_in<short_pair> = 2;

/// The lanes of a product of A and B on this machine; `void`: one number in each.
template <class A, class B> struct product_lane {
  static constexpr bool are_bytes = std::is_same_v<A, uint8_t> && std::is_same_v<B, int8_t>;
  template <class T>
  static constexpr bool is_short = std::is_integral_v<T> &&
                                   (sizeof(T) == 1 || std::is_same_v<T, int16_t>);
#if defined(CAMEO_DOTS_OF_BYTES)
  using type = std::conditional_t<are_bytes, byte_quad, void>;
#elif defined(CAMEO_PAIRS_OF_SHORTS)
  using type = std::conditional_t<is_short<A> && is_short<B>, short_pair, void>;
#else
  using type = void;
#endif
};

/// The number of a sum that a lane is.
template <class T> CAMEO_INLINE T number_of(T lane) { return lane; }
CAMEO_INLINE uint32_t number_of(byte_quad lane) { return lane.bits; }
CAMEO_INLINE uint32_t number_of(short_pair lane) { return lane.bits; }

#if defined(CAMEO_DOTS_OF_BYTES)
CAMEO_INLINE void add_product(quad_bytes &sum, byte_quad a, quad_bytes b) {
  const quad_inputs x(a.bits);
  sum = __builtin_bit_cast(quad_bytes,
                           add_products(__builtin_bit_cast(quad_sums, sum), x, quad_weights(b)));
}
#elif defined(CAMEO_PAIRS_OF_SHORTS)
CAMEO_INLINE void add_product(quad_bytes &sum, short_pair a, quad_bytes b) {
  const auto x = __builtin_bit_cast(quad_shorts, a.bits - quad_bytes{});
  sum += __builtin_bit_cast(quad_bytes, sum_pairs(x, __builtin_bit_cast(quad_shorts, b)));
}
#endif

/// number(i), for each number of a lane, in it.
template <class T, class F> CAMEO_INLINE T make_lane(const F &number) {
  constexpr int bits = 32 / numbers_in<T>;
  T lane{};
  CAMEO_UNROLL_ALL
  for (int i = 0; i < numbers_in<T>; ++i)
    lane.bits |=
        (static_cast<uint32_t>(static_cast<int32_t>(number(i))) & (~uint32_t{0} >> (32 - bits)))
        << (i * bits);
  return lane;
}

/// The lanes number [first, first + count) of `depth` numbers that are `step` apart.
template <class T, class A>
CAMEO_INLINE void pack_lanes(const A *from, int64_t step, int64_t depth, int64_t first,
                             int64_t count, T *to) {
  constexpr int numbers = numbers_in<T>;
  const int64_t whole = depth / numbers - first < count ? depth / numbers - first : count;
  CAMEO_INDEPENDENT
  for (int64_t t = 0; t < whole; ++t)
    to[t] = make_lane<T>([&](int i) { return from[((first + t) * numbers + i) * step]; });
  if (whole < count)
    to[whole] = make_lane<T>([&](int i) {
      const int64_t number = (first + whole) * numbers + i;
      return number < depth ? from[number * step] : A{};
    });
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
