// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @deform_conv_is_a_conv
// CHECK: "onnx.DeformConv"{{.*}} -> !cameo.tensor<[N, 8, 7, 7], f32>
func.func @deform_conv_is_a_conv(%x: !cameo.tensor<[N, 4, 9, 9], f32>, %w: !cameo.tensor<[8, 4, 3, 3], f32>, %o: !cameo.tensor<[N, 18, 7, 7], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.DeformConv"(%x, %w, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 4, 9, 9], f32>, !cameo.tensor<[8, 4, 3, 3], f32>, !cameo.tensor<[N, 18, 7, 7], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @deform_conv_c6(%x: !cameo.tensor<[N, 4, 9, 9], f32>, %w: !cameo.tensor<[8, 4, 3, 3], f32>, %o: !cameo.tensor<[N, 18, 7, 7], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an offset_group that does not divide the channels (C6, got 3 and 4)}}
  %0 = "onnx.DeformConv"(%x, %w, %o) <{offset_group = 3 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 4, 9, 9], f32>, !cameo.tensor<[8, 4, 3, 3], f32>, !cameo.tensor<[N, 18, 7, 7], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @deform_conv_c7(%x: !cameo.tensor<[N, 4, 9, 9], f32>, %w: !cameo.tensor<[8, 4, 3, 3], f32>, %o: !cameo.tensor<[N, 9, 7, 7], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the elements of the windows (C7) (got 9, need 18)}}
  %0 = "onnx.DeformConv"(%x, %w, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 4, 9, 9], f32>, !cameo.tensor<[8, 4, 3, 3], f32>, !cameo.tensor<[N, 9, 7, 7], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
