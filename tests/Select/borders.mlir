// RUN: cameo-opt %s --cameo-set-target=precision=exact --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s
//
// Where a trunk ends: parts of values that are not in blocks, and kernels that read or write one side of a border each.

!image = !cameo.tensor<[N, 64, H, W], f32, host>
!weights = !cameo.tensor<[40, 64, 3, 3], f32, host>
!part = !cameo.tensor<[N, 40, H, W], f32, host>
!rest = !cameo.tensor<[N, 24, H, W], f32, host>

// A part of 40 channels ends within a block, whose lanes are the next part's: the convolution computes an image of its own in
// blocks, and a kernel copies it to where it is to be.
// CHECK-LABEL: func.func @ends_within_a_block
// CHECK: %[[ALL:.*]] = prog.empty : <[N, 64, H, W], f32, host>
// CHECK: %[[Y:.*]] = prog.call "conv_blocked" {{.*}}out_channels = #cameo.extent<40>{{.*}} ties [-1] : !cameo.tensor<[N, 40, H, W], f32, host, #cameo.blocked<[1] by [16]>> {
// CHECK-NEXT: prog.store 5 values 1 maps [] -> [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>]
// CHECK: prog.s_max
// CHECK: %[[D:.*]] = prog.call "unpack_channels" {{.*}} ins(%[[Y]] :
// CHECK: %[[FIRST:.*]] = prog.kernel [#cameo.extent<N>, #cameo.extent<40>, #cameo.extent<H>, #cameo.extent<W>] ins(%[[D]] : {{.*}} dests(%[[ALL]] :
// CHECK: %[[BOTH:.*]] = prog.kernel {{.*}} ins(%arg1 : {{.*}} dests(%[[FIRST]] : {{.*}} -> [affine_map<(d0, d1, d2, d3) -> (d0, d1 + 40, d2, d3)>]
// CHECK: return %[[BOTH]]
func.func @ends_within_a_block(%x: !image, %y: !rest) -> !image {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x64x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !part
  %1 = "onnx.Relu"(%0) : (!part) -> !part
  %2 = "onnx.Concat"(%1, %y) <{axis = 1 : i64}> : (!part, !rest) -> !image
  func.return %2 : !image
}

// -----

!image = !cameo.tensor<[N, 64, H, W], f32, host>
!part = !cameo.tensor<[N, 32, H, W], f32, host>
!all = !cameo.tensor<[N, 96, H, W], f32, host>
!indices = !cameo.tensor<[32], i64, host>

// A value is in blocks as a whole: where one part is written by a call that knows none, it is dense, and so are kernels that
// write other parts. Its readers in blocks get it packed.
// CHECK-LABEL: func.func @one_dense_part
// CHECK: %[[ALL:.*]] = prog.empty : <[N, 96, H, W], f32, host>
// CHECK: %[[FIRST:.*]] = prog.kernel [#cameo.extent<N>, #cameo.extent<64>, #cameo.extent<H>, #cameo.extent<W>] ins(%arg0 : {{.*}} dests(%[[ALL]] :
// CHECK: %[[BOTH:.*]] = prog.call "gather" {{.*}} dests(%[[FIRST]] : !cameo.tensor<[N, 96, H, W], f32, host>)
// CHECK: %[[P:.*]] = prog.call "pack_channels" {{.*}} ins(%[[BOTH]] :
// CHECK: %[[X:.*]] = prog.call "clear_halo" {{.*}} dests(%[[P]] :
// CHECK: prog.call "conv_blocked" {{.*}} ins(%[[X]],
func.func @one_dense_part(%x: !image, %i: !indices) -> !image {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x96x3x3xf32>}> : () -> !cameo.tensor<[64, 96, 3, 3], f32, host>
  %0 = "onnx.Relu"(%x) : (!image) -> !image
  %1 = "onnx.Gather"(%x, %i) <{axis = 1 : i64}> : (!image, !indices) -> !part
  %2 = "onnx.Concat"(%0, %1) <{axis = 1 : i64}> : (!image, !part) -> !all
  %3 = "onnx.Conv"(%2, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!all, !cameo.tensor<[64, 96, 3, 3], f32, host>) -> !image
  func.return %3 : !image
}

// -----

!image = !cameo.tensor<[N, 64, H, W], f32, host>
!result = !cameo.tensor<[N, 32, H, W], f32, host>
!turned = !cameo.tensor<[N, H, W, 32], f32, host>

// A kernel that turns an image reads it where it lies, in blocks and within its halo: what it writes is dense.
// CHECK-LABEL: func.func @to_channels_last
// CHECK: %[[Y:.*]] = prog.call "conv_blocked"
// CHECK-NOT: "unpack_channels"
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<H>, #cameo.extent<W>, #cameo.extent<2>, #cameo.extent<16>] ins(%[[Y]] : !cameo.tensor<[N, 32, H, W], f32, host, #cameo.blocked<[1] by [16]>>)
// CHECK-SAME: maps [affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d2, d4)>] -> [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3 * 16 + d4)>]
// CHECK-SAME: : !cameo.tensor<[N, H, W, 32], f32, host> {
func.func @to_channels_last(%x: !image) -> !turned {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<32x64x3x3xf32>}> : () -> !cameo.tensor<[32, 64, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !cameo.tensor<[32, 64, 3, 3], f32, host>) -> !result
  %1 = "onnx.Transpose"(%0) <{perm = array<i64: 0, 2, 3, 1>}> : (!result) -> !turned
  func.return %1 : !turned
}

