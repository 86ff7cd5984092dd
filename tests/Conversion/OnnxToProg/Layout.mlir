// RUN: cameo-opt %s --cameo-set-target=precision=exact --cameo-onnx-to-prog --split-input-file | FileCheck %s

!dense = !cameo.tensor<[N, 20, H, W], f32, host>
!blocks = !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16]>>
!bordered = !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>>

// Packing writes the blocks, then the border is cleared in place; whoever reads it reads the latter.
// CHECK-LABEL: @pack
// CHECK: %[[P:.*]] = prog.call "pack_channels" [] {batch = #cameo.extent<N>, channels = #cameo.extent<20>, cols = #cameo.extent<W>, halo = [#cameo.extent<1>, #cameo.extent<1>], lanes = 16 : i64, rows = #cameo.extent<H>} ins(%arg0
// CHECK: %[[C:.*]] = prog.call "clear_halo" [] {cols = #cameo.extent<W>, halo = [#cameo.extent<1>, #cameo.extent<1>], lanes = #cameo.extent<16>, planes = #cameo.extent<2 * N>, rows = #cameo.extent<H>} dests(%[[P]]
// CHECK: return %[[C]]
func.func @pack(%x: !dense) -> !bordered {
  %0 = prog.repack %x : !dense -> !bordered
  func.return %0 : !bordered
}

// CHECK-LABEL: @unpack
// CHECK: prog.call "unpack_channels"
// CHECK-NOT: clear_halo
func.func @unpack(%x: !bordered) -> !dense {
  %0 = prog.repack %x : !bordered -> !dense
  func.return %0 : !dense
}

// A constant is packed by the compiler: its type has the layout, its value stays as it was.
// CHECK-LABEL: @constant
// CHECK: prog.weight dense<{{.*}}> : tensor<20xf32> through [#cameo.blocked<[0] by [16]>] : <[20], f32, host, #cameo.blocked<[0] by [16]>>
func.func @constant() -> !cameo.tensor<[20], f32, host, #cameo.blocked<[0] by [16]>> {
  %c = "onnx.Constant"() <{value = dense<1.0> : tensor<20xf32>}> : () -> !cameo.tensor<[20], f32, host>
  %0 = prog.repack %c : !cameo.tensor<[20], f32, host> -> !cameo.tensor<[20], f32, host, #cameo.blocked<[0] by [16]>>
  func.return %0 : !cameo.tensor<[20], f32, host, #cameo.blocked<[0] by [16]>>
}

// Whole blocks of single elements lie as they did.
// CHECK-LABEL: @one_order
// CHECK: prog.view
// CHECK-NOT: prog.call
func.func @one_order(%x: !cameo.tensor<[N, 32, 1, 1], f32, host, #cameo.blocked<[1] by [16]>>) -> !cameo.tensor<[N, 32, 1, 1], f32, host> {
  %0 = prog.repack %x : !cameo.tensor<[N, 32, 1, 1], f32, host, #cameo.blocked<[1] by [16]>> -> !cameo.tensor<[N, 32, 1, 1], f32, host>
  func.return %0 : !cameo.tensor<[N, 32, 1, 1], f32, host>
}

// -----

!dense = !cameo.tensor<[N, 1, H, W], f32, host>
!blocks = !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16]>>
!bordered = !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>>

