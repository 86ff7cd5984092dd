// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels, generated code and the runtime use of the C++ standard library: of <type_traits>,
// <new> and <initializer_list>, and of <utility> what sequences.h has; nothing else. Toolchains for
// small machines may come without it: then it is defined here, by what the compiler knows.
#pragma once

#include <stddef.h>

#ifndef CAMEO_STANDARD_LIBRARY
#if defined(__has_include)
#if __has_include(<type_traits>) && __has_include(<utility>) && __has_include(<new>) &&            \
    __has_include(<initializer_list>)
#define CAMEO_STANDARD_LIBRARY 1
#else
#define CAMEO_STANDARD_LIBRARY 0
#endif
#else
#define CAMEO_STANDARD_LIBRARY 1
#endif
#endif

#if CAMEO_STANDARD_LIBRARY

#include <initializer_list>
#include <new>
#include <type_traits>

#else

inline void *operator new(size_t, void *place) noexcept { return place; }
inline void operator delete(void *, void *) noexcept {}

namespace std {

using nullptr_t = decltype(nullptr);

/// Compilers make one of a list in braces: its members are theirs to know.
template <class T> class initializer_list {
public:
  constexpr initializer_list() noexcept = default;
  constexpr size_t size() const noexcept { return size_; }
  constexpr const T *begin() const noexcept { return begin_; }
  constexpr const T *end() const noexcept { return begin_ + size_; }

private:
  constexpr initializer_list(const T *begin, size_t size) : begin_(begin), size_(size) {}

  const T *begin_ = nullptr;
  size_t size_ = 0;
};

template <class T, T VALUE> struct integral_constant {
  static constexpr T value = VALUE;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const noexcept { return VALUE; }
  constexpr T operator()() const noexcept { return VALUE; }
};
template <bool VALUE> using bool_constant = integral_constant<bool, VALUE>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class...> using void_t = void;

template <bool IF, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool IF, class T = void> using enable_if_t = typename enable_if<IF, T>::type;

template <bool IF, class THEN, class ELSE> struct conditional { using type = THEN; };
template <class THEN, class ELSE> struct conditional<false, THEN, ELSE> { using type = ELSE; };
template <bool IF, class THEN, class ELSE>
using conditional_t = typename conditional<IF, THEN, ELSE>::type;

template <class T> struct remove_const { using type = T; };
template <class T> struct remove_const<const T> { using type = T; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> struct remove_cv { using type = T; };
template <class T> struct remove_cv<const T> { using type = T; };
template <class T> struct remove_cv<volatile T> { using type = T; };
template <class T> struct remove_cv<const volatile T> { using type = T; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T &> { using type = T; };
template <class T> struct remove_reference<T &&> { using type = T; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;

/// For objects only: arrays and functions, which would become pointers, are none of ours.
template <class T> using decay_t = remove_cv_t<remove_reference_t<T>>;

template <class A, class B> inline constexpr bool is_same_v = false;
template <class A> inline constexpr bool is_same_v<A, A> = true;
template <class A, class B> struct is_same : bool_constant<is_same_v<A, B>> {};

template <class T, class... OF>
inline constexpr bool is_one_of_v = (is_same_v<remove_cv_t<T>, OF> || ...);
template <class T>
inline constexpr bool is_floating_point_v = is_one_of_v<T, float, double, long double>;
template <class T>
inline constexpr bool is_integral_v =
    is_one_of_v<T, bool, char, signed char, unsigned char, wchar_t, char16_t, char32_t, short,
                unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long>;
template <class T> struct is_integral : bool_constant<is_integral_v<T>> {};
template <class T> struct is_floating_point : bool_constant<is_floating_point_v<T>> {};
template <class T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T, bool = is_arithmetic_v<T>> inline constexpr bool is_signed_v = T(-1) < T(0);
template <class T> inline constexpr bool is_signed_v<T, false> = false;
template <class T, bool = is_arithmetic_v<T>> inline constexpr bool is_unsigned_v = T(0) < T(-1);
template <class T> inline constexpr bool is_unsigned_v<T, false> = false;
template <class T> inline constexpr bool is_empty_v = __is_empty(T);
template <class T> inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);

template <class T> inline constexpr bool is_const_v = false;
template <class T> inline constexpr bool is_const_v<const T> = true;
/// A function has no const of its own.
template <class T> inline constexpr bool is_member_object_pointer_v = false;
template <class M, class C>
inline constexpr bool is_member_object_pointer_v<M C::*> = is_const_v<const M>;

template <class T> struct make_unsigned;
template <> struct make_unsigned<signed char> { using type = unsigned char; };
template <> struct make_unsigned<unsigned char> { using type = unsigned char; };
template <> struct make_unsigned<short> { using type = unsigned short; };
template <> struct make_unsigned<unsigned short> { using type = unsigned short; };
template <> struct make_unsigned<int> { using type = unsigned; };
template <> struct make_unsigned<unsigned> { using type = unsigned; };
template <> struct make_unsigned<long> { using type = unsigned long; };
template <> struct make_unsigned<unsigned long> { using type = unsigned long; };
template <> struct make_unsigned<long long> { using type = unsigned long long; };
template <> struct make_unsigned<unsigned long long> { using type = unsigned long long; };
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;

template <class T> T &&declval() noexcept;

} // namespace std

#endif
