// RUN: cameo-opt %s --cameo-set-target=precision=exact --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s --check-prefix=NONE

// A target without channel blocks changes nothing.
// NONE-NOT: pack_channels
// NONE-NOT: cameo.blocked

// The image is packed at the border with the halo that its reader needs, the weights while compiling.
// CHECK-LABEL: func.func @one_large_convolution
// CHECK: %[[P:.*]] = prog.call "pack_channels" {{.*}} ins(%arg0 : {{.*}} : !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>>
// CHECK: %[[X:.*]] = prog.call "clear_halo" {{.*}} dests(%[[P]] :
// CHECK: %[[W:.*]] = prog.weight {{.*}} : <[64, 64, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>
// CHECK: %[[B:.*]] = prog.weight {{.*}} : <[64], f32, host, #cameo.blocked<[0] by [16]>>
// CHECK: %[[Y:.*]] = prog.call "conv_blocked" {{.*}} ins(%[[X]], %[[W]] :
// CHECK-NEXT: prog.store 5 values 1 ins(%[[B]] :
// CHECK: %[[OUT:.*]] = prog.call "unpack_channels" {{.*}} ins(%[[Y]] : !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16]>>) ties [-1] : !cameo.tensor<[N, 64, H, W], f32, host> {
// CHECK: return %[[OUT]]
func.func @one_large_convolution(%x: !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %b = "onnx.Constant"() <{value = dense<1.0> : tensor<64xf32>}> : () -> !cameo.tensor<[64], f32, host>
  %0 = "onnx.Conv"(%x, %w, %b) <{pads = array<i64: 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>, !cameo.tensor<[64], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 64, H, W], f32, host>
}

// -----

// One small convolution is not worth its repacks.
// CHECK-LABEL: func.func @one_small_convolution
// CHECK-NOT: cameo.blocked
// CHECK: prog.call "gemm"
// CHECK-NOT: cameo.blocked
// CHECK: return
func.func @one_small_convolution(%x: !cameo.tensor<[N, 16, H, W], f32, host>) -> !cameo.tensor<[N, 16, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<16x16x1x1xf32>}> : () -> !cameo.tensor<[16, 16, 1, 1], f32, host>
  %0 = "onnx.Conv"(%x, %w) : (!cameo.tensor<[N, 16, H, W], f32, host>, !cameo.tensor<[16, 16, 1, 1], f32, host>) -> !cameo.tensor<[N, 16, H, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 16, H, W], f32, host>
}

// -----

