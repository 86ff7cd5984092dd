// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @scaler_gives_floats
// CHECK: "onnx.ml.Scaler"{{.*}} -> !cameo.tensor<[N, 3], f32>
func.func @scaler_gives_floats(%x: !cameo.tensor<[N, 3], i64>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.Scaler"(%x) <{offset = array<f32: 1.0, 2.0, 3.0>, scale = array<f32: 2.0>}> : (!cameo.tensor<[N, 3], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @scaler_c1(%x: !cameo.tensor<[N, 2, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of X (C1) (got 3, need 1 to 2)}}
  %0 = "onnx.ml.Scaler"(%x) <{offset = array<f32: 1.0, 2.0, 3.0>}> : (!cameo.tensor<[N, 2, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @scaler_c2(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the features of X: scale (C2) (got 2, need 3)}}
  %0 = "onnx.ml.Scaler"(%x) <{scale = array<f32: 1.0, 2.0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
