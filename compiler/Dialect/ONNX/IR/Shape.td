// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators about shapes: they read extents, change them without moving an element, or make a tensor out of
// nothing but its extents.

#ifndef CAMEO_DIALECT_ONNX_IR_SHAPE_TD
#define CAMEO_DIALECT_ONNX_IR_SHAPE_TD

include "Dialect/ONNX/IR/OnnxBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

//===----------------------------------------------------------------------===//
// Extents as values
//===----------------------------------------------------------------------===//

def ONNX_ShapeOp : ONNX_Op<"Shape", 25, [Pure]> {
  let summary = "The extents of a tensor";
  let arguments = (ins DimsOnly<ONNX_AnyTensor>:$data, OptionalAttr<ONNX_Int>:$end,
                       DefaultValuedAttr<ONNX_Int, "0">:$start);
  let results = (outs ONNX_I64Tensor:$shape);
}

def ONNX_SizeOp : ONNX_Op<"Size", 25, [Pure]> {
  let summary = "The number of elements of a tensor";
  let arguments = (ins DimsOnly<ONNX_AnyTensor>:$data);
  let results = (outs ONNX_I64Tensor:$size);
}

//===----------------------------------------------------------------------===//
// The same elements under other extents
//===----------------------------------------------------------------------===//

def ONNX_ReshapeOp : ONNX_Op<"Reshape", 25, [Pure, ONNX_SelectsElements]> {
  let summary = "The same elements under other extents";
  let description = [{
    Constraints:
    * C1: at most one element of `shape` is -1, and none is below -1.
    * C2: the number of elements stays the same.
    * C3: with `allowzero` set, `shape` does not hold both 0 and -1.
    * C4: a 0 in `shape` that copies an extent has one to copy.
  }];
  let arguments = (ins Data<ONNX_AnyTensor>:$data, Symbolic<ONNX_I64Tensor>:$shape,
                       DefaultValuedAttr<ONNX_Int, "0">:$allowzero);
  let results = (outs ONNX_AnyTensor:$reshaped);
  let extraDecls = [{
    /// The extents that these elements of `shape` say, which are as many as that has: as they are,
    /// which need be none where only the run knows them.
    llvm::SmallVector<core::ExtentAttr>
    getExactExtents(ExtentInference &infer, llvm::ArrayRef<core::ExtentAttr> shape,
                    llvm::function_ref<bool(core::ExtentAttr)> isOnDevice);
  }];
}

def ONNX_SqueezeOp : ONNX_Op<"Squeeze", 25, [Pure, ONNX_SelectsElements]> {
  let summary = "The same elements without some axes of extent 1";
  let description = [{
    Without `axes`, all axes of extent 1 go; where an extent is not known to be 1
    or something else, not even the rank of the result is, and there is a branch
    for each of the two.

    Constraints:
    * C1: `axes` are in [-r, r) and differ.
    * C2: the extents at `axes` are 1.
  }];
  let arguments = (ins Data<ONNX_AnyTensor>:$data, Optional<Host<ONNX_I64Tensor>>:$axes);
  let results = (outs ONNX_AnyTensor:$squeezed);
  let extraDecls = "mlir::Value branchOnRank(ExtentInference &infer);";
}

def ONNX_UnsqueezeOp : ONNX_Op<"Unsqueeze", 25, [Pure, ONNX_SelectsElements]> {
  let summary = "The same elements with more axes of extent 1";
  let description = [{
    Constraints:
    * C1: `axes` are in [-r, r), r being the rank of the result, and differ.
  }];
  let arguments = (ins Data<ONNX_AnyTensor>:$data, Host<ONNX_I64Tensor>:$axes);
  let results = (outs ONNX_AnyTensor:$expanded);
}

def ONNX_FlattenOp : ONNX_Op<"Flatten", 25, [Pure, ONNX_SelectsElements]> {
  let summary = "The same elements as a matrix";
  let description = [{
    Constraints:
    * C1: `axis` is in [-r, r].
  }];
  let arguments = (ins Data<ONNX_AnyTensor>:$input, DefaultValuedAttr<ONNX_Int, "1">:$axis);
  let results = (outs ONNX_AnyTensor:$output);
}

//===----------------------------------------------------------------------===//
// Tensors of given extents
//===----------------------------------------------------------------------===//

def ONNX_ExpandOp : ONNX_Op<"Expand", 13, [Pure]> {
  let summary = "A tensor broadcast with given extents";
  let description = [{
    Constraints:
    * C1: no element of `shape` is negative.
    * C2: `shape` and the extents of `input` broadcast.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$input, Bounded<ONNX_I64Tensor>:$shape);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
  let numberRange = "of(getInput())";
}

def ONNX_ConstantOfShapeOp : ONNX_Op<"ConstantOfShape", 25, [Pure]> {
  let summary = "A tensor of given extents, all elements the same";
  let description = [{
    Constraints:
    * C1: no element of `input` is negative.
    * C2: `value` has one element; when it is absent, the element is 0.0f.
  }];
  defvar elements = ONNX_Numbers # [I1] # ONNX_Float8s # [F8E8M0FNU] # ONNX_SubByte;
  let arguments = (ins Bounded<ONNX_I64Tensor>:$input, OptionalAttr<ElementsAttr>:$value);
  let results = (outs ONNX_TensorOf<elements, "T2">:$output);
}

def ONNX_RangeOp : ONNX_Op<"Range", 27, [Pure]> {
  let summary = "The numbers from start to limit in steps of delta";
  let description = [{
    Constraints:
    * C1: `start`, `limit` and `delta` have one element.
    * C2: `delta` is not 0, and no operand is NaN or infinite.
  }];
  defvar tensor = ONNX_TensorOf<ONNX_Floats # [I16, I32, I64]>;
  let arguments = (ins Bounded<tensor>:$start, Bounded<tensor>:$limit, Host<tensor>:$delta,
                       DefaultValuedAttr<ONNX_Int, "1">:$stash_type);
  let results = (outs tensor:$output);
}

def ONNX_EyeLikeOp : ONNX_Op<"EyeLike", 22, [Pure]> {
  let summary = "Ones on a diagonal, zeros elsewhere";
  let description = [{
    Constraints:
    * C1: `input` has rank 2.
    * C2: `dtype` is a type that `output` may have.
  }];
  let arguments = (ins DimsOnly<ONNX_TensorOf<ONNX_Numbers # [I1], "T1">>:$input,
                       OptionalAttr<ONNX_Int>:$dtype, DefaultValuedAttr<ONNX_Int, "0">:$k);
  let results = (outs ONNX_TensorOf<ONNX_Numbers # [I1], "T2">:$output);
}

#endif // CAMEO_DIALECT_ONNX_IR_SHAPE_TD
