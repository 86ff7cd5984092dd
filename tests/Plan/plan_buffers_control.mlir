// RUN: cameo-opt %s --cameo-plan-buffers --cameo-verify-plan --split-input-file --verify-diagnostics | FileCheck %s

// Two rows per carried value: the body writes the one that does not hold the current value. What it
// leaves is in either, so the output is a copy, made over the one of the two that is the output.

#here = affine_map<(d0)[s0] -> (d0)>
#flip = affine_map<(d0)[s0] -> (-d0 + s0)>

// CHECK-LABEL: @alternates
// CHECK-SAME: prog.buffers = [#prog.buffer<host, 16, 0, 5, output 0>, #prog.buffer<host, 16, 1, 4, at 0>]
// CHECK: prog.loop
// CHECK-SAME: buffers = array<i64: 0, 1>
func.func @alternates(%x: !cameo.tensor<[4], f32, host>, %n: i64) -> !cameo.tensor<[4], f32, host> {
  %l = prog.loop <"i"> to %n carry(%x : !cameo.tensor<[4], f32, host>) symbols [] = [] : !cameo.tensor<[4], f32, host> {
  ^bb0(%c: !cameo.tensor<[4], f32, host>):
    %a = prog.kernel [#cameo.extent<4>] ins(%c : !cameo.tensor<[4], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<3>] ties [-1] : !cameo.tensor<[4], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield %a : !cameo.tensor<[4], f32, host>
  }
  func.return %l : !cameo.tensor<[4], f32, host>
}

// -----

// One row where the body replaces element by element; it may be the output's from the start.

#here = affine_map<(d0) -> (d0)>

// CHECK-LABEL: @updates
// CHECK-SAME: prog.buffers = [#prog.buffer<host, 16, 0, 4, output 0>]
// CHECK: prog.loop
// CHECK-SAME: buffers = array<i64: 0, -1>
func.func @updates(%x: !cameo.tensor<[4], f32, host>, %n: i64) -> !cameo.tensor<[4], f32, host> {
  %l = prog.loop <"i"> to %n carry(%x : !cameo.tensor<[4], f32, host>) symbols [] = [] : !cameo.tensor<[4], f32, host> {
  ^bb0(%c: !cameo.tensor<[4], f32, host>):
    %a = prog.kernel [#cameo.extent<4>] ins(%c, %x : !cameo.tensor<[4], f32, host>, !cameo.tensor<[4], f32, host>) maps [#here, #here] -> [#here] symbols [] ties [-1] : !cameo.tensor<[4], f32, host> {
    ^bb0(%e: f32, %f: f32):
      %0 = prog.s_add %e, %f : f32
      prog.yield %0 : f32
    }
    prog.yield %a : !cameo.tensor<[4], f32, host>
  }
  func.return %l : !cameo.tensor<[4], f32, host>
}

// -----

// A value that grows has room for its last iteration.

#flip = affine_map<(d0)[s0] -> (-d0 + s0)>
#here = affine_map<(d0)[s0] -> (d0)>

// CHECK-LABEL: @grows
// CHECK-SAME: #prog.buffer<host, 4 * N + 8 * max(T, 0), {{[0-9]+}}, {{[0-9]+}}>, #prog.buffer<host, 4 * N + 8 * max(T, 0), {{[0-9]+}}, {{[0-9]+}}>
func.func @grows(%x: !cameo.tensor<[N], f32, host>, %t: !cameo.tensor<[T], f32, host>, %n: i64) -> !cameo.tensor<[4], f32, host> {
  %l = prog.loop <"i"> to %n trip #cameo.extent<T> carry(%x : !cameo.tensor<[N], f32, host>) symbols [#cameo.symbol<"M">] = [#cameo.extent<N>] : !cameo.tensor<[M], f32, host> {
  ^bb0(%c: !cameo.tensor<[M], f32, host>):
    %a = prog.kernel [#cameo.extent<M + 2>] ins(%t : !cameo.tensor<[T], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<M>] ties [-1] : !cameo.tensor<[M + 2], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield %a : !cameo.tensor<[M + 2], f32, host> extents [#cameo.extent<M + 2>]
  }
  %r = prog.kernel [#cameo.extent<4>] ins(%l : !cameo.tensor<[M], f32, host>) maps [#here] -> [#here] symbols [#cameo.extent<0>] ties [-1] : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  func.return %r : !cameo.tensor<[4], f32, host>
}

// -----

#flip = affine_map<(d0)[s0] -> (-d0 + s0)>
#here = affine_map<(d0)[s0] -> (d0)>

func.func @grows_without_limit(%x: !cameo.tensor<[4], f32, host>, %go: i1) -> !cameo.tensor<[4], f32, host> {
  // expected-error @+1 {{Loop carries a value that grows without a limit that is known; bound its trip count}}
  %l = prog.loop <"i"> while %go carry(%x : !cameo.tensor<[4], f32, host>) symbols [#cameo.symbol<"M">] = [#cameo.extent<4>] : !cameo.tensor<[M], f32, host> {
  ^bb0(%c: !cameo.tensor<[M], f32, host>):
    %a = prog.kernel [#cameo.extent<M + 2>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<M>] ties [-1] : !cameo.tensor<[M + 2], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield %go, %a : i1, !cameo.tensor<[M + 2], f32, host> extents [#cameo.extent<M + 2>]
  }
  %r = prog.kernel [#cameo.extent<4>] ins(%l : !cameo.tensor<[M], f32, host>) maps [#here] -> [#here] symbols [#cameo.extent<0>] ties [-1] : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  func.return %r : !cameo.tensor<[4], f32, host>
}

// -----

// What an iteration adds is known in it alone: of no limit, or one that Min with a constant gives.

#flip = affine_map<(d0)[s0] -> (-d0 + s0)>
#here = affine_map<(d0)[s0] -> (d0)>

func.func @grows_by_what_iterations_find(%n: i64, %x: !cameo.tensor<[T], f32, host>) -> !cameo.tensor<[4], f32, host> {
  // expected-error @+1 {{Loop carries a value that grows in each iteration by an extent that only the iteration knows ('k'), so that nothing limits its memory; Min of that integer with a constant}}
  %l = prog.loop <"i"> to %n trip #cameo.extent<T> carry(%x : !cameo.tensor<[T], f32, host>) symbols [#cameo.symbol<"M">] = [#cameo.extent<T>] : !cameo.tensor<[M], f32, host> {
  ^bb0(%c: !cameo.tensor<[M], f32, host>):
    prog.bind <"k"> = %n
    %a = prog.kernel [#cameo.extent<M + k>] ins(%x : !cameo.tensor<[T], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<M>] ties [-1] : !cameo.tensor<[M + k], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield %a : !cameo.tensor<[M + k], f32, host> extents [#cameo.extent<M + k>]
  }
  %r = prog.kernel [#cameo.extent<4>] ins(%l : !cameo.tensor<[M], f32, host>) maps [#here] -> [#here] symbols [#cameo.extent<0>] ties [-1] : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  func.return %r : !cameo.tensor<[4], f32, host>
}

// -----

#flip = affine_map<(d0)[s0] -> (-d0 + s0)>
#here = affine_map<(d0)[s0] -> (d0)>

// CHECK-LABEL: @grows_by_at_most_nine
// CHECK-SAME: #prog.buffer<host, 4 * T + 36 * max(T, 0),
func.func @grows_by_at_most_nine(%n: i64, %x: !cameo.tensor<[T], f32, host>) -> !cameo.tensor<[4], f32, host> {
  %l = prog.loop <"i"> to %n trip #cameo.extent<T> carry(%x : !cameo.tensor<[T], f32, host>) symbols [#cameo.symbol<"M">] = [#cameo.extent<T>] : !cameo.tensor<[M], f32, host> {
  ^bb0(%c: !cameo.tensor<[M], f32, host>):
    prog.bind <"k"> = %n
    %a = prog.kernel [#cameo.extent<M + min(k, 9)>] ins(%x : !cameo.tensor<[T], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<M>] ties [-1] : !cameo.tensor<[M + min(k, 9)], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield %a : !cameo.tensor<[M + min(k, 9)], f32, host> extents [#cameo.extent<M + min(k, 9)>]
  }
  %r = prog.kernel [#cameo.extent<4>] ins(%l : !cameo.tensor<[M], f32, host>) maps [#here] -> [#here] symbols [#cameo.extent<0>] ties [-1] : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  func.return %r : !cameo.tensor<[4], f32, host>
}

// -----

// A value in a loop whose size falls with the iterations has room for the first.

#here = affine_map<(d0)[s0] -> (d0)>
#flip = affine_map<(d0)[s0] -> (-d0 + s0)>

// CHECK-LABEL: @shrinks
// CHECK-SAME: #prog.buffer<host, 4 * N, 2, 3>
func.func @shrinks(%x: !cameo.tensor<[N], f32, host>, %n: i64) -> !cameo.tensor<[4], f32, host> {
  %l = prog.loop <"i"> to %n trip #cameo.extent<N> carry(%x : !cameo.tensor<[N], f32, host>) symbols [] = [] : !cameo.tensor<[N], f32, host> {
  ^bb0(%c: !cameo.tensor<[N], f32, host>):
    %a = prog.kernel [#cameo.extent<N - i>] ins(%x : !cameo.tensor<[N], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<N - 1>] ties [-1] : !cameo.tensor<[N - i], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    %b = prog.kernel [#cameo.extent<N>] ins(%a : !cameo.tensor<[N - i], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<0>] ties [-1] : !cameo.tensor<[N], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield %b : !cameo.tensor<[N], f32, host>
  }
  %r = prog.kernel [#cameo.extent<4>] ins(%l : !cameo.tensor<[N], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<3>] ties [-1] : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  func.return %r : !cameo.tensor<[4], f32, host>
}

// -----

// Both branches write the row of the result, here the output's; an input is copied there.

#here = affine_map<(d0) -> (d0)>

// CHECK-LABEL: @branches
// CHECK-SAME: prog.buffers = [#prog.buffer<host, 4 * N, 0, 5, output 0>]
// CHECK: prog.if
// CHECK-SAME: buffers = array<i64: 0>
// CHECK: prog.s_exp
// CHECK: else
// CHECK: prog.kernel
// CHECK-SAME: buffers = array<i64: 0>
func.func @branches(%x: !cameo.tensor<[N], f32, host>, %c: i1) -> !cameo.tensor<[N], f32, host> {
  %r = prog.if %c defines [] : !cameo.tensor<[N], f32, host> {
    %a = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] : !cameo.tensor<[N], f32, host> {
    ^bb0(%e: f32):
      %0 = prog.s_exp %e : f32
      prog.yield %0 : f32
    }
    prog.yield %a : !cameo.tensor<[N], f32, host>
  } else {
    prog.yield %x : !cameo.tensor<[N], f32, host>
  }
  func.return %r : !cameo.tensor<[N], f32, host>
}
