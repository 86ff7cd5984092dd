// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of small floats by instructions of the device, with the results that floats.h
// states. Only for nvcc's device code.
#pragma once

#include "cameo/element_types.h"

#if defined(__CUDACC__)
// Functions of libdevice, which nvcc knows: it computes equal conversions once, and would repeat an
// asm, which it cannot read.
extern "C" __device__ float __nv_half2float(unsigned short bits);
extern "C" __device__ unsigned short __nv_float2half_rn(float f);

namespace cameo::device_floats {

/// Whether this architecture converts T itself: 8-bit kinds of IEEE's bias since sm_89.
template <class T>
inline constexpr bool has = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>
#if __CUDA_ARCH__ >= 890
                            || std::is_same_v<T, float8_e4m3fn> || std::is_same_v<T, float8_e5m2>
#endif
    ;
/// Whether a value too large becomes the largest finite one, always.
template <class T> inline constexpr bool saturates = sizeof(T) == 1;

__device__ __forceinline__ float decode(half x) { return __nv_half2float(x.bits); }
/// The upper byte of a half of the same value.
__device__ __forceinline__ float decode(float8_e5m2 x) {
  return decode(half{static_cast<uint16_t>(x.bits << 8)});
}
#if __CUDA_ARCH__ >= 890
__device__ __forceinline__ float decode(float8_e4m3fn x) {
  uint32_t halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(static_cast<uint16_t>(x.bits)));
  return decode(half{static_cast<uint16_t>(halves)});
}
#endif

template <class T> __device__ __forceinline__ T encode(float f) {
  uint16_t bits = 0;
  if constexpr (std::is_same_v<T, half>)
    bits = __nv_float2half_rn(f);
  else if constexpr (std::is_same_v<T, bfloat16>)
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(f));
#if __CUDA_ARCH__ >= 890
  else {
    // Two at a time, of which the second is the lower byte. Its NaN is 0x7f, of either sign.
    if constexpr (std::is_same_v<T, float8_e4m3fn>)
      asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(0.0f), "f"(f));
    else
      asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(0.0f), "f"(f));
    const uint32_t w = __float_as_uint(f);
    if ((w & 0x7fffffff) > 0x7f800000)
      bits = static_cast<uint16_t>((w >> 24 & 0x80) |
                                   (std::is_same_v<T, float8_e4m3fn> ? 0x7f : 0x7e));
  }
#endif
  return T{static_cast<decltype(T::bits)>(bits)};
}

} // namespace cameo::device_floats
#endif
