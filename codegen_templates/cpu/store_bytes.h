// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores of neighbouring elements. Bytes are read, computed in 32 bits and narrowed some at a time,
// one after the other: g++ has one width of vectors in a loop, which for 16 bytes is a quarter of
// what the machine may have.
#pragma once

#include "cameo/cpu/simd.h"
#include "cameo/index.h"
#include "cameo/sequences.h"
#include "cameo/standard.h"

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Whether a store computes the byte of an element apart from putting it in its place.
template <class STORE, class = void> struct computes_bytes : std::false_type {};
template <class STORE>
struct computes_bytes<STORE, std::void_t<decltype(&STORE::compute)>> : std::true_type {};

/// How many elements a store reads apart from what it computes of them.
template <class STORE, class = void> struct reads_apart : std::integral_constant<int, 0> {};
template <class STORE>
struct reads_apart<STORE, std::void_t<decltype(STORE::reads)>>
    : std::integral_constant<int, STORE::reads> {};

/// Bytes that are computed at a time.
constexpr int byte_run = 16;

/// The low bytes of a run of numbers: by one instruction, where g++ makes several of a loop.
CAMEO_INLINE void take_low_bytes(const int32_t *from, uint8_t *to) {
#if CAMEO_VECTOR_BYTES == 64 && defined(__AVX512F__) && !defined(__clang__)
  typedef char bytes __attribute__((vector_size(byte_run)));
  constexpr auto all = static_cast<unsigned short>(-1);
  const bytes low = __builtin_ia32_pmovdb512_mask(load_vector(from), bytes{}, all);
  __builtin_memcpy(to, &low, sizeof low);
#else
  CAMEO_INDEPENDENT_LANES
  for (int64_t l = 0; l < byte_run; ++l)
    to[l] = static_cast<uint8_t>(from[l]);
#endif
}

template <class STORE, class AT, class NUMBER>
CAMEO_INLINE void read_run(int32_t *to, const STORE &store, const AT &at, NUMBER number) {
  CAMEO_INDEPENDENT
  for (int64_t l = 0; l < byte_run; ++l)
    to[l] = store.read(at(l), number);
}

template <class STORE, class AT, class V, int... N>
CAMEO_INLINE void store_bytes(const STORE &store, const AT &at, const V &value,
                              std::integer_sequence<int, N...>) {
  alignas(64) int32_t read[sizeof...(N) + 1][byte_run]; // no array has no elements
  (read_run(read[N], store, at, nth<N>()), ...);
  int32_t *numbers = read[sizeof...(N)];
  CAMEO_INDEPENDENT_LANES
  for (int64_t l = 0; l < byte_run; ++l)
    numbers[l] = store.compute(at(l), value(l), read[N][l]...);
  alignas(byte_run) uint8_t bytes[byte_run];
  take_low_bytes(numbers, bytes);
  CAMEO_INDEPENDENT
  for (int64_t l = 0; l < byte_run; ++l)
    store.put(at(l), bytes[l]);
}

/// store(at(l), value(l)) for l below byte_run. `store` is a copy, whose members no byte that is
/// stored can be.
template <class STORE, class AT, class V>
CAMEO_INLINE void store_run(const STORE &store, const AT &at, const V &value) {
  if constexpr (computes_bytes<STORE>::value) {
    store_bytes(store, at, value, std::make_integer_sequence<int, reads_apart<STORE>::value>());
  } else {
    CAMEO_INDEPENDENT
    for (int64_t l = 0; l < byte_run; ++l)
      store(at(l), value(l));
  }
}

/// The same for [begin, end).
template <class STORE, class AT, class V>
CAMEO_INLINE void store_range(int64_t begin, int64_t end, const STORE &store, const AT &at,
                              const V &value) {
  if constexpr (computes_bytes<STORE>::value)
    for (; begin + byte_run <= end; begin += byte_run)
      store_run(
          store, [&](int64_t l) { return at(begin + l); },
          [&](int64_t l) { return value(begin + l); });
  CAMEO_INDEPENDENT
  for (int64_t j = begin; j < end; ++j)
    store(at(j), value(j));
}

} // namespace CAMEO_ISA
} // namespace cameo::cpu
