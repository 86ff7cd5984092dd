// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-fuse --mlir-print-local-scope --split-input-file | FileCheck %s

// What follows a product is computed where it is stored, with its own operands.
// CHECK-LABEL: @gemm_bias_relu
// CHECK: %[[Y:.*]] = prog.call "gemm"
// CHECK: prog.store 2 values 1 ins(%arg2 : !cameo.tensor<[8], f32, host>)
// CHECK-SAME: maps [affine_map<(d0, d1) -> (d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT: %[[SUM:.*]] = prog.s_add %[[ACC]], %[[BIAS]]
// CHECK-NEXT: %[[NEG:.*]] = prog.s_neg %[[SUM]]
// CHECK-NEXT: prog.yield %[[NEG]]
// CHECK-NOT: prog.kernel
// CHECK: return %[[Y]]
func.func @gemm_bias_relu(%x: !cameo.tensor<[N, 4], f32, host>, %w: !cameo.tensor<[4, 8], f32, host>,
                          %b: !cameo.tensor<[8], f32, host>) -> !cameo.tensor<[N, 8], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<N>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%x, %w : !cameo.tensor<[N, 4], f32, host>, !cameo.tensor<[4, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[N, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %1 = prog.kernel [#cameo.extent<N>, #cameo.extent<8>]
      ins(%0, %b : !cameo.tensor<[N, 8], f32, host>, !cameo.tensor<[8], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[N, 8], f32, host> {
  ^bb0(%u: f32, %v: f32):
    %s = prog.s_add %u, %v : f32
    prog.yield %s : f32
  }
  %2 = prog.kernel [#cameo.extent<N>, #cameo.extent<8>] ins(%1 : !cameo.tensor<[N, 8], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1]
      : !cameo.tensor<[N, 8], f32, host> {
  ^bb0(%u: f32):
    %n = prog.s_neg %u : f32
    prog.yield %n : f32
  }
  func.return %2 : !cameo.tensor<[N, 8], f32, host>
}

// -----

// Through a view that splits rows: residual and result are seen as the product is.
// CHECK-LABEL: @epilogue_through_view
// CHECK: %[[SEEN:.*]] = prog.view %arg2{{.*}} -> <[B * S, 8], f32, host>
// CHECK: %[[CALL:.*]] = prog.call "gemm"
// CHECK-SAME: !cameo.tensor<[B * S, 8], f32, host>
// CHECK: prog.store 2 values 1 ins(%[[SEEN]], %arg3 :
// CHECK-SAME: maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
// CHECK: %[[Y:.*]] = prog.view %[[CALL]]{{.*}} -> <[B, S, 8], f32, host>
// CHECK-NOT: prog.kernel
// CHECK: return %[[Y]]
func.func @epilogue_through_view(%x: !cameo.tensor<[B * S, 4], f32, host>, %w: !cameo.tensor<[4, 8], f32, host>,
                                 %r: !cameo.tensor<[B, S, 8], f32, host>, %b: !cameo.tensor<[8], f32, host>)
    -> !cameo.tensor<[B, S, 8], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<B * S>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%x, %w : !cameo.tensor<[B * S, 4], f32, host>, !cameo.tensor<[4, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[B * S, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %1 = "prog.view"(%0) <{offset = #cameo.extent<0>}> : (!cameo.tensor<[B * S, 8], f32, host>) -> !cameo.tensor<[B, S, 8], f32, host>
  %2 = prog.kernel [#cameo.extent<B>, #cameo.extent<S>, #cameo.extent<8>]
      ins(%1, %r, %b : !cameo.tensor<[B, S, 8], f32, host>, !cameo.tensor<[B, S, 8], f32, host>, !cameo.tensor<[8], f32, host>)
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>]
      -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [-1] : !cameo.tensor<[B, S, 8], f32, host> {
  ^bb0(%u: f32, %v: f32, %c: f32):
    %s = prog.s_add %u, %v : f32
    %t = prog.s_add %s, %c : f32
    prog.yield %t : f32
  }
  func.return %2 : !cameo.tensor<[B, S, 8], f32, host>
}

// -----

// Several kernels behind such a view are one first, which reads the product itself, as rows.
// CHECK-LABEL: @epilogues_through_view
// CHECK: %[[SEEN:.*]] = prog.view %arg2{{.*}} -> <[B * S, 8], f32, host>
// CHECK: %[[CALL:.*]] = prog.call "gemm"
// CHECK-SAME: !cameo.tensor<[B * S, 8], f32, host>
// CHECK: prog.store 2 values 1 ins(%[[SEEN]], %arg3 :
// CHECK-SAME: maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
// CHECK: %[[Y:.*]] = prog.view %[[CALL]]{{.*}} -> <[B, S, 8], f32, host>
// CHECK-NOT: prog.kernel
// CHECK: return %[[Y]]
func.func @epilogues_through_view(%x: !cameo.tensor<[B * S, 4], f32, host>, %w: !cameo.tensor<[4, 8], f32, host>,
                                 %r: !cameo.tensor<[B, S, 8], f32, host>, %b: !cameo.tensor<[8], f32, host>)
    -> !cameo.tensor<[B, S, 8], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<B * S>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%x, %w : !cameo.tensor<[B * S, 4], f32, host>, !cameo.tensor<[4, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[B * S, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %1 = "prog.view"(%0) <{offset = #cameo.extent<0>}> : (!cameo.tensor<[B * S, 8], f32, host>) -> !cameo.tensor<[B, S, 8], f32, host>
  %2 = prog.kernel [#cameo.extent<B>, #cameo.extent<S>, #cameo.extent<8>]
      ins(%1, %r, %b : !cameo.tensor<[B, S, 8], f32, host>, !cameo.tensor<[B, S, 8], f32, host>, !cameo.tensor<[8], f32, host>)
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>]
      -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [-1] : !cameo.tensor<[B, S, 8], f32, host> {
  ^bb0(%u: f32, %v: f32, %c: f32):
    %s = prog.s_add %u, %v : f32
    %t = prog.s_add %s, %c : f32
    prog.yield %t : f32
  }
  %3 = prog.kernel [#cameo.extent<B>, #cameo.extent<S>, #cameo.extent<8>] ins(%2 : !cameo.tensor<[B, S, 8], f32, host>)
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [-1]
      : !cameo.tensor<[B, S, 8], f32, host> {
  ^bb0(%u: f32):
    %n = prog.s_neg %u : f32
    prog.yield %n : f32
  }
  func.return %3 : !cameo.tensor<[B, S, 8], f32, host>
}

// -----

// The call moves down to the kernel, behind what makes the other operand, a check and the binding
// of a symbol; a result that others need as well is stored as well.
// CHECK-LABEL: @residual_and_kept_result
// CHECK: %[[R:.*]] = prog.call "reduce"
// CHECK: prog.check
// CHECK: prog.bind <"K">
// CHECK: %[[CALL:.*]]:2 = prog.call "conv"
// CHECK: prog.store 4 values 1 ins(%[[R]] :
// CHECK-SAME: targets [0, 1]
// CHECK: prog.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK-NOT: prog.kernel
// CHECK: return %[[CALL]]#0, %[[CALL]]#1
func.func @residual_and_kept_result(%x: !cameo.tensor<[N, 3, 4, 4], f32, host>, %w: !cameo.tensor<[3, 3, 1, 1], f32, host>,
                                    %n: i64)
    -> (!cameo.tensor<[N, 3, 4, 4], f32, host>, !cameo.tensor<[N, 3, 4, 4], f32, host>) {
  %0 = prog.call "conv" [] {batch = #cameo.extent<N>, dilation = [#cameo.extent<1>, #cameo.extent<1>], groups = 1, in_channels = #cameo.extent<3>, input = [#cameo.extent<4>, #cameo.extent<4>], kernel = [#cameo.extent<1>, #cameo.extent<1>],
      out_channels = #cameo.extent<3>, output = [#cameo.extent<4>, #cameo.extent<4>], pad = [#cameo.extent<0>, #cameo.extent<0>], spatial_rank = 2, stride = [#cameo.extent<1>, #cameo.extent<1>]}
      ins(%x, %w : !cameo.tensor<[N, 3, 4, 4], f32, host>, !cameo.tensor<[3, 3, 1, 1], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[N, 3, 4, 4], f32, host> {
    prog.store 4 values 1 maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %r = prog.call "reduce" ["combine::sum<float>"] {outer = [#cameo.extent<N>, #cameo.extent<3>], outer_rank = 2, reduced = [#cameo.extent<4>, #cameo.extent<4>], reduced_rank = 2}
      ties [-1] {scalar_names = []} : !cameo.tensor<[N, 3], f32, host> {
    prog.load 4 values 0 ins(%x : !cameo.tensor<[N, 3, 4, 4], f32, host>)
        maps [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] symbols [] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  prog.check #cameo.extent<N> "le" #cameo.extent<8> else "invalid_argument" "too many"
  prog.bind <"K"> = %n
  %1 = prog.kernel [#cameo.extent<N>, #cameo.extent<3>, #cameo.extent<4>, #cameo.extent<4>]
      ins(%0, %r : !cameo.tensor<[N, 3, 4, 4], f32, host>, !cameo.tensor<[N, 3], f32, host>)
      maps [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>]
      -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] symbols [] ties [-1] : !cameo.tensor<[N, 3, 4, 4], f32, host> {
  ^bb0(%u: f32, %v: f32):
    %s = prog.s_add %u, %v : f32
    prog.yield %s : f32
  }
  func.return %0, %1 : !cameo.tensor<[N, 3, 4, 4], f32, host>, !cameo.tensor<[N, 3, 4, 4], f32, host>
}

// -----

// The product is needed before the kernel can run: it stays where it is.
// CHECK-LABEL: @needed_before
// CHECK: prog.call "gemm"
// CHECK: prog.call "gemm"
// CHECK: prog.kernel
func.func @needed_before(%x: !cameo.tensor<[4, 4], f32, host>) -> !cameo.tensor<[4, 4], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<4>, n = #cameo.extent<4>, trans_a = false, trans_b = false}
      ins(%x, %x : !cameo.tensor<[4, 4], f32, host>, !cameo.tensor<[4, 4], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[4, 4], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %1 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<4>, n = #cameo.extent<4>, trans_a = false, trans_b = false}
      ins(%0, %x : !cameo.tensor<[4, 4], f32, host>, !cameo.tensor<[4, 4], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[4, 4], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d1, d0)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %2 = prog.kernel [#cameo.extent<4>, #cameo.extent<4>]
      ins(%0, %1 : !cameo.tensor<[4, 4], f32, host>, !cameo.tensor<[4, 4], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[4, 4], f32, host> {
  ^bb0(%u: f32, %v: f32):
    %s = prog.s_add %u, %v : f32
    prog.yield %s : f32
  }
  func.return %2 : !cameo.tensor<[4, 4], f32, host>
}

// -----

// A call may write its part of a joined tensor.
// CHECK-LABEL: @epilogue_with_destination
// CHECK: %[[E:.*]] = prog.empty
// CHECK: %[[CALL:.*]] = prog.call "gemm" {{.*}} dests(%[[E]] : {{.*}} ties [0]
// CHECK: -> [affine_map<(d0, d1)[s0] -> (d0, d1 + s0)>] symbols [#cameo.extent<M>] targets [0]
// CHECK-NOT: prog.kernel
func.func @epilogue_with_destination(%x: !cameo.tensor<[4, 4], f32, host>) -> !cameo.tensor<[4, 4 + M], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<4>, n = #cameo.extent<4>, trans_a = false, trans_b = false}
      ins(%x, %x : !cameo.tensor<[4, 4], f32, host>, !cameo.tensor<[4, 4], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[4, 4], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %e = prog.empty : !cameo.tensor<[4, 4 + M], f32, host>
  %1 = prog.kernel [#cameo.extent<4>, #cameo.extent<4>] ins(%0 : !cameo.tensor<[4, 4], f32, host>)
      dests(%e : !cameo.tensor<[4, 4 + M], f32, host>)
      maps [affine_map<(d0, d1)[s0] -> (d0, d1)>] -> [affine_map<(d0, d1)[s0] -> (d0, d1 + s0)>]
      symbols [#cameo.extent<M>] ties [0] : !cameo.tensor<[4, 4 + M], f32, host> {
  ^bb0(%u: f32):
    prog.yield %u : f32
  }
  func.return %1 : !cameo.tensor<[4, 4 + M], f32, host>
}

// -----

// Into a reduction, which asks for each element once, whatever it costs.
// CHECK-LABEL: @into_reduction
// CHECK-NOT: prog.kernel
// CHECK: prog.call "reduce"
// CHECK: prog.load 2 values 0 ins(%arg0, %arg1 :
// CHECK-SAME: maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
// CHECK: prog.s_mul
// CHECK-NEXT: %[[EXP:.*]] = prog.s_exp
// CHECK-NEXT: prog.yield %[[EXP]]
func.func @into_reduction(%x: !cameo.tensor<[N, 8], f32, host>, %b: !cameo.tensor<[8], f32, host>)
    -> !cameo.tensor<[N], f32, host> {
  %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<8>]
      ins(%x, %b : !cameo.tensor<[N, 8], f32, host>, !cameo.tensor<[8], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[N, 8], f32, host> {
  ^bb0(%u: f32, %v: f32):
    %s = prog.s_mul %u, %v : f32
    %e = prog.s_exp %s : f32
    prog.yield %e : f32
  }
  %1 = prog.call "reduce" ["combine::sum<float>"] {outer = [#cameo.extent<N>], outer_rank = 1, reduced = [#cameo.extent<8>], reduced_rank = 1}
      ties [-1] {scalar_names = []} : !cameo.tensor<[N], f32, host> {
    prog.load 2 values 0 ins(%0 : !cameo.tensor<[N, 8], f32, host>)
        maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    prog.store 1 values 1 maps [] -> [affine_map<(d0) -> (d0)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  func.return %1 : !cameo.tensor<[N], f32, host>
}

// -----

// Softmax asks up to three times: a cast is worth that, an exponential is not.
// CHECK-LABEL: @into_softmax
// CHECK: prog.call "softmax"
// CHECK: prog.load 2 values 0 ins(%arg0 : !cameo.tensor<[N, 8], f16, host>)
// CHECK: prog.s_cast
// CHECK: prog.kernel
// CHECK: prog.s_exp
// CHECK: prog.call "softmax"
func.func @into_softmax(%x: !cameo.tensor<[N, 8], f16, host>, %y: !cameo.tensor<[N, 8], f32, host>)
    -> (!cameo.tensor<[N, 8], f32, host>, !cameo.tensor<[N, 8], f32, host>) {
  %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<8>] ins(%x : !cameo.tensor<[N, 8], f16, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[N, 8], f32, host> {
  ^bb0(%u: f16):
    %c = prog.s_cast %u : f16 -> f32
    prog.yield %c : f32
  }
  %1 = prog.call "softmax" ["false"] {outer = [#cameo.extent<N>], outer_rank = 1, reduced = [#cameo.extent<8>], reduced_rank = 1}
      ties [-1] {scalar_names = []} : !cameo.tensor<[N, 8], f32, host> {
    prog.load 2 values 0 ins(%0 : !cameo.tensor<[N, 8], f32, host>)
        maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %2 = prog.kernel [#cameo.extent<N>, #cameo.extent<8>] ins(%y : !cameo.tensor<[N, 8], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[N, 8], f32, host> {
  ^bb0(%u: f32):
    %e = prog.s_exp %u : f32
    prog.yield %e : f32
  }
  %3 = prog.call "softmax" ["false"] {outer = [#cameo.extent<N>], outer_rank = 1, reduced = [#cameo.extent<8>], reduced_rank = 1}
      ties [-1] {scalar_names = []} : !cameo.tensor<[N, 8], f32, host> {
    prog.load 2 values 0 ins(%2 : !cameo.tensor<[N, 8], f32, host>)
        maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  func.return %1, %3 : !cameo.tensor<[N, 8], f32, host>, !cameo.tensor<[N, 8], f32, host>
}

// -----

// A functor that reads a kernel through a view: with the kernel its views go.
// CHECK-LABEL: @prologue_through_view
// CHECK-NOT: prog.kernel
// CHECK-NOT: prog.view
// CHECK: %[[Y:.*]] = prog.call "reduce"
// CHECK-NEXT: prog.load 2 values 0 ins(%arg0 : !cameo.tensor<[3, 1, 2], f32, host>)
// CHECK-SAME: maps [affine_map<(d0, d1) -> (d0, 0, d1)>]
// CHECK: prog.s_neg
// CHECK: return %[[Y]]
func.func @prologue_through_view(%x: !cameo.tensor<[3, 1, 2], f32, host>) -> !cameo.tensor<[], f32, host> {
  %0 = prog.kernel [#cameo.extent<3>, #cameo.extent<1>, #cameo.extent<2>] ins(%x : !cameo.tensor<[3, 1, 2], f32, host>)
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
      symbols [] ties [-1] : !cameo.tensor<[3, 1, 2], f32, host> {
  ^bb0(%u: f32):
    %n = prog.s_neg %u : f32
    prog.yield %n : f32
  }
  %1 = prog.view %0[#cameo.extent<0>] : <[3, 1, 2], f32, host> -> <[3, 2], f32, host>
  %2 = prog.call "reduce" ["combine::sum<float>"] {outer_rank = 0, reduced = [#cameo.extent<3>, #cameo.extent<2>], reduced_rank = 2}
      ties [-1] {scalar_names = []} : !cameo.tensor<[], f32, host> {
    prog.load 2 values 0 ins(%1 : !cameo.tensor<[3, 2], f32, host>)
        maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    prog.store 0 values 1 maps [] -> [affine_map<() -> ()>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  func.return %2 : !cameo.tensor<[], f32, host>
}

// -----

// A kernel that exchanges axes in front of the last one follows too: the result is stored as it is
// wanted.
// CHECK-LABEL: @epilogue_transposed
// CHECK: %[[Y:.*]] = prog.call "gemm"
// CHECK-SAME: !cameo.tensor<[S, 3, 8], f32, host>
// CHECK: prog.store 3 values 1 ins(%arg2 : !cameo.tensor<[3, 8], f32, host>)
// CHECK-SAME: maps [affine_map<(d0, d1, d2) -> (d0, d2)>] -> [affine_map<(d0, d1, d2) -> (d1, d0, d2)>]
// CHECK-NOT: prog.kernel
// CHECK: return %[[Y]]
func.func @epilogue_transposed(%x: !cameo.tensor<[3, S, 4], f32, host>, %w: !cameo.tensor<[3, 4, 8], f32, host>,
                               %b: !cameo.tensor<[3, 8], f32, host>) -> !cameo.tensor<[S, 3, 8], f32, host> {
  %0 = prog.call "gemm" [] {a_batch_stride = [#cameo.extent<4 * S>], b_batch_stride = [#cameo.extent<32>], batch = [#cameo.extent<3>],
      batch_rank = 1, k = #cameo.extent<4>, m = #cameo.extent<S>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%x, %w : !cameo.tensor<[3, S, 4], f32, host>, !cameo.tensor<[3, 4, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[3, S, 8], f32, host> {
    prog.store 3 values 1 maps [] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %1 = prog.kernel [#cameo.extent<S>, #cameo.extent<3>, #cameo.extent<8>]
      ins(%0, %b : !cameo.tensor<[3, S, 8], f32, host>, !cameo.tensor<[3, 8], f32, host>)
      maps [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>]
      -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [-1] : !cameo.tensor<[S, 3, 8], f32, host> {
  ^bb0(%u: f32, %v: f32):
    %s = prog.s_add %u, %v : f32
    prog.yield %s : f32
  }
  func.return %1 : !cameo.tensor<[S, 3, 8], f32, host>
}

// -----

// One that moves the last axis stays: neighbours would be stored apart from each other.
// CHECK-LABEL: @strided_epilogue
// CHECK: prog.call "gemm"
// CHECK: prog.kernel
func.func @strided_epilogue(%x: !cameo.tensor<[S, 4], f32, host>, %w: !cameo.tensor<[4, 8], f32, host>)
    -> !cameo.tensor<[8, S], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<S>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%x, %w : !cameo.tensor<[S, 4], f32, host>, !cameo.tensor<[4, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %1 = prog.kernel [#cameo.extent<8>, #cameo.extent<S>] ins(%0 : !cameo.tensor<[S, 8], f32, host>)
      maps [affine_map<(d0, d1) -> (d1, d0)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[8, S], f32, host> {
  ^bb0(%u: f32):
    prog.yield %u : f32
  }
  func.return %1 : !cameo.tensor<[8, S], f32, host>
}

// -----

// What can follow a product does so, rather than being computed in the order of a reader that
// splits heads.
// CHECK-LABEL: @bias_in_front_of_transpose
// CHECK: prog.call "gemm"
// CHECK: prog.s_add
// CHECK: prog.kernel [#cameo.extent<3>, #cameo.extent<S>, #cameo.extent<8>]
// CHECK-NOT: prog.s_add
// CHECK: return
func.func @bias_in_front_of_transpose(%x: !cameo.tensor<[S, 4], f32, host>, %w: !cameo.tensor<[4, 24], f32, host>,
                                      %b: !cameo.tensor<[24], f32, host>) -> !cameo.tensor<[3, S, 8], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<S>, n = #cameo.extent<24>, trans_a = false, trans_b = false}
      ins(%x, %w : !cameo.tensor<[S, 4], f32, host>, !cameo.tensor<[4, 24], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, 24], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %1 = prog.kernel [#cameo.extent<S>, #cameo.extent<24>] ins(%0, %b : !cameo.tensor<[S, 24], f32, host>, !cameo.tensor<[24], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[S, 24], f32, host> {
  ^bb0(%u: f32, %v: f32):
    %s = prog.s_add %u, %v : f32
    prog.yield %s : f32
  }
  %2 = "prog.view"(%1) <{offset = #cameo.extent<0>}> : (!cameo.tensor<[S, 24], f32, host>) -> !cameo.tensor<[S, 3, 8], f32, host>
  %3 = prog.kernel [#cameo.extent<3>, #cameo.extent<S>, #cameo.extent<8>] ins(%2 : !cameo.tensor<[S, 3, 8], f32, host>)
      maps [affine_map<(d0, d1, d2) -> (d1, d0, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
      symbols [] ties [-1] : !cameo.tensor<[3, S, 8], f32, host> {
  ^bb0(%u: f32):
    prog.yield %u : f32
  }
  func.return %3 : !cameo.tensor<[3, S, 8], f32, host>
}

// -----

// What the first product's elements were made smaller to is what the second one reads of it.
// CHECK-LABEL: @narrow_border
// CHECK: %[[A:.*]] = prog.call "gemm"
// CHECK: prog.s_cast %{{.*}} : f32 -> ui8
// CHECK: prog.call "gemm"
// CHECK: prog.store 2 values 1 ins(%[[A]] : !cameo.tensor<[N, 8], ui8, host>)
// CHECK-NOT: prog.kernel
func.func @narrow_border(%x: !cameo.tensor<[N, 4], f32, host>, %w: !cameo.tensor<[4, 8], f32, host>) -> !cameo.tensor<[N, 8], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<N>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%x, %w : !cameo.tensor<[N, 4], f32, host>, !cameo.tensor<[4, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[N, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %1 = prog.kernel [#cameo.extent<N>, #cameo.extent<8>] ins(%0 : !cameo.tensor<[N, 8], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[N, 8], ui8, host> {
  ^bb0(%u: f32):
    %s = prog.s_cast %u : f32 -> ui8
    prog.yield %s : ui8
  }
  %2 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<N>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%x, %w : !cameo.tensor<[N, 4], f32, host>, !cameo.tensor<[4, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[N, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %3 = prog.kernel [#cameo.extent<N>, #cameo.extent<8>]
      ins(%1, %2 : !cameo.tensor<[N, 8], ui8, host>, !cameo.tensor<[N, 8], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !cameo.tensor<[N, 8], f32, host> {
  ^bb0(%u: ui8, %v: f32):
    %r = prog.s_cast %u : ui8 -> f32
    %s = prog.s_add %r, %v : f32
    prog.yield %s : f32
  }
  func.return %3 : !cameo.tensor<[N, 8], f32, host>
}
