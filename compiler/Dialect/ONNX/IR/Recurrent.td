// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrent layers: a cell run over a sequence, in one direction or both.

#ifndef CAMEO_DIALECT_ONNX_IR_RECURRENT_TD
#define CAMEO_DIALECT_ONNX_IR_RECURRENT_TD

include "Dialect/ONNX/IR/OnnxBase.td"

/// `gates` is the number of matrices side by side in `W` and `R`, `functions` that of activations of one
/// direction.
class ONNX_Recurrent<string opType, int gates, int functions>
    : ONNX_Op<opType, 22, [AttrSizedOperandSegments, Pure]> {
  let description = [{
    With S the length of the sequences, B their number, D the number of directions,
    H the hidden size and G the number of gates:

    Constraints:
    * C1: `direction` is forward, reverse or bidirectional; `layout` is 0 or 1.
    * C2: `X` is [S, B, I], or [B, S, I] with layout 1.
    * C3: `W` is [D, G * H, I], `R` [D, G * H, H]; `hidden_size`, where given, is H.
    * C4: `B` is [D, 2 * G * H], `P` [D, 3 * H], `sequence_lens` [B], initial states
      [D, B, H], or [B, D, H] with layout 1.
    * C5: `activations` has the cell's number of names per direction, all of them
      ONNX's.
    * C6: `clip` is not negative.
  }];
  let extraDecls = [{
    static constexpr int64_t kGates = }] # gates # [{;
    /// The activations of one direction.
    static constexpr int64_t kFunctions = }] # functions # [{;
    int64_t getNumDirections() { return getDirection() == "bidirectional" ? 2 : 1; }
  }];
}

defvar ONNX_RecurrentTensor = ONNX_TensorOf<ONNX_Floats>;
defvar ONNX_RecurrentLengths = Optional<Param<ONNX_TensorOf<[I32], "T1">>>;

def ONNX_LSTMOp : ONNX_Recurrent<"LSTM", 4, 3> {
  let summary = "Long short-term memory";
  let arguments = (ins Data<ONNX_RecurrentTensor>:$X, Data<ONNX_RecurrentTensor>:$W,
                       Data<ONNX_RecurrentTensor>:$R, Optional<Data<ONNX_RecurrentTensor>>:$B,
                       ONNX_RecurrentLengths:$sequence_lens,
                       Optional<Data<ONNX_RecurrentTensor>>:$initial_h,
                       Optional<Data<ONNX_RecurrentTensor>>:$initial_c,
                       Optional<Data<ONNX_RecurrentTensor>>:$P,
                       OptionalAttr<DenseF32ArrayAttr>:$activation_alpha,
                       OptionalAttr<DenseF32ArrayAttr>:$activation_beta,
                       OptionalAttr<StrArrayAttr>:$activations, OptionalAttr<F32Attr>:$clip,
                       DefaultValuedStrAttr<StrAttr, "forward">:$direction,
                       OptionalAttr<ONNX_Int>:$hidden_size,
                       DefaultValuedAttr<ONNX_Int, "0">:$input_forget,
                       DefaultValuedAttr<ONNX_Int, "0">:$layout);
  let results = (outs ONNX_RecurrentTensor:$Y, ONNX_RecurrentTensor:$Y_h,
                      ONNX_RecurrentTensor:$Y_c);
}

def ONNX_GRUOp : ONNX_Recurrent<"GRU", 3, 2> {
  let summary = "Gated recurrent unit";
  let arguments = (ins Data<ONNX_RecurrentTensor>:$X, Data<ONNX_RecurrentTensor>:$W,
                       Data<ONNX_RecurrentTensor>:$R, Optional<Data<ONNX_RecurrentTensor>>:$B,
                       ONNX_RecurrentLengths:$sequence_lens,
                       Optional<Data<ONNX_RecurrentTensor>>:$initial_h,
                       OptionalAttr<DenseF32ArrayAttr>:$activation_alpha,
                       OptionalAttr<DenseF32ArrayAttr>:$activation_beta,
                       OptionalAttr<StrArrayAttr>:$activations, OptionalAttr<F32Attr>:$clip,
                       DefaultValuedStrAttr<StrAttr, "forward">:$direction,
                       OptionalAttr<ONNX_Int>:$hidden_size,
                       DefaultValuedAttr<ONNX_Int, "0">:$layout,
                       DefaultValuedAttr<ONNX_Int, "0">:$linear_before_reset);
  let results = (outs ONNX_RecurrentTensor:$Y, ONNX_RecurrentTensor:$Y_h);
}

def ONNX_RNNOp : ONNX_Recurrent<"RNN", 1, 1> {
  let summary = "Elman's recurrent layer";
  let arguments = (ins Data<ONNX_RecurrentTensor>:$X, Data<ONNX_RecurrentTensor>:$W,
                       Data<ONNX_RecurrentTensor>:$R, Optional<Data<ONNX_RecurrentTensor>>:$B,
                       ONNX_RecurrentLengths:$sequence_lens,
                       Optional<Data<ONNX_RecurrentTensor>>:$initial_h,
                       OptionalAttr<DenseF32ArrayAttr>:$activation_alpha,
                       OptionalAttr<DenseF32ArrayAttr>:$activation_beta,
                       DefaultValuedAttr<StrArrayAttr, "{\"Tanh\", \"Tanh\"}">:$activations,
                       OptionalAttr<F32Attr>:$clip,
                       DefaultValuedStrAttr<StrAttr, "forward">:$direction,
                       OptionalAttr<ONNX_Int>:$hidden_size,
                       DefaultValuedAttr<ONNX_Int, "0">:$layout);
  let results = (outs ONNX_RecurrentTensor:$Y, ONNX_RecurrentTensor:$Y_h);
}

#endif // CAMEO_DIALECT_ONNX_IR_RECURRENT_TD
