// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-fuse --mlir-print-local-scope --split-input-file | FileCheck %s

// A chain is one kernel; its body does the same in the same order.
// CHECK-LABEL: @chain
// CHECK: prog.kernel {{.*}} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[NEG:.*]] = prog.s_neg %[[X]]
// CHECK-NEXT: %[[EXP:.*]] = prog.s_exp %[[NEG]]
// CHECK-NEXT: prog.yield %[[EXP]]
// CHECK-NOT: prog.kernel
func.func @chain(%x: !cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N, 3], f32, host> {
  %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<3>] ins(%x : !cameo.tensor<[N, 3], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1]
      : !cameo.tensor<[N, 3], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_neg %a : f32
    prog.yield %n : f32
  }
  %1 = prog.kernel [#cameo.extent<N>, #cameo.extent<3>] ins(%0 : !cameo.tensor<[N, 3], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1]
      : !cameo.tensor<[N, 3], f32, host> {
  ^bb0(%a: f32):
    %e = prog.s_exp %a : f32
    prog.yield %e : f32
  }
  func.return %1 : !cameo.tensor<[N, 3], f32, host>
}

// -----

// A producer that is read through a transposition and a slice is computed where it is read.
// CHECK-LABEL: @composes_maps
// CHECK: prog.kernel {{.*}} ins(%arg0 :
// CHECK-SAME: maps [affine_map<(d0, d1)[s0] -> (d1, d0 + s0)>]
// CHECK-SAME: symbols [#cameo.extent<K>]
// CHECK-NOT: prog.kernel
func.func @composes_maps(%x: !cameo.tensor<[N, M], f32, host>) -> !cameo.tensor<[3, N], f32, host> {
  %0 = prog.kernel [#cameo.extent<M>, #cameo.extent<N>] ins(%x : !cameo.tensor<[N, M], f32, host>)
      maps [affine_map<(d0, d1) -> (d1, d0)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1]
      : !cameo.tensor<[M, N], f32, host> {
  ^bb0(%a: f32):
    prog.yield %a : f32
  }
  %1 = prog.kernel [#cameo.extent<3>, #cameo.extent<N>] ins(%0 : !cameo.tensor<[M, N], f32, host>)
      maps [affine_map<(d0, d1)[s0] -> (d0 + s0, d1)>] -> [affine_map<(d0, d1)[s0] -> (d0, d1)>]
      symbols [#cameo.extent<K>] ties [-1] : !cameo.tensor<[3, N], f32, host> {
  ^bb0(%a: f32):
    prog.yield %a : f32
  }
  func.return %1 : !cameo.tensor<[3, N], f32, host>
}

// -----

// Whether M is 1 only the run knows: the stride that says so goes into the producer's maps. The
// producer may be computed more often than before, so it must be cheap.
// CHECK-LABEL: @broadcasts_unknown_extents
// CHECK: prog.kernel {{.*}} ins(%arg0, %arg1 :
// CHECK-SAME: maps [affine_map<(d0)[s0] -> (d0 * s0)>, affine_map<(d0)[s0] -> (d0)>]
// CHECK-SAME: symbols [#cameo.extent<min(M - 1, 1)>]
// CHECK: prog.s_neg
// CHECK-NEXT: prog.s_add
// CHECK-NOT: prog.kernel
func.func @broadcasts_unknown_extents(%x: !cameo.tensor<[M], f32, host>, %y: !cameo.tensor<[N], f32, host>)
    -> !cameo.tensor<[N], f32, host> {
  %0 = prog.kernel [#cameo.extent<M>] ins(%x : !cameo.tensor<[M], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[M], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_neg %a : f32
    prog.yield %n : f32
  }
  prog.check #cameo.extent<M> "broadcast" #cameo.extent<N> else "invalid_argument" "operands do not broadcast"
  %1 = prog.kernel [#cameo.extent<N>]
      ins(%0, %y : !cameo.tensor<[M], f32, host>, !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0)[s0] -> (d0 * s0)>, affine_map<(d0)[s0] -> (d0)>] -> [affine_map<(d0)[s0] -> (d0)>]
      symbols [#cameo.extent<min(M - 1, 1)>] ties [-1] : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32, %b: f32):
    %s = prog.s_add %a, %b : f32
    prog.yield %s : f32
  }
  func.return %1 : !cameo.tensor<[N], f32, host>
}

// -----

// An exponential is not computed again for every row.
// CHECK-LABEL: @broadcast_of_costly_body
// CHECK: prog.kernel
// CHECK: prog.s_exp
// CHECK: prog.kernel
// CHECK: prog.s_add
func.func @broadcast_of_costly_body(%x: !cameo.tensor<[4], f32, host>, %y: !cameo.tensor<[N, 4], f32, host>)
    -> !cameo.tensor<[N, 4], f32, host> {
  %0 = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[4], f32, host> {
  ^bb0(%a: f32):
    %e = prog.s_exp %a : f32
    prog.yield %e : f32
  }
  %1 = prog.kernel [#cameo.extent<N>, #cameo.extent<4>]
      ins(%0, %y : !cameo.tensor<[4], f32, host>, !cameo.tensor<[N, 4], f32, host>)
      maps [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[N, 4], f32, host> {
  ^bb0(%a: f32, %b: f32):
    %s = prog.s_add %a, %b : f32
    prog.yield %s : f32
  }
  func.return %1 : !cameo.tensor<[N, 4], f32, host>
}

// -----

// A view that joins axes is a sum; the operand that is read in order is seen through one instead.
// CHECK-LABEL: @through_view
// CHECK: %[[SEEN:.*]] = prog.view %arg0{{.*}} -> <[B * S, 8], f32, host>
// CHECK: prog.kernel [#cameo.extent<B * S>, #cameo.extent<8>] ins(%[[SEEN]], %arg1 :
// CHECK-SAME: maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
// CHECK-NOT: prog.kernel
func.func @through_view(%x: !cameo.tensor<[B, S, 8], f32, host>, %b: !cameo.tensor<[8], f32, host>)
    -> !cameo.tensor<[B * S, 8], f32, host> {
  %0 = prog.kernel [#cameo.extent<B>, #cameo.extent<S>, #cameo.extent<8>]
      ins(%x, %b : !cameo.tensor<[B, S, 8], f32, host>, !cameo.tensor<[8], f32, host>)
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>]
      -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [-1]
      : !cameo.tensor<[B, S, 8], f32, host> {
  ^bb0(%a: f32, %c: f32):
    %s = prog.s_add %a, %c : f32
    prog.yield %s : f32
  }
  %1 = "prog.view"(%0) <{offset = #cameo.extent<0>}> : (!cameo.tensor<[B, S, 8], f32, host>) -> !cameo.tensor<[B * S, 8], f32, host>
  %2 = prog.kernel [#cameo.extent<B * S>, #cameo.extent<8>] ins(%1 : !cameo.tensor<[B * S, 8], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1]
      : !cameo.tensor<[B * S, 8], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_neg %a : f32
    prog.yield %n : f32
  }
  func.return %2 : !cameo.tensor<[B * S, 8], f32, host>
}

// -----

// A mask per batch would take a division of every row number: the rows are iterated over as they were.
// CHECK-LABEL: @cuts_rows
// CHECK: %[[BOTH:.*]] = prog.kernel [#cameo.extent<B>, #cameo.extent<S>, #cameo.extent<8>] ins(%arg0, %arg1 :
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d0)>]
// CHECK: %[[SEEN:.*]] = prog.view %[[BOTH]]{{.*}} -> <[B * S, 8], f32, host>
// CHECK-NOT: prog.kernel
// CHECK: return %[[SEEN]]
func.func @cuts_rows(%x: !cameo.tensor<[B, S, 8], f32, host>, %b: !cameo.tensor<[B], f32, host>)
    -> !cameo.tensor<[B * S, 8], f32, host> {
  %0 = prog.kernel [#cameo.extent<B>, #cameo.extent<S>, #cameo.extent<8>]
      ins(%x, %b : !cameo.tensor<[B, S, 8], f32, host>, !cameo.tensor<[B], f32, host>)
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>]
      -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [-1]
      : !cameo.tensor<[B, S, 8], f32, host> {
  ^bb0(%a: f32, %c: f32):
    %s = prog.s_add %a, %c : f32
    prog.yield %s : f32
  }
  %1 = "prog.view"(%0) <{offset = #cameo.extent<0>}> : (!cameo.tensor<[B, S, 8], f32, host>) -> !cameo.tensor<[B * S, 8], f32, host>
  %2 = prog.kernel [#cameo.extent<B * S>, #cameo.extent<8>] ins(%1 : !cameo.tensor<[B * S, 8], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1]
      : !cameo.tensor<[B * S, 8], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_neg %a : f32
    prog.yield %n : f32
  }
  func.return %2 : !cameo.tensor<[B * S, 8], f32, host>
}

// -----

// Runs of two elements are no iteration.
// CHECK-LABEL: @short_runs
// CHECK-COUNT-2: prog.kernel
func.func @short_runs(%x: !cameo.tensor<[B, S, 2], f32, host>, %b: !cameo.tensor<[B], f32, host>)
    -> !cameo.tensor<[B * S, 2], f32, host> {
  %0 = prog.kernel [#cameo.extent<B>, #cameo.extent<S>, #cameo.extent<2>]
      ins(%x, %b : !cameo.tensor<[B, S, 2], f32, host>, !cameo.tensor<[B], f32, host>)
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>]
      -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [-1]
      : !cameo.tensor<[B, S, 2], f32, host> {
  ^bb0(%a: f32, %c: f32):
    %s = prog.s_add %a, %c : f32
    prog.yield %s : f32
  }
  %1 = "prog.view"(%0) <{offset = #cameo.extent<0>}> : (!cameo.tensor<[B, S, 2], f32, host>) -> !cameo.tensor<[B * S, 2], f32, host>
  %2 = prog.kernel [#cameo.extent<B * S>, #cameo.extent<2>] ins(%1 : !cameo.tensor<[B * S, 2], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1]
      : !cameo.tensor<[B * S, 2], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_neg %a : f32
    prog.yield %n : f32
  }
  func.return %2 : !cameo.tensor<[B * S, 2], f32, host>
}

// -----

// Halves that change places, read under the extents of the whole, by two kernels behind each other, of which the last one
// writes a part of a destination.
// CHECK-LABEL: @cuts_through_kernels
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<2>, #cameo.extent<32>] ins(%arg0, %{{.*}} dests(%arg1
// CHECK-SAME: maps [affine_map<(d0, d1, d2) -> (d0, -d1 + 1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d1 * 32 + d2 + 64)>]
// CHECK-NOT: prog.kernel
func.func @cuts_through_kernels(%x: !cameo.tensor<[N, 2, 32], f32, host>, %to: !cameo.tensor<[N, 128], f32, host>)
    -> !cameo.tensor<[N, 128], f32, host> {
  %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<2>, #cameo.extent<32>] ins(%x : !cameo.tensor<[N, 2, 32], f32, host>)
      maps [affine_map<(d0, d1, d2) -> (d0, 1 - d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [-1]
      : !cameo.tensor<[N, 2, 32], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_neg %a : f32
    prog.yield %n : f32
  }
  %whole = "prog.view"(%x) <{offset = #cameo.extent<0>}> : (!cameo.tensor<[N, 2, 32], f32, host>) -> !cameo.tensor<[N, 64], f32, host>
  %turned = "prog.view"(%0) <{offset = #cameo.extent<0>}> : (!cameo.tensor<[N, 2, 32], f32, host>) -> !cameo.tensor<[N, 64], f32, host>
  %1 = prog.kernel [#cameo.extent<N>, #cameo.extent<64>]
      ins(%turned, %whole : !cameo.tensor<[N, 64], f32, host>, !cameo.tensor<[N, 64], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[N, 64], f32, host> {
  ^bb0(%a: f32, %b: f32):
    %s = prog.s_add %a, %b : f32
    prog.yield %s : f32
  }
  %2 = prog.kernel [#cameo.extent<N>, #cameo.extent<64>] ins(%1 : !cameo.tensor<[N, 64], f32, host>)
      dests(%to : !cameo.tensor<[N, 128], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1 + 64)>] symbols [] ties [0]
      : !cameo.tensor<[N, 128], f32, host> {
  ^bb0(%a: f32):
    prog.yield %a : f32
  }
  func.return %2 : !cameo.tensor<[N, 128], f32, host>
}

// -----

// What others need too becomes one more result.
// CHECK-LABEL: @several_results
// CHECK: %[[BOTH:.*]]:2 = prog.kernel
// CHECK: %[[NEG:.*]] = prog.s_neg
// CHECK: %[[EXP:.*]] = prog.s_exp %[[NEG]]
// CHECK: prog.yield %[[NEG]], %[[EXP]]
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
func.func @several_results(%x: !cameo.tensor<[N], f32, host>)
    -> (!cameo.tensor<[N], f32, host>, !cameo.tensor<[N], f32, host>) {
  %0 = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_neg %a : f32
    prog.yield %n : f32
  }
  %1 = prog.kernel [#cameo.extent<N>] ins(%0 : !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32):
    %e = prog.s_exp %a : f32
    prog.yield %e : f32
  }
  func.return %0, %1 : !cameo.tensor<[N], f32, host>, !cameo.tensor<[N], f32, host>
}

// -----

// a -> b and a -> c -> b, and c cannot be fused: b cannot hand c its operand.
// CHECK-LABEL: @no_cycle
// CHECK: %[[A:.*]] = prog.kernel
// CHECK: %[[C:.*]] = prog.call "gemm"
// CHECK: prog.kernel {{.*}} ins(%[[A]], %[[C]] :
func.func @no_cycle(%x: !cameo.tensor<[4, 4], f32, host>) -> !cameo.tensor<[3, 4], f32, host> {
  %a = prog.kernel [#cameo.extent<4>, #cameo.extent<4>] ins(%x : !cameo.tensor<[4, 4], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1]
      : !cameo.tensor<[4, 4], f32, host> {
  ^bb0(%v: f32):
    %n = prog.s_neg %v : f32
    prog.yield %n : f32
  }
  %c = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<4>, n = #cameo.extent<4>, trans_a = false, trans_b = false}
      ins(%a, %a : !cameo.tensor<[4, 4], f32, host>, !cameo.tensor<[4, 4], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[4, 4], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %b = prog.kernel [#cameo.extent<3>, #cameo.extent<4>]
      ins(%a, %c : !cameo.tensor<[4, 4], f32, host>, !cameo.tensor<[4, 4], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0 + 1, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[3, 4], f32, host> {
  ^bb0(%u: f32, %v: f32):
    %s = prog.s_add %u, %v : f32
    prog.yield %s : f32
  }
  func.return %b : !cameo.tensor<[3, 4], f32, host>
}

// -----

// What two kernels read is computed by both when it is cheap, and once when it is not.
// CHECK-LABEL: @recomputes_if_cheap
// CHECK-NOT: s_neg
// CHECK: %[[EXP:.*]] = prog.kernel {{.*}} ins(%arg0 :
// CHECK: prog.s_exp
// CHECK: prog.kernel {{.*}} ins(%[[EXP]] :
// CHECK: prog.s_neg
// CHECK-NEXT: prog.s_abs
// CHECK: prog.kernel {{.*}} ins(%[[EXP]] :
// CHECK: prog.s_neg
// CHECK-NEXT: prog.s_floor
func.func @recomputes_if_cheap(%x: !cameo.tensor<[N], f32, host>)
    -> (!cameo.tensor<[1], f32, host>, !cameo.tensor<[1], f32, host>) {
  %0 = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32):
    %e = prog.s_exp %a : f32
    prog.yield %e : f32
  }
  %1 = prog.kernel [#cameo.extent<N>] ins(%0 : !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_neg %a : f32
    prog.yield %n : f32
  }
  %2 = prog.kernel [#cameo.extent<1>] ins(%1 : !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[1], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_abs %a : f32
    prog.yield %n : f32
  }
  %3 = prog.kernel [#cameo.extent<1>] ins(%1 : !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0 + 1)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[1], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_floor %a : f32
    prog.yield %n : f32
  }
  func.return %2, %3 : !cameo.tensor<[1], f32, host>, !cameo.tensor<[1], f32, host>
}

// -----

// A coordinate of the producer's is one of the reader's.
// CHECK-LABEL: @coordinates
// CHECK: prog.kernel
// CHECK-NEXT: %[[I:.*]] = prog.s_index 0
// CHECK-NEXT: %[[K:.*]] = prog.s_extent #cameo.extent<2>
// CHECK-NEXT: %[[AT:.*]] = prog.s_add %[[I]], %[[K]]
// CHECK-NEXT: %[[NEG:.*]] = prog.s_neg %[[AT]]
// CHECK-NEXT: prog.yield %[[NEG]]
func.func @coordinates() -> !cameo.tensor<[3], i64, host> {
  %0 = prog.kernel [#cameo.extent<5>] maps [] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[5], i64, host> {
    %i = prog.s_index 0
    prog.yield %i : i64
  }
  %1 = prog.kernel [#cameo.extent<3>] ins(%0 : !cameo.tensor<[5], i64, host>)
      maps [affine_map<(d0) -> (d0 + 2)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[3], i64, host> {
  ^bb0(%a: i64):
    %n = prog.s_neg %a : i64
    prog.yield %n : i64
  }
  func.return %1 : !cameo.tensor<[3], i64, host>
}

// -----

// Into a kernel that writes part of a destination, but such a kernel into nothing: its result is
// not all its own.
// CHECK-LABEL: @destinations
// CHECK: %[[EMPTY:.*]] = prog.empty
// CHECK: %[[PART:.*]] = prog.kernel {{.*}} ins(%arg0 : {{.*}}) dests(%[[EMPTY]] :
// CHECK-SAME: -> [affine_map<(d0) -> (d0 + 3)>]
// CHECK: prog.s_neg
// CHECK: prog.kernel {{.*}} ins(%[[PART]] :
// CHECK: prog.s_abs
func.func @destinations(%x: !cameo.tensor<[3], f32, host>) -> !cameo.tensor<[6], f32, host> {
  %e = prog.empty : !cameo.tensor<[6], f32, host>
  %0 = prog.kernel [#cameo.extent<3>] ins(%x : !cameo.tensor<[3], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[3], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_neg %a : f32
    prog.yield %n : f32
  }
  %1 = prog.kernel [#cameo.extent<3>] ins(%0 : !cameo.tensor<[3], f32, host>)
      dests(%e : !cameo.tensor<[6], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0 + 3)>] symbols [] ties [0]
      : !cameo.tensor<[6], f32, host> {
  ^bb0(%a: f32):
    prog.yield %a : f32
  }
  %2 = prog.kernel [#cameo.extent<6>] ins(%1 : !cameo.tensor<[6], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[6], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_abs %a : f32
    prog.yield %n : f32
  }
  func.return %2 : !cameo.tensor<[6], f32, host>
}
