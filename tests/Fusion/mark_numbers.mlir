// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-fuse --split-input-file | FileCheck %s

// Integers, finite constants and what is made of them are numbers; a rounded one with a zero point is quantised.
// CHECK-LABEL: @of_integers
// CHECK: %[[ZERO:.*]] = prog.s_constant 3.0
// CHECK: %[[PRODUCT:.*]] = prog.s_mul
// CHECK-NOT: prog.s_round
// CHECK: prog.s_quantize %[[PRODUCT]], %[[ZERO]] : ui8
// CHECK: prog.s_cast %{{.*}} {number} : f32 -> ui8
func.func @of_integers(%x: !cameo.tensor<[N, 2], i32, host>) -> !cameo.tensor<[N, 2], ui8, host> {
  %w = prog.weight dense<[0.5, -3.0]> : tensor<2xf32> : !cameo.tensor<[2], f32, host>
  %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<2>] ins(%x, %w : !cameo.tensor<[N, 2], i32, host>, !cameo.tensor<[2], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1]
      : !cameo.tensor<[N, 2], ui8, host> {
  ^bb0(%a: i32, %s: f32):
    %z = prog.s_constant 3.0 : f32
    %1 = prog.s_cast %a : i32 -> f32
    %2 = prog.s_mul %1, %s : f32
    %3 = prog.s_round %2 : f32
    %4 = prog.s_add %3, %z : f32
    %5 = prog.s_cast %4 : f32 -> ui8
    %6 = prog.s_cast %5 : ui8 -> f32
    %7 = prog.s_mul %6, %s : f32
    %8 = prog.s_cast %7 : f32 -> ui8
    prog.yield %8 : ui8
  }
  func.return %0 : !cameo.tensor<[N, 2], ui8, host>
}

// -----

// Zero points are whole numbers that the type has, or none; what is no zero point leaves a number that may be whole.
// CHECK-LABEL: @zero_points
// CHECK-DAG: %[[LEAST:.*]] = prog.s_constant -1.280000e+02
// CHECK-DAG: %[[BEYOND:.*]] = prog.s_constant 1.280000e+02
// CHECK-DAG: %[[HALF:.*]] = prog.s_constant 5.000000e-01
// CHECK-DAG: %[[MINUS:.*]] = prog.s_constant -0.0
// CHECK: %[[X:.*]] = prog.s_cast %{{.*}} : i32 -> f32
// CHECK: %[[ROUND:.*]] = prog.s_round %[[X]]
// CHECK: prog.s_quantize %[[X]] : i8
// CHECK: prog.s_quantize %[[X]], %[[LEAST]] : i8
// CHECK: %[[A:.*]] = prog.s_add %{{.*}}, %[[BEYOND]]
// CHECK: prog.s_cast %[[A]] {number, whole} : f32 -> i8
// CHECK: %[[B:.*]] = prog.s_add %{{.*}}, %[[HALF]]
// CHECK: prog.s_cast %[[B]] {number} : f32 -> i8
// CHECK: %[[C:.*]] = prog.s_add %{{.*}}, %[[MINUS]]
// CHECK: prog.s_cast %[[C]] {number, whole} : f32 -> i8
func.func @zero_points(%x: !cameo.tensor<[N], i32, host>) -> !cameo.tensor<[N], i8, host> {
  %0 = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], i32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], i8, host> {
  ^bb0(%i: i32):
    %least = prog.s_constant -128.0 : f32
    %beyond = prog.s_constant 128.0 : f32
    %half = prog.s_constant 0.5 : f32
    %minus = prog.s_constant -0.0 : f32
    %a = prog.s_cast %i : i32 -> f32
    %r = prog.s_round %a : f32
    %1 = prog.s_cast %r : f32 -> i8
    %s = prog.s_add %least, %r : f32
    %2 = prog.s_cast %s : f32 -> i8
    %t = prog.s_add %r, %beyond : f32
    %3 = prog.s_cast %t : f32 -> i8
    %u = prog.s_add %r, %half : f32
    %4 = prog.s_cast %u : f32 -> i8
    %v = prog.s_add %r, %minus : f32
    %5 = prog.s_cast %v : f32 -> i8
    %6 = prog.s_add %1, %2 : i8
    %7 = prog.s_add %6, %3 : i8
    %8 = prog.s_add %7, %4 : i8
    %9 = prog.s_add %8, %5 : i8
    prog.yield %9 : i8
  }
  func.return %0 : !cameo.tensor<[N], i8, host>
}

// -----

// A float of the caller's, an infinite constant, a quotient, and what may be too large for a float: none is known to be one.
// CHECK-LABEL: @of_floats
// CHECK-COUNT-5: prog.s_cast %{{[0-9a-z]+}} : f32 -> i8
func.func @of_floats(%x: !cameo.tensor<[N], f32, host>, %y: !cameo.tensor<[N], i64, host>) -> !cameo.tensor<[N], i8, host> {
  %w = prog.weight dense<[0x7F800000]> : tensor<1xf32> : !cameo.tensor<[1], f32, host>
  %0 = prog.kernel [#cameo.extent<N>] ins(%x, %y, %w : !cameo.tensor<[N], f32, host>, !cameo.tensor<[N], i64, host>, !cameo.tensor<[1], f32, host>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], i8, host> {
  ^bb0(%a: f32, %b: i64, %s: f32):
    %r = prog.s_round %a : f32
    %1 = prog.s_cast %r : f32 -> i8
    %2 = prog.s_cast %s : f32 -> i8
    %c = prog.s_cast %b : i64 -> f32
    %q = prog.s_div %c, %c : f32
    %3 = prog.s_cast %q : f32 -> i8
    %p = prog.s_mul %c, %c : f32
    %4 = prog.s_cast %p : f32 -> i8
    %h = prog.s_max %a, %c : f32
    %5 = prog.s_cast %h : f32 -> i8
    %6 = prog.s_add %1, %2 : i8
    %7 = prog.s_add %6, %3 : i8
    %8 = prog.s_add %7, %4 : i8
    %9 = prog.s_add %8, %5 : i8
    prog.yield %9 : i8
  }
  func.return %0 : !cameo.tensor<[N], i8, host>
}
