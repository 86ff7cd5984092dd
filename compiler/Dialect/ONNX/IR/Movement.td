// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that put elements in other places, by the index alone.

#ifndef CAMEO_DIALECT_ONNX_IR_MOVEMENT_TD
#define CAMEO_DIALECT_ONNX_IR_MOVEMENT_TD

include "Dialect/ONNX/IR/OnnxBase.td"

def ONNX_IdentityOp : ONNX_Op<"Identity", 25, [Pure]> {
  let summary = "Its input";
  let arguments = (ins Data<ONNX_AnyValue>:$input);
  let results = (outs ONNX_AnyValue:$output);
  let numberRange = "of(getInput())";
}

def ONNX_TransposeOp : ONNX_Op<"Transpose", 25, [Pure, ONNX_SelectsElements]> {
  let summary = "A tensor with its axes permuted";
  let description = [{
    Constraints:
    * C1: `perm` holds each axis once.
  }];
  let arguments = (ins Data<ONNX_AnyTensor>:$data, OptionalAttr<DenseI64ArrayAttr>:$perm);
  let results = (outs ONNX_AnyTensor:$transposed);
}

//===----------------------------------------------------------------------===//
// Parts and wholes
//===----------------------------------------------------------------------===//

def ONNX_ConcatOp : ONNX_Op<"Concat", 13, [Pure, ONNX_SelectsElements]> {
  let summary = "Tensors side by side along an axis";
  let description = [{
    Constraints:
    * C1: `axis` is in [-r, r).
    * C2: all inputs have the same rank, and the same extents except along `axis`.
  }];
  let arguments = (ins Variadic<Data<ONNX_TensorOf<ONNX_Classic>>>:$inputs, ONNX_Int:$axis);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$concat_result);
}

def ONNX_SplitOp : ONNX_Op<"Split", 18, [Pure]> {
  let summary = "A tensor cut into pieces along an axis";
  let description = [{
    With `num_outputs`, every piece has ceil(extent / num_outputs) elements while
    there are enough left.

    Constraints:
    * C1: `axis` is in [-r, r).
    * C2: either `split` or `num_outputs` is given; it tells the number of results.
    * C3: no element of `split` is negative, and their sum is the extent at `axis`.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$input,
                       Optional<Bounded<ONNX_I64Tensor>>:$split,
                       DefaultValuedAttr<ONNX_Int, "0">:$axis, OptionalAttr<ONNX_Int>:$num_outputs);
  let results = (outs Variadic<ONNX_TensorOf<ONNX_Classic>>:$outputs);
  let numberRange = "of(getInput())";
}

def ONNX_SliceOp : ONNX_Op<"Slice", 13, [AttrSizedOperandSegments, Pure, ONNX_SelectsElements]> {
  let summary = "Every step-th element between two ends, along some axes";
  let description = [{
    Starts and ends out of range are clamped.

    Constraints:
    * C1: `starts`, `ends`, `axes` and `steps` have rank 1 and the same length.
    * C2: `axes` are in [-r, r) and differ.
    * C3: no step is 0.
  }];
  defvar index = ONNX_TensorOf<[I32, I64], "Tind">;
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$data, Symbolic<index>:$starts,
                       Symbolic<index>:$ends, Optional<Host<index>>:$axes,
                       Optional<Host<index>>:$steps);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
  let extraDecls = [{
    /// The axes of `data`, whose rank is known, that are sliced.
    llvm::FailureOr<AxisList> getAxisList(ExtentInference &infer);
    /// The slice along each axis of `data`, whose rank is known.
    llvm::FailureOr<llvm::SmallVector<AxisSlice>> getAxisSlices(ExtentInference &infer);
  }];
}

//===----------------------------------------------------------------------===//
// More of the same
//===----------------------------------------------------------------------===//

