// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars known at compile time, and the functions of cameo/scalar.h on them: the same results bit
// for bit (NaN payloads apart) for whatever those promise to be the same on host and device. What
// differs from one library of mathematics to the next is never computed here.

#ifndef CAMEO_DIALECT_PROG_IR_SCALARVALUE_H
#define CAMEO_DIALECT_PROG_IR_SCALARVALUE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace cameo::prog {

/// A truth value (`i1`), an integer of at most 64 bits or a float; or nothing, where a value is not
/// known.
class ScalarValue {
public:
  ScalarValue() = default;
  /// The low bits of `value`.
  static ScalarValue integer(mlir::Type type, uint64_t value);
  /// `value` rounded to nearest even. Too large for a float of 8 bits: the largest one if
  /// `saturate`, else infinity or NaN. Nothing for a type whose values have no sign.
  static ScalarValue real(mlir::Type type, double value, bool saturate = true);
  static ScalarValue boolean(mlir::MLIRContext *context, bool value);
  /// Nothing for an attribute that holds no such scalar.
  static ScalarValue fromAttr(mlir::Attribute attr);
  /// An element as it lies in memory: little-endian, at least a byte.
  static ScalarValue load(mlir::Type type, const char *bytes);

  explicit operator bool() const { return static_cast<bool>(type); }
  mlir::Type getType() const { return type; }
  bool isInteger() const { return mlir::isa<mlir::IntegerType>(type); }
  bool isSigned() const { return !type.isUnsignedInteger() && !isBool(); }
  bool isBool() const { return type.isInteger(1); }
  /// Sign- or zero-extended, as the type has it.
  uint64_t getInteger() const { return bits; }
  /// Exact for every float type.
  double getReal() const { return number; }

  mlir::TypedAttr toAttr() const;
  void store(char *bytes) const;

private:
  mlir::Type type;
  union {
    uint64_t bits = 0;
    double number;
  };
};

/// The bytes of a scalar in memory: elements of less than a byte take one.
unsigned getScalarBytes(mlir::Type type);

/// What a scalar op computes, given operands that are known; may give nothing.
using ScalarFunction = ScalarValue (*)(mlir::Operation *, llvm::ArrayRef<ScalarValue>);

/// Null for an op that is not to be computed here.
ScalarFunction getScalarFunction(mlir::Operation *op);

} // namespace cameo::prog

/// The functions of scalar.h, under their names in camel case. Operands have a value; a result has
/// none where the function is not defined on their type.
namespace cameo::prog::scalars {

ScalarValue add(ScalarValue a, ScalarValue b);
ScalarValue sub(ScalarValue a, ScalarValue b);
ScalarValue mul(ScalarValue a, ScalarValue b);
ScalarValue div(ScalarValue a, ScalarValue b);
ScalarValue mod(ScalarValue a, ScalarValue b);
ScalarValue fmod(ScalarValue a, ScalarValue b);
/// Of integers only: powers of floats differ between libraries.
ScalarValue pow(ScalarValue a, ScalarValue b);
ScalarValue min(ScalarValue a, ScalarValue b);
ScalarValue max(ScalarValue a, ScalarValue b);
ScalarValue neg(ScalarValue x);
ScalarValue abs(ScalarValue x);
ScalarValue sign(ScalarValue x);
ScalarValue reciprocal(ScalarValue x);
ScalarValue floor(ScalarValue x);
ScalarValue ceil(ScalarValue x);
ScalarValue round(ScalarValue x);
ScalarValue sqrt(ScalarValue x);

ScalarValue logicalAnd(ScalarValue a, ScalarValue b);
ScalarValue logicalOr(ScalarValue a, ScalarValue b);
ScalarValue logicalXor(ScalarValue a, ScalarValue b);
ScalarValue logicalNot(ScalarValue x);
ScalarValue bitAnd(ScalarValue a, ScalarValue b);
ScalarValue bitOr(ScalarValue a, ScalarValue b);
ScalarValue bitXor(ScalarValue a, ScalarValue b);
ScalarValue bitNot(ScalarValue x);
ScalarValue shiftLeft(ScalarValue x, ScalarValue count);
ScalarValue shiftRight(ScalarValue x, ScalarValue count);

ScalarValue equal(ScalarValue a, ScalarValue b);
ScalarValue less(ScalarValue a, ScalarValue b);
ScalarValue lessEqual(ScalarValue a, ScalarValue b);
ScalarValue isNan(ScalarValue x);
ScalarValue isInf(ScalarValue x);
/// Nothing to float8_e8m0, whose rounding the operation does not say.
ScalarValue cast(ScalarValue x, mlir::Type type, bool saturate);

} // namespace cameo::prog::scalars

#endif // CAMEO_DIALECT_PROG_IR_SCALARVALUE_H
