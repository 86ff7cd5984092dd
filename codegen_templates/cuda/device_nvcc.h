// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device half of device.h: the primitives as intrinsics and PTX, for sm_80 and later; what needs
// sm_90 traps elsewhere, so a kernel that uses it is chosen by compute capability on the host.
// device_emu.h states what each one means.
#pragma once

namespace cameo::cuda {

// ---- Who am I ----

CAMEO_DEVICE_ONLY uint3 thread_index() { return threadIdx; }
CAMEO_DEVICE_ONLY uint3 block_index() { return blockIdx; }
CAMEO_DEVICE_ONLY dim3 block_extent() { return blockDim; }
CAMEO_DEVICE_ONLY dim3 grid_extent() { return gridDim; }
CAMEO_DEVICE_ONLY unsigned thread() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
CAMEO_DEVICE_ONLY unsigned lane() { return thread() % warp_threads; }
CAMEO_DEVICE_ONLY unsigned warp() { return thread() / warp_threads; }

// ---- Shared memory ----

template <class T> CAMEO_DEVICE_ONLY T *shared(size_t byte_offset = 0) {
  extern __shared__ __align__(128) unsigned char cameo_shared_memory[];
  return reinterpret_cast<T *>(cameo_shared_memory + byte_offset);
}
CAMEO_DEVICE_ONLY uint32_t shared_address(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// ---- Barriers and fences ----

CAMEO_DEVICE_ONLY void barrier() { __syncthreads(); }
CAMEO_DEVICE_ONLY int barrier_count(bool value) { return __syncthreads_count(value); }
CAMEO_DEVICE_ONLY void named_barrier_wait(unsigned id, unsigned threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
CAMEO_DEVICE_ONLY void named_barrier_arrive(unsigned id, unsigned threads) {
  asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
CAMEO_DEVICE_ONLY void warp_barrier(unsigned mask = full_mask) { __syncwarp(mask); }
CAMEO_DEVICE_ONLY void fence_device() { __threadfence(); }

template <class F> CAMEO_DEVICE_ONLY void spin_until(F ready) {
  while (!ready())
    __nanosleep(20);
}

// ---- Warp-wide values ----

namespace detail {
template <class T, class MOVE> CAMEO_DEVICE_ONLY T by_words(T value, MOVE move) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr int words = (sizeof(T) + 3) / 4;
  uint32_t word[words] = {};
  memcpy(word, &value, sizeof(T));
  CAMEO_UNROLL
  for (int i = 0; i < words; ++i)
    word[i] = move(word[i]);
  memcpy(&value, word, sizeof(T));
  return value;
}
} // namespace detail

template <class T>
CAMEO_DEVICE_ONLY T shuffle(T value, int source_lane, int width = 32, unsigned mask = full_mask) {
  return detail::by_words(value,
                          [=](uint32_t w) { return __shfl_sync(mask, w, source_lane, width); });
}
template <class T>
CAMEO_DEVICE_ONLY T shuffle_xor(T value, int lanes, int width = 32, unsigned mask = full_mask) {
  return detail::by_words(value,
                          [=](uint32_t w) { return __shfl_xor_sync(mask, w, lanes, width); });
}
template <class T>
CAMEO_DEVICE_ONLY T shuffle_up(T value, unsigned lanes, int width = 32, unsigned mask = full_mask) {
  return detail::by_words(value, [=](uint32_t w) { return __shfl_up_sync(mask, w, lanes, width); });
}
template <class T>
CAMEO_DEVICE_ONLY T shuffle_down(T value, unsigned lanes, int width = 32,
                                 unsigned mask = full_mask) {
  return detail::by_words(value,
                          [=](uint32_t w) { return __shfl_down_sync(mask, w, lanes, width); });
}
CAMEO_DEVICE_ONLY unsigned warp_ballot(bool value, unsigned mask = full_mask) {
  return __ballot_sync(mask, value);
}

// ---- Atomics: relaxed, device scope; the old value is returned ----

namespace detail {
// CUDA's overloads are on int, unsigned and unsigned long long; ours on widths.
template <class T> struct atomic_word { using type = T; };
template <> struct atomic_word<long> { using type = long long; };
template <> struct atomic_word<unsigned long> { using type = unsigned long long; };
template <class T> CAMEO_DEVICE_ONLY auto atomic_cast(T *p) {
  return reinterpret_cast<typename atomic_word<T>::type *>(p);
}
} // namespace detail

template <class T> CAMEO_DEVICE_ONLY T atomic_add(T *p, T value) {
  if constexpr (std::is_integral_v<T> &&
                sizeof(T) == 8) // two's complement: signed and unsigned add alike
    return static_cast<T>(atomicAdd(reinterpret_cast<unsigned long long *>(p),
                                    static_cast<unsigned long long>(value)));
  else
    return atomicAdd(p, value);
}
template <class T> CAMEO_DEVICE_ONLY T atomic_min(T *p, T value) {
  static_assert(std::is_integral_v<T>);
  return static_cast<T>(atomicMin(detail::atomic_cast(p), value));
}
template <class T> CAMEO_DEVICE_ONLY T atomic_max(T *p, T value) {
  static_assert(std::is_integral_v<T>);
  return static_cast<T>(atomicMax(detail::atomic_cast(p), value));
}
template <class T> CAMEO_DEVICE_ONLY T atomic_or(T *p, T value) {
  static_assert(std::is_integral_v<T>);
  return static_cast<T>(atomicOr(detail::atomic_cast(p), value));
}
template <class T> CAMEO_DEVICE_ONLY T atomic_exchange(T *p, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  using word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  word bits;
  memcpy(&bits, &value, sizeof(T));
  bits = atomicExch(reinterpret_cast<word *>(p), bits);
  memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T> CAMEO_DEVICE_ONLY T atomic_compare_exchange(T *p, T expected, T desired) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
  using word = std::conditional_t<sizeof(T) == 2, unsigned short,
                                  std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>;
  word from, to;
  memcpy(&from, &expected, sizeof(T));
  memcpy(&to, &desired, sizeof(T));
  from = atomicCAS(reinterpret_cast<word *>(p), from, to);
  memcpy(&expected, &from, sizeof(T));
  return expected;
}

// ---- Publishing between blocks ----

template <class T> CAMEO_DEVICE_ONLY T load_acquire(const T *p) {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
  if constexpr (sizeof(T) == 4) {
    uint32_t value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(value)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
    return static_cast<T>(value);
  } else {
    unsigned long long value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
                 : "=l"(value)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
    return static_cast<T>(value);
  }
}
template <class T> CAMEO_DEVICE_ONLY void store_release(T *p, T value) {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
  if constexpr (sizeof(T) == 4)
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
                 "r"(static_cast<uint32_t>(value))
                 : "memory");
  else
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
                 "l"(static_cast<unsigned long long>(value))
                 : "memory");
}

// ---- Numbers ----

/// The greater one; NaN if either is, and of zeros of both signs the positive one.
CAMEO_DEVICE_ONLY float greater_of(float a, float b) {
  float greater;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(greater) : "f"(a), "f"(b));
  return greater;
}

