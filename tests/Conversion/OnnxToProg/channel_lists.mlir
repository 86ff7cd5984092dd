// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --split-input-file | FileCheck %s

!image = !cameo.tensor<[N, 40, H, W], f32, host, #cameo.blocked<[1] by [16]>>
!weights = !cameo.tensor<[40, 10, 1, 1], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>

// Groups that share blocks name their inputs, and do so through a Gather.
// CHECK-LABEL: @groups
// CHECK: %[[L:.*]] = prog.weight dense<[0, 1, 2, {{.*}}, 39]> : tensor<40xi32>
// CHECK: prog.call "conv_blocked_groups" [] {{.*}}groups = 4 : i64{{.*}}ins(%arg0, %{{.*}}, %[[L]]
// CHECK-LABEL: @through
// CHECK-NOT: pick_channels
// CHECK: %[[L:.*]] = prog.weight dense<[39, 38, {{.*}}, 0]> : tensor<40xi32>
// CHECK: prog.call "conv_blocked_groups" {{.*}}ins(%arg0, %{{.*}}, %[[L]]
func.func @groups(%x: !image) -> !image {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x10x1x1xf32>}> : () -> !cameo.tensor<[40, 10, 1, 1], f32, host>
  %p = prog.repack %w : !cameo.tensor<[40, 10, 1, 1], f32, host> -> !weights
  %0 = "onnx.Conv"(%x, %p) <{group = 4 : i64}> : (!image, !weights) -> !image
  func.return %0 : !image
}
func.func @through(%x: !image) -> !image {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x10x1x1xf32>}> : () -> !cameo.tensor<[40, 10, 1, 1], f32, host>
  %p = prog.repack %w : !cameo.tensor<[40, 10, 1, 1], f32, host> -> !weights
  %i = "onnx.Constant"() <{value = dense<[39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]> : tensor<40xi64>}> : () -> !cameo.tensor<[40], i64, host>
  %0 = "onnx.Gather"(%x, %i) <{axis = 1 : i64}> : (!image, !cameo.tensor<[40], i64, host>) -> !image
  %1 = "onnx.Conv"(%0, %p) <{group = 4 : i64}> : (!image, !weights) -> !image
  func.return %1 : !image
}

// -----

!image = !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16]>>
!bordered = !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>>
!weights = !cameo.tensor<[20, 10, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>

// Zeros around the image are those of the copy: it is made.
// CHECK-LABEL: @halo
// CHECK: %[[P:.*]] = prog.call "pick_channels" [] {{.*}}in_channels = #cameo.extent<20>, left = 0 : i64{{.*}}ins(%arg0
// CHECK: %[[C:.*]] = prog.call "clear_halo" {{.*}}dests(%[[P]]
// CHECK: prog.call "conv_blocked_groups" {{.*}}ins(%[[C]]
func.func @halo(%x: !image) -> !image {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<20x10x3x3xf32>}> : () -> !cameo.tensor<[20, 10, 3, 3], f32, host>
  %p = prog.repack %w : !cameo.tensor<[20, 10, 3, 3], f32, host> -> !weights
  %i = "onnx.Constant"() <{value = dense<[19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]> : tensor<20xi64>}> : () -> !cameo.tensor<[20], i64, host>
  %0 = "onnx.Gather"(%x, %i) <{axis = 1 : i64}> : (!image, !cameo.tensor<[20], i64, host>) -> !bordered
  %1 = "onnx.Conv"(%0, %p) <{group = 2 : i64, pads = array<i64: 1, 1, 1, 1>}> : (!bordered, !weights) -> !image
  func.return %1 : !image
}

// -----

!image = !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16]>>

// So it is for a reader that is no convolution in groups, of any of the channels.
// CHECK-LABEL: @picked
// CHECK: prog.weight dense<[19, 0, 0]> : tensor<3xi32>
// CHECK: prog.call "pick_channels" {{.*}}out_channels = #cameo.extent<3>
func.func @picked(%x: !image) -> !cameo.tensor<[N, 3, H, W], f32, host, #cameo.blocked<[1] by [16]>> {
  %i = "onnx.Constant"() <{value = dense<[-1, 0, 0]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64, host>
  %0 = "onnx.Gather"(%x, %i) <{axis = 1 : i64}> : (!image, !cameo.tensor<[3], i64, host>) -> !cameo.tensor<[N, 3, H, W], f32, host, #cameo.blocked<[1] by [16]>>
  func.return %0 : !cameo.tensor<[N, 3, H, W], f32, host, #cameo.blocked<[1] by [16]>>
}
