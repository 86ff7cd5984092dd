// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @mat_mul_integer_gives_32_bits
// CHECK: "onnx.MatMulInteger"{{.*}} -> !cameo.tensor<[M, N], i32>
func.func @mat_mul_integer_gives_32_bits(%a: !cameo.tensor<[M, K], ui8>, %b: !cameo.tensor<[K, N], i8>)
    -> !cameo.tensor<*, i32> {
  %0 = "onnx.MatMulInteger"(%a, %b) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[M, K], ui8>, !cameo.tensor<[K, N], i8>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}
