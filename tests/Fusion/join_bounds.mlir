// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-fuse --split-input-file | FileCheck %s

// A minimum of a maximum and a maximum of a minimum, of constants in order.
// CHECK-LABEL: @clamps
// CHECK-DAG: %[[ZERO:.*]] = prog.s_constant 0.0
// CHECK-DAG: %[[SIX:.*]] = prog.s_constant 6.0
// CHECK: %[[A:.*]] = prog.s_clamp %{{.*}}, %[[ZERO]], %[[SIX]] : f32
// CHECK: %[[B:.*]] = prog.s_clamp %{{.*}}, %[[ZERO]], %[[SIX]] : f32
// CHECK-NOT: prog.s_m
// CHECK: prog.s_add %[[A]], %[[B]]
func.func @clamps(%x: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host> {
  %0 = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32):
    %zero = prog.s_constant 0.0 : f32
    %six = prog.s_constant 6.0 : f32
    %1 = prog.s_max %a, %zero : f32
    %2 = prog.s_min %1, %six : f32
    %b = prog.s_neg %a : f32
    %3 = prog.s_min %b, %six : f32
    %4 = prog.s_max %3, %zero : f32
    %5 = prog.s_add %2, %4 : f32
    prog.yield %5 : f32
  }
  func.return %0 : !cameo.tensor<[N], f32, host>
}

// -----

// Bounds that are crossed or no number, of which one is no constant, a maximum that is read twice, integers.
// CHECK-LABEL: @none
// CHECK-NOT: prog.s_clamp
func.func @none(%x: !cameo.tensor<[N], f32, host>, %i: !cameo.tensor<[N], i32, host>) -> !cameo.tensor<[N], f32, host> {
  %0 = prog.kernel [#cameo.extent<N>] ins(%x, %i : !cameo.tensor<[N], f32, host>, !cameo.tensor<[N], i32, host>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32, %n: i32):
    %zero = prog.s_constant 0.0 : f32
    %six = prog.s_constant 6.0 : f32
    %nan = prog.s_constant 0x7FC00000 : f32
    %one = prog.s_constant 1 : i32
    %nine = prog.s_constant 9 : i32
    %1 = prog.s_max %a, %six : f32
    %2 = prog.s_min %1, %zero : f32
    %3 = prog.s_max %2, %six : f32
    %4 = prog.s_min %3, %nan : f32
    %5 = prog.s_max %4, %a : f32
    %6 = prog.s_min %5, %six : f32
    %7 = prog.s_max %6, %zero : f32
    %8 = prog.s_min %7, %six : f32
    %9 = prog.s_mul %7, %8 : f32
    %10 = prog.s_mul %6, %9 : f32
    %11 = prog.s_max %n, %one : i32
    %12 = prog.s_min %11, %nine : i32
    %13 = prog.s_cast %12 : i32 -> f32
    %14 = prog.s_add %10, %13 : f32
    prog.yield %14 : f32
  }
  func.return %0 : !cameo.tensor<[N], f32, host>
}
