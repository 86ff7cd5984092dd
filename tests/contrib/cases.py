# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of ONNX Runtime's own operators, over their attributes, optional operands and types.

Each function here, named like its operator, yields `case(operands, attributes)`: arrays by the names of the schema, of which
those in `CONSTANT` are initializers, None for one that is left out. `in_place` among the attributes: outputs that ONNX Runtime gets
in the memory of an input; `compared`: those that are specified, where not all are; `constant`: further initializers.
"""
import numpy as np

F16, F32, F64 = np.float16, np.float32, np.float64
FLOATS = (F32, F16)


def rng(*seed):
    return np.random.default_rng([sum(map(ord, str(part))) for part in seed])


def normal(r, *shape, dtype=F32):
    return r.standard_normal(shape).astype(dtype)


def codes(r, *shape, dtype=np.uint8):
    limits = np.iinfo(dtype)
    return r.integers(limits.min, limits.max + 1, shape).astype(dtype)


def weights_of(r, *shape, dtype=np.uint8):
    """Of 7 bits: products of a byte and a signed one saturate in ONNX Runtime on machines without VNNI."""
    return (r.integers(0, 128, shape) - (0 if dtype == np.uint8 else 64)).astype(dtype)


def scale(value=0.02):
    return F32(value)


def zero(value, dtype):
    return np.array(value, dtype)


# (a): fused by the optimiser, of floats.

def gelu(r):
    for dtype in FLOATS:
        yield {"X": normal(r, 3, 5, dtype=dtype)}, {}


def quick_gelu(r):
    for alpha in (None, 1.0, 0.5):
        yield {"X": normal(r, 4, 3)}, {} if alpha is None else {"alpha": alpha}


def fast_gelu(r):
    yield {"X": normal(r, 2, 3, 8)}, {}
    for dtype in FLOATS:
        yield {"X": normal(r, 2, 3, 8, dtype=dtype), "bias": normal(r, 8, dtype=dtype)}, {}


def bias_gelu(r):
    for shape in ((2, 3, 8), (5, 8)):
        yield {"A": normal(r, *shape), "B": normal(r, 8)}, {}


def fused_conv(r):
    x, w, b = normal(r, 1, 4, 7, 6), normal(r, 6, 4, 3, 3), normal(r, 6)
    for activation, parameters in (("Relu", None), ("Tanh", None), ("Sigmoid", None), ("LeakyRelu", [0.1]), ("Clip", [-0.5, 0.75]),
                                   ("HardSigmoid", [0.2, 0.4])):
        more = {} if parameters is None else {"activation_params": parameters}
        yield {"X": x, "W": w, "B": b}, {"activation": activation, **more}
    yield {"X": x, "W": w, "B": b, "Z": normal(r, 1, 6, 5, 4)}, {"activation": "Relu"}
    yield ({"X": x, "W": normal(r, 4, 2, 3, 3)},
           {"activation": "Relu", "group": 2, "pads": [1, 1, 1, 1], "strides": [2, 1], "dilations": [1, 2], "kernel_shape": [3, 3]})
    yield {"X": normal(r, 1, 4, 9), "W": normal(r, 6, 4, 3)}, {"activation": "Relu", "auto_pad": "SAME_UPPER"}
    yield {"X": x, "W": w}, {}


def fused_gemm(r):
    a, b, c = normal(r, 3, 4), normal(r, 4, 5), normal(r, 5)
    for activation, more in (("Relu", {}), ("Tanh", {}), ("Sigmoid", {}), ("LeakyRelu", {"activation_alpha": 0.2}),
                             ("Elu", {"activation_alpha": 0.7}), ("Softplus", {}), ("Softsign", {}),
                             ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.6}),
                             ("ThresholdedRelu", {"activation_alpha": 0.3})):
        yield {"A": a, "B": b, "C": c}, {"activation": activation, **more}
    yield {"A": a.T.copy(), "B": b.T.copy()}, {"activation": "Relu", "transA": 1, "transB": 1, "alpha": 0.5}
    yield {"A": a, "B": b, "C": normal(r, 3, 5)}, {"activation": "Relu", "alpha": 0.5, "beta": 2.0}


def fused_mat_mul(r):
    for ta in (0, 1):
        for tb in (0, 1):
            for lead in ((), (2, 3)):
                a = normal(r, *lead, *((5, 4) if ta else (4, 5)))
                b = normal(r, *lead, *((6, 5) if tb else (5, 6)))
                yield {"A": a, "B": b}, {"transA": ta, "transB": tb, "alpha": 0.125}
    yield {"A": normal(r, 5), "B": normal(r, 5, 6)}, {"transA": 1}
    yield {"A": normal(r, 4, 2, 3, 5), "B": normal(r, 5, 2, 3, 6)}, {"transBatchA": 1, "transBatchB": 1}
    yield {"A": normal(r, 5, 2, 4), "B": normal(r, 2, 6, 5)}, {"transBatchA": 1, "transA": 1, "transB": 1}
    yield {"A": normal(r, 2, 4, 5, dtype=F64), "B": normal(r, 5, 6, dtype=F64)}, {"alpha": 2.0}


def transpose_mat_mul(r):
    yield {"A": normal(r, 2, 5, 4), "B": normal(r, 2, 5, 6)}, {"transA": 1}
    yield {"A": normal(r, 4, 5), "B": normal(r, 6, 5)}, {"transB": 1, "alpha": 3.0}


def skip_layer_normalization(r):
    for dtype in FLOATS:
        x, g, b = normal(r, 2, 3, 8, dtype=dtype), normal(r, 8, dtype=dtype), normal(r, 8, dtype=dtype)
        yield {"input": x, "skip": normal(r, 2, 3, 8, dtype=dtype), "gamma": g, "beta": b}, {}
        yield {"input": x, "skip": normal(r, 2, 3, 8, dtype=dtype), "gamma": g}, {"epsilon": 1e-3}
        yield ({"input": x, "skip": normal(r, 3, 8, dtype=dtype), "gamma": g, "beta": b, "bias": normal(r, 8, dtype=dtype)},
               {"outputs": ["output", "", "", "input_skip_bias_sum"]})


def skip_simplified_layer_normalization(r):
    for dtype in FLOATS:
        x, g = normal(r, 2, 3, 8, dtype=dtype), normal(r, 8, dtype=dtype)
        yield {"input": x, "skip": normal(r, 2, 3, 8, dtype=dtype), "gamma": g}, {"epsilon": 1e-6}
        yield ({"input": x, "skip": normal(r, 1, 3, 8, dtype=dtype), "gamma": g, "bias": normal(r, 8, dtype=dtype)},
               {"outputs": ["output", "", "", "input_skip_bias_sum"], "epsilon": 1e-5})


def simplified_layer_normalization(r):
    for dtype in FLOATS:
        yield ({"X": normal(r, 2, 3, 8, dtype=dtype), "scale": normal(r, 8, dtype=dtype)},
               {"domain": "", "axis": -1, "epsilon": 1e-6, "stash_type": 1})


# (c): attention and embeddings.

def rotary_embedding(r):
    cos, sin = np.cos(normal(r, 16, 4)), np.sin(normal(r, 16, 4))
    for interleaved in (0, 1):
        more = {"interleaved": interleaved}
        yield {"input": normal(r, 2, 5, 24), "position_ids": np.int64([3]), "cos_cache": cos, "sin_cache": sin}, more
        ids = r.integers(0, 16, (2, 5))
        yield {"input": normal(r, 2, 5, 24), "position_ids": ids, "cos_cache": cos, "sin_cache": sin}, more
        yield {"input": normal(r, 2, 3, 5, 8), "position_ids": ids, "cos_cache": cos, "sin_cache": sin}, more
    half = {"cos_cache": cos[:, :2].copy(), "sin_cache": sin[:, :2].copy()}
    yield ({"input": normal(r, 2, 5, 24), "position_ids": np.int64([0]), **half}, {"num_heads": 3, "rotary_embedding_dim": 4})


def multi_head_attention(r):
    heads, size, b, s, t = 2, 4, 2, 3, 5
    h = heads * size
    q, k, v = normal(r, b, s, h), normal(r, b, t, h), normal(r, b, t, h)
    base = {"num_heads": heads}
    yield {"query": q, "key": k, "value": v}, base
    yield {"query": q, "key": k, "value": v, "bias": normal(r, 3 * h)}, {**base, "scale": 0.3}
    lengths = np.int32([2, 5])
    flags = np.int32([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]])
    yield {"query": q, "key": k, "value": v, "key_padding_mask": lengths}, base
    yield {"query": q, "key": k, "value": v, "key_padding_mask": flags}, {**base, "mask_filter_value": -100.0}
    yield {"query": q, "key": k, "value": v, "attention_bias": normal(r, 1, heads, s, t)}, base
    yield {"query": q, "key": k, "value": v, "key_padding_mask": flags, "attention_bias": normal(r, b, heads, s, t)}, base
    yield {"query": normal(r, b, t, h), "key": k, "value": v}, {**base, "unidirectional": 1}
    heads4 = {"key": normal(r, b, heads, t, size), "value": normal(r, b, heads, t, size)}
    yield {"query": q, **heads4}, base
    past = {"past_key": normal(r, b, heads, 2, size), "past_value": normal(r, b, heads, 2, size)}
    three = {"outputs": ["output", "present_key", "present_value"]}
    yield {"query": q, "key": normal(r, b, s, h), "value": normal(r, b, s, h), **past}, {**base, **three}
    yield {"query": q, "key": normal(r, b, s, h), "value": normal(r, b, s, h)}, {**base, **three}
    yield {"query": q, "key": k, "value": normal(r, b, t, 2 * h)}, base


def attention(r):
    heads, size, b, s = 2, 4, 2, 3
    h = heads * size
    base = {"num_heads": heads}
    x, w, bias = normal(r, b, s, 6), normal(r, 6, 3 * h), normal(r, 3 * h)
    yield {"input": x, "weights": w, "bias": bias}, base
    yield {"input": x, "weights": w, "bias": bias}, {**base, "unidirectional": 1}
    yield {"input": x, "weights": w, "bias": bias, "mask_index": np.int32([1, 3])}, base
    yield {"input": x, "weights": w, "bias": bias, "mask_index": np.int32([[1, 0, 1], [1, 1, 1]])}, {**base, "scale": 0.25}
    yield {"input": x, "weights": w, "bias": bias, "mask_index": r.integers(0, 2, (b, s, s)).astype(np.int32) | np.eye(s, dtype=np.int32)}, base
    yield {"input": x, "weights": w, "bias": bias, "past": normal(r, 2, b, heads, 4, size)}, {**base, "outputs": ["output", "present"]}
    yield {"input": x, "weights": w, "bias": bias}, {**base, "outputs": ["output", "present"]}
    yield {"input": x, "weights": w, "bias": bias, "attention_bias": normal(r, b, heads, s, s)}, base
    yield {"input": x, "weights": normal(r, 6, 8 + 8 + 12), "bias": normal(r, 28)}, {**base, "qkv_hidden_sizes": [8, 8, 12]}


def group_query_attention(r):
    heads, shared, size, b = 4, 2, 16, 2
    base = {"num_heads": heads, "kv_num_heads": shared, "outputs": ["output", "present_key", "present_value"]}
    cos, sin = np.cos(normal(r, 16, 8)), np.sin(normal(r, 16, 8))

    def tokens(s, past, filled, room=0, packed=False):
        b = len(filled)
        total = max(filled) + s
        made = {"query": normal(r, b, s, (heads + 2 * shared if packed else heads) * size)}
        if not packed:
            made.update(key=normal(r, b, s, shared * size), value=normal(r, b, s, shared * size))
        made.update(past_key=normal(r, b, shared, past + room, size), past_value=normal(r, b, shared, past + room, size),
                    seqlens_k=np.int32([f + s - 1 for f in filled]), total_sequence_length=np.int32(total))
        return made
    yield tokens(5, 0, [0, 0]), base
    yield tokens(1, 4, [4, 4]), base
    yield tokens(1, 4, [4, 4], packed=True), base
    rotary = {"cos_cache": cos, "sin_cache": sin}
    yield {**tokens(5, 0, [0, 0]), **rotary}, {**base, "do_rotary": 1}
    yield {**tokens(1, 4, [4, 4]), **rotary}, {**base, "do_rotary": 1, "rotary_interleaved": 1}
    yield tokens(1, 6, [6, 6]), {**base, "local_window_size": 3}
    yield tokens(5, 0, [0, 0]), {**base, "local_window_size": 2, "scale": 0.5}
    yield tokens(1, 4, [4, 4]), {**base, "softcap": 5.0}
    yield {**tokens(1, 4, [4, 4]), "attention_bias": normal(r, 1, 1, 1, 5)}, base
    yield tokens(3, 4, [4]), base
    yield tokens(3, 0, [0, 0]), {**base, "causal": 0}
    buffer = {**base, "in_place": {"present_key": "past_key", "present_value": "past_value"}}
    yield tokens(1, 4, [4, 4], room=7), buffer
    yield {**tokens(1, 6, [6, 2], room=3), **rotary}, {**buffer, "do_rotary": 1}
    yield {**tokens(3, 4, [4], room=5), **rotary}, {**buffer, "do_rotary": 1}
    sink = {"head_sink": normal(r, heads)}
    yield {**tokens(1, 4, [4, 4]), **sink}, base
    yield {**tokens(5, 0, [0, 0]), **sink, **rotary}, {**base, "do_rotary": 1, "local_window_size": 3, "softcap": 5.0}
    yield tokens(3, 4, [4]), {**base, "smooth_softmax": 1}
    scores = {"outputs": [*base["outputs"], "output_qk"]}
    for output in (1, 2):
        yield tokens(3, 4, [4]), {**base, **scores, "qk_output": output}
        yield {**tokens(1, 4, [4, 4]), **sink}, {**base, **scores, "qk_output": output, "softcap": 5.0}
    yield {name: value.astype(F16) if value.dtype == F32 else value for name, value in tokens(1, 4, [4, 4]).items()}, base

    def quantised(given, bits, shape):
        codes = {8: np.int8, 4: np.uint8}[bits]
        limits = np.iinfo(codes)
        for name in ("past_key", "past_value"):
            dims = [*given[name].shape[:3], size * bits // 8]
            given[name] = r.integers(limits.min, limits.max + 1, dims).astype(codes)
        return {**given, "k_scale": (0.01 + 0.02 * r.random(shape)).astype(F32), "v_scale": (0.01 + 0.02 * r.random(shape)).astype(F32)}
    for bits in (8, 4):
        for form, shape in (("PER_TENSOR", (1,)), ("PER_CHANNEL", (1, shared, 1, size))):
            more = {**base, "k_quant_type": form, "v_quant_type": form, "kv_cache_bit_width": bits}
            yield quantised(tokens(1, 4, [4, 4]), bits, shape), more
            yield quantised({**tokens(3, 4, [4]), **rotary}, bits, shape), {**more, "do_rotary": 1}


    # Rows of the present behind its tokens are not specified, so a cache that is not full afterwards is not compared.
    def sliding(s, before, capacity, window, **more):
        given = tokens(s, before, [before])
        group = capacity - window + 1
        kept = before - group * max(0, -((capacity - before) // group))
        for name in ("past_key", "past_value"):
            given[name] = normal(r, 1, shared, capacity, size)
            given[name][:, :, kept:] = 0
        return given, {**base, "sliding_window_cache": 1, "local_window_size": window, **more}
    for s, before, capacity, window in ((1, 9, 5, 5), (1, 4, 5, 5), (3, 7, 5, 5), (1, 8, 6, 4), (7, 4, 5, 5), (5, 0, 5, 4)):
        yield sliding(s, before, capacity, window)
    for s, before, capacity, window in ((1, 2, 5, 5), (1, 5, 5, 3), (1, 12, 6, 4), (4, 3, 9, 3)):
        yield sliding(s, before, capacity, window, compared=["output"])
    given, attributes = sliding(1, 9, 5, 5)
    yield {**given, **rotary}, {**attributes, "do_rotary": 1}
    yield {**given, **sink}, {**attributes, "softcap": 5.0}
    yield {**given, "attention_bias": normal(r, 1, 1, 1, 10)}, attributes


def sparse_attention(r):
    heads, shared, size, block, room = 4, 2, 16, 16, 64
    rows = np.int32([[0, 1, 3, 5, 8], [0, 1, 3, 6, 9]])
    columns = np.int32([[0, 0, 1, 1, 2, 1, 2, 3, -1], [0, 0, 1, 0, 1, 2, 0, 2, 3]])
    base = {"num_heads": heads, "kv_num_heads": shared, "sparse_block_size": block, "outputs": ["output", "present_key", "present_value"],
            "in_place": {"present_key": "past_key", "present_value": "past_value"}}
    cos, sin = np.cos(normal(r, room, size // 2)), np.sin(normal(r, room, size // 2))

    def tokens(s, filled, layouts):
        past = np.zeros((2, len(filled), shared, room, size), F32)
        for entry, count in enumerate(filled):
            past[:, entry, :, :count] = normal(r, 2, shared, count, size)
        return {"query": normal(r, len(filled), s, heads * size), "key": normal(r, len(filled), s, shared * size),
                "value": normal(r, len(filled), s, shared * size), "past_key": past[0], "past_value": past[1],
                "block_row_indices": rows[:layouts], "block_col_indices": columns[:layouts],
                "total_sequence_length": np.int32([max(filled) + s]),
                "key_total_sequence_lengths": np.int32([count + s for count in filled])}
    yield tokens(40, [0], 1), base
    yield tokens(1, [37], 2), {**base, "scale": 0.3}
    yield tokens(1, [50, 50], 2), base
    yield {**tokens(60, [0, 0], 2), "cos_cache": cos, "sin_cache": sin}, {**base, "do_rotary": 1}


def mo_e(r):
    tokens, hidden, inner, experts = 5, 8, 12, 4
    for dtype in FLOATS:
        given = {"input": normal(r, tokens, hidden, dtype=dtype), "router_probs": normal(r, tokens, experts, dtype=dtype),
                 "fc1_experts_weights": normal(r, experts, inner, hidden, dtype=dtype) * dtype(0.3),
                 "fc1_experts_bias": normal(r, experts, inner, dtype=dtype),
                 "fc2_experts_weights": normal(r, experts, hidden, inner, dtype=dtype) * dtype(0.3),
                 "fc2_experts_bias": normal(r, experts, hidden, dtype=dtype)}
        # Weights of halves that are not normalised are 0 in ONNX Runtime.
        base = {"normalize_routing_weights": int(dtype == F16)}
        for activation in ("relu", "gelu", "silu", "identity"):
            yield given, {**base, "k": 2, "activation_type": activation}
        yield given, {"k": 1, "normalize_routing_weights": 1}
        yield {**given, "fc1_experts_bias": None, "fc2_experts_bias": None}, {"k": 3, "normalize_routing_weights": 1}
        yield {**given, "input": normal(r, 1, tokens, hidden, dtype=dtype)}, {**base, "k": 4}
        gated = {**given, "fc1_experts_weights": normal(r, experts, 2 * inner, hidden, dtype=dtype) * dtype(0.3),
                 "fc1_experts_bias": normal(r, experts, 2 * inner, dtype=dtype)}
        more = {**base, "k": 2, "activation_type": "swiglu", "swiglu_fusion": 1, "activation_alpha": 1.702, "activation_beta": 1.0}
        yield gated, more
        yield gated, {**more, "swiglu_limit": 0.5, "normalize_routing_weights": 1}


def q_mo_e(r):
    tokens, hidden, inner, experts = 3, 32, 64, 4
    base = {"k": 2, "activation_type": "silu", "normalize_routing_weights": 1}

    def given(bits, block, points=False, inner_rows=inner):
        made = {"input": normal(r, tokens, hidden), "router_probs": normal(r, tokens, experts)}
        for name, rows, length in (("fc1", inner_rows, hidden), ("fc2", hidden, inner)):
            blocks = [length // block] if block else []
            made[f"{name}_experts_weights"] = codes(r, experts, rows, length * bits // 8)
            made[f"{name}_scales"] = (0.01 + 0.02 * r.random((experts, rows, *blocks))).astype(F32)
            made[f"{name}_experts_bias"] = normal(r, experts, rows)
            if points:
                packed = [rows, -(-blocks[0] * bits // 8)] if block else [-(-rows * bits // 8)]
                made[f"{name}_zero_points"] = codes(r, experts, *packed)
        return made
    # By blocks of 8 bits ONNX Runtime multiplies activations that it has quantised.
    for bits in (4, 8, 2):
        for block in (0,) if bits == 8 else (0, 32):
            more = {**base, "expert_weight_bits": bits, **({"block_size": block} if block else {})}
            yield given(bits, block), more
            yield given(bits, block, points=True), more
    yield given(4, 16), {**base, "block_size": 16, "normalize_routing_weights": 0}
    yield (given(4, 16, inner_rows=2 * inner), {**base, "block_size": 16, "activation_type": "swiglu", "swiglu_fusion": 1,
                                                "activation_alpha": 1.702, "activation_beta": 1.0, "swiglu_limit": 7.0})
    weights = {"router_weights": np.abs(normal(r, tokens, experts))}
    for normalized in (0, 1):
        yield {**given(4, 0), **weights}, {**base, "normalize_routing_weights": normalized}


def embed_layer_normalization(r):
    words, places, segments = normal(r, 11, 8), normal(r, 7, 8), normal(r, 2, 8)
    ids = r.integers(0, 11, (2, 5)).astype(np.int32)
    after = {"gamma": normal(r, 8), "beta": normal(r, 8)}
    two = {"outputs": ["output", "mask_index"]}
    seg = {"segment_ids": r.integers(0, 2, (2, 5)).astype(np.int32), "segment_embedding": segments}
    yield {"input_ids": ids, "word_embedding": words, "position_embedding": places, **seg, **after}, two
    yield {"input_ids": ids, "word_embedding": words, "position_embedding": places, **after}, {**two, "epsilon": 1e-5}
    mask = np.int32([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
    yield {"input_ids": ids, "word_embedding": words, "position_embedding": places, **seg, **after, "mask": mask}, two
    yield ({"input_ids": ids, "word_embedding": words, "position_embedding": places, **seg, **after,
            "position_ids": r.integers(0, 7, (2, 5)).astype(np.int32)}, {"outputs": ["output", "mask_index", "embedding_sum"]})


def mat_mul_n_bits(r):
    for bits in (4, 8, 2):
        for k, n, block in ((32, 8, 16), (40, 5, 32)):
            blocks = -(-k // block)
            b = codes(r, n, blocks, block * bits // 8)
            scales = (0.01 + r.random((n, blocks))).astype(F32)
            more = {"K": k, "N": n, "block_size": block, "bits": bits}
            yield {"A": normal(r, 3, k), "B": b, "scales": scales}, more
            zeros = codes(r, n, -(-blocks * bits // 8))
            yield {"A": normal(r, 2, 3, k), "B": b, "scales": scales, "zero_points": zeros, "bias": normal(r, n)}, more
            # Rows may be rounded to bytes, which hold these exactly: 127 steps are the largest of each group.
            steps = r.integers(-127, 128, (3, k))
            steps[:, ::16] = 127
            yield {"A": (steps / 64).astype(F32), "B": b, "scales": scales, "zero_points": zeros}, {**more, "accuracy_level": 4}


def gather_block_quantized(r):
    ids = r.integers(0, 9, (2, 3))
    for bits in (4, 8):
        data, blocks = codes(r, 9, 32 * bits // 8), 2
        scales = (0.01 + r.random((9, blocks))).astype(F32)
        more = {"bits": bits, "block_size": 16, "gather_axis": 0, "quantize_axis": 1}
        yield {"data": data, "indices": ids, "scales": scales}, more
        yield {"data": data, "indices": ids, "scales": scales, "zero_points": codes(r, 9, -(-blocks * bits // 8))}, more


# (d): quantised.

def quantised_pair(r, dtype, *shapes):
    middle = 128 if dtype == np.uint8 else 0
    return {"A": codes(r, *shapes[0], dtype=dtype), "A_scale": scale(0.02), "A_zero_point": zero(middle + 3, dtype),
            "B": codes(r, *shapes[1], dtype=dtype), "B_scale": scale(0.03), "B_zero_point": zero(middle - 5, dtype)}


def q_linear_add(r):
    for dtype in (np.uint8, np.int8):
        for other in ((2, 3, 4), (3, 1), ()):
            yield {**quantised_pair(r, dtype, (2, 3, 4), other), "C_scale": scale(0.05), "C_zero_point": zero(7, dtype)}, {}


def q_linear_mul(r):
    for dtype in (np.uint8, np.int8):
        for other in ((2, 3, 4), (4,)):
            yield {**quantised_pair(r, dtype, (2, 3, 4), other), "C_scale": scale(0.07), "C_zero_point": zero(9, dtype)}, {}


def unary(r, dtype, *shape, names=("X_scale", "X_zero_point", "Y_scale", "Y_zero_point"), out=(0.02, 5)):
    return {"X": codes(r, *shape, dtype=dtype), names[0]: scale(0.03), names[1]: zero(4, dtype), names[2]: scale(out[0]),
            names[3]: zero(out[1], dtype)}


def q_linear_sigmoid(r):
    for dtype in (np.uint8, np.int8):
        yield unary(r, dtype, 3, 7, out=(1 / 256, 0)), {}


def q_linear_leaky_relu(r):
    for dtype in (np.uint8, np.int8):
        yield unary(r, dtype, 3, 7), {"alpha": 0.1}


def q_linear_softmax(r):
    names = ("X_scale", "x_zero_point", "y_scale", "y_zero_point")
    for dtype in (np.uint8, np.int8):
        for opset, axis in ((13, -1), (13, 1), (12, 1)):
            yield unary(r, dtype, 2, 3, 4, names=names, out=(1 / 256, np.iinfo(dtype).min)), {"axis": axis, "opset": opset}


LOWER = ("x_scale", "x_zero_point", "y_scale", "y_zero_point")


def q_linear_global_average_pool(r):
    for dtype in (np.uint8, np.int8):
        yield unary(r, dtype, 2, 3, 4, 5, names=LOWER), {}
        yield unary(r, dtype, 2, 4, 5, 3, names=LOWER), {"channels_last": 1}


def q_linear_average_pool(r):
    for dtype in (np.uint8, np.int8):
        yield unary(r, dtype, 1, 3, 6, 7, names=LOWER), {"kernel_shape": [2, 3], "strides": [2, 2]}
        yield unary(r, dtype, 1, 3, 6, 7, names=LOWER), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}
    yield unary(r, np.uint8, 1, 6, 7, 3, names=LOWER), {"kernel_shape": [2, 3], "channels_last": 1}


def q_linear_concat(r):
    for dtype in (np.uint8, np.int8):
        parts = []
        for extent in (2, 3, 1):
            parts += [codes(r, 2, extent, 4, dtype=dtype), scale(0.01 * extent), zero(extent, dtype)]
        yield {"Y_scale": scale(0.03), "Y_zero_point": zero(6, dtype), "inputs": parts}, {"axis": 1}


def q_linear_where(r):
    for dtype in (np.uint8, np.int8):
        yield ({"condition": r.random((3, 4)) < 0.5, "X": codes(r, 3, 4, dtype=dtype), "x_scale": scale(0.02), "x_zero_point": zero(3, dtype),
                "Y": codes(r, 1, 4, dtype=dtype), "y_scale": scale(0.04), "y_zero_point": zero(1, dtype), "z_scale": scale(0.03),
                "z_zero_point": zero(2, dtype)}, {})


# As quantisers write them.
PARAMETERS = ("a_scale", "a_zero_point", "y_scale", "y_zero_point")


def q_gemm(r):
    for dtype in (np.uint8, np.int8):
        a = {"A": codes(r, 3, 8), "a_scale": scale(0.02), "a_zero_point": zero(120, np.uint8)}
        b = {"B": weights_of(r, 8, 5, dtype=dtype), "b_scale": scale(0.03), "b_zero_point": zero(2, dtype)}
        c = {"C": r.integers(-500, 500, 5).astype(np.int32)}
        y = {"y_scale": scale(0.2), "y_zero_point": zero(128, np.uint8)}
        yield {**a, **b, **c, **y}, {}
        yield {**a, **b, **c, **y}, {"constant": PARAMETERS}
        yield {**a, **b, **c}, {"alpha": 1.0}
        yield {**a, **b, **y}, {}
        yield {**a, "B": weights_of(r, 5, 8, dtype=dtype), "b_scale": scale(0.03), "b_zero_point": zero(2, dtype), **c, **y}, \
            {"transB": 1, "constant": PARAMETERS}


def q_linear_mat_mul(r):
    """Of ONNX's own domain: signed rows and unsigned ones, one and many, by weights and by other rows."""
    onnx = {"domain": "", "version": 21}
    for left, right in ((np.uint8, np.int8), (np.int8, np.int8), (np.uint8, np.uint8)):
        a = {"a_scale": scale(0.02), "a_zero_point": zero(12, left)}
        y = {"y_scale": scale(0.2), "y_zero_point": zero(28, left)}
        b = {"b": weights_of(r, 24, 19, dtype=right), "b_scale": scale(0.01), "b_zero_point": zero(3, right)}
        for shape in ((1, 24), (37, 24), (2, 5, 24)):
            yield {"a": codes(r, *shape, dtype=left), **a, **b, **y}, {**onnx, "constant": (*PARAMETERS, "b")}
        yield {"a": codes(r, 4, 24, dtype=left), **a, **b, **y}, {**onnx, "constant": PARAMETERS}
        yield {"a": codes(r, 4, 24, dtype=left), **a, **b, **y}, onnx
        columns = {"b_scale": (0.005 + r.random(19) / 100).astype(F32), "b_zero_point": np.zeros(19, right)}
        yield {"a": codes(r, 4, 24, dtype=left), **a, **b, **columns, **y}, {**onnx, "constant": (*PARAMETERS, "b")}


