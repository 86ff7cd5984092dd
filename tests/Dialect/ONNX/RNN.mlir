// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @rnn_gives_sequence_and_state
// CHECK: "onnx.RNN"{{.*}} -> (!cameo.tensor<[S, 1, B, 8], f32>, !cameo.tensor<[1, B, 8], f32>)
func.func @rnn_gives_sequence_and_state(%x: !cameo.tensor<[S, B, 4], f32>, %w: !cameo.tensor<[1, 8, 4], f32>, %r: !cameo.tensor<[1, 8, 8], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:2 = "onnx.RNN"(%x, %w, %r) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32>, !cameo.tensor<[1, 8, 4], f32>, !cameo.tensor<[1, 8, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @rnn_c5(%x: !cameo.tensor<[S, B, 4], f32>, %w: !cameo.tensor<[2, 8, 4], f32>, %r: !cameo.tensor<[2, 8, 8], f32>) {
  // expected-error@below {{has an activation that ONNX does not have (C5) (got 'linear')}}
  %0:2 = "onnx.RNN"(%x, %w, %r) <{activations = ["linear", "Affine"], direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32>, !cameo.tensor<[2, 8, 4], f32>, !cameo.tensor<[2, 8, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return
}
