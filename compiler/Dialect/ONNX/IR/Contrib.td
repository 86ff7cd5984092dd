// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of ONNX Runtime: its domain com.microsoft, and what its optimiser writes into ONNX's own.

#ifndef CAMEO_DIALECT_ONNX_IR_CONTRIB_TD
#define CAMEO_DIALECT_ONNX_IR_CONTRIB_TD

include "Dialect/ONNX/IR/OnnxBase.td"

class ONNX_Contrib<string opType, list<Trait> traits = []> : ONNX_Expanded<opType, 1, traits>;

defvar ONNX_MsFloats = [F16, F32, F64];
defvar ONNX_MsSmallFloats = [F16, BF16, F32];
defvar ONNX_MsBytes = [I8, UI8];
defvar ONNX_MsTensor = ONNX_TensorOf<ONNX_MsSmallFloats>;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

class ONNX_MsUnary<string opType, list<Type> elements> : ONNX_Contrib<opType> {
  let arguments = (ins Data<ONNX_TensorOf<elements>>:$X);
  let results = (outs ONNX_TensorOf<elements>:$Y);
}

def ONNX_MsGeluOp : ONNX_MsUnary<"ms.Gelu", ONNX_Floats> { let summary = "Gelu of ONNX"; }
def ONNX_MsQuickGeluOp : ONNX_MsUnary<"ms.QuickGelu", ONNX_Floats> {
  let summary = "x * sigmoid(alpha * x)";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       DefaultValuedAttr<F32Attr, "1.702f">:$alpha);
}
def ONNX_MsFastGeluOp : ONNX_MsUnary<"ms.FastGelu", ONNX_Floats> {
  let summary = "Gelu by tanh, of a sum with a bias";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       Optional<Data<ONNX_TensorOf<ONNX_Floats>>>:$bias);
}
def ONNX_MsBiasGeluOp : ONNX_Contrib<"ms.BiasGelu"> {
  let summary = "Gelu of a sum";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$A, Data<ONNX_TensorOf<ONNX_Floats>>:$B);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$C);
}
def ONNX_MsBiasSplitGeluOp : ONNX_Contrib<"ms.BiasSplitGelu"> {
  let summary = "The first half of channels times Gelu of the other, behind a bias";
  let arguments = (ins Data<ONNX_TensorOf<[F16, F32]>>:$X, Data<ONNX_TensorOf<[F16, F32]>>:$bias);
  let results = (outs ONNX_TensorOf<[F16, F32]>:$Y);
}
def ONNX_MsBiasAddOp : ONNX_Contrib<"ms.BiasAdd"> {
  let summary = "A sum of three";
  defvar tensor = Data<ONNX_TensorOf<[F16, F32]>>;
  let arguments = (ins tensor:$X, tensor:$bias, tensor:$skip);
  let results = (outs ONNX_TensorOf<[F16, F32]>:$Y);
}

