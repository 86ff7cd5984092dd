// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s --check-prefixes=ALL,FAST
// RUN: cameo-opt %s --cameo-set-target=precision=exact --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s --check-prefixes=ALL,EXACT
//
// Groups of few channels become whole blocks several at a time, with zeros for one another's inputs.

!x = !cameo.tensor<[N, 256, 28, 28], f32, host>
!w = !cameo.tensor<[256, 8, 3, 3], f32, host>

// Two groups of eight are a block, which tiles multiply.
// ALL-LABEL: @pairs
// FAST: %[[W:.*]] = prog.weight {{.*}} through [#prog.joined_groups<groups = 32, count = 2>, #prog.winograd<tile = 4>, #cameo.blocked<[2, 1] by [16, 16]>] : <[36, 256, 16], f32, host, #cameo.blocked<[2, 1] by [16, 16]>>
// FAST: prog.call "conv_winograd" [] {{.*}}groups = #cameo.extent<16>, in_channels = #cameo.extent<256>, {{.*}}out_channels = #cameo.extent<256>, {{.*}} ins(%{{.*}}, %[[W]] :
// EXACT: prog.call "conv_blocked_groups" [] {{.*}}groups = 32
func.func @pairs(%x: !x) -> !x {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<256x8x3x3xf32>}> : () -> !w
  %0 = "onnx.Conv"(%x, %w) <{group = 32 : i64, pads = array<i64: 1, 1, 1, 1>}> : (!x, !w) -> !x
  func.return %0 : !x
}

// -----

!x = !cameo.tensor<[N, 96, 28, 28], f32, host>
!w = !cameo.tensor<[96, 24, 3, 3], f32, host>

// Two groups of 24 are three blocks: tiles are worth the zeros, the definition takes each group by itself.
// ALL-LABEL: @thirds
// FAST: prog.weight {{.*}} through [#prog.joined_groups<groups = 4, count = 2>, #prog.winograd<
// FAST: prog.call "conv_winograd" [] {{.*}}groups = #cameo.extent<2>
// EXACT: prog.call "conv_blocked_groups" [] {{.*}}groups = 4
func.func @thirds(%x: !x) -> !x {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<96x24x3x3xf32>}> : () -> !w
  %0 = "onnx.Conv"(%x, %w) <{group = 4 : i64, pads = array<i64: 1, 1, 1, 1>}> : (!x, !w) -> !x
  func.return %0 : !x
}

// -----

!x = !cameo.tensor<[N, 256, 28, 28], f32, host>
!w = !cameo.tensor<[256, 8, 3, 3], f32, host>
!v = !cameo.tensor<[256, 256, 1, 1], f32, host>
!y = !cameo.tensor<[N, 256, 14, 14], f32, host>

// Where outputs stride, between others in blocks, by the definition.
// ALL-LABEL: @strided
// EXACT: prog.call "conv_blocked_groups" [] {{.*}}groups = 32
// FAST: %[[W:.*]] = prog.weight {{.*}} through [#prog.joined_groups<groups = 32, count = 2>, #cameo.blocked<[1, 0] by [16, 16]>] : <[256, 16, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>
// FAST: prog.call "conv_blocked" [] {{.*}}groups = #cameo.extent<16>, {{.*}}stride = [#cameo.extent<2>, #cameo.extent<2>], {{.*}} ins(%{{.*}}, %[[W]] :
func.func @strided(%x: !x) -> !y {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<256x8x3x3xf32>}> : () -> !w
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<256x256x1x1xf32>}> : () -> !v
  %0 = "onnx.Conv"(%x, %v) : (!x, !v) -> !x
  %1 = "onnx.Conv"(%0, %w) <{group = 32 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}> : (!x, !w) -> !y
  %2 = "onnx.Conv"(%1, %v) : (!y, !v) -> !y
  func.return %2 : !y
}
