// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::integer_sequence: the part of standard.h that takes compilers longest.
#pragma once

#include "cameo/standard.h"

#if CAMEO_STANDARD_LIBRARY

#include <utility>

#else

namespace std {

template <class T, T... I> struct integer_sequence {
  using value_type = T;
  static constexpr size_t size() noexcept { return sizeof...(I); }
};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
#if defined(__has_builtin)
#if __has_builtin(__make_integer_seq)
#define CAMEO_MAKE_INTEGER_SEQ
#endif
#endif
#ifdef CAMEO_MAKE_INTEGER_SEQ
template <class T, T N> using make_integer_sequence = __make_integer_seq<integer_sequence, T, N>;
#else
template <class T, T N> using make_integer_sequence = integer_sequence<T, __integer_pack(N)...>;
#endif
#undef CAMEO_MAKE_INTEGER_SEQ
template <size_t N> using make_index_sequence = make_integer_sequence<size_t, N>;

} // namespace std

#endif