/// 2^x to 2^-22 of it; 0 where that is below the least normal number.
CAMEO_DEVICE_ONLY float fast_exp2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

// ---- Wide loads and stores ----

template <int N, class T> CAMEO_DEVICE_ONLY pack<T, N> load_pack(const T *p) {
  return *reinterpret_cast<const pack<T, N> *>(p);
}
template <int N, class T> CAMEO_DEVICE_ONLY void store_pack(T *p, const pack<T, N> &value) {
  *reinterpret_cast<pack<T, N> *>(p) = value;
}

/// One access of global memory, which the compiler must not take apart.
template <int WORDS> CAMEO_DEVICE_ONLY pack<uint32_t, WORDS> load_global(const uint32_t *p) {
  static_assert(WORDS == 2 || WORDS == 4);
  pack<uint32_t, WORDS> value;
  if constexpr (WORDS == 4)
    asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(value.item[0]), "=r"(value.item[1]), "=r"(value.item[2]),
                   "=r"(value.item[3])
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  else
    asm volatile("ld.global.v2.u32 {%0,%1}, [%2];"
                 : "=r"(value.item[0]), "=r"(value.item[1])
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  return value;
}
/// The same of memory that no kernel writes: it may come ahead of stores.
template <int WORDS> CAMEO_DEVICE_ONLY pack<uint32_t, WORDS> load_constant(const uint32_t *p) {
  static_assert(WORDS == 2 || WORDS == 4);
  pack<uint32_t, WORDS> value;
  if constexpr (WORDS == 4)
    asm("ld.global.nc.v4.u32 {%0,%1,%2,%3}, [%4];"
        : "=r"(value.item[0]), "=r"(value.item[1]), "=r"(value.item[2]), "=r"(value.item[3])
        : "l"(__cvta_generic_to_global(p)));
  else
    asm("ld.global.nc.v2.u32 {%0,%1}, [%2];"
        : "=r"(value.item[0]), "=r"(value.item[1])
        : "l"(__cvta_generic_to_global(p)));
  return value;
}
template <int WORDS>
CAMEO_DEVICE_ONLY void store_global(uint32_t *p, const pack<uint32_t, WORDS> &value) {
  static_assert(WORDS == 2 || WORDS == 4);
  if constexpr (WORDS == 4)
    asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(__cvta_generic_to_global(p)),
                 "r"(value.item[0]), "r"(value.item[1]), "r"(value.item[2]), "r"(value.item[3])
                 : "memory");
  else
    asm volatile("st.global.v2.u32 [%0], {%1,%2};" ::"l"(__cvta_generic_to_global(p)),
                 "r"(value.item[0]), "r"(value.item[1])
                 : "memory");
}

