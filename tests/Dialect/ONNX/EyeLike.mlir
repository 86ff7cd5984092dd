// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @eye_like_takes_dtype
// CHECK: "onnx.EyeLike"{{.*}} -> !cameo.tensor<[N, 3], i64>
func.func @eye_like_takes_dtype(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, i64> {
  %0 = "onnx.EyeLike"(%x) <{dtype = 7 : i64}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

func.func @eye_like_c1(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of input (C1) (got 1, need 2)}}
  %0 = "onnx.EyeLike"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @eye_like_c2(%x: !cameo.tensor<[N, N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{asks for an element type that ONNX does not have (C2, got 999)}}
  %0 = "onnx.EyeLike"(%x) <{dtype = 999 : i64}> : (!cameo.tensor<[N, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
