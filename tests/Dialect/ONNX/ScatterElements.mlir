// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @scatter_elements_keeps_extents
// CHECK: "onnx.ScatterElements"{{.*}} -> !cameo.tensor<[V, 3], f32>
func.func @scatter_elements_keeps_extents(%x: !cameo.tensor<[V, 3], f32>, %i: !cameo.tensor<[B, 3], i64>, %u: !cameo.tensor<[B, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.ScatterElements"(%x, %i, %u)
      : (!cameo.tensor<[V, 3], f32>, !cameo.tensor<[B, 3], i64>, !cameo.tensor<[B, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @scatter_elements_c3(%x: !cameo.tensor<[V, 3], f32>, %i: !cameo.tensor<[2, 3], i64>, %u: !cameo.tensor<[4, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in indices (C3) (got 4, need 2)}}
  %0 = "onnx.ScatterElements"(%x, %i, %u)
      : (!cameo.tensor<[V, 3], f32>, !cameo.tensor<[2, 3], i64>, !cameo.tensor<[4, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @scatter_elements_c4(%x: !cameo.tensor<[V, 3], f32>, %i: !cameo.tensor<[B, 3], i64>, %u: !cameo.tensor<[B, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an unknown reduction (C4)}}
  %0 = "onnx.ScatterElements"(%x, %i, %u) <{reduction = "sub"}>
      : (!cameo.tensor<[V, 3], f32>, !cameo.tensor<[B, 3], i64>, !cameo.tensor<[B, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @scatter_elements_c5(%x: !cameo.tensor<[3], f32>, %u: !cameo.tensor<[1], f32>)
    -> !cameo.tensor<*, f32> {
  %i = "onnx.Constant"() <{value = dense<[3]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{has an index out of range (C5, got 3, need [-3, 3))}}
  %0 = "onnx.ScatterElements"(%x, %i, %u)
      : (!cameo.tensor<[3], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
