// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices and tensors.

#ifndef CAMEO_DIALECT_ONNX_IR_LINEAR_TD
#define CAMEO_DIALECT_ONNX_IR_LINEAR_TD

include "Dialect/ONNX/IR/OnnxBase.td"

def ONNX_MatMulOp : ONNX_Op<"MatMul", 13, [Pure]> {
  let summary = "Matrix product; leading axes broadcast";
  let description = [{
    An operand of rank 1 is a row on the left, a column on the right; that axis is
    absent from the result.

    Constraints:
    * C1: no operand is of rank 0.
    * C2: the last axis of `A` has the extent of the last but one of `B`.
  }];
  defvar tensor = ONNX_TensorOf<ONNX_Floats # [I32, I64, UI32, UI64]>;
  let arguments = (ins Data<tensor>:$A, Data<tensor>:$B);
  let results = (outs tensor:$Y);
  let inferBody = "return inferMatMul(infer, getA(), getB(), infer.elementType(0));";
}

def ONNX_MatMulIntegerOp : ONNX_Op<"MatMulInteger", 10, [AttrSizedOperandSegments, Pure]> {
  let summary = "Matrix product of quantised tensors, in 32 bits";
  let description = [{
    Constraints: those of MatMul, and
    * C3: a zero point has one element, or one for each row of `A` or column of `B`.
  }];
  let arguments = (ins Data<ONNX_TensorOf<[I8, UI8], "T1">>:$A,
                       Data<ONNX_TensorOf<[I8, UI8], "T2">>:$B,
                       Optional<Param<ONNX_TensorOf<[I8, UI8], "T1">>>:$a_zero_point,
                       Optional<Param<ONNX_TensorOf<[I8, UI8], "T2">>>:$b_zero_point);
  let results = (outs ONNX_TensorOf<[I32]>:$Y);
  let inferBody = [{
    return failure(
        failed(inferMatMul(infer, getA(), getB(), infer.onnxType(6))) ||
        failed(requirePerRow(infer, getAZeroPoint(), getA(), "a_zero_point (C3)")) ||
        failed(requirePerColumn(infer, getBZeroPoint(), getB(), "b_zero_point (C3)")));
  }];
}

def ONNX_QLinearMatMulOp : ONNX_Op<"QLinearMatMul", 21, [Pure]> {
  let summary = "Matrix product of quantised tensors, quantised again";
  let description = [{
    Constraints: those of MatMul, and
    * C3: scales and zero points have one element, or one for each row of `a` and of
      `y`, or for each column of `b`.
  }];
  defvar elements = [I8, UI8] # ONNX_Float8s;
  defvar scale = Param<ONNX_TensorOf<[F16, BF16, F32], "TS">>;
  let arguments = (ins Data<ONNX_TensorOf<elements, "T1">>:$a, scale:$a_scale,
                       Param<ONNX_TensorOf<elements, "T1">>:$a_zero_point,
                       Data<ONNX_TensorOf<elements, "T2">>:$b, scale:$b_scale,
                       Param<ONNX_TensorOf<elements, "T2">>:$b_zero_point, scale:$y_scale,
                       Param<ONNX_TensorOf<elements, "T3">>:$y_zero_point);
  let results = (outs ONNX_TensorOf<elements, "T3">:$y);
  let inferBody = [{
    return failure(
        failed(inferMatMul(infer, getA(), getB(), elementTypeOf(getYZeroPoint()))) ||
        failed(requirePerRow(infer, getAScale(), getA(), "a_scale (C3)")) ||
        failed(requirePerRow(infer, getAZeroPoint(), getA(), "a_zero_point (C3)")) ||
        failed(requirePerColumn(infer, getBScale(), getB(), "b_scale (C3)")) ||
        failed(requirePerColumn(infer, getBZeroPoint(), getB(), "b_zero_point (C3)")) ||
        failed(requirePerRow(infer, getYScale(), getY(), "y_scale (C3)")) ||
        failed(requirePerRow(infer, getYZeroPoint(), getY(), "y_zero_point (C3)")));
  }];
}

def ONNX_GemmOp : ONNX_Op<"Gemm", 13, [Pure]> {
  let summary = "alpha * A * B + beta * C, A and B transposed on request";
  let description = [{
    Constraints:
    * C1: `A` and `B` have rank 2.
    * C2: the rows of `A` are as long as the columns of `B`.
    * C3: `C` broadcasts to the extents of the product.
  }];
  defvar tensor = ONNX_TensorOf<ONNX_Floats # [I32, I64, UI32, UI64]>;
  let arguments = (ins Data<tensor>:$A, Data<tensor>:$B, Optional<Data<tensor>>:$C,
                       DefaultValuedAttr<F32Attr, "1.0f">:$alpha,
                       DefaultValuedAttr<F32Attr, "1.0f">:$beta,
                       DefaultValuedAttr<ONNX_Int, "0">:$transA,
                       DefaultValuedAttr<ONNX_Int, "0">:$transB);
  let results = (outs tensor:$Y);
}

def ONNX_EinsumOp : ONNX_Op<"Einsum", 28, [Pure]> {
  let summary = "A sum of products, written as an equation of axes";
  let description = [{
    Constraints:
    * C1: `equation` is terms of letters, each with at most one `...`, separated by
      commas, then `->` and a term, or nothing.
    * C2: there is one term per operand, and it has a letter per axis; `...` stands
      for the others, the same number in all operands.
    * C3: the term on the right holds each letter at most once, only letters that
      are on the left, and `...` where that stands for axes.
    * C4: axes of one letter have the same extent.
  }];
  let arguments = (ins Variadic<Data<ONNX_TensorOf<ONNX_Numbers>>>:$Inputs, StrAttr:$equation);
  let results = (outs ONNX_TensorOf<ONNX_Numbers>:$Output);
}

def ONNX_DetOp : ONNX_Op<"Det", 22, [Pure]> {
  let summary = "Determinants of square matrices";
  let description = [{
    Constraints:
    * C1: `X` has rank 2 or more.
    * C2: the last two extents of `X` are equal.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y);
}

#endif // CAMEO_DIALECT_ONNX_IR_LINEAR_TD
