// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,WIDE
// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse '--cameo-select=weights-budget=1' --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,NARROW
// RUN: cameo-opt %s --cameo-set-target=bounded=true --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope | FileCheck %s --check-prefix=BOUNDED
//
// Convolutions whose sizes are open: a variant for each range of what they compute.

// Without a heap there are no tiles, and one variant that is not by tiles.
// BOUNDED-NOT: prog.if

!open = !cameo.tensor<[N, 512, H, W], f32, host>
!weights = !cameo.tensor<[512, 512, 3, 3], f32, host>

// Weights that the compiler transforms fit into no budget of the model's own; in each call they pay for larger images only.
// ALL-LABEL: @by_area
// ALL: %[[AREA:.*]] = prog.s_extent #cameo.extent<H * W>
// ALL: %[[MOST:.*]] = prog.s_constant [[#]] : i64
// ALL: %[[FEW:.*]] = prog.s_less_equal %[[AREA]], %[[MOST]]
// ALL: %[[Y:.*]] = prog.if %[[FEW]] defines [] : !cameo.tensor<[N, 512, H, W], f32, host, #cameo.blocked<[1] by [16]>>
// ALL: prog.call "conv_blocked" []
// The epilogue is in each.
// ALL: prog.s_max
// ALL: } else {
// NARROW: prog.call "winograd_weights"
// WIDE-NOT: winograd_weights
// WIDE: prog.weight {{.*}} through [#prog.winograd<
// ALL: prog.call "conv_winograd" []
// ALL: prog.s_max
// ALL: prog.call "unpack_channels" [] {{.*}} ins(%[[Y]] :
func.func @by_area(%x: !open) -> !open {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<512x512x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!open, !weights) -> !open
  %1 = "onnx.Relu"(%0) : (!open) -> !open
  func.return %1 : !open
}

// What is known of a size leaves one variant for all that it can be.
// ALL-LABEL: @small
// ALL-NOT: prog.if
!small = !cameo.tensor<[N, 512, S, S], f32, host>
func.func @small(%x: !small) -> !small attributes {cameo.symbols = [#cameo.symbol<"N">, #cameo.symbol<"S" in [1, 3]>]} {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<512x512x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!small, !weights) -> !small
  func.return %0 : !small
}

// One that is usual is no fact: other sizes have theirs still.
// ALL-LABEL: @usual
// ALL: prog.if
!usual = !cameo.tensor<[N, 512, U, U], f32, host>
func.func @usual(%x: !usual) -> !usual attributes {cameo.symbols = [#cameo.symbol<"N">, #cameo.symbol<"U" likely 4>]} {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<512x512x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!usual, !weights) -> !usual
  func.return %0 : !usual
}

// The price does not depend on how many images there are.
// ALL-LABEL: @batch
// ALL-NOT: prog.if
!batch = !cameo.tensor<[N, 512, 14, 14], f32, host>
func.func @batch(%x: !batch) -> !batch {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<512x512x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!batch, !weights) -> !batch
  func.return %0 : !batch
}

// Memory that others have a part of is written by one call.
// ALL-LABEL: @joined
// ALL-NOT: prog.if
!joined = !cameo.tensor<[N, 1024, H, W], f32, host>
func.func @joined(%x: !open) -> !joined {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<512x512x3x3xf32>}> : () -> !weights
  %v = "onnx.Constant"() <{value = dense<2.0> : tensor<512x512x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!open, !weights) -> !open
  %1 = "onnx.Conv"(%x, %v) <{pads = array<i64: 1, 1, 1, 1>}> : (!open, !weights) -> !open
  %2 = "onnx.Concat"(%0, %1) <{axis = 1 : i64}> : (!open, !open) -> !joined
  func.return %2 : !joined
}
