// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @affine_grid_of_volumes
// CHECK: "onnx.AffineGrid"{{.*}} -> !cameo.tensor<[2, 4, 5, 6, 3], f32>
func.func @affine_grid_of_volumes(%t: !cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[2, 3, 4, 5, 6]> : tensor<5xi64>}> : () -> !cameo.tensor<[5], i64>
  %0 = "onnx.AffineGrid"(%t, %s) : (!cameo.tensor<[N, 3, 4], f32>, !cameo.tensor<[5], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @affine_grid_c2(%t: !cameo.tensor<[N, 2, 3], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[2, 3, 4]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64>
  // expected-error @+1 {{has a wrong number of elements in size (C2, got 3, need 4 or 5)}}
  %0 = "onnx.AffineGrid"(%t, %s) : (!cameo.tensor<[N, 2, 3], f32>, !cameo.tensor<[3], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
