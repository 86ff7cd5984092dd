// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @trilu_keeps_extents
// CHECK: "onnx.Trilu"{{.*}} -> !cameo.tensor<[N, 3, 4], f32>
func.func @trilu_keeps_extents(%x: !cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Trilu"(%x) : (!cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @trilu_c1(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of input (C1) (got 1, need at least 2)}}
  %0 = "onnx.Trilu"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @trilu_c2(%x: !cameo.tensor<[N, 3], f32>, %k: !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{needs one element in k (C2), got 2}}
  %0 = "onnx.Trilu"(%x, %k) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