/// An asm without an instruction, which hides what the address was computed from.
template <class T> CAMEO_DEVICE_ONLY T *hold_global(T *p) {
  size_t address = __cvta_generic_to_global(p);
  asm volatile("" : "+l"(address));
  return static_cast<T *>(__cvta_global_to_generic(address));
}
/// The same of a number.
CAMEO_DEVICE_ONLY int hold(int number) {
  asm volatile("" : "+r"(number));
  return number;
}

// ---- Parts of a register ----

CAMEO_DEVICE_ONLY uint32_t and_or(uint32_t a, uint32_t mask, uint32_t b) {
  uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(d) : "r"(a), "r"(mask), "r"(b));
  return d;
}
CAMEO_DEVICE_ONLY uint32_t permute_bytes(uint32_t low, uint32_t high, unsigned selector) {
  return __byte_perm(low, high, selector);
}
CAMEO_DEVICE_ONLY uint32_t multiply_add_f16x2(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
CAMEO_DEVICE_ONLY uint32_t multiply_f16x2(uint32_t a, uint32_t b) {
  uint32_t d;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

// ---- Copies from global to shared memory that do not wait ----

/// Kernels that copy so are those of the tensor core. Whether the device of this pass has both;
/// `number` delays the answer to where a kernel asks.
CAMEO_DEVICE_ONLY constexpr bool is_new_enough(int number) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return number < 0;
#else
  return number >= 0;
#endif
}
#define CAMEO_CHECK_DEVICE(number)                                                                 \
  static_assert(is_new_enough(number), "this kernel needs sm_80 or later: compile the model with " \
                                       "--precision exact for older devices")

template <int BYTES>
CAMEO_DEVICE_ONLY void copy_async(void *shared_target, const void *source, bool valid = true) {
  CAMEO_CHECK_DEVICE(BYTES);
  static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16);
  const int bytes = valid ? BYTES : 0;
  if constexpr (BYTES == 16)
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared_target)),
        "l"(__cvta_generic_to_global(source)), "r"(bytes)
        : "memory");
  else
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(shared_address(shared_target)),
        "l"(__cvta_generic_to_global(source)), "r"(bytes), "n"(BYTES)
        : "memory");
}
CAMEO_DEVICE_ONLY void copy_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int GROUPS> CAMEO_DEVICE_ONLY void copy_async_wait() {
  CAMEO_CHECK_DEVICE(GROUPS);
  asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
}