def mat_mul_integer(r):
    for left, right in ((np.uint8, np.int8), (np.uint8, np.uint8)):
        for rows in (1, 37):
            made = {"A": codes(r, rows, 24, dtype=left), "B": weights_of(r, 24, 19, dtype=right)}
            yield made, {"domain": ""}
            yield {**made, "a_zero_point": zero(5, left), "b_zero_point": zero(7, right)}, {"domain": ""}


def mat_mul_integer_to_float(r):
    for left, right in ((np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8)):
        made = {"A": codes(r, 2, 3, 8, dtype=left), "B": weights_of(r, 8, 5, dtype=right), "a_scale": scale(0.02), "b_scale": scale(0.03)}
        yield made, {}
        yield {**made, "a_zero_point": zero(5, left), "b_zero_point": zero(7, right), "bias": normal(r, 5)}, {}
    made = {"A": codes(r, 3, 8), "B": weights_of(r, 8, 5, dtype=np.int8), "a_scale": scale(0.02)}
    yield {**made, "b_scale": (0.01 + r.random(5)).astype(F32), "a_zero_point": zero(9, np.uint8), "b_zero_point": codes(r, 5, dtype=np.int8)}, {}


def dynamic_quantize_mat_mul(r):
    for dtype in (np.uint8, np.int8):
        b = {"B": weights_of(r, 8, 5, dtype=dtype), "b_scale": scale(0.03)}
        yield {"A": normal(r, 3, 8), **b}, {}
        yield {"A": normal(r, 2, 3, 8), **b, "b_zero_point": zero(9, dtype), "bias": normal(r, 5)}, {}


