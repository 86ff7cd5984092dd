// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic on saturating int64 bounds. A lower bound at kMin and an upper bound at kMax
// stand for infinity; `ofSaturated` keeps lower bounds off kMax and upper bounds off kMin, so that
// an infinity never turns into one of the other sign by way of a negation.

#include "Dialect/Core/IR/ExtentRange.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

using namespace cameo::core;

namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

bool isInfinite(int64_t bound) { return bound == kLowest || bound == kHighest; }

/// Sum of two bounds of the same side.
int64_t addBounds(int64_t a, int64_t b) {
  if (isInfinite(a))
    return a;
  if (isInfinite(b))
    return b;
  int64_t sum;
  if (llvm::AddOverflow(a, b, sum))
    return a < 0 ? kLowest : kHighest;
  return sum;
}

int64_t multiplyBounds(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  int64_t product;
  if (isInfinite(a) || isInfinite(b) || llvm::MulOverflow(a, b, product))
    return (a < 0) == (b < 0) ? kHighest : kLowest;
  return product;
}

/// Floor of a / b for b != 0; the limit where one of them is infinite.
int64_t divideBounds(int64_t a, int64_t b) {
  if (a == 0)
    return 0;
  bool negative = (a < 0) != (b < 0);
  if (isInfinite(a))
    return negative ? kLowest : kHighest;
  if (isInfinite(b))
    return negative ? -1 : 0;
  return llvm::divideFloorSigned<int64_t>(a, b);
}

int64_t powerBound(int64_t base, unsigned exponent) {
  int64_t result = 1;
  for (unsigned i = 0; i < exponent; ++i)
    result = multiplyBounds(result, base);
  return result;
}

} // namespace

ExtentRange::ExtentRange(std::optional<int64_t> lo, std::optional<int64_t> hi) {
  assert((!lo || !hi || *lo <= *hi) && "an extent has at least one value");
  *this = ofSaturated(lo.value_or(kMin), hi.value_or(kMax));
}

ExtentRange ExtentRange::ofSaturated(int64_t low, int64_t high) {
  ExtentRange range;
  range.low = std::min(low, kMax - 1);
  range.high = std::max(high, kMin + 1);
  return range;
}

ExtentRange ExtentRange::operator+(ExtentRange other) const {
  return ofSaturated(addBounds(low, other.low), addBounds(high, other.high));
}

ExtentRange ExtentRange::operator*(ExtentRange other) const {
  auto [lo, hi] = std::minmax({multiplyBounds(low, other.low), multiplyBounds(low, other.high),
                               multiplyBounds(high, other.low), multiplyBounds(high, other.high)});
  return ofSaturated(lo, hi);
}

ExtentRange ExtentRange::power(unsigned exponent) const {
  ExtentRange base = *this;
  if (exponent % 2 == 0 && low < 0)
    base = high <= 0 ? -base : (-base).max(base).max(constant(0));
  return ofSaturated(powerBound(base.low, exponent), powerBound(base.high, exponent));
}

ExtentRange ExtentRange::floorDiv(ExtentRange divisor) const {
  // The quotient is monotone in both while the divisor keeps its sign.
  auto divide = [&](int64_t from, int64_t to) {
    auto [lo, hi] = std::minmax({divideBounds(low, from), divideBounds(low, to),
                                 divideBounds(high, from), divideBounds(high, to)});
    return ofSaturated(lo, hi);
  };
  std::optional<ExtentRange> result;
  if (divisor.high >= 1)
    result = divide(std::max<int64_t>(divisor.low, 1), divisor.high);
  if (divisor.low <= -1) {
    ExtentRange negative = divide(divisor.low, std::min<int64_t>(divisor.high, -1));
    result = result ? result->unite(negative) : negative;
  }
  return result.value_or(ExtentRange());
}

ExtentRange ExtentRange::mod(ExtentRange divisor) const {
  if (std::optional<int64_t> c = divisor.constant();
      c && *c > 0 && lo() && hi() && divideBounds(low, *c) == divideBounds(high, *c))
    return ofSaturated(llvm::mod<int64_t>(low, *c), llvm::mod<int64_t>(high, *c));
  std::optional<ExtentRange> result;
  if (divisor.high >= 1) {
    if (low >= 0 && divisor.low >= 1 && high < divisor.low)
      return *this;
    result = ofSaturated(0, divisor.high == kMax ? kMax : divisor.high - 1);
    if (low >= 0 && high < result->high)
      result->high = high;
  }
  if (divisor.low <= -1) {
    ExtentRange negative = ofSaturated(divisor.low == kMin ? kMin : divisor.low + 1, 0);
    result = result ? result->unite(negative) : negative;
  }
  return result.value_or(ExtentRange());
}

ExtentRange ExtentRange::min(ExtentRange other) const {
  return ofSaturated(std::min(low, other.low), std::min(high, other.high));
}

ExtentRange ExtentRange::max(ExtentRange other) const {
  return ofSaturated(std::max(low, other.low), std::max(high, other.high));
}

ExtentRange ExtentRange::intersect(ExtentRange other) const {
  if (isDisjointFrom(other))
    return *this;
  return ofSaturated(std::max(low, other.low), std::min(high, other.high));
}

ExtentRange ExtentRange::unite(ExtentRange other) const {
  return ofSaturated(std::min(low, other.low), std::max(high, other.high));
}
