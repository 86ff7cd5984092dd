// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @unique_counts
// CHECK: "onnx.Unique"{{.*}} -> (!cameo.tensor<[unique], f32>, !cameo.tensor<[unique], i64>, !cameo.tensor<[3 * N], i64>, !cameo.tensor<[unique], i64>)
func.func @unique_counts(%x: !cameo.tensor<[N, 3], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>) {
  %0:4 = "onnx.Unique"(%x)
      : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>
}

// -----

// CHECK-LABEL: @unique_along_an_axis
// CHECK: "onnx.Unique"{{.*}} -> (!cameo.tensor<[unique, 3], f32>, !cameo.tensor<[unique], i64>, !cameo.tensor<[N], i64>, !cameo.tensor<[unique], i64>)
func.func @unique_along_an_axis(%x: !cameo.tensor<[N, 3], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>) {
  %0:4 = "onnx.Unique"(%x) <{axis = 0 : i64}>
      : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>
}

// -----

func.func @unique_c1(%x: !cameo.tensor<[N, 3], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>) {
  // expected-error @+1 {{axis (C1) is out of range (got 2, need [-2, 2))}}
  %0:4 = "onnx.Unique"(%x) <{axis = 2 : i64}>
      : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>
}
