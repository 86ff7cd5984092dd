// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that take elements from, or put them into, places that an operand names, and operators that
// name places.

#ifndef CAMEO_DIALECT_ONNX_IR_INDEXING_TD
#define CAMEO_DIALECT_ONNX_IR_INDEXING_TD

include "Dialect/ONNX/IR/OnnxBase.td"

defvar ONNX_Indices = Param<ONNX_TensorOf<[I32, I64], "Tind">>;

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

def ONNX_GatherOp : ONNX_Op<"Gather", 13, [Pure, ONNX_LinearTime, ONNX_RaisesInKernel]> {
  let summary = "Slices along an axis, by their positions";
  let description = [{
    Constraints:
    * C1: `data` has rank 1 or more.
    * C2: `axis` is in [-r, r).
    * C3: indices are in [-s, s), s being the extent at `axis`.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$data, ONNX_Indices:$indices,
                       DefaultValuedAttr<ONNX_Int, "0">:$axis);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
  let numberRange = "of(getData())";
}

def ONNX_GatherElementsOp : ONNX_Op<"GatherElements", 13, [Pure]> {
  let summary = "Elements by their positions along one axis";
  let description = [{
    Constraints:
    * C1: `data` and `indices` have the same rank, 1 or more.
    * C2: `axis` is in [-r, r).
    * C3: indices are in [-s, s), s being the extent at `axis`.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$data, ONNX_Indices:$indices,
                       DefaultValuedAttr<ONNX_Int, "0">:$axis);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
  let numberRange = "of(getData())";
}

def ONNX_GatherNDOp : ONNX_Op<"GatherND", 13, [Pure]> {
  let summary = "Slices by tuples of positions";
  let description = [{
    Constraints:
    * C1: `data` and `indices` have rank 1 or more.
    * C2: `batch_dims` is not negative and below both ranks.
    * C3: tuples have 1 to r - batch_dims elements, r being the rank of `data`.
    * C4: the first `batch_dims` extents of `data` and `indices` are equal.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$data, Param<ONNX_I64Tensor>:$indices,
                       DefaultValuedAttr<ONNX_Int, "0">:$batch_dims);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
  let numberRange = "of(getData())";
  let extraDecls = [{
    /// How many positions a tuple of indices has: their last extent or, where only the
    /// run knows that, what the ranks leave, that of the result among them where it is declared.
    std::optional<int64_t> getTupleLength();
  }];
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

def ONNX_ScatterElementsOp : ONNX_Op<"ScatterElements", 18, [Pure]> {
  let summary = "A tensor with elements replaced, or combined, at positions along one axis";
  let description = [{
    Updates count in the order of their indices.

    Constraints:
    * C1: `data`, `indices` and `updates` have the same rank, 1 or more.
    * C2: `axis` is in [-r, r).
    * C3: `indices` and `updates` have the same extents.
    * C4: `reduction` is none, add, mul, max or min.
    * C5: indices are in [-s, s), s being the extent at `axis`.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$data, ONNX_Indices:$indices,
                       Data<ONNX_TensorOf<ONNX_Classic>>:$updates,
                       DefaultValuedAttr<ONNX_Int, "0">:$axis,
                       DefaultValuedStrAttr<StrAttr, "none">:$reduction);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
}

def ONNX_ScatterNDOp : ONNX_Op<"ScatterND", 18, [Pure]> {
  let summary = "A tensor with slices replaced, or combined, at tuples of positions";
  let description = [{
    Updates count in the order of their indices.

    Constraints:
    * C1: `data` and `indices` have rank 1 or more.
    * C2: tuples have at most r elements, r being the rank of `data`.
    * C3: `updates` has the extents of `indices` without the last one, then those of
      `data` behind the tuple.
    * C4: `reduction` is none, add, mul, max or min.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$data, Param<ONNX_I64Tensor>:$indices,
                       Data<ONNX_TensorOf<ONNX_Classic>>:$updates,
                       DefaultValuedStrAttr<StrAttr, "none">:$reduction);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
  let extraDecls = [{
    /// How many positions a tuple of indices has: their last extent or, where only the
    /// run knows that, what the ranks leave, that of the updates among them.
    std::optional<int64_t> getTupleLength();
  }];
}

def ONNX_TensorScatterOp : ONNX_Op<"TensorScatter", 24, [Pure]> {
  let summary = "A cache with new entries written behind those of each sequence";
  let description = [{
    Constraints:
    * C1: `past_cache` and `update` have the same rank, 2 or more, and the same
      extents except at `axis`.
    * C2: `axis` is in [-r, r) and not that of the batch.
    * C3: `update` is not longer than `past_cache` along `axis`.
    * C4: `write_indices` has one element per entry of the batch.
    * C5: `mode` is linear or circular.
  }];
  defvar elements = ONNX_Classic # ONNX_Float8s
                    # [F8E8M0FNU, ONNX_I4, ONNX_UI4, F4E2M1FN];
  let arguments = (ins Data<ONNX_TensorOf<elements>>:$past_cache,
                       Data<ONNX_TensorOf<elements>>:$update,
                       Optional<Param<ONNX_I64Tensor>>:$write_indices,
                       DefaultValuedAttr<ONNX_Int, "-2">:$axis,
                       DefaultValuedStrAttr<StrAttr, "linear">:$mode);
  let results = (outs ONNX_TensorOf<elements>:$present_cache);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

def ONNX_OneHotOp : ONNX_Op<"OneHot", 28, [Pure]> {
  let summary = "A new axis with one value at a position, another elsewhere";
  let description = [{
    Constraints:
    * C1: `depth` has one element, not negative.
    * C2: `values` has two elements.
    * C3: `axis` is in [-r - 1, r], r being the rank of `indices`.
  }];
  defvar numbers = ONNX_Integers # [F16, F32, F64];
  let arguments = (ins Data<ONNX_TensorOf<numbers, "T1">>:$indices,
                       Bounded<ONNX_TensorOf<numbers, "T2">>:$depth,
                       Param<ONNX_TensorOf<ONNX_Classic, "T3">>:$values,
                       DefaultValuedAttr<ONNX_Int, "-1">:$axis);
  let results = (outs ONNX_TensorOf<ONNX_Classic, "T3">:$output);
}

def ONNX_TopKOp : ONNX_Op<"TopK", 24, [Pure]> {
  let summary = "The largest or smallest elements along an axis, and where they are";
  let description = [{
    Constraints:
    * C1: `axis` is in [-r, r).
    * C2: `K` has one element, in [0, s], s being the extent at `axis`.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Numbers>>:$X, HostBound<ONNX_I64Tensor>:$K,
                       DefaultValuedAttr<ONNX_Int, "-1">:$axis,
                       DefaultValuedAttr<ONNX_Int, "1">:$largest,
                       DefaultValuedAttr<ONNX_Int, "1">:$sorted);
  let results = (outs ONNX_TensorOf<ONNX_Numbers>:$Values, ONNX_TensorOf<[I64], "I">:$Indices);
  let numberRange = "result == 1 ? getPlaces(infer, getX(), getAxis()) : of(getX())";
}

//===----------------------------------------------------------------------===//
// As many elements as the data say
//===----------------------------------------------------------------------===//

def ONNX_NonZeroOp : ONNX_Op<"NonZero", 13, [Pure]> {
  let summary = "The positions of the elements that are not zero, one column each";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$X);
  let results = (outs ONNX_I64Tensor:$Y);
}

def ONNX_CompressOp : ONNX_Op<"Compress", 28, [Pure]> {
  let summary = "The slices along an axis, or the elements, whose condition is true";
  let description = [{
    Constraints:
    * C1: `input` has rank 1 or more, `condition` rank 1.
    * C2: `axis` is in [-r, r).
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$input,
                       Data<ONNX_TensorOf<[I1], "T1">>:$condition, OptionalAttr<ONNX_Int>:$axis);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
}

def ONNX_UniqueOp : ONNX_Op<"Unique", 28, [Pure]> {
  let summary = "The distinct elements, or slices along an axis";
  let description = [{
    Constraints:
    * C1: `axis` is in [-r, r).
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$X, OptionalAttr<ONNX_Int>:$axis,
                       DefaultValuedAttr<ONNX_Int, "1">:$sorted);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$Y, ONNX_I64Tensor:$indices,
                      ONNX_I64Tensor:$inverse_indices, ONNX_I64Tensor:$counts);
}

def ONNX_NonMaxSuppressionOp
    : ONNX_Op<"NonMaxSuppression", 11, [AttrSizedOperandSegments, Pure]> {
  let summary = "The boxes of the highest scores that do not overlap better ones too much";
  let description = [{
    Constraints:
    * C1: `boxes` is [batches, boxes, 4], `scores` [batches, classes, boxes].
    * C2: the optional operands have one element.
  }];
  defvar floats = ONNX_TensorOf<[F32]>;
  let arguments = (ins Data<floats>:$boxes, Data<floats>:$scores,
                       Optional<Bounded<ONNX_I64Tensor>>:$max_output_boxes_per_class,
                       Optional<Param<floats>>:$iou_threshold,
                       Optional<Param<floats>>:$score_threshold,
                       DefaultValuedAttr<ONNX_Int, "0">:$center_point_box);
  let results = (outs ONNX_I64Tensor:$selected_indices);
}

#endif // CAMEO_DIALECT_ONNX_IR_INDEXING_TD
