// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --split-input-file | FileCheck %s
//
// A convolution of bytes, of whose sums the zero point's share is taken off. Padding reads as the zero point.

// CHECK-LABEL: func.func @zero_point
// CHECK-DAG: %[[W:.*]] = prog.weight dense<2> : tensor<32x16x1x1xi8> : <[32, 16, 1, 1], i8, host>
// CHECK-DAG: %[[Z:.*]] = prog.weight dense<2> : tensor<32x16x1x1xi8> through [#prog.sum<factor = 3>] : <[32], i32, host>
// CHECK: prog.call "conv_integer" [] {{.*}}groups = 1{{.*}}pad_value = 3 : i64{{.*}} ins(%arg0, %[[W]] :
// CHECK-SAME: {pad_end = [#cameo.extent<1>, #cameo.extent<1>]} : !cameo.tensor<[N, 32, 10, 10], i32, host> {
// CHECK: prog.store 4 values 1 ins(%[[Z]] :
// CHECK: prog.s_sub
func.func @zero_point(%x: !cameo.tensor<[N, 16, 8, 8], ui8, host>) -> !cameo.tensor<[N, 32, 10, 10], i32, host> {
  %w = "onnx.Constant"() <{value = dense<2> : tensor<32x16x1x1xi8>}> : () -> !cameo.tensor<[32, 16, 1, 1], i8, host>
  %z = "onnx.Constant"() <{value = dense<3> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8, host>
  %0 = "onnx.ConvInteger"(%x, %w, %z) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, pads = array<i64: 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 16, 8, 8], ui8, host>, !cameo.tensor<[32, 16, 1, 1], i8, host>, !cameo.tensor<[], ui8, host>) -> !cameo.tensor<[N, 32, 10, 10], i32, host>
  func.return %0 : !cameo.tensor<[N, 32, 10, 10], i32, host>
}
