// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @q_linear_mat_mul_takes_the_type_of_the_zero_point
// CHECK: "onnx.QLinearMatMul"{{.*}} -> !cameo.tensor<[M, N], ui8>
func.func @q_linear_mat_mul_takes_the_type_of_the_zero_point(%a: !cameo.tensor<[M, K], ui8>, %as: !cameo.tensor<[], f32>, %az: !cameo.tensor<[], ui8>, %b: !cameo.tensor<[K, N], i8>, %bs: !cameo.tensor<[], f32>, %bz: !cameo.tensor<[], i8>, %ys: !cameo.tensor<[], f32>, %yz: !cameo.tensor<[], ui8>)
    -> !cameo.tensor<*, ui8> {
  %0 = "onnx.QLinearMatMul"(%a, %as, %az, %b, %bs, %bz, %ys, %yz)
      : (!cameo.tensor<[M, K], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[K, N], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}
