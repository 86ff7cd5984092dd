// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Total operations on scalars: the bodies of kernels and functors, and host arithmetic. Each prints as
// one function of cameo/scalar.h, and on constants is computed by it.

#ifndef CAMEO_DIALECT_PROG_IR_SCALAROPS_TD
#define CAMEO_DIALECT_PROG_IR_SCALAROPS_TD

include "Dialect/Prog/IR/ProgDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Prog_ScalarOp<string function, list<Trait> traits = []>
    : Prog_Op<"s_" # function, traits # [Pure, DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  // The value over extents, an expression of `x` (the operands), or nothing.
  code onExtents = "::cameo::core::ExtentAttr()";
  // The bound of a float result, an expression of `x` (the bounds of the operands).
  code onBounds = "::cameo::prog::NumberBound()";
  // Between which numbers it lies, an expression of `x` (the operands' ranges).
  code onRanges = "::cameo::prog::NumberRange()";
  // See getCost().
  int cost = 1;
  // See isExact().
  bit exact = 1;
  // The element types that the function is defined on, and its arguments of such a type T: see
  // ScalarLoops.h.
  string domain = "Numbers";
  string arity = "Binary";
  // See getArrayFunction().
  code onArrays = "get<$cppClass, " # domain # ", " # !if(exact, "true", "false") # ", " # arity #
                  ">(getOperation()->getOperands().back().getType())";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The function itself.
    template <class... X> static auto apply(X... x);
  }];
  let extraClassDefinition = [{
    template <class... X> auto $cppClass::apply(X... x) { return ::cameo::}] # function # [{(x...); }
    llvm::StringRef $cppClass::getFunctionName() { return "}] # function # [{"; }
    unsigned $cppClass::getCost() { return }] # cost # [{; }
    bool $cppClass::isExact() {
      return }] # exact # [{ || llvm::none_of(getOperation()->getOperandTypes(),
                                              llvm::IsaPred<mlir::FloatType>);
    }
    ::cameo::prog::ArrayFunction $cppClass::getArrayFunction() {
      using namespace ::cameo::prog::loops;
      return }] # onArrays # [{;
    }
    ::cameo::core::ExtentAttr $cppClass::evaluateExtents(
        llvm::ArrayRef<::cameo::core::ExtentAttr> x, const ::cameo::core::ExtentFacts &facts) {
      using namespace ::cameo::core;
      (void)x; (void)facts;
      return }] # onExtents # [{;
    }
    ::cameo::prog::NumberBound $cppClass::evaluateBounds(
        llvm::ArrayRef<::cameo::prog::NumberBound> x) {
      (void)x;
      return }] # onBounds # [{;
    }
    ::cameo::prog::NumberRange $cppClass::evaluateRange(
        llvm::ArrayRef<::cameo::prog::NumberRange> x, const ::cameo::core::ExtentFacts &facts) {
      using ::cameo::prog::NumberRange;
      (void)x; (void)facts;
      return }] # onRanges # [{;
    }
    mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::cameo::prog::foldScalar(getOperation(), adaptor.getOperands());
    }
  }];
}

class Prog_UnaryOp<string function> : Prog_ScalarOp<function, [SameOperandsAndResultType]> {
  let arity = "Unary";
  let arguments = (ins Prog_Scalar:$x);
  let results = (outs Prog_Scalar:$output);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

class Prog_BinaryOp<string function> : Prog_ScalarOp<function, [SameOperandsAndResultType]> {
  let arguments = (ins Prog_Scalar:$a, Prog_Scalar:$b);
  let results = (outs Prog_Scalar:$output);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a)";
}

class Prog_PredicateOp<string function> : Prog_ScalarOp<function> {
  let arity = "Unary";
  let arguments = (ins Prog_Scalar:$x);
  let results = (outs I1:$output);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

class Prog_CompareOp<string function>
    : Prog_ScalarOp<function, [SameTypeOperands]> {
  let domain = "Ordered";
  let arguments = (ins Prog_Scalar:$a, Prog_Scalar:$b);
  let results = (outs I1:$output);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a)";
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

def Prog_SConstantOp : Prog_Op<"s_constant", [Pure, ConstantLike, AllTypesMatch<["value", "output"]>]> {
  let summary = "A scalar constant";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Prog_Scalar:$output);
  let hasFolder = 1;
  let assemblyFormat = "$value attr-dict";
}

