// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @q_linear_conv_takes_the_type_of_the_zero_point
// CHECK: "onnx.QLinearConv"{{.*}} -> !cameo.tensor<[N, 8, 7], i8>
func.func @q_linear_conv_takes_the_type_of_the_zero_point(%x: !cameo.tensor<[N, 3, 9], ui8>, %xs: !cameo.tensor<[], f32>, %xz: !cameo.tensor<[], ui8>, %w: !cameo.tensor<[8, 3, 3], i8>, %ws: !cameo.tensor<[], f32>, %wz: !cameo.tensor<[], i8>, %ys: !cameo.tensor<[], f32>, %yz: !cameo.tensor<[], i8>)
    -> !cameo.tensor<*, i8> {
  %0 = "onnx.QLinearConv"(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz)
      : (!cameo.tensor<[N, 3, 9], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[8, 3, 3], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>) -> !cameo.tensor<*, i8>
  func.return %0 : !cameo.tensor<*, i8>
}

// -----

func.func @q_linear_conv_c6_of_x(%x: !cameo.tensor<[N, 3, 9], ui8>, %xs: !cameo.tensor<[3], f32>, %xz: !cameo.tensor<[], ui8>, %w: !cameo.tensor<[8, 3, 3], i8>, %ws: !cameo.tensor<[], f32>, %wz: !cameo.tensor<[], i8>, %ys: !cameo.tensor<[], f32>, %yz: !cameo.tensor<[], i8>)
    -> !cameo.tensor<*, i8> {
  // expected-error @+1 {{needs one element in x_scale (C6), got 3}}
  %0 = "onnx.QLinearConv"(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz)
      : (!cameo.tensor<[N, 3, 9], ui8>, !cameo.tensor<[3], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[8, 3, 3], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>) -> !cameo.tensor<*, i8>
  func.return %0 : !cameo.tensor<*, i8>
}

// -----

func.func @q_linear_conv_c6_of_w(%x: !cameo.tensor<[N, 3, 9], ui8>, %xs: !cameo.tensor<[], f32>, %xz: !cameo.tensor<[], ui8>, %w: !cameo.tensor<[8, 3, 3], i8>, %ws: !cameo.tensor<[8], f32>, %wz: !cameo.tensor<[7], i8>, %ys: !cameo.tensor<[], f32>, %yz: !cameo.tensor<[], i8>)
    -> !cameo.tensor<*, i8> {
  // expected-error @+1 {{does not fit in w_zero_point (C6) (got 7, need 8)}}
  %0 = "onnx.QLinearConv"(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz)
      : (!cameo.tensor<[N, 3, 9], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[8, 3, 3], i8>, !cameo.tensor<[8], f32>, !cameo.tensor<[7], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>) -> !cameo.tensor<*, i8>
  func.return %0 : !cameo.tensor<*, i8>
}

// -----

func.func @q_linear_conv_c6_rank(%x: !cameo.tensor<[N, 3, 9], ui8>, %xs: !cameo.tensor<[], f32>, %xz: !cameo.tensor<[], ui8>, %w: !cameo.tensor<[8, 3, 3], i8>, %ws: !cameo.tensor<[1, 8], f32>, %wz: !cameo.tensor<[], i8>, %ys: !cameo.tensor<[], f32>, %yz: !cameo.tensor<[], i8>)
    -> !cameo.tensor<*, i8> {
  // expected-error @+1 {{has a wrong rank of w_scale (C6) (got 2, need 1)}}
  %0 = "onnx.QLinearConv"(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz)
      : (!cameo.tensor<[N, 3, 9], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[8, 3, 3], i8>, !cameo.tensor<[1, 8], f32>, !cameo.tensor<[], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>) -> !cameo.tensor<*, i8>
  func.return %0 : !cameo.tensor<*, i8>
}

// -----

func.func @q_linear_conv_c6_of_y(%x: !cameo.tensor<[N, 3, 9], ui8>, %xs: !cameo.tensor<[], f32>, %xz: !cameo.tensor<[], ui8>, %w: !cameo.tensor<[8, 3, 3], i8>, %ws: !cameo.tensor<[], f32>, %wz: !cameo.tensor<[], i8>, %ys: !cameo.tensor<[], f32>, %yz: !cameo.tensor<[8], i8>)
    -> !cameo.tensor<*, i8> {
  // expected-error @+1 {{needs one element in y_zero_point (C6), got 8}}
  %0 = "onnx.QLinearConv"(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz)
      : (!cameo.tensor<[N, 3, 9], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[8, 3, 3], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[8], i8>) -> !cameo.tensor<*, i8>
  func.return %0 : !cameo.tensor<*, i8>
}
