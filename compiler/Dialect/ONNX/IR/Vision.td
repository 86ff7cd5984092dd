// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that sample images at computed places.

#ifndef CAMEO_DIALECT_ONNX_IR_VISION_TD
#define CAMEO_DIALECT_ONNX_IR_VISION_TD

include "Dialect/ONNX/IR/OnnxBase.td"

def ONNX_ResizeOp : ONNX_Op<"Resize", 19, [AttrSizedOperandSegments, Pure]> {
  let summary = "A tensor sampled at another resolution";
  let description = [{
    An operand without elements is as good as absent. A scale makes an extent of
    floor(extent * scale), where the scale is the fraction of the smallest
    denominator that rounds to the given f32: 0.7f is 7/10, so that 10 becomes 7, as
    by the f32 product of other implementations, and of scales that only the run
    knows. As there, `roi` does not change the
    extents.

    Constraints:
    * C1: either `scales` or `sizes` is given.
    * C2: `axes` are in [-r, r) and differ; `scales`, `sizes` and half of `roi` have
      one element per axis of `axes`, or of `X` without `axes`.
    * C3: scales are in [2^-20, 2^20].
    * C4: sizes are not negative, and 0 only where the extent is.
    * C5: `mode`, `nearest_mode`, `coordinate_transformation_mode` and
      `keep_aspect_ratio_policy` have a name that ONNX knows.
    * C6: `roi` is given for tf_crop_and_resize.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic, "T1">>:$X,
                       Optional<Host<ONNX_TensorOf<[F16, F32, F64], "T2">>>:$roi,
                       Optional<Host<ONNX_TensorOf<[F32]>>>:$scales,
                       Optional<Bounded<ONNX_I64Tensor>>:$sizes,
                       DefaultValuedAttr<ONNX_Int, "0">:$antialias,
                       OptionalAttr<DenseI64ArrayAttr>:$axes,
                       DefaultValuedStrAttr<StrAttr, "half_pixel">:$coordinate_transformation_mode,
                       DefaultValuedAttr<F32Attr, "-0.75f">:$cubic_coeff_a,
                       DefaultValuedAttr<ONNX_Int, "0">:$exclude_outside,
                       DefaultValuedAttr<F32Attr, "0.0f">:$extrapolation_value,
                       DefaultValuedStrAttr<StrAttr, "stretch">:$keep_aspect_ratio_policy,
                       DefaultValuedStrAttr<StrAttr, "nearest">:$mode,
                       DefaultValuedStrAttr<StrAttr, "round_prefer_floor">:$nearest_mode);
  let results = (outs ONNX_TensorOf<ONNX_Classic, "T1">:$Y);
}

def ONNX_GridSampleOp : ONNX_Op<"GridSample", 22, [Pure]> {
  let summary = "A tensor sampled at the places that a grid names";
  let description = [{
    Constraints:
    * C1: `X` and `grid` have the same rank, 3 or more, and batch.
    * C2: the last extent of `grid` is the number of spatial axes.
    * C3: `mode` is linear, nearest or cubic; `padding_mode` zeros, border or
      reflection.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic, "T1">>:$X,
                       Data<ONNX_TensorOf<ONNX_Floats, "T2">>:$grid,
                       DefaultValuedAttr<ONNX_Int, "0">:$align_corners,
                       DefaultValuedStrAttr<StrAttr, "linear">:$mode,
                       DefaultValuedStrAttr<StrAttr, "zeros">:$padding_mode);
  let results = (outs ONNX_TensorOf<ONNX_Classic, "T1">:$Y);
}

def ONNX_AffineGridOp : ONNX_Op<"AffineGrid", 20, [Pure]> {
  let summary = "The grid of places that affine maps send an image to";
  let description = [{
    Constraints:
    * C1: `theta` is [N, 2, 3] or [N, 3, 4].
    * C2: `size` has 4 elements for the former, 5 for the latter; none is negative.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats, "T1">>:$theta,
                       Host<ONNX_TensorOf<[I64], "T2">>:$size,
                       DefaultValuedAttr<ONNX_Int, "0">:$align_corners);
  let results = (outs ONNX_TensorOf<ONNX_Floats, "T1">:$grid);
}

def ONNX_RoiAlignOp : ONNX_Op<"RoiAlign", 22, [Pure]> {
  let summary = "Regions of feature maps pooled by bilinear samples";
  let description = [{
    Constraints:
    * C1: `X` has rank 4, `rois` is [R, 4], `batch_indices` [R].
    * C2: `output_height` and `output_width` are positive, `sampling_ratio` is not
      negative.
    * C3: `mode` is avg or max; `coordinate_transformation_mode` half_pixel or
      output_half_pixel.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats, "T1">>:$X,
                       Data<ONNX_TensorOf<ONNX_Floats, "T1">>:$rois,
                       Param<ONNX_TensorOf<[I64], "T2">>:$batch_indices,
                       DefaultValuedStrAttr<StrAttr, "half_pixel">:$coordinate_transformation_mode,
                       DefaultValuedStrAttr<StrAttr, "avg">:$mode,
                       DefaultValuedAttr<ONNX_Int, "1">:$output_height,
                       DefaultValuedAttr<ONNX_Int, "1">:$output_width,
                       DefaultValuedAttr<ONNX_Int, "0">:$sampling_ratio,
                       DefaultValuedAttr<F32Attr, "1.0f">:$spatial_scale);
  let results = (outs ONNX_TensorOf<ONNX_Floats, "T1">:$Y);
}

def ONNX_MaxRoiPoolOp : ONNX_Op<"MaxRoiPool", 22, [Pure]> {
  let summary = "Regions of feature maps pooled by the maximum";
  let description = [{
    Constraints:
    * C1: `X` has rank 4, `rois` is [R, 5].
    * C2: `pooled_shape` is two positive numbers.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X, Data<ONNX_TensorOf<ONNX_Floats>>:$rois,
                       DenseI64ArrayAttr:$pooled_shape,
                       DefaultValuedAttr<F32Attr, "1.0f">:$spatial_scale);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y);
}

def ONNX_ImageDecoderOp : ONNX_Op<"ImageDecoder", 20, [Pure]> {
  let summary = "The pixels of an encoded image";
  let description = [{
    Constraints:
    * C1: `encoded_stream` has rank 1.
    * C2: `pixel_format` is RGB, BGR or Grayscale.
  }];
  let arguments = (ins Data<ONNX_TensorOf<[UI8], "T1">>:$encoded_stream,
                       DefaultValuedStrAttr<StrAttr, "RGB">:$pixel_format);
  let results = (outs ONNX_TensorOf<[UI8], "T2">:$image);
}

#endif // CAMEO_DIALECT_ONNX_IR_VISION_TD
