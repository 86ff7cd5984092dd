// RUN: cameo-opt %s --split-input-file --cameo-grow-in-place --mlir-print-local-scope | FileCheck %s
// RUN: cameo-opt %s --split-input-file --cameo-grow-in-place --cameo-plan-buffers --cameo-verify-plan --mlir-print-local-scope | FileCheck %s --check-prefix=ROWS

// Each head has room for all rows that there may be: a product and a kernel read it there, and one copy is made at either end.
// CHECK-LABEL: func.func @heads
// CHECK: %[[ROOM:.*]] = prog.kernel [#cameo.extent<2>, #cameo.extent<P>, #cameo.extent<4>] ins(%arg0
// CHECK-SAME: !cameo.tensor<[2, P + max(m, 0), 4], f32, device>
// CHECK: prog.loop <"i"
// CHECK-SAME: carry(%[[ROOM]]
// CHECK-NEXT: ^bb0(%[[AT:.*]]: !cameo.tensor<[2, P + max(m, 0), 4], f32, device>)
// CHECK-NEXT: %[[NEXT:.*]] = prog.kernel [#cameo.extent<2>, #cameo.extent<1>, #cameo.extent<4>] dests(%[[AT]]
// CHECK: prog.call "gemm"
// CHECK-SAME: b_batch_stride = [#cameo.extent<4 * P + 4 * max(m, 0)>]
// CHECK-SAME: ins(%arg1, %[[NEXT]]
// CHECK: prog.kernel [#cameo.extent<2>, #cameo.extent<n + 1>, #cameo.extent<4>] ins(%[[NEXT]]
// CHECK: prog.yield %[[NEXT]]
// CHECK-SAME: extents [#cameo.extent<n + 1>]
// CHECK: %[[DENSE:.*]] = prog.kernel [#cameo.extent<2>, #cameo.extent<n>, #cameo.extent<4>] ins(
// CHECK: return %[[DENSE]]
// ROWS-LABEL: func.func @heads
// ROWS: prog.loop {{.*}} {buffers = array<i64: {{[0-9]+}}, -1>
func.func @heads(%x: !cameo.tensor<[2, P, 4], f32, device>, %q: !cameo.tensor<[2, 1, 4], f32, device>, %most: i64)
    -> !cameo.tensor<[2, n, 4], f32, device> attributes {cameo.symbols = [#cameo.symbol<"P">]} {
  prog.bind <"m" in [*, *]> = %most
  %y = prog.loop <"i" bound m - 1> to %most trip #cameo.extent<m> carry(%x : !cameo.tensor<[2, P, 4], f32, device>) symbols [#cameo.symbol<"n">] = [#cameo.extent<P>] : !cameo.tensor<[2, P, 4], f32, device> {
  ^bb0(%a: !cameo.tensor<[2, n, 4], f32, device>):
    %e = prog.empty : <[2, n + 1, 4], f32, device>
    %begun = prog.kernel [#cameo.extent<2>, #cameo.extent<n>, #cameo.extent<4>] ins(%a : !cameo.tensor<[2, n, 4], f32, device>) dests(%e : !cameo.tensor<[2, n + 1, 4], f32, device>) maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [0] : !cameo.tensor<[2, n + 1, 4], f32, device> {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    %b = prog.kernel [#cameo.extent<2>, #cameo.extent<1>, #cameo.extent<4>] dests(%begun : !cameo.tensor<[2, n + 1, 4], f32, device>) maps [] -> [affine_map<(d0, d1, d2)[s0] -> (d0, d1 + s0, d2)>] symbols [#cameo.extent<n>] ties [0] : !cameo.tensor<[2, n + 1, 4], f32, device> {
      %one = prog.s_constant 1.0 : f32
      prog.yield %one : f32
    }
    %p = prog.call "gemm" [] {a_batch_stride = [#cameo.extent<4>], b_batch_stride = [#cameo.extent<4 * n + 4>], batch = [#cameo.extent<2>], batch_rank = 1, k = #cameo.extent<4>, m = #cameo.extent<1>, n = #cameo.extent<n + 1>, trans_a = false, trans_b = true} ins(%q, %b : !cameo.tensor<[2, 1, 4], f32, device>, !cameo.tensor<[2, n + 1, 4], f32, device>) ties [-1] : !cameo.tensor<[2, 1, n + 1], f32, device> {
      prog.store 3 values 1 maps [] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] targets [0] {
      ^bb0(%v: f32):
        prog.yield %v : f32
      }
    }
    %k = prog.kernel [#cameo.extent<2>, #cameo.extent<n + 1>, #cameo.extent<4>] ins(%b : !cameo.tensor<[2, n + 1, 4], f32, device>) maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [-1] : !cameo.tensor<[2, n + 1, 4], f32, device> {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    prog.keep %p : <[2, 1, n + 1], f32, device>
    prog.keep %k : <[2, n + 1, 4], f32, device>
    prog.yield %b : !cameo.tensor<[2, n + 1, 4], f32, device> extents [#cameo.extent<n + 1>]
  }
  %z = prog.view %y[#cameo.extent<0>] : <[2, P, 4], f32, device> -> <[2, n, 4], f32, device>
  func.return %z : !cameo.tensor<[2, n, 4], f32, device>
}

// -----

// Columns of matrices that grow: no product reads rows that lie apart.
// CHECK-LABEL: func.func @columns
// CHECK: prog.loop <"i"
// CHECK-SAME: carry(%arg0
// CHECK: prog.empty
func.func @columns(%x: !cameo.tensor<[2, 4, P], f32, device>, %q: !cameo.tensor<[2, 1, 4], f32, device>, %most: i64)
    -> !cameo.tensor<[2, 4, n], f32, device> attributes {cameo.symbols = [#cameo.symbol<"P">]} {
  prog.bind <"m" in [*, *]> = %most
  %y = prog.loop <"i" bound m - 1> to %most trip #cameo.extent<m> carry(%x : !cameo.tensor<[2, 4, P], f32, device>) symbols [#cameo.symbol<"n">] = [#cameo.extent<P>] : !cameo.tensor<[2, 4, P], f32, device> {
  ^bb0(%a: !cameo.tensor<[2, 4, n], f32, device>):
    %e = prog.empty : <[2, 4, n + 1], f32, device>
    %begun = prog.kernel [#cameo.extent<2>, #cameo.extent<4>, #cameo.extent<n>] ins(%a : !cameo.tensor<[2, 4, n], f32, device>) dests(%e : !cameo.tensor<[2, 4, n + 1], f32, device>) maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [0] : !cameo.tensor<[2, 4, n + 1], f32, device> {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    %b = prog.kernel [#cameo.extent<2>, #cameo.extent<4>, #cameo.extent<1>] dests(%begun : !cameo.tensor<[2, 4, n + 1], f32, device>) maps [] -> [affine_map<(d0, d1, d2)[s0] -> (d0, d1, d2 + s0)>] symbols [#cameo.extent<n>] ties [0] : !cameo.tensor<[2, 4, n + 1], f32, device> {
      %one = prog.s_constant 1.0 : f32
      prog.yield %one : f32
    }
    %p = prog.call "gemm" [] {a_batch_stride = [#cameo.extent<4>], b_batch_stride = [#cameo.extent<4 * n + 4>], batch = [#cameo.extent<2>], batch_rank = 1, k = #cameo.extent<4>, m = #cameo.extent<1>, n = #cameo.extent<n + 1>, trans_a = false, trans_b = false} ins(%q, %b : !cameo.tensor<[2, 1, 4], f32, device>, !cameo.tensor<[2, 4, n + 1], f32, device>) ties [-1] : !cameo.tensor<[2, 1, n + 1], f32, device> {
      prog.store 3 values 1 maps [] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] targets [0] {
      ^bb0(%v: f32):
        prog.yield %v : f32
      }
    }
    prog.keep %p : <[2, 1, n + 1], f32, device>
    prog.yield %b : !cameo.tensor<[2, 4, n + 1], f32, device> extents [#cameo.extent<n + 1>]
  }
  %z = prog.view %y[#cameo.extent<0>] : <[2, 4, P], f32, device> -> <[2, 4, n], f32, device>
  func.return %z : !cameo.tensor<[2, 4, n], f32, device>
}

// -----

// Along its first axis it grows in its row as it is; and one that the body also reads as it was is copied.
// CHECK-LABEL: func.func @others
// CHECK: prog.loop <"i"
// CHECK-SAME: carry(%arg0, %arg1
// CHECK-COUNT-2: prog.empty
func.func @others(%x: !cameo.tensor<[1, P, 4], f32, device>, %w: !cameo.tensor<[2, P, 4], f32, device>, %most: i64)
    -> !cameo.tensor<[1, n, 4], f32, device> attributes {cameo.symbols = [#cameo.symbol<"P">]} {
  prog.bind <"m" in [*, *]> = %most
  %y, %u = prog.loop <"i" bound m - 1> to %most trip #cameo.extent<m> carry(%x, %w : !cameo.tensor<[1, P, 4], f32, device>, !cameo.tensor<[2, P, 4], f32, device>) symbols [#cameo.symbol<"n">] = [#cameo.extent<P>] : !cameo.tensor<[1, P, 4], f32, device>, !cameo.tensor<[2, P, 4], f32, device> {
  ^bb0(%a: !cameo.tensor<[1, n, 4], f32, device>, %c: !cameo.tensor<[2, n, 4], f32, device>):
    %e = prog.empty : <[1, n + 1, 4], f32, device>
    %begun = prog.kernel [#cameo.extent<1>, #cameo.extent<n>, #cameo.extent<4>] ins(%a : !cameo.tensor<[1, n, 4], f32, device>) dests(%e : !cameo.tensor<[1, n + 1, 4], f32, device>) maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [0] : !cameo.tensor<[1, n + 1, 4], f32, device> {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    %b = prog.kernel [#cameo.extent<1>, #cameo.extent<1>, #cameo.extent<4>] dests(%begun : !cameo.tensor<[1, n + 1, 4], f32, device>) maps [] -> [affine_map<(d0, d1, d2)[s0] -> (d0, d1 + s0, d2)>] symbols [#cameo.extent<n>] ties [0] : !cameo.tensor<[1, n + 1, 4], f32, device> {
      %one = prog.s_constant 1.0 : f32
      prog.yield %one : f32
    }
    %f = prog.empty : <[2, n + 1, 4], f32, device>
    %started = prog.kernel [#cameo.extent<2>, #cameo.extent<n>, #cameo.extent<4>] ins(%c : !cameo.tensor<[2, n, 4], f32, device>) dests(%f : !cameo.tensor<[2, n + 1, 4], f32, device>) maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [0] : !cameo.tensor<[2, n + 1, 4], f32, device> {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    %d = prog.kernel [#cameo.extent<2>, #cameo.extent<1>, #cameo.extent<4>] dests(%started : !cameo.tensor<[2, n + 1, 4], f32, device>) maps [] -> [affine_map<(d0, d1, d2)[s0] -> (d0, d1 + s0, d2)>] symbols [#cameo.extent<n>] ties [0] : !cameo.tensor<[2, n + 1, 4], f32, device> {
      %one = prog.s_constant 1.0 : f32
      prog.yield %one : f32
    }
    prog.keep %c : <[2, n, 4], f32, device>
    prog.yield %b, %d : !cameo.tensor<[1, n + 1, 4], f32, device>, !cameo.tensor<[2, n + 1, 4], f32, device> extents [#cameo.extent<n + 1>]
  }
  %z = prog.view %y[#cameo.extent<0>] : <[1, P, 4], f32, device> -> <[1, n, 4], f32, device>
  func.return %z : !cameo.tensor<[1, n, 4], f32, device>
}
