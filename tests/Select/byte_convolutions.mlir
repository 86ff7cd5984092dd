// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s
//
// Convolutions of bytes: halos filled with a zero point, weights of which four channels are neighbours.

// It has no other kernel: however small it is, the image is packed. The halo is what padding stands for.
// CHECK-LABEL: func.func @small
// CHECK: %[[P:.*]] = prog.call "pack_channels" {{.*}} ins(%arg0 : {{.*}} : !cameo.tensor<[N, 16, H, W], ui8, host, #cameo.blocked<[1] by [16] halo [1, 1] of 7>>
// CHECK: %[[X:.*]] = prog.call "clear_halo" [] {{.*}}fill = 7 : i64{{.*}} dests(%[[P]] :
// CHECK: %[[Z:.*]] = prog.weight {{.*}} through [#prog.sum<factor = 7>, #cameo.blocked<[0] by [16]>] : <[16], i32, host, #cameo.blocked<[0] by [16]>>
// CHECK: %[[W:.*]] = prog.weight {{.*}} : <[16, 16, 3, 3], i8, host, #cameo.blocked<[0, 1] by [16, 4]>>
// CHECK: prog.call "conv_blocked_bytes" {{.*}}lanes = 16{{.*}} ins(%[[X]], %[[W]] : {{.*}} : !cameo.tensor<[N, 16, H, W], i32, host, #cameo.blocked<[1] by [16]>> {
// CHECK-NEXT: prog.store 5 values 1 ins(%[[Z]] :
// CHECK: prog.s_sub
func.func @small(%x: !cameo.tensor<[N, 16, H, W], ui8, host>) -> !cameo.tensor<[N, 16, H, W], i32, host> {
  %w = "onnx.Constant"() <{value = dense<1> : tensor<16x16x3x3xi8>}> : () -> !cameo.tensor<[16, 16, 3, 3], i8, host>
  %z = "onnx.Constant"() <{value = dense<7> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8, host>
  %0 = "onnx.ConvInteger"(%x, %w, %z) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, pads = array<i64: 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 16, H, W], ui8, host>, !cameo.tensor<[16, 16, 3, 3], i8, host>, !cameo.tensor<[], ui8, host>) -> !cameo.tensor<[N, 16, H, W], i32, host>
  func.return %0 : !cameo.tensor<[N, 16, H, W], i32, host>
}

// -----

// A few channels are a block of four, which nothing else has: what is in front stays dense.
// CHECK-LABEL: func.func @planes
// CHECK: %[[Q:.*]] = prog.kernel {{.*}} ins(%arg0 : {{.*}} : !cameo.tensor<[N, 3, H, W], ui8, host> {
// CHECK: %[[P:.*]] = prog.call "pack_channels" {{.*}} ins(%[[Q]] : {{.*}} : !cameo.tensor<[N, 3, H, W], ui8, host, #cameo.blocked<[1] by [4] halo [1, 1]>>
// CHECK: %[[X:.*]] = prog.call "clear_halo" {{.*}} dests(%[[P]] :
// CHECK: prog.call "conv_blocked_bytes" {{.*}}lanes = 4{{.*}} ins(%[[X]],
func.func @planes(%x: !cameo.tensor<[N, 3, H, W], f32, host>) -> !cameo.tensor<[N, 16, H, W], i32, host> {
  %w = "onnx.Constant"() <{value = dense<1> : tensor<16x3x3x3xi8>}> : () -> !cameo.tensor<[16, 3, 3, 3], i8, host>
  %0 = "onnx.Cast"(%x) <{to = 2 : i64}> : (!cameo.tensor<[N, 3, H, W], f32, host>) -> !cameo.tensor<[N, 3, H, W], ui8, host>
  %1 = "onnx.ConvInteger"(%0, %w) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, pads = array<i64: 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 3, H, W], ui8, host>, !cameo.tensor<[16, 3, 3, 3], i8, host>) -> !cameo.tensor<[N, 16, H, W], i32, host>
  func.return %1 : !cameo.tensor<[N, 16, H, W], i32, host>
}

// -----

// Two that pad one image with different numbers do not read the same memory.
// CHECK-LABEL: func.func @two_zero_points
// CHECK-DAG: prog.call "clear_halo" [] {{.*}}fill = 7 : i64{{.*}} : !cameo.tensor<[N, 16, H, W], ui8, host, #cameo.blocked<[1] by [16] halo [1, 1] of 7>> {
// CHECK-DAG: prog.call "clear_halo" [] {{.*}}fill = 9 : i64{{.*}} : !cameo.tensor<[N, 16, H, W], ui8, host, #cameo.blocked<[1] by [16] halo [1, 1] of 9>> {
// CHECK: prog.call "conv_blocked_bytes" {{.*}} of 7>>
// CHECK: prog.call "conv_blocked_bytes" {{.*}} of 9>>
// CHECK: return
func.func @two_zero_points(%x: !cameo.tensor<[N, 16, H, W], ui8, host>) -> (!cameo.tensor<[N, 16, H, W], i32, host>, !cameo.tensor<[N, 16, H, W], i32, host>) {
  %w = "onnx.Constant"() <{value = dense<1> : tensor<16x16x3x3xi8>}> : () -> !cameo.tensor<[16, 16, 3, 3], i8, host>
  %a = "onnx.Constant"() <{value = dense<7> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8, host>
  %b = "onnx.Constant"() <{value = dense<9> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8, host>
  %0 = "onnx.ConvInteger"(%x, %w, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, pads = array<i64: 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 16, H, W], ui8, host>, !cameo.tensor<[16, 16, 3, 3], i8, host>, !cameo.tensor<[], ui8, host>) -> !cameo.tensor<[N, 16, H, W], i32, host>
  %1 = "onnx.ConvInteger"(%x, %w, %b) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, pads = array<i64: 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 16, H, W], ui8, host>, !cameo.tensor<[16, 16, 3, 3], i8, host>, !cameo.tensor<[], ui8, host>) -> !cameo.tensor<[N, 16, H, W], i32, host>
  func.return %0, %1 : !cameo.tensor<[N, 16, H, W], i32, host>, !cameo.tensor<[N, 16, H, W], i32, host>
}

