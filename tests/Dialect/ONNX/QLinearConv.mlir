// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @q_linear_conv_takes_the_type_of_the_zero_point
// CHECK: "onnx.QLinearConv"{{.*}} -> !cameo.tensor<[N, 8, 7], i8>
func.func @q_linear_conv_takes_the_type_of_the_zero_point(%x: !cameo.tensor<[N, 3, 9], ui8>, %xs: !cameo.tensor<[], f32>, %xz: !cameo.tensor<[], ui8>, %w: !cameo.tensor<[8, 3, 3], i8>, %ws: !cameo.tensor<[], f32>, %wz: !cameo.tensor<[], i8>, %ys: !cameo.tensor<[], f32>, %yz: !cameo.tensor<[], i8>)
    -> !cameo.tensor<*, i8> {
  %0 = "onnx.QLinearConv"(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz)
      : (!cameo.tensor<[N, 3, 9], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[8, 3, 3], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>) -> !cameo.tensor<*, i8>
  func.return %0 : !cameo.tensor<*, i8>
}
