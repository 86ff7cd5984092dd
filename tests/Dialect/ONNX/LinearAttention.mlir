// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @linear_attention_gives_a_state
// CHECK: "onnx.LinearAttention"{{.*}} -> (!cameo.tensor<[B, T, 24], f32>, !cameo.tensor<[B, 2, 4, 6], f32>)
func.func @linear_attention_gives_a_state(%q: !cameo.tensor<[B, T, 16], f32>, %k: !cameo.tensor<[B, T, 8], f32>, %v: !cameo.tensor<[B, T, 12], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:2 = "onnx.LinearAttention"(%q, %k, %v) <{kv_num_heads = 2 : i64, q_num_heads = 4 : i64, update_rule = "linear", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[B, T, 16], f32>, !cameo.tensor<[B, T, 8], f32>, !cameo.tensor<[B, T, 12], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @linear_attention_c4(%q: !cameo.tensor<[B, T, 16], f32>, %k: !cameo.tensor<[B, T, 8], f32>, %v: !cameo.tensor<[B, T, 12], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{lacks decay or beta, or has one that its rule does not (C4)}}
  %0:2 = "onnx.LinearAttention"(%q, %k, %v) <{kv_num_heads = 2 : i64, q_num_heads = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[B, T, 16], f32>, !cameo.tensor<[B, T, 8], f32>, !cameo.tensor<[B, T, 12], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @linear_attention_c6(%q: !cameo.tensor<[B, T, 16], f32>, %k: !cameo.tensor<[B, T, 8], f32>, %v: !cameo.tensor<[B, T, 12], f32>, %g: !cameo.tensor<[B, T, 3], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a decay (C6) of another size (got 3, need 2 or 8)}}
  %0:2 = "onnx.LinearAttention"(%q, %k, %v, %g) <{kv_num_heads = 2 : i64, q_num_heads = 4 : i64, update_rule = "gated", operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}>
      : (!cameo.tensor<[B, T, 16], f32>, !cameo.tensor<[B, T, 8], f32>, !cameo.tensor<[B, T, 12], f32>, !cameo.tensor<[B, T, 3], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}
