// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @resize_by_scales
// CHECK: "onnx.Resize"{{.*}} -> !cameo.tensor<[N, 3, 2 * H, 7], f32>
func.func @resize_by_scales(%x: !cameo.tensor<[N, 3, H, 10], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[1.0, 1.0, 2.0, 0.7]> : tensor<4xf32>}> : () -> !cameo.tensor<[4], f32>
  %0 = "onnx.Resize"(%x, %s) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!cameo.tensor<[N, 3, H, 10], f32>, !cameo.tensor<[4], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @resize_by_a_fraction
// CHECK: "onnx.Resize"{{.*}} -> !cameo.tensor<[(3 * H) floordiv 4], f32>
func.func @resize_by_a_fraction(%x: !cameo.tensor<[H], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0.75]> : tensor<1xf32>}> : () -> !cameo.tensor<[1], f32>
  %0 = "onnx.Resize"(%x, %s) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!cameo.tensor<[H], f32>, !cameo.tensor<[1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @resize_by_sizes_of_some_axes
// CHECK: "onnx.Resize"{{.*}} -> !cameo.tensor<[N, 3, 5, 6], f32>
func.func @resize_by_sizes_of_some_axes(%x: !cameo.tensor<[N, 3, H, W], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[5, 6]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Resize"(%x, %s) <{axes = array<i64: 2, 3>, operandSegmentSizes = array<i32: 1, 0, 0, 1>}>
      : (!cameo.tensor<[N, 3, H, W], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @resize_not_larger
// CHECK: "onnx.Resize"{{.*}} -> !cameo.tensor<[1, 1, 4, 8], f32>
func.func @resize_not_larger(%x: !cameo.tensor<[1, 1, 4, 8], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[7, 8]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Resize"(%x, %s) <{axes = array<i64: 2, 3>, keep_aspect_ratio_policy = "not_larger", operandSegmentSizes = array<i32: 1, 0, 0, 1>}>
      : (!cameo.tensor<[1, 1, 4, 8], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @resize_c1(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[2.0]> : tensor<1xf32>}> : () -> !cameo.tensor<[1], f32>
  %z = "onnx.Constant"() <{value = dense<[5]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{needs either scales or sizes (C1)}}
  %0 = "onnx.Resize"(%x, %s, %z) <{operandSegmentSizes = array<i32: 1, 0, 1, 1>}>
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @resize_c2(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[2.0]> : tensor<1xf32>}> : () -> !cameo.tensor<[1], f32>
  // expected-error @+1 {{does not fit in scales or sizes (C2) (got 1, need 2)}}
  %0 = "onnx.Resize"(%x, %s) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @resize_c3_zero(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0.0]> : tensor<1xf32>}> : () -> !cameo.tensor<[1], f32>
  // expected-error @+1 {{has a scale out of range (C3) (got }}
  %0 = "onnx.Resize"(%x, %s) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @resize_c3_nan(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0x7FC00000]> : tensor<1xf32>}> : () -> !cameo.tensor<[1], f32>
  // expected-error @+1 {{has a scale out of range (C3) (got }}
  %0 = "onnx.Resize"(%x, %s) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @resize_c4(%x: !cameo.tensor<[4], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[-5]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{has a size that is not positive (C4, got -5)}}
  %0 = "onnx.Resize"(%x, %s) <{operandSegmentSizes = array<i32: 1, 0, 0, 1>}>
      : (!cameo.tensor<[4], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @resize_c5(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[2.0]> : tensor<1xf32>}> : () -> !cameo.tensor<[1], f32>
  // expected-error @+1 {{has an unknown mode (C5) (got }}
  %0 = "onnx.Resize"(%x, %s) <{mode = "lanczos", operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @resize_c6(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[2.0]> : tensor<1xf32>}> : () -> !cameo.tensor<[1], f32>
  // expected-error @+1 {{needs a roi (C6)}}
  %0 = "onnx.Resize"(%x, %s) <{coordinate_transformation_mode = "tf_crop_and_resize", operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @resize_by_scales_of_the_run
// CHECK: "onnx.Resize"{{.*}} -> !cameo.tensor<[N, resized], f32>
func.func @resize_by_scales_of_the_run(%x: !cameo.tensor<[N, M], f32>, %s: !cameo.tensor<[1], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Resize"(%x, %s) <{axes = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!cameo.tensor<[N, M], f32>, !cameo.tensor<[1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
