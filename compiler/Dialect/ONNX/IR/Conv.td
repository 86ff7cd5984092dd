// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions.

#ifndef CAMEO_DIALECT_ONNX_IR_CONV_TD
#define CAMEO_DIALECT_ONNX_IR_CONV_TD

include "Dialect/ONNX/IR/OnnxBase.td"

/// A list with one entry (pads: two) per spatial axis.
defvar ONNX_PerAxis = OptionalAttr<DenseI64ArrayAttr>;

/// A convolution whose operands are named `input` and `weight`, by a capital letter in C++.
class ONNX_Convolution<string opType, int since, string input, string weight,
                       list<Trait> traits = []>
    : ONNX_Op<opType, since, [Pure] # traits> {
  let description = [{
    Constraints:
    * C1: input and weight have the same rank, 3 or more.
    * C2: `group` is positive and divides the output channels; input channels are
      `group` times those of the weight.
    * C3: attributes are as verifyWindow (Window.h) says; `kernel_shape` is that of
      the weight.
    * C4: no window is larger than the padded input.
    * C5: a bias has one element per output channel.
  }];
  code bias = "{}";
  code resultElement = "infer.elementType(0)";
  code windowAttributes = "getAutoPad(), getKernelShape(), getStrides(), getDilations(), getPads()";
  /// Whether its parameters are at fault, beside what holds of every convolution.
  code verifyParameters = "false";
  let inferBody = "return failure(failed(inferConv(infer, get" # input # "(), get" # weight
                  # "(), " # bias # ", getGroup(), getWindowAttributes(), " # resultElement
                  # ")) || " # verifyParameters # ");";
  let extraDecls = [{
    WindowAttributes getWindowAttributes() {
      return WindowAttributes(}] # windowAttributes # [{);
    }
    /// The windows along the spatial axes; the ranks of the operands are known.
    llvm::FailureOr<llvm::SmallVector<WindowAxis>> getWindow(ExtentInference &infer) {
      return resolveWindow(infer, getWindowAttributes(),
                           infer.extents(get}] # input # [{())->drop_front(2),
                           infer.extents(get}] # weight # [{())->drop_front(2));
    }
  }];
}

def ONNX_ConvOp : ONNX_Convolution<"Conv", 22, "X", "W"> {
  let summary = "Convolution";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X, Data<ONNX_TensorOf<ONNX_Floats>>:$W,
                       Optional<Data<ONNX_TensorOf<ONNX_Floats>>>:$B,
                       DefaultValuedStrAttr<StrAttr, "NOTSET">:$auto_pad, ONNX_PerAxis:$dilations,
                       DefaultValuedAttr<ONNX_Int, "1">:$group, ONNX_PerAxis:$kernel_shape,
                       ONNX_PerAxis:$pads, ONNX_PerAxis:$strides);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y);
  let bias = "getB()";
}

def ONNX_ConvIntegerOp
    : ONNX_Convolution<"ConvInteger", 10, "X", "W", [AttrSizedOperandSegments]> {
  let summary = "Convolution of quantised tensors, in 32 bits";
  let description = [{
    Constraints: those of Conv, and
    * C6: `x_zero_point` has one element; `w_zero_point` one, or one per output
      channel.
  }];
  let arguments = (ins Data<ONNX_TensorOf<[I8, UI8], "T1">>:$x,
                       Data<ONNX_TensorOf<[I8, UI8], "T2">>:$w,
                       Optional<Param<ONNX_TensorOf<[I8, UI8], "T1">>>:$x_zero_point,
                       Optional<Param<ONNX_TensorOf<[I8, UI8], "T2">>>:$w_zero_point,
                       DefaultValuedStrAttr<StrAttr, "NOTSET">:$auto_pad, ONNX_PerAxis:$dilations,
                       DefaultValuedAttr<ONNX_Int, "1">:$group, ONNX_PerAxis:$kernel_shape,
                       ONNX_PerAxis:$pads, ONNX_PerAxis:$strides);
  let results = (outs ONNX_TensorOf<[I32]>:$y);
  let resultElement = "infer.onnxType(6)";
  let verifyParameters = [{
    failed(infer.requireOneElement(getXZeroPoint(), "x_zero_point (C6)")) ||
    failed(requirePerPlace(infer, getWZeroPoint(), getW(), 0, "w_zero_point (C6)"))
  }];
}