class ONNX_MsAffine<string opType, string input, string output,
                    Attr alpha = OptionalAttr<F32Attr>, Attr beta = OptionalAttr<F32Attr>>
    : ONNX_Contrib<opType> {
  let arguments = !con(!dag(ins, [Data<ONNX_TensorOf<ONNX_MsFloats>>], [input]),
                       (ins alpha:$alpha, beta:$beta));
  let results = !dag(outs, [ONNX_TensorOf<ONNX_MsFloats>], [output]);
}
def ONNX_AffineOp : ONNX_MsAffine<"Affine", "X", "Y", DefaultValuedAttr<F32Attr, "1.0f">,
                                  DefaultValuedAttr<F32Attr, "0.0f">> {
  let summary = "alpha * x + beta";
}
def ONNX_ParametricSoftplusOp : ONNX_MsAffine<"ParametricSoftplus", "X", "Y"> {
  let summary = "alpha * log(1 + exp(beta * x))";
}
def ONNX_ScaledTanhOp : ONNX_MsAffine<"ScaledTanh", "input", "output"> {
  let summary = "alpha * tanh(beta * x)";
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def ONNX_MsFusedConvOp : ONNX_Contrib<"ms.FusedConv", [AttrSizedOperandSegments]> {
  let summary = "Conv, a sum and an activation";
  defvar tensor = Data<ONNX_TensorOf<ONNX_MsFloats>>;
  defvar numbers = OptionalAttr<DenseI64ArrayAttr>;
  let arguments = (ins tensor:$X, tensor:$W, Optional<tensor>:$B, Optional<tensor>:$Z,
                       OptionalAttr<StrAttr>:$activation,
                       OptionalAttr<DenseF32ArrayAttr>:$activation_params,
                       DefaultValuedStrAttr<StrAttr, "NOTSET">:$auto_pad, numbers:$dilations,
                       DefaultValuedAttr<ONNX_Int, "1">:$group, numbers:$kernel_shape, numbers:$pads,
                       numbers:$strides);
  let results = (outs ONNX_TensorOf<ONNX_MsFloats>:$Y);
}

def ONNX_MsNhwcConvOp : ONNX_Contrib<"ms.NhwcConv"> {
  let summary = "Conv of channels that are last, by weights as Conv has them";
  defvar tensor = ONNX_TensorOf<ONNX_MsFloats>;
  defvar numbers = OptionalAttr<DenseI64ArrayAttr>;
  let arguments = (ins Data<tensor>:$X, Data<tensor>:$W, Optional<Data<tensor>>:$B,
                       DefaultValuedStrAttr<StrAttr, "NOTSET">:$auto_pad, numbers:$dilations,
                       DefaultValuedAttr<ONNX_Int, "1">:$group, numbers:$kernel_shape, numbers:$pads,
                       numbers:$strides);
  let results = (outs tensor:$Y);
}

def ONNX_MsFusedGemmOp : ONNX_Contrib<"ms.FusedGemm"> {
  let summary = "Gemm and an activation";
  defvar tensor = ONNX_TensorOf<ONNX_MsFloats # [UI32, UI64, I32, I64]>;
  let arguments = (ins Data<tensor>:$A, Data<tensor>:$B, Optional<Data<tensor>>:$C,
                       OptionalAttr<StrAttr>:$activation, OptionalAttr<F32Attr>:$activation_alpha,
                       OptionalAttr<F32Attr>:$activation_beta,
                       OptionalAttr<F32Attr>:$activation_gamma,
                       DefaultValuedAttr<F32Attr, "1.0f">:$alpha,
                       DefaultValuedAttr<F32Attr, "1.0f">:$beta,
                       DefaultValuedAttr<ONNX_Int, "0">:$transA,
                       DefaultValuedAttr<ONNX_Int, "0">:$transB);
  let results = (outs tensor:$Y);
}

def ONNX_MsFusedMatMulOp : ONNX_Contrib<"ms.FusedMatMul"> {
  let summary = "alpha * MatMul, operands transposed on request";
  defvar tensor = ONNX_TensorOf<ONNX_Floats>;
  let arguments = (ins Data<tensor>:$A, Data<tensor>:$B, DefaultValuedAttr<F32Attr, "1.0f">:$alpha,
                       DefaultValuedAttr<ONNX_Int, "0">:$transA,
                       DefaultValuedAttr<ONNX_Int, "0">:$transB,
                       DefaultValuedAttr<ONNX_Int, "0">:$transBatchA,
                       DefaultValuedAttr<ONNX_Int, "0">:$transBatchB);
  let results = (outs tensor:$Y);
}

def ONNX_MsTransposeMatMulOp : ONNX_Contrib<"ms.TransposeMatMul"> {
  let summary = "FusedMatMul before it had its name";
  defvar tensor = ONNX_TensorOf<ONNX_Floats>;
  let arguments = (ins Data<tensor>:$A, Data<tensor>:$B, DefaultValuedAttr<F32Attr, "1.0f">:$alpha,
                       DefaultValuedAttr<ONNX_Int, "0">:$transA,
                       DefaultValuedAttr<ONNX_Int, "0">:$transB);
  let results = (outs tensor:$Y);
}

def ONNX_MsMatMulNBitsOp : ONNX_Contrib<"ms.MatMulNBits", [AttrSizedOperandSegments]> {
  let summary = "A product by a matrix of few bits an element, with a scale for each block of a column";
  defvar tensor = ONNX_TensorOf<ONNX_MsSmallFloats, "T1">;
  let arguments = (ins Data<tensor>:$A, Data<ONNX_TensorOf<[UI8]>>:$B, Data<tensor>:$scales,
                       Optional<Data<ONNX_TensorOf<[UI8, F16, BF16, F32], "T3">>>:$zero_points,
                       Optional<Data<ONNX_TensorOf<[I32]>>>:$g_idx, Optional<Data<tensor>>:$bias,
                       ONNX_Int:$K, ONNX_Int:$N, DefaultValuedAttr<ONNX_Int, "0">:$accuracy_level,
                       DefaultValuedAttr<ONNX_Int, "4">:$bits, ONNX_Int:$block_size,
                       DefaultValuedAttr<ONNX_Int, "0">:$weight_prepacked);
  let results = (outs tensor:$Y);
}

def ONNX_MsMoEOp : ONNX_Contrib<"ms.MoE", [AttrSizedOperandSegments]> {
  let summary = "For each token the sum of a few experts, by weights of a router";
  defvar tensor = ONNX_TensorOf<ONNX_MsSmallFloats>;
  let arguments = (ins Data<tensor>:$input, Data<tensor>:$router_probs,
                       Data<tensor>:$fc1_experts_weights, Optional<Data<tensor>>:$fc1_experts_bias,
                       Data<tensor>:$fc2_experts_weights, Optional<Data<tensor>>:$fc2_experts_bias,
                       Optional<Data<tensor>>:$fc3_experts_weights,
                       Optional<Data<tensor>>:$fc3_experts_bias,
                       DefaultValuedAttr<F32Attr, "1.0f">:$activation_alpha,
                       DefaultValuedAttr<F32Attr, "0.0f">:$activation_beta,
                       DefaultValuedStrAttr<StrAttr, "relu">:$activation_type,
                       DefaultValuedAttr<ONNX_Int, "1">:$k,
                       DefaultValuedAttr<ONNX_Int, "0">:$normalize_routing_weights,
                       DefaultValuedAttr<ONNX_Int, "0">:$swiglu_fusion,
                       OptionalAttr<F32Attr>:$swiglu_limit,
                       DefaultValuedAttr<ONNX_Int, "0">:$use_sparse_mixer);
  let results = (outs tensor:$output);
}

def ONNX_MsQMoEOp : ONNX_Contrib<"ms.QMoE", [AttrSizedOperandSegments]> {
  let summary = "MoE by weights of few bits, with a scale for each row or each block of one";
  defvar tensor = ONNX_TensorOf<ONNX_MsSmallFloats>;
  defvar codes = Data<ONNX_TensorOf<[UI8, F8E4M3FN], "T1">>;
  defvar scale = Optional<Data<ONNX_TensorOf<ONNX_MsSmallFloats # [F8E8M0FNU, F8E4M3FN], "T2">>>;
  defvar bias = Optional<Data<tensor>>;
  defvar one = Optional<Data<ONNX_TensorOf<[F32], "T4">>>;
  let arguments = (ins Data<tensor>:$input, Data<tensor>:$router_probs,
                       codes:$fc1_experts_weights, scale:$fc1_scales, bias:$fc1_experts_bias,
                       codes:$fc2_experts_weights, scale:$fc2_scales, bias:$fc2_experts_bias,
                       Optional<codes>:$fc3_experts_weights, scale:$fc3_scales,
                       bias:$fc3_experts_bias, Optional<codes>:$fc1_zero_points,
                       Optional<codes>:$fc2_zero_points, Optional<codes>:$fc3_zero_points,
                       bias:$router_weights, one:$fc1_global_scale, one:$fc2_global_scale,
                       one:$fc1_act_scale, one:$fc2_act_scale, scale:$fc1_act_block_scale,
                       scale:$fc2_act_block_scale,
                       DefaultValuedAttr<ONNX_Int, "0">:$accuracy_level,
                       DefaultValuedAttr<F32Attr, "1.0f">:$activation_alpha,
                       DefaultValuedAttr<F32Attr, "0.0f">:$activation_beta,
                       DefaultValuedStrAttr<StrAttr, "relu">:$activation_type,
                       OptionalAttr<ONNX_Int>:$block_size,
                       DefaultValuedAttr<ONNX_Int, "4">:$expert_weight_bits,
                       OptionalAttr<ONNX_Int>:$fc1_expert_weight_bits,
                       OptionalAttr<ONNX_Int>:$fc2_expert_weight_bits,
                       OptionalAttr<ONNX_Int>:$fc3_expert_weight_bits,
                       DefaultValuedAttr<ONNX_Int, "1">:$k,
                       DefaultValuedAttr<ONNX_Int, "0">:$normalize_routing_weights,
                       DefaultValuedStrAttr<StrAttr, "int">:$quant_type,
                       DefaultValuedAttr<ONNX_Int, "0">:$swiglu_fusion,
                       OptionalAttr<F32Attr>:$swiglu_limit,
                       DefaultValuedAttr<ONNX_Int, "0">:$use_sparse_mixer,
                       DefaultValuedAttr<ONNX_Int, "-1">:$weights_prepacked);
  let results = (outs tensor:$output);
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

def ONNX_SimplifiedLayerNormalizationOp : ONNX_Contrib<"SimplifiedLayerNormalization"> {
  let summary = "RMSNormalization before ONNX had it";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       Data<ONNX_TensorOf<ONNX_Floats, "V">>:$scale,
                       DefaultValuedAttr<ONNX_Int, "-1">:$axis,
                       DefaultValuedAttr<F32Attr, "1e-05f">:$epsilon,
                       DefaultValuedAttr<ONNX_Int, "1">:$stash_type);
  let results = (outs ONNX_TensorOf<ONNX_Floats, "V">:$Y, ONNX_TensorOf<[F32, F64], "U">:$inv_std_var);
}

class ONNX_MsSkipNormalization<string opType, list<Trait> traits = []> : ONNX_Contrib<opType, traits> {
  let results = (outs ONNX_MsTensor:$output, ONNX_TensorOf<[F32]>:$mean, ONNX_TensorOf<[F32]>:$inv_std_var,
                      ONNX_MsTensor:$input_skip_bias_sum);
}
def ONNX_MsSkipLayerNormalizationOp : ONNX_MsSkipNormalization<"ms.SkipLayerNormalization", [AttrSizedOperandSegments]> {
  let summary = "LayerNormalization of a sum";
  let arguments = (ins Data<ONNX_MsTensor>:$input, Data<ONNX_MsTensor>:$skip, Data<ONNX_MsTensor>:$gamma,
                       Optional<Data<ONNX_MsTensor>>:$beta, Optional<Data<ONNX_MsTensor>>:$bias,
                       DefaultValuedAttr<F32Attr, "1e-12f">:$epsilon);
}
def ONNX_MsSkipSimplifiedLayerNormalizationOp
    : ONNX_MsSkipNormalization<"ms.SkipSimplifiedLayerNormalization"> {
  let summary = "RMSNormalization of a sum";
  let arguments = (ins Data<ONNX_MsTensor>:$input, Data<ONNX_MsTensor>:$skip, Data<ONNX_MsTensor>:$gamma,
                       Optional<Data<ONNX_MsTensor>>:$bias,
                       DefaultValuedAttr<F32Attr, "1e-12f">:$epsilon);
}

def ONNX_MsEmbedLayerNormalizationOp : ONNX_Contrib<"ms.EmbedLayerNormalization", [AttrSizedOperandSegments]> {
  let summary = "LayerNormalization of the sum of embeddings";
  defvar tensor = ONNX_TensorOf<[F16, F32]>;
  defvar ids = ONNX_TensorOf<[I32]>;
  let arguments = (ins Data<ids>:$input_ids, Optional<Data<ids>>:$segment_ids,
                       Data<tensor>:$word_embedding, Data<tensor>:$position_embedding,
                       Optional<Data<tensor>>:$segment_embedding, Data<tensor>:$gamma,
                       Data<tensor>:$beta, Optional<Data<ids>>:$mask,
                       Optional<Data<ids>>:$position_ids,
                       DefaultValuedAttr<F32Attr, "1e-12f">:$epsilon,
                       DefaultValuedAttr<ONNX_Int, "0">:$mask_index_type);
  let results = (outs tensor:$output, ids:$mask_index, tensor:$embedding_sum);
}

def ONNX_MsGroupNormOp : ONNX_Contrib<"ms.GroupNorm"> {
  let summary = "GroupNormalization, of channels that may be last, and an activation";
  let arguments = (ins Data<ONNX_TensorOf<[F16, F32]>>:$X,
                       Data<ONNX_TensorOf<[F16, F32], "M">>:$gamma,
                       Data<ONNX_TensorOf<[F16, F32], "M">>:$beta, ONNX_Int:$activation,
                       DefaultValuedAttr<ONNX_Int, "1">:$channels_last,
                       DefaultValuedAttr<F32Attr, "1e-05f">:$epsilon, ONNX_Int:$groups);
  let results = (outs ONNX_TensorOf<[F16, F32]>:$Y);
}

def ONNX_MsSkipGroupNormOp : ONNX_Contrib<"ms.SkipGroupNorm"> {
  let summary = "GroupNorm of a sum, which may have a bias for each channel";
  defvar tensor = ONNX_TensorOf<[F16, F32]>;
  let arguments = (ins Data<tensor>:$X, Data<ONNX_TensorOf<[F16, F32], "M">>:$gamma,
                       Data<ONNX_TensorOf<[F16, F32], "M">>:$beta, Data<tensor>:$skip,
                       Optional<Data<tensor>>:$bias, ONNX_Int:$activation,
                       DefaultValuedAttr<ONNX_Int, "1">:$channels_last,
                       DefaultValuedAttr<F32Attr, "1e-05f">:$epsilon, ONNX_Int:$groups);
  let results = (outs tensor:$Y, tensor:$S);
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

def ONNX_CropOp : ONNX_Contrib<"Crop"> {
  let summary = "An image without its borders";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_MsFloats>>:$input, OptionalAttr<DenseI64ArrayAttr>:$border,
                       OptionalAttr<DenseI64ArrayAttr>:$scale);
  let results = (outs ONNX_TensorOf<ONNX_MsFloats>:$output);
}

def ONNX_ImageScalerOp : ONNX_Contrib<"ImageScaler"> {
  let summary = "An image scaled, with a bias for each channel";
  let arguments = (ins Data<ONNX_TensorOf<ONNX_MsFloats>>:$input,
                       OptionalAttr<DenseF32ArrayAttr>:$bias,
                       DefaultValuedAttr<F32Attr, "1.0f">:$scale);
  let results = (outs ONNX_TensorOf<ONNX_MsFloats>:$output);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

def ONNX_MsRotaryEmbeddingOp : ONNX_Contrib<"ms.RotaryEmbedding"> {
  let summary = "RotaryEmbedding of ONNX, whose positions may be given by the first one";
  defvar tensor = ONNX_TensorOf<ONNX_MsSmallFloats>;
  let arguments = (ins Data<tensor>:$input, Data<ONNX_TensorOf<[I64], "M">>:$position_ids,
                       Data<tensor>:$cos_cache, Data<tensor>:$sin_cache,
                       DefaultValuedAttr<ONNX_Int, "0">:$interleaved,
                       DefaultValuedAttr<ONNX_Int, "0">:$is_packed_batching,
                       DefaultValuedAttr<ONNX_Int, "0">:$num_heads,
                       DefaultValuedAttr<ONNX_Int, "0">:$rotary_embedding_dim,
                       DefaultValuedAttr<F32Attr, "1.0f">:$scale);
  let results = (outs tensor:$output);
}

def ONNX_MsMultiHeadAttentionOp
    : ONNX_Contrib<"ms.MultiHeadAttention", [AttrSizedOperandSegments]> {
  let summary = "Attention whose operands may be packed, behind a bias";
  defvar tensor = ONNX_TensorOf<ONNX_MsSmallFloats>;
  defvar integers = ONNX_TensorOf<[I32]>;
  let arguments = (ins Data<tensor>:$query, Optional<Data<tensor>>:$key,
                       Optional<Data<tensor>>:$value, Optional<Data<tensor>>:$bias,
                       Optional<Data<integers>>:$key_padding_mask,
                       Optional<Data<tensor>>:$attention_bias, Optional<Data<tensor>>:$past_key,
                       Optional<Data<tensor>>:$past_value,
                       Optional<Data<integers>>:$past_sequence_length,
                       Optional<Data<integers>>:$cache_indirection,
                       OptionalAttr<F32Attr>:$mask_filter_value,
                       ONNX_Int:$num_heads, OptionalAttr<F32Attr>:$scale,
                       DefaultValuedAttr<ONNX_Int, "0">:$unidirectional);
  let results = (outs tensor:$output, tensor:$present_key, tensor:$present_value,
                      ONNX_TensorOf<ONNX_MsSmallFloats, "QK">:$qk);
}

def ONNX_MsAttentionOp : ONNX_Contrib<"ms.Attention", [AttrSizedOperandSegments]> {
  let summary = "Attention behind the product that makes queries, keys and values";
  defvar tensor = ONNX_TensorOf<ONNX_MsSmallFloats>;
  defvar integers = ONNX_TensorOf<[I32]>;
  let arguments = (ins Data<tensor>:$input, Data<tensor>:$weights, Optional<Data<tensor>>:$bias,
                       Optional<Data<integers>>:$mask_index, Optional<Data<tensor>>:$past,
                       Optional<Data<tensor>>:$attention_bias,
                       Optional<Data<integers>>:$past_sequence_length,
                       DefaultValuedAttr<ONNX_Int, "0">:$do_rotary,
                       OptionalAttr<F32Attr>:$mask_filter_value,
                       ONNX_Int:$num_heads, OptionalAttr<ONNX_Int>:$past_present_share_buffer,
                       OptionalAttr<DenseI64ArrayAttr>:$qkv_hidden_sizes,
                       OptionalAttr<ONNX_Int>:$rotary_embedding_dim, OptionalAttr<F32Attr>:$scale,
                       DefaultValuedAttr<ONNX_Int, "0">:$unidirectional);
  let results = (outs tensor:$output, tensor:$present);
}

def ONNX_MsQAttentionOp : ONNX_Contrib<"ms.QAttention", [AttrSizedOperandSegments]> {
  let summary = "Attention behind a product of quantised tensors";
  defvar t1 = Data<ONNX_TensorOf<ONNX_MsBytes, "T1">>;
  defvar t2 = Data<ONNX_TensorOf<ONNX_MsBytes, "T2">>;
  defvar t3 = ONNX_TensorOf<[F16, F32], "T3">;
  let arguments = (ins t1:$input, t2:$weight, Data<t3>:$bias, Data<t3>:$input_scale,
                       Data<t3>:$weight_scale, Optional<Data<ONNX_TensorOf<[I32]>>>:$mask_index,
                       Optional<t1>:$input_zero_point, Optional<t2>:$weight_zero_point,
                       Optional<Data<t3>>:$past, DefaultValuedAttr<ONNX_Int, "0">:$do_rotary,
                       OptionalAttr<F32Attr>:$mask_filter_value,
                       ONNX_Int:$num_heads, OptionalAttr<ONNX_Int>:$past_present_share_buffer,
                       OptionalAttr<F32Attr>:$scale,
                       DefaultValuedAttr<ONNX_Int, "0">:$unidirectional);
  let results = (outs t3:$output, t3:$present);
}

def ONNX_MsGroupQueryAttentionOp
    : ONNX_Contrib<"ms.GroupQueryAttention", [AttrSizedOperandSegments]> {
  let summary = "Attention over a cache that tokens are written into";
  defvar tensor = Data<ONNX_MsTensor>;
  defvar cache = ONNX_TensorOf<ONNX_MsSmallFloats # ONNX_MsBytes # [F8E4M3FN], "T_CACHE">;
  defvar scale = Optional<Data<ONNX_TensorOf<[F32]>>>;
  let arguments = (ins tensor:$query, Optional<tensor>:$key, Optional<tensor>:$value,
                       Optional<Data<cache>>:$past_key, Optional<Data<cache>>:$past_value,
                       Data<ONNX_TensorOf<[I32]>>:$seqlens_k,
                       Data<ONNX_TensorOf<[I32]>>:$total_sequence_length,
                       Optional<tensor>:$cos_cache, Optional<tensor>:$sin_cache,
                       Optional<Data<ONNX_I64Tensor>>:$position_ids,
                       Optional<tensor>:$attention_bias, Optional<tensor>:$head_sink,
                       scale:$k_scale, scale:$v_scale, Optional<tensor>:$q_norm_weight,
                       Optional<tensor>:$k_norm_weight, DefaultValuedAttr<ONNX_Int, "1">:$causal,
                       DefaultValuedAttr<ONNX_Int, "0">:$do_rotary,
                       DefaultValuedStrAttr<StrAttr, "NONE">:$k_quant_type,
                       OptionalAttr<ONNX_Int>:$kv_cache_bit_width, ONNX_Int:$kv_num_heads,
                       DefaultValuedAttr<ONNX_Int, "-1">:$local_window_size, ONNX_Int:$num_heads,
                       DefaultValuedAttr<F32Attr, "1e-06f">:$qk_norm_epsilon,
                       DefaultValuedAttr<ONNX_Int, "0">:$qk_output,
                       DefaultValuedAttr<ONNX_Int, "0">:$rotary_interleaved,
                       OptionalAttr<F32Attr>:$scale,
                       DefaultValuedAttr<ONNX_Int, "0">:$sliding_window_cache,
                       DefaultValuedAttr<ONNX_Int, "-1">:$smooth_softmax,
                       OptionalAttr<F32Attr>:$softcap,
                       DefaultValuedStrAttr<StrAttr, "NONE">:$v_quant_type);
  let results = (outs ONNX_MsTensor:$output, cache:$present_key, cache:$present_value,
                      ONNX_MsTensor:$output_qk);
}

def ONNX_MsSparseAttentionOp : ONNX_Contrib<"ms.SparseAttention", [AttrSizedOperandSegments]> {
  let summary = "GroupQueryAttention that sees the blocks of keys that a table names for each block of queries";
  defvar tensor = ONNX_TensorOf<ONNX_MsSmallFloats>;
  defvar integers = Data<ONNX_TensorOf<[I32], "M">>;
  let arguments = (ins Data<tensor>:$query, Optional<Data<tensor>>:$key,
                       Optional<Data<tensor>>:$value, Data<tensor>:$past_key,
                       Data<tensor>:$past_value, integers:$block_row_indices,
                       integers:$block_col_indices, integers:$total_sequence_length,
                       integers:$key_total_sequence_lengths, Optional<Data<tensor>>:$cos_cache,
                       Optional<Data<tensor>>:$sin_cache,
                       DefaultValuedAttr<ONNX_Int, "0">:$do_rotary, ONNX_Int:$kv_num_heads,
                       ONNX_Int:$num_heads, DefaultValuedAttr<ONNX_Int, "0">:$rotary_interleaved,
                       OptionalAttr<F32Attr>:$scale, ONNX_Int:$sparse_block_size);
  let results = (outs tensor:$output, tensor:$present_key, tensor:$present_value);
}

//===----------------------------------------------------------------------===//
// Quantised
//===----------------------------------------------------------------------===//

defvar ONNX_MsScale = Data<ONNX_TensorOf<[F32]>>;
defvar ONNX_MsByte = ONNX_TensorOf<ONNX_MsBytes>;

class ONNX_MsQuantisedBinary<string opType> : ONNX_Contrib<opType, [AttrSizedOperandSegments]> {
  let arguments = (ins Data<ONNX_MsByte>:$A, ONNX_MsScale:$A_scale,
                       Optional<Data<ONNX_MsByte>>:$A_zero_point, Data<ONNX_MsByte>:$B,
                       ONNX_MsScale:$B_scale, Optional<Data<ONNX_MsByte>>:$B_zero_point,
                       ONNX_MsScale:$C_scale, Optional<Data<ONNX_MsByte>>:$C_zero_point);
  let results = (outs ONNX_MsByte:$C);
}
def ONNX_MsQLinearAddOp : ONNX_MsQuantisedBinary<"ms.QLinearAdd"> { let summary = "Add"; }
def ONNX_MsQLinearMulOp : ONNX_MsQuantisedBinary<"ms.QLinearMul"> { let summary = "Mul"; }

def ONNX_MsQLinearSigmoidOp : ONNX_Contrib<"ms.QLinearSigmoid", [AttrSizedOperandSegments]> {
  let summary = "Sigmoid";
  let arguments = (ins Data<ONNX_MsByte>:$X, ONNX_MsScale:$X_scale,
                       Optional<Data<ONNX_MsByte>>:$X_zero_point, ONNX_MsScale:$Y_scale,
                       Optional<Data<ONNX_MsByte>>:$Y_zero_point);
  let results = (outs ONNX_MsByte:$Y);
}
def ONNX_MsQLinearLeakyReluOp : ONNX_Contrib<"ms.QLinearLeakyRelu", [AttrSizedOperandSegments]> {
  let summary = "LeakyRelu";
  let arguments = (ins Data<ONNX_MsByte>:$X, ONNX_MsScale:$X_scale,
                       Optional<Data<ONNX_MsByte>>:$X_zero_point, ONNX_MsScale:$Y_scale,
                       Optional<Data<ONNX_MsByte>>:$Y_zero_point,
                       DefaultValuedAttr<F32Attr, "0.01f">:$alpha);
  let results = (outs ONNX_MsByte:$Y);
}
def ONNX_MsQLinearSoftmaxOp : ONNX_Contrib<"ms.QLinearSoftmax"> {
  let summary = "Softmax of operator set `opset`";
  let arguments = (ins Data<ONNX_MsByte>:$X, ONNX_MsScale:$X_scale,
                       Optional<Data<ONNX_MsByte>>:$x_zero_point, ONNX_MsScale:$y_scale,
                       Data<ONNX_MsByte>:$y_zero_point,
                       DefaultValuedAttr<ONNX_Int, "-1">:$axis, ONNX_Int:$opset);
  let results = (outs ONNX_MsByte:$Y);
}
def ONNX_MsQLinearGlobalAveragePoolOp : ONNX_Contrib<"ms.QLinearGlobalAveragePool"> {
  let summary = "GlobalAveragePool, of channels that may be last";
  let arguments = (ins Data<ONNX_MsByte>:$X, ONNX_MsScale:$x_scale, Data<ONNX_MsByte>:$x_zero_point,
                       ONNX_MsScale:$y_scale, Data<ONNX_MsByte>:$y_zero_point,
                       DefaultValuedAttr<ONNX_Int, "0">:$channels_last);
  let results = (outs ONNX_MsByte:$Y);
}
def ONNX_MsQLinearAveragePoolOp : ONNX_Contrib<"ms.QLinearAveragePool", [AttrSizedOperandSegments]> {
  let summary = "AveragePool, of channels that may be last";
  defvar numbers = OptionalAttr<DenseI64ArrayAttr>;
  let arguments = (ins Data<ONNX_MsByte>:$X, ONNX_MsScale:$x_scale,
                       Optional<Data<ONNX_MsByte>>:$x_zero_point, ONNX_MsScale:$y_scale,
                       Optional<Data<ONNX_MsByte>>:$y_zero_point,
                       DefaultValuedStrAttr<StrAttr, "NOTSET">:$auto_pad,
                       DefaultValuedAttr<ONNX_Int, "0">:$ceil_mode,
                       DefaultValuedAttr<ONNX_Int, "0">:$channels_last,
                       DefaultValuedAttr<ONNX_Int, "0">:$count_include_pad,
                       DenseI64ArrayAttr:$kernel_shape, numbers:$pads, numbers:$strides);
  let results = (outs ONNX_MsByte:$Y);
}
def ONNX_MsQLinearConcatOp : ONNX_Contrib<"ms.QLinearConcat"> {
  let summary = "Concat of triples of a tensor, its scale and its zero point";
  let arguments = (ins ONNX_MsScale:$Y_scale, Data<ONNX_TensorOf<ONNX_MsBytes, "T8">>:$Y_zero_point,
                       Variadic<Data<ONNX_TensorOf<ONNX_MsBytes # [F32], "">>>:$inputs,
                       ONNX_Int:$axis);
  let results = (outs ONNX_TensorOf<ONNX_MsBytes, "T8">:$Y);
}
def ONNX_MsQLinearWhereOp : ONNX_Contrib<"ms.QLinearWhere"> {
  let summary = "Where";
  let arguments = (ins Data<ONNX_BoolTensor>:$condition, Data<ONNX_MsByte>:$X, ONNX_MsScale:$x_scale,
                       Data<ONNX_MsByte>:$x_zero_point, Data<ONNX_MsByte>:$Y, ONNX_MsScale:$y_scale,
                       Data<ONNX_MsByte>:$y_zero_point, ONNX_MsScale:$z_scale,
                       Data<ONNX_MsByte>:$z_zero_point);
  let results = (outs ONNX_MsByte:$Z);
}

def ONNX_MsQGemmOp : ONNX_Contrib<"ms.QGemm", [AttrSizedOperandSegments]> {
  let summary = "Gemm, quantised again where a scale of the result is given";
  defvar a = Data<ONNX_TensorOf<ONNX_MsBytes, "TA">>;
  defvar b = Data<ONNX_TensorOf<ONNX_MsBytes, "TB">>;
  let arguments = (ins a:$A, ONNX_MsScale:$a_scale, a:$a_zero_point, b:$B, ONNX_MsScale:$b_scale,
                       b:$b_zero_point, Optional<Data<ONNX_TensorOf<[I32]>>>:$C,
                       Optional<ONNX_MsScale>:$y_scale,
                       Optional<Data<ONNX_TensorOf<ONNX_MsBytes, "TYZ">>>:$y_zero_point,
                       DefaultValuedAttr<F32Attr, "1.0f">:$alpha,
                       DefaultValuedAttr<ONNX_Int, "0">:$transA,
                       DefaultValuedAttr<ONNX_Int, "0">:$transB);
  let results = (outs ONNX_TensorOf<[F32] # ONNX_MsBytes, "TY">:$Y);
}

def ONNX_MsMatMulIntegerToFloatOp
    : ONNX_Contrib<"ms.MatMulIntegerToFloat", [AttrSizedOperandSegments]> {
  let summary = "MatMulInteger, scaled, with a bias";
  defvar t1 = Data<ONNX_TensorOf<ONNX_MsBytes, "T1">>;
  defvar t2 = Data<ONNX_TensorOf<ONNX_MsBytes, "T2">>;
  defvar t3 = Data<ONNX_TensorOf<[F16, F32], "T3">>;
  let arguments = (ins t1:$A, t2:$B, t3:$a_scale, t3:$b_scale, Optional<t1>:$a_zero_point,
                       Optional<t2>:$b_zero_point, Optional<t3>:$bias);
  let results = (outs ONNX_TensorOf<[F16, F32], "T3">:$Y);
}

def ONNX_MsDynamicQuantizeMatMulOp
    : ONNX_Contrib<"ms.DynamicQuantizeMatMul", [AttrSizedOperandSegments]> {
  let summary = "DynamicQuantizeLinear, then MatMulIntegerToFloat";
  defvar t1 = Data<ONNX_TensorOf<[F32]>>;
  defvar t2 = Data<ONNX_TensorOf<ONNX_MsBytes, "T2">>;
  let arguments = (ins t1:$A, t2:$B, t1:$b_scale, Optional<t2>:$b_zero_point, Optional<t1>:$bias);
  let results = (outs ONNX_TensorOf<[F32]>:$Y);
}

def ONNX_MsDynamicQuantizeLSTMOp
    : ONNX_Contrib<"ms.DynamicQuantizeLSTM", [AttrSizedOperandSegments]> {
  let summary = "LSTM by quantised weights";
  let description = [{
    Activations stay floats, where ONNX Runtime quantises them in each step.
  }];
  defvar t = Data<ONNX_TensorOf<[F32]>>;
  defvar t2 = Data<ONNX_TensorOf<ONNX_MsBytes, "T2">>;
  let arguments = (ins t:$X, t2:$W, t2:$R, Optional<t>:$B, Optional<Data<ONNX_TensorOf<[I32]>>>:$sequence_lens,
                       Optional<t>:$initial_h, Optional<t>:$initial_c, Optional<t>:$P, t:$W_scale,
                       t2:$W_zero_point, t:$R_scale, t2:$R_zero_point,
                       OptionalAttr<DenseF32ArrayAttr>:$activation_alpha,
                       OptionalAttr<DenseF32ArrayAttr>:$activation_beta,
                       OptionalAttr<StrArrayAttr>:$activations, OptionalAttr<F32Attr>:$clip,
                       DefaultValuedStrAttr<StrAttr, "forward">:$direction,
                       OptionalAttr<ONNX_Int>:$hidden_size,
                       DefaultValuedAttr<ONNX_Int, "0">:$input_forget);
  let results = (outs ONNX_TensorOf<[F32]>:$Y, ONNX_TensorOf<[F32]>:$Y_h,
                      ONNX_TensorOf<[F32]>:$Y_c);
}

def ONNX_MsQuantizeLinearOp : ONNX_Contrib<"ms.QuantizeLinear"> {
  let summary = "QuantizeLinear of ONNX, for a type that it did not have yet";
  let arguments = (ins Data<ONNX_TensorOf<[F16, F32], "T1">>:$x,
                       Data<ONNX_TensorOf<[F16, F32], "T1">>:$y_scale,
                       Optional<Data<ONNX_TensorOf<[I8, UI8, I16, UI16, ONNX_I4, ONNX_UI4], "T2">>>:$y_zero_point,
                       OptionalAttr<ONNX_Int>:$axis);
  let results = (outs ONNX_TensorOf<[I8, UI8, I16, UI16, ONNX_I4, ONNX_UI4], "T2">:$y);
}
def ONNX_MsDequantizeLinearOp : ONNX_Contrib<"ms.DequantizeLinear"> {
  let summary = "DequantizeLinear of ONNX, for a type that it did not have yet";
  defvar elements = [I8, UI8, I16, UI16, I32, ONNX_I4, ONNX_UI4];
  let arguments = (ins Data<ONNX_TensorOf<elements, "T1">>:$x,
                       Data<ONNX_TensorOf<[F16, F32], "T2">>:$x_scale,
                       Optional<Data<ONNX_TensorOf<elements, "T1">>>:$x_zero_point,
                       OptionalAttr<ONNX_Int>:$axis);
  let results = (outs ONNX_TensorOf<[F16, F32], "T2">:$y);
}

def ONNX_MsGatherBlockQuantizedOp : ONNX_Contrib<"ms.GatherBlockQuantized"> {
  let summary = "Gather of a table of few bits an element, with a scale for each block";
  defvar elements = [ONNX_I4, ONNX_UI4, UI8] # ONNX_Float8s # [F4E2M1FN];
  let arguments = (ins Data<ONNX_TensorOf<elements, "T1">>:$data,
                       Data<ONNX_TensorOf<[I32, I64], "Tind">>:$indices,
                       Data<ONNX_TensorOf<ONNX_MsSmallFloats, "T2">>:$scales,
                       Optional<Data<ONNX_TensorOf<elements, "T1">>>:$zero_points,
                       DefaultValuedAttr<ONNX_Int, "4">:$bits,
                       DefaultValuedAttr<ONNX_Int, "128">:$block_size,
                       DefaultValuedAttr<ONNX_Int, "0">:$gather_axis,
                       DefaultValuedAttr<ONNX_Int, "1">:$quantize_axis);
  let results = (outs ONNX_TensorOf<ONNX_MsSmallFloats, "T2">:$output);
}

#endif // CAMEO_DIALECT_ONNX_IR_CONTRIB_TD
