// RUN: cameo-opt %s --cameo-set-target=precision=exact --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s
//
// Kernels and calls that iterate by blocks, and what they are told of memory.

!image = !cameo.tensor<[N, 24, H, W], f32, host>
!mask = !cameo.tensor<[N, 1, H, W], f32, host>
!scale = !cameo.tensor<[24, 1, 1], f32, host>
!weights = !cameo.tensor<[24, 24, 3, 3], f32, host>

// A kernel walks blocks and lanes; operands are read past their halo, dense ones without a lane.
// CHECK-LABEL: @elementwise
// CHECK: %[[S:.*]] = prog.weight {{.*}} : <[24, 1, 1], f32, host, #cameo.blocked<[0] by [16]>>
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<2>, #cameo.extent<H>, #cameo.extent<W>, #cameo.extent<16>] ins(%{{.*}}, %arg1, %[[S]] :
// CHECK-SAME: maps [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2 + 1, d3 + 1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, 0, 0, d4)>]
// CHECK-SAME: -> [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2 + 2, d3 + 2, d4)>]
func.func @elementwise(%x: !image, %m: !mask) -> (!image, !image) {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<24x24x3x3xf32>}> : () -> !weights
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<24x24x5x5xf32>}> : () -> !cameo.tensor<[24, 24, 5, 5], f32, host>
  %s = "onnx.Constant"() <{value = dense<3.0> : tensor<24x1x1xf32>}> : () -> !scale
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !image
  %1 = "onnx.Mul"(%x, %m) : (!image, !mask) -> !image
  %2 = "onnx.Add"(%1, %s) : (!image, !scale) -> !image
  %3 = "onnx.Conv"(%2, %v) <{pads = array<i64: 2, 2, 2, 2>}> : (!image, !cameo.tensor<[24, 24, 5, 5], f32, host>) -> !image
  func.return %0, %3 : !image, !image
}

// -----

!image = !cameo.tensor<[N, 20, H, W], f32, host>
!result = !cameo.tensor<[N, 40, H, W], f32, host>

// CHECK-LABEL: @conv
// CHECK: %[[B:.*]] = prog.weight {{.*}} : <[40], f32, host, #cameo.blocked<[0] by [16]>>
// CHECK: prog.call "conv_blocked" []
// CHECK-SAME: cols = #cameo.extent<W + 4>
// CHECK-SAME: in_channels = #cameo.extent<20>
// CHECK-SAME: left = #cameo.extent<1>, out_channels = #cameo.extent<40>
// CHECK-SAME: rows = #cameo.extent<H + 4>
// CHECK-SAME: top = #cameo.extent<1>
// CHECK: prog.store 5 values 1 ins(%[[B]] : {{.*}}) maps [affine_map<(d0, d1, d2, d3, d4) -> (d1, d4)>]
func.func @conv(%x: !image) -> (!result, !result) {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x20x3x3xf32>}> : () -> !cameo.tensor<[40, 20, 3, 3], f32, host>
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<40x20x5x5xf32>}> : () -> !cameo.tensor<[40, 20, 5, 5], f32, host>
  %b = "onnx.Constant"() <{value = dense<1.0> : tensor<40xf32>}> : () -> !cameo.tensor<[40], f32, host>
  %0 = "onnx.Conv"(%x, %w, %b) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !cameo.tensor<[40, 20, 3, 3], f32, host>, !cameo.tensor<[40], f32, host>) -> !result
  %1 = "onnx.Conv"(%x, %v) <{pads = array<i64: 2, 2, 2, 2>}> : (!image, !cameo.tensor<[40, 20, 5, 5], f32, host>) -> !result
  func.return %0, %1 : !result, !result
}

// CHECK-LABEL: @planes
// CHECK: %[[K:.*]] = prog.kernel {{.*}} -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 + 1, d3 + 1)>] symbols [] ties [-1] : !cameo.tensor<[N, 3, H, W], f32, host, #cameo.blocked< halo [1, 1]>>
// CHECK: %[[X:.*]] = prog.call "clear_halo" {{.*}} lanes = #cameo.extent<1>, planes = #cameo.extent<3 * N>, {{.*}} dests(%[[K]] :
// CHECK: prog.call "conv_blocked_planes" {{.*}} ins(%[[X]],
func.func @planes(%x: !cameo.tensor<[N, 3, H, W], f32, host>) -> !result {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x3x3x3xf32>}> : () -> !cameo.tensor<[40, 3, 3, 3], f32, host>
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<40x40x3x3xf32>}> : () -> !cameo.tensor<[40, 40, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 3, H, W], f32, host>, !cameo.tensor<[40, 3, 3, 3], f32, host>) -> !result
  %1 = "onnx.Conv"(%0, %v) <{pads = array<i64: 1, 1, 1, 1>}> : (!result, !cameo.tensor<[40, 40, 3, 3], f32, host>) -> !result
  func.return %1 : !result
}

// CHECK-LABEL: @depthwise
// CHECK: prog.call "conv_blocked_depthwise"
// CHECK-NOT: out_channels
// CHECK-SAME: rows = #cameo.extent<H + 2>
// CHECK-SAME: !cameo.tensor<[40, 1, 3, 3], f32, host, #cameo.blocked<[0] by [16]>>
func.func @depthwise(%x: !image) -> !result {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x20x3x3xf32>}> : () -> !cameo.tensor<[40, 20, 3, 3], f32, host>
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<40x1x3x3xf32>}> : () -> !cameo.tensor<[40, 1, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !cameo.tensor<[40, 20, 3, 3], f32, host>) -> !result
  %1 = "onnx.Conv"(%0, %v) <{group = 40 : i64, pads = array<i64: 1, 1, 1, 1>}> : (!result, !cameo.tensor<[40, 1, 3, 3], f32, host>) -> !result
  func.return %1 : !result
}

