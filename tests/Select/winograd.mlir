// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,FAST
// RUN: cameo-opt %s --cameo-set-target=precision=bf16 --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,FAST
// RUN: cameo-opt %s --cameo-set-target=precision=strict --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,STRICT
// RUN: cameo-opt %s --cameo-set-target=precision=exact --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope | FileCheck %s --check-prefixes=EXACT

// EXACT-NOT: conv_winograd

!large = !cameo.tensor<[N, 64, 112, 112], f32, host>
!small = !cameo.tensor<[N, 512, 7, 7], f32, host>
!smaller = !cameo.tensor<[N, 512, 3, 3], f32, host>
!open = !cameo.tensor<[N, 32, H, W], f32, host>
!open_result = !cameo.tensor<[N, 40, H, W], f32, host>

// Many pixels pay for the transforms of weights and tiles; the epilogue is the store of conv_blocked. Few weights for many
// pixels are as well transformed in each call.
// ALL-LABEL: @large_planes
// FAST: %[[W:.*]] = prog.weight {{.*}} : <[64, 64, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>
// ALL: %[[B:.*]] = prog.weight {{.*}} : <[64], f32, host, #cameo.blocked<[0] by [16]>>
// FAST: %[[U:.*]] = prog.call "winograd_weights" [] {in_channels = #cameo.extent<64>, out_channels = #cameo.extent<64>, taps = 3 : i64, tile = 4 : i64} ins(%[[W]]
// FAST-SAME: !cameo.tensor<[36, 64, 64], f32, host, #cameo.blocked<[2, 1] by [16, 16]>>
// FAST: prog.call "conv_winograd" [] {{.*}}tile = 4{{.*}} ins(%{{.*}}, %[[U]] :
// STRICT: prog.call "conv_winograd" [] {{.*}}tile = 2
// ALL-NOT: kernel =
// ALL: prog.store 5 values 1 ins(%[[B]] : {{.*}}) maps [affine_map<(d0, d1, d2, d3, d4) -> (d1, d4)>]
func.func @large_planes(%x: !large) -> !large {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %b = "onnx.Constant"() <{value = dense<1.0> : tensor<64xf32>}> : () -> !cameo.tensor<[64], f32, host>
  %0 = "onnx.Conv"(%x, %w, %b) <{pads = array<i64: 1, 1, 1, 1>}> : (!large, !cameo.tensor<[64, 64, 3, 3], f32, host>, !cameo.tensor<[64], f32, host>) -> !large
  func.return %0 : !large
}

// Few pixels of many channels do not.
// ALL-LABEL: @small_planes
// ALL: prog.call "conv_blocked"
func.func @small_planes(%x: !smaller) -> !smaller {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<512x512x3x3xf32>}> : () -> !cameo.tensor<[512, 512, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!smaller, !cameo.tensor<[512, 512, 3, 3], f32, host>) -> !smaller
  func.return %0 : !smaller
}

// Planes whose size the run decides are taken for large ones; tiles begin where the first tap lies in the halo, which is
// as wide as another reader needs it. Taps that do not lie next to each other are left to the definition.
// ALL-LABEL: @open_planes
// ALL: prog.call "conv_winograd" [] {batch = #cameo.extent<N>, cols = #cameo.extent<W + 4>, groups = 1 : i64, in_channels = #cameo.extent<32>, left = #cameo.extent<1>, out_channels = #cameo.extent<40>, output = [#cameo.extent<H>, #cameo.extent<W>], rows = #cameo.extent<H + 4>, taps = 3 : i64, tile = {{.}} : i64, top = #cameo.extent<1>}
// ALL: prog.call "conv_blocked" [] {{.*}}dilation = [#cameo.extent<2>, #cameo.extent<2>]
func.func @open_planes(%x: !open) -> (!open_result, !open_result) {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x32x3x3xf32>}> : () -> !cameo.tensor<[40, 32, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!open, !cameo.tensor<[40, 32, 3, 3], f32, host>) -> !open_result
  %1 = "onnx.Conv"(%x, %w) <{dilations = array<i64: 2, 2>, pads = array<i64: 2, 2, 2, 2>}> : (!open, !cameo.tensor<[40, 32, 3, 3], f32, host>) -> !open_result
  func.return %0, %1 : !open_result, !open_result
}

// The compiler transforms constants where that saves time, once for all convolutions that read them; many weights take
// longer to read than the larger tile saves.
// ALL-LABEL: @constant_weights
// FAST: %[[W:.*]] = prog.weight dense<1.000000e+00> : tensor<512x512x3x3xf32> through [#prog.winograd<tile = 2>, #cameo.blocked<[2, 1] by [16, 16]>] : <[16, 512, 512], f32, host, #cameo.blocked<[2, 1] by [16, 16]>>
// FAST: prog.call "conv_winograd" [] {{.*}}tile = 2 : i64, {{.*}} ins(%{{.*}}, %[[W]] :
func.func @constant_weights(%x: !small) -> !small {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<512x512x3x3xf32>}> : () -> !cameo.tensor<[512, 512, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!small, !cameo.tensor<[512, 512, 3, 3], f32, host>) -> !small
  func.return %0 : !small
}

