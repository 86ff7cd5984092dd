// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms and what goes with them. Complex numbers are a last axis of extent 2.

#ifndef CAMEO_DIALECT_ONNX_IR_SIGNAL_TD
#define CAMEO_DIALECT_ONNX_IR_SIGNAL_TD

include "Dialect/ONNX/IR/OnnxBase.td"

def ONNX_DFTOp : ONNX_Op<"DFT", 20, [AttrSizedOperandSegments, Pure]> {
  let summary = "Discrete Fourier transform along an axis";
  let description = [{
    Constraints:
    * C1: `input` has rank 2 or more, its last extent is 1 or 2.
    * C2: `axis` has one element in [-r, r), and is not the last axis.
    * C3: `dft_length` has one element, not negative.
    * C4: `onesided` forward takes real input, `onesided` inverse complex input.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats, "T1">>:$input,
                       Optional<Host<ONNX_TensorOf<[I32, I64], "T2">>>:$dft_length,
                       Optional<Host<ONNX_I64Tensor>>:$axis,
                       DefaultValuedAttr<ONNX_Int, "0">:$inverse,
                       DefaultValuedAttr<ONNX_Int, "0">:$onesided);
  let results = (outs ONNX_TensorOf<ONNX_Floats, "T1">:$output);
  let extraDecls = [{
    /// The axis of `input`, whose rank is known, that is transformed.
    llvm::FailureOr<AxisList> getAxisList(ExtentInference &infer);
    /// How many points the transform has.
    llvm::FailureOr<core::ExtentAttr> getLength(ExtentInference &infer, const AxisList &axis);
  }];
}

def ONNX_STFTOp : ONNX_Op<"STFT", 17, [AttrSizedOperandSegments, Pure]> {
  let summary = "Fourier transforms of a window that slides over a signal";
  let description = [{
    Constraints:
    * C1: `signal` is [batch, length, 1 or 2], or [batch, length] where it is real.
    * C2: `frame_step` has one element, positive.
    * C3: `frame_length` has one element, not negative; `window` has that many.
    * C4: a frame is not longer than the signal.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats, "T1">>:$signal,
                       Host<ONNX_TensorOf<[I32, I64], "T2">>:$frame_step,
                       Optional<Data<ONNX_TensorOf<ONNX_Floats, "T1">>>:$window,
                       Optional<Host<ONNX_TensorOf<[I32, I64], "T2">>>:$frame_length,
                       DefaultValuedAttr<ONNX_Int, "1">:$onesided);
  let results = (outs ONNX_TensorOf<ONNX_Floats, "T1">:$output);
  let extraDecls = [{
    /// Whether the last axis of the signal holds the parts of numbers: 1, or 2 of
    /// complex ones.
    bool hasParts();
  }];
}

class ONNX_WindowFunction<string opType> : ONNX_Op<opType, 17, [Pure]> {
  let description = [{
    Constraints:
    * C1: `size` has one element, not negative.
    * C2: `output_datatype` is a type that the result may have.
  }];
  let arguments = (ins Bounded<ONNX_TensorOf<[I32, I64], "T1">>:$size,
                       DefaultValuedAttr<ONNX_Int, "1">:$output_datatype,
                       DefaultValuedAttr<ONNX_Int, "1">:$periodic);
  let results = (outs ONNX_TensorOf<ONNX_Numbers, "T2">:$output);
  let inferBody = "return inferWindowFunction(infer, getOutputDatatype());";
}

def ONNX_HannWindowOp : ONNX_WindowFunction<"HannWindow"> { let summary = "A Hann window"; }
def ONNX_HammingWindowOp : ONNX_WindowFunction<"HammingWindow"> {
  let summary = "A Hamming window";
}
def ONNX_BlackmanWindowOp : ONNX_WindowFunction<"BlackmanWindow"> {
  let summary = "A Blackman window";
}

def ONNX_MelWeightMatrixOp : ONNX_Op<"MelWeightMatrix", 17, [Pure]> {
  let summary = "Weights that turn frequencies into bands of the mel scale";
  let description = [{
    Constraints:
    * C1: operands have one element; `num_mel_bins` and `dft_length` are not negative.
    * C2: `output_datatype` is a type that the result may have.
  }];
  defvar integer = ONNX_TensorOf<[I32, I64], "T1">;
  defvar real = ONNX_TensorOf<ONNX_Floats, "T2">;
  let arguments = (ins Host<integer>:$num_mel_bins, Host<integer>:$dft_length,
                       Param<integer>:$sample_rate, Param<real>:$lower_edge_hertz,
                       Param<real>:$upper_edge_hertz,
                       DefaultValuedAttr<ONNX_Int, "1">:$output_datatype);
  let results = (outs ONNX_TensorOf<ONNX_Numbers, "T3">:$output);
}

#endif // CAMEO_DIALECT_ONNX_IR_SIGNAL_TD
