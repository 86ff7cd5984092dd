// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one type in which the compiler multiplies and adds sizes that come from a model. An operation
// that leaves [0, 2^63) makes the size invalid for good; the caller asks once, at the end.

#ifndef CAMEO_SUPPORT_CHECKEDSIZE_H
#define CAMEO_SUPPORT_CHECKEDSIZE_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>

namespace cameo {

class CheckedSize {
public:
  /// A negative value is no size.
  /*implicit*/ constexpr CheckedSize(int64_t value) : value(value) {}

  std::optional<int64_t> get() const {
    return value < 0 ? std::nullopt : std::optional<int64_t>(value);
  }
  bool isValid() const { return value >= 0; }
  /// False also when the size is invalid.
  bool isAtMost(int64_t limit) const { return isValid() && value <= limit; }

  CheckedSize operator+(CheckedSize other) const {
    int64_t sum = 0;
    bool fits = !__builtin_add_overflow(value, other.value, &sum);
    return combine(other, fits, sum);
  }
  /// Zero times an invalid size is invalid: the size was wrong before it was multiplied.
  CheckedSize operator*(CheckedSize other) const {
    int64_t product = 0;
    bool fits = !__builtin_mul_overflow(value, other.value, &product);
    return combine(other, fits, product);
  }
  CheckedSize &operator+=(CheckedSize other) { return *this = *this + other; }
  CheckedSize &operator*=(CheckedSize other) { return *this = *this * other; }

  /// Rounded up; `divisor` is a positive number of ours, never of the model's.
  CheckedSize divideCeil(int64_t divisor) const {
    return isValid() ? CheckedSize(value / divisor + (value % divisor != 0)) : *this;
  }
  CheckedSize alignTo(int64_t alignment) const {
    return divideCeil(alignment) * CheckedSize(alignment);
  }

  /// The product of `factors`; that of none is 1.
  static CheckedSize product(llvm::ArrayRef<int64_t> factors) {
    // Zero first: [2^62, 8, 0] holds nothing, whatever the order.
    CheckedSize size = 1;
    bool isZero = false, isNegative = false;
    for (int64_t factor : factors) {
      isZero |= factor == 0;
      isNegative |= factor < 0;
    }
    if (isNegative)
      return CheckedSize(-1);
    if (isZero)
      return CheckedSize(0);
    for (int64_t factor : factors)
      size *= factor;
    return size;
  }

private:
  CheckedSize combine(CheckedSize other, bool fits, int64_t result) const {
    return isValid() && other.isValid() && fits ? CheckedSize(result) : CheckedSize(-1);
  }

  int64_t value;
};

} // namespace cameo

#endif // CAMEO_SUPPORT_CHECKEDSIZE_H