// -----

!image = !cameo.tensor<[N, 16, 8, 8], ui8, host>
!sums = !cameo.tensor<[N, 32, 8, 8], i32, host>
!codes = !cameo.tensor<[N, 32, 8, 8], ui8, host>

// A convolution of bytes, of whose sums the zero point's share is taken off, and a halo that is not zero.
// CHECK-LABEL: func.func @zero_point
// CHECK-DAG: %[[W:.*]] = prog.weight dense<2> : tensor<32x16x1x1xi8> through [#cameo.blocked<[0, 1] by [16, 4]>] : <[32, 16, 1, 1], i8, host, #cameo.blocked<[0, 1] by [16, 4]>>
// CHECK-DAG: %[[Z:.*]] = prog.weight dense<2> : tensor<32x16x1x1xi8> through [#prog.sum<factor = 3>, #cameo.blocked<[0] by [16]>] : <[32], i32, host, #cameo.blocked<[0] by [16]>>
// CHECK: %[[Y:.*]] = prog.call "conv_blocked_bytes" {{.*}}groups = 1{{.*}}lanes = 16{{.*}} ins(%{{.*}}, %[[W]]
// CHECK: prog.store{{.*}}%[[Z]]
// CHECK: prog.s_sub
// CHECK: prog.call "clear_halo" [] {{.*}}fill = 5 : i64{{.*}} dests(%[[Y]] : !cameo.tensor<[N, 32, 8, 8], ui8, host, #cameo.blocked<[1] by [16] halo [1, 1] of 5>>
func.func @zero_point(%x: !image) -> !sums {
  %w = "onnx.Constant"() <{value = dense<2> : tensor<32x16x1x1xi8>}> : () -> !cameo.tensor<[32, 16, 1, 1], i8, host>
  %v = "onnx.Constant"() <{value = dense<2> : tensor<32x32x3x3xi8>}> : () -> !cameo.tensor<[32, 32, 3, 3], i8, host>
  %z = "onnx.Constant"() <{value = dense<3> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8, host>
  %y = "onnx.Constant"() <{value = dense<5> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8, host>
  %0 = "onnx.ConvInteger"(%x, %w, %z) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!image, !cameo.tensor<[32, 16, 1, 1], i8, host>, !cameo.tensor<[], ui8, host>) -> !sums
  %1 = "onnx.Cast"(%0) <{to = 2 : i64}> : (!sums) -> !codes
  %2 = "onnx.ConvInteger"(%1, %v, %y) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, pads = array<i64: 1, 1, 1, 1>}>
      : (!codes, !cameo.tensor<[32, 32, 3, 3], i8, host>, !cameo.tensor<[], ui8, host>) -> !sums
  func.return %2 : !sums
}

// -----

// Two readers inside a trunk that pad with different numbers: what the first one wants is in the memory of the result, the
// other one gets the image anew.
// CHECK-LABEL: func.func @two_zero_points_inside
// CHECK: %[[Y:.*]] = prog.call "conv_blocked_bytes" {{.*}} of 5>> {
// CHECK: %[[A:.*]] = prog.call "clear_halo" [] {{.*}}fill = 5 : i64{{.*}} dests(%[[Y]] :
// CHECK: %[[D:.*]] = prog.call "unpack_channels" {{.*}} ins(%[[A]] :
// CHECK: %[[P:.*]] = prog.call "pack_channels" {{.*}} ins(%[[D]] :
// CHECK: %[[B:.*]] = prog.call "clear_halo" [] {{.*}}fill = 9 : i64{{.*}} dests(%[[P]] :
// CHECK: prog.call "conv_blocked_bytes" {{.*}} ins(%[[A]],
// CHECK: prog.call "conv_blocked_bytes" {{.*}} ins(%[[B]],
!sums = !cameo.tensor<[N, 16, 8, 8], i32, host>
!codes = !cameo.tensor<[N, 16, 8, 8], ui8, host>
func.func @two_zero_points_inside(%x: !codes) -> (!sums, !sums) {
  %w = "onnx.Constant"() <{value = dense<2> : tensor<16x16x3x3xi8>}> : () -> !cameo.tensor<[16, 16, 3, 3], i8, host>
  %a = "onnx.Constant"() <{value = dense<5> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8, host>
  %b = "onnx.Constant"() <{value = dense<9> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8, host>
  %0 = "onnx.ConvInteger"(%x, %w, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, pads = array<i64: 1, 1, 1, 1>}>
      : (!codes, !cameo.tensor<[16, 16, 3, 3], i8, host>, !cameo.tensor<[], ui8, host>) -> !sums
  %1 = "onnx.Cast"(%0) <{to = 2 : i64}> : (!sums) -> !codes
  %2 = "onnx.ConvInteger"(%1, %w, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, pads = array<i64: 1, 1, 1, 1>}>
      : (!codes, !cameo.tensor<[16, 16, 3, 3], i8, host>, !cameo.tensor<[], ui8, host>) -> !sums
  %3 = "onnx.ConvInteger"(%1, %w, %b) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, pads = array<i64: 1, 1, 1, 1>}>
      : (!codes, !cameo.tensor<[16, 16, 3, 3], i8, host>, !cameo.tensor<[], ui8, host>) -> !sums
  func.return %2, %3 : !sums, !sums
}
