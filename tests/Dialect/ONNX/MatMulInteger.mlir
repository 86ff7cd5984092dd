// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @mat_mul_integer_gives_32_bits
// CHECK: "onnx.MatMulInteger"{{.*}} -> !cameo.tensor<[M, N], i32>
func.func @mat_mul_integer_gives_32_bits(%a: !cameo.tensor<[M, K], ui8>, %b: !cameo.tensor<[K, N], i8>)
    -> !cameo.tensor<*, i32> {
  %0 = "onnx.MatMulInteger"(%a, %b) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[M, K], ui8>, !cameo.tensor<[K, N], i8>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}

// -----

// CHECK-LABEL: @mat_mul_integer_of_rows_and_columns
// CHECK: "onnx.MatMulInteger"{{.*}} -> !cameo.tensor<[N, 5, 3], i32>
func.func @mat_mul_integer_of_rows_and_columns(%a: !cameo.tensor<[N, 5, 4], ui8>, %b: !cameo.tensor<[4, 3], i8>, %az: !cameo.tensor<[N, 5, 1], ui8>, %bz: !cameo.tensor<[3], i8>)
    -> !cameo.tensor<*, i32> {
  %0 = "onnx.MatMulInteger"(%a, %b, %az, %bz) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 5, 4], ui8>, !cameo.tensor<[4, 3], i8>, !cameo.tensor<[N, 5, 1], ui8>, !cameo.tensor<[3], i8>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}

// -----

func.func @mat_mul_integer_c3_of_rows(%a: !cameo.tensor<[5, 4], ui8>, %b: !cameo.tensor<[4, 3], i8>, %az: !cameo.tensor<[4], ui8>, %bz: !cameo.tensor<[], i8>)
    -> !cameo.tensor<*, i32> {
  // expected-error @+1 {{does not fit in a_zero_point (C3) (got 4, need 5)}}
  %0 = "onnx.MatMulInteger"(%a, %b, %az, %bz) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}>
      : (!cameo.tensor<[5, 4], ui8>, !cameo.tensor<[4, 3], i8>, !cameo.tensor<[4], ui8>, !cameo.tensor<[], i8>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}

// -----

func.func @mat_mul_integer_c3_of_columns(%a: !cameo.tensor<[5, 4], ui8>, %b: !cameo.tensor<[4, 3], i8>, %az: !cameo.tensor<[], ui8>, %bz: !cameo.tensor<[4, 3], i8>)
    -> !cameo.tensor<*, i32> {
  // expected-error @+1 {{does not fit in b_zero_point (C3) (got 4, need 1)}}
  %0 = "onnx.MatMulInteger"(%a, %b, %az, %bz) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}>
      : (!cameo.tensor<[5, 4], ui8>, !cameo.tensor<[4, 3], i8>, !cameo.tensor<[], ui8>, !cameo.tensor<[4, 3], i8>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}

// -----

func.func @mat_mul_integer_c3_of_a_vector(%a: !cameo.tensor<[4], ui8>, %b: !cameo.tensor<[4, 3], i8>, %az: !cameo.tensor<[4], ui8>, %bz: !cameo.tensor<[], i8>)
    -> !cameo.tensor<*, i32> {
  // expected-error @+1 {{needs one element in a_zero_point (C3), got 4}}
  %0 = "onnx.MatMulInteger"(%a, %b, %az, %bz) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}>
      : (!cameo.tensor<[4], ui8>, !cameo.tensor<[4, 3], i8>, !cameo.tensor<[4], ui8>, !cameo.tensor<[], i8>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}
