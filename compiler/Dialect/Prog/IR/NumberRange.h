// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between which extents the elements of a tensor lie, integers or floats, whatever the data are.
// For floats all is said about those that are numbers: NaN lies in every range.

#ifndef CAMEO_DIALECT_PROG_IR_NUMBERRANGE_H
#define CAMEO_DIALECT_PROG_IR_NUMBERRANGE_H

#include "Dialect/Core/IR/ExtentFacts.h"
#include "mlir/IR/Types.h"

namespace cameo::prog {

class NumberRange {
public:
  struct End {
    /// Null where there is none.
    core::ExtentAttr value;
    /// Whether it holds even where a NaN became an integer, or a sum left the integer type.
    bool isSure = true;

    explicit operator bool() const { return value != nullptr; }
  };

  /// Every number.
  NumberRange() = default;
  NumberRange(End least, End most) : least(least), most(most) {}
  static NumberRange constant(core::ExtentAttr value) { return {{value}, {value}}; }
  static NumberRange constants(mlir::MLIRContext *context, int64_t least, int64_t most);
  /// The range of elements of the type; every number for floats and integers of 64 bits.
  static NumberRange of(mlir::Type element);

  End getLeast() const { return least; }
  End getMost() const { return most; }

  NumberRange operator+(NumberRange other) const;
  NumberRange operator-() const;
  NumberRange operator-(NumberRange other) const { return *this + -other; }
  NumberRange min(NumberRange other) const;
  NumberRange max(NumberRange other) const;
  /// One of both.
  NumberRange join(NumberRange other) const;
  NumberRange multiply(NumberRange other, const core::ExtentFacts &facts) const;
  /// By a positive constant, rounded in any way; every number by anything else.
  NumberRange divide(NumberRange other, const core::ExtentFacts &facts) const;
  /// The remainder with the sign of the divisor.
  NumberRange mod(NumberRange other, const core::ExtentFacts &facts) const;
  NumberRange abs() const;
  /// The sum of up to `count` such numbers, none included.
  NumberRange sum(core::ExtentAttr count, const core::ExtentFacts &facts) const;
  /// Elements of type `from` that became such of type `to`.
  NumberRange convert(mlir::Type from, mlir::Type to, const core::ExtentFacts &facts) const;
  /// The range of what was computed in the type: without ends beyond which it wraps or rounds.
  NumberRange within(mlir::Type element, const core::ExtentFacts &facts) const;

  /// The same ends, sure only where `holds`.
  NumberRange sureIf(bool holds) const;

private:
  /// Whether nothing computed from it wraps by what is not sure.
  bool isSure() const { return least && least.isSure && most && most.isSure; }

  End least, most;
};

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_NUMBERRANGE_H
