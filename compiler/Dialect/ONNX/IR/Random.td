// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers. Two of these operators with the same operands and attributes are not the same value.

#ifndef CAMEO_DIALECT_ONNX_IR_RANDOM_TD
#define CAMEO_DIALECT_ONNX_IR_RANDOM_TD

include "Dialect/ONNX/IR/OnnxBase.td"

/// As an allocation: removed when nothing uses it, never merged with another.
class ONNX_Random<string opType, list<Trait> traits = []>
    : ONNX_Op<opType, 22, [MemoryEffects<[MemAlloc]>] # traits>;

class ONNX_RandomLike<string opType> : ONNX_Random<opType> {
  let description = [{
    Constraints:
    * C1: `dtype` is a type that the result may have; without it, the type of `input`
      is.
    * C2: `low` and `high`, if it has them, are finite, and `low` is not above `high`.
  }];
  let results = (outs ONNX_TensorOf<ONNX_Floats, "T2">:$output);
  let inferBody = "return inferLike(infer, getDtype());";
}

def ONNX_RandomUniformLikeOp : ONNX_RandomLike<"RandomUniformLike"> {
  let summary = "Numbers spread evenly over [low, high), with the extents of another tensor";
  let arguments = (ins DimsOnly<ONNX_TensorOf<ONNX_Classic, "T1">>:$input,
                       OptionalAttr<ONNX_Int>:$dtype, DefaultValuedAttr<F32Attr, "1.0f">:$high,
                       DefaultValuedAttr<F32Attr, "0.0f">:$low, OptionalAttr<F32Attr>:$seed);
  let inferBody = [{
    return failure(failed(requireInterval(infer, getLow(), getHigh(), "C2")) ||
                   failed(inferLike(infer, getDtype())));
  }];
}

def ONNX_RandomNormalLikeOp : ONNX_RandomLike<"RandomNormalLike"> {
  let summary = "Numbers of a normal distribution, with the extents of another tensor";
  let arguments = (ins DimsOnly<ONNX_TensorOf<ONNX_Classic, "T1">>:$input,
                       OptionalAttr<ONNX_Int>:$dtype, DefaultValuedAttr<F32Attr, "0.0f">:$mean,
                       DefaultValuedAttr<F32Attr, "1.0f">:$scale, OptionalAttr<F32Attr>:$seed);
}

class ONNX_RandomOfShape<string opType> : ONNX_Random<opType> {
  let description = [{
    Constraints:
    * C1: `dtype` is a type that the result may have.
    * C2: no element of `shape` is negative.
    * C3: `low` and `high`, if it has them, are finite, and `low` is not above `high`.
  }];
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$output);
  let inferBody = "return inferOfShape(infer, getDtype(), getShape());";
}

def ONNX_RandomUniformOp : ONNX_RandomOfShape<"RandomUniform"> {
  let summary = "Numbers spread evenly over [low, high)";
  let arguments = (ins DefaultValuedAttr<ONNX_Int, "1">:$dtype,
                       DefaultValuedAttr<F32Attr, "1.0f">:$high,
                       DefaultValuedAttr<F32Attr, "0.0f">:$low, OptionalAttr<F32Attr>:$seed,
                       DenseI64ArrayAttr:$shape);
  let inferBody = [{
    return failure(failed(requireInterval(infer, getLow(), getHigh(), "C3")) ||
                   failed(inferOfShape(infer, getDtype(), getShape())));
  }];
}

def ONNX_RandomNormalOp : ONNX_RandomOfShape<"RandomNormal"> {
  let summary = "Numbers of a normal distribution";
  let arguments = (ins DefaultValuedAttr<ONNX_Int, "1">:$dtype,
                       DefaultValuedAttr<F32Attr, "0.0f">:$mean,
                       DefaultValuedAttr<F32Attr, "1.0f">:$scale, OptionalAttr<F32Attr>:$seed,
                       DenseI64ArrayAttr:$shape);
}

def ONNX_BernoulliOp : ONNX_Random<"Bernoulli"> {
  let summary = "1 with the probability that the input says, else 0";
  let description = [{
    Constraints:
    * C1: `dtype` is a type that the result may have.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats, "T1">>:$input,
                       OptionalAttr<ONNX_Int>:$dtype, OptionalAttr<F32Attr>:$seed);
  let results = (outs ONNX_TensorOf<ONNX_Numbers # [I1], "T2">:$output);
  let inferBody = "return inferLike(infer, getDtype());";
}

def ONNX_MultinomialOp : ONNX_Random<"Multinomial"> {
  let summary = "Classes drawn by their log-probabilities";
  let description = [{
    Constraints:
    * C1: `dtype` is a type that the result may have.
    * C2: `input` has rank 2.
    * C3: `sample_size` is positive.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats, "T1">>:$input,
                       DefaultValuedAttr<ONNX_Int, "6">:$dtype,
                       DefaultValuedAttr<ONNX_Int, "1">:$sample_size,
                       OptionalAttr<F32Attr>:$seed);
  let results = (outs ONNX_TensorOf<[I32, I64], "T2">:$output);
}

def ONNX_DropoutOp : ONNX_Random<"Dropout", [AttrSizedOperandSegments]> {
  let summary = "Its input or, in training, its input with random elements set to 0";
  let description = [{
    Constraints:
    * C1: `ratio` and `training_mode` have one element.
  }];
  defvar elements = ONNX_Floats # ONNX_Float8s;
  let arguments = (ins Data<ONNX_TensorOf<elements>>:$data,
                       Optional<Param<ONNX_TensorOf<elements, "T1">>>:$ratio,
                       Optional<Param<ONNX_BoolTensor>>:$training_mode,
                       OptionalAttr<ONNX_Int>:$seed);
  let results = (outs ONNX_TensorOf<elements>:$output, ONNX_BoolTensor:$mask);
}

#endif // CAMEO_DIALECT_ONNX_IR_RANDOM_TD
