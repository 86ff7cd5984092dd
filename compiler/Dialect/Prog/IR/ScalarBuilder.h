// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words in which a record writes its scalar function: each method builds one scalar op of the
// prog dialect. `x >= y` and the like are spelled by swapping operands.

#ifndef CAMEO_DIALECT_PROG_IR_SCALARBUILDER_H
#define CAMEO_DIALECT_PROG_IR_SCALARBUILDER_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/Builders.h"

namespace cameo::prog {

class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location location)
      : builder(builder), location(location) {}

  using Value = mlir::Value;

  Value add(Value a, Value b) { return build<SAddOp>(a, b); }
  Value sub(Value a, Value b) { return build<SSubOp>(a, b); }
  Value mul(Value a, Value b) { return build<SMulOp>(a, b); }
  Value div(Value a, Value b) { return build<SDivOp>(a, b); }
  Value mod(Value a, Value b) { return build<SModOp>(a, b); }
  Value fmod(Value a, Value b) { return build<SFmodOp>(a, b); }
  Value min(Value a, Value b) { return build<SMinOp>(a, b); }
  Value max(Value a, Value b) { return build<SMaxOp>(a, b); }
  Value pow(Value a, Value b) { return SPowOp::create(builder, location, a.getType(), a, b); }

  Value neg(Value x) { return build<SNegOp>(x); }
  Value abs(Value x) { return build<SAbsOp>(x); }
  Value sign(Value x) { return build<SSignOp>(x); }
  Value reciprocal(Value x) { return build<SReciprocalOp>(x); }
  Value floor(Value x) { return build<SFloorOp>(x); }
  Value ceil(Value x) { return build<SCeilOp>(x); }
  Value round(Value x) { return build<SRoundOp>(x); }
  Value sqrt(Value x) { return build<SSqrtOp>(x); }
  Value exp(Value x) { return build<SExpOp>(x); }
  Value log(Value x) { return build<SLogOp>(x); }
  Value sin(Value x) { return build<SSinOp>(x); }
  Value cos(Value x) { return build<SCosOp>(x); }
  Value tan(Value x) { return build<STanOp>(x); }
  Value asin(Value x) { return build<SAsinOp>(x); }
  Value acos(Value x) { return build<SAcosOp>(x); }
  Value atan(Value x) { return build<SAtanOp>(x); }
  Value sinh(Value x) { return build<SSinhOp>(x); }
  Value cosh(Value x) { return build<SCoshOp>(x); }
  Value tanh(Value x) { return build<STanhOp>(x); }
  Value asinh(Value x) { return build<SAsinhOp>(x); }
  Value acosh(Value x) { return build<SAcoshOp>(x); }
  Value atanh(Value x) { return build<SAtanhOp>(x); }
  Value erf(Value x) { return build<SErfOp>(x); }
  Value sigmoid(Value x) { return build<SSigmoidOp>(x); }

  Value logicalAnd(Value a, Value b) { return build<SAndOp>(a, b); }
  Value logicalOr(Value a, Value b) { return build<SOrOp>(a, b); }
  Value logicalXor(Value a, Value b) { return build<SXorOp>(a, b); }
  Value logicalNot(Value x) { return build<SNotOp>(x); }
  Value bitAnd(Value a, Value b) { return build<SBitAndOp>(a, b); }
  Value bitOr(Value a, Value b) { return build<SBitOrOp>(a, b); }
  Value bitXor(Value a, Value b) { return build<SBitXorOp>(a, b); }
  Value bitNot(Value x) { return build<SBitNotOp>(x); }
  Value shiftLeft(Value a, Value b) { return build<SShiftLeftOp>(a, b); }
  Value shiftRight(Value a, Value b) { return build<SShiftRightOp>(a, b); }

  Value equal(Value a, Value b) { return build<SEqualOp>(a, b); }
  Value less(Value a, Value b) { return build<SLessOp>(a, b); }
  Value lessEqual(Value a, Value b) { return build<SLessEqualOp>(a, b); }
  Value isNan(Value x) { return build<SIsNanOp>(x); }
  Value isInf(Value x) { return build<SIsInfOp>(x); }
  Value select(Value condition, Value a, Value b) { return build<SSelectOp>(condition, a, b); }

  /// The first and the second half of the Philox block with these numbers, all of 64 bits.
  Value randomLow(Value seed, Value draw, Value position) {
    return build<SRandomLowOp>(seed, draw, position);
  }
  Value randomHigh(Value seed, Value draw, Value position) {
    return build<SRandomHighOp>(seed, draw, position);
  }

  /// `x` converted to `type`; `x` itself when it has that type.
  Value cast(Value x, mlir::Type type, bool saturate = true);
  /// The bits of `x` as an element of `type`, which has as many; `x` itself when it has that type.
  Value reinterpret(Value x, mlir::Type type);
  /// A constant of the type of `like`.
  Value constant(Value like, double value) { return constant(like.getType(), value); }
  Value constant(mlir::Type type, double value);
  /// A constant of 64 bits, not all of which a double has room for.
  Value integer(int64_t value);
  /// The one of `values` whose number is the integer `position`; the first where none is.
  Value choose(Value position, llvm::ArrayRef<Value> values);
  /// Coordinate `dim` of the point at which the body is evaluated.
  Value index(unsigned dim) { return SIndexOp::create(builder, location, dim); }
  Value extent(core::ExtentAttr extent) { return SExtentOp::create(builder, location, extent); }

private:
  template <class Op, class... Operands> Value build(Operands... operands) {
    return Op::create(builder, location, operands...);
  }

  mlir::OpBuilder &builder;
  mlir::Location location;
};

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_SCALARBUILDER_H