// -----

!image = !cameo.tensor<[N, 20, 8, 8], f32, host>
!result = !cameo.tensor<[N, 40, 8, 8], f32, host>
!weights = !cameo.tensor<[40, 20, 3, 3], f32, host>

// CHECK-LABEL: @pool
// CHECK: prog.call "pool_blocked" ["pool_kind::average"]
// CHECK: prog.load 5
// CHECK: prog.store 5
func.func @pool(%x: !image) -> !cameo.tensor<[N, 40, 4, 4], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x20x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !result
  %1 = "onnx.AveragePool"(%0) <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (!result) -> !cameo.tensor<[N, 40, 4, 4], f32, host>
  func.return %1 : !cameo.tensor<[N, 40, 4, 4], f32, host>
}

// Neighbouring channels may lie in other blocks; the next reader's border is cleared.
// CHECK-LABEL: @local_response
// CHECK: %[[Y:.*]] = prog.call "sum_channels" [] {after = 2 : i64, batch = #cameo.extent<N>, before = 2 : i64, channels = #cameo.extent<40>, cols = #cameo.extent<8>, rows = #cameo.extent<8>}
// CHECK: prog.load 5
// CHECK: prog.store 5
// CHECK: prog.call "clear_halo" {{.*}}%[[Y]]
func.func @local_response(%x: !image) -> !result {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x20x3x3xf32>}> : () -> !weights
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<40x40x5x5xf32>}> : () -> !cameo.tensor<[40, 40, 5, 5], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !result
  %1 = "onnx.LRN"(%0) <{size = 5 : i64}> : (!result) -> !result
  %2 = "onnx.Conv"(%1, %v) <{pads = array<i64: 2, 2, 2, 2>}> : (!result, !cameo.tensor<[40, 40, 5, 5], f32, host>) -> !result
  func.return %2 : !result
}

// Lanes are neighbouring rows of a reduction.
// CHECK-LABEL: @global_pool
// CHECK: prog.call "reduce" ["combine::max<float>"] {across_rows = true, outer = [#cameo.extent<N>, #cameo.extent<3>, #cameo.extent<16>], outer_rank = 3 : i64
// CHECK: prog.load 5 {{.*}} maps [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4, d2)>]
// CHECK: prog.store 3 {{.*}} -> [affine_map<(d0, d1, d2) -> (d0, d1, 0, 0, d2)>]
func.func @global_pool(%x: !image) -> !cameo.tensor<[N, 40, 1, 1], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x20x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!image, !weights) -> !result
  %1 = "onnx.GlobalMaxPool"(%0) : (!result) -> !cameo.tensor<[N, 40, 1, 1], f32, host>
  func.return %1 : !cameo.tensor<[N, 40, 1, 1], f32, host>
}

// -----

!first = !cameo.tensor<[N, 32, H, W], f32, host>
!second = !cameo.tensor<[N, 12, H, W], f32, host>
!both = !cameo.tensor<[N, 44, H, W], f32, host>

// Slices of a joined tensor are counted in blocks.
// CHECK-LABEL: @concat
// CHECK: %[[E:.*]] = prog.empty : <[N, 44, H, W], f32, host, #cameo.blocked<[1] by [16]>>
// CHECK: %[[A:.*]] = prog.kernel [#cameo.extent<N>, #cameo.extent<2>, {{.*}} dests(%[[E]] : {{.*}} -> [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>]
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<1>, {{.*}} dests(%[[A]] : {{.*}} -> [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + 2, d2, d3, d4)>]
func.func @concat(%x: !first, %y: !second) -> (!cameo.tensor<[N, 32, H - 2, W - 2], f32, host>, !cameo.tensor<[N, 32, H - 2, W - 2], f32, host>, !cameo.tensor<[N, 32, H - 2, W - 2], f32, host>) {
  %u = "onnx.Constant"() <{value = dense<1.0> : tensor<32x32x3x3xf32>}> : () -> !cameo.tensor<[32, 32, 3, 3], f32, host>
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<32x12x3x3xf32>}> : () -> !cameo.tensor<[32, 12, 3, 3], f32, host>
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<32x44x3x3xf32>}> : () -> !cameo.tensor<[32, 44, 3, 3], f32, host>
  %0 = "onnx.Concat"(%x, %y) <{axis = 1 : i64}> : (!first, !second) -> !both
  %1 = "onnx.Conv"(%x, %u) : (!first, !cameo.tensor<[32, 32, 3, 3], f32, host>) -> !cameo.tensor<[N, 32, H - 2, W - 2], f32, host>
  %2 = "onnx.Conv"(%y, %v) : (!second, !cameo.tensor<[32, 12, 3, 3], f32, host>) -> !cameo.tensor<[N, 32, H - 2, W - 2], f32, host>
  %3 = "onnx.Conv"(%0, %w) : (!both, !cameo.tensor<[32, 44, 3, 3], f32, host>) -> !cameo.tensor<[N, 32, H - 2, W - 2], f32, host>
  func.return %1, %2, %3 : !cameo.tensor<[N, 32, H - 2, W - 2], f32, host>, !cameo.tensor<[N, 32, H - 2, W - 2], f32, host>, !cameo.tensor<[N, 32, H - 2, W - 2], f32, host>
}
