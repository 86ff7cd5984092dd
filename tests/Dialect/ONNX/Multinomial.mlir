// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @multinomial_samples
// CHECK: "onnx.Multinomial"{{.*}} -> !cameo.tensor<[B, 4], i64>
func.func @multinomial_samples(%x: !cameo.tensor<[B, C], f32>) -> !cameo.tensor<*, i64> {
  %0 = "onnx.Multinomial"(%x) <{dtype = 7 : i64, sample_size = 4 : i64}>
      : (!cameo.tensor<[B, C], f32>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