// Between large ones it is, and so is everything element by element; nothing is repacked inside, and what is read inside
// twice has its halo.
// CHECK-LABEL: func.func @trunk
// CHECK: prog.call "pack_channels" {{.*}} ins(%arg0 :
// CHECK-NOT: pack_channels
// CHECK: %[[A:.*]] = prog.call "conv_blocked" {{.*}} : !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>> {
// CHECK: prog.s_max
// CHECK: %[[R:.*]] = prog.call "clear_halo" {{.*}} dests(%[[A]] :
// CHECK-NEXT: }
// CHECK-NEXT: %[[S:.*]] = prog.call "conv_blocked" {{.*}} ins(%[[R]], %{{.*}} : {{.*}} : !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16]>> {
// CHECK-NEXT: prog.store 5 values 1 ins(%[[R]] :
// CHECK: prog.s_add
// CHECK: %[[P:.*]] = prog.call "pool_blocked" ["pool_kind::max"]
// CHECK-NEXT: prog.load 5 values 0 ins(%[[S]] :
// CHECK: %[[M:.*]] = prog.call "reduce" ["combine::sum<float>"] {{.*}} : !cameo.tensor<[N, 64, 1, 1], f32, host, #cameo.blocked<[1] by [16]>> {
// CHECK-NEXT: prog.load 5 values 0 ins(%[[P]] :
// CHECK-NOT: pack_channels
// CHECK: %[[OUT:.*]] = prog.view %[[M]]
// CHECK-NEXT: return %[[OUT]]
func.func @trunk(%x: !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, 1, 1], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %1 = "onnx.Relu"(%0) : (!cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %2 = "onnx.Conv"(%1, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %3 = "onnx.Add"(%1, %2) : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %4:2 = "onnx.MaxPool"(%3) <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (!cameo.tensor<[N, 64, H, W], f32, host>)
      -> (!cameo.tensor<[N, 64, H floordiv 2, W floordiv 2], f32, host>, !cameo.tensor<[N, 64, H floordiv 2, W floordiv 2], i64, host>)
  %5 = "onnx.GlobalAveragePool"(%4#0) : (!cameo.tensor<[N, 64, H floordiv 2, W floordiv 2], f32, host>) -> !cameo.tensor<[N, 64, 1, 1], f32, host>
  func.return %5 : !cameo.tensor<[N, 64, 1, 1], f32, host>
}

// -----

// Nor is anything around an LRN, whose windows go across blocks.
// CHECK-LABEL: func.func @local_response
// CHECK: %[[A:.*]] = prog.call "conv_blocked"
// CHECK-NOT: pack_channels
// CHECK: %[[L:.*]] = prog.call "sum_channels" {{.*}} : !cameo.tensor<[N, 40, H, W], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>>
// CHECK-NEXT: prog.load 5 values 0 ins(%[[A]] :
// CHECK-NOT: pack_channels
// CHECK: %[[C:.*]] = prog.call "clear_halo" {{.*}} dests(%[[L]] :
// CHECK-NOT: pack_channels
// CHECK: prog.call "conv_blocked" {{.*}} ins(%[[C]],
func.func @local_response(%x: !cameo.tensor<[N, 40, H, W], f32, host>) -> !cameo.tensor<[N, 40, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x40x3x3xf32>}> : () -> !cameo.tensor<[40, 40, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 40, H, W], f32, host>, !cameo.tensor<[40, 40, 3, 3], f32, host>) -> !cameo.tensor<[N, 40, H, W], f32, host>
  %1 = "onnx.LRN"(%0) <{size = 5 : i64}> : (!cameo.tensor<[N, 40, H, W], f32, host>) -> !cameo.tensor<[N, 40, H, W], f32, host>
  %2 = "onnx.Conv"(%1, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 40, H, W], f32, host>, !cameo.tensor<[40, 40, 3, 3], f32, host>) -> !cameo.tensor<[N, 40, H, W], f32, host>
  func.return %2 : !cameo.tensor<[N, 40, H, W], f32, host>
}

// -----

// An elementwise operator stays in the convolution that it is fused into, though it computes unused lanes there, and a dense
// reader of its result is behind it.
// CHECK-LABEL: func.func @elementwise_at_the_border
// CHECK: %[[R:.*]] = prog.call "conv_blocked"
// CHECK: prog.s_max
// CHECK-NOT: prog.kernel
// CHECK: %[[OUT:.*]] = prog.call "unpack_channels" {{.*}} ins(%[[R]] :
// CHECK: return %[[OUT]]
func.func @elementwise_at_the_border(%x: !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 24, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<24x64x3x3xf32>}> : () -> !cameo.tensor<[24, 64, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[24, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 24, H, W], f32, host>
  %1 = "onnx.Relu"(%0) : (!cameo.tensor<[N, 24, H, W], f32, host>) -> !cameo.tensor<[N, 24, H, W], f32, host>
  func.return %1 : !cameo.tensor<[N, 24, H, W], f32, host>
}

// -----