def Prog_SExtentOp : Prog_Op<"s_extent", [Pure]> {
  let summary = "The value of an extent";
  let arguments = (ins Prog_Extent:$extent);
  let results = (outs I64:$output);
  let hasFolder = 1;
  let assemblyFormat = "$extent attr-dict";
}

def Prog_SIndexOp : Prog_Op<"s_index", [Pure, ParentOneOf<["KernelOp", "LoadOp", "StoreOp"]>]> {
  let summary = "A coordinate of the point that a body is evaluated at";
  let arguments = (ins I64Attr:$dim);
  let results = (outs I64:$output);
  let assemblyFormat = "$dim attr-dict";
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

let onBounds = "x[0] + x[1]" in {
def Prog_SAddOp : Prog_BinaryOp<"add"> {
  let onExtents = "x[0] + x[1]";
  let onRanges = "x[0] + x[1]";
}
def Prog_SSubOp : Prog_BinaryOp<"sub"> {
  let onExtents = "x[0] - x[1]";
  let onRanges = "x[0] - x[1]";
}
}
def Prog_SMulOp : Prog_BinaryOp<"mul"> {
  let onExtents = "x[0] * x[1]";
  let onBounds = "x[0] * x[1]";
  let onRanges = "x[0].multiply(x[1], facts)";
}
def Prog_SDivOp : Prog_BinaryOp<"div"> {
  let cost = 4;
  let summary = "Division; integers truncate, by zero gives 0";
  let onExtents = "truncatingDiv(x[0], x[1], facts)";
  let onRanges = "x[0].divide(x[1], facts)";
}
def Prog_SModOp : Prog_BinaryOp<"mod"> {
  let cost = 4;
  let summary = "Remainder with the divisor's sign; by zero gives 0";
  let onExtents = "flooringMod(x[0], x[1], facts)";
  let onRanges = "x[0].mod(x[1], facts)";
}
def Prog_SFmodOp : Prog_BinaryOp<"fmod"> {
  let cost = 16;
  let summary = "Remainder with the dividend's sign";
}
def Prog_SPowOp : Prog_ScalarOp<"pow", [AllTypesMatch<["a", "output"]>]> {
  let cost = 16;
  let exact = 0;
  let summary = "Power; the exponent may have another type than the base";
  let onArrays = "getOfPair<$cppClass, Integers>(getA().getType(), getB().getType())";
  let arguments = (ins Prog_Scalar:$a, Prog_Scalar:$b);
  let results = (outs Prog_Scalar:$output);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a) `,` type($b)";
}
let onBounds = "x[0].join(x[1])" in {
def Prog_SMinOp : Prog_BinaryOp<"min"> {
  let summary = "Minimum; NaN if either is";
  let domain = "Ordered";
  let onExtents = "x[0].min(x[1])";
  let onRanges = "x[0].min(x[1])";
}
def Prog_SMaxOp : Prog_BinaryOp<"max"> {
  let summary = "Maximum; NaN if either is";
  let domain = "Ordered";
  let onExtents = "x[0].max(x[1])";
  let onRanges = "x[0].max(x[1])";
}
}
def Prog_SClampOp : Prog_ScalarOp<"clamp", [SameOperandsAndResultType]> {
  let summary = "max(x, low), then min(x, high), where low <= high";
  let domain = "Ordered";
  let arity = "Ternary";
  let arguments = (ins Prog_Scalar:$x, Prog_Scalar:$low, Prog_Scalar:$high);
  let results = (outs Prog_Scalar:$output);
  let onBounds = "x[0].join(x[1]).join(x[2])";
  let onRanges = "x[0].max(x[1]).min(x[2])";
  let assemblyFormat = "$x `,` $low `,` $high attr-dict `:` type($x)";
}
let onBounds = "x[0]" in {
def Prog_SNegOp : Prog_UnaryOp<"neg"> {
  let onExtents = "x[0] * -1";
  let onRanges = "-x[0]";
}
def Prog_SAbsOp : Prog_UnaryOp<"abs"> {
  let onExtents = "range(x[0], facts).atLeast(0) ? x[0] : x[0].max(-x[0])";
  let onRanges = "x[0].abs()";
}
}
defvar onMinusOneToOne = "NumberRange::constants(getContext(), -1, 1)";
let onRanges = onMinusOneToOne in {
def Prog_SSignOp : Prog_UnaryOp<"sign">;
}
let cost = 4, domain = "Floats" in {
def Prog_SReciprocalOp : Prog_UnaryOp<"reciprocal">;
}
let onExtents = "x[0]", onBounds = "x[0].round()", onRanges = "x[0]" in {
def Prog_SFloorOp : Prog_UnaryOp<"floor">;
def Prog_SCeilOp : Prog_UnaryOp<"ceil">;
def Prog_SRoundOp : Prog_UnaryOp<"round"> {
  let summary = "To the nearest integer, halves to even";
}
}
let cost = 4, domain = "Floats" in {
def Prog_SSqrtOp : Prog_UnaryOp<"sqrt">;
}
let cost = 16, exact = 0, domain = "Floats" in {
def Prog_SExpOp : Prog_UnaryOp<"exp">;
def Prog_SLogOp : Prog_UnaryOp<"log">;
let onRanges = onMinusOneToOne in {
def Prog_SSinOp : Prog_UnaryOp<"sin">;
def Prog_SCosOp : Prog_UnaryOp<"cos">;
}
def Prog_STanOp : Prog_UnaryOp<"tan">;
def Prog_SAsinOp : Prog_UnaryOp<"asin">;
def Prog_SAcosOp : Prog_UnaryOp<"acos">;
def Prog_SAtanOp : Prog_UnaryOp<"atan">;
def Prog_SSinhOp : Prog_UnaryOp<"sinh">;
def Prog_SCoshOp : Prog_UnaryOp<"cosh">;
let onRanges = onMinusOneToOne in {
def Prog_STanhOp : Prog_UnaryOp<"tanh">;
}
def Prog_SAsinhOp : Prog_UnaryOp<"asinh">;
def Prog_SAcoshOp : Prog_UnaryOp<"acosh">;
def Prog_SAtanhOp : Prog_UnaryOp<"atanh">;
let onRanges = onMinusOneToOne in {
def Prog_SErfOp : Prog_UnaryOp<"erf">;
}
let onRanges = "NumberRange::constants(getContext(), 0, 1)" in {
def Prog_SSigmoidOp : Prog_UnaryOp<"sigmoid">;
}
}

