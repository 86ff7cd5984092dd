// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host half of device.h: what each primitive means, for kernels that run on the emulator. Late
// where the hardware may be late (asynchronous copies land at the wait, not before, and their
// target holds poison until then), and strict where the hardware is undefined: misaligned wide
// accesses, lanes missing from a warp-wide operation, lanes that reach different calls, exited
// lanes, barriers that cannot complete. Each such mistake is reported with the line of the call.
#pragma once

#include "cameo/cuda/emulator.h"
#include "cameo/floats.h"

namespace cameo::cuda {

// ---- Who am I ----

inline uint3 thread_index() { return emu::self->index; }
inline uint3 block_index() { return emu::self->block->index; }
inline dim3 block_extent() { return emu::block_size; }
inline dim3 grid_extent() { return emu::grid_size; }
inline unsigned thread() { return emu::self->linear; }
inline unsigned lane() { return emu::self->lane; }
inline unsigned warp() { return emu::self->linear / warp_threads; }

// ---- Shared memory ----

template <class T> inline T *shared(size_t byte_offset = 0, emu::site at = emu::here()) {
  T *pointer = reinterpret_cast<T *>(emu::self->block->shared + byte_offset);
  emu::check_aligned(pointer, alignof(T), "shared array", at);
  return pointer;
}
/// Addresses start at 128, so that 0 is never one and only 128-byte alignment can be relied on.
inline uint32_t shared_address(const void *pointer) {
  return static_cast<uint32_t>(static_cast<const unsigned char *>(pointer) -
                               emu::self->block->shared) +
         128;
}

// ---- Barriers and fences ----

inline void barrier(emu::site at = emu::here()) { emu::block_barrier(at); }
inline int barrier_count(bool value, emu::site at = emu::here()) {
  return emu::block_barrier_count(value, at);
}
inline void named_barrier_wait(unsigned id, unsigned threads, emu::site at = emu::here()) {
  emu::named_barrier_wait(id, threads, at);
}
inline void named_barrier_arrive(unsigned id, unsigned threads, emu::site at = emu::here()) {
  emu::named_barrier_arrive(id, threads, at);
}
inline void warp_barrier(unsigned mask = full_mask, emu::site at = emu::here()) {
  emu::warp_collective(
      mask, nullptr, [](void *const *, unsigned) {}, false, at);
}
inline void fence_device() {}

template <class F> inline void spin_until(F ready, emu::site at = emu::here()) {
  while (!ready())
    emu::spin(at);
}

// ---- Warp-wide values ----

namespace detail {
template <class T> struct shuffled {
  T value, result;
  unsigned source;
};
/// Reading a lane that does not take part is undefined; it yields bits that are no sensible value.
template <class T> inline T shuffle_from(T value, unsigned source, unsigned mask, emu::site at) {
  static_assert(std::is_trivially_copyable_v<T>);
  shuffled<T> mine = {value, value, source};
  emu::warp_collective(
      mask, &mine,
      [](void *const *lanes, unsigned present) {
        for (unsigned i = 0; i < 32; ++i) {
          if ((present >> i & 1) == 0)
            continue;
          auto *to = static_cast<shuffled<T> *>(lanes[i]);
          if ((present >> to->source & 1) != 0)
            to->result = static_cast<shuffled<T> *>(lanes[to->source])->value;
          else
            memset(static_cast<void *>(&to->result), 0xff, sizeof(T));
        }
      },
      false, at);
  return mine.result;
}
} // namespace detail

template <class T>
inline T shuffle(T value, int source_lane, int width = 32, unsigned mask = full_mask,
                 emu::site at = emu::here()) {
  const unsigned w = static_cast<unsigned>(width), source = static_cast<unsigned>(source_lane);
  return detail::shuffle_from(value, (lane() & ~(w - 1)) | (source & (w - 1)), mask, at);
}
template <class T>
inline T shuffle_xor(T value, int lanes, int width = 32, unsigned mask = full_mask,
                     emu::site at = emu::here()) {
  const unsigned w = static_cast<unsigned>(width);
  const unsigned source = lane() ^ static_cast<unsigned>(lanes);
  const bool inside = (source & ~(w - 1)) <= (lane() & ~(w - 1));
  return detail::shuffle_from(value, inside ? source : lane(), mask, at);
}
template <class T>
inline T shuffle_up(T value, unsigned lanes, int width = 32, unsigned mask = full_mask,
                    emu::site at = emu::here()) {
  const unsigned position = lane() & (static_cast<unsigned>(width) - 1);
  return detail::shuffle_from(value, position >= lanes ? lane() - lanes : lane(), mask, at);
}
template <class T>
inline T shuffle_down(T value, unsigned lanes, int width = 32, unsigned mask = full_mask,
                      emu::site at = emu::here()) {
  const unsigned w = static_cast<unsigned>(width), position = lane() & (w - 1);
  return detail::shuffle_from(value, position + lanes < w ? lane() + lanes : lane(), mask, at);
}
inline unsigned warp_ballot(bool value, unsigned mask = full_mask, emu::site at = emu::here()) {
  struct vote {
    bool value;
    unsigned result;
  } mine = {value, 0};
  emu::warp_collective(
      mask, &mine,
      [](void *const *lanes, unsigned present) {
        unsigned result = 0;
        for (unsigned i = 0; i < 32; ++i)
          if ((present >> i & 1) != 0 && static_cast<vote *>(lanes[i])->value)
            result |= 1u << i;
        for (unsigned i = 0; i < 32; ++i)
          if ((present >> i & 1) != 0)
            static_cast<vote *>(lanes[i])->result = result;
      },
      false, at);
  return mine.result;
}

// ---- Atomics: real ones, so that a race detector sees them as such ----

template <class T>
inline T atomic_compare_exchange(T *p, T expected, T desired, emu::site at = emu::here()) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
  emu::check_aligned(p, sizeof(T), "atomic", at);
  __atomic_compare_exchange(p, &expected, &desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
namespace detail {
template <class T, class UPDATE> inline T atomic_update(T *p, UPDATE update, emu::site at) {
  emu::check_aligned(p, sizeof(T), "atomic", at);
  T old, next;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  do
    next = update(old);
  while (!__atomic_compare_exchange(p, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
} // namespace detail
template <class T> inline T atomic_add(T *p, T value, emu::site at = emu::here()) {
  if constexpr (std::is_integral_v<T>) {
    using word = std::make_unsigned_t<T>; // wraps
    return detail::atomic_update(
        p, [=](T old) { return static_cast<T>(static_cast<word>(old) + static_cast<word>(value)); },
        at);
  } else {
    return detail::atomic_update(
        p, [=](T old) { return old + value; }, at);
  }
}
template <class T> inline T atomic_min(T *p, T value, emu::site at = emu::here()) {
  static_assert(std::is_integral_v<T>);
  return detail::atomic_update(
      p, [=](T old) { return value < old ? value : old; }, at);
}
template <class T> inline T atomic_max(T *p, T value, emu::site at = emu::here()) {
  static_assert(std::is_integral_v<T>);
  return detail::atomic_update(
      p, [=](T old) { return old < value ? value : old; }, at);
}
template <class T> inline T atomic_or(T *p, T value, emu::site at = emu::here()) {
  static_assert(std::is_integral_v<T>);
  return detail::atomic_update(
      p, [=](T old) { return static_cast<T>(old | value); }, at);
}
template <class T> inline T atomic_exchange(T *p, T value, emu::site at = emu::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return detail::atomic_update(
      p, [=](T) { return value; }, at);
}

// ---- Publishing between blocks ----

template <class T> inline T load_acquire(const T *p) {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
template <class T> inline void store_release(T *p, T value) {
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
  __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

// ---- Numbers ----

/// The greater one; NaN if either is, and of zeros of both signs the positive one.
inline float greater_of(float a, float b) {
  if (a != a || b != b)
    return __builtin_nanf("");
  return a > b || (a == b && !__builtin_signbit(a)) ? a : b;
}

/// 2^x to 2^-22 of it; 0 where that is below the least normal number.
inline float fast_exp2(float x) {
  const float power = __builtin_exp2f(x);
  return power < 0x1p-126f ? 0.0f : power;
}

// ---- Wide loads and stores ----

/// Bytes that move as one: a compiler takes structs apart, and vectors unless they are volatile.
template <size_t BYTES> struct whole_bytes {
  static_assert((BYTES & (BYTES - 1)) == 0);
  typedef unsigned char type __attribute__((vector_size(BYTES), may_alias));
};

template <int N, class T> inline pack<T, N> load_pack(const T *p, emu::site at = emu::here()) {
  using bytes = typename whole_bytes<sizeof(pack<T, N>)>::type;
  emu::check_aligned(p, sizeof(pack<T, N>), "wide load", at);
  const bytes whole = *reinterpret_cast<const volatile bytes *>(p);
  pack<T, N> value;
  memcpy(static_cast<void *>(&value), &whole, sizeof(value));
  return value;
}
template <int N, class T>
inline void store_pack(T *p, const pack<T, N> &value, emu::site at = emu::here()) {
  using bytes = typename whole_bytes<sizeof(pack<T, N>)>::type;
  emu::check_aligned(p, sizeof(pack<T, N>), "wide store", at);
  bytes whole;
  memcpy(&whole, &value, sizeof(whole));
  *reinterpret_cast<volatile bytes *>(p) = whole;
}

/// One access of global memory.
template <int WORDS>
inline pack<uint32_t, WORDS> load_global(const uint32_t *p, emu::site at = emu::here()) {
  return load_pack<WORDS>(p, at);
}
/// The same of memory that no kernel writes: it may come ahead of stores.
template <int WORDS>
inline pack<uint32_t, WORDS> load_constant(const uint32_t *p, emu::site at = emu::here()) {
  return load_pack<WORDS>(p, at);
}
template <int WORDS>
inline void store_global(uint32_t *p, const pack<uint32_t, WORDS> &value,
                         emu::site at = emu::here()) {
  store_pack<WORDS>(p, value, at);
}

/// A pointer into global memory that stays in registers: the compiler would rather compute it again
/// in each pass of a loop.
template <class T> inline T *hold_global(T *p) { return p; }
inline int hold(int number) { return number; }

// ---- Parts of a register ----

/// (a & mask) | b, one instruction, also of two constants.
inline uint32_t and_or(uint32_t a, uint32_t mask, uint32_t b) { return (a & mask) | b; }
/// Four of the eight bytes of `low` and, from 4 on, `high`: digits of `selector`, the lowest byte's
/// first.
inline uint32_t permute_bytes(uint32_t low, uint32_t high, unsigned selector) {
  const uint64_t all = uint64_t{high} << 32 | low;
  uint32_t bytes = 0;
  for (int i = 0; i < 4; ++i)
    bytes |= static_cast<uint32_t>(all >> (selector >> i * 4 & 7) * 8 & 0xff) << i * 8;
  return bytes;
}
namespace detail {
template <class F> inline uint32_t of_halves(F f) {
  half values[2];
  for (int i = 0; i < 2; ++i)
    values[i] = from_float<half>(f(i));
  uint32_t bits;
  memcpy(&bits, values, sizeof(bits));
  return bits;
}
inline float half_of(uint32_t pair, int i) {
  const auto bits = static_cast<uint16_t>(pair >> i * 16);
  half value;
  memcpy(&value, &bits, sizeof(bits));
  return to_float(value);
}
} // namespace detail
/// Products, and sums with them, of two halves each, rounded once. Here a sum of which a float
/// cannot have all bits is rounded twice.
inline uint32_t multiply_add_f16x2(uint32_t a, uint32_t b, uint32_t c) {
  return detail::of_halves(
      [&](int i) { return detail::half_of(a, i) * detail::half_of(b, i) + detail::half_of(c, i); });
}
inline uint32_t multiply_f16x2(uint32_t a, uint32_t b) {
  return detail::of_halves([&](int i) { return detail::half_of(a, i) * detail::half_of(b, i); });
}

// ---- Copies from global to shared memory that do not wait ----

/// With `valid` false the target is filled with zeros and the source is not touched.
template <int BYTES>
inline void copy_async(void *shared_target, const void *source, bool valid = true,
                       emu::site at = emu::here()) {
  static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16);
  emu::copy_async(shared_target, source, BYTES, valid ? BYTES : 0, at);
}
inline void copy_async_commit() { emu::copy_async_commit(); }
/// Waits for this thread's copies, all but the last GROUPS commits; other threads see them after a
/// barrier.
template <int GROUPS> inline void copy_async_wait() { emu::copy_async_wait(GROUPS); }

// ---- Matrix fragments ----

namespace detail {
template <int N> struct matrix_load {
  uint32_t *fragment;
  const unsigned char *row;
};
template <int N, bool TRANSPOSED> inline void evaluate_load_matrix(void *const *lanes, unsigned) {
  for (int matrix = 0; matrix < N; ++matrix) {
    for (int i = 0; i < 32; ++i) {
      uint32_t packed = 0;
      for (int k = 0; k < 2; ++k) {
        const int row = TRANSPOSED ? i % 4 * 2 + k : i / 4;
        const int column = TRANSPOSED ? i / 4 : i % 4 * 2 + k;
        uint16_t element;
        memcpy(&element, static_cast<matrix_load<N> *>(lanes[8 * matrix + row])->row + column * 2,
               2);
        packed |= static_cast<uint32_t>(element) << (16 * k);
      }
      static_cast<matrix_load<N> *>(lanes[i])->fragment[matrix] = packed;
    }
  }
}
template <int N, bool TRANSPOSED>
inline void load_matrix(uint32_t *r, const void *shared_row, emu::site at) {
  if (lane() < 8 * N) {
    emu::check_aligned(shared_row, 16, "matrix load", at);
    if (emu::note_access != nullptr)
      emu::note_access(shared_row, 16, false, at);
  }
  matrix_load<N> mine = {r, static_cast<const unsigned char *>(shared_row)};
  emu::warp_collective(full_mask, &mine, evaluate_load_matrix<N, TRANSPOSED>, true, at);
}
} // namespace detail

/// Four 8x8 matrices of 16-bit elements; lane 8*m + r passes the address of row r of matrix m.
template <bool TRANSPOSED>
inline void load_matrix_x4(uint32_t (&r)[4], const void *shared_row, emu::site at = emu::here()) {
  detail::load_matrix<4, TRANSPOSED>(r, shared_row, at);
}
template <bool TRANSPOSED>
inline void load_matrix_x2(uint32_t (&r)[2], const void *shared_row, emu::site at = emu::here()) {
  detail::load_matrix<2, TRANSPOSED>(r, shared_row, at);
}

namespace detail {
inline float from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
inline float from_bf16(uint32_t bits) { return from_bits(bits << 16); }
inline float from_tf32(uint32_t bits) { return from_bits(bits & 0xffffe000u); }
inline float from_f16(uint32_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31,
                 mantissa = bits & 0x3ffu;
  if (exponent == 31)
    return from_bits(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0)
    return from_bits(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

struct mma_lane {
  float *d;
  const uint32_t *a, *b;
};
/// D[16][8] += A[16][K] B[K][8]; PACKED elements of a row of A (column of B) lie in one register.
/// Products are summed in the order of k in float; the hardware's order and intermediate precision
/// are its own.
template <int K, int PACKED, float (*VALUE)(uint32_t)>
inline void evaluate_mma(void *const *lanes, unsigned) {
  // A row of eight columns at once, which a debug build computes as one too.
  typedef float row __attribute__((vector_size(32)));
  constexpr uint32_t element = PACKED == 2 ? 0xffffu : 0xffffffffu;
  float a[16][array_size(K)];
  row b[array_size(K)], d[16] = {};
  for (int i = 0; i < 32; ++i) {
    const auto *from = static_cast<const mma_lane *>(lanes[i]);
    const int group = i / 4, member = i % 4;
    for (int r = 0; r < 4; ++r)
      for (int k = 0; k < PACKED; ++k)
        a[group + r % 2 * 8][member * PACKED + k + r / 2 * (K / 2)] =
            VALUE(from->a[r] >> (16 * k) & element);
    for (int r = 0; r < 2; ++r)
      for (int k = 0; k < PACKED; ++k)
        b[member * PACKED + k + r * (K / 2)][group] = VALUE(from->b[r] >> (16 * k) & element);
  }
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < K; ++k)
      d[i] += a[i][k] * b[k];
  for (int i = 0; i < 32; ++i)
    for (int r = 0; r < 4; ++r)
      static_cast<mma_lane *>(lanes[i])->d[r] += d[i / 4 + r / 2 * 8][i % 4 * 2 + r % 2];
}
template <int K, int PACKED, float (*VALUE)(uint32_t)>
inline void mma(float *d, const uint32_t *a, const uint32_t *b, emu::site at) {
  mma_lane mine = {d, a, b};
  emu::warp_collective(full_mask, &mine, evaluate_mma<K, PACKED, VALUE>, true, at);
}
} // namespace detail

/// d += a b with the register layout of PTX mma.m16n8k16 (row, col).
inline void mma_f16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                    emu::site at = emu::here()) {
  detail::mma<16, 2, detail::from_f16>(d, a, b, at);
}
inline void mma_bf16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                     emu::site at = emu::here()) {
  detail::mma<16, 2, detail::from_bf16>(d, a, b, at);
}
/// mma.m16n8k8 on tf32: floats of which the hardware looks at the upper 19 bits.
inline void mma_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                     emu::site at = emu::here()) {
  detail::mma<8, 1, detail::from_tf32>(d, a, b, at);
}
/// Nearest tf32, ties away from zero.
inline uint32_t round_to_tf32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  if ((bits & 0x7f800000u) == 0x7f800000u)
    return (bits & 0x7fffffu) != 0 ? 0x7fffffffu : bits;
  return (bits + 0x1000u) & 0xffffe000u;
}
namespace detail {
template <class T> inline uint32_t round_to_pair(float low, float high) {
  const T values[2] = {from_float<T>(low), from_float<T>(high)};
  uint32_t bits;
  memcpy(&bits, values, sizeof(bits));
  return bits;
}
} // namespace detail
/// Two 16-bit floats, the nearest ones, ties to even; `low` in the lower half.
inline uint32_t round_to_f16x2(float low, float high) {
  return detail::round_to_pair<half>(low, high);
}
inline uint32_t round_to_bf16x2(float low, float high) {
  return detail::round_to_pair<bfloat16>(low, high);
}

// ---- Asynchronous barriers in shared memory and bulk copies that complete on them ----

inline void mbarrier_init(uint64_t *barrier, unsigned arrivals, emu::site at = emu::here()) {
  emu::mbarrier_init(barrier, arrivals, at);
}
inline void mbarrier_fence_init() {}
inline void mbarrier_arrive(uint64_t *barrier, emu::site at = emu::here()) {
  emu::mbarrier_arrive(barrier, 0, at);
}
inline void mbarrier_arrive_expect(uint64_t *barrier, unsigned bytes, emu::site at = emu::here()) {
  emu::mbarrier_arrive(barrier, bytes, at);
}
inline void mbarrier_wait(uint64_t *barrier, unsigned parity, emu::site at = emu::here()) {
  emu::mbarrier_wait(barrier, parity, at);
}
inline void copy_bulk(void *shared_target, const void *source, unsigned bytes, uint64_t *barrier,
                      emu::site at = emu::here()) {
  emu::copy_bulk(shared_target, source, bytes, barrier, at);
}

} // namespace cameo::cuda
