// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @top_k_of_a_constant
// CHECK: "onnx.TopK"{{.*}} -> (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[N, 3], i64>)
func.func @top_k_of_a_constant(%x: !cameo.tensor<[N, 8], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) {
  %k = "onnx.Constant"() <{value = dense<[3]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0:2 = "onnx.TopK"(%x, %k)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>
}

// -----

// CHECK-LABEL: @top_k_of_an_input
// CHECK: "onnx.TopK"{{.*}} -> (!cameo.tensor<[N, v], f32>, !cameo.tensor<[N, v], i64>)
func.func @top_k_of_an_input(%x: !cameo.tensor<[N, 8], f32>, %k: !cameo.tensor<[1], i64>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) {
  %0:2 = "onnx.TopK"(%x, %k)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>
}

// -----

func.func @top_k_c1(%x: !cameo.tensor<[N, 8], f32>, %k: !cameo.tensor<[1], i64>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) {
  // expected-error @+1 {{axis (C1) is out of range (got 2, need [-2, 2))}}
  %0:2 = "onnx.TopK"(%x, %k) <{axis = 2 : i64}>
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>
}

// -----

func.func @top_k_c2(%x: !cameo.tensor<[N, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) {
  %k = "onnx.Constant"() <{value = dense<[9]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{has K out of range (C2, got 9, need at least 0 and at most 8)}}
  %0:2 = "onnx.TopK"(%x, %k)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>
}
