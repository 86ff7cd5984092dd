// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @non_zero_counts
// CHECK: "onnx.NonZero"{{.*}} -> !cameo.tensor<[2, nonzero], i64>
func.func @non_zero_counts(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, i64> {
  %0 = "onnx.NonZero"(%x) : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
