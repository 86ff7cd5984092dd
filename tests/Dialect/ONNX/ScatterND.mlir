// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @scatter_nd_keeps_extents
// CHECK: "onnx.ScatterND"{{.*}} -> !cameo.tensor<[A, B, C], f32>
func.func @scatter_nd_keeps_extents(%x: !cameo.tensor<[A, B, C], f32>, %i: !cameo.tensor<[N, 2], i64>, %u: !cameo.tensor<[N, C], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.ScatterND"(%x, %i, %u)
      : (!cameo.tensor<[A, B, C], f32>, !cameo.tensor<[N, 2], i64>, !cameo.tensor<[N, C], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @scatter_nd_c2(%x: !cameo.tensor<[A], f32>, %i: !cameo.tensor<[N, 2], i64>, %u: !cameo.tensor<[N], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has tuples of a wrong length (C2, got 2, need at most 1)}}
  %0 = "onnx.ScatterND"(%x, %i, %u)
      : (!cameo.tensor<[A], f32>, !cameo.tensor<[N, 2], i64>, !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @scatter_nd_c3(%x: !cameo.tensor<[A, 5], f32>, %i: !cameo.tensor<[N, 1], i64>, %u: !cameo.tensor<[N, 4], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the slices that indices name (C3) (got 4, need 5)}}
  %0 = "onnx.ScatterND"(%x, %i, %u)
      : (!cameo.tensor<[A, 5], f32>, !cameo.tensor<[N, 1], i64>, !cameo.tensor<[N, 4], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
