// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @causal_conv_with_state_gives_a_state
// CHECK: "onnx.CausalConvWithState"{{.*}} -> (!cameo.tensor<[B, 8, L], f32>, !cameo.tensor<[B, 8, 3], f32>)
func.func @causal_conv_with_state_gives_a_state(%x: !cameo.tensor<[B, 8, L], f32>, %w: !cameo.tensor<[8, 1, 4], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:2 = "onnx.CausalConvWithState"(%x, %w) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[B, 8, L], f32>, !cameo.tensor<[8, 1, 4], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @causal_conv_with_state_c1(%x: !cameo.tensor<[B, 8, L], f32>, %w: !cameo.tensor<[8, 2, 4], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{does not fit in weight (C1) (got 2, need 1)}}
  %0:2 = "onnx.CausalConvWithState"(%x, %w) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[B, 8, L], f32>, !cameo.tensor<[8, 2, 4], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}