// A kernel walks blocks and lanes; operands are read past their halo, dense ones without a lane.
// CHECK-DAG: #[[$IN:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2 + 1, d3 + 1, d4)>
// CHECK-DAG: #[[$DENSE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, 0, d2, d3)>
// CHECK-DAG: #[[$CHANNEL:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, 0, 0, d4)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
// CHECK-LABEL: @elementwise
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<2>, #cameo.extent<H>, #cameo.extent<W>, #cameo.extent<16>]
// CHECK-SAME: maps [#[[$IN]], #[[$DENSE]]] -> [#[[$OUT]]]
// CHECK: prog.kernel {{.*}} maps [#[[$OUT]], #[[$CHANNEL]]] -> [#[[$OUT]]]
func.func @elementwise(%x: !bordered, %m: !dense, %s: !cameo.tensor<[20, 1, 1], f32, host, #cameo.blocked<[0] by [16]>>) -> !blocks {
  %0 = "onnx.Mul"(%x, %m) : (!bordered, !dense) -> !blocks
  %1 = "onnx.Add"(%0, %s) : (!blocks, !cameo.tensor<[20, 1, 1], f32, host, #cameo.blocked<[0] by [16]>>) -> !blocks
  func.return %1 : !blocks
}

// A few elements are no host scalars when they lie in blocks.
// CHECK-LABEL: @few_elements
// CHECK: prog.kernel
func.func @few_elements(%x: !cameo.tensor<[1, 8, 1, 1], f32, host, #cameo.blocked<[1] by [16]>>) -> !cameo.tensor<[1, 8, 1, 1], f32, host, #cameo.blocked<[1] by [16]>> {
  %0 = "onnx.Relu"(%x) : (!cameo.tensor<[1, 8, 1, 1], f32, host, #cameo.blocked<[1] by [16]>>) -> !cameo.tensor<[1, 8, 1, 1], f32, host, #cameo.blocked<[1] by [16]>>
  func.return %0 : !cameo.tensor<[1, 8, 1, 1], f32, host, #cameo.blocked<[1] by [16]>>
}

// -----

!bordered = !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16] halo [2, 2]>>
!result = !cameo.tensor<[N, 40, H, W], f32, host, #cameo.blocked<[1] by [16]>>
!weights = !cameo.tensor<[40, 20, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>
!bias = !cameo.tensor<[40], f32, host, #cameo.blocked<[0] by [16]>>

// The planes are those in memory; the first tap lies as far inside the halo as it is wider than the pads.
// CHECK-DAG: #[[$BIAS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d4)>
// CHECK-LABEL: @conv
// CHECK: prog.call "conv_blocked" []
// CHECK-SAME: cols = #cameo.extent<W + 4>
// CHECK-SAME: in_channels = #cameo.extent<20>
// CHECK-SAME: left = #cameo.extent<1>, out_channels = #cameo.extent<40>
// CHECK-SAME: rows = #cameo.extent<H + 4>
// CHECK-SAME: top = #cameo.extent<1>
// CHECK: prog.store 5 values 1 ins(%{{.*}}) maps [#[[$BIAS]]]
func.func @conv(%x: !bordered) -> !result {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x20x3x3xf32>}> : () -> !cameo.tensor<[40, 20, 3, 3], f32, host>
  %b = "onnx.Constant"() <{value = dense<1.0> : tensor<40xf32>}> : () -> !cameo.tensor<[40], f32, host>
  %p = prog.repack %w : !cameo.tensor<[40, 20, 3, 3], f32, host> -> !weights
  %q = prog.repack %b : !cameo.tensor<[40], f32, host> -> !bias
  %0 = "onnx.Conv"(%x, %p, %q) <{pads = array<i64: 1, 1, 1, 1>}> : (!bordered, !weights, !bias) -> !result
  func.return %0 : !result
}

// CHECK-LABEL: @planes
// CHECK: prog.kernel {{.*}} -> [#{{.*}}] symbols [] ties [-1] : !cameo.tensor<[N, 3, H, W], f32, host, #cameo.blocked< halo [1, 1]>>
// CHECK: %[[X:.*]] = prog.call "clear_halo" {{.*}} lanes = #cameo.extent<1>, planes = #cameo.extent<3 * N>
// CHECK: prog.call "conv_blocked_planes" {{.*}} ins(%[[X]],
func.func @planes(%x: !cameo.tensor<[N, 3, H, W], f32, host>) -> !result {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x3x3x3xf32>}> : () -> !cameo.tensor<[40, 3, 3, 3], f32, host>
  %p = prog.repack %w : !cameo.tensor<[40, 3, 3, 3], f32, host> -> !cameo.tensor<[40, 3, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>
  %h = prog.repack %x : !cameo.tensor<[N, 3, H, W], f32, host> -> !cameo.tensor<[N, 3, H, W], f32, host, #cameo.blocked<halo [1, 1]>>
  %0 = "onnx.Conv"(%h, %p) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 3, H, W], f32, host, #cameo.blocked<halo [1, 1]>>, !cameo.tensor<[40, 3, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>) -> !result
  func.return %0 : !result
}

// CHECK-LABEL: @depthwise
// CHECK: prog.call "conv_blocked_depthwise"
// CHECK-NOT: out_channels
// CHECK-SAME: rows = #cameo.extent<H + 4>
func.func @depthwise(%x: !bordered) -> !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16]>> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<20x1x3x3xf32>}> : () -> !cameo.tensor<[20, 1, 3, 3], f32, host>
  %p = prog.repack %w : !cameo.tensor<[20, 1, 3, 3], f32, host> -> !cameo.tensor<[20, 1, 3, 3], f32, host, #cameo.blocked<[0] by [16]>>
  %0 = "onnx.Conv"(%x, %p) <{group = 20 : i64, pads = array<i64: 1, 1, 1, 1>}> : (!bordered, !cameo.tensor<[20, 1, 3, 3], f32, host, #cameo.blocked<[0] by [16]>>) -> !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16]>>
  func.return %0 : !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16]>>
}

// -----

!blocks = !cameo.tensor<[N, 20, 8, 8], f32, host, #cameo.blocked<[1] by [16]>>

// CHECK-LABEL: @pool
// CHECK: prog.call "pool_blocked" ["pool_kind::average"]
// CHECK: prog.load 5
// CHECK: prog.store 5
func.func @pool(%x: !blocks) -> !cameo.tensor<[N, 20, 4, 4], f32, host, #cameo.blocked<[1] by [16]>> {
  %0 = "onnx.AveragePool"(%x) <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (!blocks) -> !cameo.tensor<[N, 20, 4, 4], f32, host, #cameo.blocked<[1] by [16]>>
  func.return %0 : !cameo.tensor<[N, 20, 4, 4], f32, host, #cameo.blocked<[1] by [16]>>
}

// -----

