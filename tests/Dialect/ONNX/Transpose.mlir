// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @transpose_reverses_by_default
// CHECK: "onnx.Transpose"{{.*}} -> !cameo.tensor<[C, B, A], f32>
func.func @transpose_reverses_by_default(%x: !cameo.tensor<[A, B, C], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Transpose"(%x) : (!cameo.tensor<[A, B, C], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @transpose_permutes
// CHECK: "onnx.Transpose"{{.*}} -> !cameo.tensor<[B, A, C], f32>
func.func @transpose_permutes(%x: !cameo.tensor<[A, B, C], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Transpose"(%x) <{perm = array<i64: 1, 0, 2>}>
      : (!cameo.tensor<[A, B, C], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @transpose_c1_duplicate(%x: !cameo.tensor<[A, B], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{needs a perm that holds each of the 2 axes once (C1, got [0, 0])}}
  %0 = "onnx.Transpose"(%x) <{perm = array<i64: 0, 0>}> : (!cameo.tensor<[A, B], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @transpose_c1_short(%x: !cameo.tensor<[A, B], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{needs a perm that holds each of the 2 axes once (C1, got [0])}}
  %0 = "onnx.Transpose"(%x) <{perm = array<i64: 0>}> : (!cameo.tensor<[A, B], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @transpose_c1_negative(%x: !cameo.tensor<[A, B], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{needs a perm that holds each of the 2 axes once (C1, got [-1, 0])}}
  %0 = "onnx.Transpose"(%x) <{perm = array<i64: -1, 0>}> : (!cameo.tensor<[A, B], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