def q_attention(r):
    heads, h = 2, 8
    for weights in (np.uint8, np.int8):
        made = {"input": codes(r, 2, 3, 6), "weight": weights_of(r, 6, 3 * h, dtype=weights), "bias": normal(r, 3 * h),
                "input_scale": scale(0.01), "weight_scale": scale(0.01), "input_zero_point": zero(128, np.uint8),
                "weight_zero_point": zero(1, weights)}
        yield made, {"num_heads": heads}
        yield {**made, "mask_index": np.int32([[1, 1, 0], [1, 1, 1]])}, {"num_heads": heads, "unidirectional": 1}


def quantize_linear(r):
    for dtype in (np.int8, np.uint8, np.int16, np.uint16):
        yield {"x": normal(r, 3, 4), "y_scale": scale(0.01), "y_zero_point": zero(5, dtype)}, {}
    yield {"x": normal(r, 3, 4), "y_scale": (0.01 + r.random(4)).astype(F32), "y_zero_point": np.zeros(4, np.uint16)}, {"axis": 1}


def dequantize_linear(r):
    for dtype in (np.int8, np.uint8, np.int16, np.uint16):
        yield {"x": codes(r, 3, 4, dtype=dtype), "x_scale": scale(0.01), "x_zero_point": zero(5, dtype)}, {}
    yield {"x": codes(r, 3, 4, dtype=np.int16), "x_scale": (0.01 + r.random(3)).astype(F32), "x_zero_point": np.zeros(3, np.int16)}, {"axis": 0}


