// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @gather_inserts_the_indices
// CHECK: "onnx.Gather"{{.*}} -> !cameo.tensor<[V, B, S, D], f32>
func.func @gather_inserts_the_indices(%x: !cameo.tensor<[V, 3, D], f32>, %i: !cameo.tensor<[B, S], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Gather"(%x, %i) <{axis = 1 : i64}>
      : (!cameo.tensor<[V, 3, D], f32>, !cameo.tensor<[B, S], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @gather_by_a_scalar
// CHECK: "onnx.Gather"{{.*}} -> !cameo.tensor<[3], f32>
func.func @gather_by_a_scalar(%x: !cameo.tensor<[V, 3], f32>, %i: !cameo.tensor<[], i32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Gather"(%x, %i) : (!cameo.tensor<[V, 3], f32>, !cameo.tensor<[], i32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @gather_c1(%x: !cameo.tensor<[], f32>, %i: !cameo.tensor<[], i32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of data (C1) (got 0, need at least 1)}}
  %0 = "onnx.Gather"(%x, %i) : (!cameo.tensor<[], f32>, !cameo.tensor<[], i32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @gather_c2(%x: !cameo.tensor<[V, 3], f32>, %i: !cameo.tensor<[], i32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{axis (C2) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.Gather"(%x, %i) <{axis = 2 : i64}>
      : (!cameo.tensor<[V, 3], f32>, !cameo.tensor<[], i32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @gather_c3(%x: !cameo.tensor<[3], f32>) -> !cameo.tensor<*, f32> {
  %i = "onnx.Constant"() <{value = dense<[0, -4]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has an index out of range (C3, got -4, need [-3, 3))}}
  %0 = "onnx.Gather"(%x, %i) : (!cameo.tensor<[3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
