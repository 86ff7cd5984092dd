// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @random_uniform_like_keeps_type
// CHECK: "onnx.RandomUniformLike"{{.*}} -> !cameo.tensor<[N, 3], f16>
func.func @random_uniform_like_keeps_type(%x: !cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16> {
  %0 = "onnx.RandomUniformLike"(%x) : (!cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}

// -----

func.func @random_uniform_like_c2(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{draws from an interval that is none (C2, got [0.000000e+00, -1.000000e+00))}}
  %0 = "onnx.RandomUniformLike"(%x) <{high = -1.0 : f32}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
