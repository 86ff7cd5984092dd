// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operators: each is its scalar function and nothing else. Activations are in Activation.td.

#ifndef CAMEO_DIALECT_ONNX_IR_ELEMENTWISE_TD
#define CAMEO_DIALECT_ONNX_IR_ELEMENTWISE_TD

include "Dialect/ONNX/IR/OnnxBase.td"

/// Operators whose operand and result ONNX names `input` and `output` instead of `X` and `Y`.
class ONNX_NamedUnary<string opType, int since, list<Type> elements>
    : ONNX_Elementwise<opType, since> {
  let arguments = (ins Data<ONNX_TensorOf<elements>>:$input);
  let results = (outs ONNX_TensorOf<elements>:$output);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def ONNX_AddOp : ONNX_Binary<"Add", 14, ONNX_Numbers> { let scalar = "b.add(x[0], x[1])"; }
def ONNX_SubOp : ONNX_Binary<"Sub", 14, ONNX_Numbers> { let scalar = "b.sub(x[0], x[1])"; }
def ONNX_MulOp : ONNX_Binary<"Mul", 14, ONNX_Numbers> { let scalar = "b.mul(x[0], x[1])"; }
def ONNX_DivOp : ONNX_Binary<"Div", 14, ONNX_Numbers> { let scalar = "b.div(x[0], x[1])"; }

def ONNX_ModOp : ONNX_Elementwise<"Mod", 28> {
  let summary = "Remainder with the sign of the divisor or, with fmod, of the dividend";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Numbers>>:$A, Data<ONNX_TensorOf<ONNX_Numbers>>:$B,
                       DefaultValuedAttr<ONNX_Int, "0">:$fmod);
  let results = (outs ONNX_TensorOf<ONNX_Numbers>:$C);
  let scalar = "getFmod() != 0 ? b.fmod(x[0], x[1]) : b.mod(x[0], x[1])";
}

def ONNX_PowOp : ONNX_Elementwise<"Pow", 15> {
  let summary = "Power; the exponent may have another type";
  defvar base = ONNX_TensorOf<ONNX_Floats # [I32, I64]>;
  let arguments = (ins Data<base>:$X, Data<ONNX_TensorOf<ONNX_Numbers, "T1">>:$Y);
  let results = (outs base:$Z);
  let scalar = "b.pow(x[0], x[1])";
}

def ONNX_AbsOp : ONNX_Unary<"Abs", 13, ONNX_Numbers> { let scalar = "b.abs(x[0])"; }
def ONNX_NegOp : ONNX_Unary<"Neg", 13, ONNX_Floats # ONNX_Signed> { let scalar = "b.neg(x[0])"; }
def ONNX_SignOp : ONNX_NamedUnary<"Sign", 13, ONNX_Numbers> { let scalar = "b.sign(x[0])"; }
def ONNX_ReciprocalOp : ONNX_Unary<"Reciprocal", 13, ONNX_Floats> {
  let scalar = "b.reciprocal(x[0])";
}
def ONNX_FloorOp : ONNX_Unary<"Floor", 13, ONNX_Floats> { let scalar = "b.floor(x[0])"; }
def ONNX_CeilOp : ONNX_Unary<"Ceil", 13, ONNX_Floats> { let scalar = "b.ceil(x[0])"; }
def ONNX_RoundOp : ONNX_Unary<"Round", 22, ONNX_Floats> {
  let summary = "To the nearest integer, halves to the even one";
  let scalar = "b.round(x[0])";
}
def ONNX_SqrtOp : ONNX_Unary<"Sqrt", 13, ONNX_Floats> { let scalar = "b.sqrt(x[0])"; }

/// Any number of operands, combined from the left.
class ONNX_Variadic<string opType, list<Type> elements> : ONNX_Elementwise<opType, 13> {
  let arguments = (ins Variadic<Data<ONNX_TensorOf<elements>>>:$data_0);
}

def ONNX_SumOp : ONNX_Variadic<"Sum", ONNX_Floats> {
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$sum);
  let scalar = "foldLeft(x, [&](auto l, auto r) { return b.add(l, r); })";
}
def ONNX_MeanOp : ONNX_Variadic<"Mean", ONNX_Floats> {
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$mean);
  let scalar = [{b.div(foldLeft(x, [&](auto l, auto r) { return b.add(l, r); }),
                       b.constant(x[0], static_cast<double>(x.size())))}];
}
def ONNX_MaxOp : ONNX_Variadic<"Max", ONNX_Numbers> {
  let results = (outs ONNX_TensorOf<ONNX_Numbers>:$max);
  let scalar = "foldLeft(x, [&](auto l, auto r) { return b.max(l, r); })";
}
def ONNX_MinOp : ONNX_Variadic<"Min", ONNX_Numbers> {
  let results = (outs ONNX_TensorOf<ONNX_Numbers>:$min);
  let scalar = "foldLeft(x, [&](auto l, auto r) { return b.min(l, r); })";
}

