// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the instruction set of this build offers: one vector type of the native width per element
// type, and register-tile sizes. All CPU templates are in the inline namespace CAMEO_ISA
// (config.h), so that objects built for different ISAs link together without merging. A wider
// vector than native collapses to a few percent of peak, so nothing assumes a width. No intrinsics:
// <immintrin.h> costs 0.4 s a file and leaks weak symbols.
#pragma once

#include "cameo/config.h"
#include "cameo/sequences.h"

#ifndef CAMEO_VECTOR_BYTES
#if !defined(__GNUC__)
#define CAMEO_VECTOR_BYTES 0
#elif defined(__AVX512F__)
#define CAMEO_VECTOR_BYTES 64
#elif defined(__AVX__)
#define CAMEO_VECTOR_BYTES 32
#elif defined(__SSE2__) || defined(__ARM_NEON) || defined(__ALTIVEC__)
#define CAMEO_VECTOR_BYTES 16
#else
#define CAMEO_VECTOR_BYTES 0
#endif
#endif

/// CAMEO_NOINLINE: register tiles stand alone, or the allocator spills them; and a program has one
/// copy, not one a file.
/// CAMEO_CONTRACT on a function and CAMEO_CONTRACT_BODY; first in its body let a * b + c become one
/// FMA there and nowhere else, whatever -ffp-contract says for the file. g++ takes the attribute,
/// clang the pragma.
/// CAMEO_HOLD(v): vector v, a variable, lies in a register here: g++ for x86 makes a load that is
/// used often an operand in memory of every use, and for aarch64 moves all loads to the front, more
/// than there are registers. CAMEO_PREFETCH(p): what p points to will be read soon;
/// p may be anything. CAMEO_INDEPENDENT: the iterations of the loop that follows do not depend on
/// each other. A body that cannot be vectorised all the same is no reason to warn.
/// CAMEO_INDEPENDENT_LANES: nor those of a loop over the lanes of a vector or a few, which stays a
/// loop until it is vectorised: g++ takes a short one apart first, and makes vectors of the loop
/// around it, of five times the text.
#if defined(__clang__)
#define CAMEO_NOINLINE __attribute__((noinline))
#define CAMEO_CONTRACT __attribute__((noinline))
#define CAMEO_CONTRACT_BODY _Pragma("clang fp contract(fast)") static_assert(true, "")
#define CAMEO_INDEPENDENT                                                                          \
  _Pragma("clang diagnostic ignored \"-Wpass-failed\"")                                            \
      _Pragma("clang loop vectorize(assume_safety)")
#define CAMEO_INDEPENDENT_LANES CAMEO_INDEPENDENT
#define CAMEO_UNROLL_ALL _Pragma("clang loop unroll(full)")
#define CAMEO_PREFETCH(p) __builtin_prefetch(p)
#elif defined(__GNUC__)
#define CAMEO_NOINLINE __attribute__((noinline, noclone))
#define CAMEO_CONTRACT __attribute__((noinline, noclone, optimize("fp-contract=fast")))
#define CAMEO_CONTRACT_BODY static_assert(true, "")
#define CAMEO_INDEPENDENT _Pragma("GCC ivdep")
#define CAMEO_INDEPENDENT_LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#define CAMEO_UNROLL_ALL _Pragma("GCC unroll 64")
#define CAMEO_PREFETCH(p) __builtin_prefetch(p)
#else
#define CAMEO_NOINLINE
#define CAMEO_CONTRACT
#define CAMEO_CONTRACT_BODY static_assert(true, "")
#define CAMEO_INDEPENDENT
#define CAMEO_INDEPENDENT_LANES
#define CAMEO_UNROLL_ALL
#define CAMEO_PREFETCH(p) static_cast<void>(p)
#endif
/// CAMEO_INLINE_BODY, behind a lambda's parameters: it is called for an element, and g++ makes a
/// function of it where a file has many, of which no loop becomes vectors.
#if defined(__GNUC__)
#define CAMEO_INLINE_BODY __attribute__((always_inline))
#else
#define CAMEO_INLINE_BODY
#endif
#if defined(__GNUC__) && !defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#define CAMEO_HOLD(v) __asm__("" : "+v"(v))
#elif defined(__GNUC__) && !defined(__clang__) && defined(__aarch64__)
#define CAMEO_HOLD(v) __asm__("" : "+w"(v) : : "memory")
#else
#define CAMEO_HOLD(v) static_cast<void>(v)
#endif

