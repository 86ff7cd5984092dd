// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @gelu_keeps_extents
// CHECK: "onnx.Gelu"{{.*}} -> !cameo.tensor<[N, 3], f16>
func.func @gelu_keeps_extents(%x: !cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16> {
  %0 = "onnx.Gelu"(%x) <{approximate = "tanh"}> : (!cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}

// -----

func.func @gelu_c1(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an unknown approximation (C1)}}
  %0 = "onnx.Gelu"(%x) <{approximate = "erf"}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
