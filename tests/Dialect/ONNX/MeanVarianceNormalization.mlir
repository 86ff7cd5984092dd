// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @mean_variance_normalization_keeps_extents
// CHECK: "onnx.MeanVarianceNormalization"{{.*}} -> !cameo.tensor<[N, C, H, W], f32>
func.func @mean_variance_normalization_keeps_extents(%x: !cameo.tensor<[N, C, H, W], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.MeanVarianceNormalization"(%x) : (!cameo.tensor<[N, C, H, W], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @mean_variance_normalization_c1(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{axes (C1) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.MeanVarianceNormalization"(%x) : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
