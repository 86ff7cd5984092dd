// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @linear_regressor_has_targets
// CHECK: "onnx.ml.LinearRegressor"{{.*}} -> !cameo.tensor<[N, 2], f32>
func.func @linear_regressor_has_targets(%x: !cameo.tensor<[N, F], i32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.LinearRegressor"(%x) <{coefficients = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, targets = 2 : i64}> : (!cameo.tensor<[N, F], i32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @linear_regressor_c1(%x: !cameo.tensor<[N, 2, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of X (C1) (got 3, need 1 to 2)}}
  %0 = "onnx.ml.LinearRegressor"(%x) <{coefficients = array<f32: 1.0, 2.0, 3.0>}> : (!cameo.tensor<[N, 2, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @linear_regressor_c2(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in coefficients (C2) (got 3, need 4)}}
  %0 = "onnx.ml.LinearRegressor"(%x) <{coefficients = array<f32: 1.0, 2.0, 3.0, 4.0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @linear_regressor_c2_targets(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has targets that are not positive (C2, got 0)}}
  %0 = "onnx.ml.LinearRegressor"(%x) <{coefficients = array<f32: 1.0, 2.0, 3.0>, targets = 0 : i64}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @linear_regressor_c2_multiple(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a number of coefficients that is not one for each feature of each target (C2, got 3, need a multiple of 2)}}
  %0 = "onnx.ml.LinearRegressor"(%x) <{coefficients = array<f32: 1.0, 2.0, 3.0>, targets = 2 : i64}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @linear_regressor_c3(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a post_transform that ONNX does not have (C3, got TANH)}}
  %0 = "onnx.ml.LinearRegressor"(%x) <{coefficients = array<f32: 1.0, 2.0, 3.0>, post_transform = "TANH"}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
