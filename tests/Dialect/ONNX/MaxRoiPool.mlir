// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @max_roi_pool_pools_regions
// CHECK: "onnx.MaxRoiPool"{{.*}} -> !cameo.tensor<[R, C, 2, 3], f32>
func.func @max_roi_pool_pools_regions(%x: !cameo.tensor<[N, C, H, W], f32>, %r: !cameo.tensor<[R, 5], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.MaxRoiPool"(%x, %r) <{pooled_shape = array<i64: 2, 3>}>
      : (!cameo.tensor<[N, C, H, W], f32>, !cameo.tensor<[R, 5], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @max_roi_pool_c2(%x: !cameo.tensor<[N, C, H, W], f32>, %r: !cameo.tensor<[R, 5], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{needs two positive numbers in pooled_shape (C2)}}
  %0 = "onnx.MaxRoiPool"(%x, %r) <{pooled_shape = array<i64: 2>}>
      : (!cameo.tensor<[N, C, H, W], f32>, !cameo.tensor<[R, 5], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
