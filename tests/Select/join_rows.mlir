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

// -----

// So are the pixels of a channel that are normalised, as they are read and as they are stored.
// CHECK-LABEL: @normalised
// CHECK: prog.call "normalize" {{.*}} outer = [#cameo.extent<N>, #cameo.extent<32>], outer_rank = 2 : i64, reduced = [#cameo.extent<7 * H>], reduced_rank = 1 : i64
// CHECK-SAME: : !cameo.tensor<[N, 32, 7 * H], f32, host>,
// CHECK: prog.view {{.*}} : <[N, 32, 7 * H], f32, host> -> <[N, 32, H, 7], f32, host>
func.func @normalised(%x: !cameo.tensor<[N, 32, H, 7], f32, host>, %s: !cameo.tensor<[32], f32, host>, %b: !cameo.tensor<[32], f32, host>)
    -> !cameo.tensor<[N, 32, H, 7], f32, host> {
  %0 = "onnx.InstanceNormalization"(%x, %s, %b) <{epsilon = 1.0e-5 : f32}>
      : (!cameo.tensor<[N, 32, H, 7], f32, host>, !cameo.tensor<[32], f32, host>, !cameo.tensor<[32], f32, host>) -> !cameo.tensor<[N, 32, H, 7], f32, host>
  func.return %0 : !cameo.tensor<[N, 32, H, 7], f32, host>
}

// -----

// Channels of a group stay apart, of which each has its scale; what an Add brings is walked like the result.
// CHECK-LABEL: @groups
// CHECK: prog.call "normalize" {{.*}} reduced = [#cameo.extent<4>, #cameo.extent<63>], reduced_rank = 2 : i64
// CHECK: prog.store 4 values 1 ins({{.*}} : !cameo.tensor<[32], f32, host>, !cameo.tensor<[32], f32, host>, !cameo.tensor<[1, 32, 63], f32, host>)
func.func @groups(%x: !cameo.tensor<[1, 32, 9, 7], f32, host>, %y: !cameo.tensor<[1, 32, 9, 7], f32, host>, %s: !cameo.tensor<[32], f32, host>,
                  %b: !cameo.tensor<[32], f32, host>) -> !cameo.tensor<[1, 32, 9, 7], f32, host> {
  %0 = "onnx.GroupNormalization"(%x, %s, %b) <{epsilon = 1.0e-5 : f32, num_groups = 8 : i64}>
      : (!cameo.tensor<[1, 32, 9, 7], f32, host>, !cameo.tensor<[32], f32, host>, !cameo.tensor<[32], f32, host>) -> !cameo.tensor<[1, 32, 9, 7], f32, host>
  %1 = "onnx.Add"(%0, %y) : (!cameo.tensor<[1, 32, 9, 7], f32, host>, !cameo.tensor<[1, 32, 9, 7], f32, host>) -> !cameo.tensor<[1, 32, 9, 7], f32, host>
  func.return %1 : !cameo.tensor<[1, 32, 9, 7], f32, host>
}

// -----

// A scale is read along both axes or keeps them apart.
// CHECK-LABEL: @scales
// CHECK: prog.call "normalize" {{.*}} reduced = [#cameo.extent<9>, #cameo.extent<7>], reduced_rank = 2 : i64
// CHECK: prog.call "normalize" {{.*}} reduced = [#cameo.extent<63>], reduced_rank = 1 : i64
func.func @scales(%x: !cameo.tensor<[4, 9, 7], f32, host>, %s: !cameo.tensor<[9, 7], f32, host>, %r: !cameo.tensor<[7], f32, host>)
    -> (!cameo.tensor<[4, 9, 7], f32, host>, !cameo.tensor<[4, 9, 7], f32, host>) {
  %0:3 = "onnx.LayerNormalization"(%x, %r) <{axis = 1 : i64, epsilon = 1.0e-5 : f32}>
      : (!cameo.tensor<[4, 9, 7], f32, host>, !cameo.tensor<[7], f32, host>) -> (!cameo.tensor<[4, 9, 7], f32, host>, !cameo.tensor<[4, 1, 1], f32, host>, !cameo.tensor<[4, 1, 1], f32, host>)
  %1:3 = "onnx.LayerNormalization"(%x, %s) <{axis = 1 : i64, epsilon = 1.0e-5 : f32}>
      : (!cameo.tensor<[4, 9, 7], f32, host>, !cameo.tensor<[9, 7], f32, host>) -> (!cameo.tensor<[4, 9, 7], f32, host>, !cameo.tensor<[4, 1, 1], f32, host>, !cameo.tensor<[4, 1, 1], f32, host>)
  func.return %0#0, %1#0 : !cameo.tensor<[4, 9, 7], f32, host>, !cameo.tensor<[4, 9, 7], f32, host>
}
