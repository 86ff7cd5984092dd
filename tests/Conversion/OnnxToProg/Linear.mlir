// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// The product is the template's, alpha and the bias are its store's; what cannot be shown is checked.
// CHECK-LABEL: @gemm
// CHECK: prog.check #cameo.extent<4> "eq" #cameo.extent<K> else "invalid_argument"
// CHECK: %[[W:.*]] = prog.weight dense<1.0{{.*}}> : tensor<8x4xf32>
// CHECK: prog.call "gemm" [] {batch_rank = 0 : i64, k = #cameo.extent<K>, m = #cameo.extent<N>, n = #cameo.extent<8>, trans_a = false, trans_b = true}
// CHECK-SAME: ins(%{{.*}}, %[[W]] :
// CHECK: prog.store 2 values 1 ins(%{{.*}} : !cameo.tensor<[8], f32, host>)
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[C:.*]]: f32):
// CHECK: %[[SCALED:.*]] = prog.s_mul %[[ACC]]
// CHECK: prog.s_add %[[SCALED]], %[[C]]
func.func @gemm(%a: !cameo.tensor<[N, K], f32, host>, %c: !cameo.tensor<[8], f32, host>) -> !cameo.tensor<[N, 8], f32, host> {
  %b = "onnx.Constant"() <{value = dense<1.0> : tensor<8x4xf32>}> : () -> !cameo.tensor<[8, 4], f32, host>
  %0 = "onnx.Gemm"(%a, %b, %c) <{alpha = 2.0 : f32, transB = 1 : i64}>
      : (!cameo.tensor<[N, K], f32, host>, !cameo.tensor<[8, 4], f32, host>, !cameo.tensor<[8], f32, host>) -> !cameo.tensor<[N, 8], f32, host>
  func.return %0 : !cameo.tensor<[N, 8], f32, host>
}

// -----

// One matrix on the right: the rows of all batches are one product.
// CHECK-LABEL: @matmul_merges_batches
// CHECK: prog.call "gemm" [] {batch_rank = 0 : i64, k = #cameo.extent<4>, m = #cameo.extent<B * S>, n = #cameo.extent<8>
// CHECK: prog.view %{{.*}}[#cameo.extent<0>] : <[B * S, 8], f32, host> -> <[B, S, 8], f32, host>
func.func @matmul_merges_batches(%a: !cameo.tensor<[B, S, 4], f32, host>, %b: !cameo.tensor<[4, 8], f32, host>) -> !cameo.tensor<[B, S, 8], f32, host> {
  %0 = "onnx.MatMul"(%a, %b) : (!cameo.tensor<[B, S, 4], f32, host>, !cameo.tensor<[4, 8], f32, host>) -> !cameo.tensor<[B, S, 8], f32, host>
  func.return %0 : !cameo.tensor<[B, S, 8], f32, host>
}

// -----

// A batch axis that is broadcast has stride 0.
// CHECK-LABEL: @matmul_broadcasts_batches
// CHECK: prog.call "gemm"
// CHECK-SAME: a_batch_stride = [#cameo.extent<4 * S>], b_batch_stride = [#cameo.extent<0>], batch = [#cameo.extent<B>], batch_rank = 1 : i64
func.func @matmul_broadcasts_batches(%a: !cameo.tensor<[B, S, 4], f32, host>, %b: !cameo.tensor<[1, 4, 8], f32, host>) -> !cameo.tensor<[B, S, 8], f32, host> {
  %0 = "onnx.MatMul"(%a, %b) : (!cameo.tensor<[B, S, 4], f32, host>, !cameo.tensor<[1, 4, 8], f32, host>) -> !cameo.tensor<[B, S, 8], f32, host>
  func.return %0 : !cameo.tensor<[B, S, 8], f32, host>
}

// -----

// CHECK-LABEL: @det
// CHECK: prog.call "det" [] {batch = [#cameo.extent<N>], batch_rank = 1 : i64, size = #cameo.extent<M>}
// CHECK: prog.store 1 values 1
func.func @det(%x: !cameo.tensor<[N, M, M], f16, host>) -> !cameo.tensor<[N], f16, host> {
  %0 = "onnx.Det"(%x) : (!cameo.tensor<[N, M, M], f16, host>) -> !cameo.tensor<[N], f16, host>
  func.return %0 : !cameo.tensor<[N], f16, host>
}

// -----

// Bytes are multiplied like other elements: how a constant matrix of them lies is said later.
// CHECK-LABEL: @bytes
// CHECK: prog.weight dense<1> : tensor<6x20xi8> : <[6, 20], i8, host>
// CHECK: prog.call "gemm" [] {batch_rank = 0 : i64, k = #cameo.extent<6>, m = #cameo.extent<B * S>, n = #cameo.extent<20>
func.func @bytes(%a: !cameo.tensor<[B, S, 6], ui8, host>) -> !cameo.tensor<[B, S, 20], i32, host> {
  %c = "onnx.Constant"() <{value = dense<1> : tensor<6x20xi8>}> : () -> !cameo.tensor<[6, 20], i8, host>
  %0 = "onnx.MatMulInteger"(%a, %c) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[B, S, 6], ui8, host>, !cameo.tensor<[6, 20], i8, host>) -> !cameo.tensor<[B, S, 20], i32, host>
  func.return %0 : !cameo.tensor<[B, S, 20], i32, host>
}
