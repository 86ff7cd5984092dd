// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @attention_of_packed_heads
// CHECK: "onnx.Attention"{{.*}} -> (!cameo.tensor<[B, S, 24], f16>, !cameo.tensor<[B, 2, T, 4], f16>, !cameo.tensor<[B, 2, T, 6], f16>, !cameo.tensor<[B, 4, S, T], f16>)
func.func @attention_of_packed_heads(%q: !cameo.tensor<[B, S, 16], f16>, %k: !cameo.tensor<[B, T, 8], f16>, %v: !cameo.tensor<[B, T, 12], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>) {
  %0:4 = "onnx.Attention"(%q, %k, %v) <{kv_num_heads = 2 : i64, q_num_heads = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>}>
      : (!cameo.tensor<[B, S, 16], f16>, !cameo.tensor<[B, T, 8], f16>, !cameo.tensor<[B, T, 12], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>
}

// -----

// CHECK-LABEL: @attention_with_a_past
// CHECK: "onnx.Attention"{{.*}} -> (!cameo.tensor<[B, 4, S, 8], f16>, !cameo.tensor<[B, 4, P + S, 8], f16>, !cameo.tensor<[B, 4, P + S, 8], f16>, !cameo.tensor<[B, 4, S, P + S], f16>)
func.func @attention_with_a_past(%q: !cameo.tensor<[B, 4, S, 8], f16>, %k: !cameo.tensor<[B, 4, S, 8], f16>, %v: !cameo.tensor<[B, 4, S, 8], f16>, %pk: !cameo.tensor<[B, 4, P, 8], f16>, %pv: !cameo.tensor<[B, 4, P, 8], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>) {
  %0:4 = "onnx.Attention"(%q, %k, %v, %pk, %pv) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0>}>
      : (!cameo.tensor<[B, 4, S, 8], f16>, !cameo.tensor<[B, 4, S, 8], f16>, !cameo.tensor<[B, 4, S, 8], f16>, !cameo.tensor<[B, 4, P, 8], f16>, !cameo.tensor<[B, 4, P, 8], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>
}

// -----

func.func @attention_c1(%q: !cameo.tensor<[B, 4, S, 8], f16>, %k: !cameo.tensor<[B, 4, T, 7], f16>, %v: !cameo.tensor<[B, 4, T, 8], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>) {
  // expected-error @+1 {{does not fit in a head of Q (C1) (got 7, need 8)}}
  %0:4 = "onnx.Attention"(%q, %k, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>}>
      : (!cameo.tensor<[B, 4, S, 8], f16>, !cameo.tensor<[B, 4, T, 7], f16>, !cameo.tensor<[B, 4, T, 8], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>
}

// -----

func.func @attention_c2(%q: !cameo.tensor<[B, S, 16], f16>, %k: !cameo.tensor<[B, T, 8], f16>, %v: !cameo.tensor<[B, T, 12], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>) {
  // expected-error @+1 {{needs a positive number of heads (C2)}}
  %0:4 = "onnx.Attention"(%q, %k, %v) <{q_num_heads = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>}>
      : (!cameo.tensor<[B, S, 16], f16>, !cameo.tensor<[B, T, 8], f16>, !cameo.tensor<[B, T, 12], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>
}

// -----

func.func @attention_c3(%q: !cameo.tensor<[B, 4, S, 8], f16>, %k: !cameo.tensor<[B, 3, T, 8], f16>, %v: !cameo.tensor<[B, 3, T, 8], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>) {
  // expected-error @+1 {{has heads that cannot be shared (C3, got 4 and 3)}}
  %0:4 = "onnx.Attention"(%q, %k, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>}>
      : (!cameo.tensor<[B, 4, S, 8], f16>, !cameo.tensor<[B, 3, T, 8], f16>, !cameo.tensor<[B, 3, T, 8], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>
}

// -----

func.func @attention_c4(%q: !cameo.tensor<[B, 4, S, 8], f16>, %k: !cameo.tensor<[B, 4, T, 8], f16>, %v: !cameo.tensor<[B, 4, T, 8], f16>, %p: !cameo.tensor<[B, 4, P, 8], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>) {
  // expected-error @+1 {{needs past_key and past_value together, and not with nonpad_kv_seqlen (C4)}}
  %0:4 = "onnx.Attention"(%q, %k, %v, %p) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0>}>
      : (!cameo.tensor<[B, 4, S, 8], f16>, !cameo.tensor<[B, 4, T, 8], f16>, !cameo.tensor<[B, 4, T, 8], f16>, !cameo.tensor<[B, 4, P, 8], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>
}

// -----

func.func @attention_c7(%q: !cameo.tensor<[B, 4, S, 8], f16>, %k: !cameo.tensor<[B, 4, T, 8], f16>, %v: !cameo.tensor<[B, 4, T, 8], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>) {
  // expected-error @+1 {{has qk_matmul_output_mode out of range (C7, got 4, need 0 to 3)}}
  %0:4 = "onnx.Attention"(%q, %k, %v) <{qk_matmul_output_mode = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>}>
      : (!cameo.tensor<[B, 4, S, 8], f16>, !cameo.tensor<[B, 4, T, 8], f16>, !cameo.tensor<[B, 4, T, 8], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>
}

// -----

func.func @attention_c6(%q: !cameo.tensor<[2, 4, 3, 8], f16>, %k: !cameo.tensor<[2, 4, 5, 8], f16>, %v: !cameo.tensor<[2, 4, 5, 8], f16>, %m: !cameo.tensor<[3, 1, 5], i1>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>) {
  // expected-error @+1 {{does not fit in attn_mask (C6) (got 3, need 4)}}
  %0:4 = "onnx.Attention"(%q, %k, %v, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[2, 4, 3, 8], f16>, !cameo.tensor<[2, 4, 5, 8], f16>, !cameo.tensor<[2, 4, 5, 8], f16>, !cameo.tensor<[3, 1, 5], i1>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>
}

// -----

func.func @attention_c6_of_keys(%q: !cameo.tensor<[2, 4, 3, 8], f16>, %k: !cameo.tensor<[2, 4, 5, 8], f16>, %v: !cameo.tensor<[2, 4, 5, 8], f16>, %m: !cameo.tensor<[3, 6], i1>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>) {
  // expected-error @+1 {{has an attn_mask that is longer than the keys (C6, got 6, need at most 5)}}
  %0:4 = "onnx.Attention"(%q, %k, %v, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[2, 4, 3, 8], f16>, !cameo.tensor<[2, 4, 5, 8], f16>, !cameo.tensor<[2, 4, 5, 8], f16>, !cameo.tensor<[3, 6], i1>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>, !cameo.tensor<*, f16>
}