//===----------------------------------------------------------------------===//
// Transcendental functions
//===----------------------------------------------------------------------===//

def ONNX_ExpOp : ONNX_NamedUnary<"Exp", 13, ONNX_Floats> { let scalar = "b.exp(x[0])"; }
def ONNX_LogOp : ONNX_NamedUnary<"Log", 13, ONNX_Floats> { let scalar = "b.log(x[0])"; }
def ONNX_ErfOp : ONNX_NamedUnary<"Erf", 13, ONNX_Floats> { let scalar = "b.erf(x[0])"; }
def ONNX_SinOp : ONNX_NamedUnary<"Sin", 22, ONNX_Floats> { let scalar = "b.sin(x[0])"; }
def ONNX_CosOp : ONNX_NamedUnary<"Cos", 22, ONNX_Floats> { let scalar = "b.cos(x[0])"; }
def ONNX_TanOp : ONNX_NamedUnary<"Tan", 22, ONNX_Floats> { let scalar = "b.tan(x[0])"; }
def ONNX_AsinOp : ONNX_NamedUnary<"Asin", 22, ONNX_Floats> { let scalar = "b.asin(x[0])"; }
def ONNX_AcosOp : ONNX_NamedUnary<"Acos", 22, ONNX_Floats> { let scalar = "b.acos(x[0])"; }
def ONNX_AtanOp : ONNX_NamedUnary<"Atan", 22, ONNX_Floats> { let scalar = "b.atan(x[0])"; }
def ONNX_SinhOp : ONNX_NamedUnary<"Sinh", 22, ONNX_Floats> { let scalar = "b.sinh(x[0])"; }
def ONNX_CoshOp : ONNX_NamedUnary<"Cosh", 22, ONNX_Floats> { let scalar = "b.cosh(x[0])"; }
def ONNX_AsinhOp : ONNX_NamedUnary<"Asinh", 22, ONNX_Floats> { let scalar = "b.asinh(x[0])"; }
def ONNX_AcoshOp : ONNX_NamedUnary<"Acosh", 22, ONNX_Floats> { let scalar = "b.acosh(x[0])"; }
def ONNX_AtanhOp : ONNX_NamedUnary<"Atanh", 22, ONNX_Floats> { let scalar = "b.atanh(x[0])"; }

//===----------------------------------------------------------------------===//
// Logic and bits
//===----------------------------------------------------------------------===//

def ONNX_AndOp : ONNX_Comparison<"And", 7, [I1]> { let scalar = "b.logicalAnd(x[0], x[1])"; }
def ONNX_OrOp : ONNX_Comparison<"Or", 7, [I1]> { let scalar = "b.logicalOr(x[0], x[1])"; }
def ONNX_XorOp : ONNX_Comparison<"Xor", 7, [I1]> { let scalar = "b.logicalXor(x[0], x[1])"; }
def ONNX_NotOp : ONNX_Unary<"Not", 1, [I1]> { let scalar = "b.logicalNot(x[0])"; }

def ONNX_BitwiseAndOp : ONNX_Binary<"BitwiseAnd", 18, ONNX_Integers> {
  let scalar = "b.bitAnd(x[0], x[1])";
}
def ONNX_BitwiseOrOp : ONNX_Binary<"BitwiseOr", 18, ONNX_Integers> {
  let scalar = "b.bitOr(x[0], x[1])";
}
def ONNX_BitwiseXorOp : ONNX_Binary<"BitwiseXor", 18, ONNX_Integers> {
  let scalar = "b.bitXor(x[0], x[1])";
}
def ONNX_BitwiseNotOp : ONNX_Unary<"BitwiseNot", 18, ONNX_Integers> {
  let scalar = "b.bitNot(x[0])";
}

