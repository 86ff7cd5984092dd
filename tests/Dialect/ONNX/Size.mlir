// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @size_is_a_scalar
// CHECK: "onnx.Size"{{.*}} -> !cameo.tensor<[], i64>
func.func @size_is_a_scalar(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, i64> {
  %0 = "onnx.Size"(%x) : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
