// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiler and build switches of the runtime, in one place. Assumes C++17 and 8-bit bytes;
// everything shipped includes it. CAMEO_DEVICE marks what runs in kernels: forced inline on the
// host (no weak symbol, so objects of two ISAs can be linked together), __host__ __device__ under
// nvcc. CAMEO_THREADS=0 and CAMEO_HEAP_NONE=1 remove threads and heap at compile time. Every switch
// must have one value in all files of a program.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) ||           \
    defined(__USE_FAST_MATH__)
#error "cameo: -ffast-math and its parts break NaN, infinities and rounding; compile without them"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "cameo: floats are computed in more bits than they have; on x86 compile with -mfpmath=sse"
#endif

#ifdef __BYTE_ORDER__
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "weights are stored little endian");
#endif

// Loops are to be as wide as what is written in vectors (cpu/simd.h): for some machines g++'s
// -march=native prefers half of what they have. First of all, since functions are built as it says
// where they begin. Clang has a flag only, which the generated CMakeLists.txt gives.
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#pragma GCC target("prefer-vector-width=512")
#endif

/// 0 compiles threads away.
#ifndef CAMEO_THREADS
#if defined(__unix__) || defined(__APPLE__)
#define CAMEO_THREADS 1
#else
#define CAMEO_THREADS 0
#endif
#endif

/// 1: no malloc, no files; memory comes from the caller's arena or allocator, weights from the
/// image.
#ifndef CAMEO_HEAP_NONE
#define CAMEO_HEAP_NONE 0
#endif

/// 1: kernels of the CPU target keep little on the stack, and do less at a time for it.
#ifndef CAMEO_SMALL_STACK
#define CAMEO_SMALL_STACK CAMEO_HEAP_NONE
#endif

/// 1: kernels call cameo_profile_... (profile.h), which whoever profiles defines.
#ifndef CAMEO_PROFILE
#define CAMEO_PROFILE 0
#endif

/// 0 drops the checks of a call's tensors (never those of values read by kernels).
#ifndef CAMEO_CHECKS
#define CAMEO_CHECKS 1
#endif

/// The instruction set of this build: the inline namespace of kernels and their templates.
#ifndef CAMEO_ISA
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#ifdef __AVX512VNNI__
#define CAMEO_ISA x86_64_v4_avx512vnni
#else
#define CAMEO_ISA x86_64_v4
#endif
#elif defined(__AVX2__) && defined(__FMA__)
#define CAMEO_ISA x86_64_v3
#else
#define CAMEO_ISA baseline
#endif
#endif

/// 1 in the files of a model that is there in copies for several instruction sets (cpu/copies.h),
/// CAMEO_COPY too in those of every copy but the baseline's, which has the model's interface.
#ifndef CAMEO_COPIES
#define CAMEO_COPIES 0
#endif
#ifndef CAMEO_COPY
#define CAMEO_COPY 0
#endif

#if defined(__CUDACC__)
#define CAMEO_DEVICE __host__ __device__ __forceinline__
#define CAMEO_INLINE __forceinline__
#elif defined(__GNUC__)
#define CAMEO_DEVICE inline __attribute__((always_inline))
#define CAMEO_INLINE inline __attribute__((always_inline))
#else
#define CAMEO_DEVICE inline
#define CAMEO_INLINE inline
#endif

namespace cameo {

/// The length of an array, as the type that it has: g++ warns of any other where a parameter of a
/// template decides it.
CAMEO_DEVICE constexpr size_t array_size(int64_t count) { return static_cast<size_t>(count); }

} // namespace cameo
