// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisations, softmax and its kin.

#ifndef CAMEO_DIALECT_ONNX_IR_NORMALIZATION_TD
#define CAMEO_DIALECT_ONNX_IR_NORMALIZATION_TD

include "Dialect/ONNX/IR/OnnxBase.td"

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

class ONNX_AlongAxis<string opType, int since> : ONNX_Op<opType, since, [Pure]> {
  let description = [{
    Constraints:
    * C1: `axis` is in [-r, r).
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$input,
                       DefaultValuedAttr<ONNX_Int, "-1">:$axis);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$output);
  let inferBody = "return inferAlongAxis(infer, getAxis());";
}

def ONNX_SoftmaxOp : ONNX_AlongAxis<"Softmax", 13> {
  let summary = "Exponentials divided by their sum";
}
def ONNX_LogSoftmaxOp : ONNX_AlongAxis<"LogSoftmax", 13> { let summary = "Logarithm of Softmax"; }
def ONNX_HardmaxOp : ONNX_AlongAxis<"Hardmax", 13> {
  let summary = "1 for the first maximum, 0 elsewhere";
}

def ONNX_LpNormalizationOp : ONNX_AlongAxis<"LpNormalization", 22> {
  let summary = "Elements divided by their p-norm, or 0 where that is 0";
  let description = [{
    Constraints:
    * C1: `axis` is in [-r, r).
    * C2: `p` is 1 or 2.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$input,
                       DefaultValuedAttr<ONNX_Int, "-1">:$axis,
                       DefaultValuedAttr<ONNX_Int, "2">:$p);
  let inferBody = "";
}

def ONNX_LRNOp : ONNX_Op<"LRN", 13, [Pure]> {
  let summary = "Elements divided by a power of the squares summed over neighbouring channels";
  let description = [{
    Constraints:
    * C1: `X` has rank 2 or more.
    * C2: `size` is positive.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       DefaultValuedAttr<F32Attr, "0.0001f">:$alpha,
                       DefaultValuedAttr<F32Attr, "0.75f">:$beta,
                       DefaultValuedAttr<F32Attr, "1.0f">:$bias, ONNX_Int:$size);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y);
}

def ONNX_MeanVarianceNormalizationOp : ONNX_Op<"MeanVarianceNormalization", 13, [Pure]> {
  let summary = "Elements with mean 0 and variance 1 over some axes";
  let description = [{
    Constraints:
    * C1: `axes` are in [-r, r) and differ.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{0, 2, 3}">:$axes);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y);
}

//===----------------------------------------------------------------------===//
// With scale and bias
//===----------------------------------------------------------------------===//

def ONNX_BatchNormalizationOp : ONNX_Op<"BatchNormalization", 15, [Pure]> {
  let summary = "Channels scaled and shifted by given statistics or, in training, their own";
  let description = [{
    An `X` of rank 1 has one channel.

    Constraints:
    * C1: `X` has rank 1 or more.
    * C2: `scale`, `B`, `input_mean` and `input_var` have one element per channel.
  }];
  defvar parameter = Data<ONNX_TensorOf<ONNX_Floats, "T1">>;
  defvar statistic = Data<ONNX_TensorOf<ONNX_Floats, "T2">>;
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X, parameter:$scale, parameter:$B,
                       statistic:$input_mean, statistic:$input_var,
                       DefaultValuedAttr<F32Attr, "1e-05f">:$epsilon,
                       DefaultValuedAttr<F32Attr, "0.9f">:$momentum,
                       DefaultValuedAttr<ONNX_Int, "0">:$training_mode);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y,
                      ONNX_TensorOf<ONNX_Floats, "T2">:$running_mean,
                      ONNX_TensorOf<ONNX_Floats, "T2">:$running_var);
}

def ONNX_InstanceNormalizationOp : ONNX_Op<"InstanceNormalization", 22, [Pure]> {
  let summary = "Channels of each instance normalised, scaled and shifted";
  let description = [{
    Constraints:
    * C1: `input` has rank 3 or more.
    * C2: `scale` and `B` have one element per channel.
  }];
  defvar tensor = Data<ONNX_TensorOf<ONNX_Floats>>;
  let arguments = (ins tensor:$input, tensor:$scale, tensor:$B,
                       DefaultValuedAttr<F32Attr, "1e-05f">:$epsilon);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$output);
}

def ONNX_GroupNormalizationOp : ONNX_Op<"GroupNormalization", 21, [Pure]> {
  let summary = "Groups of channels of each instance normalised, channels scaled and shifted";
  let description = [{
    Constraints:
    * C1: `X` has rank 2 or more.
    * C2: `scale` and `bias` have one element per channel.
    * C3: `num_groups` is positive and divides the number of channels.
    * C4: `stash_type` is a float type.
  }];
  defvar tensor = Data<ONNX_TensorOf<ONNX_Floats>>;
  let arguments = (ins tensor:$X, tensor:$scale, tensor:$bias,
                       DefaultValuedAttr<F32Attr, "1e-05f">:$epsilon, ONNX_Int:$num_groups,
                       DefaultValuedAttr<ONNX_Int, "1">:$stash_type);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y);
}

def ONNX_LayerNormalizationOp : ONNX_Op<"LayerNormalization", 17, [Pure]> {
  let summary = "Last axes normalised, scaled and shifted";
  let description = [{
    Constraints:
    * C1: `axis` is in [-r, r).
    * C2: `Scale` and `B` broadcast to the extents of `X`.
    * C3: `stash_type` is 1 (f32) or 16 (bf16).
  }];
  defvar tensor = Data<ONNX_TensorOf<ONNX_Floats>>;
  let arguments = (ins tensor:$X, tensor:$Scale, Optional<tensor>:$B,
                       DefaultValuedAttr<ONNX_Int, "-1">:$axis,
                       DefaultValuedAttr<F32Attr, "1e-05f">:$epsilon,
                       DefaultValuedAttr<ONNX_Int, "1">:$stash_type);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y, ONNX_TensorOf<[BF16, F32], "U">:$Mean,
                      ONNX_TensorOf<[BF16, F32], "U">:$InvStdDev);
}

def ONNX_RMSNormalizationOp : ONNX_Op<"RMSNormalization", 23, [Pure]> {
  let summary = "Last axes divided by the root of their mean square, and scaled";
  let description = [{
    Constraints:
    * C1: `axis` is in [-r, r).
    * C2: `scale` broadcasts to the extents of `X`.
    * C3: `stash_type` is a float type.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       Data<ONNX_TensorOf<ONNX_Floats, "V">>:$scale,
                       DefaultValuedAttr<ONNX_Int, "-1">:$axis,
                       DefaultValuedAttr<F32Attr, "1e-05f">:$epsilon,
                       DefaultValuedAttr<ONNX_Int, "1">:$stash_type);
  let results = (outs ONNX_TensorOf<ONNX_Floats, "V">:$Y);
}

#endif // CAMEO_DIALECT_ONNX_IR_NORMALIZATION_TD