// In front of a trunk a kernel stays dense: one that computes lanes for nothing costs more behind the border, and one
// without such lanes as much on either side.
// CHECK-LABEL: func.func @lanes_in_front
// CHECK: %[[R:.*]] = prog.kernel [#cameo.extent<N>, #cameo.extent<40>, #cameo.extent<H>, #cameo.extent<W>] ins(%arg0 :
// CHECK: prog.call "pack_channels" {{.*}} ins(%[[R]] :
// CHECK-LABEL: func.func @elementwise_in_front
// CHECK: %[[S:.*]] = prog.kernel [#cameo.extent<N>, #cameo.extent<64>, #cameo.extent<H>, #cameo.extent<W>] ins(%arg0 :
// CHECK: prog.call "pack_channels" {{.*}} ins(%[[S]] :
func.func @lanes_in_front(%x: !cameo.tensor<[N, 40, H, W], f32, host>) -> !cameo.tensor<[N, 40, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x40x3x3xf32>}> : () -> !cameo.tensor<[40, 40, 3, 3], f32, host>
  %0 = "onnx.Relu"(%x) : (!cameo.tensor<[N, 40, H, W], f32, host>) -> !cameo.tensor<[N, 40, H, W], f32, host>
  %1 = "onnx.Conv"(%0, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 40, H, W], f32, host>, !cameo.tensor<[40, 40, 3, 3], f32, host>) -> !cameo.tensor<[N, 40, H, W], f32, host>
  func.return %1 : !cameo.tensor<[N, 40, H, W], f32, host>
}
func.func @elementwise_in_front(%x: !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %0 = "onnx.Relu"(%x) : (!cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %1 = "onnx.Conv"(%0, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  func.return %1 : !cameo.tensor<[N, 64, H, W], f32, host>
}

// -----

// Three input channels are read plane by plane: no blocks, only zeros around them.
// CHECK-LABEL: func.func @planes
// CHECK: %[[P:.*]] = prog.kernel {{.*}} ins(%arg0 : {{.*}} : !cameo.tensor<[1, 3, 224, 224], f32, host, #cameo.blocked< halo [3, 3]>>
// CHECK: %[[X:.*]] = prog.call "clear_halo" {{.*}} dests(%[[P]] :
// CHECK: prog.call "conv_blocked_planes" {{.*}} ins(%[[X]], %{{.*}} : {{.*}} : !cameo.tensor<[1, 64, 112, 112], f32, host, #cameo.blocked<[1] by [16]>>
func.func @planes(%x: !cameo.tensor<[1, 3, 224, 224], f32, host>) -> !cameo.tensor<[1, 64, 112, 112], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x3x7x7xf32>}> : () -> !cameo.tensor<[64, 3, 7, 7], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 3, 3, 3, 3>, strides = array<i64: 2, 2>}> : (!cameo.tensor<[1, 3, 224, 224], f32, host>, !cameo.tensor<[64, 3, 7, 7], f32, host>) -> !cameo.tensor<[1, 64, 112, 112], f32, host>
  func.return %0 : !cameo.tensor<[1, 64, 112, 112], f32, host>
}

// -----

// One value, two readers: the widest halo, one repack. The planes are those in memory; the first tap lies as far inside the
// halo as it is wider than the pads.
// CHECK-LABEL: func.func @widest_halo
// CHECK: %[[P:.*]] = prog.call "pack_channels" {{.*}} ins(%arg0 : {{.*}} : !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16] halo [2, 2]>>
// CHECK: %[[X:.*]] = prog.call "clear_halo" {{.*}} dests(%[[P]] :
// CHECK-NOT: "pack_channels"
// CHECK: prog.call "conv_blocked"
// CHECK-SAME: cols = #cameo.extent<W + 4>
// CHECK-SAME: left = #cameo.extent<1>
// CHECK-SAME: rows = #cameo.extent<H + 4>
// CHECK-SAME: top = #cameo.extent<1>
// CHECK-SAME: ins(%[[X]],
// CHECK-NOT: "pack_channels"
// CHECK: prog.call "conv_blocked"
// CHECK-SAME: cols = #cameo.extent<W + 4>
// CHECK-SAME: left = #cameo.extent<0>
// CHECK-SAME: top = #cameo.extent<0>
// CHECK-SAME: ins(%[[X]],
// CHECK-NOT: "pack_channels"
func.func @widest_halo(%x: !cameo.tensor<[N, 64, H, W], f32, host>) -> (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[N, 64, H, W], f32, host>) {
  %w3 = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %w5 = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x5x5xf32>}> : () -> !cameo.tensor<[64, 64, 5, 5], f32, host>
  %0 = "onnx.Conv"(%x, %w3) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %1 = "onnx.Conv"(%x, %w5) <{pads = array<i64: 2, 2, 2, 2>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 5, 5], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  func.return %0, %1 : !cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[N, 64, H, W], f32, host>
}

