// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a scalar before it is computed: that it is a number, and how large at most.

#ifndef CAMEO_DIALECT_PROG_IR_NUMBERBOUND_H
#define CAMEO_DIALECT_PROG_IR_NUMBERBOUND_H

#include <algorithm>
#include <optional>

namespace cameo::prog {

/// The bound of a float or an integer. Nothing is known of a number that may be NaN or infinite.
class NumberBound {
public:
  NumberBound() = default;
  /// At most `most` from 0, far from what a float cannot hold, else nothing is known.
  NumberBound(double most, bool isWhole) {
    if (most <= kLargest) {
      magnitude = most;
      whole = isWhole;
    }
  }

  bool isNumber() const { return magnitude.has_value(); }
  bool isWhole() const { return whole; }

  /// Rounded to a whole number.
  NumberBound round() const { return magnitude ? NumberBound(*magnitude + 1, true) : *this; }
  /// One of both.
  NumberBound join(NumberBound other) const {
    return combine(other, [](double a, double b) { return std::max(a, b); });
  }
  friend NumberBound operator+(NumberBound a, NumberBound b) {
    return a.combine(b, [](double x, double y) { return x + y; });
  }
  friend NumberBound operator*(NumberBound a, NumberBound b) {
    return a.combine(b, [](double x, double y) { return x * y; });
  }

private:
  static constexpr double kLargest = 0x1p100;

  /// A result of whole numbers is whole, rounded to a float too.
  template <class F> NumberBound combine(NumberBound other, F function) const {
    if (!magnitude || !other.magnitude)
      return {};
    return NumberBound(function(*magnitude, *other.magnitude), whole && other.whole);
  }

  std::optional<double> magnitude;
  bool whole = false;
};

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_NUMBERBOUND_H
