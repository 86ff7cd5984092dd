// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @lrn_keeps_extents
// CHECK: "onnx.LRN"{{.*}} -> !cameo.tensor<[N, 3, 4], f32>
func.func @lrn_keeps_extents(%x: !cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.LRN"(%x) <{size = 3 : i64}> : (!cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @lrn_c2(%x: !cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a size that is not positive (C2, got 0)}}
  %0 = "onnx.LRN"(%x) <{size = 0 : i64}> : (!cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
