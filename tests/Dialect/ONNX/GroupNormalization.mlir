// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @group_normalization_keeps_extents
// CHECK: "onnx.GroupNormalization"{{.*}} -> !cameo.tensor<[N, 6, H], f32>
func.func @group_normalization_keeps_extents(%x: !cameo.tensor<[N, 6, H], f32>, %s: !cameo.tensor<[6], f32>, %b: !cameo.tensor<[6], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.GroupNormalization"(%x, %s, %b) <{num_groups = 3 : i64}>
      : (!cameo.tensor<[N, 6, H], f32>, !cameo.tensor<[6], f32>, !cameo.tensor<[6], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @group_normalization_c3(%x: !cameo.tensor<[N, 6, H], f32>, %s: !cameo.tensor<[6], f32>, %b: !cameo.tensor<[6], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has num_groups that does not divide the channels (C3, got 4 and 6)}}
  %0 = "onnx.GroupNormalization"(%x, %s, %b) <{num_groups = 4 : i64}>
      : (!cameo.tensor<[N, 6, H], f32>, !cameo.tensor<[6], f32>, !cameo.tensor<[6], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @group_normalization_c3_zero(%x: !cameo.tensor<[N, 6, H], f32>, %s: !cameo.tensor<[6], f32>, %b: !cameo.tensor<[6], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has num_groups that is not positive (C3, got 0)}}
  %0 = "onnx.GroupNormalization"(%x, %s, %b) <{num_groups = 0 : i64}>
      : (!cameo.tensor<[N, 6, H], f32>, !cameo.tensor<[6], f32>, !cameo.tensor<[6], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
