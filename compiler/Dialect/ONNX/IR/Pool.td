// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools: one number out of each window.

#ifndef CAMEO_DIALECT_ONNX_IR_POOL_TD
#define CAMEO_DIALECT_ONNX_IR_POOL_TD

include "Dialect/ONNX/IR/Conv.td"

class ONNX_Pool<string opType, list<Trait> traits = []> : ONNX_Op<opType, 22, [Pure] # traits> {
  let description = [{
    Constraints:
    * C1: `X` has rank 3 or more.
    * C2: attributes are as verifyWindow (Window.h) says.
    * C3: no window is larger than the padded input.
  }];
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y);
  let inferBody = "return inferPool(infer, getX(), getWindowAttributes());";
  let extraDecls = [{
    WindowAttributes getWindowAttributes() {
      WindowAttributes attributes = {getAutoPad(), getKernelShape(), getStrides(), getDilations(),
                                     getPads()};
      attributes.ceilMode = getCeilMode() != 0;
      return attributes;
    }
    /// The windows along the spatial axes; the rank of the operand is known.
    llvm::FailureOr<llvm::SmallVector<WindowAxis>> getWindow(ExtentInference &infer) {
      return resolveWindow(infer, getWindowAttributes(), infer.extents(getX())->drop_front(2));
    }
  }];
}

def ONNX_MaxPoolOp : ONNX_Pool<"MaxPool", [ONNX_SelectsElements]> {
  let summary = "Maximum of each window, and where it is";
  let description = [{
    `Indices` are positions in all of `X`, counted row by row or, with
    `storage_order`, column by column; pads do not count.

    Constraints:
    * C1: `X` has rank 3 or more.
    * C2: attributes are as verifyWindow (Window.h) says.
    * C3: no window is larger than the padded input.
  }];
  defvar elements = ONNX_Floats # [I8, UI8];
  let arguments = (ins Data<ONNX_TensorOf<elements>>:$X,
                       DefaultValuedStrAttr<StrAttr, "NOTSET">:$auto_pad,
                       DefaultValuedAttr<ONNX_Int, "0">:$ceil_mode, ONNX_PerAxis:$dilations,
                       DenseI64ArrayAttr:$kernel_shape, ONNX_PerAxis:$pads,
                       DefaultValuedAttr<ONNX_Int, "0">:$storage_order, ONNX_PerAxis:$strides);
  let results = (outs ONNX_TensorOf<elements>:$Y, ONNX_I64Tensor:$Indices);
}

def ONNX_AveragePoolOp : ONNX_Pool<"AveragePool"> {
  let summary = "Mean of each window";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       DefaultValuedStrAttr<StrAttr, "NOTSET">:$auto_pad,
                       DefaultValuedAttr<ONNX_Int, "0">:$ceil_mode,
                       DefaultValuedAttr<ONNX_Int, "0">:$count_include_pad, ONNX_PerAxis:$dilations,
                       DenseI64ArrayAttr:$kernel_shape, ONNX_PerAxis:$pads,
                       ONNX_PerAxis:$strides);
}

def ONNX_LpPoolOp : ONNX_Pool<"LpPool"> {
  let summary = "p-norm of each window";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       DefaultValuedStrAttr<StrAttr, "NOTSET">:$auto_pad,
                       DefaultValuedAttr<ONNX_Int, "0">:$ceil_mode, ONNX_PerAxis:$dilations,
                       DenseI64ArrayAttr:$kernel_shape, DefaultValuedAttr<ONNX_Int, "2">:$p,
                       ONNX_PerAxis:$pads, ONNX_PerAxis:$strides);
}

class ONNX_GlobalPool<string opType> : ONNX_Op<opType, 22, [Pure]> {
  let description = [{
    Constraints:
    * C1: `X` has rank 2 or more.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y);
  let inferBody = "return inferGlobalPool(infer);";
}

def ONNX_GlobalMaxPoolOp : ONNX_GlobalPool<"GlobalMaxPool"> {
  let summary = "Maximum of each channel";
}
def ONNX_GlobalAveragePoolOp : ONNX_GlobalPool<"GlobalAveragePool"> {
  let summary = "Mean of each channel";
}
def ONNX_GlobalLpPoolOp : ONNX_GlobalPool<"GlobalLpPool"> {
  let summary = "p-norm of each channel";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X, DefaultValuedAttr<ONNX_Int, "2">:$p);
}

def ONNX_MaxUnpoolOp : ONNX_Op<"MaxUnpool", 22, [Pure]> {
  let summary = "Elements put back where MaxPool found them, zeros elsewhere";
  let description = [{
    Constraints:
    * C1: `X` has rank 3 or more, `I` the same extents.
    * C2: attributes are as verifyWindow (Window.h) says.
    * C3: `output_shape` has one element per axis of `X`, none of them negative.
    * C4: no extent of the output is negative.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats, "T1">>:$X, Data<ONNX_I64Tensor>:$I,
                       Optional<Host<ONNX_I64Tensor>>:$output_shape,
                       DenseI64ArrayAttr:$kernel_shape, ONNX_PerAxis:$pads,
                       ONNX_PerAxis:$strides);
  let results = (outs ONNX_TensorOf<ONNX_Floats, "T1">:$output);
}

#endif // CAMEO_DIALECT_ONNX_IR_POOL_TD
