// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @roi_align_pools_regions
// CHECK: "onnx.RoiAlign"{{.*}} -> !cameo.tensor<[R, C, 7, 5], f32>
func.func @roi_align_pools_regions(%x: !cameo.tensor<[N, C, H, W], f32>, %r: !cameo.tensor<[R, 4], f32>, %b: !cameo.tensor<[R], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.RoiAlign"(%x, %r, %b) <{output_height = 7 : i64, output_width = 5 : i64}>
      : (!cameo.tensor<[N, C, H, W], f32>, !cameo.tensor<[R, 4], f32>, !cameo.tensor<[R], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @roi_align_c1(%x: !cameo.tensor<[N, C, H, W], f32>, %r: !cameo.tensor<[R, 5], f32>, %b: !cameo.tensor<[R], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in a region (C1) (got 5, need 4)}}
  %0 = "onnx.RoiAlign"(%x, %r, %b)
      : (!cameo.tensor<[N, C, H, W], f32>, !cameo.tensor<[R, 5], f32>, !cameo.tensor<[R], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @roi_align_c2(%x: !cameo.tensor<[N, C, H, W], f32>, %r: !cameo.tensor<[R, 4], f32>, %b: !cameo.tensor<[R], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an output or sampling ratio out of range (C2, got 0, 1, 0)}}
  %0 = "onnx.RoiAlign"(%x, %r, %b) <{output_height = 0 : i64}>
      : (!cameo.tensor<[N, C, H, W], f32>, !cameo.tensor<[R, 4], f32>, !cameo.tensor<[R], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @roi_align_c3(%x: !cameo.tensor<[N, C, H, W], f32>, %r: !cameo.tensor<[R, 4], f32>, %b: !cameo.tensor<[R], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an unknown mode (C3) (got 'min')}}
  %0 = "onnx.RoiAlign"(%x, %r, %b) <{mode = "min"}>
      : (!cameo.tensor<[N, C, H, W], f32>, !cameo.tensor<[R, 4], f32>, !cameo.tensor<[R], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @roi_align_c3_coordinates(%x: !cameo.tensor<[N, C, H, W], f32>, %r: !cameo.tensor<[R, 4], f32>, %b: !cameo.tensor<[R], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an unknown coordinate_transformation_mode (C3) (got 'asymmetric')}}
  %0 = "onnx.RoiAlign"(%x, %r, %b) <{coordinate_transformation_mode = "asymmetric"}>
      : (!cameo.tensor<[N, C, H, W], f32>, !cameo.tensor<[R, 4], f32>, !cameo.tensor<[R], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