// ---- Matrix fragments ----

template <bool TRANSPOSED>
CAMEO_DEVICE_ONLY void load_matrix_x4(uint32_t (&r)[4], const void *shared_row) {
  const uint32_t address = shared_address(shared_row);
  if constexpr (TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}
template <bool TRANSPOSED>
CAMEO_DEVICE_ONLY void load_matrix_x2(uint32_t (&r)[2], const void *shared_row) {
  const uint32_t address = shared_address(shared_row);
  if constexpr (TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(address)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(address)
                 : "memory");
}

#define CAMEO_MMA_16X8(name, shape_and_types)                                                      \
  CAMEO_DEVICE_ONLY void name(float(&d)[4], const uint32_t(&a)[4], const uint32_t(&b)[2]) {        \
    asm volatile("mma.sync.aligned." shape_and_types                                               \
                 " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                          \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));              \
  }
CAMEO_MMA_16X8(mma_f16, "m16n8k16.row.col.f32.f16.f16.f32")
CAMEO_MMA_16X8(mma_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
CAMEO_MMA_16X8(mma_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32")
#undef CAMEO_MMA_16X8

CAMEO_DEVICE_ONLY uint32_t round_to_tf32(float value) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}
CAMEO_DEVICE_ONLY uint32_t round_to_f16x2(float low, float high) {
  uint32_t bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
CAMEO_DEVICE_ONLY uint32_t round_to_bf16x2(float low, float high) {
  uint32_t bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}

// ---- Asynchronous barriers in shared memory and bulk copies that complete on them ----

CAMEO_DEVICE_ONLY void mbarrier_init(uint64_t *barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}
/// Makes inits visible to bulk copies; then a barrier() for the other threads.
CAMEO_DEVICE_ONLY void mbarrier_fence_init() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
  __threadfence_block();
#endif
}
CAMEO_DEVICE_ONLY void mbarrier_arrive(uint64_t *barrier) {
  asm volatile("{.reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0];}" ::"r"(
                   shared_address(barrier))
               : "memory");
}
/// Arrives, and makes the phase wait for that many bytes of bulk copies. sm_90.
CAMEO_DEVICE_ONLY void mbarrier_arrive_expect(uint64_t *barrier, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
#else
  (void)barrier, (void)bytes;
  __trap();
#endif
}
/// Waits for the end of the phase with this parity: the first phase has parity 0.
CAMEO_DEVICE_ONLY void mbarrier_wait(uint64_t *barrier, unsigned parity) {
  const uint32_t address = shared_address(barrier);
  uint32_t done = 0;
  while (done == 0) {
#if __CUDA_ARCH__ >= 900
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 "
                 "%0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(address), "r"(parity)
                 : "memory");
#else
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 "
                 "%0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(address), "r"(parity)
                 : "memory");
#endif
  }
}
/// Copies a multiple of 16 bytes between 16-byte aligned addresses; one thread issues it. sm_90.
CAMEO_DEVICE_ONLY void copy_bulk(void *shared_target, const void *source, unsigned bytes,
                                 uint64_t *barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(shared_target)),
      "l"(__cvta_generic_to_global(source)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
#else
  (void)shared_target, (void)source, (void)bytes, (void)barrier;
  __trap();
#endif
}

} // namespace cameo::cuda
