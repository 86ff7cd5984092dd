// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @bit_cast_keeps_extents
// CHECK: "onnx.BitCast"{{.*}} -> !cameo.tensor<[N], i32>
func.func @bit_cast_keeps_extents(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, i32> {
  %0 = "onnx.BitCast"(%x) <{to = 6 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}

// -----

func.func @bit_cast_c1(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, i64> {
  // expected-error @+1 {{needs a type as wide as 'f32' (C1, got 7)}}
  %0 = "onnx.BitCast"(%x) <{to = 7 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
