// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @concat_adds_extents
// CHECK: "onnx.Concat"{{.*}} -> !cameo.tensor<[M + N, 3], f32>
func.func @concat_adds_extents(%a: !cameo.tensor<[N, 3], f32>, %b: !cameo.tensor<[M, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Concat"(%a, %b) <{axis = 0 : i64}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[M, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @concat_prefers_constants
// CHECK: "onnx.Concat"{{.*}} -> !cameo.tensor<[2 * N, 3], f32>
func.func @concat_prefers_constants(%a: !cameo.tensor<[N, A], f32>, %b: !cameo.tensor<[N, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Concat"(%a, %b) <{axis = 0 : i64}>
      : (!cameo.tensor<[N, A], f32>, !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @concat_c1(%a: !cameo.tensor<[N, 3], f32>, %b: !cameo.tensor<[M, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{axis (C1) is out of range (got -3, need [-2, 2))}}
  %0 = "onnx.Concat"(%a, %b) <{axis = -3 : i64}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[M, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @concat_c2_rank(%a: !cameo.tensor<[N, 3], f32>, %b: !cameo.tensor<[M], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{joins tensors of ranks 2 and 1 (C2)}}
  %0 = "onnx.Concat"(%a, %b) <{axis = 0 : i64}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[M], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @concat_c2_extent(%a: !cameo.tensor<[N, 3], f32>, %b: !cameo.tensor<[M, 4], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{joins tensors that differ along axis 1 (C2, got 3 and 4)}}
  %0 = "onnx.Concat"(%a, %b) <{axis = 0 : i64}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[M, 4], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
