// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @svm_regressor_has_one_target
// CHECK: "onnx.ml.SVMRegressor"{{.*}} -> !cameo.tensor<[N, 1], f32>
func.func @svm_regressor_has_one_target(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.SVMRegressor"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, n_supports = 2 : i64}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @svm_regressor_c1(%x: !cameo.tensor<[1, N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of X (C1) (got 3, need 1 to 2)}}
  %0 = "onnx.ml.SVMRegressor"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, n_supports = 2 : i64}> : (!cameo.tensor<[1, N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @svm_regressor_c2(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a kernel_type that ONNX does not have (C2, got COSINE)}}
  %0 = "onnx.ml.SVMRegressor"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, n_supports = 2 : i64, kernel_type = "COSINE"}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @svm_regressor_c2_params(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong number of kernel_params (C2, got 1, need 3)}}
  %0 = "onnx.ml.SVMRegressor"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, n_supports = 2 : i64, kernel_params = array<f32: 1.0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @svm_regressor_c3(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a number of support_vectors that is not one for each feature of each vector (C3, got 6, need a multiple of 4)}}
  %0 = "onnx.ml.SVMRegressor"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, n_supports = 4 : i64}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @svm_regressor_c3_negative(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a negative n_supports (C3, got -1)}}
  %0 = "onnx.ml.SVMRegressor"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, n_supports = -1 : i64}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @svm_regressor_c4(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong number of coefficients (C4, got 1, need 2)}}
  %0 = "onnx.ml.SVMRegressor"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0>, rho = array<f32: 0.0>, n_supports = 2 : i64}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @svm_regressor_c4_rho(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has no attribute rho (C4)}}
  %0 = "onnx.ml.SVMRegressor"(%x) <{coefficients = array<f32: 1.0, 2.0, 3.0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