// -----

// Weights that are computed cannot be packed by the compiler; nor is anything known of their trunk.
// CHECK-LABEL: func.func @computed_weights
// CHECK-NOT: cameo.blocked
// CHECK: prog.call "conv" [] {{.*}} ins(%arg0, %arg1 :
// CHECK-NOT: cameo.blocked
func.func @computed_weights(%x: !cameo.tensor<[N, 64, H, W], f32, host>, %w: !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host> {
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 64, H, W], f32, host>
}

// -----

// Groups may share blocks.
// CHECK-LABEL: func.func @groups
// CHECK: prog.call "conv_blocked_groups" [] {{.*}}groups = 2{{.*}} !cameo.tensor<[40, 24, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>, {{.*}} : !cameo.tensor<[N, 40, H, W], f32, host, #cameo.blocked<[1] by [16]>> {
func.func @groups(%x: !cameo.tensor<[N, 48, H, W], f32, host>) -> !cameo.tensor<[N, 40, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<40x24x3x3xf32>}> : () -> !cameo.tensor<[40, 24, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{group = 2 : i64, pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 48, H, W], f32, host>, !cameo.tensor<[40, 24, 3, 3], f32, host>) -> !cameo.tensor<[N, 40, H, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 40, H, W], f32, host>
}

// -----

// Where they leave most lanes of their blocks to others they stay dense.
// CHECK-LABEL: func.func @small_groups
// CHECK-NOT: cameo.blocked
// CHECK: prog.call "conv" []
// CHECK-NOT: cameo.blocked
func.func @small_groups(%x: !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x4x3x3xf32>}> : () -> !cameo.tensor<[64, 4, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{group = 16 : i64, pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 4, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 64, H, W], f32, host>
}

// -----

// Channels in another order stay in blocks; where the order comes from the run, nobody knows a lane's channel.
// CHECK-LABEL: func.func @shuffled
// CHECK: prog.call "conv_blocked"
// CHECK-NOT: pack_channels
// CHECK: prog.call "pick_channels" {{.*}} : !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>> {
// CHECK-NOT: pack_channels
// CHECK: prog.call "conv_blocked"
// CHECK-LABEL: func.func @order_of_the_run
// CHECK: %[[D:.*]] = prog.call "unpack_channels"
// CHECK: %[[G:.*]] = prog.call "gather" {{.*}} ins(%[[D]], %arg1 : {{.*}} : !cameo.tensor<[N, 64, H, W], f32, host> {
// CHECK: prog.call "pack_channels" {{.*}} ins(%[[G]] :
func.func @shuffled(%x: !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %i = "onnx.Constant"() <{value = dense<5> : tensor<64xi64>}> : () -> !cameo.tensor<[64], i64, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %1 = "onnx.Gather"(%0, %i) <{axis = 1 : i64}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64], i64, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %2 = "onnx.Conv"(%1, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  func.return %2 : !cameo.tensor<[N, 64, H, W], f32, host>
}
func.func @order_of_the_run(%x: !cameo.tensor<[N, 64, H, W], f32, host>, %i: !cameo.tensor<[64], i64, host>) -> !cameo.tensor<[N, 64, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %1 = "onnx.Gather"(%0, %i) <{axis = 1 : i64}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64], i64, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %2 = "onnx.Conv"(%1, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  func.return %2 : !cameo.tensor<[N, 64, H, W], f32, host>
}

// -----

