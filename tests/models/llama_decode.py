# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One step of a Llama-like decoder by the operators that ONNX has for it: RMSNormalization, RotaryEmbedding, Attention
over a cache of fewer heads than the queries have, and a gated layer behind it.

The data sets are one conversation: a prompt over an empty cache, then tokens over what the step before left.
"""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
VOCABULARY, POSITIONS, WIDTH, HEADS, KEY_HEADS, LAYERS = 48, 40, 32, 4, 2, 2
HEAD = WIDTH // HEADS


def linear(g, x, rng, inputs, outputs):
    return g.op("MatMul", x, g.const(normal(rng, inputs, outputs, scale=inputs**-0.5)))


def norm(g, x, rng):
    return g.op("RMSNormalization", x, g.const(1 + normal(rng, WIDTH, scale=0.1)), axis=-1, epsilon=1e-5)


def build():
    rng = random("llama_decode weights")
    g = Graph("llama_decode")
    g.input("input_ids", INT64, ["batch", "step"])
    g.input("position_ids", INT64, ["batch", "step"])
    angles = np.outer(np.arange(POSITIONS), 100.0 ** -(np.arange(HEAD // 2) * 2 / HEAD))
    cosine, sine = (g.const(table.astype(np.float32)) for table in (np.cos(angles), np.sin(angles)))
    x = g.op("Gather", g.const(normal(rng, VOCABULARY, WIDTH, scale=0.5)), "input_ids", axis=0)
    for layer in range(LAYERS):
        for kind in ("key", "value"):
            g.input(f"past_{kind}_{layer}", FLOAT, ["batch", KEY_HEADS, "past", HEAD])
        normed = norm(g, x, rng)
        q = linear(g, normed, rng, WIDTH, WIDTH)
        k, v = (linear(g, normed, rng, WIDTH, KEY_HEADS * HEAD) for _ in range(2))
        q = g.op("RotaryEmbedding", q, cosine, sine, "position_ids", num_heads=HEADS)
        k = g.op("RotaryEmbedding", k, cosine, sine, "position_ids", num_heads=KEY_HEADS, interleaved=layer % 2)
        present = [f"present_key_{layer}", f"present_value_{layer}"]
        y, _, _ = g.op("Attention", q, k, v, "", f"past_key_{layer}", f"past_value_{layer}",
                       out=[g.fresh("attention"), *present], is_causal=1, q_num_heads=HEADS, kv_num_heads=KEY_HEADS)
        x = g.op("Add", x, linear(g, y, rng, WIDTH, WIDTH))
        normed = norm(g, x, rng)
        gate = linear(g, normed, rng, WIDTH, 2 * WIDTH)
        gated = g.op("Mul", g.op("Mul", gate, g.op("Sigmoid", gate)), linear(g, normed, rng, WIDTH, 2 * WIDTH))
        x = g.op("Add", x, linear(g, gated, rng, 2 * WIDTH, WIDTH))
        for name in present:
            g.output(name, FLOAT, ["batch", KEY_HEADS, "total", HEAD])
    g.op("MatMul", norm(g, x, rng), g.const(normal(rng, WIDTH, VOCABULARY, scale=WIDTH**-0.5)), out="logits")
    g.output("logits", FLOAT, ["batch", "step", VOCABULARY])
    return g.model(opset=24, ir_version=11)


def cases():
    rng = random("llama_decode data")
    for batch, past, step in [(2, 0, 5), (2, 5, 1), (1, 17, 1), (1, 3, 4)]:
        inputs = {"input_ids": rng.integers(0, VOCABULARY, (batch, step)),
                  "position_ids": np.tile(np.arange(past, past + step), (batch, 1))}
        for layer in range(LAYERS):
            for kind in ("key", "value"):
                inputs[f"past_{kind}_{layer}"] = normal(rng, batch, KEY_HEADS, past, HEAD)
        yield Case(inputs)