def ONNX_BitShiftOp : ONNX_Elementwise<"BitShift", 28> {
  let summary = "Shift; to the right, copies of the sign bit come in";
  let description = [{
    Constraints:
    * C1: `direction` is LEFT or RIGHT.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Integers>>:$X,
                       Data<ONNX_TensorOf<ONNX_Integers>>:$Y, StrAttr:$direction);
  let results = (outs ONNX_TensorOf<ONNX_Integers>:$Z);
  let inferBody = "";
  let scalar = [{getDirection() == "LEFT" ? b.shiftLeft(x[0], x[1]) : b.shiftRight(x[0], x[1])}];
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

def ONNX_EqualOp : ONNX_Comparison<"Equal", 19, ONNX_Numbers # [I1, Core_StringType]> {
  let scalar = "b.equal(x[0], x[1])";
}
def ONNX_LessOp : ONNX_Comparison<"Less", 13, ONNX_Numbers> { let scalar = "b.less(x[0], x[1])"; }
def ONNX_LessOrEqualOp : ONNX_Comparison<"LessOrEqual", 16, ONNX_Numbers> {
  let scalar = "b.lessEqual(x[0], x[1])";
}
def ONNX_GreaterOp : ONNX_Comparison<"Greater", 13, ONNX_Numbers> {
  let scalar = "b.less(x[1], x[0])";
}
def ONNX_GreaterOrEqualOp : ONNX_Comparison<"GreaterOrEqual", 16, ONNX_Numbers> {
  let scalar = "b.lessEqual(x[1], x[0])";
}

class ONNX_FloatPredicate<string opType> : ONNX_Elementwise<opType, 20> {
  let results = (outs ONNX_BoolTensor:$Y);
  let element = "infer.boolType()";
}
def ONNX_IsNaNOp : ONNX_FloatPredicate<"IsNaN"> {
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats # ONNX_Float8s, "T1">>:$X);
  let scalar = "b.isNan(widen(b, x[0]))";
}
def ONNX_IsInfOp : ONNX_FloatPredicate<"IsInf"> {
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats # ONNX_Float8s, "T1">>:$X,
                       DefaultValuedAttr<ONNX_Int, "1">:$detect_negative,
                       DefaultValuedAttr<ONNX_Int, "1">:$detect_positive);
  let scalar = "isInfinity(b, x[0], getDetectNegative() != 0, getDetectPositive() != 0)";
}

//===----------------------------------------------------------------------===//
// Selection and conversion
//===----------------------------------------------------------------------===//

def ONNX_WhereOp : ONNX_Elementwise<"Where", 16> {
  let summary = "X where the condition holds, Y elsewhere";
  let arguments = (ins Data<ONNX_BoolTensor>:$condition,
                       Data<ONNX_TensorOf<ONNX_Classic>>:$X,
                       Data<ONNX_TensorOf<ONNX_Classic>>:$Y);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
  let elementFrom = 1;
  let scalar = "b.select(x[0], x[1], x[2])";
}

def ONNX_ClipOp : ONNX_Elementwise<"Clip", 13, [AttrSizedOperandSegments]> {
  let summary = "Values limited to a range; the maximum wins over the minimum";
  let description = [{
    Constraints:
    * C1: `min` and `max` have one element.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Numbers>>:$input,
                       Optional<Param<ONNX_TensorOf<ONNX_Numbers>>>:$min,
                       Optional<Param<ONNX_TensorOf<ONNX_Numbers>>>:$max);
  let results = (outs ONNX_TensorOf<ONNX_Numbers>:$output);
  let inferBody = "";
  let scalar = "clip(b, x[0], x[1], x[2])";
}

defvar ONNX_CastElements = ONNX_Numbers # [I1, Core_StringType] # ONNX_Float8s # [F8E8M0FNU]
                           # ONNX_SubByte;

def ONNX_CastOp : ONNX_Elementwise<"Cast", 28> {
  let summary = "Conversion to another element type";
  let description = [{
    Constraints:
    * C1: `to` is a type that `output` may have.
  }];
  defvar elements = ONNX_CastElements # ONNX_Float6s;
  let arguments = (ins Data<ONNX_TensorOf<elements, "T1">>:$input,
                       DefaultValuedStrAttr<StrAttr, "up">:$round_mode,
                       DefaultValuedAttr<ONNX_Int, "1">:$saturate, ONNX_Int:$to);
  let results = (outs ONNX_TensorOf<elements, "T2">:$output);
  let element = "infer.onnxType(getTo())";
  let scalar = "b.cast(x[0], elementTypeOf(getOutput()), getSaturate() != 0)";
}

def ONNX_CastLikeOp : ONNX_Elementwise<"CastLike", 25> {
  let summary = "Conversion to the element type of another tensor";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_CastElements, "T1">>:$input,
                       DimsOnly<ONNX_TensorOf<ONNX_CastElements, "T2">>:$target_type,
                       DefaultValuedStrAttr<StrAttr, "up">:$round_mode,
                       DefaultValuedAttr<ONNX_Int, "1">:$saturate);
  let results = (outs ONNX_TensorOf<ONNX_CastElements, "T2">:$output);
  let inferBody = "";
  let scalar = "b.cast(x[0], elementTypeOf(getOutput()), getSaturate() != 0)";
}

def ONNX_BitCastOp : ONNX_Elementwise<"BitCast", 26> {
  let summary = "The same bits under another element type";
  let description = [{
    Constraints:
    * C1: `to` is a type that `output` may have, as wide as that of `input`.
  }];
  defvar elements = ONNX_Numbers # [I1] # ONNX_Complexes # ONNX_Float8s # [F8E8M0FNU]
                    # ONNX_SubByte;
  let arguments = (ins Data<ONNX_TensorOf<elements, "T1">>:$input, ONNX_Int:$to);
  let results = (outs ONNX_TensorOf<elements, "T2">:$output);
  let inferBody = "";
  let scalar = "b.reinterpret(x[0], elementTypeOf(getOutput()))";
}

#endif // CAMEO_DIALECT_ONNX_IR_ELEMENTWISE_TD
