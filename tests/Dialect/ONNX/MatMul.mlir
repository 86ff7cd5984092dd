// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @mat_mul_broadcasts_batches
// CHECK: "onnx.MatMul"{{.*}} -> !cameo.tensor<[B, 4, M, N], f32>
func.func @mat_mul_broadcasts_batches(%a: !cameo.tensor<[B, 1, M, K], f32>, %b: !cameo.tensor<[4, K, N], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.MatMul"(%a, %b)
      : (!cameo.tensor<[B, 1, M, K], f32>, !cameo.tensor<[4, K, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @mat_mul_of_a_row
// CHECK: "onnx.MatMul"{{.*}} -> !cameo.tensor<[B, N], f32>
func.func @mat_mul_of_a_row(%a: !cameo.tensor<[K], f32>, %b: !cameo.tensor<[B, K, N], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.MatMul"(%a, %b) : (!cameo.tensor<[K], f32>, !cameo.tensor<[B, K, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @mat_mul_of_a_column
// CHECK: "onnx.MatMul"{{.*}} -> !cameo.tensor<[B, M], f32>
func.func @mat_mul_of_a_column(%a: !cameo.tensor<[B, M, K], f32>, %b: !cameo.tensor<[K], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.MatMul"(%a, %b) : (!cameo.tensor<[B, M, K], f32>, !cameo.tensor<[K], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @mat_mul_of_vectors
// CHECK: "onnx.MatMul"{{.*}} -> !cameo.tensor<[], f32>
func.func @mat_mul_of_vectors(%a: !cameo.tensor<[K], f32>, %b: !cameo.tensor<[K], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.MatMul"(%a, %b) : (!cameo.tensor<[K], f32>, !cameo.tensor<[K], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @mat_mul_c1(%a: !cameo.tensor<[], f32>, %b: !cameo.tensor<[K], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of the left operand (C1) (got 0, need at least 1)}}
  %0 = "onnx.MatMul"(%a, %b) : (!cameo.tensor<[], f32>, !cameo.tensor<[K], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @mat_mul_c2(%a: !cameo.tensor<[M, 3], f32>, %b: !cameo.tensor<[4, N], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the rows of the left operand (C2) (got 4, need 3)}}
  %0 = "onnx.MatMul"(%a, %b) : (!cameo.tensor<[M, 3], f32>, !cameo.tensor<[4, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