//===----------------------------------------------------------------------===//
// Logic and bits
//===----------------------------------------------------------------------===//

// Truth values are the extents 0 and 1.
let domain = "Bools" in {
def Prog_SAndOp : Prog_BinaryOp<"logical_and"> { let onExtents = "x[0].min(x[1])"; }
def Prog_SOrOp : Prog_BinaryOp<"logical_or"> { let onExtents = "x[0].max(x[1])"; }
def Prog_SXorOp : Prog_BinaryOp<"logical_xor"> {
  let onExtents = "decideNotEqual(x[0], x[1], facts)";
}
def Prog_SNotOp : Prog_UnaryOp<"logical_not"> { let onExtents = "x[0] * -1 + 1"; }
}
let domain = "Integers" in {
def Prog_SBitAndOp : Prog_BinaryOp<"bit_and">;
def Prog_SBitOrOp : Prog_BinaryOp<"bit_or">;
def Prog_SBitXorOp : Prog_BinaryOp<"bit_xor">;
def Prog_SBitNotOp : Prog_UnaryOp<"bit_not">;
def Prog_SShiftLeftOp : Prog_BinaryOp<"shift_left"> {
  let summary = "Shift; by the width or more gives 0";
}
def Prog_SShiftRightOp : Prog_BinaryOp<"shift_right">;
}

//===----------------------------------------------------------------------===//
// Comparison, selection, conversion
//===----------------------------------------------------------------------===//

