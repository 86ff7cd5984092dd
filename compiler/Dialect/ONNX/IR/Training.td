// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of optimisers.

#ifndef CAMEO_DIALECT_ONNX_IR_TRAINING_TD
#define CAMEO_DIALECT_ONNX_IR_TRAINING_TD

include "Dialect/ONNX/IR/OnnxBase.td"

/// `inputs` are all tensors, then all gradients, then each state of all; `outputs` the same without
/// the gradients. All are scaled by the rate `R`, in step `T`.
class ONNX_OptimizerStep<string opType> : ONNX_Expanded<"training." # opType, 1> {
  defvar tensor = ONNX_TensorOf<[F32, F64], "">;
  dag operands = (ins Data<ONNX_TensorOf<[F32, F64], "T1">>:$R, Data<ONNX_I64Tensor>:$T,
                      Variadic<Data<tensor>>:$inputs);
  let results = (outs Variadic<tensor>:$outputs);
}

def ONNX_AdagradOp : ONNX_OptimizerStep<"Adagrad"> {
  let summary = "A step of ADAGRAD";
  let arguments = !con(operands, (ins DefaultValuedAttr<F32Attr, "0.0f">:$decay_factor,
                                      DefaultValuedAttr<F32Attr, "1e-06f">:$epsilon,
                                      DefaultValuedAttr<F32Attr, "0.0f">:$norm_coefficient));
}

def ONNX_AdamOp : ONNX_OptimizerStep<"Adam"> {
  let summary = "A step of Adam";
  let arguments = !con(operands, (ins DefaultValuedAttr<F32Attr, "0.9f">:$alpha,
                                      DefaultValuedAttr<F32Attr, "0.999f">:$beta,
                                      DefaultValuedAttr<F32Attr, "1e-06f">:$epsilon,
                                      DefaultValuedAttr<F32Attr, "0.0f">:$norm_coefficient,
                                      DefaultValuedAttr<F32Attr, "0.0f">:$norm_coefficient_post));
}

def ONNX_MomentumOp : ONNX_OptimizerStep<"Momentum"> {
  let summary = "A step of gradient descent with momentum";
  let arguments = !con(operands, (ins F32Attr:$alpha, F32Attr:$beta, StrAttr:$mode,
                                      F32Attr:$norm_coefficient));
}

#endif // CAMEO_DIALECT_ONNX_IR_TRAINING_TD
