// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion between real numbers and quantised ones. Quantised products are in Linear.td and Conv.td.

#ifndef CAMEO_DIALECT_ONNX_IR_QUANT_TD
#define CAMEO_DIALECT_ONNX_IR_QUANT_TD

include "Dialect/ONNX/IR/OnnxBase.td"

defvar ONNX_QuantElements = [I8, UI8, I16, UI16, ONNX_I4, ONNX_UI4, ONNX_I2,
                             ONNX_UI2] # ONNX_Float8s
                            # [F4E2M1FN] # ONNX_Float6s;

def ONNX_QuantizeLinearOp : ONNX_Op<"QuantizeLinear", 28, [Pure]> {
  let summary = "saturate(round(x / y_scale) + y_zero_point)";
  let description = [{
    A scale is for the whole tensor (one element), for each place along `axis` (rank
    1), or, with `block_size`, for each block of places along `axis`.

    Constraints:
    * C1: the result's type is that of `y_zero_point`, else `output_dtype`, else u8;
      when both are given they agree.
    * C2: `axis` is in [-r, r), unless the scale is for the whole tensor.
    * C3: a scale of rank 1 has one element per place along `axis`.
    * C4: `block_size` is not negative; with it, the scale has the rank of `x` and
      ceil(extent / block_size) places along `axis`.
    * C5: `y_zero_point` has the extents of `y_scale`, or both have one element.
    * C6: `precision` is a float type or 0.
    * C7: no element of `y_scale` is 0, negative, infinite or NaN.
  }];
  let arguments = (ins Data<ONNX_TensorOf<[F16, BF16, F32, I32], "T1">>:$x,
                       Param<ONNX_TensorOf<[F16, BF16, F32, F8E8M0FNU, I32], "T2">>:$y_scale,
                       Optional<Param<ONNX_TensorOf<ONNX_QuantElements, "T3">>>:$y_zero_point,
                       DefaultValuedAttr<ONNX_Int, "1">:$axis,
                       DefaultValuedAttr<ONNX_Int, "0">:$block_size,
                       DefaultValuedAttr<ONNX_Int, "0">:$output_dtype,
                       DefaultValuedAttr<ONNX_Int, "0">:$precision,
                       DefaultValuedAttr<ONNX_Int, "1">:$saturate);
  let results = (outs ONNX_TensorOf<ONNX_QuantElements, "T3">:$y);
  let extraDecls = [{
    /// In which x is divided by its scale: `precision`, else the type of the
    /// scale, where that can divide.
    ::mlir::Type getDivisionType();
    /// The least and the most that an integer of the result's type can be.
    std::pair<double, double> getRange();
  }];
}

def ONNX_DequantizeLinearOp : ONNX_Op<"DequantizeLinear", 28, [Pure]> {
  let summary = "(x - x_zero_point) * x_scale";
  let description = [{
    Constraints:
    * C1: the result's type is `output_dtype` if that is given, else that of
      `x_scale`.
    * C2 to C5: as for QuantizeLinear.
  }];
  defvar elements = ONNX_QuantElements # [I32];
  let arguments = (ins Data<ONNX_TensorOf<elements, "T1">>:$x,
                       Param<ONNX_TensorOf<[F16, BF16, F32, F8E8M0FNU], "T2">>:$x_scale,
                       Optional<Param<ONNX_TensorOf<elements, "T1">>>:$x_zero_point,
                       DefaultValuedAttr<ONNX_Int, "1">:$axis,
                       DefaultValuedAttr<ONNX_Int, "0">:$block_size,
                       DefaultValuedAttr<ONNX_Int, "0">:$output_dtype);
  let results = (outs ONNX_TensorOf<[F16, BF16, F32], "T3">:$y);
}

def ONNX_DynamicQuantizeLinearOp : ONNX_Op<"DynamicQuantizeLinear", 11, [Pure]> {
  let summary = "QuantizeLinear to u8 with scale and zero point taken from the data";
  let arguments = (ins Data<ONNX_TensorOf<[F32]>>:$x);
  let results = (outs ONNX_TensorOf<[UI8]>:$y, ONNX_TensorOf<[F32]>:$y_scale,
                      ONNX_TensorOf<[UI8]>:$y_zero_point);
}

#endif // CAMEO_DIALECT_ONNX_IR_QUANT_TD
