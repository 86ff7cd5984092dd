// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @label_encoder_has_the_values_type
// CHECK: "onnx.ml.LabelEncoder"{{.*}} -> !cameo.tensor<[N, 3], f32>
func.func @label_encoder_has_the_values_type(%x: !cameo.tensor<[N, 3], i64>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.LabelEncoder"(%x) <{keys_int64s = array<i64: 4, 2>, values_floats = array<f32: 0.5, 1.0>}> : (!cameo.tensor<[N, 3], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @label_encoder_c1(%x: !cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64> {
  // expected-error @+1 {{has not one attribute of keys and one of values (C1, got 1 and 0)}}
  %0 = "onnx.ml.LabelEncoder"(%x) <{keys_int64s = array<i64: 4, 2>}> : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

func.func @label_encoder_c1_count(%x: !cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64> {
  // expected-error @+1 {{has another number of values than of keys (C1, got 1 and 2)}}
  %0 = "onnx.ml.LabelEncoder"(%x) <{keys_int64s = array<i64: 4, 2>, values_int64s = array<i64: 1>}> : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

func.func @label_encoder_c2(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, i64> {
  // expected-error @+1 {{has keys of another type than X (C2)}}
  %0 = "onnx.ml.LabelEncoder"(%x) <{keys_int64s = array<i64: 4>, values_int64s = array<i64: 1>}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

func.func @label_encoder_c3(%x: !cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64> {
  // expected-error @+1 {{has a default_tensor that is not one of its values (C3)}}
  %0 = "onnx.ml.LabelEncoder"(%x) <{keys_int64s = array<i64: 4>, values_int64s = array<i64: 1>, default_tensor = dense<1.0> : tensor<1xf32>}> : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