// 5 x 5 taps are as inexact as 3 x 3 of the larger tile; groups have weights of their own.
// ALL-LABEL: @groups_of_5x5
// FAST: %[[G:.*]] = prog.weight dense<1.000000e+00> : tensor<256x48x5x5xf32> through [#prog.winograd<tile = 2>, #cameo.blocked<[2, 1] by [16, 16]>] : <[36, 256, 48], f32, host, #cameo.blocked<[2, 1] by [16, 16]>>
// FAST: prog.call "conv_winograd" [] {{.*}}groups = 2 : i64, in_channels = #cameo.extent<96>, {{.*}}taps = 5 : i64, tile = 2 : i64, {{.*}} ins(%{{.*}}, %[[G]] :
// STRICT: prog.call "conv_blocked"
func.func @groups_of_5x5(%x: !cameo.tensor<[N, 96, 27, 27], f32, host>) -> !cameo.tensor<[N, 256, 27, 27], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<256x48x5x5xf32>}> : () -> !cameo.tensor<[256, 48, 5, 5], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{group = 2, pads = array<i64: 2, 2, 2, 2>}> : (!cameo.tensor<[N, 96, 27, 27], f32, host>, !cameo.tensor<[256, 48, 5, 5], f32, host>) -> !cameo.tensor<[N, 256, 27, 27], f32, host>
  func.return %0 : !cameo.tensor<[N, 256, 27, 27], f32, host>
}

// Where outputs stride over pixels, the taps of each phase of the image are next to each other: four images of a block,
// with 3 x 3 of the 5 x 5 taps for each.
// ALL-LABEL: @strided
// FAST: %[[P:.*]] = prog.call "pack_patches" [] {{.*}}kernel = [#cameo.extent<2>, #cameo.extent<2>], left = #cameo.extent<0>, output = [#cameo.extent<28>, #cameo.extent<28>], {{.*}}stride = [#cameo.extent<2>, #cameo.extent<2>]
// FAST: %[[S:.*]] = prog.weight dense<1.000000e+00> : tensor<256x96x5x5xf32> through [#prog.phases<stride = 2, block = 16>, #prog.winograd<tile = 4>, #cameo.blocked<[2, 1] by [16, 16]>] : <[36, 256, 384], f32, host, #cameo.blocked<[2, 1] by [16, 16]>>
// FAST: prog.call "conv_winograd" [] {batch = #cameo.extent<N>, cols = #cameo.extent<28>, {{.*}}in_channels = #cameo.extent<384>, left = #cameo.extent<0>, {{.*}}output = [#cameo.extent<26>, #cameo.extent<26>], rows = #cameo.extent<28>, taps = 3 : i64, tile = 4 : i64, {{.*}} ins(%[[P]], %[[S]] :
// STRICT: prog.call "conv_winograd" [] {{.*}}taps = 3 : i64, tile = 2
func.func @strided(%x: !cameo.tensor<[N, 96, 55, 55], f32, host>) -> !cameo.tensor<[N, 256, 26, 26], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<256x96x5x5xf32>}> : () -> !cameo.tensor<[256, 96, 5, 5], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{strides = array<i64: 2, 2>}> : (!cameo.tensor<[N, 96, 55, 55], f32, host>, !cameo.tensor<[256, 96, 5, 5], f32, host>) -> !cameo.tensor<[N, 256, 26, 26], f32, host>
  func.return %0 : !cameo.tensor<[N, 256, 26, 26], f32, host>
}

// The phases of three planes are twelve channels of a block, with 4 x 4 of the 7 x 7 taps for each; those of 3 x 3 taps
// are not worth it. Each image of planes has the zeros that its own reader needs.
!image = !cameo.tensor<[N, 3, 224, 224], f32, host>
!stem = !cameo.tensor<[N, 64, 112, 112], f32, host>
// ALL-LABEL: @phases_of_planes
// FAST: prog.call "pack_plane_patches" {{.*}}output = [#cameo.extent<115>, #cameo.extent<115>]
// FAST-SAME: !cameo.tensor<[N, 12, 115, 115], f32, host, #cameo.blocked<[1] by [16]>>
// FAST: prog.weight dense<1.000000e+00> : tensor<64x3x7x7xf32> through [#prog.phases<stride = 2>, #prog.winograd<tile = 3>, #cameo.blocked<[2, 1] by [16, 16]>] : <[36, 64, 12], f32, host, #cameo.blocked<[2, 1] by [16, 16]>>
// FAST: prog.call "conv_winograd" [] {{.*}}taps = 4 : i64, tile = 3 : i64
// STRICT: prog.call "conv_blocked_planes" {{.*}}blocked< halo [3, 3]>
// ALL: prog.call "conv_blocked_planes" {{.*}}blocked< halo [1, 1]>
func.func @phases_of_planes(%x: !image) -> !stem {
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<64x3x7x7xf32>}> : () -> !cameo.tensor<[64, 3, 7, 7], f32, host>
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x3x3x3xf32>}> : () -> !cameo.tensor<[64, 3, 3, 3], f32, host>
  %u = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %v) <{pads = array<i64: 3, 3, 3, 3>, strides = array<i64: 2, 2>}> : (!image, !cameo.tensor<[64, 3, 7, 7], f32, host>) -> !stem
  %1 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}> : (!image, !cameo.tensor<[64, 3, 3, 3], f32, host>) -> !stem
  %2 = "onnx.Add"(%0, %1) : (!stem, !stem) -> !stem
  %3 = "onnx.Conv"(%2, %u) <{pads = array<i64: 1, 1, 1, 1>}> : (!stem, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !stem
  func.return %3 : !stem
}
