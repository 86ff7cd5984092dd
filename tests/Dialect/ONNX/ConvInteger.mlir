// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @conv_integer_gives_32_bits
// CHECK: "onnx.ConvInteger"{{.*}} -> !cameo.tensor<[N, 8, 7], i32>
func.func @conv_integer_gives_32_bits(%x: !cameo.tensor<[N, 3, 9], ui8>, %w: !cameo.tensor<[8, 3, 3], i8>)
    -> !cameo.tensor<*, i32> {
  %0 = "onnx.ConvInteger"(%x, %w) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 3, 9], ui8>, !cameo.tensor<[8, 3, 3], i8>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}

// -----

func.func @conv_integer_c6(%x: !cameo.tensor<[N, 3, 9], ui8>, %w: !cameo.tensor<[8, 3, 3], i8>, %xz: !cameo.tensor<[], ui8>, %wz: !cameo.tensor<[3], i8>)
    -> !cameo.tensor<*, i32> {
  // expected-error @+1 {{does not fit in w_zero_point (C6) (got 3, need 8)}}
  %0 = "onnx.ConvInteger"(%x, %w, %xz, %wz) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 3, 9], ui8>, !cameo.tensor<[8, 3, 3], i8>, !cameo.tensor<[], ui8>, !cameo.tensor<[3], i8>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}
