// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-select | FileCheck %s --implicit-check-not=factors
// RUN: cameo-opt %s --cameo-set-target="name=cuda precision=strict" --cameo-select | FileCheck %s --implicit-check-not=factors
// RUN: cameo-opt %s --cameo-set-target="name=cuda precision=tf32" --cameo-select | FileCheck %s --check-prefix=ROUNDED '-D$WORD=tf32' --implicit-check-not=factors
// RUN: cameo-opt %s --cameo-set-target="name=cuda precision=bf16" --cameo-select | FileCheck %s --check-prefix=ROUNDED '-D$WORD=bf16' --implicit-check-not=factors
// RUN: cameo-opt %s --cameo-set-target="name=cuda precision=fp16" --cameo-select | FileCheck %s --check-prefix=ROUNDED '-D$WORD=fp16' --implicit-check-not=factors
// RUN: cameo-opt %s --cameo-set-target="name=cuda precision=exact" --cameo-select | FileCheck %s --check-prefix=CHAIN
// RUN: cameo-opt %s --cameo-set-target --cameo-select | FileCheck %s --check-prefix=CHAIN

// Products on the device, of types that the tensor core takes, unless they have to be by the definition.
// CHECK-LABEL: @products
// CHECK: prog.call "gemm_tiles" [] {
// CHECK-SAME: f16, device
// CHECK: prog.call "gemm_tiles" [] {
// CHECK-SAME: f32, device
// CHECK: prog.call "gemm" [] {
// CHECK-SAME: f64, device
// CHECK: prog.call "gemm" [] {
// CHECK-SAME: f32, host
// CHAIN-LABEL: @products
// CHAIN-NOT: gemm_tiles
// Of floats on the device alone what is multiplied is said.
// ROUNDED-LABEL: @products
// ROUNDED: prog.call "gemm_tiles" []
// ROUNDED: prog.call "gemm_tiles" [] {batch_rank = 0 : i64, factors = "factor_type::[[$WORD]]", k =
// ROUNDED-SAME: f32, device
func.func @products(%a: !cameo.tensor<[N, 8], f16, device>, %b: !cameo.tensor<[8, 9], f16, device>,
                    %c: !cameo.tensor<[N, 8], f32, device>, %d: !cameo.tensor<[8, 9], f32, device>,
                    %e: !cameo.tensor<[N, 8], f64, device>, %f: !cameo.tensor<[8, 9], f64, device>,
                    %g: !cameo.tensor<[N, 8], f32, host>, %h: !cameo.tensor<[8, 9], f32, host>)
    -> (!cameo.tensor<[N, 9], f16, device>, !cameo.tensor<[N, 9], f32, device>, !cameo.tensor<[N, 9], f64, device>,
        !cameo.tensor<[N, 9], f32, host>) attributes {cameo.symbols = [#cameo.symbol<"N">]} {
  %0 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<8>, m = #cameo.extent<N>, n = #cameo.extent<9>, trans_a = false, trans_b = false}
      ins(%a, %b : !cameo.tensor<[N, 8], f16, device>, !cameo.tensor<[8, 9], f16, device>) ties [-1] : !cameo.tensor<[N, 9], f16, device> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      %w = prog.s_cast %v : f32 -> f16
      prog.yield %w : f16
    }
  }
  %1 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<8>, m = #cameo.extent<N>, n = #cameo.extent<9>, trans_a = false, trans_b = false}
      ins(%c, %d : !cameo.tensor<[N, 8], f32, device>, !cameo.tensor<[8, 9], f32, device>) ties [-1] : !cameo.tensor<[N, 9], f32, device> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %2 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<8>, m = #cameo.extent<N>, n = #cameo.extent<9>, trans_a = false, trans_b = false}
      ins(%e, %f : !cameo.tensor<[N, 8], f64, device>, !cameo.tensor<[8, 9], f64, device>) ties [-1] : !cameo.tensor<[N, 9], f64, device> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f64):
      prog.yield %v : f64
    }
  }
  %3 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<8>, m = #cameo.extent<N>, n = #cameo.extent<9>, trans_a = false, trans_b = false}
      ins(%g, %h : !cameo.tensor<[N, 8], f32, host>, !cameo.tensor<[8, 9], f32, host>) ties [-1] : !cameo.tensor<[N, 9], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  return %0, %1, %2, %3 : !cameo.tensor<[N, 9], f16, device>, !cameo.tensor<[N, 9], f32, device>, !cameo.tensor<[N, 9], f64, device>,
      !cameo.tensor<[N, 9], f32, host>
}

