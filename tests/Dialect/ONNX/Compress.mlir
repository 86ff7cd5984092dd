// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @compress_counts_along_an_axis
// CHECK: "onnx.Compress"{{.*}} -> !cameo.tensor<[N, compressed], f32>
func.func @compress_counts_along_an_axis(%x: !cameo.tensor<[N, 3], f32>, %c: !cameo.tensor<[3], i1>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Compress"(%x, %c) <{axis = 1 : i64}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[3], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @compress_counts_elements
// CHECK: "onnx.Compress"{{.*}} -> !cameo.tensor<[compressed], f32>
func.func @compress_counts_elements(%x: !cameo.tensor<[N, 3], f32>, %c: !cameo.tensor<[K], i1>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Compress"(%x, %c) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[K], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @compress_c1(%x: !cameo.tensor<[], f32>, %c: !cameo.tensor<[K], i1>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of input (C1) (got 0, need at least 1)}}
  %0 = "onnx.Compress"(%x, %c) : (!cameo.tensor<[], f32>, !cameo.tensor<[K], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @compress_c2(%x: !cameo.tensor<[N, 3], f32>, %c: !cameo.tensor<[K], i1>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{axis (C2) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.Compress"(%x, %c) <{axis = 2 : i64}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[K], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
