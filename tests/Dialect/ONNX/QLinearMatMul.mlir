// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @q_linear_mat_mul_takes_the_type_of_the_zero_point
// CHECK: "onnx.QLinearMatMul"{{.*}} -> !cameo.tensor<[M, N], ui8>
func.func @q_linear_mat_mul_takes_the_type_of_the_zero_point(%a: !cameo.tensor<[M, K], ui8>, %as: !cameo.tensor<[], f32>, %az: !cameo.tensor<[], ui8>, %b: !cameo.tensor<[K, N], i8>, %bs: !cameo.tensor<[], f32>, %bz: !cameo.tensor<[], i8>, %ys: !cameo.tensor<[], f32>, %yz: !cameo.tensor<[], ui8>)
    -> !cameo.tensor<*, ui8> {
  %0 = "onnx.QLinearMatMul"(%a, %as, %az, %b, %bs, %bz, %ys, %yz)
      : (!cameo.tensor<[M, K], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[K, N], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}

// -----

func.func @q_linear_mat_mul_c3_of_b(%a: !cameo.tensor<[5, 4], ui8>, %as: !cameo.tensor<[], f32>, %az: !cameo.tensor<[], ui8>, %b: !cameo.tensor<[4, 3], i8>, %bs: !cameo.tensor<[4], f32>, %bz: !cameo.tensor<[], i8>, %ys: !cameo.tensor<[], f32>, %yz: !cameo.tensor<[], ui8>)
    -> !cameo.tensor<*, ui8> {
  // expected-error @+1 {{does not fit in b_scale (C3) (got 4, need 3)}}
  %0 = "onnx.QLinearMatMul"(%a, %as, %az, %b, %bs, %bz, %ys, %yz)
      : (!cameo.tensor<[5, 4], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[4, 3], i8>, !cameo.tensor<[4], f32>, !cameo.tensor<[], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}

// -----

func.func @q_linear_mat_mul_c3_of_y(%a: !cameo.tensor<[5, 4], ui8>, %as: !cameo.tensor<[], f32>, %az: !cameo.tensor<[], ui8>, %b: !cameo.tensor<[4, 3], i8>, %bs: !cameo.tensor<[], f32>, %bz: !cameo.tensor<[], i8>, %ys: !cameo.tensor<[], f32>, %yz: !cameo.tensor<[3], ui8>)
    -> !cameo.tensor<*, ui8> {
  // expected-error @+1 {{does not fit in y_zero_point (C3) (got 3, need 5)}}
  %0 = "onnx.QLinearMatMul"(%a, %as, %az, %b, %bs, %bz, %ys, %yz)
      : (!cameo.tensor<[5, 4], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[4, 3], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[3], ui8>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}
