// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @clip_keeps_extents
// CHECK: "onnx.Clip"{{.*}} -> !cameo.tensor<[N, 3], f32>
func.func @clip_keeps_extents(%x: !cameo.tensor<[N, 3], f32>, %m: !cameo.tensor<[], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Clip"(%x, %m) <{operandSegmentSizes = array<i32: 1, 0, 1>}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @clip_c1(%x: !cameo.tensor<[N, 3], f32>, %m: !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{needs one element in max (C1), got 2}}
  %0 = "onnx.Clip"(%x, %m) <{operandSegmentSizes = array<i32: 1, 0, 1>}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