def dynamic_quantize_lstm(r):
    hidden, inputs = 4, 6
    for dtype in (np.uint8, np.int8):
        for directions, direction in ((1, "forward"), (2, "bidirectional")):
            w, rec = (weights_of(r, directions, rows, 4 * hidden, dtype=dtype) for rows in (inputs, hidden))
            middle = 64 if dtype == np.uint8 else 0
            made = {"X": normal(r, 5, 2, inputs), "W": w, "R": rec, "W_scale": np.full(directions, 0.004, F32),
                    "W_zero_point": np.full(directions, middle, dtype), "R_scale": np.full(directions, 0.004, F32),
                    "R_zero_point": np.full(directions, middle, dtype)}
            more = {"hidden_size": hidden, "direction": direction, "outputs": ["Y", "Y_h", "Y_c"]}
            yield made, more
            yield {**made, "B": normal(r, directions, 8 * hidden)}, more


# (e): old forms, which ONNX Runtime has up to operator set 9.

def affine(r):
    yield {"X": normal(r, 3, 4)}, {"domain": "", "version": 9, "alpha": 2.0, "beta": 0.5}


def parametric_softplus(r):
    yield {"X": normal(r, 3, 4)}, {"domain": "", "version": 9, "alpha": 2.0, "beta": 0.5}