// Convolutions too, where both operands are of one such type.
// CHECK-LABEL: @convolutions
// CHECK: prog.call "conv_tiles" [] {
// CHECK-SAME: f16, device
// CHECK: prog.call "conv_tiles" [] {
// CHECK-SAME: f32, device
// CHECK: prog.call "conv" [] {
// CHECK-SAME: f64, device
// CHAIN-LABEL: @convolutions
// CHAIN-NOT: conv_tiles
// ROUNDED-LABEL: @convolutions
// ROUNDED: prog.call "conv_tiles" []
// ROUNDED: prog.call "conv_tiles" [] {{{.*}} factors = "factor_type::[[$WORD]]"
// ROUNDED-SAME: f32, device
func.func @convolutions(%a: !cameo.tensor<[N, 3, 4], f16, device>, %b: !cameo.tensor<[9, 3, 1], f16, device>,
                        %c: !cameo.tensor<[N, 3, 4], f32, device>, %d: !cameo.tensor<[9, 3, 1], f32, device>,
                        %e: !cameo.tensor<[N, 3, 4], f64, device>, %f: !cameo.tensor<[9, 3, 1], f64, device>)
    -> (!cameo.tensor<[N, 9, 4], f16, device>, !cameo.tensor<[N, 9, 4], f32, device>, !cameo.tensor<[N, 9, 4], f64, device>)
    attributes {cameo.symbols = [#cameo.symbol<"N">]} {
  %0 = prog.call "conv" [] {batch = #cameo.extent<N>, dilation = [#cameo.extent<1>], groups = 1, in_channels = #cameo.extent<3>, input = [#cameo.extent<4>], kernel = [#cameo.extent<1>],
       out_channels = #cameo.extent<9>, output = [#cameo.extent<4>], pad = [#cameo.extent<0>], spatial_rank = 1, stride = [#cameo.extent<1>]}
      ins(%a, %b : !cameo.tensor<[N, 3, 4], f16, device>, !cameo.tensor<[9, 3, 1], f16, device>) ties [-1] : !cameo.tensor<[N, 9, 4], f16, device> {
    prog.store 3 values 1 maps [] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      %w = prog.s_cast %v : f32 -> f16
      prog.yield %w : f16
    }
  }
  %1 = prog.call "conv" [] {batch = #cameo.extent<N>, dilation = [#cameo.extent<1>], groups = 1, in_channels = #cameo.extent<3>, input = [#cameo.extent<4>], kernel = [#cameo.extent<1>],
       out_channels = #cameo.extent<9>, output = [#cameo.extent<4>], pad = [#cameo.extent<0>], spatial_rank = 1, stride = [#cameo.extent<1>]}
      ins(%c, %d : !cameo.tensor<[N, 3, 4], f32, device>, !cameo.tensor<[9, 3, 1], f32, device>) ties [-1] : !cameo.tensor<[N, 9, 4], f32, device> {
    prog.store 3 values 1 maps [] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  %2 = prog.call "conv" [] {batch = #cameo.extent<N>, dilation = [#cameo.extent<1>], groups = 1, in_channels = #cameo.extent<3>, input = [#cameo.extent<4>], kernel = [#cameo.extent<1>],
       out_channels = #cameo.extent<9>, output = [#cameo.extent<4>], pad = [#cameo.extent<0>], spatial_rank = 1, stride = [#cameo.extent<1>]}
      ins(%e, %f : !cameo.tensor<[N, 3, 4], f64, device>, !cameo.tensor<[9, 3, 1], f64, device>) ties [-1] : !cameo.tensor<[N, 9, 4], f64, device> {
    prog.store 3 values 1 maps [] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] targets [0] {
    ^bb0(%v: f64):
      prog.yield %v : f64
    }
  }
  return %0, %1, %2 : !cameo.tensor<[N, 9, 4], f16, device>, !cameo.tensor<[N, 9, 4], f32, device>, !cameo.tensor<[N, 9, 4], f64, device>
}

// CHECK-LABEL: @transposed
// CHECK: prog.call "conv_transpose_tiles" [] {
// CHAIN-LABEL: @transposed
// CHAIN-NOT: conv_transpose_tiles
// ROUNDED-LABEL: @transposed
// ROUNDED: prog.call "conv_transpose_tiles" [] {{{.*}} factors = "factor_type::[[$WORD]]"
func.func @transposed(%a: !cameo.tensor<[N, 3, 4], f32, device>, %b: !cameo.tensor<[3, 9, 2], f32, device>)
    -> !cameo.tensor<[N, 9, 8], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">]} {
  %0 = prog.call "conv_transpose" [] {batch = #cameo.extent<N>, dilation = [#cameo.extent<1>], groups = 1, in_channels = #cameo.extent<3>, input = [#cameo.extent<4>], kernel = [#cameo.extent<2>],
       out_channels = #cameo.extent<9>, output = [#cameo.extent<8>], pad = [#cameo.extent<0>], spatial_rank = 1, stride = [#cameo.extent<2>]}
      ins(%a, %b : !cameo.tensor<[N, 3, 4], f32, device>, !cameo.tensor<[3, 9, 2], f32, device>) ties [-1] : !cameo.tensor<[N, 9, 8], f32, device> {
    prog.store 3 values 1 maps [] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  return %0 : !cameo.tensor<[N, 9, 8], f32, device>
}

// Attention is what it was, and told what to multiply.
// CHECK-LABEL: @attention
// CHECK: prog.call "attention_tiles" [] {batch_rank
// CHAIN-LABEL: @attention
// ROUNDED-LABEL: @attention
// ROUNDED: prog.call "attention_tiles" [] {{{.*}} factors = "factor_type::[[$WORD]]"
func.func @attention(%q: !cameo.tensor<[S, 64], f32, device>, %k: !cameo.tensor<[T, 64], f32, device>,
                     %v: !cameo.tensor<[T, 64], f32, device>)
    -> !cameo.tensor<[S, 64], f32, device> attributes {cameo.symbols = [#cameo.symbol<"S">, #cameo.symbol<"T">]} {
  %0 = prog.call "attention_tiles" [] {batch_rank = 0, depth = #cameo.extent<64>, k_stride = #cameo.extent<64>, keys = #cameo.extent<T>, q_stride = #cameo.extent<64>,
       queries = #cameo.extent<S>, size = #cameo.extent<64>, trans_k = true, v_stride = #cameo.extent<64>}
      ins(%q, %k, %v : !cameo.tensor<[S, 64], f32, device>, !cameo.tensor<[T, 64], f32, device>, !cameo.tensor<[T, 64], f32, device>)
      ties [-1] : !cameo.tensor<[S, 64], f32, device> {
    prog.load 2 values 1 maps [] symbols [] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
  }
  return %0 : !cameo.tensor<[S, 64], f32, device>
}

// Rows on the device, of any type.
// CHECK-LABEL: @rows
// CHECK: prog.call "softmax_held" ["false"] {
// CHECK: prog.call "softmax" ["false"] {
// CHECK-SAME: reduced = [#cameo.extent<5>]
// CHAIN-LABEL: @rows
// CHAIN-NOT: softmax_held
func.func @rows(%x: !cameo.tensor<[N, 4], f64, device>, %y: !cameo.tensor<[N, 5], f32, host>)
    -> (!cameo.tensor<[N, 4], f64, device>, !cameo.tensor<[N, 5], f32, host>)
    attributes {cameo.symbols = [#cameo.symbol<"N">]} {
  %0 = prog.call "softmax" ["false"] {outer_rank = 1, outer = [#cameo.extent<N>], reduced_rank = 1, reduced = [#cameo.extent<4>]}
      ties [-1] : !cameo.tensor<[N, 4], f64, device> {
    prog.load 2 values 0 ins(%x : !cameo.tensor<[N, 4], f64, device>) maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%v: f64):
      prog.yield %v : f64
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f64):
      prog.yield %v : f64
    }
  }
  %1 = prog.call "softmax" ["false"] {outer_rank = 1, outer = [#cameo.extent<N>], reduced_rank = 1, reduced = [#cameo.extent<5>]}
      ties [-1] : !cameo.tensor<[N, 5], f32, host> {
    prog.load 2 values 0 ins(%y : !cameo.tensor<[N, 5], f32, host>) maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  func.return %0, %1 : !cameo.tensor<[N, 4], f64, device>, !cameo.tensor<[N, 5], f32, host>
}
