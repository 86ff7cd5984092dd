// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses.

#ifndef CAMEO_DIALECT_ONNX_IR_LOSS_TD
#define CAMEO_DIALECT_ONNX_IR_LOSS_TD

include "Dialect/ONNX/IR/OnnxBase.td"

class ONNX_Loss<string opType, int since> : ONNX_Op<opType, since, [Pure]> {
  let description = [{
    Constraints:
    * C1: scores are [N, C, d1, ...].
    * C2: labels are [N, d1, ...].
    * C3: weights are [C].
    * C4: `reduction` is none, sum or mean.
  }];
}

def ONNX_NegativeLogLikelihoodLossOp : ONNX_Loss<"NegativeLogLikelihoodLoss", 22> {
  let summary = "Negative log-probabilities of given classes";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$input,
                       Data<ONNX_TensorOf<[I32, I64], "Tind">>:$target,
                       Optional<Data<ONNX_TensorOf<ONNX_Floats>>>:$weight,
                       OptionalAttr<ONNX_Int>:$ignore_index,
                       DefaultValuedStrAttr<StrAttr, "mean">:$reduction);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$loss);
  let inferBody = "return inferLoss(infer, getInput(), getTarget(), getWeight(), getReduction());";
}

def ONNX_SoftmaxCrossEntropyLossOp : ONNX_Loss<"SoftmaxCrossEntropyLoss", 13> {
  let summary = "NegativeLogLikelihoodLoss of LogSoftmax, and that";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$scores,
                       Data<ONNX_TensorOf<[I32, I64], "Tind">>:$labels,
                       Optional<Data<ONNX_TensorOf<ONNX_Floats>>>:$weights,
                       OptionalAttr<ONNX_Int>:$ignore_index,
                       DefaultValuedStrAttr<StrAttr, "mean">:$reduction);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$output, ONNX_TensorOf<ONNX_Floats>:$log_prob);
  let inferBody = [{
    infer.setType(1, getScores().getType());
    return inferLoss(infer, getScores(), getLabels(), getWeights(), getReduction());
  }];
}

#endif // CAMEO_DIALECT_ONNX_IR_LOSS_TD
