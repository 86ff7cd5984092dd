# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A two-layer BERT encoder as PyTorch exports it: LayerNorm and Gelu spelled out, batch and sequence symbolic."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
VOCABULARY, POSITIONS, WIDTH, HEADS, LAYERS = 100, 64, 32, 2, 2


def layer_norm(g, x, rng):
    centred = g.op("Sub", x, g.op("ReduceMean", x, g.const([-1])))
    variance = g.op("ReduceMean", g.op("Pow", centred, g.const(2.0)), g.const([-1]))
    scaled = g.op("Div", centred, g.op("Sqrt", g.op("Add", variance, g.const(1e-12))))
    return g.op("Add", g.op("Mul", scaled, g.const(1 + normal(rng, WIDTH, scale=0.1))),
                g.const(normal(rng, WIDTH, scale=0.1)))


def linear(g, x, rng, inputs, outputs):
    weight = g.const(normal(rng, inputs, outputs, scale=inputs**-0.5))
    return g.op("Add", g.const(normal(rng, outputs, scale=0.1)), g.op("MatMul", x, weight))


def gelu(g, x):
    erf = g.op("Erf", g.op("Div", x, g.const(2**0.5)))
    return g.op("Mul", g.op("Mul", x, g.op("Add", erf, g.const(1.0))), g.const(0.5))


def split_heads(g, x, batch, sequence, perm):
    shape = g.op("Concat", batch, sequence, g.const([HEADS]), g.const([WIDTH // HEADS]), axis=0)
    return g.op("Transpose", g.op("Reshape", x, shape), perm=perm)


def encoder_layer(g, x, bias, batch, sequence, rng):
    q, k, v = (linear(g, x, rng, WIDTH, WIDTH) for _ in range(3))
    q = split_heads(g, q, batch, sequence, [0, 2, 1, 3])
    k = split_heads(g, k, batch, sequence, [0, 2, 3, 1])
    v = split_heads(g, v, batch, sequence, [0, 2, 1, 3])
    scores = g.op("Div", g.op("MatMul", q, k), g.const((WIDTH // HEADS) ** 0.5))
    weights = g.op("Softmax", g.op("Add", scores, bias), axis=-1)
    heads = g.op("Transpose", g.op("MatMul", weights, v), perm=[0, 2, 1, 3])
    merged = g.op("Reshape", heads, g.op("Concat", batch, sequence, g.const([WIDTH]), axis=0))
    x = layer_norm(g, g.op("Add", linear(g, merged, rng, WIDTH, WIDTH), x), rng)
    hidden = gelu(g, linear(g, x, rng, WIDTH, 4 * WIDTH))
    return layer_norm(g, g.op("Add", linear(g, hidden, rng, 4 * WIDTH, WIDTH), x), rng)


def build():
    rng = random("bert_tiny weights")
    g = Graph("bert_tiny")
    for name in ("input_ids", "token_type_ids", "attention_mask"):
        g.input(name, INT64, ["batch", "sequence"])
    shape = g.op("Shape", "input_ids")
    batch = g.op("Unsqueeze", g.op("Gather", shape, g.const(0), axis=0), g.const([0]))
    sequence = g.op("Unsqueeze", g.op("Gather", shape, g.const(1), axis=0), g.const([0]))

    mask = g.op("Cast", g.op("Unsqueeze", "attention_mask", g.const([1, 2])), to=FLOAT)
    bias = g.op("Mul", g.op("Sub", g.const(1.0), mask), g.const(-10000.0))

    positions = g.op("Slice", g.const(np.arange(POSITIONS)[None]), g.const([0]), sequence, g.const([1]))
    words, places, kinds = (g.const(normal(rng, rows, WIDTH)) for rows in (VOCABULARY, POSITIONS, 2))
    x = g.op("Add", g.op("Gather", words, "input_ids"), g.op("Gather", kinds, "token_type_ids"))
    x = layer_norm(g, g.op("Add", x, g.op("Gather", places, positions)), rng)
    for _ in range(LAYERS):
        x = encoder_layer(g, x, bias, batch, sequence, rng)
    g.op("Identity", x, out="last_hidden_state")
    pooled = linear(g, g.op("Gather", x, g.const(0), axis=1), rng, WIDTH, WIDTH)
    g.op("Tanh", pooled, out="pooler_output")
    g.output("last_hidden_state", FLOAT, ["batch", "sequence", WIDTH])
    g.output("pooler_output", FLOAT, ["batch", WIDTH])
    return g.model(opset=18, ir_version=8)


def cases():
    rng = random("bert_tiny data")
    for batch, sequence in [(1, 8), (3, 17), (2, 1), (1, POSITIONS)]:
        lengths = rng.integers(1, sequence + 1, batch)
        yield Case({
            "input_ids": rng.integers(0, VOCABULARY, (batch, sequence)),
            "token_type_ids": rng.integers(0, 2, (batch, sequence)),
            "attention_mask": (np.arange(sequence)[None] < lengths[:, None]).astype(np.int64),
        })
