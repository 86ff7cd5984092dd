// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// A seed is the key, its bits; the element's position in row-major order the counter.
// CHECK-LABEL: @uniform
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<3>]
// CHECK-DAG: %[[SEED:.*]] = prog.s_constant 1077936128 : i64
// CHECK-DAG: %[[DRAW:.*]] = prog.s_constant 0 : i64
// CHECK-DAG: %[[ROW:.*]] = prog.s_index 0
// CHECK-DAG: %[[WIDTH:.*]] = prog.s_extent #cameo.extent<3>
// CHECK: %[[FIRST:.*]] = prog.s_mul %[[ROW]], %[[WIDTH]]
// CHECK: %[[POSITION:.*]] = prog.s_add %[[FIRST]], %{{.*}}
// CHECK: %[[BITS:.*]] = prog.s_random_low %[[SEED]], %[[DRAW]], %[[POSITION]]
// CHECK: %[[SHIFT:.*]] = prog.s_constant 40 : ui64
// CHECK: prog.s_shift_right %[[BITS]], %[[SHIFT]]
// CHECK: prog.s_cast {{.*}} : ui64 -> f32
// The largest number below 1.
// CHECK: prog.s_constant 0.99999994{{.*}} : f32
// CHECK: prog.s_min
func.func @uniform(%x: !cameo.tensor<[N, 3], f16, device>) -> !cameo.tensor<[N, 3], f32, device> {
  %0 = "onnx.RandomUniformLike"(%x) <{dtype = 1 : i64, seed = 3.0 : f32}> : (!cameo.tensor<[N, 3], f16, device>) -> !cameo.tensor<[N, 3], f32, device>
  func.return %0 : !cameo.tensor<[N, 3], f32, device>
}

// -----

// Both halves of a block: a distance and an angle. f64 has 53 digits.
// CHECK-LABEL: @normal
// CHECK-DAG: prog.s_random_low
// CHECK-DAG: prog.s_random_high
// CHECK: prog.s_constant 11 : ui64
// CHECK: prog.s_log
// CHECK: prog.s_sqrt
// CHECK: prog.s_cos
func.func @normal() -> !cameo.tensor<[4], f64, device> {
  %0 = "onnx.RandomNormal"() <{dtype = 11 : i64, seed = 3.0 : f32, shape = array<i64: 4>}> : () -> !cameo.tensor<[4], f64, device>
  func.return %0 : !cameo.tensor<[4], f64, device>
}

// -----

// Without a seed a node's key follows from its names: no 32 bits, and another one for each node.
// CHECK-LABEL: @unseeded
// CHECK: prog.s_constant [[FIRST:-[0-9]+]] : i64
// CHECK: prog.s_random_low
// CHECK-NOT: prog.s_constant [[FIRST]]
// CHECK: prog.s_constant -{{[0-9]+}} : i64
// CHECK: prog.s_random_low
func.func @unseeded() -> (!cameo.tensor<[4], f32, device>, !cameo.tensor<[4], f32, device>) {
  %0 = "onnx.RandomUniform"() <{shape = array<i64: 4>}> : () -> !cameo.tensor<[4], f32, device> loc("RandomUniform:node"(fused<["a"]>["f"]))
  %1 = "onnx.RandomUniform"() <{shape = array<i64: 4>}> : () -> !cameo.tensor<[4], f32, device> loc("RandomUniform:node"(fused<["b"]>["f"]))
  func.return %0, %1 : !cameo.tensor<[4], f32, device>, !cameo.tensor<[4], f32, device>
}

// -----

// In a loop each iteration is a draw of its own.
// CHECK-LABEL: @iterations
// CHECK: prog.loop <"i">
// CHECK: %[[DRAW:.*]] = prog.s_extent #cameo.extent<i>
// CHECK: prog.s_random_low %{{.*}}, %[[DRAW]], %{{.*}}
func.func @iterations(%x: !cameo.tensor<[4], f32, device>) -> !cameo.tensor<[4], f32, device> {
  %m = "onnx.Constant"() <{value = dense<5> : tensor<i64>}> : () -> !cameo.tensor<[], i64, host>
  %go = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1, host>
  %0 = "onnx.Loop"(%m, %go, %x) <{iteration = #cameo.symbol<"i">, symbols = [], init_extents = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64, host>, %on: !cameo.tensor<[], i1, host>, %y: !cameo.tensor<[4], f32, device>):
    %drawn = "onnx.RandomUniformLike"(%y) <{seed = 3.0 : f32}> : (!cameo.tensor<[4], f32, device>) -> !cameo.tensor<[4], f32, device>
    "onnx.Yield"(%on, %drawn) : (!cameo.tensor<[], i1, host>, !cameo.tensor<[4], f32, device>) -> ()
  }) : (!cameo.tensor<[], i64, host>, !cameo.tensor<[], i1, host>, !cameo.tensor<[4], f32, device>) -> !cameo.tensor<[4], f32, device>
  func.return %0 : !cameo.tensor<[4], f32, device>
}
