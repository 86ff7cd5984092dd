// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @one_hot_encoder_adds_an_axis
// CHECK: "onnx.ml.OneHotEncoder"{{.*}} -> !cameo.tensor<[N, 2, 3], f32>
func.func @one_hot_encoder_adds_an_axis(%x: !cameo.tensor<[N, 2], f64>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.OneHotEncoder"(%x) <{cats_int64s = array<i64: 4, 2, 7>}> : (!cameo.tensor<[N, 2], f64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @one_hot_encoder_c1(%x: !cameo.tensor<[N], !cameo.string>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has no attribute cats_strings (C1)}}
  %0 = "onnx.ml.OneHotEncoder"(%x) <{cats_int64s = array<i64: 4, 2>}> : (!cameo.tensor<[N], !cameo.string>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @one_hot_encoder_c1_numbers(%x: !cameo.tensor<[N], i64>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has no attribute cats_int64s (C1)}}
  %0 = "onnx.ml.OneHotEncoder"(%x) <{cats_strings = ["a"]}> : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
