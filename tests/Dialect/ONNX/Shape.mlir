// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @shape_slices
// CHECK: "onnx.Shape"{{.*}} -> !cameo.tensor<[2], i64>
func.func @shape_slices(%x: !cameo.tensor<[N, 3, H, W], f32>) -> !cameo.tensor<*, i64> {
  %0 = "onnx.Shape"(%x) <{start = 1 : i64, end = -1 : i64}>
      : (!cameo.tensor<[N, 3, H, W], f32>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

// CHECK-LABEL: @shape_clamps_ends
// CHECK: "onnx.Shape"{{.*}} -> !cameo.tensor<[2], i64>
func.func @shape_clamps_ends(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, i64> {
  %0 = "onnx.Shape"(%x) <{start = -9 : i64, end = 9 : i64}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
