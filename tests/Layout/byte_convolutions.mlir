// RUN: cameo-opt %s --cameo-set-target --cameo-assign-layouts --cameo-verify-layouts --split-input-file | FileCheck %s
//
// Convolutions of bytes: halos filled with a zero point, weights of which four channels are neighbours.

// It has no other kernel: however small it is, the image is packed. The halo is what padding stands for.
// CHECK-LABEL: func.func @small
// CHECK-DAG: %[[X:.*]] = prog.repack %arg0 : {{.*}} -> <[N, 16, H, W], ui8, host, #cameo.blocked<[1] by [16] halo [1, 1] of 7>>
// CHECK-DAG: %[[W:.*]] = prog.repack %{{.*}} -> <[16, 16, 3, 3], i8, host, #cameo.blocked<[0, 1] by [16, 4]>>
// CHECK: "onnx.ConvInteger"(%[[X]], %[[W]], %{{.*}}) {{.*}} -> !cameo.tensor<[N, 16, H, W], i32, host, #cameo.blocked<[1] by [16]>>
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
// CHECK: %[[Q:.*]] = "onnx.Cast"(%arg0) {{.*}} -> !cameo.tensor<[N, 3, H, W], ui8, host>
// CHECK: %[[X:.*]] = prog.repack %[[Q]] : {{.*}} -> <[N, 3, H, W], ui8, host, #cameo.blocked<[1] by [4] halo [1, 1]>>
// CHECK: "onnx.ConvInteger"(%[[X]], %{{.*}})
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
// CHECK-DAG: halo [1, 1] of 7>>
// CHECK-DAG: halo [1, 1] of 9>>
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
