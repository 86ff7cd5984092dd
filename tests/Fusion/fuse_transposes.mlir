// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-fuse --mlir-print-local-scope --split-input-file | FileCheck %s

// Keys are read where they lay before they were transposed, by columns.
// CHECK-LABEL: @keys
// CHECK-NOT: prog.kernel
// CHECK: prog.call "gemm" []
// CHECK-SAME: b_batch_stride = [#cameo.extent<24 * T>, #cameo.extent<8 * T>]
// CHECK-SAME: trans_b = true}
// CHECK-SAME: ins(%arg0, %arg1 :
func.func @keys(%q: !cameo.tensor<[2, 3, 1, 8], f32, host>, %k: !cameo.tensor<[2, 3, T, 8], f32, host>)
    -> !cameo.tensor<[2, 3, 1, T], f32, host> attributes {cameo.symbols = [#cameo.symbol<"T">]} {
  %0 = prog.kernel [#cameo.extent<2>, #cameo.extent<3>, #cameo.extent<8>, #cameo.extent<T>]
      ins(%k : !cameo.tensor<[2, 3, T, 8], f32, host>)
      maps [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
      symbols [] ties [-1] : !cameo.tensor<[2, 3, 8, T], f32, host> {
  ^bb0(%a: f32):
    prog.yield %a : f32
  }
  %1 = prog.call "gemm" [] {a_batch_stride = [#cameo.extent<24>, #cameo.extent<8>],
      b_batch_stride = [#cameo.extent<24 * T>, #cameo.extent<8 * T>], batch = [#cameo.extent<2>, #cameo.extent<3>], batch_rank = 2,
      k = #cameo.extent<8>, m = #cameo.extent<1>, n = #cameo.extent<T>, trans_a = false, trans_b = false}
      ins(%q, %0 : !cameo.tensor<[2, 3, 1, 8], f32, host>, !cameo.tensor<[2, 3, 8, T], f32, host>)
      ties [-1] : !cameo.tensor<[2, 3, 1, T], f32, host> {
    prog.store 4 values 1 maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  return %1 : !cameo.tensor<[2, 3, 1, T], f32, host>
}

// -----

// What was turned twice is read by rows again.
// CHECK-LABEL: @turned
// CHECK-NOT: prog.kernel
// CHECK: prog.call "gemm" []
// CHECK-SAME: trans_b = false}
func.func @turned(%a: !cameo.tensor<[M, 8], f32, device>, %b: !cameo.tensor<[8, N], f32, device>)
    -> !cameo.tensor<[M, N], f32, device> attributes {cameo.symbols = [#cameo.symbol<"M">, #cameo.symbol<"N">]} {
  %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<8>] ins(%b : !cameo.tensor<[8, N], f32, device>)
      maps [affine_map<(d0, d1) -> (d1, d0)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1] : !cameo.tensor<[N, 8], f32, device> {
  ^bb0(%x: f32):
    prog.yield %x : f32
  }
  %1 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<8>, m = #cameo.extent<M>, n = #cameo.extent<N>,
      trans_a = false, trans_b = true} ins(%a, %0 : !cameo.tensor<[M, 8], f32, device>, !cameo.tensor<[N, 8], f32, device>)
      ties [-1] : !cameo.tensor<[M, N], f32, device> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%x: f32):
      prog.yield %x : f32
    }
  }
  return %1 : !cameo.tensor<[M, N], f32, device>
}

// -----

// Rows that lie apart, and a result that others read too, stay kernels.
// CHECK-LABEL: @heads
// CHECK: prog.kernel
// CHECK: prog.call "gemm" []
// CHECK-SAME: trans_b = false}
func.func @heads(%q: !cameo.tensor<[3, 1, 8], f32, host>, %k: !cameo.tensor<[T, 3, 8], f32, host>)
    -> !cameo.tensor<[3, 1, T], f32, host> attributes {cameo.symbols = [#cameo.symbol<"T">]} {
  %0 = prog.kernel [#cameo.extent<3>, #cameo.extent<8>, #cameo.extent<T>] ins(%k : !cameo.tensor<[T, 3, 8], f32, host>)
      maps [affine_map<(d0, d1, d2) -> (d2, d0, d1)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
      symbols [] ties [-1] : !cameo.tensor<[3, 8, T], f32, host> {
  ^bb0(%a: f32):
    prog.yield %a : f32
  }
  %1 = prog.call "gemm" [] {a_batch_stride = [#cameo.extent<8>], b_batch_stride = [#cameo.extent<8 * T>],
      batch = [#cameo.extent<3>], batch_rank = 1, k = #cameo.extent<8>, m = #cameo.extent<1>, n = #cameo.extent<T>,
      trans_a = false, trans_b = false} ins(%q, %0 : !cameo.tensor<[3, 1, 8], f32, host>, !cameo.tensor<[3, 8, T], f32, host>)
      ties [-1] : !cameo.tensor<[3, 1, T], f32, host> {
    prog.store 3 values 1 maps [] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  return %1 : !cameo.tensor<[3, 1, T], f32, host>
}

// -----

// Scaled keys are made as what they are made of lies: threads next to each other read what lies together.
// CHECK-LABEL: @scaled_keys
// CHECK: prog.kernel [#cameo.extent<3>, #cameo.extent<T>, #cameo.extent<8>]
// CHECK-SAME: maps [affine_map<(d0, d1, d2) -> (d1, d0, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK-SAME: : !cameo.tensor<[3, T, 8], f32, device>
// CHECK: prog.call "gemm" []
// CHECK-SAME: trans_b = true}
func.func @scaled_keys(%q: !cameo.tensor<[3, S, 8], f32, device>, %k: !cameo.tensor<[T, 3, 8], f32, device>)
    -> !cameo.tensor<[3, S, T], f32, device> attributes {cameo.symbols = [#cameo.symbol<"S">, #cameo.symbol<"T">]} {
  %0 = prog.kernel [#cameo.extent<3>, #cameo.extent<8>, #cameo.extent<T>]
      ins(%k : !cameo.tensor<[T, 3, 8], f32, device>)
      maps [affine_map<(d0, d1, d2) -> (d2, d0, d1)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
      symbols [] ties [-1] : !cameo.tensor<[3, 8, T], f32, device> {
  ^bb0(%a: f32):
    %s = prog.s_mul %a, %a : f32
    prog.yield %s : f32
  }
  %1 = prog.call "gemm" [] {a_batch_stride = [#cameo.extent<8 * S>], b_batch_stride = [#cameo.extent<8 * T>],
      batch = [#cameo.extent<3>], batch_rank = 1,
      k = #cameo.extent<8>, m = #cameo.extent<S>, n = #cameo.extent<T>, trans_a = false, trans_b = false}
      ins(%q, %0 : !cameo.tensor<[3, S, 8], f32, device>, !cameo.tensor<[3, 8, T], f32, device>)
      ties [-1] : !cameo.tensor<[3, S, T], f32, device> {
    prog.store 3 values 1 maps [] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  return %1 : !cameo.tensor<[3, S, T], f32, device>
}
