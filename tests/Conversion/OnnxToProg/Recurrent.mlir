// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// Activations are functors; operands that are absent are null pointers.
// CHECK-LABEL: @gru
// CHECK: %[[NONE:.*]] = prog.null
// CHECK: prog.call "gru" [] {batch = #cameo.extent<B>, {{.*}}, directions = 1 : i64, hidden = #cameo.extent<2>
// CHECK-SAME: ins({{.*}}%[[NONE]]
// CHECK: prog.load 1 values 1
// CHECK: prog.s_sigmoid
// CHECK: prog.load 1 values 1
// CHECK: prog.s_tanh
func.func @gru(%x: !cameo.tensor<[S, B, 4], f32, host>, %w: !cameo.tensor<[1, 6, 4], f32, host>, %r: !cameo.tensor<[1, 6, 2], f32, host>) -> !cameo.tensor<[S, 1, B, 2], f32, host> {
  %0:2 = "onnx.GRU"(%x, %w, %r) <{hidden_size = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32, host>, !cameo.tensor<[1, 6, 4], f32, host>, !cameo.tensor<[1, 6, 2], f32, host>)
      -> (!cameo.tensor<[S, 1, B, 2], f32, host>, !cameo.tensor<[1, B, 2], f32, host>)
  func.return %0#0 : !cameo.tensor<[S, 1, B, 2], f32, host>
}

// -----

// Decays are exponentials in front of the call, the scale is in its store; whether an open extent is
// one that decays may have is checked.
// CHECK-LABEL: @linear_attention
// CHECK: prog.check #cameo.extent<D> "eq" #cameo.extent<2 * (D floordiv 2)> else "invalid_argument"
// CHECK: prog.check {{.*}} "eq" #cameo.extent<0> else "invalid_argument"
// CHECK: prog.s_exp
// CHECK: prog.call "linear_attention" [] {batch = #cameo.extent<B>, decays = #cameo.extent<D floordiv 2>, heads = #cameo.extent<2>, key_size = #cameo.extent<4>
// CHECK-SAME: rates = #cameo.extent<1>, shared = 2 : i64, tokens = #cameo.extent<T>, value_size = #cameo.extent<6>}
// CHECK: prog.store 4 values 1
// CHECK: prog.s_mul
// CHECK: prog.store 4 values 1
func.func @linear_attention(%q: !cameo.tensor<[B, T, 16], f32, host>, %k: !cameo.tensor<[B, T, 8], f32, host>, %v: !cameo.tensor<[B, T, 12], f32, host>, %g: !cameo.tensor<[B, T, D], f32, host>)
    -> (!cameo.tensor<[B, T, 24], f32, host>, !cameo.tensor<[B, 2, 4, 6], f32, host>) {
  %0:2 = "onnx.LinearAttention"(%q, %k, %v, %g) <{kv_num_heads = 2 : i64, q_num_heads = 4 : i64, update_rule = "gated", operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}>
      : (!cameo.tensor<[B, T, 16], f32, host>, !cameo.tensor<[B, T, 8], f32, host>, !cameo.tensor<[B, T, 12], f32, host>, !cameo.tensor<[B, T, D], f32, host>)
      -> (!cameo.tensor<[B, T, 24], f32, host>, !cameo.tensor<[B, 2, 4, 6], f32, host>)
  func.return %0#0, %0#1 : !cameo.tensor<[B, T, 24], f32, host>, !cameo.tensor<[B, 2, 4, 6], f32, host>
}
