// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences and optionals: objects of the host. The tensors of a sequence have one element type; their
// extents are known as far as they all agree.

#ifndef CAMEO_DIALECT_ONNX_IR_SEQUENCE_TD
#define CAMEO_DIALECT_ONNX_IR_SEQUENCE_TD

include "Dialect/ONNX/IR/Control.td"

/// The elements that sequences may hold; bf16 came later than they did.
defvar ONNX_Sequenced = ONNX_Integers # [F16, F32, F64, I1, Core_StringType] # ONNX_Complexes;
defvar ONNX_Sequence = ONNX_SequenceOf<ONNX_Sequenced>;
defvar ONNX_SequencedTensor = ONNX_TensorOf<ONNX_Sequenced>;
defvar ONNX_Position = Host<ONNX_TensorOf<[I32, I64], "I">>;

//===----------------------------------------------------------------------===//
// Making sequences
//===----------------------------------------------------------------------===//

def ONNX_SequenceConstructOp : ONNX_Op<"SequenceConstruct", 11, [Pure]> {
  let summary = "A sequence of the operands";
  let arguments = (ins Variadic<Data<ONNX_SequencedTensor>>:$inputs);
  let results = (outs ONNX_Sequence:$output_sequence);
}

def ONNX_SequenceEmptyOp : ONNX_Op<"SequenceEmpty", 11, [Pure]> {
  let summary = "A sequence of no tensors";
  let description = [{
    Constraints:
    * C1: `dtype` is a type that a sequence may hold.
  }];
  let arguments = (ins OptionalAttr<ONNX_Int>:$dtype);
  let results = (outs ONNX_Sequence:$output);
}

def ONNX_SplitToSequenceOp : ONNX_Op<"SplitToSequence", 24, [Pure]> {
  let summary = "A tensor cut into pieces along an axis, as a sequence";
  let description = [{
    `split` is the extent of every piece but the last, or the extents one by one.
    Without it pieces have extent 1, or, unless `keepdims` is set, not that axis.

    Constraints:
    * C1: `axis` is in [-r, r).
    * C2: `split` has rank 0 or 1; no element is negative, a single one is positive.
    * C3: the elements of a `split` of rank 1 add up to the extent at `axis`.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Classic>>:$input,
                       Optional<ONNX_Position>:$split, DefaultValuedAttr<ONNX_Int, "0">:$axis,
                       DefaultValuedAttr<ONNX_Int, "1">:$keepdims);
  let results = (outs ONNX_SequenceOf<ONNX_Classic>:$output_sequence);
}

def ONNX_SequenceInsertOp : ONNX_Op<"SequenceInsert", 11, [Pure]> {
  let summary = "A sequence with one more tensor";
  let description = [{
    Constraints:
    * C1: `tensor` has the element type of the sequence.
    * C2: `position` has one element.
  }];
  let arguments = (ins Data<ONNX_Sequence>:$input_sequence, Data<ONNX_SequencedTensor>:$tensor,
                       Optional<ONNX_Position>:$position);
  let results = (outs ONNX_Sequence:$output_sequence);
}

def ONNX_SequenceEraseOp : ONNX_Op<"SequenceErase", 11, [Pure]> {
  let summary = "A sequence with one tensor less";
  let description = [{
    Constraints:
    * C1: `position` has one element.
  }];
  let arguments = (ins Data<ONNX_Sequence>:$input_sequence, Optional<ONNX_Position>:$position);
  let results = (outs ONNX_Sequence:$output_sequence);
}

def ONNX_SequenceMapOp : ONNX_ControlOp<"SequenceMap", 17> {
  let summary = "A graph run for each tensor of a sequence";
  let description = [{
    The body takes an element of each sequence and the other inputs as they are.

    Constraints:
    * C1: the body takes one argument per operand.
    * C2: the body yields one tensor per result.
  }];
  let arguments = (ins Data<ONNX_Sequence>:$input_sequence,
                       Variadic<Data<ONNX_AnyValue>>:$additional_inputs);
  let results = (outs Variadic<ONNX_SequenceOf<ONNX_Sequenced, "">>:$out_sequence);
  let regions = (region SizedRegion<1>:$body);
  let extraDecls = [{
    llvm::SmallVector<mlir::Type> getBodyArgumentTypes(ExtentInference &infer);
  }];
}

//===----------------------------------------------------------------------===//
// Reading sequences
//===----------------------------------------------------------------------===//

def ONNX_SequenceLengthOp : ONNX_Op<"SequenceLength", 11, [Pure]> {
  let summary = "The number of tensors";
  let arguments = (ins Data<ONNX_Sequence>:$input_sequence);
  let results = (outs ONNX_TensorOf<[I64], "I">:$length);
}

def ONNX_SequenceAtOp : ONNX_Op<"SequenceAt", 11, [Pure]> {
  let summary = "One of the tensors";
  let description = [{
    Constraints:
    * C1: `position` has one element.
  }];
  let arguments = (ins Data<ONNX_Sequence>:$input_sequence, ONNX_Position:$position);
  let results = (outs ONNX_SequencedTensor:$tensor);
}

def ONNX_ConcatFromSequenceOp : ONNX_Op<"ConcatFromSequence", 11, [Pure]> {
  let summary = "The tensors side by side along an axis, or stacked along a new one";
  let description = [{
    Constraints:
    * C1: `axis` is in [-r, r), r being the rank of the tensors, or of the result with
      `new_axis`.
    * C2: `new_axis` is 0 or 1.
  }];
  let arguments = (ins Data<ONNX_Sequence>:$input_sequence, ONNX_Int:$axis,
                       DefaultValuedAttr<ONNX_Int, "0">:$new_axis);
  let results = (outs ONNX_SequencedTensor:$concat_result);
}

//===----------------------------------------------------------------------===//
// Optionals
//===----------------------------------------------------------------------===//

def ONNX_AnyOptional
    : Type<CPred<"::llvm::isa<::cameo::core::OptionalType>($_self)">, "optional">;
def ONNX_TensorOrSequence
    : Type<CPred<"::llvm::isa<::cameo::core::SymTensorType, ::cameo::core::SequenceType>($_self)">,
           "tensor or sequence">;

def ONNX_OptionalOp : ONNX_Op<"Optional", 28, [Pure]> {
  let summary = "An optional that holds the operand or, without one, nothing";
  let description = [{
    Constraints:
    * C1: without `input`, `type` is given.
    * C2: `type` is that of `input`.
  }];
  let arguments = (ins Optional<Data<ONNX_TensorOrSequence>>:$input,
                       OptionalAttr<TypeAttr>:$type);
  let results = (outs ONNX_AnyOptional:$output);
}

def ONNX_OptionalHasElementOp : ONNX_Op<"OptionalHasElement", 28, [Pure]> {
  let summary = "Whether an optional holds something";
  let arguments = (ins Optional<Data<ONNX_AnyValue>>:$input);
  let results = (outs ONNX_BoolTensor:$output);
}

def ONNX_OptionalGetElementOp : ONNX_Op<"OptionalGetElement", 28, [Pure]> {
  let summary = "What an optional holds";
  let arguments = (ins Data<ONNX_AnyValue>:$input);
  let results = (outs ONNX_TensorOrSequence:$output);
}

#endif // CAMEO_DIALECT_ONNX_IR_SEQUENCE_TD
