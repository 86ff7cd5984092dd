// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @zip_map_is_the_tensor
// CHECK: "onnx.ml.ZipMap"{{.*}} -> !cameo.tensor<[N, 3], f32>
func.func @zip_map_is_the_tensor(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.ZipMap"(%x) <{classlabels_int64s = array<i64: 4, 2, 7>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @zip_map_makes_a_row
// CHECK: "onnx.ml.ZipMap"{{.*}} -> !cameo.tensor<[1, 2], f32>
func.func @zip_map_makes_a_row(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.ZipMap"(%x) <{classlabels_strings = ["a", "b"]}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @zip_map_c1(%x: !cameo.tensor<[N, 1], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has not one of classlabels_int64s and classlabels_strings (C1)}}
  %0 = "onnx.ml.ZipMap"(%x) <{classlabels_int64s = array<i64: 4>, classlabels_strings = ["a"]}> : (!cameo.tensor<[N, 1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @zip_map_c2(%x: !cameo.tensor<[N, 1, 1], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of X (C2) (got 3, need 1 to 2)}}
  %0 = "onnx.ml.ZipMap"(%x) <{classlabels_int64s = array<i64: 4>}> : (!cameo.tensor<[N, 1, 1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @zip_map_c3(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the keys (C3) (got 3, need 2)}}
  %0 = "onnx.ml.ZipMap"(%x) <{classlabels_int64s = array<i64: 4, 5>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