// The other way round it writes blocks, past their halo: nothing packs the image.
// CHECK-LABEL: func.func @from_channels_last
// CHECK-NOT: "pack_channels"
// CHECK: %[[P:.*]] = prog.kernel [#cameo.extent<N>, #cameo.extent<2>, #cameo.extent<H>, #cameo.extent<W>, #cameo.extent<16>] ins(%arg0 : !cameo.tensor<[N, H, W, 32], f32, host>)
// CHECK-SAME: maps [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d1 * 16 + d4)>] -> [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2 + 1, d3 + 1, d4)>]
// CHECK: %[[X:.*]] = prog.call "clear_halo" {{.*}} dests(%[[P]] :
// CHECK-NOT: "pack_channels"
// CHECK: prog.call "conv_blocked" {{.*}} ins(%[[X]],
func.func @from_channels_last(%x: !turned) -> !result {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<32x32x3x3xf32>}> : () -> !cameo.tensor<[32, 32, 3, 3], f32, host>
  %0 = "onnx.Transpose"(%x) <{perm = array<i64: 0, 3, 1, 2>}> : (!turned) -> !result
  %1 = "onnx.Conv"(%0, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!result, !cameo.tensor<[32, 32, 3, 3], f32, host>) -> !result
  func.return %1 : !result
}

// -----

!image = !cameo.tensor<[N, 40, H, W], f32, host>
!turned = !cameo.tensor<[N, H, W, 40], f32, host>

// With lanes beyond the last channel, which have no place in the dense tensor, the image is unpacked.
// CHECK-LABEL: func.func @to_channels_last_with_lanes
// CHECK: %[[D:.*]] = prog.call "unpack_channels"
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<H>, #cameo.extent<W>, #cameo.extent<40>] ins(%[[D]] :
func.func @to_channels_last_with_lanes(%x: !image) -> !turned {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x40x3x3xf32>}> : () -> !cameo.tensor<[40, 40, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !cameo.tensor<[40, 40, 3, 3], f32, host>) -> !image
  %1 = "onnx.Transpose"(%0) <{perm = array<i64: 0, 2, 3, 1>}> : (!image) -> !turned
  func.return %1 : !turned
}

// -----

!image = !cameo.tensor<[N, 64, H, W], f32, host>
!weights = !cameo.tensor<[64, 64, 3, 3], f32, host>

// A body that asks for its index would get another one by blocks: it stays dense, between trunks too.
// CHECK-LABEL: func.func @asks_for_index
// CHECK: prog.call "conv_blocked"
// CHECK: %[[D:.*]] = prog.call "unpack_channels"
// CHECK: %[[K:.*]] = prog.kernel [#cameo.extent<N>, #cameo.extent<64>, #cameo.extent<H>, #cameo.extent<W>] ins(%[[D]] :
// CHECK: prog.s_index
// CHECK: %[[P:.*]] = prog.call "pack_channels" {{.*}} ins(%[[K]] :
// CHECK: %[[X:.*]] = prog.call "clear_halo" {{.*}} dests(%[[P]] :
// CHECK: prog.call "conv_blocked" {{.*}} ins(%[[X]],
func.func @asks_for_index(%x: !image) -> (!image, !image) {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !image
  %1 = "onnx.Conv"(%0, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !image
  %2 = "onnx.Trilu"(%0) <{upper = 1 : i64}> : (!image) -> !image
  %3 = "onnx.Conv"(%2, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !image
  func.return %1, %3 : !image, !image
}

// -----

!image = !cameo.tensor<[N, 64, H, W], f32, host>
!weights = !cameo.tensor<[64, 64, 3, 3], f32, host>

// A convolution whose weights are computed is outside, with images of its own in front and behind.
// CHECK-LABEL: func.func @computed_weights_inside
// CHECK: prog.call "conv_blocked"
// CHECK: %[[D:.*]] = prog.call "unpack_channels"
// CHECK: %[[Y:.*]] = prog.call "conv" [] {{.*}} ins(%[[D]], %arg1 : {{.*}} : !cameo.tensor<[N, 64, H, W], f32, host> {
// CHECK: prog.call "pack_channels" {{.*}} ins(%[[Y]] :
// CHECK: prog.call "conv_blocked"
func.func @computed_weights_inside(%x: !image, %v: !weights) -> !image {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !image
  %1 = "onnx.Conv"(%0, %v) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !image
  %2 = "onnx.Conv"(%1, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !image
  func.return %2 : !image
}
