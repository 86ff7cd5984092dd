// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// CHECK: #[[$CHANNEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d1)>
// CHECK-LABEL: @conv
// CHECK: prog.call "conv" [] {batch = #cameo.extent<N>
// CHECK-SAME: input = [#cameo.extent<H>, #cameo.extent<W>], kernel = [#cameo.extent<3>, #cameo.extent<3>]
// CHECK-SAME: pad = [#cameo.extent<1>, #cameo.extent<1>]
// CHECK: prog.store 4 values 1 ins(%{{.*}} : !cameo.tensor<[8], f32, host>) maps [#[[$CHANNEL]]]
// CHECK: prog.s_add
func.func @conv(%x: !cameo.tensor<[N, 3, H, W], f32, host>, %w: !cameo.tensor<[8, 3, 3, 3], f32, host>, %b: !cameo.tensor<[8], f32, host>) -> !cameo.tensor<[N, 8, H, W], f32, host> {
  %0 = "onnx.Conv"(%x, %w, %b) <{pads = array<i64: 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 3, H, W], f32, host>, !cameo.tensor<[8, 3, 3, 3], f32, host>, !cameo.tensor<[8], f32, host>) -> !cameo.tensor<[N, 8, H, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 8, H, W], f32, host>
}

// -----

// Indices that nobody reads are not computed.
// CHECK-LABEL: @max_pool
// CHECK: prog.call "pool" ["pool_kind::max"]
// CHECK-SAME: ties [-1] : !cameo.tensor<[N, 3, 4, 4], f32, host> {
func.func @max_pool(%x: !cameo.tensor<[N, 3, 8, 8], f32, host>) -> !cameo.tensor<[N, 3, 4, 4], f32, host> {
  %0:2 = "onnx.MaxPool"(%x) <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}>
      : (!cameo.tensor<[N, 3, 8, 8], f32, host>) -> (!cameo.tensor<[N, 3, 4, 4], f32, host>, !cameo.tensor<[N, 3, 4, 4], i64, host>)
  func.return %0#0 : !cameo.tensor<[N, 3, 4, 4], f32, host>
}

// -----

// A global mean is a sum in the accumulator's type, divided in the store.
// CHECK-LABEL: @global_average_pool
// CHECK: prog.call "reduce" ["combine::sum<float>"]
// CHECK: prog.s_extent #cameo.extent<H * W>
// CHECK: prog.s_div
// CHECK: prog.s_cast %{{.*}} : f32 -> f16
func.func @global_average_pool(%x: !cameo.tensor<[N, 3, H, W], f16, host>) -> !cameo.tensor<[N, 3, 1, 1], f16, host> {
  %0 = "onnx.GlobalAveragePool"(%x) : (!cameo.tensor<[N, 3, H, W], f16, host>) -> !cameo.tensor<[N, 3, 1, 1], f16, host>
  func.return %0 : !cameo.tensor<[N, 3, 1, 1], f16, host>
}

// -----

// Rows along an inner axis are read and stored across.
// CHECK: #[[$ACROSS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-LABEL: @softmax
// CHECK: prog.call "softmax" ["false"] {outer = [#cameo.extent<N>, #cameo.extent<W>], outer_rank = 2 : i64, reduced = [#cameo.extent<3>]
// CHECK: prog.load 3 {{.*}} maps [#[[$ACROSS]]]
// CHECK: prog.store 3 {{.*}} -> [#[[$ACROSS]]]
func.func @softmax(%x: !cameo.tensor<[N, 3, W], f32, host>) -> !cameo.tensor<[N, 3, W], f32, host> {
  %0 = "onnx.Softmax"(%x) <{axis = 1 : i64}> : (!cameo.tensor<[N, 3, W], f32, host>) -> !cameo.tensor<[N, 3, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 3, W], f32, host>
}

// -----

// One element of each channel, groups and all, is a convolution like others. The zeros behind, of which its template knows
// nothing, stand beside its members.
// CHECK-LABEL: @pointwise_conv
// CHECK: prog.call "conv" [] {batch = #cameo.extent<N>, {{.*}}groups = 2 : i64, in_channels = #cameo.extent<6>, input = [#cameo.extent<H>, #cameo.extent<W>], kernel = [#cameo.extent<1>, #cameo.extent<1>], out_channels = #cameo.extent<8>
// CHECK-SAME: ins(%arg0, %arg1 :
// CHECK-SAME: ties [-1] {pad_end = [#cameo.extent<0>, #cameo.extent<0>]} : !cameo.tensor<[N, 8, H, W], f32, host> {
// CHECK: prog.store 4 values 1 ins(%arg2 : !cameo.tensor<[8], f32, host>) maps [#[[$CHANNEL]]]
func.func @pointwise_conv(%x: !cameo.tensor<[N, 6, H, W], f32, host>, %w: !cameo.tensor<[8, 3, 1, 1], f32, host>, %b: !cameo.tensor<[8], f32, host>)
    -> !cameo.tensor<[N, 8, H, W], f32, host> {
  %0 = "onnx.Conv"(%x, %w, %b) <{group = 2 : i64}>
      : (!cameo.tensor<[N, 6, H, W], f32, host>, !cameo.tensor<[8, 3, 1, 1], f32, host>, !cameo.tensor<[8], f32, host>) -> !cameo.tensor<[N, 8, H, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 8, H, W], f32, host>
}

