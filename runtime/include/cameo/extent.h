// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on extents and sizes that cannot overflow silently: `checked` remembers that something
// did not fit, and every divisor goes through a checked division (by zero: does not fit). All shape
// expressions and byte counts of generated host code are computed in it. Host only.
#pragma once

#include "cameo/config.h"

namespace cameo {

/// An int64_t or "does not fit". Anything computed from what does not fit does not fit either. A
/// product fits only if it does with 1 in place of factors that are 0: kernels multiply some of a
/// tensor's extents, and know nothing of the others.
class checked {
public:
  constexpr checked(int64_t value) : checked(value, true) {}

  constexpr bool fits() const { return fits_; }
  /// The value; 0 when it does not fit.
  constexpr int64_t value() const { return fits_ ? value_ : 0; }

  friend constexpr checked operator+(checked a, checked b) {
    int64_t r = 0;
    const bool over = __builtin_add_overflow(a.value_, b.value_, &r);
    return {r, a.fits_ && b.fits_ && !over};
  }
  friend constexpr checked operator-(checked a, checked b) {
    int64_t r = 0;
    const bool over = __builtin_sub_overflow(a.value_, b.value_, &r);
    return {r, a.fits_ && b.fits_ && !over};
  }
  friend constexpr checked operator-(checked a) { return checked(0) - a; }
  friend constexpr checked operator*(checked a, checked b) {
    int64_t whole = 0;
    const bool over = __builtin_mul_overflow(a.whole_, b.whole_, &whole);
    checked r = {over || a.value_ == 0 || b.value_ == 0 ? 0 : whole, a.fits_ && b.fits_ && !over};
    r.whole_ = over ? 1 : whole;
    return r;
  }
  friend constexpr checked floor_div(checked a, checked b) {
    if (!divides(a, b))
      return {0, false};
    const int64_t q = a.value_ / b.value_;
    return {q - ((a.value_ % b.value_ != 0) && ((a.value_ < 0) != (b.value_ < 0))), true};
  }
  friend constexpr checked ceil_div(checked a, checked b) {
    if (!divides(a, b))
      return {0, false};
    const int64_t q = a.value_ / b.value_;
    return {q + ((a.value_ % b.value_ != 0) && ((a.value_ < 0) == (b.value_ < 0))), true};
  }
  /// With the sign of the divisor.
  friend constexpr checked floor_mod(checked a, checked b) {
    if (!divides(a, b))
      return {0, false};
    const int64_t r = a.value_ % b.value_;
    return {r != 0 && ((r < 0) != (b.value_ < 0)) ? r + b.value_ : r, true};
  }
  friend constexpr checked min(checked a, checked b) {
    return {a.value_ < b.value_ ? a.value_ : b.value_, a.fits_ && b.fits_};
  }
  friend constexpr checked max(checked a, checked b) {
    return {a.value_ > b.value_ ? a.value_ : b.value_, a.fits_ && b.fits_};
  }
  /// Up to the next multiple of a power of two.
  friend constexpr checked align_up(checked a, int64_t power) {
    const checked up = a + checked(power - 1);
    return {up.value_ & -power, up.fits_};
  }

private:
  constexpr checked(int64_t value, bool fits)
      : value_(value), whole_(value != 0 ? value : 1), fits_(fits) {}
  static constexpr bool divides(checked a, checked b) {
    return a.fits_ && b.fits_ && b.value_ != 0 && !(a.value_ == INT64_MIN && b.value_ == -1);
  }

  int64_t value_;
  int64_t whole_; ///< the value, of a product the one without its factors that are 0
  bool fits_;
};

} // namespace cameo
