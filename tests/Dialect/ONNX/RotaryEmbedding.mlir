// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @rotary_embedding_keeps_extents
// CHECK: "onnx.RotaryEmbedding"{{.*}} -> !cameo.tensor<[B, S, 16], f32>
func.func @rotary_embedding_keeps_extents(%x: !cameo.tensor<[B, S, 16], f32>, %c: !cameo.tensor<[P, 4], f32>, %s: !cameo.tensor<[P, 4], f32>, %p: !cameo.tensor<[B, S], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.RotaryEmbedding"(%x, %c, %s, %p) <{num_heads = 2 : i64}>
      : (!cameo.tensor<[B, S, 16], f32>, !cameo.tensor<[P, 4], f32>, !cameo.tensor<[P, 4], f32>, !cameo.tensor<[B, S], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @rotary_embedding_c1(%x: !cameo.tensor<[B, S, 16], f32>, %c: !cameo.tensor<[P, 4], f32>, %s: !cameo.tensor<[P, 4], f32>, %p: !cameo.tensor<[B, S], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a number of heads that does not divide an extent (C1, got 3 and 16)}}
  %0 = "onnx.RotaryEmbedding"(%x, %c, %s, %p) <{num_heads = 3 : i64}>
      : (!cameo.tensor<[B, S, 16], f32>, !cameo.tensor<[P, 4], f32>, !cameo.tensor<[P, 4], f32>, !cameo.tensor<[B, S], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @rotary_embedding_c2(%x: !cameo.tensor<[B, 2, S, 8], f32>, %c: !cameo.tensor<[P, 4], f32>, %s: !cameo.tensor<[P, 4], f32>, %p: !cameo.tensor<[B, S], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has rotary_embedding_dim out of range or odd (C2, got 3 of 8)}}
  %0 = "onnx.RotaryEmbedding"(%x, %c, %s, %p) <{rotary_embedding_dim = 3 : i64}>
      : (!cameo.tensor<[B, 2, S, 8], f32>, !cameo.tensor<[P, 4], f32>, !cameo.tensor<[P, 4], f32>, !cameo.tensor<[B, S], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @rotary_embedding_c3(%x: !cameo.tensor<[B, 2, S, 8], f32>, %c: !cameo.tensor<[P, 3], f32>, %s: !cameo.tensor<[P, 4], f32>, %p: !cameo.tensor<[B, S], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in cos_cache (C3) (got 3, need 4)}}
  %0 = "onnx.RotaryEmbedding"(%x, %c, %s, %p)
      : (!cameo.tensor<[B, 2, S, 8], f32>, !cameo.tensor<[P, 3], f32>, !cameo.tensor<[P, 4], f32>, !cameo.tensor<[B, S], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @rotary_embedding_c4(%x: !cameo.tensor<[1, 2, 2, 8], f32>, %c: !cameo.tensor<[6, 4], f32>, %s: !cameo.tensor<[6, 4], f32>)
    -> !cameo.tensor<*, f32> {
  %p = "onnx.Constant"() <{value = dense<[[5, 6]]> : tensor<1x2xi64>}> : () -> !cameo.tensor<[1, 2], i64>
  // expected-error @+1 {{has a position beyond its cache (C4, got 6, need [0, 6))}}
  %0 = "onnx.RotaryEmbedding"(%x, %c, %s, %p)
      : (!cameo.tensor<[1, 2, 2, 8], f32>, !cameo.tensor<[6, 4], f32>, !cameo.tensor<[6, 4], f32>, !cameo.tensor<[1, 2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
