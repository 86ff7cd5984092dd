// RUN: cameo-opt %s --cameo-set-target=precision=exact --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s

!dense = !cameo.tensor<[N, 24, H, W], f32, host>
!weights = !cameo.tensor<[24, 24, 3, 3], f32, host>

// Packing writes the blocks, then the border is cleared in place; whoever reads it reads the latter.
// CHECK-LABEL: @pack
// CHECK: %[[P:.*]] = prog.call "pack_channels" [] {batch = #cameo.extent<N>, channels = #cameo.extent<24>, cols = #cameo.extent<W>, halo = [#cameo.extent<1>, #cameo.extent<1>], lanes = 16 : i64, rows = #cameo.extent<H>} ins(%arg0
// CHECK: %[[C:.*]] = prog.call "clear_halo" [] {cols = #cameo.extent<W>, halo = [#cameo.extent<1>, #cameo.extent<1>], lanes = #cameo.extent<16>, planes = #cameo.extent<2 * N>, rows = #cameo.extent<H>} dests(%[[P]]
// CHECK: prog.call "conv_blocked" {{.*}} ins(%[[C]],
func.func @pack(%x: !dense) -> !dense {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<24x24x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!dense, !weights) -> !dense
  func.return %0 : !dense
}

// Out of an image whose halo the next reader needs: the elements within it.
// CHECK-LABEL: @unpack
// CHECK: %[[Y:.*]] = prog.call "conv_blocked" {{.*}} : !cameo.tensor<[N, 24, H, W], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>> {
// CHECK: %[[C:.*]] = prog.call "clear_halo" {{.*}} dests(%[[Y]]
// CHECK: %[[D:.*]] = prog.call "unpack_channels" {{.*}} halo = [#cameo.extent<1>, #cameo.extent<1>], {{.*}} ins(%[[C]]
// CHECK-NOT: clear_halo
// CHECK: %[[Z:.*]] = prog.call "conv_blocked" {{.*}} ins(%[[C]]
// CHECK: %[[E:.*]] = prog.call "unpack_channels" {{.*}} halo = [#cameo.extent<0>, #cameo.extent<0>], {{.*}} ins(%[[Z]]
// CHECK: return %[[D]], %[[E]]
func.func @unpack(%x: !dense) -> (!dense, !dense) {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<24x24x3x3xf32>}> : () -> !weights
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!dense, !weights) -> !dense
  %1 = "onnx.Conv"(%0, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!dense, !weights) -> !dense
  func.return %0, %1 : !dense, !dense
}

// A constant is packed by the compiler: its type has the layout, its value stays as it was.
// CHECK-LABEL: @constant
// CHECK: prog.weight dense<{{.*}}> : tensor<24xf32> through [#cameo.blocked<[0] by [16]>] : <[24], f32, host, #cameo.blocked<[0] by [16]>>
func.func @constant(%x: !dense) -> !dense {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<24x24x3x3xf32>}> : () -> !weights
  %c = "onnx.Constant"() <{value = dense<1.0> : tensor<24xf32>}> : () -> !cameo.tensor<[24], f32, host>
  %0 = "onnx.Conv"(%x, %w, %c) <{pads = array<i64: 1, 1, 1, 1>}> : (!dense, !weights, !cameo.tensor<[24], f32, host>) -> !dense
  func.return %0 : !dense
}

// Whole blocks of single elements lie as they did.
// CHECK-LABEL: @one_order
// CHECK: %[[Y:.*]] = prog.call "reduce" {{.*}} : !cameo.tensor<[N, 32, 1, 1], f32, host, #cameo.blocked<[1] by [16]>> {
// CHECK-NOT: prog.call
// CHECK: %[[V:.*]] = prog.view %[[Y]]{{.*}} -> <[N, 32, 1, 1], f32, host>
// CHECK-NEXT: return %[[V]]
func.func @one_order(%x: !dense) -> !cameo.tensor<[N, 32, 1, 1], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<32x24x3x3xf32>}> : () -> !cameo.tensor<[32, 24, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!dense, !cameo.tensor<[32, 24, 3, 3], f32, host>) -> !cameo.tensor<[N, 32, H, W], f32, host>
  %1 = "onnx.GlobalMaxPool"(%0) : (!cameo.tensor<[N, 32, H, W], f32, host>) -> !cameo.tensor<[N, 32, 1, 1], f32, host>
  func.return %1 : !cameo.tensor<[N, 32, 1, 1], f32, host>
}
