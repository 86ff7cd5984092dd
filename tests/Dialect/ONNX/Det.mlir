// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @det_drops_two_axes
// CHECK: "onnx.Det"{{.*}} -> !cameo.tensor<[B], f32>
func.func @det_drops_two_axes(%x: !cameo.tensor<[B, 3, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Det"(%x) : (!cameo.tensor<[B, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @det_c2(%x: !cameo.tensor<[3, 4], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the rows of X (C2) (got 4, need 3)}}
  %0 = "onnx.Det"(%x) : (!cameo.tensor<[3, 4], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
