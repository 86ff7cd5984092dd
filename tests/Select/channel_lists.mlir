// RUN: cameo-opt %s --cameo-set-target=precision=exact --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --canonicalize --mlir-print-local-scope --split-input-file | FileCheck %s

!image = !cameo.tensor<[N, 40, H, W], f32, host>
!whole = !cameo.tensor<[40, 40, 3, 3], f32, host>
!weights = !cameo.tensor<[40, 20, 3, 3], f32, host>
!inner = !cameo.tensor<[N, 40, H - 2, W - 2], f32, host>

// Groups that share blocks name their inputs, and do so through a Gather.
// CHECK-LABEL: @groups
// CHECK: %[[X:.*]] = prog.call "conv_blocked"
// CHECK: %[[L:.*]] = prog.weight dense<[0, 1, 2, {{.*}}, 39]> : tensor<40xi32>
// CHECK: prog.call "conv_blocked_groups" [] {{.*}}groups = 2 : i64{{.*}}ins(%[[X]], %{{.*}}, %[[L]]
// CHECK-LABEL: @through
// CHECK: %[[X:.*]] = prog.call "conv_blocked"
// CHECK-NOT: pick_channels
// CHECK: %[[L:.*]] = prog.weight dense<[39, 38, {{.*}}, 0]> : tensor<40xi32>
// CHECK-NOT: pick_channels
// CHECK: prog.call "conv_blocked_groups" {{.*}}ins(%[[X]], %{{.*}}, %[[L]]
func.func @groups(%x: !image) -> !inner {
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<40x40x3x3xf32>}> : () -> !cameo.tensor<[40, 40, 3, 3], f32, host>
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x20x3x3xf32>}> : () -> !cameo.tensor<[40, 20, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %v) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !whole) -> !image
  %1 = "onnx.Conv"(%0, %w) <{group = 2 : i64}> : (!image, !weights) -> !inner
  func.return %1 : !inner
}
func.func @through(%x: !image) -> !inner {
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<40x40x3x3xf32>}> : () -> !cameo.tensor<[40, 40, 3, 3], f32, host>
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x20x3x3xf32>}> : () -> !cameo.tensor<[40, 20, 3, 3], f32, host>
  %i = "onnx.Constant"() <{value = dense<[39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]> : tensor<40xi64>}> : () -> !cameo.tensor<[40], i64, host>
  %0 = "onnx.Conv"(%x, %v) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !whole) -> !image
  %1 = "onnx.Gather"(%0, %i) <{axis = 1 : i64}> : (!image, !cameo.tensor<[40], i64, host>) -> !image
  %2 = "onnx.Conv"(%1, %w) <{group = 2 : i64}> : (!image, !weights) -> !inner
  func.return %2 : !inner
}

// -----

!image = !cameo.tensor<[N, 40, H, W], f32, host>
!whole = !cameo.tensor<[40, 40, 3, 3], f32, host>
!weights = !cameo.tensor<[40, 20, 3, 3], f32, host>

// Zeros around the image are those of the copy: it is made.
// CHECK-LABEL: @halo
// CHECK: %[[X:.*]] = prog.call "conv_blocked"
// CHECK: %[[P:.*]] = prog.call "pick_channels" [] {{.*}}in_channels = #cameo.extent<40>, left = #cameo.extent<0>{{.*}}ins(%[[X]]
// CHECK: %[[C:.*]] = prog.call "clear_halo" {{.*}}dests(%[[P]]
// CHECK: prog.call "conv_blocked_groups" {{.*}}ins(%[[C]]
func.func @halo(%x: !image) -> !image {
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<40x40x3x3xf32>}> : () -> !cameo.tensor<[40, 40, 3, 3], f32, host>
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x20x3x3xf32>}> : () -> !cameo.tensor<[40, 20, 3, 3], f32, host>
  %i = "onnx.Constant"() <{value = dense<[39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]> : tensor<40xi64>}> : () -> !cameo.tensor<[40], i64, host>
  %0 = "onnx.Conv"(%x, %v) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !whole) -> !image
  %1 = "onnx.Gather"(%0, %i) <{axis = 1 : i64}> : (!image, !cameo.tensor<[40], i64, host>) -> !image
  %2 = "onnx.Conv"(%1, %w) <{group = 2 : i64, pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !image
  func.return %2 : !image
}

// Where the image has them too, since another reader needs them there, it is read as it lies.
// CHECK-LABEL: @wide_enough
// CHECK: %[[Y:.*]] = prog.call "conv_blocked"
// CHECK: %[[X:.*]] = prog.call "clear_halo" {{.*}} dests(%[[Y]]
// CHECK-NOT: pick_channels
// CHECK: %[[L:.*]] = prog.weight dense<[39, 38, {{.*}}, 0]> : tensor<40xi32>
// CHECK: prog.call "conv_blocked_groups" {{.*}}ins(%[[X]], %{{.*}}, %[[L]]
// CHECK-NOT: pick_channels
func.func @wide_enough(%x: !image) -> (!image, !image) {
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<40x40x3x3xf32>}> : () -> !cameo.tensor<[40, 40, 3, 3], f32, host>
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x20x3x3xf32>}> : () -> !cameo.tensor<[40, 20, 3, 3], f32, host>
  %i = "onnx.Constant"() <{value = dense<[39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]> : tensor<40xi64>}> : () -> !cameo.tensor<[40], i64, host>
  %0 = "onnx.Conv"(%x, %v) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !whole) -> !image
  %1 = "onnx.Gather"(%0, %i) <{axis = 1 : i64}> : (!image, !cameo.tensor<[40], i64, host>) -> !image
  %2 = "onnx.Conv"(%1, %w) <{group = 2 : i64, pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !image
  %3 = "onnx.Conv"(%0, %v) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !whole) -> !image
  func.return %2, %3 : !image, !image
}

// -----

!image = !cameo.tensor<[N, 24, H, W], f32, host>
!picked = !cameo.tensor<[N, 3, H, W], f32, host>

// So it is for a reader that is no convolution in groups, of any of the channels.
// CHECK-LABEL: @picked
// CHECK: %[[Y:.*]] = prog.call "conv_
// CHECK: %[[L:.*]] = prog.weight dense<[23, 0, 0]> : tensor<3xi32>
// CHECK: prog.call "pick_channels" {{.*}}out_channels = #cameo.extent<3>{{.*}}ins(%[[Y]], %[[L]]
func.func @picked(%x: !image) -> !picked {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<24x24x3x3xf32>}> : () -> !cameo.tensor<[24, 24, 3, 3], f32, host>
  %i = "onnx.Constant"() <{value = dense<[-1, 0, 0]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !cameo.tensor<[24, 24, 3, 3], f32, host>) -> !image
  %1 = "onnx.Gather"(%0, %i) <{axis = 1 : i64}> : (!image, !cameo.tensor<[3], i64, host>) -> !picked
  func.return %1 : !picked
}