/// CAMEO_SHUFFLES: vectors are rearranged by __builtin_shufflevector (clang, g++ from 12).
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define CAMEO_SHUFFLES
#endif
#endif

namespace cameo::cpu {
inline namespace CAMEO_ISA {

/// Programs without a heap have little stack: no function of a kernel takes more than 1 KB there,
/// no chain of them more than 2 (tests/templates/stack.py). A smaller stack means less work at a
/// time, never another order of additions.
constexpr bool has_small_stack = CAMEO_SMALL_STACK != 0;

/// A native vector of T (a plain T where there are no vectors): `type`, `lanes`, and `loose`, the
/// same type for memory that is only aligned to its elements.
template <class T> struct vec {
#if CAMEO_VECTOR_BYTES > 0
  static constexpr int lanes = CAMEO_VECTOR_BYTES / static_cast<int>(sizeof(T));
  typedef T type __attribute__((vector_size(CAMEO_VECTOR_BYTES)));
  typedef T loose __attribute__((vector_size(CAMEO_VECTOR_BYTES), aligned(alignof(T)), may_alias));
#else
  static constexpr int lanes = 1;
  typedef T type;
  typedef T loose;
#endif
};

template <class T> CAMEO_INLINE typename vec<T>::type load_vector(const T *p) {
  return *reinterpret_cast<const typename vec<T>::loose *>(p);
}
template <class T> CAMEO_INLINE void store_vector(T *p, typename vec<T>::type v) {
  *reinterpret_cast<typename vec<T>::loose *>(p) = v;
}

#if defined(CAMEO_SHUFFLES)
/// Swaps the two blocks off the diagonal, in each square of 2 x 2 blocks of HALF elements that two
/// vectors make.
template <int HALF, class V, int... I>
CAMEO_INLINE void swap_blocks(V &a, V &b, std::integer_sequence<int, I...>) {
  constexpr int lanes = sizeof...(I);
  const V first = __builtin_shufflevector(a, b, (I & HALF ? lanes + I - HALF : I)...);
  b = __builtin_shufflevector(a, b, (I & HALF ? lanes + I : I + HALF)...);
  a = first;
}

/// Element j of vector i becomes element i of vector j.
template <int HALF, class V, size_t SIDE>
CAMEO_INLINE void transpose_square([[maybe_unused]] V (&v)[SIDE]) {
  constexpr int side = static_cast<int>(SIDE);
  if constexpr (HALF > 0) {
    CAMEO_UNROLL_ALL
    for (int i = 0; i < side; ++i)
      if ((i & HALF) == 0)
        swap_blocks<HALF>(v[i], v[i + HALF], std::make_integer_sequence<int, side>());
    transpose_square<HALF / 2>(v);
  }
}
template <class T> CAMEO_INLINE void transpose_vectors(typename vec<T>::type (&v)[vec<T>::lanes]) {
  transpose_square<vec<T>::lanes / 2>(v);
}
#endif

/// Size of the register tile of accumulators: rows x (vectors * lanes) columns. Half of the
/// registers and more hold accumulators, the rest one row of b and a broadcast of a. That no tile
/// takes more registers than there are is seen in the assembly (tests/templates/register_tiles.py).
struct tile_shape {
#if CAMEO_VECTOR_BYTES == 64
  static constexpr int rows = 14, vectors = 2;
#elif defined(__aarch64__)
  static constexpr int rows = 8, vectors = 2;
#elif CAMEO_VECTOR_BYTES > 0
  static constexpr int rows = 6, vectors = 2;
#else
  static constexpr int rows = 4, vectors = 4;
#endif
};

} // namespace CAMEO_ISA
} // namespace cameo::cpu
