// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @center_crop_pad_some_axes
// CHECK: "onnx.CenterCropPad"{{.*}} -> !cameo.tensor<[N, 4, 8], f32>
func.func @center_crop_pad_some_axes(%x: !cameo.tensor<[N, 10, 8], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[4]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.CenterCropPad"(%x, %s) <{axes = array<i64: -2>}>
      : (!cameo.tensor<[N, 10, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @center_crop_pad_c1(%x: !cameo.tensor<[N, 10, 8], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[4]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{axes (C1) is out of range (got 3, need [-3, 3))}}
  %0 = "onnx.CenterCropPad"(%x, %s) <{axes = array<i64: 3>}>
      : (!cameo.tensor<[N, 10, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @center_crop_pad_c2(%x: !cameo.tensor<[N, 10, 8], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[4]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{has a wrong number of elements in shape (C2, got 1, need 3)}}
  %0 = "onnx.CenterCropPad"(%x, %s)
      : (!cameo.tensor<[N, 10, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
