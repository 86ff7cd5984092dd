// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels are written in. Kernel text uses these primitives and nothing of CUDA's own: no
// __shared__, inline asm, spin loops, <<<>>> or cooperative_groups. The same text then compiles
// with nvcc (device_nvcc.h: intrinsics and PTX) and with any C++17 compiler (device_emu.h: the
// meaning of each primitive, on the emulator's fibers, with its misuse reported). This file holds
// the macros and what can be said in terms of the primitives.
//
// Shared memory is one dynamic block per launch; a kernel lays it out itself with shared<T>(byte
// offset). `full_mask` operations are warp wide: all 32 lanes call them from the same place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "cameo/config.h"
#include "cameo/cuda/error_slot.h"

// CAMEO_DEVICE (config.h) marks functors and scalar functions. CAMEO_DEVICE_ONLY: helpers of
// kernels, which may call the primitives. CAMEO_KERNEL: before `void` of a kernel;
// CAMEO_KERNEL_BOUNDS also promises its largest block and how many blocks share a multiprocessor.
// CAMEO_UNROLL and CAMEO_LOOP, before a loop: all of its passes in a row, or one in a loop.
#if defined(__CUDACC__)
#define CAMEO_DEVICE_ONLY __device__ __forceinline__
#define CAMEO_KERNEL __global__
#define CAMEO_KERNEL_BOUNDS(threads, blocks) __global__ __launch_bounds__(threads, blocks)
#define CAMEO_UNROLL _Pragma("unroll")
#define CAMEO_LOOP _Pragma("unroll 1")
#else
#define CAMEO_DEVICE_ONLY inline
#define CAMEO_KERNEL
#define CAMEO_KERNEL_BOUNDS(threads, blocks)
#define CAMEO_UNROLL
#define CAMEO_LOOP
#endif

namespace cameo::cuda {

inline constexpr int warp_threads = 32;
inline constexpr unsigned full_mask = 0xffffffffu;

/// N elements that move as one access.
template <class T, int N> struct alignas(sizeof(T) * N) pack {
  static_assert(sizeof(T) * N == 4 || sizeof(T) * N == 8 || sizeof(T) * N == 16);
  T item[array_size(N)];
};

} // namespace cameo::cuda

#if defined(__CUDACC__)
#include "device_nvcc.h"
#else
#include "device_emu.h"
#endif

namespace cameo::cuda {

/// Threads of the block, counted x fastest; a warp is 32 consecutive ones.
CAMEO_DEVICE_ONLY unsigned block_threads() {
  return block_extent().x * block_extent().y * block_extent().z;
}

/// For one-dimensional launches: this thread among all threads of the grid, and how many there are.
CAMEO_DEVICE_ONLY int64_t grid_thread() {
  return static_cast<int64_t>(block_index().x) * block_extent().x + thread_index().x;
}
CAMEO_DEVICE_ONLY int64_t grid_threads() {
  return static_cast<int64_t>(grid_extent().x) * block_extent().x;
}

/// Combines the values of all 32 lanes in a fixed order (butterfly); every lane gets the result.
template <class T, class COMBINE> CAMEO_DEVICE_ONLY T warp_reduce(T value, COMBINE combine) {
  CAMEO_UNROLL
  for (int distance = warp_threads / 2; distance > 0; distance /= 2)
    value = combine(value, shuffle_xor(value, distance));
  return value;
}

/// Combines the values of all threads of a block whose size is a multiple of 32, in a fixed order;
/// every thread gets the result. `scratch` is shared memory for 32 values; it may be reused after
/// the next barrier.
template <class T, class COMBINE>
CAMEO_DEVICE_ONLY T block_reduce(T value, T identity, COMBINE combine, T *scratch) {
  const unsigned warps = block_threads() / warp_threads;
  value = warp_reduce(value, combine);
  if (warps == 1)
    return value;
  if (lane() == 0)
    scratch[warp()] = value;
  barrier();
  value = warp_reduce(lane() < warps ? scratch[lane()] : identity, combine);
  return value;
}

/// Notes an error (error_slot.h says which one stays) unless it is masked, and goes on. Usable in
/// functors.
template <class CODE>
CAMEO_DEVICE void raise(error_flag flag, CODE code, int64_t got, int64_t limit) {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
  if (flag.mask != nullptr && !*flag.mask)
    return;
  error_slot *slot = flag.slot;
  const int32_t c = static_cast<int32_t>(code);
  for (bool noted = false; !noted;) {
    if (atomic_compare_exchange(&slot->lock, 0u, 1u) != 0)
      continue;
    load_acquire(&slot->lock);
    bool replace = slot->code == 0 || flag.kernel < slot->kernel;
    if (!replace && flag.kernel == slot->kernel) {
      if (c != slot->code)
        replace = c < slot->code;
      else if (got != slot->got)
        replace = got < slot->got;
      else
        replace = limit < slot->limit;
    }
    if (replace) {
      slot->code = c;
      slot->kernel = flag.kernel;
      slot->node = flag.node;
      slot->got = got;
      slot->limit = limit;
    }
    store_release(&slot->lock, 0u);
    noted = true;
  }
#else
  (void)flag, (void)code, (void)got, (void)limit;
#endif
}

/// Waits until all blocks of a launch_cooperative grid have come here. `arrivals` is device memory,
/// zeroed before the launch, one word per grid and launch.
CAMEO_DEVICE_ONLY void grid_barrier(uint32_t *arrivals) {
  const uint32_t blocks = grid_extent().x * grid_extent().y * grid_extent().z;
  barrier();
  if (thread() == 0) {
    fence_device();
    const uint32_t ticket = atomic_add(arrivals, 1u);
    const uint32_t complete = (ticket / blocks + 1) * blocks;
    spin_until([=] { return load_acquire(arrivals) >= complete; });
    fence_device();
  }
  barrier();
}

} // namespace cameo::cuda
