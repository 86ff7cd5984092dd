// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbours along the last coordinate that move as one access. A functor that can do so has
//   static constexpr int widest;     how many neighbours at most, a power of two
//   bool is_aligned() const;         whether its pointers allow it, which only a run knows
//   wide<N>(index, ...)              as its operator() for N <= widest neighbours from `index` on,
//                                    whose last coordinate is a multiple of N.
#pragma once

#include "cameo/cuda/device.h"
#include "cameo/index.h"

namespace cameo::cuda {

/// Bytes of the widest access.
constexpr int access_bytes = 16;

template <class T, int N> struct neighbours { T item[array_size(N)]; };

namespace wide {

template <int BYTES> struct word;
template <> struct word<1> { using type = uint8_t; };
template <> struct word<2> { using type = uint16_t; };
template <> struct word<4> { using type = uint32_t; };

template <class F, class = void> struct functor { static constexpr int widest = 1; };
template <class F> struct functor<F, std::void_t<decltype(F::widest)>> {
  static constexpr int widest = F::widest;
};

} // namespace wide

/// N elements from a multiple of their bytes on, which are 16 at most.
template <int N, class T> CAMEO_DEVICE_ONLY neighbours<T, N> load_wide(const T *p) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr int bytes = N * static_cast<int>(sizeof(T));
  neighbours<T, N> values;
  if constexpr (bytes > 4) {
    const auto words = load_global<bytes / 4>(reinterpret_cast<const uint32_t *>(p));
    memcpy(static_cast<void *>(&values), &words, sizeof(words));
  } else {
    const auto word = *reinterpret_cast<const typename wide::word<bytes>::type *>(p);
    memcpy(static_cast<void *>(&values), &word, sizeof(word));
  }
  return values;
}
/// The same of elements that no kernel writes.
template <int N, class T> CAMEO_DEVICE_ONLY neighbours<T, N> load_wide_constant(const T *p) {
  constexpr int bytes = N * static_cast<int>(sizeof(T));
  if constexpr (bytes > 4) {
    neighbours<T, N> values;
    const auto words = load_constant<bytes / 4>(reinterpret_cast<const uint32_t *>(p));
    memcpy(static_cast<void *>(&values), &words, sizeof(words));
    return values;
  } else {
    return load_wide<N>(p);
  }
}
template <int N, class T> CAMEO_DEVICE_ONLY void store_wide(T *p, const neighbours<T, N> &values) {
  constexpr int bytes = N * static_cast<int>(sizeof(T));
  if constexpr (bytes > 4) {
    pack<uint32_t, bytes / 4> words;
    memcpy(&words, &values, sizeof(words));
    store_global<bytes / 4>(reinterpret_cast<uint32_t *>(p), words);
  } else {
    typename wide::word<bytes>::type word;
    memcpy(&word, &values, sizeof(word));
    *reinterpret_cast<decltype(word) *>(p) = word;
  }
}

/// Whether all of these pointers are multiples of the widest access.
template <class... T> CAMEO_DEVICE bool are_aligned(const T *...p) {
  return ((reinterpret_cast<uintptr_t>(p) | ... | uintptr_t{0}) & (access_bytes - 1)) == 0;
}

/// How many neighbours a functor takes at most, 1 if it has no wide form.
template <class F> constexpr int widest_of = wide::functor<F>::widest;
/// How many two functors take at most of the same elements.
template <class F, class G>
constexpr int widest_of_both = widest_of<F> < widest_of<G> ? widest_of<F> : widest_of<G>;

/// Whether the pointers of all functors allow their wide forms, where they have some.
template <class F> CAMEO_DEVICE bool is_aligned(const F &functor) {
  if constexpr (widest_of < F >> 1)
    return functor.is_aligned();
  else
    return (void)functor, true;
}

/// `i` and j more of its last coordinate.
template <int R> CAMEO_DEVICE constexpr index<R> advance(index<R> i, int64_t j) {
  i[R - 1] += j;
  return i;
}

} // namespace cameo::cuda
