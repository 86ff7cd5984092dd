// RUN: cameo-opt %s --cameo-simplify --split-input-file --verify-diagnostics

// What the Shape stage would have refused: built of it, an operator does not infer. That is an error of the pass, and names
// the operator of the model.

func.func @positions_beyond_the_cache(%x: !cameo.tensor<[1, 2, 1, 8], f32>, %c: !cameo.tensor<[6, 4], f32>) -> !cameo.tensor<[1, 2, 1, 8], f32> {
  %p = "onnx.Constant"() <{value = dense<[[6]]> : tensor<1x1xi64>}> : () -> !cameo.tensor<[1, 1], i64>
  // expected-error @+1 {{'onnx.RotaryEmbedding' op has operands that do not fit each other, which is not supported: 'onnx.Gather' op has an index out of range (C3, got 6, need [-6, 6))}}
  %0 = "onnx.RotaryEmbedding"(%x, %c, %c, %p)
      : (!cameo.tensor<[1, 2, 1, 8], f32>, !cameo.tensor<[6, 4], f32>, !cameo.tensor<[6, 4], f32>, !cameo.tensor<[1, 1], i64>) -> !cameo.tensor<[1, 2, 1, 8], f32>
  func.return %0 : !cameo.tensor<[1, 2, 1, 8], f32>
}

// -----

func.func @zero_points_of_no_row(%a: !cameo.tensor<[5, 4], ui8>, %b: !cameo.tensor<[4, 3], i8>, %z: !cameo.tensor<[3], ui8>) -> !cameo.tensor<[5, 3], i32> {
  // expected-error @+1 {{'onnx.MatMulInteger' op has operands that do not fit each other, which is not supported: 'onnx.Sub' op operands do not broadcast (got extents 5 and 3, need equal ones or 1)}}
  %0 = "onnx.MatMulInteger"(%a, %b, %z) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[5, 4], ui8>, !cameo.tensor<[4, 3], i8>, !cameo.tensor<[3], ui8>) -> !cameo.tensor<[5, 3], i32>
  func.return %0 : !cameo.tensor<[5, 3], i32>
}

// -----

// Of ranks at fault, too.
func.func @a_mask_of_too_many_axes(%q: !cameo.tensor<[2, 4, 3, 8], f32>, %m: !cameo.tensor<[1, 3, 4, 3, 3], f32>) -> !cameo.tensor<[2, 4, 3, 8], f32> {
  // expected-error @+1 {{'onnx.Attention' op has operands that do not fit each other, which is not supported}}
  %0:4 = "onnx.Attention"(%q, %q, %q, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[2, 4, 3, 8], f32>, !cameo.tensor<[2, 4, 3, 8], f32>, !cameo.tensor<[2, 4, 3, 8], f32>, !cameo.tensor<[1, 3, 4, 3, 3], f32>)
      -> (!cameo.tensor<[2, 4, 3, 8], f32>, !cameo.tensor<[2, 4, 3, 8], f32>, !cameo.tensor<[2, 4, 3, 8], f32>, !cameo.tensor<[2, 4, 3, 3], f32>)
  func.return %0#0 : !cameo.tensor<[2, 4, 3, 8], f32>
}
