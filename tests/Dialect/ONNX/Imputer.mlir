// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @imputer_keeps_the_type
// CHECK: "onnx.ml.Imputer"{{.*}} -> !cameo.tensor<[N, 3, M], i32>
func.func @imputer_keeps_the_type(%x: !cameo.tensor<[N, 3, M], i32>) -> !cameo.tensor<*, i32> {
  %0 = "onnx.ml.Imputer"(%x) <{imputed_value_int64s = array<i64: 7>, replaced_value_int64 = -1 : i64}> : (!cameo.tensor<[N, 3, M], i32>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}

// -----

func.func @imputer_c1(%x: !cameo.tensor<[N, 2, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of X (C1) (got 3, need 1 to 2)}}
  %0 = "onnx.ml.Imputer"(%x) <{imputed_value_floats = array<f32: 1.0, 2.0, 3.0>}> : (!cameo.tensor<[N, 2, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @imputer_c2(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the features of X: imputed_value_floats (C2) (got 2, need 3)}}
  %0 = "onnx.ml.Imputer"(%x) <{imputed_value_floats = array<f32: 1.0, 2.0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @imputer_c2_type(%x: !cameo.tensor<[N, 3], i64>) -> !cameo.tensor<*, i64> {
  // expected-error @+1 {{has no attribute imputed_value_int64s (C2)}}
  %0 = "onnx.ml.Imputer"(%x) <{imputed_value_floats = array<f32: 1.0>}> : (!cameo.tensor<[N, 3], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
