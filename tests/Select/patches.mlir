// RUN: cameo-opt %s --cameo-set-target=precision=exact --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s

!x = !cameo.tensor<[N, 20, 14, 14], f32, host>
!w = !cameo.tensor<[48, 20, 3, 3], f32, host>
!y = !cameo.tensor<[N, 48, 7, 7], f32, host>

// Rows of seven outputs are joined over what all taps read: a channel for each, those that fill up a block too.
// CHECK-LABEL: @short_rows
// CHECK: %[[P:.*]] = prog.call "pack_patches" [] {batch = #cameo.extent<N>, cols = #cameo.extent<16>, {{.*}}in_channels = #cameo.extent<20>, kernel = [#cameo.extent<3>, #cameo.extent<3>], left = #cameo.extent<0>, output = [#cameo.extent<7>, #cameo.extent<7>], rows = #cameo.extent<16>, stride = [#cameo.extent<2>, #cameo.extent<2>], top = #cameo.extent<0>} ins(%{{.*}} :
// CHECK-SAME: !cameo.tensor<[N, 288, 7, 7], f32, host, #cameo.blocked<[1] by [16]>>
// CHECK: prog.call "conv_blocked" [] {batch = #cameo.extent<N>, cols = #cameo.extent<7>, {{.*}}in_channels = #cameo.extent<288>, kernel = [#cameo.extent<1>, #cameo.extent<1>], left = #cameo.extent<0>, out_channels = #cameo.extent<48>, output = [#cameo.extent<7>, #cameo.extent<7>], rows = #cameo.extent<7>, stride = [#cameo.extent<1>, #cameo.extent<1>], top = #cameo.extent<0>} ins(%[[P]], %{{.*}} :
func.func @short_rows(%x: !x) -> !y {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<48x20x3x3xf32>}> : () -> !w
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}> : (!x, !w) -> !y
  func.return %0 : !y
}

// -----

!x = !cameo.tensor<[N, 32, 56, 56], f32, host>
!v = !cameo.tensor<[32, 32, 3, 3], f32, host>
!w = !cameo.tensor<[64, 32, 1, 1], f32, host>
!y = !cameo.tensor<[N, 64, 28, 28], f32, host>

// A single tap reads every other pixel, which are brought together.
// CHECK-LABEL: @strided_pixels
// CHECK: %[[X:.*]] = prog.call "conv_blocked"
// CHECK: %[[P:.*]] = prog.call "pack_patches" {{.*}} ins(%[[X]] :
// CHECK-SAME: !cameo.tensor<[N, 32, 28, 28], f32, host, #cameo.blocked<[1] by [16]>>
// CHECK: prog.call "conv_blocked" {{.*}} ins(%[[P]],
func.func @strided_pixels(%x: !x) -> !y {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x32x1x1xf32>}> : () -> !w
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<32x32x3x3xf32>}> : () -> !v
  %0 = "onnx.Conv"(%x, %v) <{pads = array<i64: 1, 1, 1, 1>}> : (!x, !v) -> !x
  %1 = "onnx.Conv"(%0, %w) <{strides = array<i64: 2, 2>}> : (!x, !w) -> !y
  func.return %1 : !y
}

// -----

!x = !cameo.tensor<[N, 32, 56, 56], f32, host>
!w = !cameo.tensor<[64, 32, 3, 3], f32, host>
!y = !cameo.tensor<[N, 64, 28, 28], f32, host>

// Long rows of several taps are as well read where they lie.
// CHECK-LABEL: @long_rows
// CHECK-NOT: pack_patches
// CHECK: prog.call "conv_blocked"
func.func @long_rows(%x: !x) -> !y {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x32x3x3xf32>}> : () -> !w
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}> : (!x, !w) -> !y
  func.return %0 : !y
}