def ONNX_TileOp : ONNX_Op<"Tile", 13, [Pure]> {
  let summary = "A tensor repeated along its axes";
  let description = [{
    Constraints:
    * C1: `repeats` has one element per axis of `input`.
    * C2: no element of `repeats` is negative.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$input, Bounded<ONNX_I64Tensor>:$repeats);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
  let numberRange = "of(getInput())";
}

def ONNX_PadOp : ONNX_Op<"Pad", 25, [AttrSizedOperandSegments, Pure]> {
  let summary = "A tensor with elements added or, where negative, removed at both ends of axes";
  let description = [{
    Constraints:
    * C1: `mode` is constant, reflect, edge or wrap.
    * C2: `axes` are in [-r, r) and differ.
    * C3: `pads` has two elements per axis.
    * C4: no extent becomes negative.
    * C5: `constant_value` has one element.
  }];
  let arguments = (ins Data<ONNX_AnyTensor>:$data, Bounded<ONNX_I64Tensor>:$pads,
                       Optional<Param<ONNX_AnyTensor>>:$constant_value,
                       Optional<Host<ONNX_TensorOf<[I32, I64], "Tind">>>:$axes,
                       DefaultValuedStrAttr<StrAttr, "constant">:$mode);
  let results = (outs ONNX_AnyTensor:$output);
  let extraDecls = [{
    /// The axes of `data`, whose rank is known, that are padded.
    llvm::FailureOr<AxisList> getAxisList(ExtentInference &infer);
    /// The pads of each axis of `data`, whose rank is known.
    llvm::FailureOr<AxisPads> getAxisPads(ExtentInference &infer);
  }];
}

def ONNX_CenterCropPadOp : ONNX_Op<"CenterCropPad", 18, [Pure]> {
  let summary = "A tensor cut or padded with zeros around its center";
  let description = [{
    Constraints:
    * C1: `axes` are in [-r, r) and differ.
    * C2: `shape` has one element per axis of `axes`, none of them negative.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$input_data,
                       Bounded<ONNX_TensorOf<[I32, I64], "Tind">>:$shape,
                       OptionalAttr<DenseI64ArrayAttr>:$axes);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output_data);
}

//===----------------------------------------------------------------------===//
// Rearrangements
//===----------------------------------------------------------------------===//

def ONNX_TriluOp : ONNX_Op<"Trilu", 14, [Pure]> {
  let summary = "The upper or lower triangle of matrices, zeros elsewhere";
  let description = [{
    Constraints:
    * C1: `input` has rank 2 or more.
    * C2: `k` has one element.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$input,
                       Optional<Param<ONNX_I64Tensor>>:$k,
                       DefaultValuedAttr<ONNX_Int, "1">:$upper);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
}

class ONNX_BlockOp<string opType> : ONNX_Op<opType, 28, [Pure]> {
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$input, ONNX_Int:$blocksize,
                       DefaultValuedStrAttr<StrAttr, "DCR">:$mode);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
}

def ONNX_DepthToSpaceOp : ONNX_BlockOp<"DepthToSpace"> {
  let summary = "Blocks of channels laid out over height and width";
  let description = [{
    Constraints:
    * C1: `input` has rank 4.
    * C2: `blocksize` is positive, and its square divides the number of channels.
    * C3: `mode` is DCR or CRD.
  }];
}

def ONNX_SpaceToDepthOp : ONNX_BlockOp<"SpaceToDepth"> {
  let summary = "Blocks of height and width gathered in channels";
  let description = [{
    Constraints:
    * C1: `input` has rank 4.
    * C2: `blocksize` is positive and divides height and width.
    * C3: `mode` is DCR or CRD.
  }];
}

def ONNX_ReverseSequenceOp : ONNX_Op<"ReverseSequence", 28, [Pure]> {
  let summary = "The beginning of each sequence of a batch reversed";
  let description = [{
    Constraints:
    * C1: `input` has rank 2 or more.
    * C2: one of `batch_axis` and `time_axis` is 0, the other 1.
    * C3: `sequence_lens` has one element per entry of the batch.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$input,
                       Param<ONNX_I64Tensor>:$sequence_lens,
                       DefaultValuedAttr<ONNX_Int, "1">:$batch_axis,
                       DefaultValuedAttr<ONNX_Int, "0">:$time_axis);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$Y);
}

#endif // CAMEO_DIALECT_ONNX_IR_MOVEMENT_TD
