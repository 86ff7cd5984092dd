// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and what is fused around it.

#ifndef CAMEO_DIALECT_ONNX_IR_ATTENTION_TD
#define CAMEO_DIALECT_ONNX_IR_ATTENTION_TD

include "Dialect/ONNX/IR/OnnxBase.td"

def ONNX_AttentionOp : ONNX_Op<"Attention", 25, [AttrSizedOperandSegments, Pure]> {
  let summary = "Scaled dot product attention";
  let description = [{
    Operands of rank 4 are [batch, heads, length, size]; of rank 3, [batch, length,
    heads * size].

    Constraints:
    * C1: `Q`, `K` and `V` have the same rank, 3 or 4, and batch; `K` and `V` the same
      length and heads; `Q` and `K` the same size of a head.
    * C2: with rank 3, `q_num_heads` and `kv_num_heads` are given, and divide the last
      extents.
    * C3: the heads of `K` are positive and divide those of `Q`.
    * C4: `past_key` and `past_value` come together, have rank 4, and differ from the
      present ones in their length only; with them there is no `nonpad_kv_seqlen`.
    * C5: `nonpad_kv_seqlen` has one element per entry of the batch.
    * C6: `attn_mask` has rank 1 to 4 and broadcasts to [batch, heads, length, keys],
      but for its last extent, which may be less than the keys.
    * C7: `qk_matmul_output_mode` is 0 to 3; `softmax_precision` is a float type;
      window sizes are -1 or more.
  }];
  defvar t1 = ONNX_TensorOf<ONNX_Floats, "T1">;
  defvar t2 = ONNX_TensorOf<ONNX_Floats, "T2">;
  let arguments = (ins Data<t1>:$Q, Data<t1>:$K, Data<t2>:$V,
                       Optional<Data<ONNX_TensorOf<ONNX_Numbers # [I1], "U">>>:$attn_mask,
                       Optional<Data<t1>>:$past_key, Optional<Data<t2>>:$past_value,
                       Optional<Param<ONNX_I64Tensor>>:$nonpad_kv_seqlen,
                       DefaultValuedAttr<ONNX_Int, "0">:$is_causal,
                       OptionalAttr<ONNX_Int>:$kv_num_heads,
                       DefaultValuedAttr<ONNX_Int, "-1">:$left_window_size,
                       OptionalAttr<ONNX_Int>:$q_num_heads,
                       DefaultValuedAttr<ONNX_Int, "0">:$qk_matmul_output_mode,
                       DefaultValuedAttr<ONNX_Int, "-1">:$right_window_size,
                       OptionalAttr<F32Attr>:$scale, DefaultValuedAttr<F32Attr, "0.0f">:$softcap,
                       OptionalAttr<ONNX_Int>:$softmax_precision);
  let results = (outs t1:$Y, t1:$present_key, t2:$present_value, t1:$qk_matmul_output);
}

def ONNX_FlexAttentionOp : ONNX_Expanded<"preview.FlexAttention", 1, [ONNX_OptionalGraphs]> {
  let summary = "Attention whose scores and probabilities graphs change";
  let description = [{
    Constraints:
    * C1: `Q`, `K` and `V` have rank 4.
    * C2: `softmax_precision` is a float type.
  }];
  defvar tensor = ONNX_TensorOf<ONNX_Floats, "T1">;
  let arguments = (ins Data<tensor>:$Q, Data<tensor>:$K, Data<tensor>:$V,
                       OptionalAttr<F32Attr>:$scale, OptionalAttr<ONNX_Int>:$softmax_precision);
  let results = (outs tensor:$Y);
  let regions = (region AnyRegion:$prob_mod, AnyRegion:$score_mod);
  let extraDecls = [{
    /// The type that scores and probabilities are computed in; null where that is no float type.
    mlir::Type getPreciseType();
    llvm::SmallVector<mlir::Type> getBodyArgumentTypes(ExtentInference &infer);
  }];
}

