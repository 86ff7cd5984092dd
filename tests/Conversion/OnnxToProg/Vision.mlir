// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// CHECK-LABEL: @resize
// CHECK: prog.call "resize" ["resize_mode::nearest"]
// CHECK-SAME: coordinate = "coordinate_mode::half_pixel"
// CHECK-SAME: output = [#cameo.extent<1>, #cameo.extent<1>, #cameo.extent<2 * H>, #cameo.extent<2 * W>]
func.func @resize(%x: !cameo.tensor<[1, 1, H, W], f32, host>) -> !cameo.tensor<[1, 1, 2 * H, 2 * W], f32, host> {
  %s = "onnx.Constant"() <{value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>}> : () -> !cameo.tensor<[4], f32, host>
  %0 = "onnx.Resize"(%x, %s) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!cameo.tensor<[1, 1, H, W], f32, host>, !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[1, 1, 2 * H, 2 * W], f32, host>
  func.return %0 : !cameo.tensor<[1, 1, 2 * H, 2 * W], f32, host>
}
