// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intervals of integers with saturating arithmetic: a bound that leaves int64 becomes "none", so
// every operation is total and its result contains every value it should. A range is never empty.

#ifndef CAMEO_DIALECT_CORE_IR_EXTENTRANGE_H
#define CAMEO_DIALECT_CORE_IR_EXTENTRANGE_H

#include <cstdint>
#include <limits>
#include <optional>

namespace cameo::core {

class ExtentRange {
public:
  /// Every integer.
  ExtentRange() = default;
  ExtentRange(std::optional<int64_t> lo, std::optional<int64_t> hi);
  static ExtentRange constant(int64_t value) { return {value, value}; }

  std::optional<int64_t> lo() const {
    return low == kMin ? std::nullopt : std::optional<int64_t>(low);
  }
  std::optional<int64_t> hi() const {
    return high == kMax ? std::nullopt : std::optional<int64_t>(high);
  }
  /// The value, if there is only one.
  std::optional<int64_t> constant() const {
    return low == high ? std::optional<int64_t>(low) : std::nullopt;
  }
  bool atLeast(int64_t bound) const { return low != kMin && low >= bound; }
  bool atMost(int64_t bound) const { return high != kMax && high <= bound; }
  bool isNonZero() const { return atLeast(1) || atMost(-1); }

  ExtentRange operator+(ExtentRange other) const;
  ExtentRange operator*(ExtentRange other) const;
  ExtentRange operator-() const { return *this * constant(-1); }
  /// x to the n-th, knowing that an even power is not negative.
  ExtentRange power(unsigned exponent) const;
  /// Division and remainder as in ExtentAttr; whatever a zero divisor would give is left out.
  ExtentRange floorDiv(ExtentRange divisor) const;
  ExtentRange mod(ExtentRange divisor) const;
  ExtentRange min(ExtentRange other) const;
  ExtentRange max(ExtentRange other) const;
  /// No value is in both.
  bool isDisjointFrom(ExtentRange other) const { return low > other.high || high < other.low; }
  /// Values in both, this range if there are none; values in either.
  ExtentRange intersect(ExtentRange other) const;
  ExtentRange unite(ExtentRange other) const;

  bool operator==(ExtentRange other) const { return low == other.low && high == other.high; }
  bool operator!=(ExtentRange other) const { return !(*this == other); }

private:
  static constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  /// Bounds computed with saturation: `low` at kMin and `high` at kMax mean none.
  static ExtentRange ofSaturated(int64_t low, int64_t high);

  int64_t low = kMin;
  int64_t high = kMax;
};

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_EXTENTRANGE_H
