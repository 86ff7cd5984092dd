// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s
//
// Calls of contracts over dense images that another template computes, on a target without channel blocks.

// One element of each channel, groups and all, is a product per image and group, whose rows are stored as the image.
// CHECK-LABEL: @pointwise_conv
// CHECK: prog.call "gemm_tiles" [] {a_batch_stride = [#cameo.extent<0>, #cameo.extent<12>], b_batch_stride = [#cameo.extent<6 * H * W>, #cameo.extent<3 * H * W>], batch = [#cameo.extent<N>, #cameo.extent<2>], batch_rank = 2 : i64, k = #cameo.extent<3>, m = #cameo.extent<4>, n = #cameo.extent<H * W>, trans_a = false, trans_b = false} ins(%arg1, %arg0 :
// CHECK-SAME: ties [-1] : !cameo.tensor<[N, 8, H, W], f32, device> {
// CHECK: prog.store 4 values 1 ins(%arg2 : !cameo.tensor<[8], f32, device>) maps [affine_map<(d0, d1, d2, d3)[s0] -> (d1 * 4 + d2)>]
// CHECK-SAME: -> [affine_map<(d0, d1, d2, d3)[s0] -> (d0, d1 * 4 + d2, d3 floordiv s0, d3 mod s0)>] symbols [#cameo.extent<W>]
// CHECK-NOT: prog.call
func.func @pointwise_conv(%x: !cameo.tensor<[N, 6, H, W], f32, device>, %w: !cameo.tensor<[8, 3, 1, 1], f32, device>, %b: !cameo.tensor<[8], f32, device>)
    -> !cameo.tensor<[N, 8, H, W], f32, device> {
  %0 = "onnx.Conv"(%x, %w, %b) <{group = 2 : i64}>
      : (!cameo.tensor<[N, 6, H, W], f32, device>, !cameo.tensor<[8, 3, 1, 1], f32, device>, !cameo.tensor<[8], f32, device>) -> !cameo.tensor<[N, 8, H, W], f32, device>
  func.return %0 : !cameo.tensor<[N, 8, H, W], f32, device>
}

// -----

// So it is for lines and volumes.
// CHECK-LABEL: @lines
// CHECK: prog.call "gemm_tiles"
// CHECK: prog.store 4 values 1 maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1 * 8 + d2, d3)>] symbols []
// CHECK-LABEL: @volumes
// CHECK: prog.call "gemm_tiles" {{.*}} n = #cameo.extent<D * H * W>
// CHECK: prog.store 4 values 1 maps [] -> [affine_map<(d0, d1, d2, d3)[s0, s1] -> (d0, d1 * 8 + d2, (d3 floordiv s0) floordiv s1, (d3 floordiv s0) mod s1, d3 mod s0)>] symbols [#cameo.extent<W>, #cameo.extent<H>]
func.func @lines(%x: !cameo.tensor<[N, 6, W], f32, device>, %w: !cameo.tensor<[8, 6, 1], f32, device>) -> !cameo.tensor<[N, 8, W], f32, device> {
  %0 = "onnx.Conv"(%x, %w) : (!cameo.tensor<[N, 6, W], f32, device>, !cameo.tensor<[8, 6, 1], f32, device>) -> !cameo.tensor<[N, 8, W], f32, device>
  func.return %0 : !cameo.tensor<[N, 8, W], f32, device>
}
func.func @volumes(%x: !cameo.tensor<[N, 6, D, H, W], f32, device>, %w: !cameo.tensor<[8, 6, 1, 1, 1], f32, device>) -> !cameo.tensor<[N, 8, D, H, W], f32, device> {
  %0 = "onnx.Conv"(%x, %w) : (!cameo.tensor<[N, 6, D, H, W], f32, device>, !cameo.tensor<[8, 6, 1, 1, 1], f32, device>) -> !cameo.tensor<[N, 8, D, H, W], f32, device>
  func.return %0 : !cameo.tensor<[N, 8, D, H, W], f32, device>
}

// -----

// The epilogue stays as it was, and stores where it did: the product writes its part of a Concat.
// CHECK-LABEL: @part_of_concat
// CHECK: %[[ALL:.*]] = prog.empty : <[N, 14, H, W], f32, device>
// CHECK: %[[FIRST:.*]] = prog.kernel {{.*}} dests(%[[ALL]] :
// CHECK: %[[BOTH:.*]] = prog.call "gemm_tiles" [] {{.*}} ins(%arg1, %arg0 : {{.*}}) dests(%[[FIRST]] :
// CHECK-NEXT: prog.store 4 values 1 ins(%arg2 : !cameo.tensor<[8], f32, device>) maps [affine_map<(d0, d1, d2, d3)[s0] -> (d1 * 8 + d2)>]
// CHECK-SAME: -> [affine_map<(d0, d1, d2, d3)[s0] -> (d0, d1 * 8 + d2 + 6, d3 floordiv s0, d3 mod s0)>] symbols [#cameo.extent<W>] targets [0]
// CHECK: prog.s_add
// CHECK: prog.s_max
// CHECK: return %[[BOTH]]
func.func @part_of_concat(%x: !cameo.tensor<[N, 6, H, W], f32, device>, %w: !cameo.tensor<[8, 6, 1, 1], f32, device>, %b: !cameo.tensor<[8], f32, device>)
    -> !cameo.tensor<[N, 14, H, W], f32, device> {
  %0 = "onnx.Conv"(%x, %w, %b)
      : (!cameo.tensor<[N, 6, H, W], f32, device>, !cameo.tensor<[8, 6, 1, 1], f32, device>, !cameo.tensor<[8], f32, device>) -> !cameo.tensor<[N, 8, H, W], f32, device>
  %1 = "onnx.Relu"(%0) : (!cameo.tensor<[N, 8, H, W], f32, device>) -> !cameo.tensor<[N, 8, H, W], f32, device>
  %2 = "onnx.Concat"(%x, %1) <{axis = 1 : i64}> : (!cameo.tensor<[N, 6, H, W], f32, device>, !cameo.tensor<[N, 8, H, W], f32, device>) -> !cameo.tensor<[N, 14, H, W], f32, device>
  func.return %2 : !cameo.tensor<[N, 14, H, W], f32, device>
}