// Groups of whole blocks.
// CHECK-LABEL: func.func @groups_of_blocks
// CHECK: prog.call "conv_blocked" [] {{.*}}groups = 2{{.*}} !cameo.tensor<[64, 32, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>) ties [-1] : !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16]>> {
func.func @groups_of_blocks(%x: !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x32x3x3xf32>}> : () -> !cameo.tensor<[64, 32, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{group = 2 : i64, pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 32, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 64, H, W], f32, host>
}

// -----

// Concat joins blocks: the second part begins behind four of them. The last part clears the halo of the whole.
// CHECK-LABEL: func.func @concat_of_whole_blocks
// CHECK: %[[ALL:.*]] = prog.empty : <[N, 88, H, W], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>>
// CHECK: %[[A:.*]] = prog.call "conv_blocked" {{.*}} dests(%[[ALL]] :
// CHECK-NEXT: prog.store {{.*}} -> [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2 + 1, d3 + 1, d4)>]
// CHECK-NOT: clear_halo
// CHECK: %[[B:.*]] = prog.call "conv_blocked" {{.*}} dests(%[[A]] :
// CHECK-NEXT: prog.store {{.*}} -> [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + 4, d2 + 1, d3 + 1, d4)>]
// CHECK: %[[C:.*]] = prog.call "clear_halo" {{.*}} dests(%[[B]] :
// CHECK-NOT: pack_channels
// CHECK: prog.call "conv_blocked" {{.*}} ins(%[[C]],
func.func @concat_of_whole_blocks(%x: !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<24x64x3x3xf32>}> : () -> !cameo.tensor<[24, 64, 3, 3], f32, host>
  %u = "onnx.Constant"() <{value = dense<1.0> : tensor<64x88x3x3xf32>}> : () -> !cameo.tensor<[64, 88, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %1 = "onnx.Conv"(%x, %v) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[24, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 24, H, W], f32, host>
  %2 = "onnx.Concat"(%0, %1) <{axis = 1 : i64}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[N, 24, H, W], f32, host>) -> !cameo.tensor<[N, 88, H, W], f32, host>
  %3 = "onnx.Conv"(%2, %u) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 88, H, W], f32, host>, !cameo.tensor<[64, 88, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  func.return %3 : !cameo.tensor<[N, 64, H, W], f32, host>
}

// -----

// 24 channels end within a block: what follows cannot begin there. Both convolutions make images of their own, which are
// copied.
// CHECK-LABEL: func.func @concat_within_a_block
// CHECK: %[[ALL:.*]] = prog.empty : <[N, 88, H, W], f32, host>
// CHECK: %[[A:.*]] = prog.call "conv_blocked" {{.*}} : !cameo.tensor<[N, 24, H, W], f32, host, #cameo.blocked<[1] by [16]>> {
// CHECK: %[[D:.*]] = prog.call "unpack_channels" {{.*}} ins(%[[A]] :
// CHECK: %[[COPY:.*]] = prog.kernel {{.*}} ins(%[[D]] : {{.*}} dests(%[[ALL]] :
// CHECK: %[[B:.*]] = prog.call "conv_blocked" {{.*}} : !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16]>> {
// CHECK: %[[E:.*]] = prog.call "unpack_channels" {{.*}} ins(%[[B]] :
// CHECK: %[[ALL2:.*]] = prog.kernel {{.*}} ins(%[[E]] : {{.*}} dests(%[[COPY]] : {{.*}} -> [affine_map<(d0, d1, d2, d3) -> (d0, d1 + 24, d2, d3)>]
// CHECK: %[[PACKED:.*]] = prog.call "pack_channels" {{.*}} ins(%[[ALL2]] :
// CHECK: %[[X:.*]] = prog.call "clear_halo" {{.*}} dests(%[[PACKED]] :
// CHECK: prog.call "conv_blocked" {{.*}} ins(%[[X]],
func.func @concat_within_a_block(%x: !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<24x64x3x3xf32>}> : () -> !cameo.tensor<[24, 64, 3, 3], f32, host>
  %u = "onnx.Constant"() <{value = dense<1.0> : tensor<64x88x3x3xf32>}> : () -> !cameo.tensor<[64, 88, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %1 = "onnx.Conv"(%x, %v) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[24, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 24, H, W], f32, host>
  %2 = "onnx.Concat"(%1, %0) <{axis = 1 : i64}> : (!cameo.tensor<[N, 24, H, W], f32, host>, !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 88, H, W], f32, host>
  %3 = "onnx.Conv"(%2, %u) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 88, H, W], f32, host>, !cameo.tensor<[64, 88, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  func.return %3 : !cameo.tensor<[N, 64, H, W], f32, host>
}