// -----

// Squares over channels are sums over neighbours, one more behind than before where the size is even. Three quarters are two
// square roots.
// CHECK-LABEL: @local_response
// CHECK: prog.call "sum_neighbours" [] {after = 2 : i64, batch = #cameo.extent<N>, before = 1 : i64, channels = #cameo.extent<C>, cols = #cameo.extent<W>, rows = #cameo.extent<H>}
// CHECK: prog.load 4
// CHECK: prog.s_mul
// CHECK: prog.store 4
// CHECK-NOT: prog.s_pow
// CHECK: %[[HALF:.*]] = prog.s_sqrt
// CHECK: %[[QUARTER:.*]] = prog.s_sqrt %[[HALF]]
// CHECK: %[[POWER:.*]] = prog.s_mul %[[HALF]], %[[QUARTER]]
// CHECK: prog.s_div %{{.*}}, %[[POWER]]
func.func @local_response(%x: !cameo.tensor<[N, C, H, W], f32, host>) -> !cameo.tensor<[N, C, H, W], f32, host> {
  %0 = "onnx.LRN"(%x) <{size = 4 : i64}> : (!cameo.tensor<[N, C, H, W], f32, host>) -> !cameo.tensor<[N, C, H, W], f32, host>
  func.return %0 : !cameo.tensor<[N, C, H, W], f32, host>
}

// -----

// Other exponents, and a base that may be negative, are a power; that of halves is computed in f32.
// Lines and rows are seen as images.
// CHECK-LABEL: @local_response_power
// CHECK: prog.view %arg0{{.*}} -> <[N, C, 1, 1], f32, host>
// CHECK: prog.s_pow %{{.*}} : f32, f32
// CHECK: prog.view %arg1{{.*}} -> <[N, C, H, 1], f16, host>
// CHECK: prog.s_pow %{{.*}} : f32, f32
// CHECK: prog.s_cast %{{.*}} : f32 -> f16
func.func @local_response_power(%x: !cameo.tensor<[N, C], f32, host>, %h: !cameo.tensor<[N, C, H], f16, host>)
    -> (!cameo.tensor<[N, C], f32, host>, !cameo.tensor<[N, C, H], f16, host>) {
  %0 = "onnx.LRN"(%x) <{size = 3 : i64, beta = 0.6 : f32}> : (!cameo.tensor<[N, C], f32, host>) -> !cameo.tensor<[N, C], f32, host>
  %1 = "onnx.LRN"(%h) <{size = 3 : i64, alpha = -0.1 : f32}> : (!cameo.tensor<[N, C, H], f16, host>) -> !cameo.tensor<[N, C, H], f16, host>
  func.return %0, %1 : !cameo.tensor<[N, C], f32, host>, !cameo.tensor<[N, C, H], f16, host>
}

// -----

// A constant is where its reader wants it, so its copy is too.
// CHECK-LABEL: @dropout_of_a_constant
// CHECK: %[[Y:.*]] = prog.weight {{.*}}f32, device>
// CHECK: return %[[Y]], %{{.*}}
func.func @dropout_of_a_constant() -> (!cameo.tensor<[3], f32, device>, !cameo.tensor<[3], i1, device>) {
  %x = "onnx.Constant"() <{value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>}> : () -> !cameo.tensor<[3], f32, host>
  %0:2 = "onnx.Dropout"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[3], f32, host>) -> (!cameo.tensor<[3], f32, device>, !cameo.tensor<[3], i1, device>)
  func.return %0#0, %0#1 : !cameo.tensor<[3], f32, device>, !cameo.tensor<[3], i1, device>
}

// -----

// Without training the statistics leave as they came, on the side where they are wanted.
// CHECK-LABEL: @statistics_that_are_read
// CHECK-SAME: %[[M:[^:]*]]: !cameo.tensor<[3], f32, device>
// CHECK: prog.yield
// CHECK: %[[V:.*]] = prog.weight {{.*}}f32, device>
// CHECK: return %{{.*}}, %[[M]], %[[V]]
func.func @statistics_that_are_read(%m: !cameo.tensor<[3], f32, device>, %x: !cameo.tensor<[N, 3], f32, device>)
    -> (!cameo.tensor<[N, 3], f32, device>, !cameo.tensor<[3], f32, device>, !cameo.tensor<[3], f32, device>) {
  %v = "onnx.Constant"() <{value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>}> : () -> !cameo.tensor<[3], f32, host>
  %0:3 = "onnx.BatchNormalization"(%x, %m, %m, %m, %v)
      : (!cameo.tensor<[N, 3], f32, device>, !cameo.tensor<[3], f32, device>, !cameo.tensor<[3], f32, device>, !cameo.tensor<[3], f32, device>, !cameo.tensor<[3], f32, host>)
      -> (!cameo.tensor<[N, 3], f32, device>, !cameo.tensor<[3], f32, device>, !cameo.tensor<[3], f32, device>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<[N, 3], f32, device>, !cameo.tensor<[3], f32, device>, !cameo.tensor<[3], f32, device>
}