def scaled_tanh(r):
    yield {"input": normal(r, 3, 4)}, {"domain": "", "version": 9, "alpha": 2.0, "beta": 0.5}


def image_scaler(r):
    yield {"input": normal(r, 1, 3, 4, 5)}, {"domain": "", "version": 9, "scale": 0.5, "bias": [1.0, 2.0, 3.0]}


def crop(r):
    yield {"input": normal(r, 1, 3, 8, 9)}, {"domain": "", "version": 9, "border": [1, 2, 3, 1]}
    yield {"input": normal(r, 1, 3, 8, 9)}, {"domain": "", "version": 9, "border": [1, 2, 0, 0], "scale": [3, 4]}


OPERATORS = {"Gelu": gelu, "QuickGelu": quick_gelu, "FastGelu": fast_gelu, "BiasGelu": bias_gelu, "FusedConv": fused_conv,
             "FusedGemm": fused_gemm, "FusedMatMul": fused_mat_mul, "TransposeMatMul": transpose_mat_mul,
             "SkipLayerNormalization": skip_layer_normalization,
             "SkipSimplifiedLayerNormalization": skip_simplified_layer_normalization,
             "SimplifiedLayerNormalization": simplified_layer_normalization, "RotaryEmbedding": rotary_embedding,
             "MultiHeadAttention": multi_head_attention, "Attention": attention, "GroupQueryAttention": group_query_attention,
             "EmbedLayerNormalization": embed_layer_normalization, "MatMulNBits": mat_mul_n_bits,
             "GatherBlockQuantized": gather_block_quantized, "QLinearAdd": q_linear_add, "QLinearMul": q_linear_mul,
             "QLinearSigmoid": q_linear_sigmoid, "QLinearLeakyRelu": q_linear_leaky_relu, "QLinearSoftmax": q_linear_softmax,
             "QLinearGlobalAveragePool": q_linear_global_average_pool, "QLinearAveragePool": q_linear_average_pool,
             "QLinearConcat": q_linear_concat, "QLinearWhere": q_linear_where, "QGemm": q_gemm,
             "QLinearMatMul": q_linear_mat_mul, "MatMulInteger": mat_mul_integer,
             "MatMulIntegerToFloat": mat_mul_integer_to_float, "DynamicQuantizeMatMul": dynamic_quantize_mat_mul,
             "QAttention": q_attention, "MoE": mo_e, "QMoE": q_mo_e,
             "SparseAttention": sparse_attention, "QuantizeLinear": quantize_linear, "DequantizeLinear": dequantize_linear,
             "DynamicQuantizeLSTM": dynamic_quantize_lstm, "Affine": affine,
             "ParametricSoftplus": parametric_softplus, "ScaledTanh": scaled_tanh, "ImageScaler": image_scaler, "Crop": crop}

# Weights, which ONNX Runtime's optimiser writes as initializers, and what kernels of it want to be constant.
CONSTANT = {"W", "R", "B", "weights", "weight", "scales", "zero_points", "data", "W_scale", "R_scale", "W_zero_point",
            "R_zero_point", "block_col_indices", "block_row_indices", "fc1_experts_weights", "fc1_scales", "fc1_zero_points", "fc2_experts_weights", "fc2_scales", "fc2_zero_points",
            "b_scale", "b_zero_point", "weight_scale", "weight_zero_point"}
# B is no weight of these.
COMPUTED = {"QLinearAdd": {"B"}, "QLinearMul": {"B"}, "FusedMatMul": {"B"}, "TransposeMatMul": {"B"}}