// -----

// Operands per channel are in blocks too, those without channels are read as they are.
// CHECK-LABEL: func.func @broadcast_operands
// CHECK: %[[S:.*]] = prog.view %arg1{{.*}} -> <[64, 1, 1], f32, host, #cameo.blocked<[0] by [16]>>
// CHECK: prog.call "conv_blocked"
// CHECK-NEXT: prog.store 5 values 1 ins(%[[S]], %arg2 :
// CHECK-SAME: maps [affine_map<(d0, d1, d2, d3, d4) -> (d1, 0, 0, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d2, d3)>]
// CHECK: prog.s_mul
// CHECK: prog.s_mul
func.func @broadcast_operands(%x: !cameo.tensor<[N, 64, H, W], f32, host>, %s: !cameo.tensor<[64, 1, 1], f32, host>, %m: !cameo.tensor<[H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %1 = "onnx.Mul"(%0, %s) : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 1, 1], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %2 = "onnx.Mul"(%1, %m) : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[H, W], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %3 = "onnx.Conv"(%2, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  func.return %3 : !cameo.tensor<[N, 64, H, W], f32, host>
}

// -----

// A result that has no blocked form and is used keeps its operator outside.
// CHECK-LABEL: func.func @pool_indices
// CHECK: %[[D:.*]] = prog.call "unpack_channels" {{.*}} : !cameo.tensor<[N, 64, H, W], f32, host> {
// CHECK: prog.call "pool" ["pool_kind::max"]
// CHECK-NEXT: prog.load 4 values 0 ins(%[[D]] :
func.func @pool_indices(%x: !cameo.tensor<[N, 64, H, W], f32, host>) -> !cameo.tensor<[N, 64, H floordiv 2, W floordiv 2], i64, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}> : (!cameo.tensor<[N, 64, H, W], f32, host>, !cameo.tensor<[64, 64, 3, 3], f32, host>) -> !cameo.tensor<[N, 64, H, W], f32, host>
  %1:2 = "onnx.MaxPool"(%0) <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (!cameo.tensor<[N, 64, H, W], f32, host>)
      -> (!cameo.tensor<[N, 64, H floordiv 2, W floordiv 2], f32, host>, !cameo.tensor<[N, 64, H floordiv 2, W floordiv 2], i64, host>)
  func.return %1#1 : !cameo.tensor<[N, 64, H floordiv 2, W floordiv 2], i64, host>
}

// -----

