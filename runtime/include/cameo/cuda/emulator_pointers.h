// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a kernel's argument holds pointers, by the types of its members: the emulator looks at
// those words and at no others, since padding may hold anything. Members are found by initialising
// the type from values that turn into whatever is asked for: each notes the type that it became.
// Assumes aggregates without bases, whose members are aligned as their types.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace cameo::emu {

/// Converts to any member of an aggregate T.
template <class T> struct any_member {
  template <class M, class = std::enable_if_t<!std::is_same_v<M, T>>> constexpr operator M() const;
};

template <class T, class SEQUENCE, class = void> struct takes : std::false_type {};
template <class T, size_t... I>
struct takes<T, std::index_sequence<I...>,
             std::void_t<decltype(T{((void)I, std::declval<any_member<T>>())...})>>
    : std::true_type {};

/// How many members an aggregate has, elements of arrays counted one by one.
template <class T, size_t N = 0> constexpr size_t count_members() {
  if constexpr (takes<T, std::make_index_sequence<N + 1>>::value)
    return count_members<T, N + 1>();
  else
    return N;
}

/// Whether a class tells its members, as an aggregate M::layout that lies as it does.
template <class M, class = void> struct has_layout : std::false_type {};
template <class M> struct has_layout<M, std::void_t<typename M::layout>> : std::true_type {};

/// The offsets of the pointers that are found in an object, which ends at `end`.
struct pointer_finder {
  std::vector<size_t> offsets;
  size_t end = 0;

  template <class M> void add() {
    end = (end + alignof(M) - 1) / alignof(M) * alignof(M);
    const size_t begin = end;
    if constexpr (std::is_pointer_v<M>)
      offsets.push_back(begin);
    else if constexpr (has_layout<M>::value)
      add_layout<M, typename M::layout>();
    else if constexpr (alignof(M) >= alignof(void *) && std::is_aggregate_v<M>)
      add_members<M>();
    else if constexpr (alignof(M) >= alignof(void *) && std::is_class_v<M>)
      add_words<M>(begin);
    end = begin + sizeof(M);
  }

private:
  /// An M of zeros, whatever its constructors want: arguments are copied as bytes anyway.
  template <class M> union zeros {
    zeros() : bytes{} {}
    unsigned char bytes[sizeof(M)];
    M value;
  };
  template <class T> struct member {
    pointer_finder *finder;
    template <class M, class = std::enable_if_t<!std::is_same_v<M, T>>> operator M() const {
      finder->add<M>();
      return zeros<M>().value;
    }
  };
  template <class T> void add_members() {
    const size_t begin = end;
    add_each<T>(std::make_index_sequence<count_members<T>()>());
    constexpr size_t alignment = alignof(T);
    if ((end - begin + alignment - 1) / alignment * alignment != sizeof(T) && !std::is_empty_v<T>)
      offsets.push_back(unknown);
  }
#if defined(__clang__) // asks for the braces of arrays, which are not known here
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wmissing-braces"
#endif
  template <class T, size_t... I> void add_each(std::index_sequence<I...>) {
    (void)T{((void)I, member<T>{this})...};
  }
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
  template <class M, class L> void add_layout() {
    static_assert(sizeof(L) == sizeof(M) && alignof(L) == alignof(M),
                  "members that M does not have");
    add_members<L>();
  }
  /// Members of another class are its own: any of its words may be a pointer, but none is padding.
  template <class M> void add_words(size_t begin) {
    static_assert(std::has_unique_object_representations_v<M>,
                  "a kernel's argument has a class with padding, which may look like a pointer");
    for (size_t at = 0; at + sizeof(void *) <= sizeof(M); at += sizeof(void *))
      offsets.push_back(begin + at);
  }

public:
  /// In the place of an offset: the members do not lie as their types say.
  static constexpr size_t unknown = ~size_t{0};
};

/// The offsets of the pointers in a T.
template <class T> const std::vector<size_t> &pointers_of() {
  static const std::vector<size_t> offsets = [] {
    pointer_finder finder;
    finder.add<T>();
    return finder.offsets;
  }();
  return offsets;
}

} // namespace cameo::emu
