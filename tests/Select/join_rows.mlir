// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --split-input-file | FileCheck %s

// An image is one run of each channel, whatever reads it in order.
// CHECK-LABEL: @image
// CHECK: prog.view {{.*}} : <[N, 32, H, 7], f32, host> -> <[N, 32, 7 * H], f32, host>
// CHECK: prog.call "reduce" ["combine::sum<float>"] {outer = [#cameo.extent<N>, #cameo.extent<32>], outer_rank = 2 : i64, reduced = [#cameo.extent<7 * H>], reduced_rank = 1 : i64}
func.func @image(%x: !cameo.tensor<[N, 32, H, 7], f32, host>) -> !cameo.tensor<[N, 32], f32, host> {
  %axes = "onnx.Constant"() <{value = dense<[2, 3]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64, host>
  %0 = "onnx.ReduceSum"(%x, %axes) <{keepdims = 0 : i64}>
      : (!cameo.tensor<[N, 32, H, 7], f32, host>, !cameo.tensor<[2], i64, host>) -> !cameo.tensor<[N, 32], f32, host>
  func.return %0 : !cameo.tensor<[N, 32], f32, host>
}

// -----

// Axes apart stay apart, and so do two of which an operand has only one.
// CHECK-LABEL: @apart
// CHECK: prog.call "reduce" {{.*}} reduced = [#cameo.extent<32>, #cameo.extent<7>]
// CHECK: prog.call "reduce" {{.*}} reduced = [#cameo.extent<9>, #cameo.extent<7>]
func.func @apart(%x: !cameo.tensor<[N, 32, 9, 7], f32, host>, %y: !cameo.tensor<[7], f32, host>)
    -> (!cameo.tensor<[N, 9], f32, host>, !cameo.tensor<[N, 32], f32, host>) {
  %a = "onnx.Constant"() <{value = dense<[1, 3]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64, host>
  %0 = "onnx.ReduceSum"(%x, %a) <{keepdims = 0 : i64}>
      : (!cameo.tensor<[N, 32, 9, 7], f32, host>, !cameo.tensor<[2], i64, host>) -> !cameo.tensor<[N, 9], f32, host>
  %b = "onnx.Constant"() <{value = dense<[2, 3]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64, host>
  %1 = "onnx.Add"(%x, %y) : (!cameo.tensor<[N, 32, 9, 7], f32, host>, !cameo.tensor<[7], f32, host>) -> !cameo.tensor<[N, 32, 9, 7], f32, host>
  %2 = "onnx.ReduceSum"(%1, %b) <{keepdims = 0 : i64}>
      : (!cameo.tensor<[N, 32, 9, 7], f32, host>, !cameo.tensor<[2], i64, host>) -> !cameo.tensor<[N, 32], f32, host>
  func.return %0, %2 : !cameo.tensor<[N, 9], f32, host>, !cameo.tensor<[N, 32], f32, host>
}