// The columns of a constant matrix lie in blocks, all rows of a block together, whichever way the
// matrix is given; what is multiplied with it and the product stay dense.
// CHECK-LABEL: func.func @products
// CHECK: %[[W:.*]] = prog.weight {{.*}} : <[20, 40], f32, host, #cameo.blocked<[0, 1] by [20, 16]>>
// CHECK: prog.call "gemm_blocked" [] {{.*}} ins(%arg0, %[[W]] : {{.*}} : !cameo.tensor<[1, S, 40], f32, host> {
// CHECK: %[[T:.*]] = prog.weight {{.*}} : <[8, 40], f32, host, #cameo.blocked<[0] by [16]>>
// CHECK: prog.call "gemm_blocked" [] {{.*}} ins(%arg1, %[[T]] : {{.*}} : !cameo.tensor<[S, 8], f32, host> {
func.func @products(%x: !cameo.tensor<[1, S, 20], f32, host>, %y: !cameo.tensor<[S, 40], f32, host>)
    -> (!cameo.tensor<[1, S, 40], f32, host>, !cameo.tensor<[S, 8], f32, host>) {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<20x40xf32>}> : () -> !cameo.tensor<[20, 40], f32, host>
  %t = "onnx.Constant"() <{value = dense<1.0> : tensor<8x40xf32>}> : () -> !cameo.tensor<[8, 40], f32, host>
  %0 = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[1, S, 20], f32, host>, !cameo.tensor<[20, 40], f32, host>) -> !cameo.tensor<[1, S, 40], f32, host>
  %1 = "onnx.Relu"(%0) : (!cameo.tensor<[1, S, 40], f32, host>) -> !cameo.tensor<[1, S, 40], f32, host>
  %2 = "onnx.Gemm"(%y, %t) <{transB = 1 : i64}> : (!cameo.tensor<[S, 40], f32, host>, !cameo.tensor<[8, 40], f32, host>) -> !cameo.tensor<[S, 8], f32, host>
  func.return %1, %2 : !cameo.tensor<[1, S, 40], f32, host>, !cameo.tensor<[S, 8], f32, host>
}

// -----

// A few rows are multiplied with those of a transposed matrix as they lie, and what is computed or
// has other elements is not packed.
// CHECK-LABEL: func.func @dense_products
// CHECK-NOT: cameo.blocked
// CHECK: return
func.func @dense_products(%x: !cameo.tensor<[1, 40], f32, host>, %y: !cameo.tensor<[S, 40], f64, host>, %z: !cameo.tensor<[40, 8], f32, host>)
    -> (!cameo.tensor<[1, 8], f32, host>, !cameo.tensor<[S, 8], f64, host>, !cameo.tensor<[1, 8], f32, host>) {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<8x40xf32>}> : () -> !cameo.tensor<[8, 40], f32, host>
  %d = "onnx.Constant"() <{value = dense<1.0> : tensor<40x8xf64>}> : () -> !cameo.tensor<[40, 8], f64, host>
  %0 = "onnx.Gemm"(%x, %w) <{transB = 1 : i64}> : (!cameo.tensor<[1, 40], f32, host>, !cameo.tensor<[8, 40], f32, host>) -> !cameo.tensor<[1, 8], f32, host>
  %1 = "onnx.MatMul"(%y, %d) : (!cameo.tensor<[S, 40], f64, host>, !cameo.tensor<[40, 8], f64, host>) -> !cameo.tensor<[S, 8], f64, host>
  %2 = "onnx.MatMul"(%x, %z) : (!cameo.tensor<[1, 40], f32, host>, !cameo.tensor<[40, 8], f32, host>) -> !cameo.tensor<[1, 8], f32, host>
  func.return %0, %1, %2 : !cameo.tensor<[1, 8], f32, host>, !cameo.tensor<[S, 8], f64, host>, !cameo.tensor<[1, 8], f32, host>
}

// -----

// A halo of millions, most of which strides step over, is dearer than what it saves.
// CHECK-LABEL: func.func @wide_pads
// CHECK-NOT: cameo.blocked
// CHECK: prog.call "conv" []
// CHECK: return
func.func @wide_pads(%x: !cameo.tensor<[1, 16, 8, 8], f32, host>) -> !cameo.tensor<[1, 16, 7, 8], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<16x16x3x3xf32>}> : () -> !cameo.tensor<[16, 16, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 3000000, 1, 3000000, 1>, strides = array<i64: 1000000, 1>}>
      : (!cameo.tensor<[1, 16, 8, 8], f32, host>, !cameo.tensor<[16, 16, 3, 3], f32, host>) -> !cameo.tensor<[1, 16, 7, 8], f32, host>
  func.return %0 : !cameo.tensor<[1, 16, 7, 8], f32, host>
}