def ONNX_RotaryEmbeddingOp : ONNX_Op<"RotaryEmbedding", 23, [Pure]> {
  let summary = "Pairs of elements turned by angles that grow with the position";
  let description = [{
    Constraints:
    * C1: `X` is [batch, heads, length, size], or [batch, length, heads * size] with
      `num_heads` given, positive, and dividing the last extent.
    * C2: `rotary_embedding_dim` is even, not negative, and at most the size of a
      head, which is even when all of it is turned.
    * C3: caches are [positions, turned / 2] with `position_ids`, else [batch, length,
      turned / 2].
    * C4: `position_ids` is [batch, length], each a position of the caches.
  }];
  defvar tensor = ONNX_TensorOf<[F16, BF16, F32]>;
  let arguments = (ins Data<tensor>:$X, Data<tensor>:$cos_cache, Data<tensor>:$sin_cache,
                       Optional<Param<ONNX_TensorOf<[I64], "M">>>:$position_ids,
                       DefaultValuedAttr<ONNX_Int, "0">:$interleaved,
                       OptionalAttr<ONNX_Int>:$num_heads,
                       DefaultValuedAttr<ONNX_Int, "0">:$rotary_embedding_dim);
  let results = (outs tensor:$Y);
}

def ONNX_LinearAttentionOp : ONNX_Op<"LinearAttention", 27, [AttrSizedOperandSegments, Pure]> {
  let summary = "Attention by a state that is updated with each token";
  let description = [{
    Constraints:
    * C1: `query`, `key` and `value` have rank 3, the same batch and length.
    * C2: `q_num_heads` and `kv_num_heads` are positive, the latter divides the
      former, and both divide the last extents.
    * C3: `past_state` is [batch, kv heads, key size, value size].
    * C4: `update_rule` is linear, gated, delta or gated_delta; gated rules, and no
      others, have `decay`, delta rules `beta`.
    * C5: `chunk_size` is positive.
    * C6: `decay` is [batch, length, kv heads] or [batch, length, kv heads * key size],
      `beta` [batch, length, kv heads] or [batch, length, 1].
  }];
  defvar tensor = ONNX_TensorOf<[F16, BF16, F32]>;
  defvar state = ONNX_TensorOf<[F16, BF16, F32], "S">;
  let arguments = (ins Data<tensor>:$query, Data<tensor>:$key, Data<tensor>:$value,
                       Optional<Data<state>>:$past_state, Optional<Data<tensor>>:$decay,
                       Optional<Data<tensor>>:$beta,
                       DefaultValuedAttr<ONNX_Int, "64">:$chunk_size, ONNX_Int:$kv_num_heads,
                       ONNX_Int:$q_num_heads, DefaultValuedAttr<F32Attr, "0.0f">:$scale,
                       DefaultValuedStrAttr<StrAttr, "gated_delta">:$update_rule);
  let results = (outs tensor:$output, state:$present_state);
}

def ONNX_CausalConvWithStateOp
    : ONNX_Op<"CausalConvWithState", 27, [AttrSizedOperandSegments, Pure]> {
  let summary = "Convolution per channel over what came before";
  let description = [{
    Constraints:
    * C1: `input` is [batch, channels, length], `weight` [channels, 1, k], k positive.
    * C2: `bias` is [channels], `past_state` [batch, channels, k - 1].
    * C3: `activation` is silu, swish or none.
  }];
  defvar tensor = ONNX_TensorOf<[F16, BF16, F32]>;
  let arguments = (ins Data<tensor>:$input, Data<tensor>:$weight, Optional<Data<tensor>>:$bias,
                       Optional<Data<tensor>>:$past_state,
                       DefaultValuedStrAttr<StrAttr, "none">:$activation);
  let results = (outs tensor:$output, tensor:$present_state);
}

#endif // CAMEO_DIALECT_ONNX_IR_ATTENTION_TD