!blocks = !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16]>>
!bordered = !cameo.tensor<[N, 20, H, W], f32, host, #cameo.blocked<[1] by [16] halo [2, 2]>>

// Neighbouring channels may lie in other blocks; the next reader's border is cleared.
// CHECK-LABEL: @local_response
// CHECK: %[[Y:.*]] = prog.call "sum_channels" [] {after = 2 : i64, batch = #cameo.extent<N>, before = 2 : i64, channels = #cameo.extent<20>, cols = #cameo.extent<W>, rows = #cameo.extent<H>}
// CHECK: prog.load 5
// CHECK: prog.store 5
// CHECK: prog.call "clear_halo" {{.*}}%[[Y]]
func.func @local_response(%x: !blocks) -> !bordered {
  %0 = "onnx.LRN"(%x) <{size = 5 : i64}> : (!blocks) -> !bordered
  func.return %0 : !bordered
}

// -----

!blocks = !cameo.tensor<[N, 20, 8, 8], f32, host, #cameo.blocked<[1] by [16]>>

// Lanes are neighbouring rows of a reduction.
// CHECK: #[[$SOURCE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4, d2)>
// CHECK-LABEL: @global_pool
// CHECK: prog.call "reduce" ["combine::max<float>"] {across_rows = true, outer = [#cameo.extent<N>, #cameo.extent<2>, #cameo.extent<16>], outer_rank = 3 : i64
// CHECK: prog.load 5 {{.*}} maps [#[[$SOURCE]]]
func.func @global_pool(%x: !blocks) -> !cameo.tensor<[N, 20, 1, 1], f32, host, #cameo.blocked<[1] by [16]>> {
  %0 = "onnx.GlobalMaxPool"(%x) : (!blocks) -> !cameo.tensor<[N, 20, 1, 1], f32, host, #cameo.blocked<[1] by [16]>>
  func.return %0 : !cameo.tensor<[N, 20, 1, 1], f32, host, #cameo.blocked<[1] by [16]>>
}

// -----

// Slices of a joined tensor are counted in blocks.
// CHECK: #[[$SECOND:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + 2, d2, d3, d4)>
// CHECK-LABEL: @concat
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<2>,
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<1>, {{.*}} -> [#[[$SECOND]]]
func.func @concat(%a: !cameo.tensor<[N, 32, H, W], f32, host, #cameo.blocked<[1] by [16]>>, %b: !cameo.tensor<[N, 5, H, W], f32, host, #cameo.blocked<[1] by [16]>>) -> !cameo.tensor<[N, 37, H, W], f32, host, #cameo.blocked<[1] by [16]>> {
  %0 = "onnx.Concat"(%a, %b) <{axis = 1 : i64}>
      : (!cameo.tensor<[N, 32, H, W], f32, host, #cameo.blocked<[1] by [16]>>, !cameo.tensor<[N, 5, H, W], f32, host, #cameo.blocked<[1] by [16]>>) -> !cameo.tensor<[N, 37, H, W], f32, host, #cameo.blocked<[1] by [16]>>
  func.return %0 : !cameo.tensor<[N, 37, H, W], f32, host, #cameo.blocked<[1] by [16]>>
}

// -----

!elements = !cameo.tensor<[N, 3], i4, device>
!packed = !cameo.tensor<[N, 3], i4, device, #cameo.packed>

// Any kernel reads packed elements; only the template writes them, as one row.
// CHECK-DAG: #[[$SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: @narrow_elements
// CHECK: %[[X:.*]] = prog.kernel [#cameo.extent<N>, #cameo.extent<3>] ins(%arg0 : !cameo.tensor<[N, 3], i4, device, #cameo.packed>) maps [#[[$SAME]]] -> [#[[$SAME]]]
// CHECK: %[[ROW:.*]] = prog.view %[[X]][#cameo.extent<0>] : {{.*}} -> <[3 * N], i4, device>
// CHECK: %[[Y:.*]] = prog.call "pack_elements" [] {count = #cameo.extent<3 * N>} {{.*}} : !cameo.tensor<[N, 3], i4, device, #cameo.packed> {
// CHECK: prog.load 1 values 0 ins(%[[ROW]]
// CHECK: return %[[Y]]
func.func @narrow_elements(%x: !packed) -> !packed {
  %0 = prog.repack %x : !packed -> !elements
  %1 = prog.repack %0 : !elements -> !packed
  func.return %1 : !packed
}

// -----

!pair = !cameo.tensor<[2], ui2, host>
!packed = !cameo.tensor<[2], ui2, host, #cameo.packed>

// A few that the host reads are scalars.
// CHECK-LABEL: @narrow_scalars
// CHECK: %[[A:.*]] = prog.element %arg0[#cameo.extent<0>]
// CHECK: %[[B:.*]] = prog.element %arg0[#cameo.extent<1>]
// CHECK: prog.from_elements %[[A]], %[[B]] : ui2, ui2
func.func @narrow_scalars(%x: !packed) -> !pair {
  %0 = prog.repack %x : !packed -> !pair
  func.return %0 : !pair
}