def Prog_SEqualOp : Prog_CompareOp<"equal"> { let onExtents = "decideEqual(x[0], x[1], facts)"; }
def Prog_SLessOp : Prog_CompareOp<"less"> { let onExtents = "decideLess(x[0], x[1], facts)"; }
def Prog_SLessEqualOp : Prog_CompareOp<"less_equal"> {
  let onExtents = "decideLess(x[0], x[1] + 1, facts)";
}
def Prog_SIsNanOp : Prog_PredicateOp<"is_nan">;
def Prog_SIsInfOp : Prog_PredicateOp<"is_inf">;
def Prog_SSelectOp : Prog_ScalarOp<"select", [AllTypesMatch<["a", "b", "output"]>]> {
  let summary = "The second operand if the first is true, else the third";
  let domain = "Elements";
  let arity = "Selection";
  let arguments = (ins I1:$condition, Prog_Scalar:$a, Prog_Scalar:$b);
  let results = (outs Prog_Scalar:$output);
  let onExtents = "x[0].isConstant() ? (x[0].isConstant(0) ? x[2] : x[1])"
                  " : (x[1] == x[2] ? x[1] : ::cameo::core::ExtentAttr())";
  let onBounds = "x[1].join(x[2])";
  let onRanges = "x[1].join(x[2])";
  let assemblyFormat = "$condition `,` $a `,` $b attr-dict `:` type($a)";
}
def Prog_SCastOp : Prog_ScalarOp<"cast"> {
  let summary = "Conversion between element types";
  let description = [{
    Float to integer saturates and maps NaN to 0; integers wrap; floats round to
    nearest even; `saturate` says what float8 does with values out of range.
    Of a float that becomes an integer of 8 or 16 bits, `number` says that it
    is not NaN, `whole` that it is a whole number besides.
    Prints as `cast<T>(x)`, and those as functions that take fewer steps.
  }];
  let onArrays = "getCast(getX().getType(), getType(), getSaturate())";
  let arguments = (ins Prog_Scalar:$x, DefaultValuedAttr<BoolAttr, "true">:$saturate,
                       UnitAttr:$number, UnitAttr:$whole);
  let results = (outs Prog_Scalar:$output);
  let onExtents = "x[0]";
  let onBounds = "x[0]";
  let onRanges = "x[0].convert(getX().getType(), getType(), facts)";
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($output)";
}

def Prog_SQuantizeOp : Prog_ScalarOp<"quantize"> {
  let summary = "To the nearest whole number, plus a zero point, as an integer of 8 or 16 bits";
  let description = [{
    Halves to even; saturates. `x` is not NaN, `zero_point`, 0 where there is none, a number of the
    integer type. What Fusion makes of a conversion of a rounded number. Prints as
    `quantize<T>(x, zero_point)`.
  }];
  let onArrays = "nullptr";
  let arguments = (ins F32:$x, Optional<F32>:$zero_point);
  let results = (outs Prog_Scalar:$output);
  let assemblyFormat = "$x (`,` $zero_point^)? attr-dict `:` type($output)";
}

def Prog_SReinterpretOp : Prog_ScalarOp<"reinterpret"> {
  let summary = "The same bits as an element of another type of as many";
  let description = [{ Prints as `reinterpret<T>(x)`. }];
  let onArrays = "getReinterpret(getX().getType(), getType())";
  let arguments = (ins Prog_Scalar:$x);
  let results = (outs Prog_Scalar:$output);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($output)";
}

//===----------------------------------------------------------------------===//
// Random bits
//===----------------------------------------------------------------------===//

/// 64 bits that are a function of the operands alone, so that a body which is evaluated twice, or
/// elsewhere, draws the same.
class Prog_RandomOp<string function> : Prog_ScalarOp<function> {
  let cost = 40;
  let onArrays = "Loop<$cppClass, Types<int64_t, int64_t, int64_t>>::run";
  let arguments = (ins I64:$seed, I64:$draw, I64:$position);
  let results = (outs UI64:$output);
  let assemblyFormat = "$seed `,` $draw `,` $position attr-dict";
}
def Prog_SRandomLowOp : Prog_RandomOp<"random_low">;
def Prog_SRandomHighOp : Prog_RandomOp<"random_high">;

#endif // CAMEO_DIALECT_PROG_IR_SCALAROPS_TD
