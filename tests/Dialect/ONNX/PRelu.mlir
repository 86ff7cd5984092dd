// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @prelu_broadcasts_the_slope
// CHECK: "onnx.PRelu"{{.*}} -> !cameo.tensor<[N, 3, 4], f32>
func.func @prelu_broadcasts_the_slope(%x: !cameo.tensor<[N, 3, 4], f32>, %s: !cameo.tensor<[3, 1], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.PRelu"(%x, %s) : (!cameo.tensor<[N, 3, 4], f32>, !cameo.tensor<[3, 1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @prelu_c1_extent(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[2], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in X (C1) (got 2, need 3)}}
  %0 = "onnx.PRelu"(%x, %s) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @prelu_c1_rank(%x: !cameo.tensor<[3], f32>, %s: !cameo.tensor<[1, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a slope of a higher rank than X (C1, got 2, need at most 1)}}
  %0 = "onnx.PRelu"(%x, %s) : (!cameo.tensor<[3], f32>, !cameo.tensor<[1, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
