// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s
//
// A convolution of bytes, of whose sums the zero point's share is taken off, and a halo that is not zero.

// CHECK-LABEL: func.func @zero_point
// CHECK-DAG: %[[W:.*]] = prog.weight dense<2> : tensor<32x16x1x1xi8> through [#cameo.blocked<[0, 1] by [16, 4]>] : <[32, 16, 1, 1], i8, host, #cameo.blocked<[0, 1] by [16, 4]>>
// CHECK-DAG: %[[Z:.*]] = prog.weight dense<2> : tensor<32x16x1x1xi8> through [#prog.sum<factor = 3>, #cameo.blocked<[0] by [16]>] : <[32], i32, host, #cameo.blocked<[0] by [16]>>
// CHECK: %[[Y:.*]] = prog.call "conv_blocked_bytes" {{.*}}groups = 1{{.*}}lanes = 16{{.*}} ins(%arg0, %[[W]]
// CHECK: prog.store{{.*}}%[[Z]]
// CHECK: prog.s_sub
// CHECK: prog.call "clear_halo" [] {{.*}}fill = 5 : i64
func.func @zero_point(%x: !cameo.tensor<[N, 16, 8, 8], ui8, host, #cameo.blocked<[1] by [16]>>)
    -> !cameo.tensor<[N, 32, 8, 8], i32, host, #cameo.blocked<[1] by [16] halo [1, 1] of 5>> {
  %c = "onnx.Constant"() <{value = dense<2> : tensor<32x16x1x1xi8>}> : () -> !cameo.tensor<[32, 16, 1, 1], i8, host>
  %w = prog.repack %c : <[32, 16, 1, 1], i8, host> -> <[32, 16, 1, 1], i8, host, #cameo.blocked<[0, 1] by [16, 4]>>
  %z = "onnx.Constant"() <{value = dense<3> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8, host>
  %0 = "onnx.ConvInteger"(%x, %w, %z) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[N, 16, 8, 8], ui8, host, #cameo.blocked<[1] by [16]>>, !cameo.tensor<[32, 16, 1, 1], i8, host, #cameo.blocked<[0, 1] by [16, 4]>>, !cameo.tensor<[], ui8, host>)
      -> !cameo.tensor<[N, 32, 8, 8], i32, host, #cameo.blocked<[1] by [16] halo [1, 1] of 5>>
  func.return %0 : !cameo.tensor<[N, 32, 8, 8], i32, host, #cameo.blocked<[1] by [16] halo [1, 1] of 5>>
}
