# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One step of a GPT-like decoder: the key/value cache comes in with `past` positions and leaves with `past + step`.

The data sets are one conversation: a prompt over an empty cache, then single tokens over what the step before left.
"""
import numpy as np
from graph import FLOAT, INT64, BOOL, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
VOCABULARY, POSITIONS, WIDTH, HEADS, LAYERS = 64, 32, 32, 4, 2
HEAD = WIDTH // HEADS


def linear(g, x, rng, inputs, outputs):
    weight = g.const(normal(rng, inputs, outputs, scale=inputs**-0.5))
    return g.op("Add", g.op("MatMul", x, weight), g.const(normal(rng, outputs, scale=0.1)))


def layer_norm(g, x, rng):
    return g.op("LayerNormalization", x, g.const(1 + normal(rng, WIDTH, scale=0.1)),
                g.const(normal(rng, WIDTH, scale=0.1)), axis=-1, epsilon=1e-5)


def causal_mask(g, past, total):
    """[step, total]: position `past + row` sees itself and what is before it."""
    keys = g.op("Range", g.const(0), total, g.const(1))
    queries = g.op("Range", past, total, g.const(1))
    return g.op("LessOrEqual", g.op("Unsqueeze", keys, g.const([0])), g.op("Unsqueeze", queries, g.const([1])))


def attention(g, x, layer, mask, rng):
    parts = g.op("Split", linear(g, x, rng, WIDTH, 3 * WIDTH), out=3, axis=-1, num_outputs=3)
    shape = g.const([0, 0, HEADS, HEAD])
    q, k, v = (g.op("Transpose", g.op("Reshape", p, shape), perm=[0, 2, 1, 3]) for p in parts)
    k = g.op("Concat", f"past_key_{layer}", k, out=f"present_key_{layer}", axis=2)
    v = g.op("Concat", f"past_value_{layer}", v, out=f"present_value_{layer}", axis=2)
    scores = g.op("Mul", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), g.const(HEAD**-0.5))
    weights = g.op("Softmax", g.op("Where", mask, scores, g.const(-1e9)), axis=-1)
    heads = g.op("Transpose", g.op("MatMul", weights, v), perm=[0, 2, 1, 3])
    return linear(g, g.op("Reshape", heads, g.const([0, 0, WIDTH])), rng, WIDTH, WIDTH)


def build():
    rng = random("gpt_decode weights")
    g = Graph("gpt_decode")
    g.input("input_ids", INT64, ["batch", "step"])
    for layer in range(LAYERS):
        for kind in ("key", "value"):
            g.input(f"past_{kind}_{layer}", FLOAT, ["batch", HEADS, "past", HEAD])

    past = g.op("Squeeze", g.op("Shape", "past_key_0", start=2, end=3))
    step = g.op("Squeeze", g.op("Shape", "input_ids", start=1, end=2))
    total = g.op("Add", past, step)
    mask = causal_mask(g, past, total)
    places = g.op("Slice", g.const(normal(rng, POSITIONS, WIDTH)), g.op("Unsqueeze", past, g.const([0])),
                  g.op("Unsqueeze", total, g.const([0])), g.const([0]))
    words = g.const(normal(rng, VOCABULARY, WIDTH))
    x = g.op("Add", g.op("Gather", words, "input_ids"), places)
    for layer in range(LAYERS):
        x = g.op("Add", x, attention(g, layer_norm(g, x, rng), layer, mask, rng))
        hidden = g.op("Gelu", linear(g, layer_norm(g, x, rng), rng, WIDTH, 4 * WIDTH), approximate="tanh")
        x = g.op("Add", x, linear(g, hidden, rng, 4 * WIDTH, WIDTH))
    last = g.op("Gather", layer_norm(g, x, rng), g.const(-1), axis=1)
    g.op("MatMul", last, g.op("Transpose", words, perm=[1, 0]), out="logits")

    g.output("logits", FLOAT, ["batch", VOCABULARY])
    for layer in range(LAYERS):
        for kind in ("key", "value"):
            g.output(f"present_{kind}_{layer}", FLOAT, ["batch", HEADS, "past + step", HEAD])
    return g.model(opset=20, ir_version=9)


def cases(run):
    rng = random("gpt_decode data")
    for batch, prompt, steps in [(1, 5, 3), (2, 1, 2)]:
        caches = {f"past_{kind}_{layer}": np.zeros((batch, HEADS, 0, HEAD), np.float32)
                  for layer in range(LAYERS) for kind in ("key", "value")}
        ids = rng.integers(0, VOCABULARY, (batch, prompt))
        for _ in range(steps + 1):
            inputs = {"input_ids": ids, **caches}
            yield Case(inputs)
            logits, *presents = run(inputs)
            caches = dict(zip(caches, presents))
            ids = logits.argmax(axis=-1)[:, None]