def ONNX_QLinearConvOp : ONNX_Convolution<"QLinearConv", 10, "X", "W"> {
  let summary = "Convolution of quantised tensors, quantised again";
  let description = [{
    Constraints: those of Conv, and
    * C6: scales and zero points of `x` and `y` have one element, those of `w` one, or
      one per output channel.
  }];
  defvar scale = Param<ONNX_TensorOf<[F32]>>;
  let arguments = (ins Data<ONNX_TensorOf<[I8, UI8], "T1">>:$x, scale:$x_scale,
                       Param<ONNX_TensorOf<[I8, UI8], "T1">>:$x_zero_point,
                       Data<ONNX_TensorOf<[I8, UI8], "T2">>:$w, scale:$w_scale,
                       Param<ONNX_TensorOf<[I8, UI8], "T2">>:$w_zero_point, scale:$y_scale,
                       Param<ONNX_TensorOf<[I8, UI8], "T3">>:$y_zero_point,
                       Optional<Data<ONNX_TensorOf<[I32]>>>:$B,
                       DefaultValuedStrAttr<StrAttr, "NOTSET">:$auto_pad, ONNX_PerAxis:$dilations,
                       DefaultValuedAttr<ONNX_Int, "1">:$group, ONNX_PerAxis:$kernel_shape,
                       ONNX_PerAxis:$pads, ONNX_PerAxis:$strides);
  let results = (outs ONNX_TensorOf<[I8, UI8], "T3">:$y);
  let bias = "getB()";
  let resultElement = "elementTypeOf(getYZeroPoint())";
  let verifyParameters = [{
    failed(infer.requireOneElement(getXScale(), "x_scale (C6)")) ||
    failed(infer.requireOneElement(getXZeroPoint(), "x_zero_point (C6)")) ||
    failed(requirePerPlace(infer, getWScale(), getW(), 0, "w_scale (C6)")) ||
    failed(requirePerPlace(infer, getWZeroPoint(), getW(), 0, "w_zero_point (C6)")) ||
    failed(infer.requireOneElement(getYScale(), "y_scale (C6)")) ||
    failed(infer.requireOneElement(getYZeroPoint(), "y_zero_point (C6)"))
  }];
}

def ONNX_DeformConvOp
    : ONNX_Convolution<"DeformConv", 22, "X", "W", [AttrSizedOperandSegments]> {
  let summary = "Convolution that reads its input at given offsets from the window";
  let description = [{
    Constraints: those of Conv, and
    * C6: `offset_group` is positive and divides the input channels.
    * C7: `offset` has offset_group * kernel elements * spatial axes channels,
      `mask` offset_group * kernel elements, at every place of the output.
  }];
  defvar tensor = Data<ONNX_TensorOf<ONNX_Floats>>;
  let arguments = (ins tensor:$X, tensor:$W, tensor:$offset, Optional<tensor>:$B,
                       Optional<tensor>:$mask, ONNX_PerAxis:$dilations,
                       DefaultValuedAttr<ONNX_Int, "1">:$group, ONNX_PerAxis:$kernel_shape,
                       DefaultValuedAttr<ONNX_Int, "1">:$offset_group, ONNX_PerAxis:$pads,
                       ONNX_PerAxis:$strides);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y);
  let windowAttributes = [{"NOTSET", getKernelShape(), getStrides(), getDilations(), getPads()}];
  let inferBody = "";
}

def ONNX_ConvTransposeOp : ONNX_Op<"ConvTranspose", 22, [Pure]> {
  let summary = "Transposed convolution: every input element spread over a window of the output";
  let description = [{
    With `output_shape`, or with an `auto_pad` of SAME_*, which makes the output
    `stride` times as large as the input, pads follow from the output.

    Constraints:
    * C1: input and weight have the same rank, 3 or more.
    * C2: `group` is positive and divides the input channels, which are those of the
      weight.
    * C3: attributes are as verifyWindow (Window.h) says; `kernel_shape` is that of
      the weight; `output_padding` is below stride or dilation.
    * C4: no extent of the output is negative.
    * C5: a bias has one element per output channel.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X, Data<ONNX_TensorOf<ONNX_Floats>>:$W,
                       Optional<Data<ONNX_TensorOf<ONNX_Floats>>>:$B,
                       DefaultValuedStrAttr<StrAttr, "NOTSET">:$auto_pad, ONNX_PerAxis:$dilations,
                       DefaultValuedAttr<ONNX_Int, "1">:$group, ONNX_PerAxis:$kernel_shape,
                       ONNX_PerAxis:$output_padding, ONNX_PerAxis:$output_shape,
                       ONNX_PerAxis:$pads, ONNX_PerAxis:$strides);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y);
  let extraDecls = [{
    /// The windows along the spatial axes; the ranks of the operands are known.
    llvm::FailureOr<llvm::SmallVector<WindowAxis>> getWindow(ExtentInference &infer);
  }];
}

def ONNX_Col2ImOp : ONNX_Op<"Col2Im", 18, [Pure]> {
  let summary = "Blocks added up where they overlap in an image";
  let description = [{
    Constraints:
    * C1: `input` has rank 3; `image_shape` and `block_shape` have the same length.
    * C2: attributes are as verifyWindow (Window.h) says.
    * C3: `image_shape` and `block_shape` are positive; their product of block
      extents divides the second extent of `input`.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$input, Host<ONNX_I64Tensor>:$image_shape,
                       Host<ONNX_I64Tensor>:$block_shape, ONNX_PerAxis:$dilations,
                       ONNX_PerAxis:$pads, ONNX_PerAxis:$strides);
  let results = (outs ONNX_TensorOf<ONNX_Classic>:$output);
}

#endif // CAMEO_DIALECT_ONNX_IR_CONV_TD