// -----

// With a step between the elements, or zeros around them, it stays a convolution, of which only the members are left.
// CHECK-LABEL: @pointwise_conv_with_stride
// CHECK: prog.call "conv_tiles"
// CHECK-NOT: pad_end
// CHECK-LABEL: @pointwise_conv_with_pad
// CHECK: prog.call "conv_tiles"
func.func @pointwise_conv_with_stride(%x: !cameo.tensor<[N, 6, 8, 8], f32, device>, %w: !cameo.tensor<[8, 6, 1, 1], f32, device>) -> !cameo.tensor<[N, 8, 4, 4], f32, device> {
  %0 = "onnx.Conv"(%x, %w) <{strides = array<i64: 2, 2>}>
      : (!cameo.tensor<[N, 6, 8, 8], f32, device>, !cameo.tensor<[8, 6, 1, 1], f32, device>) -> !cameo.tensor<[N, 8, 4, 4], f32, device>
  func.return %0 : !cameo.tensor<[N, 8, 4, 4], f32, device>
}
func.func @pointwise_conv_with_pad(%x: !cameo.tensor<[N, 6, 8, 8], f32, device>, %w: !cameo.tensor<[8, 6, 1, 1], f32, device>) -> !cameo.tensor<[N, 8, 8, 9], f32, device> {
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 0, 0, 0, 1>}>
      : (!cameo.tensor<[N, 6, 8, 8], f32, device>, !cameo.tensor<[8, 6, 1, 1], f32, device>) -> !cameo.tensor<[N, 8, 8, 9], f32, device>
  func.return %0 : !cameo.tensor<[N, 8, 8, 9], f32, device>
}

// -----

// A body that asks for its index would get the product's: what it is fused into stays a convolution.
// CHECK-LABEL: @asks_for_index
// CHECK: prog.call "conv_tiles"
// CHECK: prog.s_index
func.func @asks_for_index(%x: !cameo.tensor<[N, 6, H, W], f32, device>, %w: !cameo.tensor<[8, 6, 1, 1], f32, device>) -> !cameo.tensor<[N, 8, H, W], f32, device> {
  %0 = "onnx.Conv"(%x, %w) : (!cameo.tensor<[N, 6, H, W], f32, device>, !cameo.tensor<[8, 6, 1, 1], f32, device>) -> !cameo.tensor<[N, 8, H, W], f32, device>
  %1 = "onnx.Trilu"(%0) <{upper = 1 : i64}> : (!cameo.tensor<[N, 8, H, W], f32, device>) -> !cameo.tensor<[N, 8, H, W], f32, device>
  func.return %1 : !cameo.tensor<[N, 8, H, W], f32, device>
}

// -----

// Squares over channels are a pool over volumes, one more behind than before where the size is even: the 1-norm of squares is
// their sum.
// CHECK-LABEL: @local_response
// CHECK: prog.call "pool" ["pool_kind::lp"] {batch = #cameo.extent<N>, channels = #cameo.extent<1>
// CHECK-SAME: input = [#cameo.extent<C>, #cameo.extent<H>, #cameo.extent<W>], kernel = [#cameo.extent<4>, #cameo.extent<1>, #cameo.extent<1>]
// CHECK-SAME: p = 1 : i64, pad = [#cameo.extent<1>, #cameo.extent<0>, #cameo.extent<0>], pad_end = [#cameo.extent<2>, #cameo.extent<0>, #cameo.extent<0>]
// CHECK: prog.load 5 values 0 ins(%arg0 : {{.*}} maps [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d4)>]
// CHECK: prog.s_mul
// CHECK: prog.store 5 values 1 ins(%arg0 : {{.*}} -> [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d4)>]
// CHECK: prog.s_div
func.func @local_response(%x: !cameo.tensor<[N, C, H, W], f32, device>) -> !cameo.tensor<[N, C, H, W], f32, device> {
  %0 = "onnx.LRN"(%x) <{size = 4 : i64}> : (!cameo.tensor<[N, C, H, W], f32, device>) -> !cameo.tensor<[N, C, H, W], f32, device>
  func.return %0 : !cameo.tensor<[N, C, H, W], f32, device>
}
