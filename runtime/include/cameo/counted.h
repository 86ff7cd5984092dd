// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents that a kernel has counted and that stay on the device. The host knows the most that they
// can be, and sizes memory and grids by it; a kernel reads them as it starts. A struct that holds
// some has a `load_counts()`, which every kernel calls on its own copy before anything else.
#pragma once

#include "cameo/index.h"
#include "cameo/standard.h"

namespace cameo {

/// On the host: `scale` times an integer on the device plus `offset`; without a source, the number
/// `offset`. As a number, the most that it can be.
class counted {
  template <class I> using number = std::enable_if_t<std::is_integral_v<I>>;

public:
  constexpr counted(int64_t number = 0) : counted(nullptr, 0, 0, number) {}
  /// The integer is in [0, most].
  constexpr counted(const int64_t *source, int64_t most) : counted(source, most, 1, 0) {}
  /// It is what `beside` leaves: the two multiplied are at most `most` too.
  constexpr counted(const int64_t *source, int64_t most, counted beside)
      : counted(source, most, 1, 0) {
    rest_of = beside.source;
  }

  const int64_t *source;
  int64_t most, scale, offset;
  const int64_t *rest_of = nullptr;

  constexpr operator int64_t() const { return (scale > 0 ? scale * most : 0) + offset; }

  /// Sums of what is counted by one source, and multiples.
  friend constexpr counted operator+(counted a, counted b) {
    const counted &source = a.source ? a : b;
    return {source, a.scale + b.scale, a.offset + b.offset};
  }
  template <class I, class = number<I>> friend constexpr counted operator*(counted a, I by) {
    return {a, a.scale * by, a.offset * by};
  }
  /// The most that the product of two can be.
  friend constexpr int64_t operator*(counted a, counted b) {
    const bool left = a.source && b.source && (a.rest_of == b.source || b.rest_of == a.source);
    if (left && a.offset == 0 && b.offset == 0 && a.scale > 0 && b.scale > 0)
      return a.scale * b.scale * (a.rest_of == b.source ? a.most : b.most);
    return static_cast<int64_t>(a) * static_cast<int64_t>(b);
  }
  friend constexpr counted operator-(counted a, counted b) { return a + b * -1; }
  // Without these, a number could as well be added to the most.
  template <class I, class = number<I>> friend constexpr counted operator+(I a, counted b) {
    return counted(a) + b;
  }
  template <class I, class = number<I>> friend constexpr counted operator+(counted a, I b) {
    return a + counted(b);
  }
  template <class I, class = number<I>> friend constexpr counted operator-(I a, counted b) {
    return counted(a) - b;
  }
  template <class I, class = number<I>> friend constexpr counted operator-(counted a, I b) {
    return a - counted(b);
  }
  template <class I, class = number<I>> friend constexpr counted operator*(I a, counted b) {
    return b * a;
  }

private:
  constexpr counted(const int64_t *source, int64_t most, int64_t scale, int64_t offset)
      : source(source), most(most), scale(scale), offset(offset) {}
  constexpr counted(const counted &like, int64_t scale, int64_t offset)
      : source(like.source), most(like.most), scale(scale), offset(offset), rest_of(like.rest_of) {}
};

/// The form in which a kernel gets it: a number like any other once it has been loaded.
struct counted_extent {
  const int64_t *source = nullptr;
  int64_t scale = 0, offset = 0;
  int64_t value = 0; ///< until then the most that it can be
  /// Its members, for who looks for pointers among them.
  struct layout {
    const int64_t *source;
    int64_t scale, offset, value;
  };

  constexpr counted_extent(int64_t number = 0) : value(number) {}
  constexpr counted_extent(const counted &extent)
      : source(extent.source), scale(extent.scale), offset(extent.offset), value(extent) {}

  CAMEO_DEVICE constexpr operator int64_t() const { return value; }
  CAMEO_DEVICE void load_counts() {
    if (source)
      value = scale * *source + offset;
  }
};

/// `extent` times a number of the host's.
CAMEO_INLINE constexpr int64_t times(int64_t extent, int64_t by) { return extent * by; }
CAMEO_INLINE constexpr counted_extent times(const counted_extent &extent, int64_t by) {
  counted_extent r(extent.value * by);
  r.source = extent.source;
  r.scale = extent.scale * by;
  r.offset = extent.offset * by;
  return r;
}

template <class T>
constexpr bool is_extent =
    std::is_integral_v<T> || std::is_same_v<T, counted> || std::is_same_v<T, counted_extent>;

/// The extents of a space, of which some may be counted.
template <int R> struct counted_index {
  counted_extent at[array_size(R > 0 ? R : 1)];
  int64_t points; ///< the most that there can be, for grids
  struct layout {
    counted_extent::layout at[array_size(R > 0 ? R : 1)];
    int64_t points;
  };

  template <class... E, class = std::enable_if_t<sizeof...(E) == R && (is_extent<E> && ...)>>
  constexpr counted_index(E... extents) : at{extents...}, points((int64_t{1} * ... * extents)) {}
  CAMEO_DEVICE void load_counts() {
    for (counted_extent &extent : at)
      extent.load_counts();
  }
  CAMEO_DEVICE constexpr operator index<R>() const {
    index<R> r{};
    if constexpr (R > 0)
      for (int d = 0; d < R; ++d)
        r[d] = at[d].value;
    return r;
  }
};

/// The space of these extents.
template <class... E> CAMEO_INLINE constexpr auto space_of(const E &...extents) {
  if constexpr ((std::is_same_v<E, counted_extent> || ...))
    return counted_index<sizeof...(E)>{extents...};
  else
    return index<sizeof...(E)>{{extents...}};
}

template <class T, class = void> struct has_counts : std::false_type {};
template <class T>
struct has_counts<T, std::void_t<decltype(std::declval<T &>().load_counts())>> : std::true_type {};

/// Loads what each of these holds, which may be nothing.
template <class T> CAMEO_DEVICE void load_counts(T &holder) {
  if constexpr (has_counts<T>::value)
    holder.load_counts();
  else
    (void)holder;
}
template <class T, class... REST> CAMEO_DEVICE void load_counts(T &holder, REST &...rest) {
  load_counts(holder);
  if constexpr (sizeof...(rest) > 0)
    load_counts(rest...);
}

} // namespace cameo
