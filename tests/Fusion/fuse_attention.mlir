// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-fuse --mlir-print-local-scope --split-input-file | FileCheck %s

// Queries, keys and values are read where they lay before they were transposed, scale and mask are
// part of the scores, and the result is stored as its reader wants it.
// CHECK-LABEL: @heads
// CHECK-SAME: (%[[Q:.*]]: !cameo.tensor<[2, S, 3, 8], f32, host>, %[[K:.*]]: !cameo.tensor<[2, T, 3, 8], f32, host>, %[[V:.*]]: !cameo.tensor<[2, T, 3, 8], f32, host>
// CHECK-NOT: prog.kernel
// CHECK: %[[Y:.*]] = prog.call "attention" []
// CHECK-SAME: batch = [#cameo.extent<2>, #cameo.extent<3>]
// CHECK-SAME: batch_rank = 2 : i64, depth = #cameo.extent<8>
// CHECK-SAME: k_batch_stride = [#cameo.extent<24 * T>, #cameo.extent<8>], k_stride = #cameo.extent<24>
// CHECK-SAME: keys = #cameo.extent<T>
// CHECK-SAME: q_batch_stride = [#cameo.extent<24 * S>, #cameo.extent<8>], q_stride = #cameo.extent<24>
// CHECK-SAME: queries = #cameo.extent<S>, size = #cameo.extent<8>, trans_k = true
// CHECK-SAME: v_batch_stride = [#cameo.extent<24 * T>, #cameo.extent<8>], v_stride = #cameo.extent<24>
// CHECK-SAME: ins(%[[Q]], %[[K]], %[[V]] :
// CHECK: prog.load 4 values 1 ins(%arg3 :
// CHECK-SAME: maps [affine_map<(d0, d1, d2, d3) -> (d0, d3)>]
// CHECK-NEXT: ^bb0(%[[PRODUCT:.*]]: f32, %[[MASK:.*]]: f32):
// CHECK-NEXT: %[[SUM:.*]] = prog.s_add %[[PRODUCT]], %[[MASK]]
// CHECK-NEXT: prog.yield %[[SUM]]
// CHECK: prog.load 4 values 1 maps []
// CHECK-NEXT: ^bb0(%[[WEIGHT:.*]]: f32):
// CHECK-NEXT: prog.yield %[[WEIGHT]]
// CHECK: prog.store 4 values 1 maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>]
// CHECK-NOT: prog.c
// CHECK: return %[[Y]]
func.func @heads(%q: !cameo.tensor<[2, S, 3, 8], f32, host>, %k: !cameo.tensor<[2, T, 3, 8], f32, host>,
                 %v: !cameo.tensor<[2, T, 3, 8], f32, host>, %mask: !cameo.tensor<[2, T], f32, host>)
    -> !cameo.tensor<[2, S, 3, 8], f32, host> {
  %0 = prog.kernel [#cameo.extent<2>, #cameo.extent<3>, #cameo.extent<S>, #cameo.extent<8>]
      ins(%q : !cameo.tensor<[2, S, 3, 8], f32, host>)
      maps [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
      symbols [] ties [-1] : !cameo.tensor<[2, 3, S, 8], f32, host> {
  ^bb0(%a: f32):
    prog.yield %a : f32
  }
  %1 = prog.kernel [#cameo.extent<2>, #cameo.extent<3>, #cameo.extent<8>, #cameo.extent<T>]
      ins(%k : !cameo.tensor<[2, T, 3, 8], f32, host>)
      maps [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
      symbols [] ties [-1] : !cameo.tensor<[2, 3, 8, T], f32, host> {
  ^bb0(%a: f32):
    prog.yield %a : f32
  }
  %2 = prog.kernel [#cameo.extent<2>, #cameo.extent<3>, #cameo.extent<T>, #cameo.extent<8>]
      ins(%v : !cameo.tensor<[2, T, 3, 8], f32, host>)
      maps [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
      symbols [] ties [-1] : !cameo.tensor<[2, 3, T, 8], f32, host> {
  ^bb0(%a: f32):
    prog.yield %a : f32
  }
  %3 = prog.call "gemm" [] {a_batch_stride = [#cameo.extent<24 * S>, #cameo.extent<8 * S>],
      b_batch_stride = [#cameo.extent<24 * T>, #cameo.extent<8 * T>], batch = [#cameo.extent<2>, #cameo.extent<3>], batch_rank = 2,
      k = #cameo.extent<8>, m = #cameo.extent<S>, n = #cameo.extent<T>, trans_a = false, trans_b = false}
      ins(%0, %1 : !cameo.tensor<[2, 3, S, 8], f32, host>, !cameo.tensor<[2, 3, 8, T], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[2, 3, S, T], f32, host> {
    prog.store 4 values 1 maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %4 = prog.kernel [#cameo.extent<2>, #cameo.extent<3>, #cameo.extent<S>, #cameo.extent<T>]
      ins(%3, %mask : !cameo.tensor<[2, 3, S, T], f32, host>, !cameo.tensor<[2, T], f32, host>)
      maps [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3)>]
      -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
      symbols [] ties [-1] : !cameo.tensor<[2, 3, S, T], f32, host> {
  ^bb0(%a: f32, %b: f32):
    %s = prog.s_add %a, %b : f32
    prog.yield %s : f32
  }
  %5 = prog.call "softmax" ["false"] {outer = [#cameo.extent<2>, #cameo.extent<3>, #cameo.extent<S>], outer_rank = 3,
      reduced = [#cameo.extent<T>], reduced_rank = 1}
      ties [-1] {scalar_names = []} : !cameo.tensor<[2, 3, S, T], f32, host> {
    prog.load 4 values 0 ins(%4 : !cameo.tensor<[2, 3, S, T], f32, host>)
        maps [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] symbols [] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    prog.store 4 values 1 maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %6 = prog.call "gemm" [] {a_batch_stride = [#cameo.extent<3 * S * T>, #cameo.extent<S * T>],
      b_batch_stride = [#cameo.extent<24 * T>, #cameo.extent<8 * T>], batch = [#cameo.extent<2>, #cameo.extent<3>], batch_rank = 2,
      k = #cameo.extent<T>, m = #cameo.extent<S>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%5, %2 : !cameo.tensor<[2, 3, S, T], f32, host>, !cameo.tensor<[2, 3, T, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[2, 3, S, 8], f32, host> {
    prog.store 4 values 1 maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %7 = prog.kernel [#cameo.extent<2>, #cameo.extent<S>, #cameo.extent<3>, #cameo.extent<8>]
      ins(%6 : !cameo.tensor<[2, 3, S, 8], f32, host>)
      maps [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
      symbols [] ties [-1] : !cameo.tensor<[2, S, 3, 8], f32, host> {
  ^bb0(%a: f32):
    prog.yield %a : f32
  }
  func.return %7 : !cameo.tensor<[2, S, 3, 8], f32, host>
}

// -----

// Without batches, keys as rows.
// CHECK-LABEL: @one_head
// CHECK: prog.call "attention" []
// CHECK-SAME: {batch_rank = 0 : i64, depth = #cameo.extent<8>, k_stride = #cameo.extent<8>, keys = #cameo.extent<T>,
// CHECK-SAME: trans_k = true
// CHECK-NOT: prog.call
func.func @one_head(%q: !cameo.tensor<[S, 8], f32, host>, %k: !cameo.tensor<[T, 8], f32, host>, %v: !cameo.tensor<[T, 8], f32, host>)
    -> !cameo.tensor<[S, 8], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<8>, m = #cameo.extent<S>, n = #cameo.extent<T>, trans_a = false, trans_b = true}
      ins(%q, %k : !cameo.tensor<[S, 8], f32, host>, !cameo.tensor<[T, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %1 = prog.call "softmax" ["false"] {outer = [#cameo.extent<S>], outer_rank = 1, reduced = [#cameo.extent<T>], reduced_rank = 1}
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f32, host> {
    prog.load 2 values 0 ins(%0 : !cameo.tensor<[S, T], f32, host>) maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %2 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<T>, m = #cameo.extent<S>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%1, %v : !cameo.tensor<[S, T], f32, host>, !cameo.tensor<[T, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  func.return %2 : !cameo.tensor<[S, 8], f32, host>
}

// -----

// Keys as columns.
// CHECK-LABEL: @keys_as_columns
// CHECK: prog.call "attention" []
// CHECK-SAME: k_stride = #cameo.extent<T>
// CHECK-SAME: trans_k = false
func.func @keys_as_columns(%q: !cameo.tensor<[S, 8], f32, host>, %k: !cameo.tensor<[8, T], f32, host>, %v: !cameo.tensor<[T, 8], f32, host>)
    -> !cameo.tensor<[S, 8], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<8>, m = #cameo.extent<S>, n = #cameo.extent<T>, trans_a = false, trans_b = false}
      ins(%q, %k : !cameo.tensor<[S, 8], f32, host>, !cameo.tensor<[8, T], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %1 = prog.call "softmax" ["false"] {outer = [#cameo.extent<S>], outer_rank = 1, reduced = [#cameo.extent<T>], reduced_rank = 1}
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f32, host> {
    prog.load 2 values 0 ins(%0 : !cameo.tensor<[S, T], f32, host>) maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %2 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<T>, m = #cameo.extent<S>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%1, %v : !cameo.tensor<[S, T], f32, host>, !cameo.tensor<[T, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  func.return %2 : !cameo.tensor<[S, 8], f32, host>
}

// -----

// The device has no such template.
// CHECK-LABEL: @on_device
// CHECK: prog.call "gemm"
// CHECK: prog.call "softmax"
// CHECK: prog.call "gemm"
func.func @on_device(%q: !cameo.tensor<[S, 8], f32, device>, %k: !cameo.tensor<[8, T], f32, device>, %v: !cameo.tensor<[T, 8], f32, device>)
    -> !cameo.tensor<[S, 8], f32, device> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<8>, m = #cameo.extent<S>, n = #cameo.extent<T>, trans_a = false, trans_b = false}
      ins(%q, %k : !cameo.tensor<[S, 8], f32, device>, !cameo.tensor<[8, T], f32, device>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f32, device> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %1 = prog.call "softmax" ["false"] {outer = [#cameo.extent<S>], outer_rank = 1, reduced = [#cameo.extent<T>], reduced_rank = 1}
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f32, device> {
    prog.load 2 values 0 ins(%0 : !cameo.tensor<[S, T], f32, device>) maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %2 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<T>, m = #cameo.extent<S>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%1, %v : !cameo.tensor<[S, T], f32, device>, !cameo.tensor<[T, 8], f32, device>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, 8], f32, device> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  func.return %2 : !cameo.tensor<[S, 8], f32, device>
}

// -----

// A few queries are dot products with keys where they lie.
// CHECK-LABEL: @few_queries
// CHECK: prog.call "gemm"
// CHECK: prog.call "softmax"
// CHECK: prog.call "gemm"
func.func @few_queries(%q: !cameo.tensor<[4, 8], f32, host>, %k: !cameo.tensor<[8, T], f32, host>, %v: !cameo.tensor<[T, 8], f32, host>)
    -> !cameo.tensor<[4, 8], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<8>, m = #cameo.extent<4>, n = #cameo.extent<T>, trans_a = false, trans_b = false}
      ins(%q, %k : !cameo.tensor<[4, 8], f32, host>, !cameo.tensor<[8, T], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[4, T], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %1 = prog.call "softmax" ["false"] {outer = [#cameo.extent<4>], outer_rank = 1, reduced = [#cameo.extent<T>], reduced_rank = 1}
      ties [-1] {scalar_names = []} : !cameo.tensor<[4, T], f32, host> {
    prog.load 2 values 0 ins(%0 : !cameo.tensor<[4, T], f32, host>) maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %2 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<T>, m = #cameo.extent<4>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%1, %v : !cameo.tensor<[4, T], f32, host>, !cameo.tensor<[T, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[4, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  func.return %2 : !cameo.tensor<[4, 8], f32, host>
}

// -----

// What others read of it is stored.
// CHECK-LABEL: @weights_are_read
// CHECK: prog.call "gemm"
// CHECK: prog.call "softmax"
// CHECK: prog.call "gemm"
func.func @weights_are_read(%q: !cameo.tensor<[S, 8], f32, host>, %k: !cameo.tensor<[8, T], f32, host>, %v: !cameo.tensor<[T, 8], f32, host>)
    -> (!cameo.tensor<[S, 8], f32, host>, !cameo.tensor<[S, T], f32, host>) {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<8>, m = #cameo.extent<S>, n = #cameo.extent<T>, trans_a = false, trans_b = false}
      ins(%q, %k : !cameo.tensor<[S, 8], f32, host>, !cameo.tensor<[8, T], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %1 = prog.call "softmax" ["false"] {outer = [#cameo.extent<S>], outer_rank = 1, reduced = [#cameo.extent<T>], reduced_rank = 1}
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f32, host> {
    prog.load 2 values 0 ins(%0 : !cameo.tensor<[S, T], f32, host>) maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %2 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<T>, m = #cameo.extent<S>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%1, %v : !cameo.tensor<[S, T], f32, host>, !cameo.tensor<[T, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  func.return %2, %1 : !cameo.tensor<[S, 8], f32, host>, !cameo.tensor<[S, T], f32, host>
}

// -----

// Another softmax.
// CHECK-LABEL: @log_softmax
// CHECK: prog.call "gemm"
// CHECK: prog.call "softmax"
// CHECK: prog.call "gemm"
func.func @log_softmax(%q: !cameo.tensor<[S, 8], f32, host>, %k: !cameo.tensor<[8, T], f32, host>, %v: !cameo.tensor<[T, 8], f32, host>)
    -> !cameo.tensor<[S, 8], f32, host> {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<8>, m = #cameo.extent<S>, n = #cameo.extent<T>, trans_a = false, trans_b = false}
      ins(%q, %k : !cameo.tensor<[S, 8], f32, host>, !cameo.tensor<[8, T], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %1 = prog.call "softmax" ["true"] {outer = [#cameo.extent<S>], outer_rank = 1, reduced = [#cameo.extent<T>], reduced_rank = 1}
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f32, host> {
    prog.load 2 values 0 ins(%0 : !cameo.tensor<[S, T], f32, host>) maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  %2 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<T>, m = #cameo.extent<S>, n = #cameo.extent<8>, trans_a = false, trans_b = false}
      ins(%1, %v : !cameo.tensor<[S, T], f32, host>, !cameo.tensor<[T, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  func.return %2 : !cameo.tensor<[S, 8], f32, host>
}

// -----

// On the device, where operands' rows are chunks of 16 bytes: without a functor for weights.
// CHECK-LABEL: @on_device
// CHECK: prog.call "attention_tiles" []
// CHECK-SAME: {batch_rank = 0 : i64, depth = #cameo.extent<64>, k_stride = #cameo.extent<64>, keys = #cameo.extent<T>,
// CHECK-SAME: trans_k = true
// CHECK: prog.load 2 values 1
// CHECK-NOT: prog.load
// CHECK: prog.store 2 values 1
// CHECK-NOT: prog.call
func.func @on_device(%q: !cameo.tensor<[S, 64], f16, device>, %k: !cameo.tensor<[T, 64], f16, device>,
                     %v: !cameo.tensor<[T, 64], f16, device>)
    -> !cameo.tensor<[S, 64], f16, device> attributes {cameo.symbols = [#cameo.symbol<"S">, #cameo.symbol<"T">]} {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<64>, m = #cameo.extent<S>, n = #cameo.extent<T>, trans_a = false, trans_b = true}
      ins(%q, %k : !cameo.tensor<[S, 64], f16, device>, !cameo.tensor<[T, 64], f16, device>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f16, device> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      %h = prog.s_cast %a : f32 -> f16
      prog.yield %h : f16
    }
  }
  %1 = prog.call "softmax" ["false"] {outer = [#cameo.extent<S>], outer_rank = 1, reduced = [#cameo.extent<T>], reduced_rank = 1}
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, T], f16, device> {
    prog.load 2 values 0 ins(%0 : !cameo.tensor<[S, T], f16, device>)
        maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%a: f16):
      prog.yield %a : f16
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      %h = prog.s_cast %a : f32 -> f16
      prog.yield %h : f16
    }
  }
  %2 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<T>, m = #cameo.extent<S>, n = #cameo.extent<64>, trans_a = false, trans_b = false}
      ins(%1, %v : !cameo.tensor<[S, T], f16, device>, !cameo.tensor<[T, 64], f16, device>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[S, 64], f16, device> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      %h = prog.s_cast %a : f32 -> f16
      prog.yield %h : f16
    }
  }
  func.return %2 : !cameo.tensor<[S, 64], f16, device>
}
