// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --mlir-print-local-scope --split-input-file | FileCheck %s --check-prefix=NONE

// Constant matrices in blocks of columns, where the target's kernels read them.
// NONE-NOT: cameo.blocked

// A matrix in blocks of columns is read where it lies, by a template of its own.
// CHECK-LABEL: @blocked
// CHECK: %[[W:.*]] = prog.weight dense<1.0{{.*}}> : tensor<4x20xf32> through [#cameo.blocked<[0, 1] by [4, 16]>] : <[4, 20], f32, host, #cameo.blocked<[0, 1] by [4, 16]>>
// CHECK: prog.call "gemm_blocked" [] {k = #cameo.extent<4>, m = #cameo.extent<B * S>, n = #cameo.extent<20>, trans_a = false} ins(%arg0, %[[W]] :
// CHECK: prog.call "gemm_blocked" [] {k = #cameo.extent<4>, m = #cameo.extent<N>, n = #cameo.extent<20>, trans_a = true} ins(%arg1, %
func.func @blocked(%a: !cameo.tensor<[B, S, 4], f32, host>, %t: !cameo.tensor<[4, N], f32, host>)
    -> (!cameo.tensor<[B, S, 20], f32, host>, !cameo.tensor<[N, 20], f32, host>) {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<4x20xf32>}> : () -> !cameo.tensor<[4, 20], f32, host>
  %0 = "onnx.MatMul"(%a, %w) : (!cameo.tensor<[B, S, 4], f32, host>, !cameo.tensor<[4, 20], f32, host>) -> !cameo.tensor<[B, S, 20], f32, host>
  %1 = "onnx.Gemm"(%t, %w) <{transA = 1 : i64}> : (!cameo.tensor<[4, N], f32, host>, !cameo.tensor<[4, 20], f32, host>) -> !cameo.tensor<[N, 20], f32, host>
  func.return %0, %1 : !cameo.tensor<[B, S, 20], f32, host>, !cameo.tensor<[N, 20], f32, host>
}

// -----

// A constant matrix of bytes lies in quads of rows where there are kernels for that.
// CHECK-LABEL: @bytes
// CHECK: %[[W:.*]] = prog.weight dense<1> : tensor<6x20xi8> through [#cameo.blocked<[1, 0] by [16, 4]>] : <[6, 20], i8, host, #cameo.blocked<[1, 0] by [16, 4]>>
// CHECK: prog.call "gemm_blocked_bytes" [] {k = #cameo.extent<6>, m = #cameo.extent<B * S>, n = #cameo.extent<20>} ins(%arg0, %[[W]] :
// NONE-LABEL: @bytes
// NONE: prog.call "gemm" [] {batch_rank = 0 : i64, k = #cameo.extent<6>, m = #cameo.extent<B * S>, n = #cameo.extent<20>
func.func @bytes(%a: !cameo.tensor<[B, S, 6], ui8, host>) -> !cameo.tensor<[B, S, 20], i32, host> {
  %c = "onnx.Constant"() <{value = dense<1> : tensor<6x20xi8>}> : () -> !cameo.tensor<[6, 20], i8, host>
  %0 = "onnx.MatMulInteger"(%a, %c) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[B, S, 6], ui8, host>, !cameo.tensor<[6, 20], i8, host>) -> !cameo.tensor<[B, S, 20], i32, host>
  func.return %0 : !cameo.tensor<[B, S, 20], i32, host>
}

// -----

// The inputs' matrix of a recurrent layer, one for each direction; that of the state stays as it is.
// CHECK-LABEL: @recurrent
// CHECK: %[[W:.*]] = prog.weight {{.*}} through [#cameo.blocked<[1] by [16]>] : <[1, 6, 4], f32, host, #cameo.blocked<[1] by [16]>>
// CHECK: prog.call "gru" [] {{{.*}}w_in_blocks = true{{.*}} ins(%arg0, %[[W]], %arg1
func.func @recurrent(%x: !cameo.tensor<[S, B, 4], f32, host>, %r: !cameo.tensor<[1, 6, 2], f32, host>) -> !cameo.tensor<[S, 1, B, 2], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<1x6x4xf32>}> : () -> !cameo.tensor<[1, 6, 4], f32, host>
  %0:2 = "onnx.GRU"(%x, %w, %r) <{hidden_size = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32, host>, !cameo.tensor<[1, 6, 4], f32, host>, !cameo.tensor<[1, 6, 2], f32, host>)
      -> (!cameo.tensor<[S, 1, B, 2], f32, host>, !cameo.tensor<[1, B, 2], f32, host>)
  func.return %0#0 : !cameo.tensor<[S, 1, B, 2], f32, host>
}

// -----

// A matrix that the run computes stays as it is, and so does a constant one of the state.
// CHECK-LABEL: @recurrent_computed
// CHECK-NOT: cameo.blocked
// CHECK: prog.call "gru" [] {batch
// CHECK-NOT: w_in_blocks
// CHECK: return
func.func @recurrent_computed(%x: !cameo.tensor<[S, B, 4], f32, host>, %w: !cameo.tensor<[1, 6, 4], f32, host>) -> !cameo.tensor<[S, 1, B, 2], f32, host> {
  %r = "onnx.Constant"() <{value = dense<1.0> : tensor<1x6x2xf32>}> : () -> !cameo.tensor<[1, 6, 2], f32, host>
  %0:2 = "onnx.GRU"(%x, %w, %r) <{hidden_size = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32, host>, !cameo.tensor<[1, 6, 4], f32, host>, !cameo.tensor<[1, 6, 2], f32, host>)
      -> (!cameo.tensor<[S, 1, B, 2], f32, host>, !cameo.tensor<[1, B, 2], f32, host>)
  func.return %0#0 : !cameo.tensor<[S, 1, B, 2], f32, host>
}

// -----

// A Softmax between products with constants is no attention: each matrix has its blocks.
// CHECK-LABEL: func.func @softmax_between
// CHECK: prog.call "gemm_blocked"
// CHECK: prog.call "softmax"
// CHECK: prog.call "gemm_blocked"
func.func @softmax_between(%x: !cameo.tensor<[N, 32], f32, host>) -> !cameo.tensor<[N, 32], f32, host> {
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<32x32xf32>}> : () -> !cameo.tensor<[32, 32], f32, host>
  %w = "onnx.Constant"() <{value = dense<2.0> : tensor<32x32xf32>}> : () -> !cameo.tensor<[32, 32], f32, host>
  %0 = "onnx.MatMul"(%x, %v) : (!cameo.tensor<[N, 32], f32, host>, !cameo.tensor<[32, 32], f32, host>) -> !cameo.tensor<[N, 32], f32, host>
  %1 = "onnx.Softmax"(%0) <{axis = -1 : i64}> : (!cameo.tensor<[N, 32], f32, host>) -> !cameo.tensor<[N, 32], f32, host>
  %2 = "onnx.MatMul"(%1, %w) : (!cameo.tensor<[N, 32], f32, host>, !cameo.tensor<[32, 32], f32, host>) -> !cameo.tensor<[N, 32], f32, host>
  func.return %2 : !cameo.tensor<[N, 32], f32, host>
}
